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

// What may never happen, besides the errors of [cluster.Summary.Err].
var (
	errTokens   = errors.New("the register has accepted a write with a smaller token than one before")
	errRegister = errors.New("the register is not linearizable")
	errBroken   = errors.New("a member has seen what may never happen")
	errHung     = errors.New("the group does not become calm")
	errNoClash  = errors.New("clocks are further apart than Drift says, but no two leases were valid at once")
)

// judgeLeases judges by the members' own notes: no two leases are valid at one moment, and Terms grow. The
// comparison is exact, since all processes read the same clock.
func judgeLeases(leases []cluster.Lease) error {
	s := cluster.Summary{Leases: leases}
	return s.Err()
}

// judgeWrites judges what the register has done.
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

// cells of the register, as porcupine sees them.
type contents struct{ max, value uint64 }

// fenced is the register as it should be.
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

// judgeRegister judges what processes saw of the register. Where the answer has not arrived, the
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

// outage is the time for which a member could not serve as leader, whatever its lease says: it was dead,
// paused or cut off.
type outage struct {
	process  int
	from, to time.Duration
}

// span is a time for which a leader served.
type span struct{ from, to time.Duration }

// vacant returns for how long no leader served between two moments: the longest such time, and the sum.
func vacant(served []span, from, to time.Duration) (longest, sum time.Duration) {
	slices.SortFunc(served, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	at := from
	for _, s := range append(served, span{to, to}) {
		if gap := min(s.from, to) - at; gap > 0 {
			longest, sum = max(longest, gap), sum+gap
		}
		at = max(at, s.to)
	}
	return longest, sum
}

// without cuts the outages of a process out of its lease.
func without(s span, process int, outages []outage) []span {
	left := []span{s}
	for _, o := range outages {
		if o.process != process {
			continue
		}
		var next []span
		for _, s := range left {
			for _, part := range []span{{s.from, min(s.to, o.from)}, {max(s.from, o.to), s.to}} {
				if part.from < part.to {
					next = append(next, part)
				}
			}
		}
		left = next
	}
	return left
}
