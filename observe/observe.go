// Package observe is the vocabulary in which drivers report a run: what happened to a process, in
// which step, with which effects, and how many messages of each kind it sent. Package
// [github.com/go-election/election/lab/trace] makes a log of it.
package observe

import (
	"github.com/go-election/election"
	"time"
)

// Observer is told by a driver of all that happens to its processes, as it happens. It is for
// people and tools that want to see a run; package trace makes a log of it. It may keep nothing of
// what it is given, and changes nothing. Drivers tell it of a message's sending before they tell of its
// arrival. A driver without one pays a comparison a message.
type Observer func(*Occurrence)

// Happening says what an [Occurrence] is.
type Happening uint8

// What can happen to a process.
const (
	// Stepped: the process took Event, and wanted Effects.
	Stepped Happening = iota + 1
	// MessageLost: a message of the process was lost on its way, or it came to the process, which
	// was down. Event tells which, if it has no number.
	MessageLost
	// MessageDuplicated: a message of the process will arrive once more.
	MessageDuplicated
	// Crashed: the process is down, with all its timers.
	Crashed
	// Paused: the process handles nothing, until Resumed.
	Paused
	Resumed
	// Recovered: the process comes back without its state. Init and Rejoin follow.
	Recovered
	// Restarted: the process comes back with State. Init follows.
	Restarted
)

// Occurrence is one thing that happened to one process.
type Occurrence struct {
	What    Happening
	Process election.ID
	At      time.Duration

	Event   *election.Event   // of Stepped
	Effects *election.Effects // of Stepped
	Choices []Choice          // of Stepped: what [Env.Choose] has returned, in this order
	State   []byte            // of Restarted

	// Message is the number of the message that was received, lost or duplicated, and First that of
	// the first message of Effects; those after it have the numbers that follow. Drivers whose
	// messages leave the program give none: both are zero.
	Message, First uint64
}

// Choice is what [Env.Choose] has returned: Chosen, from 0 to Of-1.
type Choice struct{ Of, Chosen int }
