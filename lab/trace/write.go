package trace

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// Write writes a trace as [Read] reads it. The same trace gives the same bytes.
func Write(w io.Writer, t *Trace) error {
	b := bufio.NewWriterSize(w, 1<<16)
	line, err := appendHeader(nil, &t.Header)
	if err != nil {
		return err
	}
	if _, err := b.Write(line); err != nil {
		return err
	}
	names := newNames(t.Header.Kinds)
	for i := range t.Events {
		line = appendEvent(line[:0], &t.Events[i], names)
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
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
	case int(kind) <= len(n.of):
		return n.of[kind-1]
	}
	return ""
}

// maxExact is the largest whole number up to which every program reads JSON numbers exactly.
const maxExact = 1 << 53

func appendWhole(b []byte, n uint64) []byte {
	if n > maxExact {
		return append(strconv.AppendUint(append(b, '"'), n, 10), '"')
	}
	return strconv.AppendUint(b, n, 10)
}

// appendUnits writes a time in units, exactly.
func appendUnits(b []byte, t time.Duration) []byte {
	n := uint64(t)
	// Negate as uint64: the smallest Duration has no positive counterpart.
	if t < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendUint(b, n/uint64(time.Second), 10)
	if rest := n % uint64(time.Second); rest > 0 {
		// The added second keeps the leading zeros of the fraction, and its digit is cut off.
		digits := strconv.FormatUint(uint64(time.Second)+rest, 10)[1:]
		b = append(append(b, '.'), strings.TrimRight(digits, "0")...)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	// A trace is no HTML: "<" stays readable, and each text has exactly one spelling.
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text can be written
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// fields writes the fields of an object.
type fields struct {
	b    []byte
	rest bool // there is one already
}

func (f *fields) name(name string) {
	if f.rest {
		f.b = append(f.b, ',')
	}
	f.rest = true
	f.b = append(append(append(f.b, '"'), name...), `":`...)
}

func (f *fields) whole(name string, n uint64) {
	f.name(name)
	f.b = appendWhole(f.b, n)
}

// nonZero writes a number that is not zero.
func (f *fields) nonZero(name string, n uint64) {
	if n != 0 {
		f.whole(name, n)
	}
}

func (f *fields) units(name string, t time.Duration) {
	f.name(name)
	f.b = appendUnits(f.b, t)
}

func (f *fields) text(name, s string) {
	f.name(name)
	f.b = appendText(f.b, s)
}

func (f *fields) object(name string, inside func()) {
	f.name(name)
	f.b, f.rest = append(f.b, '{'), false
	inside()
	f.b, f.rest = append(f.b, '}'), true
}

func (f *fields) ref(name string, r Ref) {
	f.name(name)
	f.b = appendWhole(append(f.b, '['), uint64(r.Process))
	f.b = append(appendWhole(append(f.b, ','), r.Seq), ']')
}

func (f *fields) message(m *election.Message, n *names) {
	f.object("message", func() {
		if name := n.name(m.Kind); name != "" {
			f.text("kind", name)
		} else {
			f.whole("kind", uint64(m.Kind))
		}
		f.nonZero("term", m.Term)
		f.nonZero("id", uint64(m.Rank.ID))
		f.nonZero("priority", m.Rank.Priority)
		f.nonZero("value", m.Value)
		f.nonZero("round", uint64(m.Round))
		f.nonZero("flags", uint64(m.Flags))
		f.nonZero("layer", uint64(m.Layer))
	})
}

// words are the names of the format where they are not those of package observe.
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

// appendEvent appends the line of an event.
func appendEvent(b []byte, e *Event, n *names) []byte {
	f := &fields{b: append(b, '{')}
	f.whole("process", uint64(e.Process))
	f.whole("seq", e.Seq)
	f.units("at", e.At)
	f.text("do", word(e.Do))
	f.event(e, n)
	return append(f.b, "}\n"...)
}

// event writes the fields that depend on what the event is.
func (f *fields) event(e *Event, n *names) {
	switch e.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate, observe.Delay:
		if e.From != (Ref{}) {
			f.ref("from", e.From)
		}
	}
	switch e.Do {
	case observe.Send, observe.Deliver:
		f.nonZero("peer", uint64(e.Peer))
		f.whole("port", uint64(e.Port))
		f.message(&e.Message, n)
	case observe.Suspect, observe.Trust, observe.Cut, observe.Heal:
		f.whole("port", uint64(e.Port))
	case observe.Init: // of a process with leases
		f.nonZero("incarnation", e.Message.Value)
		f.nonZero("floor", e.Message.Term)
	case observe.Command:
		f.message(&e.Message, n)
	case observe.Timeout, observe.Set, observe.Stop:
		f.whole("timer", uint64(e.Timer))
		f.nonZero("layer", uint64(e.Layer))
		if e.Do == observe.Set {
			f.units("min", e.Min)
			f.units("max", e.Max)
		}
	case observe.StopAll:
		f.nonZero("layer", uint64(e.Layer))
	case observe.Raise:
		f.text("op", e.Op)
		f.whole("port", uint64(e.Port))
		f.message(&e.Message, n)
		f.nonZero("timer", uint64(e.Timer))
		f.nonZero("layer", uint64(e.Layer))
	case observe.Decide:
		f.text("role", e.Outcome.Role.String())
		f.whole("term", e.Outcome.Term)
		f.whole("leader", uint64(e.Outcome.Leader.ID))
		f.nonZero("priority", e.Outcome.Leader.Priority)
		if e.Outcome.Until != 0 {
			f.units("until", e.Outcome.Until)
		}
	case observe.Refuse:
		f.text("error", e.Error)
	case observe.Choose:
		f.whole("of", uint64(e.Of))
		f.whole("chosen", uint64(e.Chosen))
	case observe.Restart:
		f.text("state", base64.StdEncoding.EncodeToString([]byte(e.State)))
	}
}

// appendHeader appends the first line.
func appendHeader(b []byte, h *Header) ([]byte, error) {
	s := h.Scenario
	// The links are written below port by port. That works for every topology, also for those a scenario
	// cannot name.
	s.Topology = nil
	text, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	f := &fields{b: append(b, '{')}
	f.whole("trace", Version)
	f.text("driver", h.Driver)
	f.name("scenario")
	f.b = append(f.b, compact.Bytes()...)
	f.links(h)
	f.texts("kinds", h.Kinds)
	if h.Joins != nil {
		f.texts("joins", h.Joins)
	}
	f.names(h.Names)
	f.timers(h.Timers)
	if h.Delay != 0 {
		f.units("delay", h.Delay)
	}
	return append(f.b, "}\n"...), nil
}

// texts writes a field that is a list of texts.
func (f *fields) texts(name string, list []string) {
	f.name(name)
	f.b = append(f.b, '[')
	for i, text := range list {
		if i > 0 {
			f.b = append(f.b, ',')
		}
		f.b = appendText(f.b, text)
	}
	f.b = append(f.b, ']')
}

// timers writes the names of timers: an object for each machine of a stack, with the numbers as names. A
// list would be long: the few timers of a mutex have numbers that lie far apart.
func (f *fields) timers(all [][]string) {
	if len(all) == 0 {
		return
	}
	f.name("timers")
	f.b = append(f.b, '[')
	for layer, names := range all {
		if layer > 0 {
			f.b = append(f.b, ',')
		}
		one := fields{b: append(f.b, '{')}
		for timer, name := range names {
			if name != "" {
				one.text(strconv.Itoa(timer), name)
			}
		}
		f.b = append(one.b, '}')
	}
	f.b = append(f.b, ']')
}

// names writes what the fields of messages are called.
func (f *fields) names(all []Names) {
	if len(all) == 0 {
		return
	}
	f.name("names")
	f.b = append(f.b, '[')
	for i, n := range all {
		if i > 0 {
			f.b = append(f.b, ',')
		}
		one := fields{b: append(f.b, '{')}
		for _, part := range [...][2]string{{"round", n.Round}, {"value", n.Value}, {"flags", n.Flags}} {
			if part[1] != "" {
				one.text(part[0], part[1])
			}
		}
		if len(n.Marks) > 0 {
			one.texts("marks", n.Marks)
		}
		f.b = append(one.b, '}')
	}
	f.b = append(f.b, ']')
}

// Equal reports whether two events are the same, but for when they happened.
func (e *Event) Equal(o *Event) bool {
	a, b := *e, *o
	a.At, b.At = 0, 0
	return a == b
}

// text returns the event as its line holds it.
func (e *Event) text(n *names) string {
	return string(slices.Clone(bytes.TrimSpace(appendEvent(nil, e, n))))
}
