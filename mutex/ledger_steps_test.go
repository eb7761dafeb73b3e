package mutex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/mutex"
)

// TestArbiterAskedByTheHolder: a newer request by the holder frees the section, another waits.
func TestArbiterAskedByTheHolder(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3})
	require.Equal(t, "1 grant 0.2 token 0.1, +lease 12s", p.does(arbiterHears(1, arbiterRequest, 0, 2)))
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 0, 2)), "the same")
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 0, 1)), "an older one")
	require.Equal(t, "1 grant 0.2 token 0.2, -lease, +lease 12s",
		p.does(arbiterHears(1, arbiterRelease, 0, 2)), "the older one is not noted")
	require.Equal(t, "1 grant 0.3 token 0.3, -lease, +lease 12s",
		p.does(arbiterHears(1, arbiterRequest, 0, 3)), "a newer one")
}

// TestArbiterHearsWhichIsInside: of the clients that declare in the grace that they are inside the first
// holds the section, by its latest declaration.
func TestArbiterHearsWhichIsInside(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{})
	require.Equal(t, "claim 1, +grace 2s, leader 3/1", p.does(arbiterElected(1, 3)))
	require.Equal(t, "+lease 12s", p.does(arbiterInside(1, 4)))
	require.Empty(t, p.does(arbiterInside(2, 5)), "another")
	require.Empty(t, p.does(arbiterInside(1, 4)), "the same")
	require.Empty(t, p.does(arbiterInside(1, 3)), "an older one")
	require.Equal(t, "+lease 12s", p.does(arbiterInside(1, 5)), "a newer one")
	require.Empty(t, p.does(arbiterHears(2, arbiterRequest, 1, 1), arbiterGraceOver))
	require.Empty(t, p.does(arbiterHears(1, arbiterRelease, 0, 4)))
	require.Equal(t, "2 grant 1.1 token 1.1, -lease, +lease 12s",
		p.does(arbiterHears(1, arbiterRelease, 0, 5)))
}
