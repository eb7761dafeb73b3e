// Package trace keeps the log of a run: every event of every process, whichever driver ran it. A [Recorder]
// records it, as the observer of sim, local or process. [Replay] gives the events to the Nodes again and finds
// the first difference, [Diff] compares two traces, and [Merge] joins traces that single processes have written.
//
// A trace is a file of lines, each a JSON object. The first, the [Header], describes what was run. Each
// other line is one [Event] of one process: something that happened to it, or something that it did
// then. The events of a process are numbered from 1, and what it did directly follows what
// happened to it. A receipt names the event that was its sending. So the lines hold the causal
// order: the order of each process, and from sending to receipt. Lines of different processes are in one of the
// orders that this allows: in a simulation by time, among goroutines as it happened. Only the causal order counts when traces are compared.
//
//	{"trace":1,"driver":"sim","scenario":{"algorithm":"lcr","variant":"participant","ids":[2,1]},...}
//	{"process":2,"seq":1,"at":0,"do":"init"}
//	{"process":2,"seq":2,"at":0,"do":"start"}
//	{"process":2,"seq":3,"at":0,"do":"send","peer":1,"port":0,"message":{"kind":"election","term":1,"id":2}}
//	{"process":1,"seq":4,"at":1,"do":"receive","from":[2,3],"peer":2,"port":1,"message":{...}}
//
// Times are in units, exactly; numbers above 2^53 are texts. Of a message, fields that are zero are
// left out.
//
// From a trace a picture can be made: [WriteSVG] draws processes as lines and messages as arrows,
// [WriteMermaid] writes a sequence diagram, and [WriteLog] writes the same in words.
package trace

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Version is the version of the format.
const Version = 1

// Trace is the log of a run.
type Trace struct {
	Header Header
	Events []Event // Events[i] stands on line i+2
}

// Line returns on which line of the file an event stands.
func Line(i int) int { return i + 2 }

// Header describes what was run, so that it can be run again.
type Header struct {
	Driver string // "sim", "local", or what else it was

	// Scenario holds the algorithm, the processes and the parameters, and if they are known the
	// seed, the schedule and what was to go wrong. Its Topology is nil: see Links.
	Scenario scenario.Scenario

	Links topology.Topology // how the processes are joined, port by port
	Kinds []string          // the names of the kinds of messages, from kind 1
	Joins []string          // those whose messages make a link one of the tree; see election.Kind
	Names []Names           // of the fields of messages, from kind 1; nil if no field has one
	// the commands that a program may give to its process, from kind 1; nil if there are none
	Commands []election.CommandKind
	// the names of the timers, by the machine of a stack and the number; nil if none is named
	Timers [][]string
	Delay  time.Duration // the longest that the algorithm reckons with; zero if there is no bound
}

// Names are the names of the fields of one kind of messages; see [election.Kind].
type Names struct {
	ID       string   `json:"id,omitempty"`
	Priority string   `json:"priority,omitempty"`
	Round    string   `json:"round,omitempty"`
	Value    string   `json:"value,omitempty"`
	Flags    string   `json:"flags,omitempty"`
	Marks    []string `json:"marks,omitempty"`
}

// Ref names an event: the process, and its number there. The zero Ref names none.
type Ref struct {
	Process election.ID
	Seq     uint64
}

// Event is one thing that happened to a process, or that it did. Which of the fields below Do have a
// meaning depends on Do; the others are zero.
type Event struct {
	Process election.ID
	Seq     uint64 // from 1, within the process
	At      time.Duration
	Do      observe.What

	From    Ref              // of Receive, Lost, Duplicated, Delayed: the sending; zero if that is not known
	Peer    election.ID      // of Send and Receive
	Port    election.Port    // of Send, Receive, Suspect, Trust, Cut, Heal, Raise
	Message election.Message // of Send, Receive, Command, Raise
	Timer   uint8            // of Timeout, Set, Stop, Raise
	Layer   uint8            // of Timeout, Set, Stop, StopAll, Raise: the machine of a stack
	Min     time.Duration    // of Set
	Max     time.Duration    // of Set
	Op      string           // of Raise
	Outcome election.Outcome // of Decide
	Error   string           // of Refuse
	Of      int              // of Choose
	Chosen  int              // of Choose
	State   string           // of Restart, byte for byte
}

// Ref returns the name of the event.
func (e *Event) Ref() Ref { return Ref{e.Process, e.Seq} }
