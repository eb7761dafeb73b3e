package splitmix_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/splitmix"
)

// TestReference: the first numbers are the ones of the reference implementation.
func TestReference(t *testing.T) {
	s := splitmix.Source(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821} {
		require.Equal(t, want, s.Next())
	}
}

// TestBelow: each number occurs, and none is out of range.
func TestBelow(t *testing.T) {
	s, seen := splitmix.Source(1), make(map[uint64]bool)
	for range 1000 {
		n := s.Below(10)
		require.Less(t, n, uint64(10))
		seen[n] = true
	}
	require.Len(t, seen, 10)
	require.Zero(t, s.Below(0))
}
