package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
)

// Mishaps are what may happen in a run, or what happens in it, that not every algorithm is made for.
type Mishaps struct {
	Unordered bool          // a message arrives before one that was sent earlier over the same link
	Timeless  bool          // a message may take any time
	Delay     time.Duration // how long one takes at most
	Lost      bool          // a message
	Copied    bool          // a message
	Down      int           // how many processes are down at the same time
	Recovered bool          // a process comes back without its state
	Restarted bool          // a process comes back with what it saved last
	Paused    bool          // a process
	Cut       bool          // links between groups of processes
	Early     bool          // a timer runs out before its time
	Misled    bool          // a failure detector suspects a process that is up, or trusts one that is down
	Deposing  bool          // a process starts while a leader is up
	Uneven    bool          // messages take different times, or clocks are wrong
	Apart     bool          // processes start at different times
	Drift     float64       // by how much a clock is wrong
}

// Outside says in words what of m lies outside the model of the algorithm; it is empty where nothing does.
// A promise that is broken then is no mistake of the algorithm.
func (m *Mishaps) Outside(a *election.Algorithm, n int) string {
	needs := m.needs(a)
	var nothing []string
	if m.Lost && !a.Faults.Loss {
		nothing = append(nothing, "messages are lost")
	}
	if m.Copied && !a.Faults.Copies {
		nothing = append(nothing, "messages arrive twice")
	}
	if text := m.wrongProcesses(&a.Faults, n); text != "" {
		nothing = append(nothing, text)
	}
	if m.Paused && !a.Faults.Pause {
		nothing = append(nothing, "processes pause")
	}
	if m.Cut && !a.Faults.Cut {
		nothing = append(nothing, "the network is cut")
	}
	if len(nothing) > 0 {
		needs = append(needs, "promises nothing if "+strings.Join(nothing, ", or "))
	}
	if len(needs) == 0 {
		return ""
	}
	return a.Title() + " " + strings.Join(needs, ", and ")
}

// needs says what the algorithm needs and does not get.
func (m *Mishaps) needs(a *election.Algorithm) (needs []string) {
	if m.Unordered && a.NeedsFIFO {
		needs = append(needs, "needs links that keep messages in order")
	}
	switch {
	case a.Delay > 0 && m.Timeless:
		needs = append(needs, "needs messages that take at most "+InUnits(a.Delay))
	case a.DelayBound() > 0 && m.Delay > a.DelayBound():
		needs = append(needs, fmt.Sprintf("needs messages that take at most %s, here they take up to %s",
			InUnits(a.Delay), InUnits(m.Delay)))
	}
	if m.Early && a.Delay > 0 { // elsewhere no promise rests on a time-out
		needs = append(needs, "needs timers that do not fire early")
	}
	if m.Misled && a.Faults.Reported {
		needs = append(needs, "needs a failure detector that is never wrong")
	}
	if (m.Uneven || m.Apart) && a.Synchronous {
		needs = append(needs, "needs simultaneous starts, exact clocks, and messages that all take "+
			InUnits(a.Delay))
	}
	// The difference of a rate from 1 may be rounded to a little more than the Drift.
	if a.Delay > 0 && !a.Synchronous && m.Drift > a.Faults.Drift+1e-9 {
		text := "needs exact clocks"
		if a.Faults.Drift > 0 {
			text = fmt.Sprintf("needs clocks that are wrong by at most %g %%", 100*a.Faults.Drift)
		}
		needs = append(needs, text)
	}
	if m.Deposing && a.StartSuspects {
		needs = append(needs, "needs starts only while no leader is up")
	}
	return needs
}

// wrongProcesses says which failures of processes the algorithm is not made for, if there are any.
func (m *Mishaps) wrongProcesses(survives *election.Faults, n int) string {
	switch most := survives.MostDown(n); {
	case m.Down == 0:
		return ""
	case survives.Crash == election.NoCrash:
		return "processes crash"
	case m.Recovered && survives.Crash != election.MayRecover:
		return "processes return without their state"
	case m.Restarted && survives.Crash == election.StaysDown:
		return "processes return with the state that they saved last"
	case survives.Down == nil: // any number, again and again
	case m.Down > most && most == n-1:
		return "all processes crash"
	case m.Down > most:
		return fmt.Sprintf("more than %s crash", prose.Plural(most, "process"))
	}
	return ""
}
