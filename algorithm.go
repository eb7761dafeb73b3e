package election

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Algorithm describes one variant of an election algorithm. It contains everything that drivers, the command
// line, the test suites and the documentation need to know about the variant; none of them treats an algorithm
// specially by name.
type Algorithm struct {
	Name    string // its package
	Variant string // empty if the algorithm has only one variant
	Summary string // one line
	Source  string // authors and year

	Topology        Shape      // required topology
	TwoWay          bool       // on one-way rings, also sends against the direction of the links
	Knows           Knowledge  // what processes know about the network from the beginning
	NeedsFIFO       bool       // incorrect unless links deliver in order
	Elects          Leadership // what elections yield, and who numbers them; by default one leader
	Winner          *Winner    // rule for the process that must win; nil: any process may win
	LateStart       LateStart  // effect of a Start after the process has relayed messages
	StartSuspects   bool       // a Start reports that the leader has crashed: never send it while the leader is up
	SingleInitiator bool       // one initiator per election; TermKeeper uses Message.Value
	RelaysAfterEnd  bool       // a process may have to relay messages after it knows that the election has ended
	NeverQuiesces   bool       // no run comes to rest: a leader sends heartbeats, a token circulates
	Heartbeats      bool       // processes detect a crashed leader themselves, without a failure detector
	Sections        int        // number of critical sections; a Start requests entry to the first
	Below           uint8      // number of machines in the Stack below the election, such as failure detectors
	Faults          Faults     // failures that the algorithm tolerates
	// Store means that the process with the smallest ID is a store: it never leads, and ignores a Start. If it crashes,
	// it must restart with the state it saved last; until then nothing is promised.
	Store bool
	// Synchronous means that all initiators start at the same instant, and that each message takes the Delay
	// (or less, if all processes start). Package synchronizer runs such an algorithm under arbitrary delays.
	Synchronous bool

	Kinds []Kind // Kinds[k-1] describes the messages of kind k
	// Commands[k-1] describes the Command of kind k. Only commands that need nothing but a list have a name.
	Commands []CommandKind
	// Timers[l][t] is the name of timer t of machine l of the Stack, such as "the wait for answers". A Node
	// that is not a Stack is machine 0.
	Timers [][]string

	// Delay is the largest message delay for which the time-outs are correct. It is zero if there are no
	// time-outs or if no bound is assumed. With leases it is the typical delay. Drivers that know the real
	// delays compare them with [Algorithm.DelayBound].
	Delay time.Duration
	// Stay is the longest time that a process stays in a critical section. If zero, it stays until it is told
	// to leave.
	Stay time.Duration
	// Params describes the parameters. Configure returns the same variant with the given parameters set. Both
	// are nil if the variant has no parameters.
	Params    params.Table
	Configure func(*params.Given) (*Algorithm, error)

	// Best, Mean and Worst are message counts when every process starts, including the announcement. Worst
	// holds for any set of initiators, unless the algorithm is long-lived.
	Best, Mean, Worst cost.Bound

	// Names returns the process that a message is about, or zero. A driver may give a process that it does not
	// know a port before the Node handles the message, so Env.Ports may grow between two steps. If nil, the ports
	// of a process never change.
	Names func(*Message) ID

	// New returns the Node of one process. If the Node, or a machine in it, has a method Check() error that
	// returns an error, a service cannot run the process: it lacks a parameter without which no election ends.
	New func(Setup) Node
}

// Setup is what a process knows about itself when its Node is made. The Node asks the Env about other
// processes.
type Setup struct {
	Self  Rank
	Ports int
	Size  int // number of processes if the algorithm knows NetworkSize, else zero

	Parent Port // link towards the root of a rooted tree
	Root   bool // this process is the root and has no Parent

	turned bool // the Node sees Ranks in reverse order; see Algorithm.Smallest
}

// Title returns the name followed by the variant, if any: lcr/max.
func (a *Algorithm) Title() string {
	if a.Variant == "" {
		return a.Name
	}
	return a.Name + "/" + a.Variant
}

// LongLived reports whether the Node numbers elections itself. A TermKeeper passes events through to it, and one
// run contains many elections. Otherwise the Node knows a single election, and the TermKeeper resets it for each.
func (a *Algorithm) LongLived() bool { return a.Elects != OneLeader }

// Wins returns a description of the processes that are elected, for people.
func (a *Algorithm) Wins() string {
	switch {
	case a.Elects == NoLeader:
		return "none"
	case a.Elects == GroupLeaders:
		return "one per group"
	case a.Winner == nil:
		return "any"
	}
	return a.Winner.String()
}

// DelayBound returns the largest message delay that the algorithm tolerates, or zero if it tolerates any delay.
// It returns Delay, except that it returns zero with leases: slow messages postpone an election with leases but
// never cause two leaders.
func (a *Algorithm) DelayBound() time.Duration {
	if a.Elects == LeaseHolders {
		return 0
	}
	return a.Delay
}

// Check returns an error that wraps [ErrInput] if the description is incomplete.
func (a *Algorithm) Check() error {
	shapes := []Shape{Ring, Complete, Tree, Graph, Hypercube, Mesh}
	switch {
	case a == nil:
		return input.Errorf("algorithm: missing")
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
	case a.Winner != nil && (a.Elects == NoLeader || a.Elects == GroupLeaders):
		return input.Errorf("algorithm: %s elects no single leader, and has a Winner, the %s", a.Title(), a.Winner)
	case a.Faults.Crash == NoCrash && (a.Faults.Reported || a.Faults.Nudged):
		return input.Errorf("algorithm: the Faults of %s say what follows a crash, but Crash is NoCrash",
			a.Title())
	// Message.Kind is one byte, and zero is CatchUp.
	case len(a.Kinds) > 255:
		return input.Errorf("algorithm: %s has %d Kinds", a.Title(), len(a.Kinds))
	}
	return nil
}

// CommandKind describes the commands of one kind, which a program gives to its process.
type CommandKind struct {
	Name string `json:"name,omitempty"`
	// Listed means that the command names a list of processes: it is given once for each, with the process as
	// Rank.ID, its place in the list as Value, from zero, and the length of the list as Round.
	Listed bool `json:"listed,omitempty"`
	// Wish means that the list is of the voters that the program wants. The command follows Init. An algorithm
	// without such a command has voters that never change.
	Wish bool `json:"wish,omitempty"`
}

// CommandsOf returns the messages that give a command to a process. The list is for commands that are Listed.
func (a *Algorithm) CommandsOf(name string, list []ID) (all []Message) {
	k := slices.IndexFunc(a.Commands, func(c CommandKind) bool { return c.Name == name })
	if k < 0 {
		return nil
	}
	if !a.Commands[k].Listed {
		return []Message{{Kind: uint8(k + 1)}}
	}
	for i, id := range list {
		all = append(all, Message{Kind: uint8(k + 1), Rank: Rank{ID: id}, Value: uint64(i),
			Round: uint32(len(list))})
	}
	return all
}

// NewNode returns the Node of one process, wrapped in a TermKeeper. If oneWay is set, messages cannot be
// answered over the link they arrive on.
func (a *Algorithm) NewNode(s Setup, oneWay bool) TermKeeper {
	return newTermKeeper(a.New(s), termOptions{longLived: a.LongLived(), single: a.SingleInitiator,
		oneWay: oneWay})
}

// KindName returns the name of a message kind.
func (a *Algorithm) KindName(kind uint8) string {
	switch {
	case kind == CatchUp:
		return "catch_up"
	case int(kind) > len(a.Kinds):
		return fmt.Sprintf("unknown_%d", kind)
	}
	return a.Kinds[kind-1].Name
}

// KindOf returns the description of a message kind, even if it is not in Kinds. If the algorithm has a
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

// TimerName returns the name of a timer of a machine of the Stack, or the empty string if it has none.
func (a *Algorithm) TimerName(layer, timer uint8) string {
	if int(layer) >= len(a.Timers) || int(timer) >= len(a.Timers[layer]) {
		return ""
	}
	return a.Timers[layer][timer]
}

// Shape is the kind of topology that an algorithm needs.
type Shape string

// The possible topologies.
const (
	Ring      Shape = "ring"
	Complete  Shape = "complete"
	Tree      Shape = "tree"
	Graph     Shape = "graph"
	Hypercube Shape = "hypercube"
	Mesh      Shape = "mesh"
)

// Knowledge is what processes know about the network in addition to their own ports. On a complete graph, every
// process also knows the process behind each port.
type Knowledge uint8

// The possible knowledge.
const (
	OwnPorts    Knowledge = iota // nothing else
	RootPort                     // the tree has a root, and every process knows the port towards it: Setup.Parent
	LinkWeights                  // neighbours and the weights of links; see View
	NetworkSize                  // the number of processes: Setup.Size
	PortsByID                    // on a complete graph, ports are ordered clockwise by ID unless others are given
	PortsAround                  // on a complete graph, port k leads k+1 processes clockwise
)

// Leadership is what the elections of an algorithm yield. In all cases except OneLeader the Node is long-lived: it
// sets the Terms of messages and Outcomes itself.
type Leadership uint8

// The possible yields.
const (
	// OneLeader means that an election ends with one leader. The Node knows a single election: a TermKeeper adds
	// the Terms and resets the Node for each later election.
	OneLeader Leadership = iota
	// Successors means that one process leads at a time, and that the Node starts the election of the next leader.
	Successors
	// LeaseHolders means that a process leads only until Outcome.Until. No two processes lead at the same time,
	// however the network behaves and however long processes pause, and each new leader has a larger Term than
	// all leaders before it.
	LeaseHolders
	// GroupLeaders means that there may be several leaders. At rest, each process either leads or follows a
	// leader with the same Term; such a set of processes is a group. Leader and Term identify the group and are
	// never used for another one. With Heartbeats, groups look for each other and merge into one once failures
	// stop.
	GroupLeaders
	// NoLeader means that the algorithm elects no leader: it guards critical sections without one.
	NoLeader
)

// LateStart is the effect of a Start on a process that has already relayed messages.
type LateStart string

// The possible effects.
const (
	LateIgnored LateStart = "ignored" // no effect: the process already takes part
	LateJoins   LateStart = "joins"   // the process competes as well
	LateRefused LateStart = "refused" // an error, because a start would break the election: Refuse(ErrLateStart)
)
