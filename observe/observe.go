// Package observe is the vocabulary in which drivers report a run: what happened to a process, in
// which step, with which effects, and how many messages of each kind it sent. Package
// [github.com/go-election/election/lab/trace] makes a log of it.
package observe

import (
	"time"

	"github.com/go-election/election"
)

// Observer is a function that a driver calls with all that happens to its processes, as it happens, a
// message's sending before its arrival. It must not change or keep what it is given. A driver without
// one pays a comparison a message.
type Observer func(*Occurrence)

// Both returns an observer that reports to first and then to other, which may be nil.
func Both(first, other Observer) Observer {
	if other == nil {
		return first
	}
	return func(o *Occurrence) {
		first(o)
		other(o)
	}
}

// Occurrence is one thing that happened to one process.
type Occurrence struct {
	What    What // Step, or what a driver does
	Process election.ID
	At      time.Duration

	Event   *election.Event   // of Step; of Cut and Heal, which have a Port only
	Effects *election.Effects // of Step
	Choices []Choice          // of Step: what [election.Env.Choose] has returned, in this order
	State   []byte            // of Restart

	// Message is the number of the message that was received, lost or duplicated, and First that of
	// the first message of Effects; those after it have the numbers that follow. Drivers whose
	// messages leave the program give none: both are zero.
	Message, First uint64
}

// Choice is what [election.Env.Choose] has returned: Chosen, from 0 to Of-1.
type Choice struct{ Of, Chosen int }
