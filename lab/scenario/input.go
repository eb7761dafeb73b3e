// Package scenario describes one election to be run: which algorithm, over which links, among which
// processes, which of them start and when, and what goes wrong. [Input] is what drivers take; [Scenario]
// is the same as a JSON file, read by [Read] and made into an Input by [Scenario.Input].
//
// What goes wrong stands in these fields of a file, all times in units:
//
//	"crashed": [7]                  down from the beginning
//	"crash_at": [[4, 3.5]]          4 crashes at 3.5,
//	"recover_at": [[4, 15]]         and comes back without its state,
//	"restart_at": [[4, 15]]         or with the state that it saved last
//	"suspect_after": 2              how long after each of these a detector reports it
//	"pause_at": [[3, 2, 6]]         3 handles nothing from 2 until 6
//	"clock_rates": [[3, 1.01]]      the clock of 3 is a second too fast in a hundred
//	"loss": 0.1                     the probability that a message is lost,
//	"duplicate": 0.1                arrives twice,
//	"reorder": 0.1                  or may be overtaken
//	"partitions": [{"from": 3, "until": 9, "groups": [[1, 2], [3]], "one_way": true}]
//
// A partition without "until" never ends; see [fault.Partition].
//
// If the voters of an algorithm may change, each process names the voters that it wants, and a program may give
// commands. A command without a process goes to the process that leads then:
//
//	"wishes": [[1, 0, [1, 2, 3]],   1 wants 1, 2 and 3 from its start on,
//	           [1, 20, [1, 2, 4]]]  and others if it returns from a crash at 20 or later
//	"commands": [{"at": 25, "command": "change", "voters": [1, 2, 4]},
//	             {"at": 26, "command": "take back", "process": 1}]
//
// Instead of all these, and of times at which processes start, a file may say step by step what
// happens, see [Step]. Nothing else does, and the run ends with the last step:
//
//	"steps": [{"do": "start", "process": 3},
//	          {"do": "deliver", "process": 2, "port": 1, "nth": 1, "at": 2.5}]
//
// A step has these fields, of which only "do" and "process" are always needed:
//
//	"do"             start, deliver, timeout, suspect, crash, pause, resume, recover, restart, lose,
//	                 duplicate, command, cut or heal
//	"process"        to which it happens; of a message, its receiver
//	"port"           of deliver, lose, duplicate: the receiver's port of the link; of suspect: behind which
//	"nth"            of deliver, lose, duplicate: which message of that link; the oldest is 0
//	"timer", "layer" of timeout
//	"command"        of command: which; without a process it goes to the process that leads
//	"voters"         of command: of which a list is given; of recover, restart: which the process wants now
//	"choices"        what chance brings in this step, one number after another; 0 where there are no more
//	"groups", "one_way" of cut: as of a partition
//	"at"             when; else a unit after the step before, and the first at 0
//
// What a hand does in a run that has a schedule is a list of acts, see [Act]. Each is done after a number of
// occurrences:
//
//	"acts": [{"after": 17, "do": "lose", "process": 3, "port": 1},
//	         {"after": 17, "do": "delay", "process": 2, "port": 1, "by": 1.5},
//	         {"after": 40, "do": "cut", "groups": [[1, 2], [3]], "one_way": true}]
//
// An act has the fields of a step but for "choices" and "at", and these:
//
//	"after"             how many occurrences come first; 0 where absent
//	"do"                also delay
//	"by"                of delay: how much later the message arrives; if negative, how much sooner
//
// With "schedule": "hand" nothing happens but acts.
//
// Whatever is wrong with an input is found here, before anything runs, and is said in one line
// that names the field and the value.
package scenario

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// Unit is what one unit of time in a scenario file is as a time.Duration. A message of the unit
// schedule takes one.
const Unit = time.Second

// MaxProcesses bounds the size of an input: 32 times a million, some 6 GB in a simulation.
const MaxProcesses = 1 << 25

// Input is one election to be run.
type Input struct {
	Algorithm  *election.Algorithm
	Topology   topology.Topology // If nil, the algorithm's own shape for these IDs; see Default.
	IDs        []election.ID     // the processes, in the order of the topology
	Priorities []uint64          // in the order of IDs; if nil, all zero
	Initiators []election.ID     // in the order in which they start; if nil, all; if empty, none
	StartTimes []time.Duration   // in the order of Initiators; missing ones are zero
	Crashed    []election.ID     // down from the beginning
	CrashAt    []At
	RecoverAt  []At // they come back without their state
	RestartAt  []At // they come back with the state that they saved last, or without if they never did
	PauseAt    []Pause
	ClockRates []ClockRate
	Faults     fault.Plan // what goes wrong on links

	Wishes   []Wish    // of processes whose voters may change; if nil, all vote
	Commands []Command // in the order of time

	// SuspectAfter is how long after a crash or a return a failure detector reports it to all that are
	// up, see [Input.Prompts]. If zero, there is no failure detector.
	SuspectAfter time.Duration

	// Draws are what processes draw, in the order of IDs: the numbers of one process are those that its
	// calls of [election.Env.Choose] return, one after another, plus one. If nil, chance decides.
	Draws [][]int
}

// At is something that happens to a process at a time.
type At struct {
	ID   election.ID
	Time time.Duration
}

// Check completes the Input and returns an error that wraps [election.ErrInput] if it cannot be
// run.
func (in *Input) Check() error {
	if err := in.Algorithm.Check(); err != nil {
		return err
	}
	// The order matters: each check relies on what the ones before it have found in order.
	if err := in.checkSize(); err != nil {
		return err
	}
	if err := checkIDs(in.IDs); err != nil {
		return err
	}
	if err := in.checkTopology(); err != nil {
		return err
	}
	if err := in.checkEvents(); err != nil {
		return err
	}
	if err := in.checkCommands(); err != nil {
		return err
	}
	if err := in.checkDraws(); err != nil {
		return err
	}
	if err := in.checkPrompts(); err != nil {
		return err
	}
	return in.Faults.Check(in.IDs, InUnits)
}

func (in *Input) checkSize() error {
	n := len(in.IDs)
	switch {
	case n == 0:
		return input.Errorf("ids: at least one process is required")
	case n > MaxProcesses:
		return input.Errorf("ids: %d processes, at most %d can be run", n, MaxProcesses)
	case in.Priorities != nil && len(in.Priorities) != n:
		return input.Errorf("priorities: %d for %d ids", len(in.Priorities), n)
	}
	return nil
}

// checkIDs wants every ID once, and none to be zero.
func checkIDs(ids []election.ID) error {
	if i := slices.Index(ids, 0); i >= 0 {
		return input.Errorf("ids[%d]: 0 is not a valid id", i)
	}
	// Most lists rise, and then no ID is there twice. It saves a sorted copy of up to 32 million IDs.
	if rises(ids) {
		return nil
	}
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			first := slices.Index(ids, sorted[i])
			again := first + 1 + slices.Index(ids[first+1:], sorted[i])
			return input.Errorf("ids[%d]: %d is already the id of ids[%d]", again, sorted[i], first)
		}
	}
	return nil
}

func rises(ids []election.ID) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i] <= ids[i-1] {
			return false
		}
	}
	return true
}

// ShapeError refuses an algorithm on links of a shape for which it is not made.
type ShapeError struct {
	Algorithm *election.Algorithm
	Shape     election.Shape
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s needs a %s, not a %s", e.Algorithm.Title(), inWords(e.Algorithm.Topology),
		inWords(e.Shape))
}

func (in *Input) checkTopology() error {
	a := in.Algorithm
	if in.Topology == nil {
		t, err := Default(a, in.IDs)
		if err != nil {
			return err
		}
		in.Topology = t
	}
	t := in.Topology
	switch shape := t.Shape(); {
	// A tree is a graph, so what runs on any graph runs on it.
	case shape != a.Topology && !(a.Topology == election.Graph && shape == election.Tree):
		return input.At("topology", &ShapeError{a, shape})
	case t.OneWay() && a.TwoWay:
		return input.Errorf("topology: %s needs a two-way ring", a.Title())
	case a.Knows == election.PortsAround && !topology.Around(t):
		return input.Errorf("topology: %s needs ports in the order of a ring: port k leads to the process k+1 places on; "+
			"topology.CompleteFor makes such a complete graph",
			a.Title())
	case t.Len() != len(in.IDs):
		return input.Errorf("topology: %d processes for %d ids", t.Len(), len(in.IDs))
	}
	if _, ok := t.(topology.Rooted); a.Knows == election.RootPort && !ok {
		if t.Len() > 1 {
			return input.Errorf("topology: %s needs a tree with a root", a.Title())
		}
		in.Topology, _ = topology.RootAt(t, 0) // the only one is the root
	}
	return nil
}

// Default returns the topology on which these processes run an algorithm where none is given. A
// ring is one-way unless the algorithm needs it two-way. A tree is a complete binary tree with the
// first process as its root ([topology.BinaryTree]), a graph is a ring with chords
// ([topology.Chords]), and a mesh is as close to a square as it can be. A hypercube needs a power
// of two processes.
func Default(a *election.Algorithm, ids []election.ID) (topology.Topology, error) {
	n := len(ids)
	var t topology.Topology
	var err error
	switch a.Topology {
	case election.Ring:
		t, err = topology.Ring(n, !a.TwoWay)
	case election.Complete:
		t, err = topology.CompleteFor(a, ids)
	case election.Tree:
		t, err = topology.BinaryTree(n)
	case election.Graph:
		t, err = topology.Chords(n)
	case election.Hypercube:
		dimension, ok := topology.Dimension(n)
		if !ok {
			return nil, input.Errorf("topology: %s needs a hypercube, whose processes are a power of two "+
				"up to "+
				"2^%d, not %d",
				a.Title(), topology.MaxDimension, n)
		}
		t, err = topology.Hypercube(dimension)
	case election.Mesh:
		rows, cols, ok := topology.Square(n, 3)
		if !ok {
			return nil, input.Errorf("topology: %s needs a mesh, and %d processes do not form a mesh "+
				"of at least 3 x 3",
				a.Title(), n)
		}
		t, err = topology.Mesh(rows, cols)
	}
	if err != nil {
		return nil, asInput("topology", err)
	}
	return t, nil
}

// inWords returns a shape as a noun.
func inWords(s election.Shape) string {
	if s == election.Complete {
		return "complete graph"
	}
	return string(s)
}

// checkEvents wants all that start, crash or recover to be processes, and every time to
// be one.
func (in *Input) checkEvents() error {
	if len(in.StartTimes) > 0 && len(in.StartTimes) != in.Starts() {
		if in.Algorithm.SingleInitiator && in.Initiators == nil {
			return input.Errorf("start_times: %d given, but %s allows one initiator", len(in.StartTimes),
				in.Algorithm.Title())
		}
		return input.Errorf("start_times: %d for %d initiators", len(in.StartTimes), in.Starts())
	}
	for i, t := range in.StartTimes {
		if t < 0 {
			return input.Errorf("start_times[%d]: %s is less than 0", i, InUnits(t))
		}
	}
	if in.Algorithm.SingleInitiator && in.Starts() > 1 && in.Initiators != nil {
		return input.Errorf("initiators: %s allows one, not %d; by default the root of a tree starts, "+
			"starts, or else the first process", in.Algorithm.Title(), in.Starts())
	}
	// No process is named anywhere, so the map of positions, larger than the IDs themselves, is not needed.
	if in.Initiators == nil && len(in.Crashed) == 0 && !in.Disturbed() {
		return nil
	}
	return in.checkNames(in.Positions())
}

// checkNames checks the lists of processes that start, crash, come back or pause.
func (in *Input) checkNames(where map[election.ID]int) error {
	for _, list := range []struct {
		name string
		ids  []election.ID
	}{{"initiators", in.Initiators}, {"crashed", in.Crashed}} {
		seen := make(map[election.ID]bool, len(list.ids))
		for i, id := range list.ids {
			if _, ok := where[id]; !ok {
				return input.Errorf("%s[%d]: %d is not a process", list.name, i, id)
			}
			if seen[id] {
				return input.Errorf("%s[%d]: %d is listed twice", list.name, i, id)
			}
			seen[id] = true
		}
	}
	for _, list := range []struct {
		name string
		at   []At
	}{{"crash_at", in.CrashAt}, {"recover_at", in.RecoverAt}, {"restart_at", in.RestartAt}} {
		for i, at := range list.at {
			if _, ok := where[at.ID]; !ok {
				return input.Errorf("%s[%d]: %d is not a process", list.name, i, at.ID)
			}
			if at.Time < 0 {
				return input.Errorf("%s[%d]: %s is less than 0", list.name, i, InUnits(at.Time))
			}
		}
	}
	if err := in.checkPauses(where); err != nil {
		return err
	}
	return in.checkClocks(where)
}

// Starts returns how many processes start.
func (in *Input) Starts() int {
	switch {
	case in.Initiators != nil:
		return len(in.Initiators)
	case in.Algorithm.SingleInitiator:
		return 1
	}
	return len(in.IDs)
}

// Starters returns the processes that start, in this order; nil where all do. Where none is named and
// only one may start, it is the root of a rooted tree, and elsewhere the first process.
func (in *Input) Starters() []election.ID {
	if in.Initiators != nil || !in.Algorithm.SingleInitiator {
		return in.Initiators
	}
	if tree, ok := in.Topology.(topology.Rooted); ok {
		// The capacity is one: a caller that appends must not write into IDs.
		return in.IDs[tree.Root():][:1:1]
	}
	return in.IDs[:1:1]
}

// Positions returns where in IDs each process stands.
func (in *Input) Positions() map[election.ID]int {
	where := make(map[election.ID]int, len(in.IDs))
	for p, id := range in.IDs {
		where[id] = p
	}
	return where
}

// Widths returns how many bits the quantities of this input need.
func (in *Input) Widths() cost.Widths {
	var priority uint64
	if len(in.Priorities) > 0 {
		priority = slices.Max(in.Priorities)
	}
	w := cost.NewWidths(len(in.IDs), uint64(slices.Max(in.IDs)), priority)
	if in.Algorithm.Knows == election.LinkWeights && in.Topology != nil {
		var heaviest uint64
		for end := range topology.All(in.Topology) {
			heaviest = max(heaviest, topology.Weight(in.Topology, end.Process, end.Port))
		}
		w.Weight = uint64(bits.Len64(heaviest))
	}
	return w
}

// Winner returns the process that must lead by the algorithm's rule, where these processes are up and
// these have started the election. The Input must have been checked.
func (in *Input) Winner(up, started func(p int) bool) verdict.Rightful {
	all := in.Candidates()
	for p := range all {
		all[p].Up, all[p].Initiator = up(p), started(p)
	}
	return verdict.ByRule(in.Algorithm.Winner, all)
}

// Expected returns the process that must be elected, by what the algorithm promises, among those that are up
// in the end. It is any where that is not known: links fail, processes fail in a way that the algorithm does
// not survive, or a process that starts late may compete or not. An Input that has not been checked is
// checked here, and if that fails, any process may be elected: there is no election.
func (in *Input) Expected() verdict.Rightful {
	if in.Topology == nil {
		// Check a copy: Expected must not complete the Input of its caller.
		checked := *in
		if checked.Check() != nil {
			return verdict.Rightful{}
		}
		return checked.Expected()
	}
	w := in.Algorithm.Winner
	if w == nil || in.Starts() == 0 || in.Faulty() && (w.ByStart || !in.survives()) {
		return verdict.Rightful{}
	}
	down := in.downInTheEnd()
	up := func(p int) bool { return !down[in.IDs[p]] }
	started := func(int) bool { return true }
	if w.ByStart {
		// A process that starts late may have joined the election before, and is then no initiator of it.
		if slices.ContainsFunc(in.StartTimes, func(t time.Duration) bool { return t > 0 }) {
			return verdict.Rightful{}
		}
		if in.Starts() < len(in.IDs) {
			starters := make(map[election.ID]bool)
			for _, id := range in.Starters() {
				starters[id] = true
			}
			started = func(p int) bool { return starters[in.IDs[p]] }
		}
	}
	return in.Winner(up, started)
}

// survives reports whether all that goes wrong are crashes and returns that the algorithm survives, with a
// detector where it needs one.
func (in *Input) survives() bool {
	f := &in.Algorithm.Faults
	return f.Crash != election.NoCrash && !in.Faults.Any() && len(in.PauseAt) == 0 &&
		(!f.Reported || in.SuspectAfter > 0) &&
		(f.Crash == election.MayRecover || len(in.RecoverAt) == 0) &&
		(f.Crash > election.StaysDown || len(in.RestartAt) == 0)
}

// Elected returns an error unless one process leads, all know it and the end of the election, and it is the
// process that must lead as far as [Input.Expected] knows.
func (in *Input) Elected(r *verdict.Result) error {
	return r.Elected(in.Expected())
}

// Candidates returns the processes as the rule of a [election.Winner] sees them: all up, all initiators.
func (in *Input) Candidates() []election.Candidate {
	all := make([]election.Candidate, len(in.IDs))
	for p := range all {
		all[p] = election.Candidate{Rank: in.Self(p), Ports: in.Topology.Ports(p), Up: true, Initiator: true}
	}
	return all
}
