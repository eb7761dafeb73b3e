package sim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestOutcomes: each process holds what it decided last, whatever others decide, and its own renewals take
// no memory.
func TestOutcomes(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		o := newOutcomes()
		var held [5]uint32
		var want [5]election.Outcome
		for range 1000 {
			p := random.IntN(len(held))
			if random.IntN(20) == 0 {
				held[p], want[p] = 0, election.Outcome{} // it restarts
			} else {
				want[p] = election.Outcome{Term: 1 + random.Uint64N(4)}
				held[p] = o.number(want[p], held[p])
			}
			for q, i := range held {
				require.Equal(t, want[q], o.list[i].Outcome)
			}
		}
	}
	o, held := newOutcomes(), uint32(0)
	for i := range 1000 {
		held = o.number(election.Outcome{Term: 1, Role: election.Leader, Until: time.Duration(i)}, held)
	}
	require.Len(t, o.list, 2)
}
