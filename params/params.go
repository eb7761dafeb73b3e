// Package params reads the parameters of algorithms, which files and command lines give by name.
package params

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/internal/input"
)

// Value is one parameter of an algorithm as a file or a command line gives it: a text, numbers by
// process, or else a number.
type Value struct {
	Text   string
	ByID   map[uint64]float64
	Number float64
}

// Param describes a parameter for people.
type Param struct {
	Name    string
	About   string // one line
	Default string
}

// Params hands parameters to an algorithm by name; see [Algorithm.Configure]. What is wrong with
// them is noted, and told by Err.
type Params struct {
	values map[string]Value
	unit   time.Duration
	ids    []uint64
	known  map[uint64]bool
	asked  []string
	err    error
}

// NewParams returns the parameters of a run among processes of these IDs. unit is the unit of time.
func New[ID ~uint64](values map[string]Value, unit time.Duration, ids []ID) *Params {
	p := &Params{values: values, unit: unit, ids: make([]uint64, len(ids))}
	for i, id := range ids {
		p.ids[i] = uint64(id)
	}
	if len(values) > 0 {
		p.known = make(map[uint64]bool, len(ids))
		for _, id := range p.ids {
			p.known[id] = true
		}
	}
	return p
}

// IDs returns the processes of the run, in the order of the topology.
func (p *Params) IDs() []uint64 { return p.ids }

// Names returns what has been asked for.
func (p *Params) Names() []string { return p.asked }

// Time reads a time into to, which stays as it is if the parameter is absent.
func (p *Params) Time(name string, to *time.Duration) {
	if v, ok := p.value(name); ok {
		if v.Text != "" || v.ByID != nil {
			p.wrong(name, "%s is not a time: a plain number of units", v)
			return
		}
		*to = p.time(name, v.Number)
	}
}

// TimeByID reads a time for each of some processes.
func (p *Params) TimeByID(name string, to *map[uint64]time.Duration) {
	v, ok := p.value(name)
	if !ok {
		return
	}
	if v.ByID == nil {
		p.wrong(name, "%s is not a table of times by process", v)
		return
	}
	times := make(map[uint64]time.Duration, len(v.ByID))
	for _, id := range slices.Sorted(maps.Keys(v.ByID)) {
		if !p.known[id] {
			p.wrong(name, "%d is not a process", id)
		}
		times[id] = p.time(fmt.Sprintf("%s.%d", name, id), v.ByID[id])
	}
	*to = times
}

// Process reads the ID of a process.
func (p *Params) Process(name string, to *uint64) {
	v, ok := p.value(name)
	if !ok {
		return
	}
	id := uint64(v.Number)
	if large, err := strconv.ParseUint(v.Text, 10, 64); err == nil { // files write ids above 2^53 as texts
		id, v.Text, v.Number = large, "", float64(large)
	}
	switch {
	case v.Text != "" || v.ByID != nil || float64(id) != v.Number || id == 0:
		p.wrong(name, "%s is not an id", v)
	case !p.known[id]:
		p.wrong(name, "%d is not a process", id)
	default:
		*to = id
	}
}

// Count reads a whole number, up to 2^32.
func (p *Params) Count(name string, to *uint64) {
	v, ok := p.value(name)
	if !ok {
		return
	}
	if v.Text != "" || v.ByID != nil || v.Number != math.Trunc(v.Number) || v.Number < 0 || v.Number > 1<<32 {
		p.wrong(name, "%s is not a whole number from 0 to 2^32", v)
		return
	}
	*to = uint64(v.Number)
}

// Choice reads one of a few names.
func (p *Params) Choice(name string, to *string, choices ...string) {
	v, ok := p.value(name)
	if !ok {
		return
	}
	if !slices.Contains(choices, v.Text) {
		p.wrong(name, "%s is not one of %s", v, strings.Join(choices, ", "))
		return
	}
	*to = v.Text
}

// Truth reads yes or no; true and false, 1 and 0 will do as well.
func (p *Params) Truth(name string, to *bool) {
	v, ok := p.value(name)
	if !ok {
		return
	}
	switch {
	case v.Text == "yes" || v.Text == "true" || v.Text == "" && v.ByID == nil && v.Number == 1:
		*to = true
	case v.Text == "no" || v.Text == "false" || v.Text == "" && v.ByID == nil && v.Number == 0:
		*to = false
	default:
		p.wrong(name, "%s is neither yes nor no", v)
	}
}

// Has reports whether the parameter is given, and is a text.
func (p *Params) Has(name string) (given, text bool) {
	v, ok := p.values[name]
	return ok, v.Text != ""
}

// Err returns the first thing that is wrong: a value, or a parameter that nobody has asked for.
// It wraps [ErrInput].
func (p *Params) Err() error {
	if p.err != nil {
		return p.err
	}
	for _, name := range slices.Sorted(maps.Keys(p.values)) {
		if !slices.Contains(p.asked, name) {
			return input.Errorf("params: %.40q is not a parameter; there are %s", name, strings.Join(p.asked, ", "))
		}
	}
	return nil
}

func (p *Params) value(name string) (Value, bool) {
	if !slices.Contains(p.asked, name) {
		p.asked = append(p.asked, name)
	}
	v, ok := p.values[name]
	return v, ok && p.err == nil
}

// time returns a number of units as a time.
func (p *Params) time(name string, units float64) time.Duration {
	t := math.Round(units * float64(p.unit))
	switch {
	case math.IsNaN(t) || t < 0:
		p.wrong(name, "%v is not a time", units)
	case t >= float64(MaxTimeout):
		p.wrong(name, "%v units is too long", units)
	case t == 0 && units > 0:
		return 1
	default:
		return time.Duration(t)
	}
	return 0
}

func (p *Params) wrong(name, format string, args ...any) {
	if p.err == nil {
		p.err = input.Errorf("params.%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// MaxTimeout bounds every time-out of an algorithm, so that sums of a few do not overflow.
const MaxTimeout = time.Duration(math.MaxInt64 / 64)

// String returns the value as a message shows it.
func (v Value) String() string {
	switch {
	case v.ByID != nil:
		return fmt.Sprintf("a table of %d numbers", len(v.ByID))
	case v.Text != "":
		return fmt.Sprintf("%.40q", v.Text)
	}
	return fmt.Sprint(v.Number)
}
