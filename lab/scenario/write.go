package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Write writes scenarios as [Read] reads them: one as an object, several as a list with one on
// each line.
func Write(w io.Writer, all ...*Scenario) error {
	if len(all) == 0 {
		return input.Errorf("no scenario to write")
	}
	var b bytes.Buffer
	for i, s := range all {
		text, err := s.MarshalJSON()
		if err != nil {
			return err
		}
		switch {
		case len(all) == 1:
		case i == 0:
			b.WriteString("[\n  ")
		default:
			b.WriteString(",\n  ")
		}
		b.Write(text)
	}
	if len(all) > 1 {
		b.WriteString("\n]")
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// MarshalJSON writes a scenario on one line, always in the same way: fields in the order of the
// type, those that are not given left out, and numbers above 2^53 as texts. A scenario that
// [Read] would refuse is an error.
func (s Scenario) MarshalJSON() ([]byte, error) {
	w := &writer{}
	w.object(func() { w.scenario(&s) })
	// What is written must be readable. The parser has all the rules, so it judges here too.
	if _, err := parse(w.b); err != nil {
		return nil, err
	}
	return w.b, nil
}

// Member is one more member of a JSON object, see [Scenario.MarshalWith].
type Member struct {
	Name  string
	Value any // as for [json.Marshal]
}

// MarshalWith writes a scenario like MarshalJSON, and some more members behind it, for a reader that looks
// for these.
func (s *Scenario) MarshalWith(members ...Member) ([]byte, error) {
	// The result has members that the parser refuses, so check the scenario without them first.
	if _, err := s.MarshalJSON(); err != nil {
		return nil, err
	}
	w := &writer{}
	var err error
	w.object(func() {
		w.scenario(s)
		for _, m := range members {
			value, broken := json.Marshal(m.Value)
			err = errors.Join(err, broken)
			w.field(m.Name)
			w.b = append(w.b, value...)
		}
	})
	return w.b, err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Scenario) UnmarshalJSON(b []byte) error {
	p := newParser(b, "scenario")
	read := p.scenario()
	if p.err == nil {
		*s = *read
	}
	return p.err
}

// writer writes JSON.
type writer struct {
	b    []byte
	rest bool // this object has a field already
}

func (w *writer) scenario(s *Scenario) {
	w.text("name", s.Name)
	w.text("algorithm", s.Algorithm)
	w.text("variant", s.Variant)
	if s.Topology != nil {
		w.field("topology")
		w.object(func() { w.links(s.Topology) })
	}
	writeList(w, "ids", s.IDs, w.id)
	writeList(w, "priorities", s.Priorities, w.whole)
	writeList(w, "initiators", s.Initiators, w.id)
	writeList(w, "start_times", s.StartTimes, w.time)
	w.faults(s)
	w.draws(s.Draws)
	w.text("schedule", string(s.Schedule))
	if s.Seed != 0 {
		w.field("seed")
		w.whole(s.Seed)
	}
	if s.Delay != nil {
		w.field("delay")
		w.object(func() { w.delay(s.Delay) })
	}
	if s.Until != 0 {
		w.field("until")
		w.time(s.Until)
	}
	w.truth("fifo", s.FIFO)
	writeList(w, "steps", s.Steps, func(step Step) {
		w.object(func() { w.step(&step) })
	})
	writeList(w, "acts", s.Acts, func(act Act) {
		w.object(func() { w.act(&act) })
	})
	writeMap(w, "params", s.Params, w.string, w.param)
	if s.AnySchedule {
		w.truth("any_schedule", &s.AnySchedule)
	}
	if s.Expect != nil {
		w.field("expect")
		w.object(func() { w.expect(s.Expect) })
	}
	w.text("property", string(s.Property))
	w.text("note", s.Note)
}

func (w *writer) links(l *Links) {
	w.text("kind", string(l.Kind))
	w.truth("bidirectional", l.Bidirectional)
	writeList(w, "edges", l.Edges, w.edge)
	writeList(w, "weights", l.Weights, w.whole)
	writeMap(w, "parent", l.Parent, w.idName, w.id)
	if l.Dimension != nil {
		w.field("dimension")
		w.size(*l.Dimension)
	}
	if l.Rows != 0 {
		w.field("rows")
		w.size(l.Rows)
	}
	if l.Cols != 0 {
		w.field("cols")
		w.size(l.Cols)
	}
}

func (w *writer) edge(e [2]election.ID) { w.tuple(func() { w.id(e[0]) }, func() { w.id(e[1]) }) }

func (w *writer) delay(d *Delay) {
	w.text("distribution", string(d.Distribution))
	for _, f := range []struct {
		name string
		time time.Duration
	}{{"min", d.Min}, {"max", d.Max}, {"mean", d.Mean}} {
		if f.time != 0 {
			w.field(f.name)
			w.time(f.time)
		}
	}
}

func (w *writer) expect(e *Expect) {
	if e.Leader != nil {
		w.field("leader")
		// No leader is a statement, and not the same as an expectation that is not given.
		if *e.Leader == 0 {
			w.b = append(w.b, "null"...)
		} else {
			w.id(*e.Leader)
		}
	}
	if e.Leaders != nil {
		w.field("leaders")
		w.whole(*e.Leaders)
	}
	if e.Messages != nil {
		w.field("messages")
		w.whole(*e.Messages)
	}
	writeMap(w, "by_kind", e.ByKind, w.string, w.whole)
	if e.Time != nil {
		w.field("time")
		w.time(*e.Time)
	}
	writeList(w, "tree", e.Tree, w.edge)
	writeList(w, "entry_order", e.EntryOrder, w.id)
	writeList(w, "entries", e.Entries, func(at At) {
		w.tuple(func() { w.time(at.Time) }, func() { w.id(at.ID) })
	})
}

func (w *writer) param(v params.Value) {
	switch {
	case v.Text != "":
		w.string(v.Text)
	case v.ByID != nil:
		writeFields(w, v.ByID, func(id uint64) { w.idName(election.ID(id)) }, w.number)
	case v.Lists != nil:
		writeFields(w, v.Lists, func(id uint64) { w.idName(election.ID(id)) }, func(list []uint64) {
			writeElements(w, list, func(id uint64) { w.id(election.ID(id)) })
		})
	default:
		w.number(v.Number)
	}
}

func (w *writer) object(fields func()) {
	// Objects are nested: remember whether the outer one needs a comma for its next field.
	outer := w.rest
	w.rest = false
	w.b = append(w.b, '{')
	fields()
	w.b = append(w.b, '}')
	w.rest = outer
}

// writeList writes a list, unless it is nil.
func writeList[T any](w *writer, name string, all []T, element func(T)) {
	if all == nil {
		return
	}
	w.field(name)
	writeElements(w, all, element)
}

func writeElements[T any](w *writer, all []T, element func(T)) {
	w.b = append(w.b, '[')
	for i, v := range all {
		if i > 0 {
			w.b = append(w.b, ", "...)
		}
		element(v)
	}
	w.b = append(w.b, ']')
}

// writeMap writes a field that is an object of the names of a map, unless that is nil.
func writeMap[K ~uint64 | string, V any](w *writer, name string, all map[K]V, key func(K), value func(V)) {
	if all != nil {
		w.field(name)
		writeFields(w, all, key, value)
	}
}

func writeFields[K ~uint64 | string, V any](w *writer, all map[K]V, key func(K), value func(V)) {
	w.object(func() {
		// Sort, since the order of a map changes from run to run and files are compared byte by byte.
		for _, k := range slices.Sorted(maps.Keys(all)) {
			w.comma()
			key(k)
			w.b = append(w.b, ": "...)
			value(all[k])
		}
	})
}

func (w *writer) comma() {
	if w.rest {
		w.b = append(w.b, ", "...)
	}
	w.rest = true
}

func (w *writer) field(name string) {
	w.comma()
	w.string(name)
	w.b = append(w.b, ": "...)
}

func (w *writer) tuple(elements ...func()) {
	writeElements(w, elements, func(element func()) { element() })
}

func (w *writer) text(name, s string) {
	if s != "" {
		w.field(name)
		w.string(s)
	}
}

func (w *writer) truth(name string, v *bool) {
	if v != nil {
		w.field(name)
		w.b = strconv.AppendBool(w.b, *v)
	}
}

func (w *writer) id(id election.ID)    { w.whole(uint64(id)) }
func (w *writer) time(t time.Duration) { w.b = appendUnits(w.b, t) }
func (w *writer) size(n int)           { w.b = strconv.AppendInt(w.b, int64(n), 10) }

func (w *writer) idTime(at At) { w.tuple(func() { w.id(at.ID) }, func() { w.time(at.Time) }) }

// idName writes an id as the name of a field.
func (w *writer) idName(id election.ID) { w.string(strconv.FormatUint(uint64(id), 10)) }

func (w *writer) whole(n uint64) {
	// Many readers of JSON keep numbers as float64, which rounds above 2^53.
	if n > maxExact {
		w.string(strconv.FormatUint(n, 10))
	} else {
		w.b = strconv.AppendUint(w.b, n, 10)
	}
}

func (w *writer) number(f float64) {
	// The shortest decimal form is the most readable, except for tiny numbers with long runs of zeros.
	format := byte('f')
	if 0 < f && f < 1e-6 {
		format = 'e'
	}
	w.b = strconv.AppendFloat(w.b, f, format, -1, 64)
}

// string writes a text in quotes.
func (w *writer) string(s string) {
	w.b = append(w.b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			w.b = append(w.b, '\\', c)
		case c == '\n':
			w.b = append(w.b, `\n`...)
		case c < ' ':
			const hex = "0123456789abcdef"
			w.b = append(w.b, `\u00`...)
			w.b = append(w.b, hex[c>>4], hex[c&15])
		default:
			w.b = append(w.b, c)
		}
	}
	w.b = append(w.b, '"')
}
