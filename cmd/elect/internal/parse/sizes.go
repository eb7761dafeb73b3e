package parse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/scenario"
)

// Sizes reads numbers of processes, and ranges of them: 8,16,20..30. They are returned in rising order.
func Sizes(flag, text string) ([]int, error) {
	ranges, err := List(flag, text, func(where, part string) ([2]int, error) {
		from, to, several := strings.Cut(part, "..")
		if low, high, dash := strings.Cut(part, "-"); dash && low != "" && !several {
			if len(low) > len(high) || len(low) == len(high) && low > high { // 9-10 rises, and 10-9 does not
				low, high = high, low
			}
			return [2]int{}, input.Errorf("%s: %.60q is not a whole number; a range is %s..%s", where, part,
				low, high)
		}
		size := Between(1, scenario.MaxProcesses)
		first, err := size(where, from)
		if err != nil || !several {
			return [2]int{first, first}, err
		}
		last, err := size(where, to)
		switch {
		case err != nil:
		case last < first:
			err = input.Errorf("%s: %s is an empty range", where, part)
		case last-first >= experiment.MostSizes:
			err = input.Errorf("%s: %s are more than %d sizes", where, part, experiment.MostSizes)
		}
		return [2]int{first, last}, err
	})
	if err != nil {
		return nil, err
	}
	var sizes []int
	for i, r := range ranges {
		for n := r[0]; n <= r[1]; n++ {
			if slices.ContainsFunc(ranges[:i], func(s [2]int) bool { return s[0] <= n && n <= s[1] }) {
				return nil, input.Errorf("%s[%d]: %d is there twice", flag, i, n)
			}
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes, nil
}

// ReadPlace reads 3, n or n-1.
func ReadPlace(where, text string) (experiment.Place, error) {
	text = strings.TrimSpace(text)
	rest, fromN := strings.CutPrefix(text, "n")
	if !fromN {
		id, err := Number(where, text)
		if err == nil && id > math.MaxInt32 {
			err = input.Errorf("%s: %d is above every n", where, id)
		}
		return experiment.Place{ID: int(id)}, err
	}
	if rest == "" {
		return experiment.Place{FromN: true}, nil
	}
	below, err := strconv.ParseUint(strings.TrimPrefix(rest, "-"), 10, 31)
	if err != nil || rest[0] != '-' {
		return experiment.Place{}, input.Errorf("%s: %.60q is neither an id nor n-1", where, text)
	}
	return experiment.Place{ID: int(below), FromN: true}, nil
}
