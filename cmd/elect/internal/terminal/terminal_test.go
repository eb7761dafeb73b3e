package terminal

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWidth: COLUMNS determines the width, within bounds. Without a terminal the width is 80.
func TestWidth(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "x": 80, "0": 80, "-3": 80, "20": 40, "64": 64,
		"250": 100} {
		t.Setenv("COLUMNS", columns)
		require.Equal(t, want, Width(&strings.Builder{}), columns)
		require.Equal(t, want, Width(os.Stdin), columns)
	}
	require.False(t, Is(&strings.Builder{}))
}
