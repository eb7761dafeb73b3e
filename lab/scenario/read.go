package scenario

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// What a file may hold, so that what is read takes memory in proportion to it.
const (
	maxBytes     = 1 << 30
	maxScenarios = 1 << 20
	maxNames     = 256 // parameters, or kinds of messages
)

// Read reads one scenario, a JSON object, or a list of at least one of them, to the end of r. An error is one
// line that wraps [election.ErrInput] and names the field and the value, or the line and column (in characters,
// from 1) at which the text is not JSON.
func Read(r io.Reader) ([]*Scenario, error) {
	return readUpTo(r, maxBytes)
}

func readUpTo(r io.Reader, limit int64) ([]*Scenario, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, input.Errorf("it cannot be read: %w", err)
	case int64(len(text)) > limit:
		return nil, input.Errorf("more than %d bytes", limit)
	}
	return parse(text)
}

// byteOrderMark is what some editors put before a text.
var byteOrderMark = []byte("\xef\xbb\xbf")

func parse(text []byte) ([]*Scenario, error) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, input.Errorf("the input is empty")
	}
	p := newParser(text, "scenario")
	var all []*Scenario
	switch {
	case p.opens('['):
		p.list(maxScenarios, func(int) { all = append(all, p.scenario()) })
		if len(all) == 0 {
			p.wrong("the list is empty")
		}
	case p.opens('{'):
		all = append(all, p.scenario())
	default:
		p.unfit("a scenario or a list of them")
	}
	if p.err != nil {
		return nil, p.err
	}
	return all, nil
}

// scenario reads one object.
func (p *parser) scenario() *Scenario {
	s := &Scenario{}
	p.object(func(name string) bool { return p.inputField(s, name) || p.runField(s, name) })
	return s
}

// inputField reads the fields that make the Input.
func (p *parser) inputField(s *Scenario, name string) bool {
	switch name {
	case "algorithm":
		s.Algorithm = p.text()
	case "variant":
		s.Variant = p.text()
	case "topology":
		s.Topology = p.links()
	case "ids":
		s.IDs = p.ids()
	case "priorities":
		s.Priorities = p.wholes("a priority")
	case "initiators":
		s.Initiators = p.ids()
	case "start_times":
		s.StartTimes = p.times()
	case "draws":
		s.Draws = p.draws()
	default:
		return p.faults(s, name)
	}
	return true
}

// runField reads the other fields.
func (p *parser) runField(s *Scenario, name string) bool {
	switch name {
	case "name":
		s.Name = p.text()
	case "schedule":
		s.Schedule = oneOf(p, "a schedule", schedules)
	case "until":
		s.Until = p.time()
	case "seed":
		s.Seed = p.whole("a seed")
	case "delay":
		s.Delay = p.delay()
	case "fifo":
		s.FIFO = p.truth()
	case "steps":
		s.Steps = p.steps()
	case "acts":
		s.Acts = p.acts()
	case "params":
		s.Params = p.params()
	case "any_schedule":
		s.AnySchedule = *p.truth()
	case "expect":
		s.Expect = p.expect()
	case "property":
		s.Property = oneOf(p, "a property", properties)
	case "note":
		s.Note = p.text()
	default:
		return false
	}
	return true
}

func (p *parser) links() *Links {
	l := &Links{}
	p.object(func(name string) bool {
		switch name {
		case "kind":
			l.Kind = oneOf(p, "a topology", shapes)
		case "bidirectional":
			l.Bidirectional = p.truth()
		case "edges":
			l.Edges = p.edges()
		case "weights":
			l.Weights = p.wholes("a weight")
		case "parent":
			l.Parent = p.parents()
		case "dimension":
			d := p.size("a dimension")
			l.Dimension = &d
		case "rows":
			l.Rows = p.size("a number of rows")
		case "cols":
			l.Cols = p.size("a number of columns")
		default:
			return false
		}
		return true
	})
	return l
}

func (p *parser) delay() *Delay {
	d := &Delay{}
	p.object(func(name string) bool {
		switch name {
		case "distribution":
			d.Distribution = oneOf(p, "a distribution", distributions)
		case "min":
			d.Min = p.time()
		case "max":
			d.Max = p.time()
		case "mean":
			d.Mean = p.time()
		default:
			return false
		}
		return true
	})
	return d
}

func (p *parser) expect() *Expect {
	e := &Expect{}
	p.object(func(name string) bool {
		switch name {
		case "leader":
			var leader election.ID
			if !p.null() {
				leader = p.id()
			}
			e.Leader = &leader
		case "leaders":
			leaders := p.upTo("a number of leaders", MaxProcesses)
			e.Leaders = &leaders
		case "messages":
			messages := p.whole("a number of messages")
			e.Messages = &messages
		case "by_kind":
			e.ByKind = make(map[string]uint64)
			p.named(maxNames, func(kind string) { e.ByKind[kind] = p.whole("a number of messages") })
		case "time":
			t := p.time()
			e.Time = &t
		case "tree":
			e.Tree = p.edges()
		case "entry_order":
			e.EntryOrder = p.ids()
		case "entries":
			e.Entries = p.entries()
		default:
			return false
		}
		return true
	})
	return e
}

// tableParam reads a parameter by id: numbers, or lists of ids.
func (p *parser) tableParam(v *params.Value) {
	p.byID(func(id election.ID) {
		switch list := p.opens('['); {
		case list && v.ByID == nil:
			if v.Lists == nil {
				v.Lists = make(map[uint64][]uint64)
			}
			v.Lists[uint64(id)] = []uint64{}
			p.list(MaxProcesses, func(int) {
				v.Lists[uint64(id)] = append(v.Lists[uint64(id)], uint64(p.id()))
			})
		case !list && v.Lists == nil:
			if v.ByID == nil {
				v.ByID = make(map[uint64]float64)
			}
			v.ByID[uint64(id)] = p.number("a number")
		default:
			p.wrong("numbers and lists in one table")
		}
	})
	if v.ByID == nil && v.Lists == nil {
		v.ByID = make(map[uint64]float64)
	}
}

// aParam is what errors call the value of a parameter.
const aParam = "a parameter (a number, a text, numbers or lists by id)"

func (p *parser) params() map[string]params.Value {
	all := make(map[string]params.Value)
	p.named(maxNames, func(name string) {
		var v params.Value
		switch next := p.next.(type) {
		case string:
			if v.Text = p.text(); next == "" {
				p.wrong(`"" is not a parameter`)
			}
		case json.Delim:
			if next == '[' {
				p.unfit(aParam)
			} else {
				p.tableParam(&v)
			}
		default:
			v.Number = p.number(aParam)
		}
		all[name] = v
	})
	return all
}
