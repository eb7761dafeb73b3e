// Package params describes the parameters of algorithms, which files and command lines give by name, and
// reads them.
//
// An algorithm has one [Table] of its parameters: each row names a parameter, says what it means and what
// counts if it is not given, and points to where its value goes. People are shown the table, tools act on the
// [Role] of a row, and [Table.Read] sets, checks and refuses what a run is given ([Given]).
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
	Role     Role   // what tools act on; zero for most
	Positive string // why zero is refused; empty where it is allowed

	Most float64 // the largest number that is allowed; zero: any that the target takes
	To   Target  // where the value goes; the zero Target: another table reads it
}

// Role is what a parameter means to a tool, whatever its name is.
type Role uint8

// The roles.
const (
	// DelayBound is the longest that a message takes. Unless it is given, tools set it to the longest delay
	// of the run.
	DelayBound Role = iota + 1
	// MessageBudget is how many messages may be sent. A process that asks late may find the budget used up.
	MessageBudget
	// LeaseTime is how long a leader leads unless it renews its lease.
	LeaseTime
	// DrawRange is from how many numbers a process draws. Where a scenario gives what is drawn, tools set it
	// to what that needs.
	DrawRange
	// GroupSize is the number of processes, which tools know.
	GroupSize
	// Diameter is the largest distance between two processes, or more than that. Tools do not set it: its
	// default fits any links.
	Diameter
)

// Table describes all parameters of an algorithm.
type Table []Param

// Read sets the targets of all parameters that are given; of the others they stay as they are. The error
// wraps election.ErrInput: the first value that is wrong, or a parameter that has no row.
func (t Table) Read(g *Given) error {
	for i := range t {
		// Tables of several machines are joined, so a name may occur twice without either author noticing.
		if slices.ContainsFunc(t[:i], func(p Param) bool { return p.Name == t[i].Name }) {
			return input.Errorf("params: two rows of the table are named %.40q", t[i].Name)
		}
		g.names = append(g.names, t[i].Name)
		if err := t[i].Read(g); err != nil {
			return err
		}
	}
	// Sort, so that of several wrong names the same one is reported each time.
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

// Read sets the target of one parameter, if that is given.
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

// NameOf returns the name of the parameter that has a role; empty if none has it.
func (t Table) NameOf(r Role) string {
	for i := range t {
		if t[i].Role == r {
			return t[i].Name
		}
	}
	return ""
}

// Times yields the name and the present value of each parameter that is a time.
func (t Table) Times() iter.Seq2[string, time.Duration] {
	return func(yield func(string, time.Duration) bool) {
		for i := range t {
			if to := t[i].To.time; to != nil && !yield(t[i].Name, *to) {
				return
			}
		}
	}
}

// Described returns the table without targets: a description sets nothing.
func (t Table) Described() Table {
	d := slices.Clone(t)
	for i := range d {
		// Without its target a row can be read by another table, and describes only.
		d[i].To = Target{kind: d[i].To.kind, choices: d[i].To.choices, draw: d[i].To.draw}
	}
	return d
}

// Given is what one run is given: values by name, the unit of time, and the processes.
type Given struct {
	values map[string]Value
	unit   time.Duration
	ids    []uint64
	names  []string // of the rows read
}

// New returns the parameters of a run among processes of these IDs.
func New[ID ~uint64](values map[string]Value, unit time.Duration, ids []ID) *Given {
	g := &Given{values: values, unit: unit, ids: make([]uint64, len(ids))}
	for i, id := range ids {
		g.ids[i] = uint64(id)
	}
	return g
}

// For returns what is given of the parameters of one table.
func (g *Given) For(t Table) *Given {
	// Copy it: the names that this part reads are not those of the whole.
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
