package afekgafni

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestSize: what a process takes of memory, however many links it has.
func TestSize(t *testing.T) {
	require.EqualValues(t, 56, unsafe.Sizeof(process{}))
	require.EqualValues(t, 80, unsafe.Sizeof(contender{}))
}
