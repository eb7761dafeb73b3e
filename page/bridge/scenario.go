package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// mostProcesses is the largest run that a page is given.
const mostProcesses = 4096

// find finds an algorithm for a scenario, also a wrong one.
func find(name, variant string) (*election.Algorithm, error) { return museum.Find(name, variant) }

// wanted is a scenario in short, as the controls of a page give it: the fields of a file, and besides these
// what a file has no field for.
type wanted struct {
	scenario.Scenario
	n     int
	order sim.Order
	links topology.Plan
}

// scenario makes a scenario from the controls of a page. It accepts the fields of a file, with some
// additions: "algorithm" may contain the variant after a slash; "delay" may be "unit", "random", "hand" or
// "1-3", which determine the schedule; "initiators" may be "all" or "none". "n" replaces "ids", "order" is
// one of sim.Orders, and "links" one of topology.Kinds, such as "grid:3x4". A parameter may be a text as on a
// command line: "3", "1:3,2:3".
func (b *Bridge) scenario(_ context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	w, err := readWanted(args)
	if err != nil {
		return Reply{}, err
	}
	s, err := w.complete()
	if err != nil {
		return Reply{}, err
	}
	return written(s)
}

// readWanted reads what a page wants to be run.
func readWanted(args json.RawMessage) (*wanted, error) {
	fields := make(map[string]json.RawMessage)
	if err := read(args, &fields); err != nil {
		return nil, err
	}
	given := func(name string) bool {
		text, ok := fields[name]
		return ok && !bytes.Equal(text, []byte("null"))
	}
	if given("n") && given("ids") {
		return nil, input.Errorf("n and ids exclude each other")
	}
	w := &wanted{}
	take := func(name string, to any) error {
		text, ok := fields[name], given(name)
		delete(fields, name)
		if !ok {
			return nil
		}
		if err := json.Unmarshal(text, to); err != nil {
			return input.Errorf("%s: %.60s is not what is wanted here", name, text)
		}
		return nil
	}
	var links string
	for _, field := range []struct {
		name string
		to   any
	}{{"n", &w.n}, {"order", &w.order}, {"links", &links}} {
		if err := take(field.name, field.to); err != nil {
			return nil, err
		}
	}
	if err := expand(fields); err != nil {
		return nil, err
	}
	if err := expandParams(fields); err != nil {
		return nil, err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if err := w.Scenario.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	if w.links, err = readPlan(links); err != nil {
		return nil, err
	}
	return w, nil
}

// expand replaces the short forms of a page by the form of a file.
func expand(fields map[string]json.RawMessage) error {
	short := func(name string) (text string, ok bool) {
		ok = json.Unmarshal(fields[name], &text) == nil
		return text, ok
	}
	set := func(name string, v any) {
		fields[name], _ = json.Marshal(v) // of texts, numbers and lists of them: that cannot fail
	}
	if title, ok := short("algorithm"); ok {
		name, variant, slash := strings.Cut(title, "/")
		if set("algorithm", name); slash {
			set("variant", variant)
		}
	}
	if all, ok := short("initiators"); ok {
		switch delete(fields, "initiators"); all {
		case "all":
		case "none":
			set("initiators", []int{})
		default:
			return input.Errorf("initiators: %.40q is neither all nor none", all)
		}
	}
	delay, ok := short("delay")
	if !ok {
		// Any other delay has the form of a file, such as the delay of the run that is shown.
		if fields["delay"] != nil && fields["schedule"] == nil {
			set("schedule", sim.RandomDelay)
		}
		return nil
	}
	delete(fields, "delay")
	switch delay {
	case "unit", "random", "hand":
		set("schedule", delay)
		return nil
	}
	set("schedule", sim.RandomDelay)
	low, high, _ := strings.Cut(delay, "-")
	least, err := strconv.ParseFloat(low, 64)
	most, err2 := strconv.ParseFloat(high, 64)
	if finite := least-least == 0 && most-most == 0; err != nil || err2 != nil || !finite {
		return input.Errorf("delay: %.40q is not one of unit, random, hand and two times, as in 1-3", delay)
	}
	set("delay", map[string]float64{"min": least, "max": most})
	return nil
}

// mostExact is the length of a number that a file has as a text, since a number in JSON would round it.
const mostExact = 16

// expandParams converts parameters that are typed as on a command line to the form of a file: numbers, and
// tables by process. The reader of files checks them. params.Typed, which reads the same values for the
// command with better errors, would make the program 1.6 kB larger, compressed.
func expandParams(fields map[string]json.RawMessage) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(fields["params"], &given) != nil || len(given) == 0 {
		return nil // no parameters, or not an object: the reader of files returns the error
	}
	for name, value := range given {
		var text string
		if json.Unmarshal(value, &text) != nil {
			continue
		}
		if !strings.Contains(text, ":") {
			if json.Valid([]byte(text)) && len(text) < mostExact {
				given[name] = json.RawMessage(text)
			}
			continue
		}
		signs, shut := []string{" ", "", ":", `":`, ",", `,"`}, `}`
		if strings.Contains(text, "/") {
			signs, shut = []string{" ", "", ",", `],"`, ":", `":[`, "/", ","}, `]}`
		}
		table := text
		for i := 0; i < len(signs); i += 2 {
			table = strings.ReplaceAll(table, signs[i], signs[i+1])
		}
		if given[name] = json.RawMessage(`{"` + table + shut); !json.Valid(given[name]) {
			return input.Errorf("params.%.60s: %.60q is not a table by process, as 1:3,2:3 or 5:1/3,4:2",
				name, text)
		}
	}
	fields["params"], _ = json.Marshal(given) // of valid values: that cannot fail
	return nil
}

// readPlan reads a kind of links, and their size: "grid:3x4", "hypercube:3", "random:20", "circulant:1,5".
func readPlan(text string) (topology.Plan, error) {
	kind, size, sized := strings.Cut(text, ":")
	p := topology.Plan{Kind: kind}
	if text == "" {
		return p, nil
	}
	kinds := topology.Kinds()
	kinds = kinds[:len(kinds)-1] // without the last, dot, which needs a file
	wrong := input.Errorf("links: %.60q is not one of %s, with a size as in grid:3x4 or random:20", text,
		strings.Join(kinds, ", "))
	if !slices.Contains(kinds, kind) {
		return p, wrong
	}
	if !sized {
		return p, nil
	}
	var numbers []int
	for part := range strings.FieldsFuncSeq(size, func(r rune) bool { return r == 'x' || r == ',' }) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > mostProcesses*mostProcesses {
			return p, wrong
		}
		numbers = append(numbers, n)
	}
	switch {
	// Without processes there is no grid, and 0 rows would be taken as not given.
	case (kind == "grid" || kind == "torus") && len(numbers) == 2 && numbers[0]*numbers[1] > 0:
		p.Rows, p.Cols = numbers[0], numbers[1]
	case (kind == "random" || kind == "hypercube") && len(numbers) == 1,
		kind == "circulant" && len(numbers) > 0:
		p.Numbers = numbers
	default:
		return p, wrong
	}
	return p, nil
}

// complete makes the scenario.
func (w *wanted) complete() (*scenario.Scenario, error) {
	a, err := find(w.Algorithm, w.Variant)
	if err != nil {
		return nil, err
	}
	if w.IDs == nil {
		if err := w.number(a); err != nil {
			return nil, err
		}
	}
	if len(w.IDs) > mostProcesses {
		return nil, input.Errorf("ids: %d processes, at most %d can be shown", len(w.IDs), mostProcesses)
	}
	if w.links.Kind == "ring" && a.Topology == election.Graph {
		// The ports of a ring follow its direction; a graph from a file numbers ports by the processes behind
		// them.
		w.links.Kind, w.links.Numbers = "circulant", []int{1}
	}
	if links := linksOf(&w.links, a, len(w.IDs)); links > mostLinks {
		return nil, input.Errorf("links: %d, at most %d can be shown", links, mostLinks)
	}
	// Without its own links first: what is wrong with the processes has a better error than their graph has.
	own := w.Scenario
	if w.links.Kind != "" {
		own.Topology = nil
	}
	in, err := own.Input(find)
	if err != nil {
		return nil, err
	}
	if w.links.Kind != "" {
		if in.Topology, err = w.links.Build(in.Algorithm, in.IDs, w.Seed); err != nil {
			return nil, input.At("links", err)
		}
	}
	// Lists are shared with own, and Arrange moves the processes.
	in.IDs, in.Priorities = slices.Clone(in.IDs), slices.Clone(in.Priorities)
	if err := w.arrange(&in); err != nil {
		return nil, err
	}
	joined, err := scenario.Of(&in)
	if err != nil {
		return nil, err
	}
	s := w.Scenario
	s.IDs, s.Priorities, s.Topology, s.Variant = in.IDs, joined.Priorities, joined.Topology, a.Variant
	if s.Until == 0 && endless(&s) {
		s.Until = endOf(in.Algorithm)
	}
	return &s, nil
}

// mostLinks bounds the links of a graph that is made here. A complete graph for an algorithm on complete
// graphs takes no memory.
const mostLinks = 1 << 20

// linksOf returns the number of links that a plan makes for an algorithm.
func linksOf(p *topology.Plan, a *election.Algorithm, n int) int {
	switch {
	case p.Kind == "complete" && a.Topology != election.Complete:
		return n * (n - 1) / 2
	case p.Kind == "random" && len(p.Numbers) > 0:
		return p.Numbers[0]
	case p.Kind == "circulant":
		return n * len(p.Numbers)
	}
	return 0 // no more than some for each process
}

// number makes n processes, or the next smaller number that the shape allows.
func (w *wanted) number(a *election.Algorithm) error {
	n := w.n
	switch {
	case n == 0:
		n = usual(a.Topology)
	case n < 1 || n > mostProcesses:
		return input.Errorf("n: %d processes, it must be from 1 to %d", n, mostProcesses)
	}
	if a.Topology == election.Hypercube || a.Topology == election.Mesh {
		sizes := topology.Sizes(a.Topology, mostProcesses)
		n = sizes[max(0, lastUpTo(sizes, n))]
	}
	for id := range n {
		w.IDs = append(w.IDs, election.ID(id+1))
	}
	return nil
}

// lastUpTo returns the index of the largest number up to n in an ascending list, or -1 if there is none.
func lastUpTo(rising []int, n int) int {
	i, found := slices.BinarySearch(rising, n)
	if found {
		return i
	}
	return i - 1
}

// arrange puts the processes in order.
func (w *wanted) arrange(in *scenario.Input) error {
	switch {
	case w.order == "":
	case !slices.Contains(sim.Orders(), w.order):
		return input.Errorf("order: %.40q is not one of %v", string(w.order), sim.Orders())
	case !sim.Arrange(in, w.order, w.Seed):
		return input.Errorf("order: no %s one is known for %s with %d processes", w.order,
			in.Algorithm.Title(), len(in.IDs))
	}
	return in.Check()
}
