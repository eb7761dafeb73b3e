package check

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Trail is a run to where a property does not hold.
type Trail struct {
	Property verdict.Property
	Reason   error
	// Steps are all that happens, as a [scenario.Scenario] and a sim.Config have it: the simulator takes
	// them, and a recorder of package trace makes a log or a picture of the run.
	Steps []scenario.Step
	// Cycle is from which step on they lead back to where they begin; len(Steps) where none do. It is the
	// shortest way back; a run in which nothing is put off forever may take others in turn.
	Cycle int
}

// Scenario returns the Trail as a scenario that the simulator runs. It does not include the
// algorithm's parameters, nor a property that is the user's own, other than in its name.
func (t *Trail) Scenario(in *scenario.Input) (*scenario.Scenario, error) {
	s, err := scenario.Of(in)
	if err != nil {
		return nil, err
	}
	s.Name, s.Note = t.Title(), input.Reason(t.Reason)
	if t.Property.Known() {
		s.Property = t.Property
	}
	s.Steps = t.Steps
	return s, nil
}

// Title says in words which property the Trail is a counterexample to.
func (t *Trail) Title() string { return "counterexample to: " + t.Property.Text() }

// trail returns the run to a finding.
func (s *search) trail(f *finding) *Trail {
	t := &Trail{Reason: f.err}
	if f.rule < ruleCount {
		t.Property = ruleProperties[f.rule]
	} else {
		t.Property = verdict.Property(s.config.Properties[f.rule-ruleCount].Name)
	}
	acts := f.acts
	if acts == nil {
		acts = s.pathTo(f.state)
	}
	if f.step {
		acts = append(acts, f.act)
	}
	p, err := newPen(s.workers[0])
	if err != nil {
		panic(err) // the search has begun from it
	}
	if !p.w.timed() {
		p.clock = newClock(p)
	}
	var copied []bool
	if s.keeps {
		copied = p.copied(acts)
	}
	for i, a := range acts {
		p.copies = s.keeps && copied[i]
		p.write(a)
	}
	t.Cycle = len(p.steps)
	for _, a := range f.cycle {
		p.write(a)
	}
	if p.clock != nil && p.clock.matters {
		// The search had one moment for all, and Nodes read clocks: so the steps have that moment too.
		for i := len(s.config.After); i < len(p.steps); i++ {
			p.steps[i].At = new(p.past.last)
		}
	}
	t.Steps = p.steps
	return t
}

// pathTo returns the steps from the first state to another.
func (s *search) pathTo(to number) (acts []action) {
	for {
		h := &s.shards[to.shard()]
		if h.by[to.place()] == noAction {
			slices.Reverse(acts)
			return acts
		}
		acts = append(acts, h.by[to.place()])
		to = h.from[to.place()]
	}
}

// noAction stands in place of the step to the first state.
const noAction = ^action(0)

// pen writes steps as scenarios have them: with messages named by their places on links, in the
// order in which they were sent, those included that are not delivered.
type pen struct {
	w     *worker
	clock *clock // nil where time is modelled
	state []uint32
	sent  [][]uint32 // by link
	steps []scenario.Step
	past  past
	// copies: the next step delivers a message that is delivered once more later.
	copies bool
}

// newPen returns a pen that has written the steps to the first state.
func newPen(w *worker) (*pen, error) {
	p := &pen{w: w, sent: make([][]uint32, len(w.links))}
	w.setClock(0)
	var err error
	p.state, err = w.first(func(process int, starts bool) {
		if starts {
			p.steps = append(p.steps, scenario.Step{Do: observe.Start, Process: w.config.IDs[process],
				At: p.timeOf(nil)})
		}
		p.note()
	})
	if err != nil {
		return nil, err
	}
	return p, p.followAll(w.config.After)
}

// note adds what the last handler has sent, except for what a cut has lost.
func (p *pen) note() {
	for i, m := range p.w.sent {
		if slices.Contains(p.w.lost, i) {
			continue
		}
		p.sent[m.link] = append(p.sent[m.link], m.msg)
	}
}

// timeOf returns the time of a step; nil, for any time, where none is modelled.
func (p *pen) timeOf(state []uint32) *time.Duration {
	if !p.w.timed() {
		return nil
	}
	var at time.Duration
	if state != nil {
		at = time.Duration(p.w.frames.at(state[p.w.slots-1]).now) * p.w.config.Tick
	}
	return &at
}

// write adds a step, and takes it.
func (p *pen) write(a action) {
	w := p.w
	s := scenario.Step{At: p.timeOf(p.state), Do: whats[a.kind()]}
	switch a.kind() {
	case doStart, doCrash, doRecover, doRestart, doNotice, doNudge, doPause, doResume:
		s.Process = w.config.IDs[a.index()]
		if a.kind() == doNotice {
			op, port := w.reportOf(p.state, a)
			s.Do, s.Port = observe.What(op), port
		}
	case doCut:
		s.Groups = [][]election.ID{w.idsIn(uint16(a.index()))}
	case doTimeout:
		of := w.frames.at(p.state[w.slots-1]).timers[a.part()].owner
		s.Process, s.Timer, s.Layer = w.config.IDs[of.process()], uint8(of), uint8(of>>8)
	case doDeliver, doLose, doDuplicate:
		l := a.index()
		msg := w.queues[l].at(p.state[w.n+l]).items[a.part()].msg
		s.Process, s.Port = w.config.IDs[w.links[l].to], w.links[l].port
		s.Nth = slices.Index(p.sent[l], msg)
		if p.copies {
			copied := s
			copied.Do = observe.Duplicate
			p.takeOff(&copied, l)
			p.steps = append(p.steps, copied)
		}
		p.takeOff(&s, l)
	}
	choices := w.take(p.state, a)
	if p.clock != nil {
		p.clock.take(w, p.state, a, choices, len(p.steps)-len(w.config.After))
	}
	s.Choices = slices.Clone(w.choices)
	p.note()
	if (a.kind() == doStart || a.kind() == doNudge) && p.isRefused(p.state[a.index()], a.index()) {
		s.Do = 0
	}
	for _, c := range w.changed {
		p.state[c.slot] = c.to
	}
	if s.Do != 0 {
		p.steps = append(p.steps, s)
	}
}

// clock finds out whether Nodes measure time, in a run where none is modelled. In the search
// all happens at one moment. In a scenario each step comes a unit after the one before, which is easier
// to read, unless a Node would do something else then: where it does, all steps are to be at time zero.
type clock struct {
	w       *worker
	begin   time.Duration // when the first of the steps is that the search has taken
	matters bool
}

// newClock takes the first steps a unit after one another, and compares where they lead to. Those that are
// given have their times.
func newClock(p *pen) *clock {
	k := &clock{w: newWorker(p.w.model)}
	if len(p.w.config.After) > 0 {
		k.begin = p.past.last + scenario.Unit
		return k
	}
	state, err := k.w.first(func(_ int, starts bool) {
		if starts {
			k.w.setClock(k.w.offset + scenario.Unit)
		}
	})
	k.matters = err != nil || !slices.Equal(state, p.state)
	return k
}

// setClock sets the time of the following steps.
func (w *worker) setClock(t time.Duration) {
	if t == w.offset {
		return
	}
	w.offset = t
	w.forget()
}

// forget forgets what handlers do, which was at another time.
func (w *worker) forget() {
	clear(w.byKey)
	w.arrive = make([]memo, len(w.links))
}

// take takes a step that w has taken, a unit for each step before it later, and compares the two.
func (k *clock) take(w *worker, state []uint32, a action, choices, steps int) {
	if k.matters {
		return
	}
	k.w.setClock(k.begin + time.Duration(steps)*scenario.Unit)
	k.matters = k.w.take(state, a) != choices || k.w.broken != w.broken ||
		!slices.Equal(k.w.changed, w.changed)
}

// isRefused reports whether the start at hand is refused, and changes nothing else: a scenario leaves it
// out, as the simulator calls it an error.
func (p *pen) isRefused(was uint32, process int) bool {
	before, after := p.w.locals[process].at(was), p.w.locals[process].at(p.w.value(p.state, process))
	return p.w.broken == 0 && before.node == after.node && len(p.w.sent) == 0 && p.w.refused &&
		p.w.value(p.state, p.w.slots-1) == p.state[p.w.slots-1]
}
