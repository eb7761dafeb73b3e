package topology

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-election/election"
)

// maxDOT bounds a file in the DOT language, in bytes.
const maxDOT = 1 << 28

// ReadDOT reads a graph or a tree in a subset of the DOT language, until the end of r:
//
//	graph example { // a digraph is an error: links are two-way
//		1 -- 2 -- 3;
//		"4" -- 1 [weight=3, color=red];
//	}
//
// Names are the IDs of the processes: numbers, quoted or not. ReadDOT returns the IDs in the order of their
// first occurrence. A process numbers its links in the order of the file. In a strict graph, a repeated link
// is ignored. The attribute weight of a link, or of "edge" for the links that follow, is a whole number.
// ReadDOT ignores other attributes, comments, lines that begin with #, and a byte order mark. Subgraphs and
// ports are errors. Errors contain the line number.
func ReadDOT(r io.Reader, shape election.Shape) (Topology, []election.ID, error) {
	// One byte more than allowed, to notice that there is more.
	text, err := io.ReadAll(io.LimitReader(r, maxDOT+1))
	switch {
	case err != nil:
		return nil, nil, refuse("it cannot be read: %w", err)
	case len(text) > maxDOT:
		return nil, nil, refuse("more than %d bytes", maxDOT)
	}
	d := &dot{scanner: newDOTScanner(text), places: make(map[election.ID]int),
		weights: make(map[[2]int]uint64)}
	d.file()
	if d.err != nil {
		return nil, nil, d.err
	}
	t, err := New(shape, len(d.ids), d.links)
	// New speaks of places in the list; the author of the file knows IDs and lines.
	if wrong, ok := errors.AsType[*LinkError](err); ok {
		return nil, nil, d.explain(wrong)
	}
	for _, w := range d.weights {
		if err == nil && w > 0 {
			return WithWeights(t, func(p, q int) uint64 { return d.weights[[2]int{p, q}] }), d.ids, nil
		}
	}
	return t, d.ids, err
}

// dot reads a file. Once there is an error it reads nothing more.
type dot struct {
	scanner dotScanner
	token   dotToken // the one at hand
	err     error

	ids    []election.ID
	places map[election.ID]int
	links  [][2]int
	lines  []int32 // of links
	strict bool

	weights map[[2]int]uint64 // of the links, by their ends, the smaller first
	usual   uint64            // the weight of a link that names none
}

// explain returns the error for a link in terms of IDs and lines.
func (d *dot) explain(e *LinkError) error {
	a, b := d.ids[e.A], d.ids[e.B]
	if e.Why == Apart {
		return refuse("no path joins %d and %d", a, b)
	}
	line := int(d.lines[e.Link])
	switch e.Why {
	case ToItself:
		return dotError(line, "%d is joined to itself", a)
	case Twice:
		return dotError(line, "%d and %d are joined already, in line %d", a, b, d.lines[e.First])
	}
	return dotError(line, "%d and %d close a cycle, which a tree cannot have", a, b)
}

func dotError(line int, format string, args ...any) error {
	return refuse("line %d: %s", line, fmt.Sprintf(format, args...))
}

// next reads the next token.
func (d *dot) next() {
	if d.err == nil {
		d.token, d.err = d.scanner.token()
	}
	if d.err != nil {
		// An empty token matches nothing, so every loop of the parser ends.
		d.token = dotToken{}
	}
}

func (d *dot) wrong(format string, args ...any) {
	if d.err == nil {
		d.err = dotError(d.token.line, format, args...)
	}
	d.token = dotToken{}
}

// take passes over a sign that must stand here.
func (d *dot) take(sign, where string) {
	if d.token.kind != dotSign || d.token.text != sign {
		d.wrong("%s, where %s %s is needed", d.token, sign, where)
	}
	d.next()
}

// file reads a whole file, from its first line on.
func (d *dot) file() {
	d.next()
	if d.token.is("strict") {
		d.strict = true
		d.next()
	}
	switch {
	case d.token.is("digraph"):
		d.wrong("a digraph, whose links lead one way; only a graph can be read")
	case !d.token.is("graph"):
		d.wrong("%s, where the word graph is needed", d.token)
	}
	d.next()
	if d.token.isName() {
		d.next()
	}
	d.take("{", "before the first link")
	for d.err == nil && !d.token.at("}") {
		d.statement()
	}
	d.take("}", "after the last link")
	switch {
	case d.err == nil && d.token.kind != dotEnd:
		d.wrong("%s after the end of the graph", d.token)
	case d.err == nil && len(d.ids) == 0:
		d.wrong("the graph has no processes")
	}
}

// statement reads a process, or a chain of links, or something that is passed over.
func (d *dot) statement() {
	switch {
	case d.token.at(";"):
		d.next()
		return
	case d.token.is("subgraph") || d.token.at("{"):
		d.wrong("a subgraph, which is not read")
		return
	case d.token.is("graph") || d.token.is("node") || d.token.is("edge"):
		links := d.token.is("edge")
		d.next()
		d.take("[", "before attributes")
		if weight, given := d.attributes(links); given {
			d.usual = weight
		}
		return
	case !d.token.isName():
		d.wrong("%s, where a process or a link is needed", d.token)
		return
	}
	name := d.token
	if d.next(); d.token.at("=") { // an attribute of the graph
		d.next()
		d.value()
		return
	}
	joined := d.chain(name)
	for d.token.at("[") {
		d.next()
		if weight, given := d.attributes(len(joined) > 0); given {
			for _, pair := range joined {
				d.weights[pair] = weight
			}
		}
	}
}

// chain reads what is behind the first name of a chain, and returns the pairs that it joins.
func (d *dot) chain(name dotToken) (joined [][2]int) {
	p := d.process(name)
	for d.err == nil {
		switch {
		case d.token.at("->"):
			d.wrong("->, but links are two-way: --")
		case d.token.at(":"):
			d.wrong("a port, which is not read")
		}
		if !d.token.at("--") {
			return joined
		}
		d.next()
		if d.token.is("subgraph") || d.token.at("{") {
			d.wrong("a subgraph, which is not read")
		} else if !d.token.isName() {
			d.wrong("%s, where a process is needed", d.token)
		}
		line := int32(d.token.line)
		q := d.process(d.token)
		joined = append(joined, d.link(p, q, line))
		// In a chain a -- b -- c, the next link begins at b.
		p = q
		d.next()
	}
	return nil
}

// link takes down a link, of a strict graph once, and returns its ends, the smaller first.
func (d *dot) link(p, q int, line int32) [2]int {
	// Links are two-way: 1 -- 2 and 2 -- 1 are the same.
	pair := [2]int{min(p, q), max(p, q)}
	if _, again := d.weights[pair]; again && d.strict {
		return pair
	}
	d.weights[pair] = d.usual
	d.links = append(d.links, [2]int{p, q})
	d.lines = append(d.lines, line)
	return pair
}

// process returns the place of a process, which it may not have had yet.
func (d *dot) process(name dotToken) int {
	if d.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(name.text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		d.err = dotError(name.line, "%s is above the largest id there is", name)
	case err != nil:
		d.err = dotError(name.line, "%s is not an id, a whole number", name)
	case n == 0:
		d.err = dotError(name.line, "0 is not a valid id")
	}
	id := election.ID(n)
	p, known := d.places[id]
	if !known {
		p = len(d.ids)
		d.places[id] = p
		d.ids = append(d.ids, id)
	}
	return p
}

// attributes skips a list of attributes. If they belong to links, it returns their weight.
func (d *dot) attributes(links bool) (weight uint64, given bool) {
	for d.err == nil && !d.token.at("]") {
		if !d.token.isName() {
			d.wrong("%s, where an attribute or ] is needed", d.token)
		}
		named := links && d.token.text == "weight"
		if d.next(); d.token.at("=") {
			d.next()
			if named {
				weight, given = d.weight(), true
			}
			d.value()
		}
		for d.token.at(",") || d.token.at(";") {
			d.next()
		}
	}
	d.take("]", "after attributes")
	return weight, given
}

// weight reads a weight.
func (d *dot) weight() uint64 {
	w, err := strconv.ParseUint(d.token.text, 10, 64)
	if d.err == nil && d.token.isName() && err != nil {
		d.wrong("%s is no weight, a whole number up to 2^64-1", d.token)
	}
	return w
}

// value passes over the value of an attribute.
func (d *dot) value() {
	if !d.token.isName() {
		d.wrong("%s, where the value of an attribute is needed", d.token)
	}
	d.next()
}

// String writes a token for an error.
func (t dotToken) String() string {
	const most = 40
	switch {
	case t.kind == dotEnd:
		return "the end"
	case t.kind == dotSign:
		return t.text
	case len(t.text) > most:
		// The cut may fall inside a character.
		return strconv.Quote(strings.ToValidUTF8(t.text[:most], "")) + "..."
	}
	return strconv.Quote(t.text)
}

// WriteDOT writes processes and their links in the format of [ReadDOT], with weights if there are any.
// ReadDOT returns the same topology, if a list of links determines its ports; see [Listed].
func WriteDOT(w io.Writer, t Topology, ids []election.ID) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "graph {")
	// All processes first: they keep their order.
	for _, id := range ids {
		fmt.Fprintf(b, "\t%d;\n", id)
	}
	weighs := IsWeighted(t)
	for _, end := range Listed(t) {
		q, _, _ := t.Link(end.Process, end.Port)
		fmt.Fprintf(b, "\t%d -- %d", ids[end.Process], ids[q])
		if weighs {
			fmt.Fprintf(b, " [weight=%d]", Weight(t, end.Process, end.Port))
		}
		fmt.Fprintln(b, ";")
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}
