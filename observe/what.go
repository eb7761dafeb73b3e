package observe

import (
	"fmt"
	"slices"

	"github.com/go-election/election"
)

// What says what happens to a process, or what a process does: in an [Occurrence], in an event of a trace
// and in a step of a scenario.
type What uint8

// What a Node takes; the number is that of the [election.Op].
const (
	Init    = What(election.Init)
	Rejoin  = What(election.Rejoin)
	Start   = What(election.Start)
	Deliver = What(election.Recv) // a message comes in over Port
	Timeout = What(election.Timeout)
	Suspect = What(election.Suspect)
	Trust   = What(election.Trust)
	Joined  = What(election.Joined)
	Left    = What(election.Left)
	Command = What(election.Command)
	Reelect = What(election.Reelect)
)

// What a driver does to a process, or to a message.
const (
	// Step stands in an Occurrence for any of those that a Node takes; its Event says which.
	Step What = iota + 1<<5

	Crash     // the process is down, with all its timers
	Pause     // it handles nothing until Resume
	Resume    //
	Recover   // it comes back without its state; Init and Rejoin follow
	Restart   // it comes back with the state that it saved last; Init and Rejoin follow
	Lose      // a message is lost on its way, or comes to a process that is down
	Duplicate // a copy of a message is on its way too
	Cut       // from now on what the process sends over a port is lost
	Heal      // that no longer holds
	Delay     // a message on its way arrives later than it would, or sooner; of its sender
)

// What a process does in a step.
const (
	Choose What = iota + 1<<6 // it draws one of several choices
	Save
	Send
	Set     // a timer
	Stop    // a timer
	StopAll // the timers of a layer
	Raise   // an event for what runs the process
	Refuse  // a start
	Decide
	Done // it knows that the election has ended
)

var names = [...]string{
	Init: "init", Rejoin: "rejoin", Start: "start", Deliver: "deliver", Timeout: "timeout",
	Suspect: "suspect",
	Trust:   "trust", Joined: "joined", Left: "left", Command: "command", Reelect: "reelect",
	Step: "step", Crash: "crash", Pause: "pause", Resume: "resume", Recover: "recover", Restart: "restart",
	Lose: "lose", Duplicate: "duplicate", Cut: "cut", Heal: "heal", Delay: "delay",
	Choose: "choose", Save: "save", Send: "send", Set: "set", Stop: "stop", StopAll: "stop_all",
	Raise: "raise", Refuse: "refuse", Decide: "decide", Done: "done",
}

// String returns the name, as "crash".
func (w What) String() string {
	if int(w) < len(names) && names[w] != "" {
		return names[w]
	}
	return fmt.Sprintf("what(%d)", uint8(w))
}

// Parse returns the What of a name.
func Parse(name string) (What, bool) {
	i := slices.Index(names[:], name)
	// The name at index zero is empty, and is no event.
	return What(max(i, 0)), i > 0
}

// Effect reports whether a process does this in a step.
func (w What) Effect() bool { return w >= Choose }

// Op returns what a Node takes, or zero if this is nothing that a Node takes.
func (w What) Op() election.Op {
	// Below Step the numbers are those of election.Op, with gaps for Ops that no driver reports.
	if w < Step && int(w) < len(names) && names[w] != "" {
		return election.Op(w)
	}
	return 0
}
