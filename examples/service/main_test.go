package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestService: when the member that leads stops, the largest of the others leads. A leader may begin a later
// term at once, and then works in that.
func TestService(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	out, err := os.Create(file)
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = out
	synctest.Test(t, func(*testing.T) { main() })
	os.Stdout = stdout
	require.NoError(t, out.Close())
	printed, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	require.Equal(t, []string{"3 leads", "2 leads", "1 leads"}, slices.Compact(lines))
}
