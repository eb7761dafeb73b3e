package trace

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// Difference is the first difference of two runs, or of a run and its replay.
type Difference struct {
	Line  int    // of the trace; one after the last if it ends too early
	Ref   Ref    // the event; zero for the header
	Have  string // what the trace holds, as a line of it, or nothing
	Want  string // what should stand there, or nothing
	Other int    // the line of the other trace, if two are compared
}

// String returns the difference on one line.
func (d *Difference) String() string {
	at, instead := fmt.Sprintf("line %d", d.Line), "where there should be"
	if d.Other > 0 {
		at, instead = fmt.Sprintf("lines %d and %d", d.Line, d.Other), "against"
	}
	if d.Ref != (Ref{}) {
		at += fmt.Sprintf(", event %d of process %d", d.Ref.Seq, d.Ref.Process)
	}
	shown := func(s string) string {
		if s == "" {
			return "nothing"
		}
		return s
	}
	return fmt.Sprintf("%s: %s, %s %s", at, shown(d.Have), instead, shown(d.Want))
}

// Replay gives the events of a trace to fresh Nodes and compares what they do with what the trace has. It returns the first difference, or nil if there is none. It also checks that each event was
// possible: a message that is received was sent, and a timer that runs out was running.
//
// find finds the algorithm, as the catalog does. It returns an error if the trace is of something
// else.
func Replay(t *Trace, find func(name, variant string) (*election.Algorithm, error)) (*Difference, error) {
	return ReplayWith(t, find, func(int, int, *election.TermKeeper) {})
}

// ReplayWith is Replay, and calls see after each step, with the number of the step as in a [Film], the place of
// the process among the IDs, and the process itself, which see must not change.
func ReplayWith(t *Trace, find func(name, variant string) (*election.Algorithm, error),
	see func(step, p int, host *election.TermKeeper)) (*Difference, error) {
	in, err := t.Header.Input(find)
	if err != nil {
		return nil, err
	}
	r := &replay{trace: t, in: &in, see: see, where: in.Positions(), sent: make(map[Ref]int),
		names: newNames(t.Header.Kinds)}
	r.actors = make([]actor, len(in.IDs))
	r.choose()
	for i := range t.Events {
		if d := r.event(i); d != nil {
			return d, nil
		}
	}
	return r.rest(), nil
}

// replay is the state of a Replay.
type replay struct {
	trace   *Trace
	in      *scenario.Input
	where   map[election.ID]int
	actors  []actor
	sent    map[Ref]int // where each sending stands
	choices map[Ref][]observe.Choice
	names   *names
	steps   int
	see     func(step, p int, host *election.TermKeeper)
}

// actor is a process that acts once more.
type actor struct {
	host  election.TermKeeper
	up    bool
	fresh bool              // it has come back or is new, and Init must be next
	due   []Event           // what it is still to do in this step
	timer map[[2]uint8]bool // layer and timer of those that run
}

// choose notes what chance gave in each step.
func (r *replay) choose() {
	r.choices = make(map[Ref][]observe.Choice)
	last := make([]Ref, len(r.actors))
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		step := &last[r.where[e.Process]]
		if e.Do == observe.Choose {
			r.choices[*step] = append(r.choices[*step], observe.Choice{Of: e.Of, Chosen: e.Chosen})
		} else if e.Do.Op() != 0 {
			*step = e.Ref()
		}
	}
}

// event takes the i-th event.
func (r *replay) event(i int) *Difference {
	e := &r.trace.Events[i]
	p := r.where[e.Process]
	a := &r.actors[p]
	if e.Do.Effect() {
		return r.effect(i, a)
	}
	r.steps++
	// The process has not done all of its last step, so nothing else can happen to it before.
	if len(a.due) > 0 {
		return r.differs(i, &a.due[0])
	}
	switch e.Do {
	case observe.Crash:
		*a = actor{}
	case observe.Recover:
		r.begin(p, a)
	case observe.Restart:
		r.begin(p, a)
		if err := new(election.State).Restore(&a.host, []byte(e.State)); err != nil {
			return r.because(i, err.Error())
		}
	case observe.Lose, observe.Duplicate, observe.Delay, observe.Cut, observe.Heal:
		return nil
	}
	if e.Do.Op() == 0 {
		return nil
	}
	// Processes have no event that creates them: the first Init does.
	if e.Do == observe.Init && !a.up {
		r.begin(p, a)
	}
	if why := r.impossible(e, a); why != "" {
		return r.because(i, why)
	}
	r.step(p, a, e)
	r.see(r.steps, p, &a.host)
	return nil
}

// begin makes a new process.
func (r *replay) begin(p int, a *actor) {
	*a = actor{host: r.in.Node(p), up: true, fresh: true, timer: make(map[[2]uint8]bool)}
}

// impossible returns why something cannot happen now, or nothing if it can.
func (r *replay) impossible(e *Event, a *actor) string {
	switch {
	case !a.up:
		return "nothing, for the process is down"
	case a.fresh != (e.Do == observe.Init):
		return "init, once and first"
	case e.Do == observe.Timeout && !a.timer[[2]uint8{e.Layer, e.Timer}]:
		return "nothing, for this timer does not run"
	}
	if e.Do != observe.Deliver || e.From == (Ref{}) {
		return ""
	}
	s, ok := r.sent[e.From]
	if !ok {
		return "a message that was sent before"
	}
	was := &r.trace.Events[s]
	want := *e
	want.Message = was.Message
	if q, back, ok := r.in.Topology.Link(r.where[was.Process], was.Port); ok && q == r.where[e.Process] {
		want.Port = back
	}
	if want != *e {
		return want.text(r.names)
	}
	return ""
}

// step gives an event to a process, and notes what the process does then.
func (r *replay) step(p int, a *actor, e *Event) {
	given := r.choices[e.Ref()]
	var asked []observe.Choice
	env := election.NewEnv(r.in, func(n int) int {
		// If the trace gives no such choice, choose zero: the missing or different Choose event is then
		// reported as the difference.
		c := observe.Choice{Of: n}
		if k := len(asked); k < len(given) && given[k].Of == n {
			c = given[k]
		}
		asked = append(asked, c)
		return c.Chosen
	})
	ev := e.nodeEvent()
	a.fresh = false
	if e.Do == observe.Timeout {
		// The timer has run out, so it runs only if this step sets it again.
		delete(a.timer, [2]uint8{e.Layer, e.Timer})
	}
	fx := env.Begin(p)
	panicked := r.try(a, env, &ev)
	o := &observe.Occurrence{Process: e.Process, At: e.At, Event: &ev, Effects: fx, Choices: asked}
	seq := e.Seq
	a.due = a.due[:0]
	effects(&r.trace.Header, p, o, func(e Event) {
		seq++
		e.Seq = seq
		a.due = append(a.due, e)
	})
	if panicked != "" {
		// A panic has no event of its own. As a refusal that no trace contains it becomes a difference that
		// shows its text.
		a.due = append(a.due, Event{Process: e.Process, Seq: seq + 1, At: e.At, Do: observe.Refuse,
			Error: panicked})
	}
}

// try steps a Node, and returns what it panics with.
func (r *replay) try(a *actor, env *election.Env, ev *election.Event) (panicked string) {
	defer func() {
		if what := recover(); what != nil {
			panicked = fmt.Sprintf("panic: %v", what)
		}
	}()
	a.host.Step(env, ev)
	return ""
}

// effect compares what a process did with what it is to do.
func (r *replay) effect(i int, a *actor) *Difference {
	e := &r.trace.Events[i]
	if len(a.due) == 0 {
		return r.differs(i, nil)
	}
	if *e != a.due[0] {
		return r.differs(i, &a.due[0])
	}
	a.due = a.due[1:]
	switch key := [2]uint8{e.Layer, e.Timer}; e.Do {
	case observe.Send:
		r.sent[e.Ref()] = i
	case observe.Set:
		a.timer[key] = true
	case observe.Stop:
		delete(a.timer, key)
	case observe.StopAll:
		for running := range a.timer {
			if running[0] == e.Layer {
				delete(a.timer, running)
			}
		}
	}
	return nil
}

// rest finds what should still be there at the end.
func (r *replay) rest() *Difference {
	for p := range r.actors {
		if due := r.actors[p].due; len(due) > 0 {
			return &Difference{Line: Line(len(r.trace.Events)), Ref: due[0].Ref(), Want: due[0].text(r.names)}
		}
	}
	return nil
}

func (r *replay) differs(i int, want *Event) *Difference {
	d := r.because(i, "")
	if want != nil {
		d.Want = want.text(r.names)
	}
	return d
}

func (r *replay) because(i int, want string) *Difference {
	e := &r.trace.Events[i]
	return &Difference{Line: Line(i), Ref: e.Ref(), Have: e.text(r.names), Want: want}
}
