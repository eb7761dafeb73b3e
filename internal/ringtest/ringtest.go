// Package ringtest is what the tests of the ring algorithms have in common: runs of every order
// and every set of initiators, checked against what the descriptor promises.
package ringtest

import (
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
)

// farOff is later than the end of any election that the tests run.
const farOff = 1e5 * sim.Unit

// Elect runs an election and requires that it ends as the descriptor promises: one leader, the
// right one, known to all, and all know that the election has ended.
func Elect(t testing.TB, c sim.Config) sim.Result {
	t.Helper()
	if c.Until == 0 {
		c.Until = farOff // an election that never ends is wrong, not a hang
	}
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err, about(&c))
	if problem := wrong(&c.Input, &r.Result); problem != "" {
		require.Fail(t, problem, about(&c))
	}
	return r
}

func about(c *sim.Config) string {
	return fmt.Sprintf("%s ids %v priorities %v initiators %v seed %d", c.Algorithm.Title(), c.IDs,
		c.Priorities, c.Initiators, c.Seed)
}

// wrong says what is wrong with the end of a run, nothing if all is well.
func wrong(in *scenario.Input, r *verdict.Result) string {
	want := winner(in)
	switch {
	case !r.Agreed:
		return "no leader that all agree on"
	case in.Algorithm.Winner != nil && r.Leader != want: // without a rule any one may lead
		return fmt.Sprintf("the leader is %d, not %d", r.Leader, want)
	case r.Claimants != 1:
		return r.Claims()
	case !r.Terminated:
		return "not all know that the election has ended"
	}
	return ""
}

// winner returns the process that must be elected, zero where any may be, however late the initiators start.
func winner(in *scenario.Input) election.ID {
	checked := *in
	if err := checked.Check(); err != nil {
		panic(err)
	}
	return checked.Winner(func(int) bool { return true }, func(p int) bool {
		return in.Initiators == nil || slices.Contains(in.Initiators, in.IDs[p])
	}).ID
}

// Ring returns a run of an algorithm in which all start.
func Ring(a *election.Algorithm, ids []election.ID) sim.Config {
	return sim.Config{Input: scenario.Input{Algorithm: a, IDs: ids}}
}

// IDs makes IDs of an arrangement.
func IDs(arrangement []uint64) []election.ID {
	ids := make([]election.ID, len(arrangement))
	for i, v := range arrangement {
		ids[i] = election.ID(v)
	}
	return ids
}

// Random returns 1..n in an order drawn from seed.
func Random(n int, seed uint64) []election.ID {
	ids := make([]election.ID, n)
	for i, v := range rand.New(rand.NewPCG(seed, uint64(n))).Perm(n) {
		ids[i] = election.ID(v + 1)
	}
	return ids
}

// BitReversed returns 1..2^k, of which the one at place p is 1 more than p with its k bits turned
// round: large and small alternate on every scale.
func BitReversed(k int) []election.ID {
	ids := make([]election.ID, 1<<k)
	for p := range ids {
		ids[p] = 1 + election.ID(bits.Reverse64(uint64(p))>>(64-k))
	}
	return ids
}

// Some returns a part of ids drawn from seed, at least one of them.
func Some(ids []election.ID, seed uint64) []election.ID {
	random := rand.New(rand.NewPCG(seed, 1))
	some := []election.ID{ids[random.IntN(len(ids))]}
	for _, id := range ids {
		if id != some[0] && random.IntN(2) == 0 {
			some = append(some, id)
		}
	}
	return some
}

// Orders yields all orders of 1..n, rotations of one another included. The slice is used again.
func Orders(n int) iter.Seq[[]election.ID] {
	return func(yield func([]election.ID) bool) {
		ids := make([]election.ID, n)
		for i := range ids {
			ids[i] = election.ID(i + 1)
		}
		permute(ids, 0, yield)
	}
}

// permute yields all orders of ids in which the first k stay where they are.
func permute(ids []election.ID, k int, yield func([]election.ID) bool) (more bool) {
	if k == len(ids) {
		return yield(ids)
	}
	for i := k; i < len(ids); i++ {
		ids[k], ids[i] = ids[i], ids[k]
		more = permute(ids, k+1, yield)
		ids[k], ids[i] = ids[i], ids[k]
		if !more {
			return false
		}
	}
	return true
}

// Subsets yields all parts of ids but the empty one. The slice is used again.
func Subsets(ids []election.ID) iter.Seq[[]election.ID] {
	return func(yield func([]election.ID) bool) {
		part := make([]election.ID, 0, len(ids))
		for set := 1; set < 1<<len(ids); set++ {
			part = part[:0]
			for i, id := range ids {
				if set>>i&1 == 1 {
					part = append(part, id)
				}
			}
			if !yield(part) {
				return
			}
		}
	}
}
