package check

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/go-election/election/input"
)

// LeastMemory is the smallest limit of memory with which a check is of any use.
const LeastMemory = 1 << 20

// unknownMemory is the limit where the system does not report how much memory is free.
const unknownMemory = 4 << 30

// Memory returns how much memory a check may take on this machine: three quarters of what is free, as far as
// the system reports it. See [Config.MaxBytes].
func Memory() int64 {
	return memory("/proc/meminfo", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")
}

// memory returns the same of a system that reports in these files.
func memory(info, most, current string) int64 {
	free := int64(math.MaxInt64)
	if available, ok := meminfo(info); ok {
		free = available
	}
	limit, limited := sizeIn(most)
	used, known := sizeIn(current)
	if limited && known {
		free = min(free, limit-used)
	}
	if free == math.MaxInt64 {
		return unknownMemory
	}
	return max(free/4*3, LeastMemory)
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

// memoryUnits are the units of sizes.
var memoryUnits = []struct {
	name string
	size float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}, {"b", 1}, {"", 1},
}

// ReadMemory reads a size of memory, as in 4GB.
func ReadMemory(text string) (int64, error) {
	small := strings.ToLower(strings.TrimSpace(text))
	for _, unit := range memoryUnits {
		// Longer units come first in the list, as "b" is the end of "mib" too.
		number, ok := strings.CutSuffix(small, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		bytes := n * unit.size
		switch {
		case err != nil || math.IsNaN(n):
			return 0, input.Errorf("%.60q is not a size such as 4GB or 500MB", text)
		case bytes < LeastMemory:
			return 0, input.Errorf("%s is less than 1MiB; give a size such as 4GB or 500MB", text)
		case bytes > 1<<50:
			return 0, input.Errorf("%s is too large; give a size such as 4GB or 500MB", text)
		}
		return int64(bytes), nil
	}
	panic("the last unit fits everything")
}
