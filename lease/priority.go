package lease

import (
	"math"
	"time"

	"github.com/go-election/election"
)

// Prefer is the command to give this process a priority. Of candidates that claim at the same time the one of
// the largest priority goes first, whatever its Rank is. Processes have none until they get one, and
// then go as their Ranks say; so all get one, or none. It decides when to claim, never whether a voter
// grants.
func Prefer(priority uint64) election.Message {
	return election.Message{Kind: commandPrefer, Value: min(priority, math.MaxUint64-1) + 1}
}

// Standing returns the priority of a voter that stands as a candidate, as its GRANTED says. Kind is that of
// GRANTED in the descriptor. ok is false for a voter that does not stand, or has no priority.
func Standing(m *election.Message) (priority uint64, ok bool) {
	if m.Kind != kindGranted || m.Flags&flagStands == 0 || m.Rank.Priority == 0 {
		return 0, false
	}
	return m.Rank.Priority - 1, true
}

// Prefers reports whether a candidate has a priority, as its PROBE or GRANTED says. ok is false for a message
// that does not say so.
func Prefers(m *election.Message) (has, ok bool) {
	ok = m.Kind == kindProbe || m.Kind == kindGranted && m.Flags&flagStands != 0
	return ok && m.Rank.Priority != 0, ok
}

// holdDelays is for how many Delays a candidate with a priority waits for answers beyond a majority, and
// yieldDelays for how many more it lets another one go first: until that has got the PROBE, has held in its
// turn, and its CLAIM has arrived.
const (
	holdDelays  = 2
	yieldDelays = 4
)

// compares reports that a candidate with a priority does not claim yet, although a majority would grant:
// other answers may come from one that goes first, or one has come.
func (n *process) compares(e *election.Env, now time.Duration) bool {
	if n.priority == 0 {
		return false
	}
	if now < n.hold && n.yes.Len()+n.no.Len()+n.down.Len() < e.Ports() {
		return true
	}
	n.hold = 0
	// Only once in a vacancy: the other one may crash, or not reach a majority.
	if !n.outranked || n.yielded {
		return false
	}
	n.yielded, n.phase, n.again = true, waiting, 0
	wait := yieldDelays*n.config.Delay + time.Duration(n.larger(e))*n.config.Stagger
	e.SetTimer(timerTurn, wait, wait+n.config.Delay)
	return true
}

// precedes reports whether a PROBE comes from a candidate that this one goes before: then its turn is now.
func (n *process) precedes(m *election.Message) bool {
	return n.phase == waiting && !n.yielded && m.Rank.Priority < n.priority
}

// candidacy returns the priority of a process that would claim itself, for its answers; zero otherwise.
func (n *process) candidacy() uint64 {
	if !n.stands || n.rest+n.resigned > 0 {
		return 0
	}
	return n.priority
}

// Lent returns the owner of a voter's live grant, and how long that lasts, as the voter's answer to a PROBE or
// CLAIM reports. The owner is zero if no grant is live. ok is false for other messages.
func Lent(m *election.Message) (owner election.ID, left time.Duration, ok bool) {
	switch m.Kind {
	case kindFree:
		return 0, 0, true
	case kindHeld, kindRefused:
		return m.Rank.ID, time.Duration(m.Value & math.MaxInt64), true
	}
	return 0, 0, false
}
