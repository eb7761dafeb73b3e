package params

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MaxTimeout is the maximum of every time-out of an algorithm, so that sums of a few time-outs do not overflow.
const MaxTimeout = time.Duration(math.MaxInt64 / 64)

// Value is the value of one parameter in a file or on a command line: a text, numbers by process, lists of
// processes by process, or otherwise a number.
type Value struct {
	Text   string
	ByID   map[uint64]float64
	Lists  map[uint64][]uint64
	Number float64
}

// String returns the value in the form used in error messages.
func (v Value) String() string {
	switch {
	case v.ByID != nil:
		return fmt.Sprintf("a table of %d numbers", len(v.ByID))
	case v.Lists != nil:
		return fmt.Sprintf("a table of %d lists", len(v.Lists))
	case v.Text != "":
		return fmt.Sprintf("%.40q", v.Text)
	}
	return fmt.Sprint(v.Number)
}

// isTable reports whether the value is a table by process.
func (v Value) isTable() bool { return v.ByID != nil || v.Lists != nil }

// Target is the variable for the value of a parameter. Functions named after the kind of value create targets.
type Target struct {
	kind    string   // see Kind
	choices []string // see Choices

	read  func(g *Given, name string, v Value) error
	draw  func(ids []uint64, intN func(n int) int) Value
	time  *time.Duration // for Table.Times
	isNil bool           // the target was created with a nil pointer
}

// Kind returns the kind of value: time, times, process, groups, count, choice, choice or times, or truth; the
// empty string for the zero Target.
func (t Target) Kind() string { return t.kind }

// Choices returns the valid names of a choice.
func (t Target) Choices() []string { return slices.Clone(t.choices) }

func texts[S ~string](choices []S) []string {
	var all []string
	for _, c := range choices {
		all = append(all, string(c))
	}
	return all
}

// Time returns a target for a number of units of time.
func Time(to *time.Duration) Target {
	return Target{kind: "time", isNil: to == nil, time: to, draw: drawNumber,
		read: func(g *Given, name string, v Value) (err error) {
			if v.Text != "" || v.isTable() {
				return wrong(name, "%s is not a time: a plain number of units", v)
			}
			t, err := g.time(name, v.Number)
			if err == nil {
				*to = t
			}
			return err
		}}
}

// Times returns a target for a duration for each of some processes, and zero for all others.
func Times[ID ~uint64](to *func(ID) time.Duration) Target {
	return Target{kind: "times", isNil: to == nil, draw: drawTimes,
		read: func(g *Given, name string, v Value) error {
			if v.ByID == nil {
				return wrong(name,
					`%s is not a table of times by process, as 1:3,2:3, or {"1": 3, "2": 3} in a file`, v)
			}
			known := slices.Sorted(slices.Values(g.ids))
			times := make(map[ID]time.Duration, len(v.ByID))
			for _, id := range slices.Sorted(maps.Keys(v.ByID)) {
				if _, ok := slices.BinarySearch(known, id); !ok {
					return wrong(name, "%d is not a process", id)
				}
				t, err := g.time(fmt.Sprintf("%s.%d", name, id), v.ByID[id])
				if err != nil {
					return err
				}
				times[ID(id)] = t
			}
			*to = func(id ID) time.Duration { return times[id] }
			return nil
		}}
}

// Process returns a target for the ID of a process.
func Process[ID ~uint64](to *ID) Target {
	return Target{kind: "process", isNil: to == nil, draw: drawProcess,
		read: func(g *Given, name string, v Value) error {
			id := uint64(v.Number)
			// Files write IDs above 2^53 as strings, because a JSON number cannot represent them.
			if large, err := strconv.ParseUint(v.Text, 10, 64); err == nil {
				id, v.Text, v.Number = large, "", float64(large)
			}
			switch {
			case v.Text != "" || v.isTable() || float64(id) != v.Number || id == 0:
				return wrong(name, "%s is not an id", v)
			case !slices.Contains(g.ids, id):
				return wrong(name, "%d is not a process", id)
			}
			*to = ID(id)
			return nil
		}}
}

// Groups returns a target for a list of processes for each of some processes, which leads them: their group. No
// process is in two groups. The function stored in to returns the leader of a process; a process that is in no
// list leads itself.
func Groups[ID ~uint64](to *func(ID) ID) Target {
	return Target{kind: "groups", isNil: to == nil, draw: drawGroups,
		read: func(g *Given, name string, v Value) error {
			if v.Text != "" || !v.isTable() {
				return wrong(name, `%s is not a table of lists of processes by process, as 5:1/3,4:2, or `+
					`{"5": [1, 3], "4": [2]} in a file`, v)
			}
			// A table of numbers is a table of lists with one member each, as a command line writes it, or
			// empty.
			lists := maps.Clone(v.Lists)
			if lists == nil {
				lists = make(map[uint64][]uint64)
			}
			for id, member := range v.ByID {
				if member != math.Trunc(member) || member < 1 {
					return wrong(name, "%v is not an id", member)
				}
				lists[id] = []uint64{uint64(member)}
			}
			known := slices.Sorted(slices.Values(g.ids))
			leaders := make(map[ID]ID)
			for _, leader := range slices.Sorted(maps.Keys(lists)) {
				for _, id := range append([]uint64{leader}, lists[leader]...) {
					if _, ok := slices.BinarySearch(known, id); !ok {
						return wrong(name, "%d is not a process", id)
					}
					if _, again := leaders[ID(id)]; again {
						return wrong(name, "%d is twice in them", id)
					}
					leaders[ID(id)] = ID(leader)
				}
			}
			*to = func(id ID) ID { return cmp.Or(leaders[id], id) }
			return nil
		}}
}

// Count returns a target for a whole number up to 2^32. A 32-bit target stores 2^32 as its largest number.
func Count[N uint32 | uint64](to *N) Target {
	return Target{kind: "count", isNil: to == nil, draw: drawNumber,
		read: func(_ *Given, name string, v Value) error {
			if v.Text != "" || v.isTable() || v.Number != math.Trunc(v.Number) || v.Number < 0 ||
				v.Number > 1<<32 {
				return wrong(name, "%s is not a whole number from 0 to 2^32", v)
			}
			// 2^32 itself is valid and means the largest uint32.
			*to = N(min(uint64(v.Number), uint64(^N(0))))
			return nil
		}}
}

// Choice returns a target for one of a few names.
func Choice[S ~string](to *S, choices ...S) Target {
	return Target{kind: "choice", choices: texts(choices), isNil: to == nil, draw: drawAmong(choices),
		read: func(_ *Given, name string, v Value) error {
			if !slices.Contains(choices, S(v.Text)) {
				return wrong(name, "%s is not one of %s", v, listed(choices))
			}
			*to = S(v.Text)
			return nil
		}}
}

// Either returns a target for one of two names, the second of which means true.
func Either(to *bool, no, yes string) Target {
	return Target{kind: "choice", choices: []string{no, yes}, isNil: to == nil,
		draw: drawAmong([]string{no, yes}),
		read: func(g *Given, name string, v Value) error {
			choice := no
			if err := Choice(&choice, no, yes).read(g, name, v); err != nil {
				return err
			}
			*to = choice == yes
			return nil
		}}
}

// ChoiceOrTimes returns a target for one of a few names, or a duration for each of some processes. Setting one
// clears the other.
func ChoiceOrTimes[S ~string, ID ~uint64](choice *S, times *func(ID) time.Duration, choices ...S) Target {
	draw := func(ids []uint64, intN func(n int) int) Value {
		if intN(len(choices)+1) == 0 {
			return drawTimes(ids, intN)
		}
		return drawAmong(choices)(ids, intN)
	}
	return Target{kind: "choice or times", choices: texts(choices), isNil: choice == nil || times == nil,
		draw: draw,
		read: func(g *Given, name string, v Value) error {
			if v.Text != "" {
				// A choice and durations by process exclude each other: setting one removes the default of the
				// other.
				*times = nil
				return Choice(choice, choices...).read(g, name, v)
			}
			*choice = ""
			return Times(times).read(g, name, v)
		}}
}

// Truth returns a target for yes or no. True and false are accepted as well, and so are 1 and 0.
func Truth(to *bool) Target {
	return Target{kind: "truth", isNil: to == nil, draw: drawAmong([]string{"no", "yes"}),
		read: func(_ *Given, name string, v Value) error {
			switch {
			case v.Text == "yes" || v.Text == "true" || v.Text == "" && !v.isTable() && v.Number == 1:
				*to = true
			case v.Text == "no" || v.Text == "false" || v.Text == "" && !v.isTable() && v.Number == 0:
				*to = false
			default:
				return wrong(name, "%s is neither yes nor no", v)
			}
			return nil
		}}
}

// time converts a number of units to a duration. If units is positive, the result is at least a nanosecond.
func (g *Given) time(name string, units float64) (time.Duration, error) {
	t := math.Round(units * float64(g.unit))
	switch {
	case math.IsNaN(t) || units < 0:
		return 0, wrong(name, "%v is not a time", units)
	// Compare as floats: converting a number that does not fit is undefined.
	case t >= float64(MaxTimeout):
		return 0, wrong(name, "%v units is too long", units)
	// A positive duration must not become zero, which means the default in many places.
	case t == 0 && units > 0:
		return 1, nil
	}
	return time.Duration(t), nil
}

func listed[S ~string](choices []S) string {
	var names []string
	for _, c := range choices {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}
