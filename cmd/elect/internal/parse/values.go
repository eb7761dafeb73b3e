package parse

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/params"
)

// Value reads a number, a text, or numbers by process: 1:2.5,3:4.
func Value(where, text string) (params.Value, error) {
	if strings.Contains(text, ":") {
		v := params.Value{ByID: make(map[uint64]float64)}
		_, err := List(where, text, func(where, part string) (election.ID, error) {
			process, number, _ := strings.Cut(part, ":")
			id, err := ID(where, process)
			if err != nil {
				return 0, err
			}
			if _, again := v.ByID[uint64(id)]; again {
				return 0, input.Errorf("%s: %d is given twice", where, id)
			}
			v.ByID[uint64(id)], err = strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || math.IsNaN(v.ByID[uint64(id)]) {
				return 0, input.Errorf("%s: %.60q is not a number", where, number)
			}
			return id, nil
		})
		return v, err
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	// An id above 2^53 stays text: a float64 would round it.
	case err == nil && number >= 1<<53 && strings.Trim(text, "0123456789") == "":
		return params.Value{Text: text}, nil
	case err == nil && !math.IsNaN(number) || errors.Is(err, strconv.ErrRange):
		return params.Value{Number: number}, nil
	case text == "":
		return params.Value{}, input.Errorf("%s: a value is missing", where)
	}
	return params.Value{Text: text}, nil
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

// Memory reads a size, as in 4GB.
func Memory(where, text string) (int64, error) {
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
			return 0, input.Errorf("%s: %.60q is not a size, as in 4GB or 500MB", where, text)
		case bytes < check.LeastMemory:
			return 0, input.Errorf("%s: %s is less than 1MiB; a size is as in 4GB or 500MB", where, text)
		case bytes > 1<<50:
			return 0, input.Errorf("%s: %s is more than there can be; a size is as in 4GB or 500MB", where,
				text)
		}
		return int64(bytes), nil
	}
	panic("the last unit fits everything")
}
