package inquiry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/observe"
)

// exactNaive: each process broadcasts as often as all smaller ones together, and once more if it
// starts.
func exactNaive(ids, initiators []election.ID) (low, high uint64) {
	n := uint64(len(ids))
	often := make([]uint64, n+1) // by rank
	for _, id := range initiators {
		often[id]++
	}
	e, sum := n-1, uint64(0)
	for i := uint64(1); i <= n; i++ {
		often[i] += sum
		sum += often[i]
		e += often[i] * (n - 1 + i - 1)
	}
	return e, e
}

func TestNaiveBounds(t *testing.T) { nodetest.Bounds(t, inquiry.Naive(), 6, exactNaive) }

func TestNaiveInitiators(t *testing.T) { nodetest.Initiators(t, inquiry.Naive(), 5, exactNaive) }

func TestNaiveLarge(t *testing.T) { nodetest.Large(t, inquiry.Naive(), 13) }

// TestExercise: 2^(N-1)(N-1) election messages from the smallest initiator without states, and
// N(N-1) with them; half as many again from every larger one.
func TestExercise(t *testing.T) {
	for n := 1; n <= 13; n++ {
		for r := 1; r <= n; r++ {
			c := nodetest.Ring(inquiry.Naive(), nodetest.Random(n, uint64(r)))
			c.Initiators = []election.ID{election.ID(r)}
			got := nodetest.Elect(t, c)
			require.EqualValues(t, 1<<(n-r)*(n-1), got.Count("election"), "%d of %d starts", r, n)
			require.EqualValues(t, n-1, got.Count("elected"), "only the largest announces, and once")
			if r == 1 {
				require.EqualValues(t, (n-2)<<(n-1)+1, got.Count("ack"), "n = %d", n)
				require.Equal(t, longest(n), got.Time, "n = %d", n)
				c.Algorithm = inquiry.States()
				with := nodetest.Elect(t, c)
				require.EqualValues(t, n*(n-1), with.Count("election"), "n = %d", n)
			}
		}
	}
}

// longest: an election message passes through all in the order of their Ranks, and is acknowledged.
func longest(n int) time.Duration {
	return max(duration(n, 1), time.Duration(n+1)*sim.Unit*time.Duration(min(n-1, 1)))
}

// TestNaiveAllStart: (2^N-1)(N-1) election messages and (N-2)2^N + 2 acks.
func TestNaiveAllStart(t *testing.T) {
	for n := 1; n <= 10; n++ {
		got := nodetest.Elect(t, nodetest.Ring(inquiry.Naive(), nodetest.Random(n, 1)))
		require.EqualValues(t, (1<<n-1)*(n-1), got.Count("election"), "n = %d", n)
		require.EqualValues(t, (n-2)<<n+2, got.Count("ack"), "n = %d", n)
	}
}

// TestNaiveAnySchedule: the counts depend on the initiators alone.
func TestNaiveAnySchedule(t *testing.T) {
	for n := 1; n <= largest(5); n++ {
		ids := nodetest.Random(n, 2)
		for initiators := range nodetest.Subsets(ids) {
			want, _ := exactNaive(ids, initiators)
			for seed := range uint64(50) {
				for _, unordered := range []bool{false, true} {
					c := nodetest.Ring(inquiry.Naive(), ids)
					c.Initiators = initiators
					c.Schedule, c.Unordered, c.Seed = sim.RandomDelay, unordered, seed
					got := nodetest.Elect(t, c)
					require.Equal(t, want, got.Messages, "%v start, seed %d", initiators, seed)
				}
			}
		}
	}
}

func TestNaiveGoroutines(t *testing.T) {
	for _, n := range []int{1, 2, 3, 6, 10} {
		for seed := range uint64(10) {
			ids := nodetest.Random(n, seed)
			r, err := local.Run(t.Context(), local.Config{Input: scenario.Input{
				Algorithm: inquiry.Naive(), IDs: ids, Initiators: []election.ID{1},
			}})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.Equal(t, election.ID(n), r.Leader)
			require.EqualValues(t, 1<<(n-1)*(n-1), r.Count("election"))
			require.EqualValues(t, n-1, r.Count("elected"))
		}
	}
}

// TestNaiveLimit: more than twenty would flood whatever they run on.
func TestNaiveLimit(t *testing.T) {
	c := nodetest.Ring(inquiry.Naive(), nodetest.Random(21, 1))
	r, err := sim.Run(t.Context(), c)
	require.ErrorIs(t, err, election.ErrInput)
	var failed *observe.ProcessError
	require.True(t, errors.As(err, &failed))
	require.ErrorContains(t, err, "inquiry/naive: 21 processes, at most 20 can do without states")
	require.Zero(t, r.Messages)

	c = nodetest.Ring(inquiry.Naive(), nodetest.Random(20, 1))
	c.Initiators = []election.ID{15}
	require.EqualValues(t, 1<<5*19, func() uint64 { r := nodetest.Elect(t, c); return r.Count("election") }())
}
