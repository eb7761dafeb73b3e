package checkcmd

import (
	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/lab/sim"
)

// checkFlags are those of elect check, as they were typed.
type checkFlags struct {
	job.Flags

	network, losses, duplicates, crashes, recoveries, restarts string
	tick, window, workers, maxStates, memory, replay, out      string

	nudge, started, noAnnouncement, untimed, reduce, exact bool

	mayTake int64 // bytes, of --memory
}

// mostChecked is how many processes there may be.
const mostChecked = 1 << 10

// addInput defines the flags that say what to check.
func (f *checkFlags) addInput(cmd *cobra.Command) {
	f.Cmd = cmd
	fs := cmd.Flags()
	fs.SortFlags = false
	flags.Text(fs, &f.N, "n", "N", "", "so many processes, with ids 1 to N")
	flags.Text(fs, &f.IDs, "ids", "3,1,4", "", "the processes instead, in the order of the topology")
	flags.Text(fs, &f.Priorities, "priorities", "5,0,5", "", "their priorities, in the same order")
	flags.Text(fs, &f.Variant, "variant", "variant", "", "which variant of the algorithm (default: the first listed)")
	flags.List(fs, &f.Params, "param", "name=value", "a parameter of the algorithm, as elect list shows them; may be given again")
	flags.Text(fs, &f.Initiators, "initiators", "ids", "all", "who starts, each at any moment: all, none, or the ids")
	flags.Text(fs, &f.Order, "order", "case", "", "how processes are arranged: sorted, random, best or worst case (default: as given)")
	flags.Text(fs, &f.Seed, "seed", "number", "0", "a random order, or topology, is drawn from this number (default 0)")
	flags.Text(fs, &f.Topology, "topology", "links", "", "the links, as grid:3x4 or dot:file (default: as the algorithm needs them)")
	flags.Text(fs, &f.Crashed, "crashed", "ids", "", "who is down from the beginning")
	flags.Text(fs, &f.File, "scenario", "file", "", "take the election from a file with one scenario, - for standard input")
	fs.BoolVar(&f.started, "started", false, "all initiators have started before the first state")
	fs.BoolVar(&f.noAnnouncement, "no-announcement", false, "without messages that announce, and what followers should know; includes --started")
	fs.BoolVar(&f.nudge, "nudge", false, "who has no leader when nothing is left to happen is told to start")
}

// addModel defines the flags that say what may happen, and how to check.
func (f *checkFlags) addModel(cmd *cobra.Command) {
	fs := cmd.Flags()
	flags.Text(fs, &f.network, "network", "links", networks[0], "the links: fifo, unordered, lossy or duplicating")
	flags.Text(fs, &f.losses, "losses", "K", "", "how many messages may be lost, or unlimited")
	flags.Text(fs, &f.duplicates, "duplicates", "K", "", "how many messages may arrive twice")
	flags.Text(fs, &f.crashes, "crashes", "K", "", "how many times a process may crash, at any moment")
	flags.Text(fs, &f.recoveries, "recoveries", "K", "", "how many times one may come back without its state")
	flags.Text(fs, &f.restarts, "restarts", "K", "", "how many times one may come back with the state that it saved last")
	flags.Text(fs, &f.Delay, "delay", "1", "", "the longest that a message takes, in units (default: what the algorithm allows for)")
	flags.Text(fs, &f.tick, "tick", "0.5", "", "how far time goes on at once, in units (default: --delay, or less if timers run out in between)")
	flags.Text(fs, &f.window, "window", "3", "", "until when the initiators start, in units (default: at once)")
	flags.Text(fs, &f.Until, "until", "20", "", "when every run ends, in units; needed where there are heartbeats")
	fs.BoolVar(&f.untimed, "untimed", false, "messages take as long as they like, whatever the algorithm allows for")
	fs.BoolVar(&f.reduce, "reduce", false, "leave out orders of steps that cannot make a difference")
	fs.BoolVar(&f.exact, "exact", false, "compare whole states instead of their hashes: no state is missed")
	flags.Text(fs, &f.workers, "workers", "K", "", "how many work at it (default: one a processor)")
	flags.Text(fs, &f.maxStates, "max-states", "1e6", "", "stop at so many states")
	flags.Text(fs, &f.memory, "memory", "4GB", "", "stop before it takes more memory, as 4GB, 1.5GiB or 500MB (default: three quarters of what is free)")
	flags.Text(fs, &f.replay, "replay", "file", "", "run the steps of a counterexample instead, - for standard input")
	flags.Text(fs, &f.out, "out", "file", "", "write a counterexample as a scenario into this file, - for standard output")
	fs.BoolVar(&f.JSON, "json", false, "one JSON object")
}

// The kinds of links.
const (
	networkFIFO        = "fifo"
	networkUnordered   = "unordered"
	networkLossy       = "lossy"
	networkDuplicating = "duplicating"
)

var networks = []string{networkFIFO, networkUnordered, networkLossy, networkDuplicating}

// unitDelay is how long a message takes where nobody says it.
const unitDelay = sim.Unit

// unlimited is the budget that is never used up.
const unlimited = "unlimited"

// completeCheck tells the shell what may follow.
func (f *checkFlags) completeCheck() {
	f.Complete()
	f.Suggest("network", func([]string) []cobra.Completion { return networks })
	f.Suggest("losses", func([]string) []cobra.Completion { return []cobra.Completion{unlimited} })
	for _, free := range []string{
		"duplicates", "crashes", "recoveries", "restarts", "tick", "window", "workers", "max-states", "memory",
	} {
		f.Suggest(free, func([]string) []cobra.Completion { return nil })
	}
	flags.Files(f.Cmd, "json", "replay", "out")
}
