package local

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/mailbox"
)

// TestSizes: an item is a cache line, a process two.
func TestSizes(t *testing.T) {
	require.EqualValues(t, 64, unsafe.Sizeof(mailbox.Item[entry]{}))
	require.LessOrEqual(t, unsafe.Sizeof(proc{}), uintptr(128))
}
