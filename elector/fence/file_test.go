//go:build unix

package fence_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector/fence"
)

// TestWriteFile: a file is written whole, by no earlier leader, and by one process at a time.
func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, fence.WriteFile(path, 7, []byte("seven")))
	require.ErrorIs(t, fence.WriteFile(path, 6, []byte("six")), fence.ErrStale)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "seven", string(b))

	var all sync.WaitGroup
	for token := range uint64(20) {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(token%10), 1000)
			if err := fence.WriteFile(path, 10+token, []byte(text)); err != nil &&
				!errors.Is(err, fence.ErrStale) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("9", 1000), string(b), "that of token 29 is last")

	require.NoError(t, os.WriteFile(path+".token", []byte("torn"), 0o600))
	require.ErrorContains(t, fence.WriteFile(path, 99, nil), `"torn" is not a token`)
	names, err := filepath.Glob(path + "*.new")
	require.NoError(t, err)
	require.Empty(t, names)
}

// TestTokens: a leader writes as often as it likes, from token 0 on. The token stands in decimal beside
// the file, for its owner alone.
func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	for _, c := range []struct {
		token uint64
		stale bool
	}{{0, false}, {0, false}, {10, false}, {10, false}, {9, true}, {11, false}, {10, true},
		{1<<64 - 1, false}, {1<<64 - 2, true}, {1<<64 - 1, false}} {
		err := fence.WriteFile(path, c.token, fmt.Append(nil, c.token))
		require.Equal(t, c.stale, errors.Is(err, fence.ErrStale), "%d: %v", c.token, err)
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "18446744073709551615", string(b))
	info, err := os.Stat(path + ".token")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())

	require.NoError(t, os.WriteFile(path+".token", []byte("12\n"), 0o600), "as an operator writes it")
	require.ErrorIs(t, fence.WriteFile(path, 11, nil), fence.ErrStale)
	require.NoError(t, fence.WriteFile(path, 12, nil))
}

// TestWriteNoFile: where the path is none of a file nothing is written, neither a token nor a part.
func TestWriteNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("folder", 0o700))
	require.NoError(t, os.Symlink("folder", "link"))
	for _, path := range []string{"", "folder", "folder/", "link", ".", filepath.Join("none", "data")} {
		require.Error(t, fence.WriteFile(path, 1, []byte("one")), path)
		left, err := filepath.Glob("*")
		require.NoError(t, err)
		require.Equal(t, []string{"folder", "link"}, left, path)
		left, err = filepath.Glob("folder/*")
		require.NoError(t, err)
		require.Empty(t, left, path)
		left, err = filepath.Glob(".*")
		require.NoError(t, err)
		require.Empty(t, left, path)
	}
	require.ErrorContains(t, fence.WriteFile("folder", 1, nil), `fence: "folder" is not the name of a file`)
}
