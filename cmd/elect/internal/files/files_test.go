package files

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNotWritten(t *testing.T) {
	require.Equal(t, "none, a, b and c are not written", NotWritten("none", "a", "", "b", "-", "c"))
}
