package lease

import (
	"math"
	"time"

	"github.com/go-election/election"
)

// Prefer returns the command that gives this process a priority. If several candidates are ready to claim, the
// one with the largest priority goes first, whatever its Rank. Processes without a priority are ordered by
// Rank, so give a priority to all processes or to none. Priorities affect when a candidate claims, never
// whether a voter grants.
func Prefer(priority uint64) election.Message {
	return election.Message{Kind: commandPrefer, Value: min(priority, math.MaxUint64-1) + 1}
}

// Standing returns the priority of a voter that is a candidate, from its GRANTED message, whose Kind is
// numbered as in the descriptor. ok is false if the voter is not a candidate, or has no priority.
func Standing(m *election.Message) (priority uint64, ok bool) {
	if m.Kind != kindGranted || m.Flags&flagStands == 0 || m.Rank.Priority == 0 {
		return 0, false
	}
	return m.Rank.Priority - 1, true
}

// Prefers reports whether a candidate has a priority, from its PROBE or GRANTED message. ok is false if the
// message does not contain this.
func Prefers(m *election.Message) (has, ok bool) {
	ok = m.Kind == kindProbe || m.Kind == kindGranted && m.Flags&flagStands != 0
	return ok && m.Rank.Priority != 0, ok
}

// holdDelays is the number of Delays for which a candidate with a priority waits for answers beyond a majority.
// yieldDelays is the number of further Delays for which it lets another candidate go first: in this time the
// other receives the PROBE, waits for answers in its turn, and its CLAIM arrives.
const (
	holdDelays  = 2
	yieldDelays = 4
)

// compares reports whether a candidate with a priority postpones its claim although a majority would grant it:
// an answer of a candidate that goes first may still arrive, or has arrived.
func (n *process) compares(e *election.Env, now time.Duration) bool {
	if n.priority == 0 {
		return false
	}
	if now < n.hold && n.voting.among(&n.yes)+n.voting.among(&n.no)+n.voting.among(&n.down) < n.voting.others() {
		return true
	}
	n.hold = 0
	// Yield only once per vacancy: the other candidate may crash, or not reach a majority.
	if !n.outranked || n.yielded {
		return false
	}
	n.yielded, n.phase, n.again = true, waiting, 0
	wait := yieldDelays*n.config.Delay + time.Duration(n.larger(e))*n.config.Stagger
	e.SetTimer(timerTurn, wait, wait+n.config.Delay)
	return true
}

// precedes reports whether this candidate goes before the sender of a PROBE: its turn is then now.
func (n *process) precedes(m *election.Message) bool {
	return n.phase == waiting && !n.yielded && m.Rank.Priority < n.priority
}

// candidacy returns, for answers, the priority of this process if it would claim itself, or zero.
func (n *process) candidacy() uint64 {
	if !n.stands || n.rest+n.resigned > 0 || !n.voting.hasSelf() {
		return 0
	}
	return n.priority
}

// Lent returns the owner of a voter's live grant and the remaining duration, from the voter's answer to a PROBE
// or CLAIM. The owner is zero if no grant is live. ok is false for other messages.
func Lent(m *election.Message) (owner election.ID, left time.Duration, ok bool) {
	switch m.Kind {
	case kindFree:
		return 0, 0, true
	case kindHeld, kindRefused:
		return m.Rank.ID, time.Duration(m.Value & math.MaxInt64), true
	}
	return 0, 0, false
}
