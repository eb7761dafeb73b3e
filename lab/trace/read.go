package trace

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// longestLine bounds what a line may take.
const longestLine = 1 << 30

// Read reads a trace, to the end of r. It is strict: every line must be as [Write] writes it, but for
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

// onLine says on which line something is wrong.
func onLine(line int, err error) error {
	return input.At(fmt.Sprintf("line %d", line), err)
}

// number is a whole number, or a text that holds a large one.
type number uint64

// UnmarshalJSON reads a number.
func (n *number) UnmarshalJSON(b []byte) error {
	if len(b) > 1 && b[0] == '"' {
		b = b[1 : len(b)-1]
	}
	v, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		return fmt.Errorf("%.40s is not a whole number", b)
	}
	*n = number(v)
	return nil
}

// units is a time in units.
type units time.Duration

// UnmarshalJSON reads a time.
func (u *units) UnmarshalJSON(b []byte) error {
	wrong := fmt.Errorf("%.40s is not a time in units", b)
	text, negative := strings.CutPrefix(string(b), "-")
	// Do not use ParseFloat: it rounds, and a trace has to return every nanosecond.
	whole, rest, _ := strings.Cut(text, ".")
	if len(rest) > 9 {
		return wrong
	}
	w, err := strconv.ParseUint(whole, 10, 64)
	f, err2 := strconv.ParseUint((rest + "000000000")[:9], 10, 64)
	if err != nil || err2 != nil || w > math.MaxInt64/uint64(time.Second) || w*uint64(time.Second)+
		f > math.MaxInt64 {
		return wrong
	}
	t := time.Duration(w*uint64(time.Second) + f)
	if negative {
		t = -t
	}
	*u = units(t)
	return nil
}

// kind is the name of a kind of message, or its number.
type kind struct {
	name   string
	number number
}

// UnmarshalJSON reads a kind.
func (k *kind) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &k.name)
	}
	return k.number.UnmarshalJSON(b)
}

// rawMessage is a message as a line holds it.
type rawMessage struct {
	Kind     kind   `json:"kind"`
	Term     number `json:"term"`
	ID       number `json:"id"`
	Priority number `json:"priority"`
	Value    number `json:"value"`
	Round    uint32 `json:"round"`
	Flags    uint8  `json:"flags"`
	Layer    uint8  `json:"layer"`
}

// rawEvent is an event as a line holds it.
type rawEvent struct {
	Process  number     `json:"process"`
	Seq      number     `json:"seq"`
	At       units      `json:"at"`
	Do       string     `json:"do"`
	From     []number   `json:"from"`
	Peer     number     `json:"peer"`
	Port     uint32     `json:"port"`
	Message  rawMessage `json:"message"`
	Timer    uint8      `json:"timer"`
	Layer    uint8      `json:"layer"`
	Min      units      `json:"min"`
	Max      units      `json:"max"`
	Op       string     `json:"op"`
	Role     string     `json:"role"`
	Term     number     `json:"term"`
	Leader   number     `json:"leader"`
	Priority number     `json:"priority"`
	Error    string     `json:"error"`
	Of       uint32     `json:"of"`
	Chosen   uint32     `json:"chosen"`
	State    string     `json:"state"`
	Until    units      `json:"until"`
	// of an init
	Incarnation number `json:"incarnation"`
	Floor       number `json:"floor"`
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
// types of Go, which say nothing to a reader of traces. Its text is cut, as the program of the page has room
// for little more: "json: cannot unmarshal number 300 into Go struct field rawEvent.timer of type uint8".
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

// inWords says what a field of a type of Go holds.
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
	var raw rawEvent
	if err := decode(line, &raw); err != nil {
		return Event{}, err
	}
	do, ok := parseWord(raw.Do)
	if !ok {
		return Event{}, input.Errorf("do: %.40q is nothing that happens", raw.Do)
	}
	state, err := base64.StdEncoding.DecodeString(raw.State)
	if err != nil {
		return Event{}, input.Errorf("state: it is not in base 64")
	}
	m, err := raw.Message.message(n)
	if err != nil {
		return Event{}, err
	}
	if do == observe.Init {
		m = election.Message{Value: uint64(raw.Incarnation), Term: uint64(raw.Floor)}
	}
	e := Event{
		Process: election.ID(raw.Process), Seq: uint64(raw.Seq), At: time.Duration(raw.At), Do: do,
		Peer: election.ID(raw.Peer), Port: election.Port(raw.Port), Message: m,
		Timer: raw.Timer, Layer: raw.Layer, Min: time.Duration(raw.Min), Max: time.Duration(raw.Max),
		Op: raw.Op,
		Outcome: election.Outcome{Term: uint64(raw.Term), Leader: election.Rank{ID: election.ID(raw.Leader),
			Priority: uint64(raw.Priority)}, Until: time.Duration(raw.Until)},
		Error: raw.Error, Of: int(raw.Of), Chosen: int(raw.Chosen), State: string(state),
	}
	switch len(raw.From) {
	case 0:
	case 2:
		e.From = Ref{election.ID(raw.From[0]), uint64(raw.From[1])}
	default:
		return Event{}, input.Errorf("from: it is not a process and a number there")
	}
	for _, role := range []election.Role{election.Undecided, election.Follower, election.Leader} {
		if role.String() == raw.Role {
			e.Outcome.Role = role
		}
	}
	// Write the event again and compare: that finds fields which have no meaning for this kind of event,
	// without a check for each.
	return e, canonical(line, appendEvent(nil, &e, n))
}

func (raw *rawMessage) message(n *names) (election.Message, error) {
	m := election.Message{
		Term: uint64(raw.Term), Rank: election.Rank{ID: election.ID(raw.ID), Priority: uint64(raw.Priority)},
		Value: uint64(raw.Value), Round: raw.Round, Flags: raw.Flags, Layer: raw.Layer,
	}
	known, ok := n.kind[raw.Kind.name]
	switch {
	case ok:
		m.Kind = known
	case raw.Kind.name != "":
		return m, input.Errorf("kind: %.40q is no message of this algorithm", raw.Kind.name)
	case raw.Kind.number > math.MaxUint8:
		return m, input.Errorf("kind: %d is more than %d", raw.Kind.number, math.MaxUint8)
	default:
		m.Kind = uint8(raw.Kind.number)
	}
	return m, nil
}

// canonical wants a line to be what would be written of it, but for spaces.
func canonical(line, written []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, line); err != nil {
		return notJSON(err)
	}
	written = bytes.TrimSpace(written)
	if got := compact.Bytes(); !bytes.Equal(got, written) {
		at := 0
		for at < len(got) && at < len(written) && got[at] == written[at] {
			at++
		}
		return input.Errorf("where it says %.60q there should be %.60q", got[at:], written[at:])
	}
	return nil
}

// rawHeader is a header as its line holds it.
type rawHeader struct {
	Trace    int                `json:"trace"`
	Driver   string             `json:"driver"`
	Scenario scenario.Scenario  `json:"scenario"`
	Links    rawLinks           `json:"links"`
	Kinds    []string           `json:"kinds"`
	Joins    []string           `json:"joins"`
	Names    []Names            `json:"names"`
	Timers   []map[uint8]string `json:"timers"`
	Delay    units              `json:"delay"`
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

type rawLinks struct {
	Shape   election.Shape `json:"shape"`
	OneWay  bool           `json:"one_way"`
	Ports   [][][]number   `json:"ports"`
	Weights [][]number     `json:"weights"`
	Root    number         `json:"root"`
	Up      []uint32       `json:"up"`
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
	var raw rawHeader
	if err := decode(line, &raw); err != nil {
		return err
	}
	s := &raw.Scenario
	if s.Algorithm == "" {
		return input.Errorf("algorithm: none is given")
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
		Names: raw.Names, Timers: timersOf(raw.Timers), Delay: time.Duration(raw.Delay)}
	// As with events, a header is right only if it would be written the same way.
	written, err := appendHeader(nil, h)
	if err != nil {
		return err
	}
	return canonical(line, written)
}

// build makes the topology.
func (raw *rawLinks) build(ids []election.ID, where map[election.ID]int) (topology.Topology, error) {
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

// weigh gives the links their weights. What the two ends of a link say of it is compared by the caller,
// as all that is written.
func (raw *rawLinks) weigh(t topology.Topology) (topology.Topology, error) {
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
