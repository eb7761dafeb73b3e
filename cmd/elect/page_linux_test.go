package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/terminaltest"
)

// TestProposePage: on a terminal elect sim says how a file is watched; elsewhere, and where no file is
// simulated, it does not.
func TestProposePage(t *testing.T) {
	const proposal = "elect page --scenario "
	file := filepath.Join(t.TempDir(), "a b.json")
	require.NoError(t, os.WriteFile(file, []byte(right), 0o600))
	for line, proposed := range map[string]bool{
		"--scenario FILE":         true,
		"--scenario -":            false,
		"--scenario FILE --json":  false,
		"--scenario FILE --log -": false,
		"lcr -n 3":                false,
	} {
		args := []string{"sim"}
		for _, arg := range strings.Fields(line) {
			args = append(args, strings.Replace(arg, "FILE", file, 1))
		}
		near, far := terminaltest.Open(t)
		require.Zero(t, runWith(t.Context(), catalog.All(), args, strings.NewReader(right), far, far))
		// What a terminal was given may come in parts. At its end there is an error of its own.
		require.NoError(t, far.Close())
		shown, err := io.ReadAll(near)
		require.ErrorIs(t, err, syscall.EIO)
		require.NotEmpty(t, shown)
		require.Equal(t, proposed, strings.Contains(string(shown), proposal+"'"+file+"' shows it"), line)
		require.NotContains(t, elect(t, right, args...).stdout, proposal)
	}
}
