package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplitMix64: the numbers equal those published by the authors of SplitMix64 for the seed 1234567. A seed
// has to give the same faults in each version of the library.
func TestSplitMix64(t *testing.T) {
	d := dice(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821} {
		require.Equal(t, want, d.next())
	}
}

// TestChance: what has probability 0 never happens, not even when the number drawn is 0, and what has
// probability 1 always does.
func TestChance(t *testing.T) {
	const drawsZero = 0x61c8864680b583eb
	d := dice(drawsZero)
	require.Zero(t, d.next())
	d = drawsZero
	require.False(t, d.chance(0))
	d = drawsZero
	require.True(t, d.chance(1.0/(1<<53)))
	for range 1000 {
		require.False(t, d.chance(0))
		require.True(t, d.chance(1))
	}
}
