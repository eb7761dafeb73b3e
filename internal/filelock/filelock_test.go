//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLock: a second lock is refused until the first one is released. Package elector tries other processes.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(path)
	require.NoError(t, err)
	_, err = Lock(path)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, unlock())
	unlock, err = Lock(path)
	require.NoError(t, err)
	require.NoError(t, unlock())
	_, err = Lock(filepath.Join(path, "below"))
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrLocked)
}
