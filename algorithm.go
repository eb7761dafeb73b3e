package election

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Algorithm describes one variant of one algorithm: all that a driver, the command line, the
// suites and the documentation need to know. Drivers act on the description and know no
// algorithm by name.
type Algorithm struct {
	Name    string // its package
	Variant string // empty where there is only one
	Summary string // one line
	Source  string // the authors and the year

	Topology        Shape     // the links that it runs on
	TwoWay          bool      // it also sends against the direction of one-way rings
	Rooted          bool      // its tree has a root, and every process knows the way to that
	Weighted        bool      // processes know the weights of their links, and their neighbours
	KnowsSize       bool      // every process knows how many there are: Setup.Size
	Chordal         bool      // its ports on a complete graph lead around by IDs where none are given
	Oriented        bool      // its ports on a complete graph lead around: port k to the process k+1 on
	NeedsFIFO       bool      // it is wrong where links do not keep the order
	Winner          *Winner   // which process is elected; nil: any process may be
	LateStart       LateStart // what becomes of a start after the process has relayed
	StartSuspects   bool      // a Start reports that the leader has crashed: none may come while it is up
	SingleInitiator bool      // a single initiator an election; Message.Value belongs to TermKeeper
	RelaysAfterEnd  bool      // a process may have to relay for others after it knows of the end
	LongLived       bool      // it keeps Terms itself and is not wrapped by TermKeeper
	NeverQuiesces   bool      // no run comes to rest: a leader sends heartbeats, a token circulates
	Heartbeats      bool      // a process notices that its leader is down; no detector has to report it
	Sections        int       // how many critical sections it guards: a Start asks for entry to the first
	Leaderless      bool      // it elects no leader: it guards critical sections without one
	Below           uint8     // how many machines of its Stack are below the election: failure detectors
	Faults          Faults    // under which failures it keeps its promises
	// Synchronous: all processes that start an election do so at the same instant, and each message takes
	// the Delay, or less where all start. Package synchronizer lets such an algorithm bear any delays.
	Synchronous bool
	// Leases: a process leads only until Outcome.Until. At no time do two lead, whatever the network does and
	// however long processes pause, and each that becomes the leader does so in a larger Term than all
	// before.
	Leases bool
	// Groups: there may be several leaders. At rest each process leads, or follows one that leads in the same
	// Term: a group. Leader and Term are its number, which no other group has had. With Heartbeats
	// groups look for each other, and become one once nothing goes wrong any more.
	Groups bool

	Kinds []Kind // Kinds[k-1] describes the messages of kind k
	// Timers[l][t] is the name of timer t of machine l of its Stack; all that are no Stack are machine 0. It
	// says what the timer limits: "the wait for answers".
	Timers [][]string

	// Delay is the longest that a message may take for the time-outs to be right; zero where
	// there are none, or where no bound is assumed. With Leases it is how long one mostly takes. Drivers that
	// know the delays compare them with [Algorithm.DelayBound].
	Delay time.Duration
	// Stay is how long a process stays in a critical section at most; if zero, until it is told to leave.
	Stay time.Duration
	// Params describes the parameters, and Configure returns the same variant with those set that are
	// given. Both are nil where there are none.
	Params    params.Table
	Configure func(*params.Given) (*Algorithm, error)

	// Message counts when every process starts, announcement included. Worst holds whichever processes start,
	// unless the algorithm is LongLived.
	Best, Mean, Worst cost.Bound

	// New makes the Node of one process. If the Node, or a machine in it, has a method Check() error, a service
	// cannot run a process for which that returns an error: a parameter is missing without which no election
	// ends.
	New func(Setup) Node
}

// Setup is what a process knows of itself when its Node is made. What it knows of others it asks
// of the Env.
type Setup struct {
	Self  Rank
	Ports int
	Size  int // how many processes there are, where the algorithm KnowsSize; else zero

	Parent Port // the link towards the root, on a rooted tree
	Root   bool // this process is the root: it has no Parent

	turned bool // the Node sees Ranks in the opposite order; see Algorithm.Smallest
}

// Title returns the name, and the variant where there is one: lcr/max.
func (a *Algorithm) Title() string {
	if a.Variant == "" {
		return a.Name
	}
	return a.Name + "/" + a.Variant
}

// Wins names the process that is elected, or those that are, for people.
func (a *Algorithm) Wins() string {
	switch {
	case a.Leaderless:
		return "none"
	case a.Groups:
		return "one a group"
	case a.Winner == nil:
		return "any"
	}
	return a.Winner.String()
}

// DelayBound returns the longest that messages may take, zero where any delay will do. It is Delay, but with
// Leases zero: slow messages put an election off, and never let two lead.
func (a *Algorithm) DelayBound() time.Duration {
	if a.Leases {
		return 0
	}
	return a.Delay
}

// Check returns an error that wraps [ErrInput] if the description lacks what every driver needs.
func (a *Algorithm) Check() error {
	shapes := []Shape{Ring, Complete, Tree, Graph, Hypercube, Mesh}
	switch {
	case a == nil:
		return input.Errorf("algorithm: none is given")
	case a.Name == "":
		return input.Errorf("algorithm: it has no Name")
	case a.New == nil:
		return input.Errorf("algorithm: %s has no New", a.Title())
	case !slices.Contains(shapes, a.Topology):
		return input.Errorf("algorithm: the Topology of %s is %.60q, not one of %v", a.Title(), a.Topology,
			shapes)
	case a.Winner != nil && a.Winner.Name == "":
		return input.Errorf("algorithm: the Winner of %s has no Name", a.Title())
	case a.Winner != nil && a.Winner.Of == nil:
		return input.Errorf("algorithm: the Winner of %s, %.60q, has no Of", a.Title(), a.Winner)
	case a.Winner != nil && a.Leaderless:
		return input.Errorf("algorithm: %s is Leaderless, and has a Winner, the %s", a.Title(), a.Winner)
	case !a.Faults.Crash && (a.Faults.Recover || a.Faults.Restart || a.Faults.Reported || a.Faults.Returns ||
		a.Faults.Nudged):
		return input.Errorf("algorithm: the Faults of %s say what follows a crash, but Crash is false",
			a.Title())
	case a.Leases && !a.LongLived:
		return input.Errorf("algorithm: %s has Leases, but is not LongLived: it has to number them itself",
			a.Title())
	case a.Groups && !a.LongLived:
		return input.Errorf("algorithm: %s has Groups, but is not LongLived: it has to number them itself",
			a.Title())
	case a.Groups && a.Winner != nil:
		return input.Errorf("algorithm: %s has Groups, each with a leader, and a Winner, the %s", a.Title(),
			a.Winner)
	// Kinds are numbered from 1 in one byte; zero is CatchUp.
	case len(a.Kinds) > 255:
		return input.Errorf("algorithm: %s has %d Kinds", a.Title(), len(a.Kinds))
	}
	return nil
}

// NewNode makes the Node of one process as a driver holds it. oneWay says that the links cannot be
// answered.
func (a *Algorithm) NewNode(s Setup, oneWay bool) TermKeeper {
	return newTermKeeper(a.New(s), termOptions{longLived: a.LongLived, single: a.SingleInitiator,
		oneWay: oneWay})
}

// KindName returns the name of a kind of message.
func (a *Algorithm) KindName(kind uint8) string {
	switch {
	case kind == CatchUp:
		return "catch_up"
	case int(kind) > len(a.Kinds):
		return fmt.Sprintf("unknown_%d", kind)
	}
	return a.Kinds[kind-1].Name
}

// KindOf describes a kind of message, also one that is none of Kinds. Where the algorithm has a
// SingleInitiator, Value is the initiator, which TermKeeper adds.
func (a *Algorithm) KindOf(kind uint8) Kind {
	k := Kind{Name: a.KindName(kind)}
	if kind != CatchUp && int(kind) <= len(a.Kinds) {
		k = a.Kinds[kind-1]
	}
	if a.SingleInitiator {
		k.Value = "initiator"
	}
	return k
}

// TimerName returns the name of a timer of a machine of the Stack, empty where it has none.
func (a *Algorithm) TimerName(layer, timer uint8) string {
	if int(layer) >= len(a.Timers) || int(timer) >= len(a.Timers[layer]) {
		return ""
	}
	return a.Timers[layer][timer]
}

// Shape is the kind of topology that an algorithm needs.
type Shape string

// The shapes.
const (
	Ring      Shape = "ring"
	Complete  Shape = "complete"
	Tree      Shape = "tree"
	Graph     Shape = "graph"
	Hypercube Shape = "hypercube"
	Mesh      Shape = "mesh"
)

// LateStart says what becomes of a Start at a process that has already relayed messages.
type LateStart string

// What may become of it.
const (
	LateIgnored LateStart = "ignored" // the process already takes part
	LateJoins   LateStart = "joins"   // the process competes as well
	LateRefused LateStart = "refused" // it would be wrong: Refuse(ErrLateStart)
)
