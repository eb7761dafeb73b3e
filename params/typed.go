package params

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-election/election/input"
)

// Typed parses a value from a command line: a number, a text, numbers by process as in 1:2.5,3:4, or lists by
// process as in 1:2/5,3:4. The error wraps election.ErrInput and contains where, the place of the value.
func Typed(where, text string) (v Value, err error) {
	if !strings.Contains(text, ":") {
		return plain(where, text)
	}
	lists := strings.Contains(text, "/")
	if lists {
		v.Lists = make(map[uint64][]uint64)
	} else {
		v.ByID = make(map[uint64]float64)
	}
	for i, part := range strings.Split(text, ",") {
		at := fmt.Sprintf("%s[%d]", where, i)
		process, rest, _ := strings.Cut(part, ":")
		id, err := typedID(at, process)
		if err != nil {
			return v, err
		}
		_, number := v.ByID[id]
		if _, list := v.Lists[id]; list || number {
			return v, input.Errorf("%s: %d is given twice", at, id)
		}
		if lists {
			v.Lists[id] = []uint64{}
			for j, member := range strings.Split(rest, "/") {
				m, err := typedID(fmt.Sprintf("%s[%d]", at, j), member)
				if err != nil {
					return v, err
				}
				v.Lists[id] = append(v.Lists[id], m)
			}
		} else if v.ByID[id], err = strconv.ParseFloat(strings.TrimSpace(rest), 64); err != nil ||
			math.IsNaN(v.ByID[id]) {
			return v, input.Errorf("%s: %.60q is not a number", at, rest)
		}
	}
	return v, nil
}

// plain parses a value that is not a table.
func plain(where, text string) (Value, error) {
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	// Keep an ID above 2^53 as text: a float64 would round it.
	case err == nil && number >= 1<<53 && strings.Trim(text, "0123456789") == "":
		return Value{Text: text}, nil
	case err == nil && !math.IsNaN(number) || errors.Is(err, strconv.ErrRange):
		return Value{Number: number}, nil
	case text == "":
		return Value{}, input.Errorf("%s: a value is missing", where)
	}
	return Value{Text: text}, nil
}

func typedID(where, text string) (uint64, error) {
	id, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, input.Errorf("%s: %.60q is not a whole number", where, text)
	}
	return id, nil
}
