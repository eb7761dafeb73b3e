package main

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
)

// memoryUnits are what sizes are told in.
var memoryUnits = []struct {
	name string
	size float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}, {"b", 1}, {"", 1},
}

// leastMemory is less than which there is no use in.
const leastMemory = 1 << 20

// parseMemory reads a size, as in 4GB.
func parseMemory(where, text string) (int64, error) {
	small := strings.ToLower(strings.TrimSpace(text))
	for _, unit := range memoryUnits {
		number, ok := strings.CutSuffix(small, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		bytes := n * unit.size
		switch {
		case err != nil || math.IsNaN(n):
			return 0, usage("%s: %.60q is not a size, as in 4GB or 500MB", where, text)
		case bytes < leastMemory:
			return 0, usage("%s: %s is less than 1MiB; a size is as in 4GB or 500MB", where, text)
		case bytes > 1<<50:
			return 0, usage("%s: %s is more than there can be; a size is as in 4GB or 500MB", where, text)
		}
		return int64(bytes), nil
	}
	panic("the last unit fits everything")
}

// otherwiseMemory is the limit where nothing tells what is free.
const otherwiseMemory = 4 << 30

// defaultMemory returns three quarters of what is free, as far as this system tells.
func defaultMemory() int64 {
	free := int64(math.MaxInt64)
	if available, ok := meminfo("/proc/meminfo"); ok {
		free = available
	}
	limit, limited := sizeIn("/sys/fs/cgroup/memory.max")
	used, known := sizeIn("/sys/fs/cgroup/memory.current")
	if limited && known {
		free = min(free, limit-used)
	}
	if free == math.MaxInt64 {
		return otherwiseMemory
	}
	return max(free/4*3, leastMemory)
}

// meminfo returns how much memory Linux can give without swapping.
func meminfo(path string) (int64, bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "MemAvailable:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}

// sizeIn returns the number that a file holds.
func sizeIn(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
