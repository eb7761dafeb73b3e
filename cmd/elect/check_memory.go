package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-election/election/lab/check"
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
		case bytes < check.LeastMemory:
			return 0, usage("%s: %s is less than 1MiB; a size is as in 4GB or 500MB", where, text)
		case bytes > 1<<50:
			return 0, usage("%s: %s is more than there can be; a size is as in 4GB or 500MB", where, text)
		}
		return int64(bytes), nil
	}
	panic("the last unit fits everything")
}
