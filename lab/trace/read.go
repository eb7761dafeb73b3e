package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// longestLine bounds what a line may take.
const longestLine = 1 << 30

// Read reads a trace, to the end of r. It is strict: every line must be as [Write] writes it, except for
// spaces. Whatever is wrong gives one line that wraps [election.ErrInput] and names the line of the
// file. The events of each process must be numbered without a gap, and what is received must have
// been sent before, from where it came to here.
func Read(r io.Reader) (*Trace, error) {
	lines := bufio.NewScanner(r)
	// The header lists all processes and links. The default limit of a Scanner, 64 kB, is too short for
	// thousands.
	lines.Buffer(make([]byte, 1<<16), longestLine)
	t := &Trace{}
	if !lines.Scan() {
		if err := lines.Err(); err != nil {
			return nil, unreadable(1, err)
		}
		return nil, input.Errorf("line 1: the input is empty")
	}
	if err := t.Header.read(lines.Bytes()); err != nil {
		return nil, onLine(1, err)
	}
	check := newChecker(&t.Header)
	names := newNames(t.Header.Kinds)
	number := 1
	for lines.Scan() {
		number++
		e, err := parseEvent(lines.Bytes(), names)
		if err == nil {
			err = check.event(&e)
		}
		if err != nil {
			return nil, onLine(number, err)
		}
		t.Events = append(t.Events, e)
	}
	if err := lines.Err(); err != nil {
		return nil, unreadable(number+1, err)
	}
	return t, nil
}

func unreadable(line int, err error) error {
	return input.Errorf("line %d: it cannot be read: %w", line, err)
}

// onLine returns an error with its line.
func onLine(line int, err error) error {
	return input.At(fmt.Sprintf("line %d", line), err)
}

// decode reads one object with the fields of v and nothing behind it.
func decode(line []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return input.Errorf("it ends too early")
		}
		return notJSON(err)
	}
	// Decode stops behind the first value and ignores what follows it on the line.
	if dec.InputOffset() != int64(len(bytes.TrimRight(line, " \t\r"))) {
		return input.Errorf("something stands behind the object")
	}
	return nil
}

// notJSON refuses a line that encoding/json cannot read. That package has no error without its prefix and the
// types of Go, which mean nothing to a reader of traces. Its text is cut, as the program of the page has room
// for little more: "json: cannot unmarshal number 300 into Go struct field eventLine.timer of type uint8".
func notJSON(err error) error {
	text := strings.TrimPrefix(err.Error(), "json: ")
	value, field, _ := strings.Cut(text, " into Go struct field ")
	if _, field, _ = strings.Cut(field, "."); field != "" {
		name, kind, _ := strings.Cut(field, " of type ")
		text = name + ": " + strings.TrimPrefix(value, "cannot unmarshal ") + ", where " + inWords(kind) +
			" is wanted"
	}
	return input.Errorf("%s", text)
}

// inWords returns what a field of a Go type holds.
func inWords(kind string) string {
	switch {
	case kind == "string" || kind == "election.Shape":
		return "a text"
	case kind == "bool":
		return "true or false"
	case kind == "uint8":
		return "a whole number up to 255"
	case kind == "uint32":
		return "a whole number up to 4294967295"
	case kind == "int":
		return "a whole number"
	case strings.HasPrefix(kind, "["):
		return "a list"
	}
	return "an object"
}

// parseEvent reads the line of an event.
func parseEvent(line []byte, n *names) (Event, error) {
	var l eventLine
	if err := decode(line, &l); err != nil {
		return Event{}, err
	}
	e, err := l.event(n)
	if err != nil {
		return Event{}, err
	}
	// Write the event again and compare: that finds fields which have no meaning for this kind of event,
	// without a check for each.
	return e, canonical(line, e.line(n))
}

// canonical wants a line to be as it is written, except for spaces.
func canonical(line []byte, v any) error {
	written, err := lineOf(v)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, line); err != nil {
		return notJSON(err)
	}
	if got := compact.String(); got != written {
		at := 0
		for at < len(got) && at < len(written) && got[at] == written[at] {
			at++
		}
		return input.Errorf("where it says %.60q there should be %.60q", got[at:], written[at:])
	}
	return nil
}

// timersOf returns the names of timers as a descriptor has them.
func timersOf(raw []map[uint8]string) (all [][]string) {
	for _, layer := range raw {
		var names []string
		for timer := range math.MaxUint8 + 1 {
			if name, ok := layer[uint8(timer)]; ok {
				names = append(names, make([]string, timer-len(names))...)
				names = append(names, name)
			}
		}
		all = append(all, names)
	}
	return all
}

// read reads the first line.
func (h *Header) read(line []byte) error {
	var version struct {
		Trace int `json:"trace"`
	}
	// Read the version leniently and first: a later version may have fields that the strict decoder refuses
	// with a worse error.
	if err := json.Unmarshal(line, &version); err != nil || version.Trace == 0 {
		return input.Errorf("it is not the beginning of a trace")
	}
	if version.Trace != Version {
		return input.Errorf("version %d, this program reads %d", version.Trace, Version)
	}
	var raw headerLine
	if err := decode(line, &raw); err != nil {
		return err
	}
	s := &raw.Scenario
	if s.Algorithm == "" {
		return input.Errorf("algorithm: missing")
	}
	if len(raw.Kinds) > math.MaxUint8 {
		return input.Errorf("kinds: %d, at most %d can be", len(raw.Kinds), math.MaxUint8)
	}
	in := scenario.Input{IDs: s.IDs}
	where := in.Positions()
	// Positions has each ID once. So a zero or a repeated ID makes it shorter than the list.
	if delete(where, 0); len(where) == 0 || len(where) != len(s.IDs) {
		return input.Errorf("ids: every process once, and at least one")
	}
	if s.Priorities != nil && len(s.Priorities) != len(s.IDs) {
		return input.Errorf("priorities: %d for %d ids", len(s.Priorities), len(s.IDs))
	}
	links, err := raw.Links.build(s.IDs, where)
	if err != nil {
		return err
	}
	*h = Header{Driver: raw.Driver, Scenario: *s, Links: links, Kinds: raw.Kinds, Joins: raw.Joins,
		Names: raw.Names, Commands: raw.Commands, Timers: timersOf(raw.Timers), Delay: time.Duration(raw.Delay)}
	// As with events, a header is right only if it would be written the same way.
	return canonical(line, h.line())
}

// build makes the topology.
func (raw *linksLine) build(ids []election.ID, where map[election.ID]int) (topology.Topology, error) {
	if raw.Ports == nil {
		if t := arithmetic(raw.Shape, ids, raw.OneWay); t != nil {
			return t, nil
		}
		return nil, input.Errorf("links.ports: %d processes on a %.20q need them", len(ids),
			string(raw.Shape))
	}
	if len(raw.Ports) != len(ids) {
		return nil, input.Errorf("links.ports: of %d processes, there are %d", len(raw.Ports), len(ids))
	}
	ports := make([][]topology.End, len(ids))
	for p, row := range raw.Ports {
		ports[p] = make([]topology.End, len(row))
		for port, pair := range row {
			e := &ports[p][port]
			if e.Process = noProcess; len(pair) == 0 {
				continue
			}
			q, ok := 0, len(pair) == 2
			if ok {
				q, ok = where[election.ID(pair[0])]
			}
			if !ok || pair[1] > math.MaxUint32 {
				return nil, input.Errorf("links.ports: port %d of process %d is not a process and its port",
					port, ids[p])
			}
			*e = topology.End{Process: q, Port: election.Port(pair[1])}
		}
	}
	t, err := raw.weigh(topology.FromPorts(raw.Shape, ports))
	if err != nil {
		return nil, err
	}
	if raw.Root == 0 && raw.Up == nil {
		return t, nil
	}
	root, ok := where[election.ID(raw.Root)]
	if !ok || len(raw.Up) != len(ids) {
		return nil, input.Errorf("links.root: %d, and %d ways up for %d processes", uint64(raw.Root),
			len(raw.Up), len(ids))
	}
	up := make([]election.Port, len(ids))
	for p, port := range raw.Up {
		up[p] = election.Port(port)
		if p != root && port >= uint32(len(ports[p])) {
			return nil, input.Errorf("links.up: process %d has no port %d", ids[p], port)
		}
	}
	return topology.WithParents(t, root, up), nil
}

// weigh gives the links their weights. The caller compares the two ends of a link, as it
// compares everything that is written.
func (raw *linksLine) weigh(t topology.Topology) (topology.Topology, error) {
	if raw.Weights == nil {
		return t, nil
	}
	of := make(map[[2]int]uint64)
	for p := range t.Len() {
		if p >= len(raw.Weights) || len(raw.Weights[p]) != t.Ports(p) {
			return nil, input.Errorf("links.weights: one for each port is needed")
		}
		for port := range election.Port(t.Ports(p)) {
			if q, _, ok := t.Link(p, port); ok {
				of[[2]int{min(p, q), max(p, q)}] = uint64(raw.Weights[p][port])
			}
		}
	}
	return topology.WithWeights(t, func(p, q int) uint64 { return of[[2]int{p, q}] }), nil
}
