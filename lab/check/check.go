// Package check visits every state that an election can be in: it is an explicit-state model
// checker that runs the very Nodes of the catalogue, not a second model of them.
//
// A state is what all processes, links and timers hold. From each the checker takes every step
// that is possible: any process that is to start starts, any link delivers (on links that do not
// keep the order, any message on it), any timer that may run out does, and within the budgets that a
// [Config] gives processes crash and come back or pause, messages are lost and copied, and the network is
// cut. What a Node leaves to chance is enumerated. One step is one handler.
//
// # Properties
//
// What is judged comes from the algorithm's description; see [Result.Properties]. In every state:
// two leaders of one Term at once never, no other winner than the description promises (where nothing goes
// wrong), no decision that is changed, never two in a critical section. In every state in which nothing is
// left to happen: one leader, known to all that are up, and all of these know that the election has ended. On
// every run: it ends, as long as every link that has messages is served in the end; where chance
// decides, with probability 1. And no run sends more messages than the description's bound: in one
// election, since a late start may begin another, and, of algorithms that count time-outs, only with
// [Config.Started].
//
// States are visited breadth first, so a counterexample is as short as there is one. One that shows too many
// messages goes to the end of a run.
//
// # Time
//
// Unless [Config.Delay] is given there is no time: a message takes as long as it likes, and a timer
// runs out whenever it likes, except that of two timers the one set earlier runs out first if its
// latest moment, counted from its setting, is not after the other's earliest. With Delay time passes in
// ticks, every message arrives within Delay, and every timer runs out within its bounds. If an algorithm is
// Synchronous and only some processes start, every message takes all of Delay.
//
// # How sure
//
// States that have been visited are kept as hashes of 64 bits. [Result.Collision] is the probability that
// any two states had the same, so that one was missed, as far as hashes are random. With [Config.Exact] whole
// states are compared, and nothing can be missed.
//
// # Limitations
//
// What is found holds for the processes, links and budgets that were checked, not for more of them. States
// grow exponentially: rings of a dozen, complete graphs of three to five. No process crashes in the
// middle of a step: of what it sends all is sent, or nothing.
package check

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// Unlimited is a budget that is never used up.
const Unlimited = -1

// Config is what to check, and on which network.
type Config struct {
	// Input is the election. Its Initiators start, each at any moment; StartTimes and all that goes
	// wrong at a given time or by chance must be empty. So must ClockRates, unless time is modelled.
	scenario.Input

	// After is what has happened before the first state, as a [scenario.StepRecorder] writes it: what is
	// judged is what can still follow. The steps may be ones that no check takes; the budgets are for
	// what follows them. Where no time is modelled, all that follows comes at the time of the last of
	// them. A message that a cut would lose later is not lost, since the cut may end here. A
	// counterexample begins with these steps.
	After []scenario.Step

	Unordered bool // links do not keep the order
	Losses    int  // how many messages may be lost, or Unlimited
	// Kept are the kinds of message that may arrive any number of times, or never. Others may not arrive
	// either, but are not copied. This makes the network worse, and the states fewer, since none tells which
	// of these messages have arrived. Links must keep no order, and messages take as long as a run. What must
	// hold in the end is not judged.
	Kept       []uint8
	Duplicates int // how many messages may arrive twice, the copy after all that is on the link by then
	// Crashes is how many times a process may crash, at any moment. Where the algorithm needs a failure
	// detector ([election.Faults].Reported), one that is never wrong reports each crash to each neighbour
	// that is up, at any moment after the last message of the crashed process has arrived, and each return.
	Crashes    int
	Recoveries int // how many times one may come back without its state
	Restarts   int // how many times one may come back with the state that it saved last

	// Pauses is how many times a process may pause, at any moment and for any time, where time is
	// modelled. What comes for it waits. Elsewhere a pause is nothing but a slow message.
	Pauses int
	// Cuts is how many times the network may fall into two parts, at any moment and for any time, one
	// cut at a time. What is sent from one part to the other meanwhile is lost. No failure detector
	// reports a pause or a cut: only a Node with heartbeats of its own takes notice.
	Cuts int

	// Nudge: a process that is up and has no leader when nothing is left to happen starts. Some algorithms
	// elect after a crash only if a process that needs a leader asks for one.
	Nudge bool

	// Started: all initiators have started, in their order, before the first state. It is implied where the
	// algorithm is Synchronous.
	Started bool
	// NoAnnouncement: messages of the kinds that announce are not sent, and what followers know is
	// not judged. It implies Started.
	NoAnnouncement bool

	// Delay is the longest that a message takes. If zero, time is not modelled. Algorithms that count on
	// time-outs are right with their own, [election.Algorithm.Delay], only.
	Delay time.Duration
	// Tick is how far time advances in one step. If zero, Delay, or less where timers run out in between.
	Tick time.Duration
	// Window is until when initiators start, where time is modelled: each at any tick until then.
	Window time.Duration

	// Until ends every run at a time, where time is modelled; if zero, there is no end. How runs end is
	// then judged only of those that came to an end before.
	Until time.Duration

	// Reduce leaves out orders of steps that cannot make a difference, since they are steps of
	// different processes. See [Result.Reduced]. Where runs need not end, it may take all steps after all.
	Reduce bool
	// Exact keeps whole states instead of their hashes.
	Exact bool
	// Properties are judged besides those of the description.
	Properties []Property

	Workers int // If zero, one a processor. Counts and counterexamples do not depend on it.
	// How many states to visit, and how much memory to take, at most; if zero, any number. Both are
	// looked at now and then, so a check may go somewhat further.
	MaxStates int
	MaxBytes  int64

	// Progress, if not nil, is called about ten times a second, between two states of the search. The search
	// waits for it.
	Progress func(Progress)

	untidy    bool // keep messages that Voters leaves out
	untrimmed bool // all deliveries are taken, also those that Kept makes superfluous

	only verdict.Property // if not empty, this alone is judged, and what is judged together with it
	heap func() int64     // how much memory is in use; if nil, liveHeap
}

// Progress is how far a check is.
type Progress struct {
	States, Transitions, Queue uint64
	Depth                      int
	Elapsed                    time.Duration
}

// Property is something that must hold, besides what the description promises.
type Property struct {
	Name string // unlike all other names; Verdict and Trail have it as their Property
	Kind verdict.Kind
	// Holds judges a state. It must neither keep nor change it, and is called by several goroutines. If it
	// panics, the property does not hold.
	Holds func(s *State) bool
}

// Verdict is what was found of one property.
type Verdict struct {
	Property verdict.Property
	Kind     verdict.Kind
	// Known: Holds is sure. A search that ends early, at a limit or where something else was found to be
	// wrong, leaves open what it has not found.
	Known bool
	Holds bool
}

// Result is what came out of a check.
type Result struct {
	States, Transitions uint64
	Depth               int // of the state that is farthest from the first
	// Longest is the number of steps of the longest run; -1 where there are runs without end, or
	// where it was not counted.
	Longest int
	// Messages is the largest number of messages that any run sends, in all its elections; -1 like Longest.
	Messages int

	// Exhausted: every state was visited. Otherwise Stopped says why not.
	Exhausted bool
	Stopped   error

	Properties []Verdict // what was judged, in the order in which it is listed here
	// Counterexample is a shortest run to where a property does not hold; nil if all do.
	Counterexample *Trail

	Tick      time.Duration // how far time went on at once, where it is modelled
	Wall      time.Duration
	Bytes     int64   // the most memory that states took: hashes, the way back, what waits to be expanded
	Collision float64 // about how probable it is that a state was missed
	// Reduced counts the states of which not every step was taken, by Config.Reduce.
	Reduced uint64
}

// Err returns an error that wraps [ErrViolated] if a property does not hold, and says which and why; and one
// that wraps Stopped if none was found but not every state was visited.
func (r *Result) Err() error {
	if t := r.Counterexample; t != nil {
		return fmt.Errorf("%w: %s: %w", ErrViolated, t.Property.Text(), t.Reason)
	}
	for _, v := range r.Properties {
		if v.Known && !v.Holds { // a property of kind Sometimes: no single run shows that no state has it
			return fmt.Errorf("%w: %s: in no state", ErrViolated, v.Property.Text())
		}
	}
	return r.Stopped
}

// Check completes the Config and returns an error that wraps [election.ErrInput] if it cannot be
// checked. [Run] calls it.
func (c *Config) Check() error {
	if err := c.Input.Check(); err != nil {
		return err
	}
	in, all := &c.Input, c.whole()
	switch {
	case c.Recoveries+c.Restarts > 0 && all.Crashes == 0 && len(c.Crashed) == 0:
		return input.Errorf("recoveries, restarts: no process is ever down, so none returns")
	case len(in.Wishes)+len(in.Commands) > 0:
		return input.Errorf("wishes, commands: in a check voters change at any moment, not at given times; use Voters")
	case len(in.StartTimes) > 0:
		return input.Errorf("start_times: a check starts each process at every moment")
	case len(in.CrashAt)+len(in.RecoverAt)+len(in.RestartAt)+len(in.PauseAt) > 0:
		return input.Errorf("crash_at, recover_at, restart_at, pause_at: " +
			"a check lets processes crash at every moment; give the number of crashes")
	case c.Pauses > 0 && c.Delay == 0:
		return input.Errorf("pauses: without a delay, time is not modelled and a pause is the same as a slow message")
	case all.detects() && len(in.IDs) > maxReported:
		return input.Errorf("crashes: %d processes, at most %d can be checked with a failure detector",
			len(in.IDs), maxReported)
	case c.Cuts > 0 && len(in.IDs) > maxDivided:
		return input.Errorf("cuts: %d processes, at most %d can be divided", len(in.IDs), maxDivided)
	case in.SuspectAfter != 0:
		return input.Errorf("suspect_after: a check lets each process notice a crash at every moment")
	case in.Draws != nil:
		return input.Errorf("draws: a check lets each process draw every number")
	case in.Faults.Any():
		return input.Errorf("loss, duplicate, reorder, partitions: " +
			"a check tries every loss; give the number of losses")
	case len(in.IDs) > maxProcesses:
		return input.Errorf("ids: %d processes, at most %d can be checked", len(in.IDs), maxProcesses)
	case in.Algorithm.Sections > maxSections:
		return input.Errorf("algorithm: %d sections, at most %d can be checked", in.Algorithm.Sections,
			maxSections)
	case in.Topology.Links() > maxLinks:
		return input.Errorf("topology: %d ends of links, at most %d can be checked", in.Topology.Links(),
			maxLinks)
	}
	if err := c.checkBudgets(); err != nil {
		return err
	}
	for i, p := range c.Properties {
		known := p.Kind == verdict.Always || p.Kind == verdict.Sometimes || p.Kind == verdict.Finally
		if p.Holds == nil || !known {
			return input.Errorf("properties[%d]: %.60q needs Holds and a Kind", i, p.Name)
		}
		same := func(q Property) bool { return p.Name == q.Name }
		if isTaken(p.Name) || slices.ContainsFunc(c.Properties[:i], same) {
			return input.Errorf("properties[%d]: a previous one is also named %.60q", i, p.Name)
		}
	}
	// Without After, which may hold the starts itself.
	if c.NoAnnouncement || c.Algorithm.Synchronous && len(c.After) == 0 {
		c.Started = true
	}
	if err := c.checkAfter(); err != nil {
		return err
	}
	if err := c.checkKept(); err != nil {
		return err
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.heap == nil {
		c.heap = liveHeap
	}
	return c.checkTime()
}

// checkBudgets wants each number of failures to be one that a state can hold.
func (c *Config) checkBudgets() error {
	for _, b := range []struct {
		name      string
		of        int
		unlimited bool
	}{{"losses", c.Losses, true}, {"duplicates", c.Duplicates, false}, {"crashes", c.Crashes, false},
		{"recoveries", c.Recoveries, false}, {"restarts", c.Restarts, false}, {"pauses", c.Pauses, false},
		{"cuts", c.Cuts, false}} {
		if b.of > maxBudget || b.of < 0 && !(b.unlimited && b.of == Unlimited) {
			return input.Errorf("%s: %d is not between 0 and %d", b.name, b.of, maxBudget)
		}
	}
	return nil
}

// What fits into a state.
const (
	maxProcesses = 1 << 10
	maxLinks     = 1 << 12 // the index of an action
	maxDivided   = 12      // the group of a cut is the index of an action, without process 0
	maxReported  = 64      // the bits of local.reported
	maxSections  = 64      // the bits of local.inside
	maxBudget    = 1 << 10
	maxTicks     = 250 // the time of a state, and that of a message, are bytes
)

func (c *Config) checkTime() error {
	if c.Delay == 0 {
		if c.Algorithm.Elects == election.LeaseHolders {
			return input.Errorf("delay: without a delay, time is not modelled and no lease of %s ends",
				c.Algorithm.Title())
		}
		if c.Tick != 0 || c.Window != 0 || c.Until != 0 {
			return input.Errorf("tick, window, until: without a delay, time is not modelled")
		}
		if c.WrongClocks() { // which of two timers runs out first is then taken from what they are set to
			return input.Errorf("clock_rates: without a delay, time is not modelled")
		}
		return nil
	}
	tick := c.Tick
	if tick == 0 { // Run may find that it takes a finer one
		tick = c.Delay
	}
	switch {
	case c.Delay < 0 || tick < 0 || c.Window < 0 || c.Until < 0:
		return input.Errorf("delay, tick, window, until: none can be negative")
	case c.Until/tick > maxTicks:
		return input.Errorf("until: %v units are more than %d ticks", scenario.InUnits(c.Until), maxTicks)
	case c.Algorithm.NeverQuiesces && c.Until == 0:
		return input.Errorf("until: %s never comes to rest, so it needs an end",
			c.Algorithm.Title())
	case c.Delay%tick != 0 || c.Window%tick != 0:
		return input.Errorf("tick: delay %v and window %v are not multiples of %v units",
			scenario.InUnits(c.Delay),
			scenario.InUnits(c.Window), scenario.InUnits(tick))
	case c.Delay/tick > maxTicks || c.Window/tick > maxTicks:
		return input.Errorf("tick: %v units are too few for a delay of %v and a window of %v, of at most "+
			"%d ticks",
			scenario.InUnits(tick), scenario.InUnits(c.Delay), scenario.InUnits(c.Window), maxTicks)
	}
	return nil
}
