package main

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// configure sets the parameters of the algorithm. Unless they say how long a message may take,
// it reckons with the delays of the run.
func (f *flags) configure(c *sim.Config) error {
	params, err := f.asked()
	if err != nil {
		return err
	}
	longest := sim.Unit
	if c.Schedule == sim.RandomDelay {
		longest = c.Delay.Max // zero: what the algorithm allows for
	}
	f.parameters = params
	a, err := scenario.Configure(c.Algorithm, params, c.IDs, longest)
	if err == nil {
		c.Algorithm = a
	}
	return err
}

// asked returns the parameters as they were typed.
func (f *flags) asked() (map[string]params.Value, error) {
	params := make(map[string]params.Value)
	for _, text := range f.params {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, usage("--param: %.60q is not a name and a value, as in alive_timeout=3", text)
		}
		if _, again := params[name]; again {
			return nil, usage("--param: %.60q is given twice", name)
		}
		v, err := parseValue("--param "+name, value)
		if err != nil {
			return nil, err
		}
		params[name] = v
	}
	return params, nil
}

// parseValue reads a number, a text, or numbers by process: 1:2.5,3:4.
func parseValue(where, text string) (params.Value, error) {
	if strings.Contains(text, ":") {
		v := params.Value{ByID: make(map[uint64]float64)}
		_, err := parseList(where, text, func(where, part string) (election.ID, error) {
			who, number, _ := strings.Cut(part, ":")
			id, err := parseID(where, who)
			if err != nil {
				return 0, err
			}
			if _, again := v.ByID[uint64(id)]; again {
				return 0, usage("%s: %d is given twice", where, id)
			}
			v.ByID[uint64(id)], err = strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || math.IsNaN(v.ByID[uint64(id)]) {
				return 0, usage("%s: %.60q is not a number", where, number)
			}
			return id, nil
		})
		return v, err
	}
	number, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err == nil && number >= 1<<53 && strings.Trim(text, "0123456789") == "": // an id that would be rounded
		return params.Value{Text: text}, nil
	case err == nil && !math.IsNaN(number) || errors.Is(err, strconv.ErrRange):
		return params.Value{Number: number}, nil
	case text == "":
		return params.Value{}, usage("%s: a value is missing", where)
	}
	return params.Value{Text: text}, nil
}
