package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// number is a whole number. Above 2^53, up to which every program reads JSON numbers exactly, it is a text.
type number uint64

// MarshalJSON writes the number.
func (n number) MarshalJSON() ([]byte, error) {
	if n > 1<<53 {
		return append(strconv.AppendUint([]byte{'"'}, uint64(n), 10), '"'), nil
	}
	return strconv.AppendUint(nil, uint64(n), 10), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseUint(string(bytes.Trim(b, `"`)), 10, 64)
	if err != nil {
		return fmt.Errorf("%.40s is not a whole number", b)
	}
	*n = number(v)
	return nil
}

// units is a time in units, exactly.
type units time.Duration

// MarshalJSON writes the time.
func (u units) MarshalJSON() ([]byte, error) { return []byte(scenario.InUnits(time.Duration(u))), nil }

// UnmarshalJSON reads what MarshalJSON writes.
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
	if err != nil || err2 != nil || w > math.MaxInt64/uint64(time.Second) || w*uint64(time.Second)+f > math.MaxInt64 {
		return wrong
	}
	if *u = units(w*uint64(time.Second) + f); negative {
		*u = -*u
	}
	return nil
}

// Write writes a trace as [Read] reads it. The same trace gives the same bytes.
func Write(w io.Writer, t *Trace) error {
	b := bufio.NewWriterSize(w, 1<<16)
	enc, names := encoder(b), newNames(t.Header.Kinds)
	if err := enc.Encode(t.Header.line()); err != nil {
		return err
	}
	for i := range t.Events {
		if err := enc.Encode(t.Events[i].line(names)); err != nil {
			return err
		}
	}
	return b.Flush()
}

// messageLine is a message as a line holds it.
type messageLine struct {
	Kind     any    `json:"kind"` // the name, or the number of a kind without a name
	Term     number `json:"term,omitzero"`
	ID       number `json:"id,omitzero"`
	Priority number `json:"priority,omitzero"`
	Value    number `json:"value,omitzero"`
	Round    uint32 `json:"round,omitzero"`
	Flags    uint8  `json:"flags,omitzero"`
	Layer    uint8  `json:"layer,omitzero"`
}

// eventLine is an event as a line holds it. A pointer is to what is written even if it is zero, by events to
// which it belongs.
type eventLine struct {
	Process     number       `json:"process"`
	Seq         number       `json:"seq"`
	At          units        `json:"at"`
	Do          string       `json:"do"`
	From        []number     `json:"from,omitempty"`
	Peer        number       `json:"peer,omitzero"`
	Op          *string      `json:"op,omitempty"`
	Port        *uint32      `json:"port,omitempty"`
	Message     *messageLine `json:"message,omitempty"`
	Incarnation number       `json:"incarnation,omitzero"`
	Floor       number       `json:"floor,omitzero"`
	Timer       *uint8       `json:"timer,omitempty"`
	Layer       uint8        `json:"layer,omitzero"`
	Min         *units       `json:"min,omitempty"`
	Max         *units       `json:"max,omitempty"`
	Role        string       `json:"role,omitempty"`
	Term        *number      `json:"term,omitempty"`
	Leader      *number      `json:"leader,omitempty"`
	Priority    number       `json:"priority,omitzero"`
	Until       units        `json:"until,omitzero"`
	Error       *string      `json:"error,omitempty"`
	Of          *uint32      `json:"of,omitempty"`
	Chosen      *uint32      `json:"chosen,omitempty"`
	State       *[]byte      `json:"state,omitempty"`
}

// names are the names of kinds of messages, as lines hold them.
type names struct {
	of   []string
	kind map[string]uint8
}

func newNames(kinds []string) *names {
	n := &names{of: make([]string, len(kinds)), kind: map[string]uint8{catchUp: election.CatchUp}}
	for i, name := range kinds {
		// If two kinds share a name, only the first gets it. The other is written as a number, so that
		// reading is unambiguous.
		if _, taken := n.kind[name]; name != "" && !taken {
			n.of[i], n.kind[name] = name, uint8(i+1)
		}
	}
	return n
}

const catchUp = "catch_up"

// name returns the name of a kind, or nothing if it has none of its own.
func (n *names) name(kind uint8) string {
	switch {
	case kind == election.CatchUp:
		return catchUp
	case kind > 0 && int(kind) <= len(n.of):
		return n.of[kind-1]
	}
	return ""
}

// words are the names of the format that differ from the names of package observe.
var words = map[observe.What]string{
	observe.Deliver: "receive", observe.Lose: "lost", observe.Duplicate: "duplicated",
	observe.Delay: "delayed",
}

// word returns the name of what happens, as lines hold it.
func word(do observe.What) string {
	if text, ok := words[do]; ok {
		return text
	}
	return do.String()
}

// parseWord returns what a name in a line stands for.
func parseWord(text string) (observe.What, bool) {
	for do, other := range words {
		if text == other {
			return do, true
		}
	}
	do, ok := observe.Parse(text)
	// Names that this format replaces are not accepted, or one event would have two spellings.
	return do, ok && do != observe.Step && word(do) == text
}

// line returns an event as its line holds it.
func (e *Event) line(n *names) *eventLine {
	l := &eventLine{Process: number(e.Process), Seq: number(e.Seq), At: units(e.At), Do: word(e.Do)}
	if e.From != (Ref{}) {
		l.From = []number{number(e.From.Process), number(e.From.Seq)}
	}
	port := uint32(e.Port)
	switch e.Do {
	case observe.Send, observe.Deliver:
		l.Peer, l.Port, l.Message = number(e.Peer), &port, messageLineOf(&e.Message, n)
	case observe.Suspect, observe.Trust, observe.Cut, observe.Heal:
		l.Port = &port
	case observe.Init: // of a process with leases
		l.Incarnation, l.Floor = number(e.Message.Value), number(e.Message.Term)
	case observe.Command:
		l.Message = messageLineOf(&e.Message, n)
	case observe.Timeout, observe.Set, observe.Stop:
		l.Timer, l.Layer = &e.Timer, e.Layer
		if e.Do == observe.Set {
			l.Min, l.Max = new(units(e.Min)), new(units(e.Max))
		}
	case observe.StopAll:
		l.Layer = e.Layer
	case observe.Raise:
		l.Op, l.Port, l.Message, l.Layer = &e.Op, &port, messageLineOf(&e.Message, n), e.Layer
		if e.Timer != 0 {
			l.Timer = &e.Timer
		}
	case observe.Decide:
		o := &e.Outcome
		l.Role, l.Term, l.Leader = o.Role.String(), new(number(o.Term)), new(number(o.Leader.ID))
		l.Priority, l.Until = number(o.Leader.Priority), units(o.Until)
	case observe.Refuse:
		l.Error = &e.Error
	case observe.Choose:
		l.Of, l.Chosen = new(uint32(e.Of)), new(uint32(e.Chosen))
	case observe.Restart:
		l.State = new([]byte(e.State))
	}
	return l
}

func messageLineOf(m *election.Message, n *names) *messageLine {
	l := &messageLine{Kind: any(m.Kind), Term: number(m.Term), ID: number(m.Rank.ID),
		Priority: number(m.Rank.Priority), Value: number(m.Value), Round: m.Round, Flags: m.Flags, Layer: m.Layer}
	if name := n.name(m.Kind); name != "" {
		l.Kind = name
	}
	return l
}

// encoder writes lines. A trace is no HTML: "<" stays readable, and each text has exactly one spelling.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// lineOf returns the line of a value, without its end.
func lineOf(v any) (string, error) {
	var b strings.Builder
	err := encoder(&b).Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// text returns the event as its line holds it.
func (e *Event) text(n *names) string {
	text, _ := lineOf(e.line(n)) // an event can be written
	return text
}

// event returns the event of a line. The fields that its Do does not have are found by writing it again.
func (l *eventLine) event(n *names) (Event, error) {
	do, ok := parseWord(l.Do)
	if !ok {
		return Event{}, input.Errorf("do: %.40q is nothing that happens", l.Do)
	}
	e := Event{Process: election.ID(l.Process), Seq: uint64(l.Seq), At: time.Duration(l.At), Do: do,
		Peer: election.ID(l.Peer), Port: election.Port(zero(l.Port)), Timer: zero(l.Timer), Layer: l.Layer,
		Min: time.Duration(zero(l.Min)), Max: time.Duration(zero(l.Max)), Op: zero(l.Op), Error: zero(l.Error),
		Of: int(zero(l.Of)), Chosen: int(zero(l.Chosen)), State: string(zero(l.State))}
	switch len(l.From) {
	case 0:
	case 2:
		e.From = Ref{election.ID(l.From[0]), uint64(l.From[1])}
	default:
		return Event{}, input.Errorf("from: it is not a process and a number there")
	}
	if l.Message != nil {
		m := l.Message
		e.Message = election.Message{Term: uint64(m.Term), Value: uint64(m.Value), Round: m.Round, Flags: m.Flags,
			Layer: m.Layer, Rank: election.Rank{ID: election.ID(m.ID), Priority: uint64(m.Priority)}}
		switch kind := m.Kind.(type) {
		case string:
			if e.Message.Kind, ok = n.kind[kind]; !ok {
				return Event{}, input.Errorf("kind: %.40q is no message of this algorithm", kind)
			}
		case float64:
			if kind < 0 || kind > math.MaxUint8 || kind != math.Trunc(kind) {
				return Event{}, input.Errorf("kind: %v is not a whole number up to %d", kind, math.MaxUint8)
			}
			e.Message.Kind = uint8(kind)
		}
	}
	if do == observe.Init {
		e.Message = election.Message{Value: uint64(l.Incarnation), Term: uint64(l.Floor)}
	}
	e.Outcome = election.Outcome{Term: uint64(zero(l.Term)), Until: time.Duration(l.Until),
		Leader: election.Rank{ID: election.ID(zero(l.Leader)), Priority: uint64(l.Priority)}}
	for _, role := range []election.Role{election.Undecided, election.Follower, election.Leader} {
		if role.String() == l.Role {
			e.Outcome.Role = role
		}
	}
	return e, nil
}

// zero returns what a pointer is to, or zero if it is nil.
func zero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Equal reports whether two events are the same, except for when they happened.
func (e *Event) Equal(o *Event) bool {
	a, b := *e, *o
	a.At, b.At = 0, 0
	return a == b
}
