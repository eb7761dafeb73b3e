package election

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-election/election/cost"
)

// ID names a process. No process has the ID zero.
type ID uint64

// Rank is what elections compare: the priority first (capacity, authority, weight; zero where
// none is given), ties by ID. A process recognises its own messages by ID and orders others by
// Rank; its Priority is frozen while an election runs.
type Rank struct {
	Priority uint64
	ID       ID
}

// Compare returns -1, 0 or +1 as r is smaller than, equal to or larger than o.
func (r Rank) Compare(o Rank) int {
	return cmp.Or(cmp.Compare(r.Priority, o.Priority), cmp.Compare(r.ID, o.ID))
}

// Less reports whether r is smaller than o.
func (r Rank) Less(o Rank) bool {
	// Not by Compare, which computes both comparisons: this is in the loop of every election.
	return r.Priority < o.Priority || r.Priority == o.Priority && r.ID < o.ID
}

// String returns the ID, and the priority where there is one; the priority alone of a Rank that is no
// process's.
func (r Rank) String() string {
	switch {
	case r.Priority == 0:
		return fmt.Sprint(uint64(r.ID))
	case r.ID == 0:
		return fmt.Sprintf("priority %d", r.Priority)
	}
	return fmt.Sprintf("%d(priority %d)", uint64(r.ID), r.Priority)
}

// Port is a link as one process sees it, counted from zero. The topology says where it leads; on
// rings port [Clockwise] leads to the next process and port [Counterclockwise] to the one before.
type Port uint32

// The two ports of a process on a ring.
const (
	Clockwise        Port = 0
	Counterclockwise Port = 1
)

// NoPort is no port of any process.
const NoPort = ^Port(0)

// Message is all that travels between Nodes. It has a fixed size and no pointers, so that it can
// be compared, hashed, queued by value, and laid on the wire by one codec for every algorithm.
type Message struct {
	Term  uint64 // the election it belongs to
	Rank  Rank   // the candidate or leader it is about
	Value uint64 // hops, clock, path, originator: the algorithm's package says
	Round uint32 // phase or level
	Kind  uint8  // one of the algorithm's kinds, from 1; zero is [CatchUp], the contract's own
	Flags uint8  // the algorithm's package says
	Layer uint8  // which machine of a [Stack]; zero where there is only one
}

// CatchUp is the kind of message that a process sends to another one that is behind: it carries
// the current Term and nothing else. [TermKeeper] sends and reads it; no algorithm sees it.
const CatchUp uint8 = 0

// Kind describes one kind of message.
type Kind struct {
	Name      string
	Announces bool // part of the announcement, not of the election proper
	Names     bool // Value is the ID of a process
	// Round, Value and Flags are what the algorithm calls the fields of such a message, as "phase" and
	// "hops"; empty if it does not use them. "nanoseconds" is a length of time, which logs say in units, and
	// two names with a slash between them are of two sets of links, of which the first is in the upper half.
	Round, Value, Flags string
	// Marks are the names of single bits of Flags, from the lowest, empty for a bit without one. Flags names
	// the number in the other bits.
	Marks []string
	// Weighs: the message is about a link. Rank.Priority is its weight, Rank.ID and Value are its ends, the
	// smaller ID first; all are zero if it is about none.
	Weighs bool
	// Joins: the link over which it goes belongs to the tree that the algorithm makes of some of the links.
	Joins bool
	// Bits returns how many bits such a message carries, kind and Term aside.
	Bits func(w cost.Widths) uint64
}

// Op says what an [Event] is. All Ops arise locally: no peer can forge one. A Node ignores Ops
// that it does not know, so that new ones break no algorithm.
type Op uint8

// What can happen to a Node.
const (
	// Init is the first event, always, also after a restart. Nothing is delivered before it. Where the
	// algorithm has Leases, Event.Msg holds the incarnation (Value), a number that no other Init of this
	// process has had, and a number (Term) that the Terms to come should exceed.
	Init Op = iota + 1
	// Rejoin follows Init where the process has come back after a crash, or joins a system that
	// already runs. A Node that must not wait for others to speak (bully) acts on it.
	Rejoin
	// Start asks the Node to begin an election. It may come late, again, or never: those that
	// do not start still receive.
	Start
	// Recv delivers Event.Msg, which came in over Event.Port.
	Recv
	// Timeout says that the timer Event.Timer has run out.
	Timeout
	// Suspect: a failure detector believes that the process behind Event.Port has crashed. Trust: that it is
	// up again.
	Suspect
	Trust
	// Joined and Left: the process behind Event.Port has come, or gone, on purpose. Nodes that heed Trust and
	// Suspect treat Joined as Trust and Left as Suspect.
	Joined
	Left
	// Command carries a request of the package's own in Event.Msg (acquire, release, ...).
	Command
	// Decided informs the machines above, in a [Stack], that one below has decided: Event.Msg
	// holds the Term and the leader's Rank.
	Decided
	// Reelect asks for an election in place of the one under way, which is given up: the way out
	// where a message was lost or a process has crashed and an election does not end. TermKeeper
	// turns it into a Start in the next Term. Every process needs it, or the one of the largest Term.
	Reelect
	// Entered and Exited are raised for what runs the process: it has entered a critical section,
	// or left it. Event.Msg holds the section (Flags), the fencing token (Value) and the number of
	// the request (Round).
	Entered
	Exited
)

var opNames = [...]string{
	Init: "init", Rejoin: "rejoin", Start: "start", Reelect: "reelect", Recv: "recv", Timeout: "timeout",
	Suspect: "suspect",
	Trust:   "trust", Joined: "joined", Left: "left", Command: "command", Decided: "decided",
	Entered: "entered", Exited: "exited",
}

// String returns the Op's name in lower case.
func (o Op) String() string {
	if int(o) < len(opNames) && opNames[o] != "" {
		return opNames[o]
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// Event is one thing that happens to a Node.
type Event struct {
	At    time.Duration // local monotonic time: virtual in a simulation, zero where time is not modelled
	Msg   Message       // of a Recv, a Command or a Decided
	Port  Port          // of a Recv, Suspect, Trust, Joined or Left
	Op    Op
	Timer uint8 // of a Timeout
	Layer uint8 // of a Timeout: the machine of a Stack that set the timer
}

// Role is what a process is once it has decided.
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
	// Until is when the leadership of this process ends unless it is renewed, by the clock that Event.At
	// shows; zero if it has no such end. From then on the process does not lead, whether or not it has
	// stepped since: compare with the clock, and wait for no event. Of a Follower it is zero.
	Until time.Duration
}

// LeadsAt reports whether the process leads at a time of its own clock.
func (o Outcome) LeadsAt(now time.Duration) bool {
	return o.Role == Leader && (o.Until == 0 || now < o.Until)
}

// Same reports whether two Outcomes say the same, perhaps one of them for longer: a renewal is no change.
func (o Outcome) Same(p Outcome) bool {
	o.Until = p.Until
	return o == p
}

// Before reports whether o counts less than p: it is of an earlier Term, or in the same Term of a smaller
// leader. What a leader does should carry its Outcome, and whatever it acts on refuse one that is Before the
// last that it has accepted: that is fencing. It rests on what processes save: if all lose their state, Terms
// begin again, and each leader is refused. An Outcome does not say which order of Ranks its algorithm
// has: also under [Algorithm.Smallest] the larger of two leaders in one Term counts more.
func (o Outcome) Before(p Outcome) bool {
	return o.Term < p.Term || o.Term == p.Term && o.Leader.Less(p.Leader)
}
