package elector_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
)

// TestFormerStates: a member continues from the state file that each version before has written, after the Term of
// that file. A file of the first version, before members agreed on their list, is refused with what to do.
func TestFormerStates(t *testing.T) {
	files, err := filepath.Glob("testdata/states/*.state")
	require.NoError(t, err)
	require.Len(t, files, 1, "a version that changes the file adds one that it has not written")
	const stored = 459752189803521 // the Term in 2.state; the clock here is set to the year 2000, whose Terms are smaller
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			former, err := os.ReadFile(file)
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "g,a.state"), former, 0o600))
			synctest.Test(t, func(t *testing.T) {
				var hub pipenet.Hub
				c := elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": ""}, Dir: dir}
				c.Network = piped(t, &hub, c)
				e, err := elector.New(c)
				require.NoError(t, err)
				ctx, stop := context.WithCancel(t.Context())
				require.NoError(t, e.Run(ctx, func(_ context.Context, term elector.Term) error {
					require.Greater(t, term.Number, uint64(stored))
					stop()
					return nil
				}))
				require.NoError(t, c.Network.Close())
			})
			now, err := os.ReadFile(filepath.Join(dir, "g,a.state"))
			require.NoError(t, err)
			require.Len(t, now, len(former), "the version before can read it")
		})
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "g,a.state"), []byte("election state 1 group \"g\" member \"a\"\n"), 0o600))
	_, err = elector.New(elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"}, Dir: dir})
	require.ErrorContains(t, err, "election state 1")
	require.ErrorContains(t, err, "delete it: the member then reads what it has forgotten")
}
