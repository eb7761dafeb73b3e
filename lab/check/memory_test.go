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
}
