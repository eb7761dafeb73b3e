package job

import (
	"github.com/spf13/cobra"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// Flags are those of sim and run, as they were typed.
type Flags struct {
	Cmd     *cobra.Command
	Catalog catalog.List // the algorithms that the command knows
	Most    int          // how many processes there may be
	Driven  string       // what the driver does with them, for messages

	N, IDs, Priorities, Variant, Seed, Initiators, Order, Topology string

	File, Schedule, startTimes, Delay, unit, Until string

	Crashed, crashAt, recoverAt, restartAt, pauseAt, suspectAfter string
	loss, duplicate, reorder                                      string
	partitions, Params                                            []string

	fifo, force, JSON bool

	Files  files.Trace
	Silent bool                    // standard output is for a trace
	Values map[string]params.Value // of --param
}

// The values of the flags that have a few.
var (
	Orders    = []string{"sorted", "random", "best", "worst"}
	Schedules = []string{string(sim.UnitDelay), string(sim.RandomDelay)}
	starters  = []string{"all", "none"}
)

// InFile are the flags that say what a scenario says itself.
var InFile = append([]string{"n", "ids", "priorities", "variant", "param", "initiators", "order", "topology", "start-times"}, faults...)

// faults are the flags that say what goes wrong.
var faults = []string{
	"crashed", "crash-at", "recover-at", "restart-at", "suspect-after", "pause-at", "loss", "duplicate", "reorder", "partition",
}

// Define defines the flags that sim and run share.
func (f *Flags) Define(cmd *cobra.Command) {
	f.Cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	flags.Text(fs, &f.N, "n", "N", "", "so many processes, with ids 1 to N")
	flags.Text(fs, &f.IDs, "ids", "3,1,4", "", "the processes instead, in the order of the topology")
	flags.Text(fs, &f.Priorities, "priorities", "5,0,5", "", "their priorities, in the same order")
	flags.Text(fs, &f.Variant, "variant", "variant", "", "which variant of the algorithm (default: the first listed)")
	flags.List(fs, &f.Params, "param", "name=value", "a parameter of the algorithm, as elect list shows them; may be given again")
	flags.Text(fs, &f.Seed, "seed", "number", "0", "what is left to chance is drawn from this number (default 0)")
	flags.Text(fs, &f.Initiators, "initiators", "ids", "all", "who starts: all, none, or the ids, in that order")
	flags.Text(fs, &f.Order, "order", "case", "", "how processes are arranged: sorted, random, best or worst case (default: as given)")
	flags.Text(fs, &f.Topology, "topology", "links", "", "the links, as grid:3x4 or dot:file (default: as the algorithm needs them)")
	flags.Text(fs, &f.Until, "until", "100", "", "how long to run, in units; needed where there are heartbeats (default: until nothing is left to happen)")
	flags.Text(fs, &f.Crashed, "crashed", "ids", "", "who is down from the beginning")
	flags.Text(fs, &f.startTimes, "start-times", "0,2.5,1", "", "when the initiators start, in units")
	flags.Text(fs, &f.crashAt, "crash-at", "4@3.5,2@7", "", "who crashes, and when, in units")
	flags.Text(fs, &f.recoverAt, "recover-at", "4@15", "", "who comes back after a crash without its state")
	flags.Text(fs, &f.suspectAfter, "suspect-after", "2", "", "the others are told of each crash and return, so long after it (default: nobody is told)")
	flags.Text(fs, &f.File, "scenario", "file", "", "run the scenarios of a file instead, - for standard input")
	fs.BoolVar(&f.JSON, "json", false, "one JSON object a line for each election")
}

// DefineVirtual defines the flags that need virtual time.
func (f *Flags) DefineVirtual(cmd *cobra.Command) {
	fs := cmd.Flags()
	flags.Text(fs, &f.Schedule, "schedule", "delays", "unit", "when messages arrive: unit or random delays")
	flags.Text(fs, &f.Delay, "delay", "0.5,2", "", "the shortest and longest random delay, in units")
	fs.BoolVar(&f.fifo, "fifo", true, "links keep the order; they need not if delays are random")
	fs.BoolVar(&f.force, "force", false, "run an algorithm even where links do not keep an order or a delay that it needs")
	flags.Text(fs, &f.restartAt, "restart-at", "4@15", "", "who comes back after a crash with the state that it saved last")
	flags.Text(fs, &f.pauseAt, "pause-at", "3@2-6", "", "who handles nothing, from when until when")
	flags.Text(fs, &f.loss, "loss", "0.1", "", "the probability that a message is lost")
	flags.Text(fs, &f.duplicate, "duplicate", "0.1", "", "the probability that it arrives twice")
	flags.Text(fs, &f.reorder, "reorder", "0.1", "", "the probability that it takes another delay and may be overtaken")
	flags.List(fs, &f.partitions, "partition", "1,2|3,4@3-9",
		"groups cut off from each other, from 3 until 9; with > that way only; may be given again")
	f.Files.Define(f.Cmd, "trace", "svg", "mermaid", "log")
}

// DefineReal defines the flags that need real time.
func (f *Flags) DefineReal(cmd *cobra.Command) {
	flags.Text(cmd.Flags(), &f.unit, "unit", "time", "100ms", "how long a unit of time lasts: 20ms, 1.5s")
	f.Files.Define(cmd, "trace")
}
