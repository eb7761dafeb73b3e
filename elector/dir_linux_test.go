package elector_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// TestDirFull: New returns an error if files can be created but not written, as on a full disk. It leaves nothing
// behind, and succeeds when there is room again.
func TestDirFull(t *testing.T) {
	const inner = "ELECTOR_FILES_LIMITED"
	if os.Getenv(inner) == "" {
		// In a separate process, since the limit also applies to the log of go test.
		cmd := exec.Command(os.Args[0], "-test.run=^TestDirFull$", "-test.v")
		cmd.Env = append(os.Environ(), inner+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: TestDirFull")
		return
	}
	c := elector.Config{Group: "g", Self: "a", Members: addresses(t, "a"), Dir: t.TempDir()}
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	limit := func(size uint64) error { // of the files of this process
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: before.Max})
	}
	// A state is longer than the first line of its file, and a second state is written next to the first.
	for _, size := range []uint64{0, 300, 5000} {
		limited := limit(size)
		_, err := elector.New(c)
		require.NoError(t, limit(before.Cur))
		require.NoError(t, limited)
		require.ErrorIs(t, err, syscall.EFBIG)
		require.ErrorContains(t, err, "elector: Dir: write "+filepath.Join(c.Dir, "g,a.state.try"))
		left, err := os.ReadDir(c.Dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	e, err := elector.New(c)
	require.NoError(t, err)
	require.NoError(t, e.Close())

	// Where there is a file already, room for one more is enough: it is read.
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, "g,a.state"), []byte("torn"), 0o600))
	require.NoError(t, limit(5000))
	_, err = elector.New(c)
	require.NoError(t, limit(before.Cur))
	require.ErrorContains(t, err, `it begins with "torn"`)
}
