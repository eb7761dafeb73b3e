package terminal

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWidth: COLUMNS says it, within bounds; what is no terminal is 80 wide.
func TestWidth(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "x": 80, "0": 80, "-3": 80, "20": 40, "64": 64,
		"250": 100} {
		t.Setenv("COLUMNS", columns)
		require.Equal(t, want, Width(&strings.Builder{}), columns)
		require.Equal(t, want, Width(os.Stdin), columns)
	}
	require.False(t, Is(&strings.Builder{}))
}

// TestCommandLines: a command line that is too long goes on behind a backslash; quotes stay whole.
func TestCommandLines(t *testing.T) {
	require.Equal(t, "  elect a --b 'c  d' \\\n      --long-flag\n  x\n",
		CommandLines("  elect a --b 'c  d' \\\n    --long-flag\n  x\n  y\n", 2, 26))
	// The last word needs no room for a backslash, so a pipe never stands alone.
	const piped = "elect a --trace - |\nelect b\n"
	require.Equal(t, "  elect a --trace - |\n  elect b\n", CommandLines(piped, 2, 21))
	require.Equal(t, "  elect a --trace \\\n      - |\n", CommandLines(piped, 1, 20))
}
