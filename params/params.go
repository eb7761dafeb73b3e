// Package params describes and reads the parameters of algorithms, which files and command lines give by name.
//
// An algorithm has one [Table] of parameters. Each row contains the name, meaning and default of a parameter
// and points to the variable for its value. The table is shown to people, tools use the [Role] of a row, and
// [Table.Read] checks and stores the values of a run ([Given]).
package params

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/input"
)

// Param is one parameter of an algorithm: a row of its [Table].
type Param struct {
	Name     string
	About    string // one line
	Default  string // in words
	Role     Role   // meaning for tools; zero for most
	Positive string // reason why zero is invalid; empty if it is valid

	Most float64 // largest valid number; zero: any that the target can hold
	To   Target  // variable for the value; the zero Target: another table reads it
}

// Role is the meaning of a parameter for tools, independent of its name.
type Role uint8

// The roles.
const (
	// DelayBound is the maximum delay of a message. Unless it is given, tools set it to the longest delay of
	// the run.
	DelayBound Role = iota + 1
	// MessageBudget is the maximum number of messages. A process that requests late may find the budget used
	// up.
	MessageBudget
	// LeaseTime is how long a leader leads unless it renews its lease.
	LeaseTime
	// DrawRange is the number of values from which a process draws. If a scenario specifies the values drawn,
	// tools set DrawRange large enough for them.
	DrawRange
	// GroupSize is the number of processes, which tools know.
	GroupSize
	// Diameter is an upper bound on the distance between two processes. Tools do not set it: its default is
	// valid for any links.
	Diameter
)

// Table describes all parameters of an algorithm.
type Table []Param

// Read stores the values of all given parameters in their targets and leaves other targets unchanged. It
// returns an error that wraps election.ErrInput for the first invalid value, or if a given parameter is not in
// the table.
func (t Table) Read(g *Given) error {
	for i := range t {
		// Check for duplicates: tables of several machines are joined, so a name may occur twice without either
		// author noticing.
		if slices.ContainsFunc(t[:i], func(p Param) bool { return p.Name == t[i].Name }) {
			return input.Errorf("params: two rows of the table are named %.40q", t[i].Name)
		}
		g.names = append(g.names, t[i].Name)
		if err := t[i].Read(g); err != nil {
			return err
		}
	}
	// Sort, so that the same one of several unknown names is reported each time.
	for _, name := range slices.Sorted(maps.Keys(g.values)) {
		if !slices.ContainsFunc(t, func(p Param) bool { return p.Name == name }) {
			there := "there are"
			if len(t) == 1 {
				there = "there is only"
			}
			return input.Errorf("params: %.40q is not a parameter; %s %s", name, there,
				strings.Join(t.Names(), ", "))
		}
	}
	return nil
}

// Read stores the value of one parameter in its target, if the value is given.
func (p *Param) Read(g *Given) error {
	if p.To.isNil {
		return wrong(p.Name, "the target of its row is a nil pointer")
	}
	v, given := g.values[p.Name]
	if !given || p.To.read == nil {
		return nil
	}
	if err := p.To.read(g, p.Name, v); err != nil {
		return err
	}
	if p.Most > 0 && v.Number > p.Most {
		return wrong(p.Name, "%.0f is more than %.0f", v.Number, p.Most)
	}
	if p.Positive != "" && v.Text == "" && !v.isTable() && v.Number == 0 {
		return wrong(p.Name, "%s", p.Positive)
	}
	return nil
}

// Names returns the names of all parameters.
func (t Table) Names() []string {
	var names []string
	for i := range t {
		names = append(names, t[i].Name)
	}
	return names
}

// NameOf returns the name of the parameter with the given role, or the empty string if there is none.
func (t Table) NameOf(r Role) string {
	for i := range t {
		if t[i].Role == r {
			return t[i].Name
		}
	}
	return ""
}

// Times yields the name and the current value of each parameter that is a duration.
func (t Table) Times() iter.Seq2[string, time.Duration] {
	return func(yield func(string, time.Duration) bool) {
		for i := range t {
			if to := t[i].To.time; to != nil && !yield(t[i].Name, *to) {
				return
			}
		}
	}
}

// Described returns the table without targets, for display only.
func (t Table) Described() Table {
	d := slices.Clone(t)
	for i := range d {
		// Keep the description but drop the target, so that another table can read the row.
		d[i].To = Target{kind: d[i].To.kind, choices: d[i].To.choices, draw: d[i].To.draw}
	}
	return d
}

// Given contains the parameters of one run: values by name, the unit of time, and the processes.
type Given struct {
	values map[string]Value
	unit   time.Duration
	ids    []uint64
	names  []string // names of the rows read
}

// New returns the parameters of a run among processes with these IDs.
func New[ID ~uint64](values map[string]Value, unit time.Duration, ids []ID) *Given {
	g := &Given{values: values, unit: unit, ids: make([]uint64, len(ids))}
	for i, id := range ids {
		g.ids[i] = uint64(id)
	}
	return g
}

// For returns the given parameters that are in a table.
func (g *Given) For(t Table) *Given {
	// Copy g: the names read from the part are not names read from the whole.
	part := *g
	part.values, part.names = make(map[string]Value), nil
	for i := range t {
		if v, ok := g.values[t[i].Name]; ok {
			part.values[t[i].Name] = v
		}
	}
	return &part
}

// IDs returns the processes of the run, in the order of the topology.
func (g *Given) IDs() []uint64 { return g.ids }

// Names returns the names of all rows that have been read.
func (g *Given) Names() []string { return g.names }

func wrong(name, format string, args ...any) error {
	return input.At("params."+name, fmt.Errorf(format, args...))
}
