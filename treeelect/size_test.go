package treeelect

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestSize: what a process takes of memory, unless it has more than 64 links.
func TestSize(t *testing.T) {
	require.EqualValues(t, 48, unsafe.Sizeof(process{}))
	require.EqualValues(t, 48, unsafe.Sizeof(saturator{}), "as much as is given to 40")
	require.EqualValues(t, 64, unsafe.Sizeof(builder{}), "and its process")
}

// TestRestoredSize: a process of few links makes no list of ports when it is restored.
func TestRestoredSize(t *testing.T) {
	var n saturator
	require.NoError(t, new(election.State).Restore(&n, new(election.State).Append(nil, &n)))
	require.Nil(t, n.more)
}
