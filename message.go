package election

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-election/election/cost"
)

// ID identifies a process. No process has the ID zero.
type ID uint64

// Rank is what elections compare: first the priority (such as capacity or authority; zero if none is given),
// then the ID. A process recognizes its own messages by ID and orders other messages by Rank. Its Priority does
// not change during an election.
type Rank struct {
	Priority uint64
	ID       ID
}

// Compare returns -1, 0 or +1 if r is smaller than, equal to or larger than o.
func (r Rank) Compare(o Rank) int {
	return cmp.Or(cmp.Compare(r.Priority, o.Priority), cmp.Compare(r.ID, o.ID))
}

// Less reports whether r is smaller than o.
func (r Rank) Less(o Rank) bool {
	// Do not use Compare, which evaluates both comparisons: this is in the innermost loop of every election.
	return r.Priority < o.Priority || r.Priority == o.Priority && r.ID < o.ID
}

// String returns the ID and the priority, if there is one. For a Rank without an ID it returns the priority
// alone.
func (r Rank) String() string {
	switch {
	case r.Priority == 0:
		return fmt.Sprint(uint64(r.ID))
	case r.ID == 0:
		return fmt.Sprintf("priority %d", r.Priority)
	}
	return fmt.Sprintf("%d(priority %d)", uint64(r.ID), r.Priority)
}

// Port is a process's own number for one of its links, starting at zero. The topology determines the other end:
// on rings, port [Clockwise] leads to the next process and port [Counterclockwise] to the previous one.
type Port uint32

// The two ports of a process on a ring.
const (
	Clockwise        Port = 0
	Counterclockwise Port = 1
)

// NoPort is not a port of any process.
const NoPort = ^Port(0)

// Message is the only thing that Nodes send to each other. It has a fixed size and no pointers, so that it can
// be compared, hashed and queued by value, and one codec can encode it for every algorithm.
type Message struct {
	Term  uint64 // the election it belongs to
	Rank  Rank   // the candidate or leader it is about
	Value uint64 // hops, clock, path, originator: see the algorithm's package
	Round uint32 // phase or level
	Kind  uint8  // one of the algorithm's kinds, from 1; zero is [CatchUp]
	Flags uint8  // see the algorithm's package
	Layer uint8  // machine of a [Stack]; zero if there is only one
}

// CatchUp is the kind of the message that a process sends to another process that is behind. It carries only
// the current Term. [TermKeeper] sends and handles it; algorithms never see it.
const CatchUp uint8 = 0

// Kind describes one kind of message.
type Kind struct {
	Name      string
	Announces bool // part of the announcement rather than the election proper
	Names     bool // Value is the ID of a process
	// Round, Value and Flags are the algorithm's names for these fields in messages of this kind, such as
	// "phase" and "hops"; empty if unused. A field named "nanoseconds" or "milliseconds" is a duration, which logs
	// print with a unit. A field named "label" is the label of a set of voters: a Term times 1024 and the number of a step, or, if
	// its highest bit is set, a wish. Two names separated by a slash are two sets of links, the first of which is in
	// the upper half. Two names separated by a comma are two numbers of 32 bits, likewise.
	Round, Value, Flags string
	// ID and Priority are names for the parts of Rank, if they are not the ID and the priority of a process. A part
	// named "hash" tells people nothing.
	ID, Priority string
	// Marks are the names of single bits of Flags, from the lowest; empty for a bit without a name. Flags names
	// the number in the other bits.
	Marks []string
	// Weighs means that the message is about a link. Rank.Priority is its weight, Rank.ID and Value are its
	// ends, the smaller ID first; all are zero if the message is about no link.
	Weighs bool
	// Joins means that the link that carries the message belongs to the tree that the algorithm builds.
	Joins bool
	// Bits returns the number of bits that a message of this kind carries, apart from the kind and the Term.
	Bits func(w cost.Widths) uint64
}

// Op is the type of an [Event]. All Ops arise locally: no peer can forge one. A Node ignores unknown Ops, so
// that adding an Op breaks no algorithm.
type Op uint8

// The types of events.
const (
	// Init is always the first event, also after a restart; no other event precedes it. If the algorithm has
	// Leases, Event.Msg.Value is the incarnation, a number that no other Init of this process has had, and
	// Event.Msg.Term is a number that later Terms should exceed.
	Init Op = iota + 1
	// Rejoin follows Init if the process has recovered from a crash, or joins a running system. A Node that
	// must not wait for messages of others (bully) acts on it.
	Rejoin
	// Start asks the Node to start an election. It may come late, repeatedly, or never: processes that do not
	// start still receive.
	Start
	// Recv delivers Event.Msg, which arrived over Event.Port.
	Recv
	// Timeout reports that the timer Event.Timer has fired.
	Timeout
	// Suspect: the process behind Event.Port has left, or a failure detector believes that it has crashed.
	// Trust: it has joined, or is believed to be up again.
	Suspect
	Trust
	// Command carries a request that the package defines in Event.Msg (acquire, release, ...).
	Command
	// Decided tells the machines above in a [Stack] that a machine below has decided: Event.Msg contains the
	// Term and the leader's Rank.
	Decided
	// Reelect abandons the current election and starts another one. Use it if an election does not end because
	// a message was lost or a process has crashed. TermKeeper turns it into a Start in the next Term. Send it
	// to every process, or to the one with the largest Term.
	Reelect
	// Entered and Exited tell the program that runs the process that the process has entered or left a critical
	// section. Event.Msg contains the section (Flags), the fencing token (Value) and the number of the request
	// (Round).
	Entered
	Exited
)

var opNames = [...]string{
	Init: "init", Rejoin: "rejoin", Start: "start", Reelect: "reelect", Recv: "recv", Timeout: "timeout",
	Suspect: "suspect", Trust: "trust", Command: "command", Decided: "decided",
	Entered: "entered", Exited: "exited",
}

// String returns the Op's name in lower case.
func (o Op) String() string {
	if int(o) < len(opNames) && opNames[o] != "" {
		return opNames[o]
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// Event is an input of a Node.
type Event struct {
	At    time.Duration // local monotonic time: virtual in a simulation, zero if time is not modelled
	Msg   Message       // for Recv, Command and Decided
	Port  Port          // for Recv, Suspect and Trust
	Op    Op
	Timer uint8 // for Timeout
	Layer uint8 // for Timeout: the machine of a Stack that set the timer
}

// Role is the role of a process after it has decided.
type Role uint8

// The roles.
const (
	Undecided Role = iota
	Follower
	Leader
)

// String returns the role's name.
func (r Role) String() string {
	switch r {
	case Follower:
		return "follower"
	case Leader:
		return "leader"
	}
	return "undecided"
}

// Outcome is what one process believes: which process leads in which Term, and its own role.
type Outcome struct {
	Term   uint64
	Leader Rank
	Role   Role
	// Until is the time at which the leadership of this process ends unless it is renewed, by the same clock as
	// Event.At; zero if it does not expire. From then on the process does not lead, whether or not it has
	// stepped since: compare Until with the clock instead of waiting for an event. It is zero for a Follower.
	Until time.Duration
}

// LeadsAt reports whether the process leads at the given time of its own clock.
func (o Outcome) LeadsAt(now time.Duration) bool {
	return o.Role == Leader && (o.Until == 0 || now < o.Until)
}

// Same reports whether two Outcomes are equal except for Until: a renewal is not a change.
func (o Outcome) Same(p Outcome) bool {
	o.Until = p.Until
	return o == p
}

// Before reports whether o is older than p: it has a smaller Term, or the same Term and a smaller leader. Use
// it for fencing: a leader attaches its Outcome to every request, and the resource refuses an Outcome that is
// Before the last one it has accepted. Fencing relies on the state that processes save: if all of them lose it,
// Terms start from the beginning and every leader is refused. An Outcome does not know the order of Ranks of
// its algorithm: even with [Algorithm.Smallest], the larger of two leaders in one Term is the later one.
func (o Outcome) Before(p Outcome) bool {
	return o.Term < p.Term || o.Term == p.Term && o.Leader.Less(p.Leader)
}
