package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	require.GreaterOrEqual(t, Memory(), int64(LeastMemory))
	file := filepath.Join(t.TempDir(), "meminfo")
	require.NoError(t, os.WriteFile(file, []byte("MemTotal: 9 kB\nMemAvailable:   8000 kB\n"), 0o600))
	free, ok := meminfo(file)
	require.True(t, ok)
	require.EqualValues(t, 8000<<10, free)
	_, ok = meminfo(file + "x")
	require.False(t, ok)
	for text, is := range map[string]bool{"MemTotal: 9 kB\n": false, "MemAvailable:": false,
		"MemAvailable: much": false, "MemAvailable: 7": true} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, ok = meminfo(file)
		require.Equal(t, is, ok, text)
	}
	require.NoError(t, os.WriteFile(file, []byte("12\n"), 0o600))
	size, ok := sizeIn(file)
	require.True(t, ok)
	require.EqualValues(t, 12, size)
	require.NoError(t, os.WriteFile(file, []byte("max\n"), 0o600))
	for _, name := range []string{file, file + "x"} {
		_, ok = sizeIn(name)
		require.False(t, ok, name)
	}
}
