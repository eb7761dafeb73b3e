package floodmax

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestSize: what a process takes of memory, however many links it has.
func TestSize(t *testing.T) { require.EqualValues(t, 48, unsafe.Sizeof(process{})) }
