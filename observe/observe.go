// Package observe defines how drivers report a run: what happened to a process, in which step, with which
// effects, and how many messages of each kind it sent. Package [github.com/go-election/election/lab/trace]
// writes a log of it.
package observe

import (
	"time"

	"github.com/go-election/election"
)

// Observer is a function that a driver calls with everything that happens to its processes, in order: a message
// is sent before it arrives. It must not modify or retain its argument. A driver without an Observer pays one
// comparison per message.
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

// Occurrence is an event at one process.
type Occurrence struct {
	What    What // Step, or an action of the driver
	Process election.ID
	At      time.Duration

	Event   *election.Event   // for Step; for Cut and Heal, which have only a Port
	Effects *election.Effects // for Step
	Choices []Choice          // for Step: results of [election.Env.Choose], in order
	State   []byte            // for Restart

	// Message is the number of the message that was received, lost or duplicated. First is the number of the
	// first message of Effects; the others have consecutive numbers. Drivers whose messages leave the program
	// do not number them: both are zero.
	Message, First uint64
}

// Choice is a result of [election.Env.Choose]: Chosen, from 0 to Of-1.
type Choice struct{ Of, Chosen int }
