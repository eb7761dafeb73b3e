// Package lessons contains the lessons of the page, one file for each, and checks that their texts are true. A lesson
// is a run and its stops. At a stop the page shows a text, and next to it the rule that the step carries out; it may
// ask a question first. The run must show what a stop claims about its step, so no text outlives a change of its run.
//
//	l, err := lessons.Read(text)
//	err = l.Check(ctx)
package lessons

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/page/bridge"
)

// Lesson is a run with texts.
type Lesson struct {
	Title    string          `json:"title"`
	Package  string          `json:"package"` // of the algorithm
	About    string          `json:"about"`   // what the lesson is about, before the first step
	Scenario json.RawMessage `json:"scenario"`
	Stops    []Stop          `json:"stops"`
}

// Stop is a step at which the lesson stops.
type Stop struct {
	Step      int       `json:"step"` // 0: before the first
	Text      string    `json:"text"`
	Rule      int       `json:"rule,omitempty"` // of the package, that the step carries out
	Highlight Highlight `json:"highlight,omitzero"`
	Claim     Claim     `json:"claim,omitzero"`
	Question  *Question `json:"question,omitempty"`
}

// Highlight is what the picture marks.
type Highlight struct {
	Processes []uint64 `json:"processes"`
}

// Claim is what the text claims about the step and the state after it. Fields that are not set claim nothing.
type Claim struct {
	Do       string            `json:"do,omitempty"`       // what happens: start, deliver, timeout ...
	Process  uint64            `json:"process,omitempty"`  // to which process
	Kind     string            `json:"kind,omitempty"`     // of the message that is received
	Messages *int              `json:"messages,omitempty"` // sent up to here
	Leads    []uint64          `json:"leads,omitempty"`    // all processes that lead now
	Follows  map[string]uint64 `json:"follows,omitempty"`  // the leader of a process; 0: none
	Down     []uint64          `json:"down,omitempty"`     // all processes that are down now
}

// Question is asked before the text is shown.
type Question struct {
	Ask     string   `json:"ask"`
	Choices []string `json:"choices"`
	Answer  int      `json:"answer"` // the index of the right choice
	Why     string   `json:"why"`
	// Is names the part of the run that the right choice must equal: leader, at the end; messages, of the whole run;
	// time, of the last event; sent, in the step of the stop. If empty, the choice is nothing that a run shows.
	Is string `json:"is,omitempty"`
}

// Read reads a lesson. A field that no lesson has is an error.
func Read(text []byte) (*Lesson, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	l := &Lesson{}
	if err := d.Decode(l); err != nil {
		return nil, input.Errorf("lesson: %v", err)
	}
	if l.Title == "" || l.Package == "" || l.About == "" || len(l.Stops) == 0 {
		return nil, input.Errorf("lesson: a title, a package, a text about it and stops are needed")
	}
	for i := range l.Stops {
		s := &l.Stops[i]
		if s.Text == "" || i > 0 && s.Step < l.Stops[i-1].Step {
			return nil,
				input.Errorf("stops[%d]: a text is needed, and a step that is no earlier than the last", i)
		}
		if q := s.Question; q != nil && (q.Ask == "" || q.Why == "" || len(q.Choices) < 2 || q.Answer < 0 ||
			q.Answer >= len(q.Choices)) {
			return nil,
				input.Errorf("stops[%d].question: a text, two choices, an answer and a reason are needed", i)
		}
	}
	return l, nil
}

// Check runs the lesson, and returns the first claim that the run does not show.
func (l *Lesson) Check(ctx context.Context) error {
	f, err := film(ctx, l.Scenario)
	if err != nil {
		return err
	}
	v := &viewer{film: f, of: make([]process, len(f.Head.IDs))}
	for i := range l.Stops {
		s := &l.Stops[i]
		if s.Step > len(f.Steps.First) {
			return input.Errorf("stops[%d].step: %d, and the run has %d", i, s.Step, len(f.Steps.First))
		}
		v.to(s.Step)
		if err := v.check(s); err != nil {
			return input.At(fmt.Sprintf("stops[%d]", i), err)
		}
	}
	return nil
}

// film runs a scenario as the page does.
func film(ctx context.Context, short json.RawMessage) (*trace.Film, error) {
	var b bridge.Bridge
	whole, err := b.Call(ctx, "scenario", short, nil)
	if err != nil {
		return nil, err
	}
	args, err := json.Marshal(map[string]json.RawMessage{"scenario": whole.JSON})
	if err != nil {
		return nil, err
	}
	r, err := b.Call(ctx, "film", args, nil)
	if err != nil {
		return nil, err
	}
	return trace.ReadFilm(r.Data)
}

// process is what a process is after a step.
type process struct {
	leader uint64
	leads  bool
	down   bool
}

// viewer goes through a film.
type viewer struct {
	film       *trace.Film
	of         []process
	step       int
	changes    int // that have been seen
	sent, last int // messages so far, and in the last step
}

// to goes to a later step.
func (v *viewer) to(step int) {
	f := v.film
	for ; v.step < step; v.step++ {
		v.last = 0
		first := f.Steps.First[v.step]
		for _, do := range f.Events.Do[first : first+f.Steps.Count[v.step]] {
			if f.Head.Does[do] == "send" {
				v.last++
			}
		}
		v.sent += v.last
	}
	for c := &f.Changes; v.changes < len(c.Step) && int(c.Step[v.changes]) <= step; v.changes++ {
		const down, leads = 1, 2
		i := v.changes
		v.of[c.Process[i]] = process{c.Leader[i], c.Role[i] == leads, c.Status[i] == down}
	}
}

// check checks one stop.
func (v *viewer) check(s *Stop) error {
	c, f := &s.Claim, v.film
	do, id, kind := "", uint64(0), ""
	if v.step > 0 {
		k := v.step - 1
		do, id = f.Head.Does[f.Steps.Do[k]], v.id(int(f.Steps.Process[k]))
		if n := f.Events.Kind[f.Steps.First[k]]; n > 0 && int(n) <= len(f.Head.Kinds) {
			kind = f.Head.Kinds[n-1]
		}
	}
	leads := v.all(func(p process) bool { return p.leads && !p.down })
	down := v.all(func(p process) bool { return p.down })
	switch {
	case c.Do != "" && c.Do != do:
		return input.Errorf("claim.do: %s, not %s", do, c.Do)
	case c.Process != 0 && c.Process != id:
		return input.Errorf("claim.process: %d, not %d", id, c.Process)
	case c.Kind != "" && c.Kind != kind:
		return input.Errorf("claim.kind: %s, not %s", kind, c.Kind)
	case c.Messages != nil && *c.Messages != v.sent:
		return input.Errorf("claim.messages: %d, not %d", v.sent, *c.Messages)
	case c.Leads != nil && !slices.Equal(c.Leads, leads):
		return input.Errorf("claim.leads: %d, not %d", leads, c.Leads)
	case c.Down != nil && !slices.Equal(c.Down, down):
		return input.Errorf("claim.down: %d, not %d", down, c.Down)
	}
	for of, leader := range c.Follows {
		p := slices.Index(f.Head.IDs, of)
		if p < 0 || v.of[p].leader != leader {
			return input.Errorf("claim.follows: not %s: %d", of, leader)
		}
	}
	for _, p := range s.Highlight.Processes {
		if !slices.Contains(f.Head.IDs, strconv.FormatUint(p, 10)) {
			return input.Errorf("highlight: %d is no process", p)
		}
	}
	return v.answered(s.Question)
}

// answered checks the right choice of a question.
func (v *viewer) answered(q *Question) error {
	if q == nil || q.Is == "" {
		return nil
	}
	var is string
	switch h := &v.film.Head; q.Is {
	case "leader":
		end := &viewer{film: v.film, of: make([]process, len(v.of))}
		end.to(len(v.film.Steps.First))
		is = fmt.Sprint(end.all(func(p process) bool { return p.leads && !p.down }))
		is = is[1 : len(is)-1]
	case "messages":
		is = fmt.Sprint(h.Messages)
	case "time":
		is = fmt.Sprint(h.Time)
	case "sent":
		is = fmt.Sprint(v.last)
	default:
		return input.Errorf("question.is: %.40q is not one of leader, messages, time and sent", q.Is)
	}
	if got := q.Choices[q.Answer]; got != is {
		return input.Errorf("question.answer: %.60q, and the run shows %s", got, is)
	}
	return nil
}

// all returns the processes that are so, smallest first.
func (v *viewer) all(are func(process) bool) []uint64 {
	ids := []uint64{}
	for p := range v.of {
		if are(v.of[p]) {
			ids = append(ids, v.id(p))
		}
	}
	slices.Sort(ids)
	return ids
}

func (v *viewer) id(place int) uint64 {
	id, _ := strconv.ParseUint(v.film.Head.IDs[place], 10, 64) // a film has been read
	return id
}
