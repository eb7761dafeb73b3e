package check

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
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

// TestMemoryOf: three quarters of the smaller of what the machine and the group of processes have left.
func TestMemoryOf(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct {
		info, most, current string
		want                int64
	}{
		{"", "", "", 4 << 30},
		{"MemAvailable: 4096 kB", "", "", 3 << 20},
		{"MemAvailable: 8192 kB", "4194304", "", 6 << 20},
		{"MemAvailable: 8192 kB", "max", "4194304", 6 << 20},
		{"MemAvailable: 8192 kB", "8388608", "4194304", 3 << 20},
		{"MemAvailable: 4096 kB", "18388608", "4194304", 3 << 20},
		{"", "8388608", "4194304", 3 << 20},
		{"MemAvailable: 1 kB", "", "", 1 << 20},
		{"MemAvailable: 4096 kB", "1", "4194304", 1 << 20},
	} {
		var files [3]string
		for k, text := range []string{c.info, c.most, c.current} {
			if files[k] = filepath.Join(dir, fmt.Sprint(i, k)); text != "" {
				require.NoError(t, os.WriteFile(files[k], []byte(text), 0o600))
			}
		}
		require.Equal(t, c.want, memory(files[0], files[1], files[2]), c)
	}
}

// TestBytesOfShard: what a shard takes is the room in its lists, by the sizes of their elements.
func TestBytesOfShard(t *testing.T) {
	require.Zero(t, new(shard).bytes())
	for want, s := range map[int64]shard{
		3 * int64(unsafe.Sizeof(entry{})): {entries: make([]entry, 1, 3)},
		5 * int64(unsafe.Sizeof(number(0))+unsafe.Sizeof(action(0))): {from: make([]number, 1, 5),
			by: make([]action, 1, 5)},
		4 * 7:  {exact: make([]uint32, 1, 7)},
		4 * 17: {front: level{states: make([]uint32, 1, 17)}},
		8 * 11: {front: level{hashes: make([]uint64, 1, 11)}},
		4 * 13: {next: level{states: make([]uint32, 1, 13)}},
		8 * 15: {next: level{hashes: make([]uint64, 1, 15)}},
	} {
		require.Equal(t, want, s.bytes())
	}
}

// TestHalvesOfHashes: two states are one only if both halves of their hashes are the same, and what is wanted
// of them besides.
func TestHalvesOfHashes(t *testing.T) {
	var s shard
	hashes := []uint64{5, 5 | 1<<32, 6, 6 | 1<<32, 5 | 64, 5 | 3<<32}
	for place, hash := range hashes {
		require.Equal(t, isNew, s.find(hash, 0, 0, nil))
		require.Equal(t, isNewest, s.find(hash, 0, 0, nil))
		require.Equal(t, place, s.lookup(hash, nil))
	}
	s.newest = 2
	require.Equal(t, isEarlier, s.find(hashes[1], 0, 0, nil))
	require.Equal(t, isNewest, s.find(hashes[2], 0, 0, nil))
	other := func(int) bool { return false }
	require.Equal(t, -1, s.lookup(5, other))
	require.Equal(t, isNew, s.find(5, 0, 0, other))
	require.Equal(t, -1, s.lookup(7, nil))
}

func TestReadMemory(t *testing.T) {
	for text, want := range map[string]int64{"4GB": 4e9, "1.5GiB": 3 << 29, "500mb": 500e6, " 2 g ": 2e9,
		"3000000": 3e6, "2000000B": 2e6} {
		got, err := ReadMemory(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"":           `"" is not a size such as 4GB or 500MB`,
		"much":       `"much" is not a size such as 4GB or 500MB`,
		"nan":        `"nan" is not a size such as 4GB or 500MB`,
		"1048575":    "1048575 is less than 1MiB; give a size such as 4GB or 500MB",
		"1024.1 TiB": "1024.1 TiB is too large; give a size such as 4GB or 500MB",
	} {
		_, err := ReadMemory(text)
		require.EqualError(t, err, election.ErrInput.Error()+": "+want)
	}
	for text, want := range map[string]int64{"1mib": 1 << 20, "1048576": 1 << 20, "1024tib": 1 << 50,
		"2000KB": 2e6, "3000k": 3e6, "2048kib": 2 << 20, "5m": 5e6, "1tb": 1e12, "1t": 1e12} {
		got, err := ReadMemory(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}
