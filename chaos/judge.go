package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/go-election/election/lab/cluster"
)

// Violations, besides the errors of [cluster.Summary.Err].
var (
	errTokens   = errors.New("the register has accepted a write with a smaller token than one before")
	errRegister = errors.New("the register is not linearizable")
	errBroken   = errors.New("a member has seen what may never happen")
	errHung     = errors.New("the group does not become calm")
	errNoClash  = errors.New("an assumption is broken, but no two leases were valid at once")
	errUnsteady = errors.New("the leader has changed, or its work was asked to stop, for no reason")
	errFlapping = errors.New("the leader has changed too often")
	errConfirm  = errors.New("no error from Confirm for a member that had a successor")
	errZombie   = errors.New("a member that reaches no majority has led for longer than a lease")
	errLate     = errors.New("leaders came later than they should, and not because of the machine")
	errCostly   = errors.New("a change of the members costs time without a leader")
	errNoStrike = errors.New("no leader was struck in a change")
	errNoStale  = errors.New("the register was to refuse a late write, but there was none")
)

// judgeLeases checks the records of members: no two leases are valid at the same moment, and Terms grow. The
// comparison is exact, since all processes read the same clock.
func judgeLeases(leases []cluster.Lease) error {
	s := cluster.Summary{Leases: leases}
	return s.Err()
}

// judgeWrites checks the log of the register.
func judgeWrites(log []operation) error {
	largest := uint64(0)
	for _, op := range log {
		if op.Accepted && op.Token < largest {
			return fmt.Errorf("%w: %d after %d", errTokens, op.Token, largest)
		}
		if op.Accepted {
			largest = op.Token
		}
	}
	return nil
}

// judgeChanges checks how often the leader has changed and its work was asked to stop, in a trial that took so long.
func judgeChanges(f *fault, changes int, stops []stop, took, lease time.Duration) error {
	if f.clash {
		return nil
	}
	if f.steady && changes+len(stops) > 0 {
		return fmt.Errorf("%w: %d changes, stops: %v", errUnsteady, changes, stops)
	}
	most := 1 + int(took/lease) // leaders last for at least a lease, unless they resign
	if f.most > 0 {
		most = f.most
	}
	if changes > most {
		return fmt.Errorf("%w: %d times in %v, at most %d are right; stops: %v", errFlapping, changes, took, most, stops)
	}
	return nil
}

// judgeConfirmed checks the calls of Confirm that returned nil: the member led when Confirm was called, at the
// beginning of the span, so no later Term had begun.
func judgeConfirmed(confirmed, leases []cluster.Lease) error {
	for _, c := range confirmed {
		for _, l := range leases {
			if l.Term > c.Term && l.From < c.From {
				return fmt.Errorf("%w: %s in Term %d at %v, %s leads in Term %d from %v", errConfirm,
					c.Member,
					c.Term, c.From, l.Member, l.Term, l.From)
			}
		}
	}
	return nil
}

// judgeLate checks in how many trials a leader came too late. That does not end a cell, but is counted in the table.
// Times.FailOver leaves out the rare case that votes are split twice, so one trial in ten may be late.
func judgeLate(results []*result) (all error) {
	for _, r := range results {
		if late := r.count(func(o outcome) bool { return o.Late }); 10*late > len(r.outcomes) {
			all = errors.Join(all, fmt.Errorf("%s: %w: in %d of %d trials", r, errLate, late,
				len(r.outcomes)))
		}
	}
	return all
}

// judgeCost checks that changes of the members cost no time without a leader: the median is at most a quarter of a
// lease longer than the median of the same restarts without a change, if these were tried as well.
func judgeCost(results []*result, lease time.Duration) (all error) {
	for _, r := range results {
		for _, plain := range results {
			if plain.fault.name != r.fault.like || plain.n != r.n || plain.durable != r.durable ||
				plain.secure != r.secure || len(r.outcomes)*len(plain.outcomes) == 0 {
				continue
			}
			vacant := func(o outcome) int64 { return int64(o.Vacant) }
			own, without := three(r.outcomes, vacant)[1], three(plain.outcomes, vacant)[1]
			if own > without+int64(lease/4) {
				all = errors.Join(all, fmt.Errorf("%s: %w: %v, without a change %v", r, errCostly,
					time.Duration(own), time.Duration(without)))
			}
		}
	}
	return all
}

// isolation is the moment from which a process reaches no majority.
type isolation struct {
	process int
	at      time.Duration
}

// judgeIsolated checks that leases of processes that reach no majority end within a lease. A process that has come
// back leads in another Term.
func judgeIsolated(leases []lease, alone []isolation, length time.Duration) error {
	for _, a := range alone {
		for _, l := range leases {
			if l.process == a.process && l.From < a.at && l.Until > a.at+length {
				return fmt.Errorf("%w: %s in Term %d until %v, alone since %v", errZombie, l.Member, l.Term,
					l.Until, a.at)
			}
		}
	}
	return nil
}

// halt is a leader that was stopped, to continue only after a later leader had written.
type halt struct {
	process int
	term    uint64
	from    time.Duration
	vain    int // how many members were stopped before, and did not lead any more
}

// judgeStale checks that the last write of a stopped leader came after a write of a later leader, and was refused. If
// not, the error contains what the leader did instead.
func judgeStale(log []operation, h *halt) error {
	if h == nil {
		return fmt.Errorf("%w: no leader was stopped", errNoStale)
	}
	successor := false
	for _, op := range log {
		successor = successor || op.Accepted && op.Token > h.term
		if !op.Last || op.Process != h.process || op.Token != h.term {
			continue
		}
		switch {
		case op.Call <= h.from:
			return fmt.Errorf("%w: the last write of process %d in Term %d came at %v, before its stop at %v",
				errNoStale, h.process, h.term, op.Call, h.from)
		case !successor:
			return fmt.Errorf("%w: when process %d wrote at %v in Term %d, no later leader had written",
				errNoStale, h.process, op.Call, h.term)
		case op.Accepted:
			return fmt.Errorf("%w: the register has accepted that of process %d at %v in Term %d", errNoStale,
				h.process, op.Call, h.term)
		}
		return nil
	}
	return fmt.Errorf("%w: the work of process %d in Term %d, stopped at %v, has made no last write",
		errNoStale,
		h.process, h.term, h.from)
}

// contents are the contents of the register, in the model of porcupine.
type contents struct{ max, value uint64 }

// fenced is the model of the register.
var fenced = porcupine.Model{
	Init: func() any { return contents{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(contents), input.(operation), output.(operation)
		switch {
		case in.Read:
			return out.Value == s.value, s
		case in.Token >= s.max:
			return out.Accepted, contents{in.Token, in.Value}
		}
		return !out.Accepted, s
	},
}

// judgeRegister checks that what processes saw of the register is linearizable. If an answer has not arrived, the
// register knows the result, and the operation may end at any time after it was received.
func judgeRegister(answered, log []operation) error {
	type key struct {
		process int
		number  uint32
	}
	seen := make(map[key]operation)
	for _, op := range answered {
		seen[key{op.Process, op.Number}] = op
	}
	var history []porcupine.Operation
	for _, op := range log {
		end := int64(math.MaxInt64)
		if own, ok := seen[key{op.Process, op.Number}]; ok {
			op, end = own, int64(own.Return)
		}
		history = append(history, porcupine.Operation{ClientId: op.Process, Input: op, Call: int64(op.Call),
			Output: op, Return: end})
	}
	if !porcupine.CheckOperations(fenced, history) {
		return errRegister
	}
	return nil
}

// outage is a time during which a member cannot serve as leader, whatever its lease: it is dead, paused or cut off.
type outage struct {
	process  int
	from, to time.Duration
}

// span is a time during which a leader served.
type span struct{ From, Until time.Duration }

// vacant returns the longest time between two moments during which no leader served, and the sum of such times.
func vacant(served []span, from, to time.Duration) (longest, sum time.Duration) {
	slices.SortFunc(served, func(a, b span) int { return cmp.Compare(a.From, b.From) })
	at := from
	for _, s := range append(served, span{to, to}) {
		if gap := min(s.From, to) - at; gap > 0 {
			longest, sum = max(longest, gap), sum+gap
		}
		at = max(at, s.Until)
	}
	return longest, sum
}

// without returns a lease without the outages of its process.
func without(s span, process int, outages []outage) []span {
	left := []span{s}
	for _, o := range outages {
		if o.process != process {
			continue
		}
		var next []span
		for _, s := range left {
			for _, part := range []span{{s.From, min(s.Until, o.from)}, {max(s.From, o.to), s.Until}} {
				if part.From < part.Until {
					next = append(next, part)
				}
			}
		}
		left = next
	}
	return left
}
