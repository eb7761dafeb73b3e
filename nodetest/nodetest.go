// Package nodetest tests the Nodes of one algorithm, for authors of algorithms.
//
// [Rules] delivers events to a single Node and compares the effects of a step. [Elect] simulates a whole election,
// checks how it ends, and returns the messages by kind and the time. [Bounds], [Initiators] and [Large] try all
// arrangements of small rings, all sets of initiators, and some large rings, and compare the numbers of messages
// with formulas. [Trees] and [Graphs] yield all small networks.
//
// Package electiontest tests the properties that all algorithms have in common.
package nodetest

import (
	"errors"
	"fmt"
	"iter"
	"maps"
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

// Elect simulates an election. It fails the test unless the election ends as the descriptor promises: with one
// leader, the right one, and all processes know the leader and that the election has ended.
func Elect(t testing.TB, c sim.Config) sim.Result {
	t.Helper()
	if c.Until == 0 {
		c.Until = farOff // an election that never ends is wrong, not a hang
	}
	r, err := sim.Run(t.Context(), c)
	if err == nil {
		err = wrong(&c.Input, &r.Result)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, about(&c))
	}
	return r
}

func about(c *sim.Config) string {
	return fmt.Sprintf("%s ids %v priorities %v initiators %v seed %d", c.Algorithm.Title(), c.IDs,
		c.Priorities, c.Initiators, c.Seed)
}

// wrong returns an error if a run has ended in another way than the descriptor promises.
func wrong(in *scenario.Input, r *verdict.Result) error {
	want := winner(in)
	switch {
	case !r.Agreed:
		return errors.New("no leader that all agree on")
	case in.Algorithm.Winner != nil && r.Leader != want: // without a rule any one may lead
		return fmt.Errorf("the leader is %d, not %d", r.Leader, want)
	case r.Claimants != 1:
		return errors.New(r.Claims())
	case !r.Terminated:
		return errors.New("not all know that the election has ended")
	}
	return nil
}

// winner returns the process that must be elected, or zero if any may be.
func winner(in *scenario.Input) election.ID {
	checked := *in
	if err := checked.Check(); err != nil {
		panic(err)
	}
	return checked.Winner(func(int) bool { return true }, func(p int) bool {
		return in.Initiators == nil || slices.Contains(in.Initiators, in.IDs[p])
	}).ID
}

// Ring returns the configuration of an election in which all processes start, on the default links of the
// algorithm.
func Ring(a *election.Algorithm, ids []election.ID) sim.Config {
	return sim.Config{Input: scenario.Input{Algorithm: a, IDs: ids}}
}

// IDs returns an arrangement, such as Worst.Arrange(n), as IDs.
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

// BitReversed returns 1..2^k. The ID at place p is one more than p with its k bits reversed, so that large and
// small IDs alternate on every scale.
func BitReversed(k int) []election.ID {
	ids := make([]election.ID, 1<<k)
	for p := range ids {
		ids[p] = 1 + election.ID(bits.Reverse64(uint64(p))>>(64-k))
	}
	return ids
}

// Some returns a non-empty subset of ids, drawn from seed.
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

// Orders yields all orders of 1..n. It reuses the slice.
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

// Subsets yields all subsets of ids except the empty one. It reuses the slice.
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

// Counts fails the test unless these are the numbers of messages of every kind.
func Counts(t testing.TB, r *verdict.Result, want map[string]int, about ...any) {
	t.Helper()
	got := make(map[string]int)
	for _, k := range r.ByKind {
		got[k.Kind] = int(k.Count)
	}
	maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
	if !maps.Equal(want, got) {
		t.Fatal(append([]any{"messages by kind:", got, "not", want}, about...)...)
	}
}
