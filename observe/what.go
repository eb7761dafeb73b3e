package observe

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
)

// What is the kind of an event at a process or an action of a process, in an [Occurrence], an event of a trace
// or a step of a scenario.
type What uint8

// Events of a Node, with the number of their [election.Op].
const (
	Init    = What(election.Init)
	Rejoin  = What(election.Rejoin)
	Start   = What(election.Start)
	Deliver = What(election.Recv) // a message arrives over Port
	Timeout = What(election.Timeout)
	Suspect = What(election.Suspect)
	Trust   = What(election.Trust)
	Command = What(election.Command)
	Reelect = What(election.Reelect)
)

// Actions of a driver on a process or a message.
const (
	// Step in an Occurrence represents any of the events of a Node; Occurrence.Event contains the event.
	Step What = iota + 1<<5

	Crash     // the process goes down, and its timers stop
	Pause     // the process handles nothing until Resume
	Resume    //
	Recover   // the process recovers without its state; Init and Rejoin follow
	Restart   // the process recovers with the state that it saved last; Init and Rejoin follow
	Lose      // a message is lost in flight, or arrives at a process that is down
	Duplicate // a duplicate of a message is in flight too
	Cut       // from now on, messages that the process sends over a port are lost
	Heal      // ends a Cut
	Delay     // a message in flight arrives later or sooner; reported for its sender
)

// Actions of a process in a step.
const (
	Choose What = iota + 1<<6 // chooses one of several alternatives
	Save
	Send
	Set     // sets a timer
	Stop    // stops a timer
	StopAll // stops all timers of a layer
	Raise   // raises an event for the program that runs the process
	Refuse  // refuses a start
	Decide
	Done // knows that the election has ended
)

var names = [...]string{
	Init: "init", Rejoin: "rejoin", Start: "start", Deliver: "deliver", Timeout: "timeout",
	Suspect: "suspect", Trust: "trust", Command: "command", Reelect: "reelect",
	Step: "step", Crash: "crash", Pause: "pause", Resume: "resume", Recover: "recover", Restart: "restart",
	Lose: "lose", Duplicate: "duplicate", Cut: "cut", Heal: "heal", Delay: "delay",
	Choose: "choose", Save: "save", Send: "send", Set: "set", Stop: "stop", StopAll: "stop_all",
	Raise: "raise", Refuse: "refuse", Decide: "decide", Done: "done",
}

// String returns the name, such as "crash".
func (w What) String() string {
	if int(w) < len(names) && names[w] != "" {
		return names[w]
	}
	return fmt.Sprintf("what(%d)", uint8(w))
}

// Parse returns the What with the given name.
func Parse(name string) (What, bool) {
	i := slices.Index(names[:], name)
	// Index zero is the empty name, which is not an event.
	return What(max(i, 0)), i > 0
}

// Effect reports whether w is an action of a process in a step.
func (w What) Effect() bool { return w >= Choose }

// Op returns the event of a Node, or zero if w is not an event of a Node.
func (w What) Op() election.Op {
	// Below Step the numbers are those of election.Op, with gaps for Ops that no driver reports.
	if w < Step && int(w) < len(names) && names[w] != "" {
		return election.Op(w)
	}
	return 0
}
