package echo

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// held is a Node of nothing but a set of ports.
type held struct{ ports }

func (h *held) Step(*election.Env, *election.Event) {}

func (h *held) State(s *election.State) { h.state(s) }

// TestPorts compares sets with lists of truth values.
func TestPorts(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var set held
		want := make([]bool, 1+rng.IntN(400))
		for range rng.IntN(2 * len(want)) {
			port := rng.IntN(len(want))
			want[port] = true
			set.add(election.Port(port))
		}
		var back held
		require.NoError(t, election.RestoreState(&back, election.AppendState(nil, &set)))
		port := back.from(0)
		for p, in := range want {
			if in {
				require.EqualValues(t, p, port)
				port = back.from(port + 1)
			}
		}
		require.Equal(t, nowhere, port)
		require.Equal(t, nowhere, back.from(1<<31))
		set.clear()
		require.Equal(t, nowhere, set.from(0))
		require.Equal(t, election.AppendState(nil, &held{}), election.AppendState(nil, &set))
	}
}

// TestSize: what a process takes of memory, unless it has more than 64 links.
func TestSize(t *testing.T) {
	require.EqualValues(t, 64, unsafe.Sizeof(process{}))
	require.EqualValues(t, 64, unsafe.Sizeof(contender{}))
}
