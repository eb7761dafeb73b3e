package parse

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Value reads a number, a text, numbers by process: 1:2.5,3:4, or lists by process: 1:2/5,3:4.
func Value(where, text string) (params.Value, error) {
	if strings.Contains(text, ":") && strings.Contains(text, "/") {
		return lists(where, text)
	}
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

// lists reads lists of processes by process.
func lists(where, text string) (params.Value, error) {
	v := params.Value{Lists: make(map[uint64][]uint64)}
	_, err := List(where, text, func(where, part string) (election.ID, error) {
		process, list, _ := strings.Cut(part, ":")
		id, err := ID(where, process)
		if err != nil {
			return 0, err
		}
		if _, again := v.Lists[uint64(id)]; again {
			return 0, input.Errorf("%s: %d is given twice", where, id)
		}
		v.Lists[uint64(id)], err = Numbers(where, strings.ReplaceAll(list, "/", ","))
		return id, err
	})
	return v, err
}
