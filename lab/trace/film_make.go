package trace

import (
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// filming is a film while it is made.
type filming struct {
	film   *Film
	where  map[election.ID]int
	clocks *scenario.Clocks
	joins  []bool // by kind: the link becomes one of the tree
	joined map[[2]int]bool
	term   uint64     // of the tree
	at     [][]uint32 // of each process, where its events stand
	open   map[int32][]int32
	states []filmState
	now    filmState // of the process that steps
	actor  int       // which that is, or none

	section filmSection

	story    *story // for words
	messages int
	sent     [256]uint64 // messages by kind
}

// filmState is what a process is.
type filmState struct {
	outcome election.Outcome
	until   float64 // when its lease ends
	status  uint8
	done    bool
	since   time.Duration // when it took its role
}

// filmSection is the first critical section.
type filmSection struct {
	waiting []bool // by process
	asked   int    // how many of them wait
	inside  []int
	changes [][]int // as FilmHead.Sections
}

func newFilming(h *Header, positions [][2]float64) (*filming, error) {
	n := len(h.Scenario.IDs)
	if n > MostFilmed {
		return nil, input.Errorf("a film of %d processes, at most %d can be shown", n, MostFilmed)
	}
	b := &filming{film: &Film{Head: newFilmHead(h, positions)}, where: make(map[election.ID]int, n),
		at: make([][]uint32, n), open: make(map[int32][]int32),
		states: make([]filmState, n),
		actor:  noProcess, section: filmSection{waiting: make([]bool, n)}}
	b.story = &story{trace: &Trace{Header: *h}, where: b.where}
	b.clocks = h.clocks()
	b.joins = h.joins()
	for p, id := range h.Scenario.IDs {
		b.where[id] = p
	}
	return b, nil
}

// add takes an event of process p.
func (b *filming) add(p int, e *Event) {
	events := &b.film.Events
	i := int32(len(events.Do))
	b.at[p] = append(b.at[p], uint32(i))
	if !e.Do.Effect() || b.actor != p {
		b.note()
		b.begin(p, e, uint32(i))
	}
	b.film.Steps.Count[len(b.film.Steps.Count)-1]++
	link, twin := b.links(i, e)
	peer := int32(none)
	if e.Peer != 0 {
		if q, ok := b.where[e.Peer]; ok {
			peer = int32(q)
		}
	}
	m, layer, least, most := e.Message, e.Layer, 0.0, 0.0
	switch e.Do {
	case observe.Send, observe.Deliver:
		if layer = m.Layer; e.Do == observe.Send {
			b.messages++
			b.sent[m.Kind]++
			b.join(p, int(peer), &m)
		}
	case observe.Decide:
		m.Term, m.Rank, m.Flags = e.Outcome.Term, e.Outcome.Leader, uint8(e.Outcome.Role)
		b.decide(p, &e.Outcome, e.At)
	case observe.Done:
		b.now.done = true
	case observe.Choose:
		m.Value, m.Round = uint64(e.Chosen), uint32(e.Of)
	case observe.Start, observe.Refuse, observe.Crash, observe.Raise:
		b.share(p, e)
	case observe.Set:
		least, most = inUnits(e.Min), inUnits(e.Max)
	}
	events.Do = append(events.Do, uint8(e.Do))
	events.Process = append(events.Process, uint16(p))
	events.Step = append(events.Step, uint32(len(b.film.Steps.First)))
	events.At = append(events.At, inUnits(e.At))
	events.Port = append(events.Port, uint16(e.Port))
	events.Peer = append(events.Peer, peer)
	events.Link = append(events.Link, link)
	events.Copy = append(events.Copy, twin)
	events.Kind = append(events.Kind, m.Kind)
	events.Flags = append(events.Flags, m.Flags)
	events.Layer = append(events.Layer, layer)
	events.Timer = append(events.Timer, e.Timer)
	events.Term = append(events.Term, m.Term)
	events.Rank = append(events.Rank, uint64(m.Rank.ID))
	events.Priority = append(events.Priority, m.Rank.Priority)
	events.Value = append(events.Value, m.Value)
	events.Round = append(events.Round, m.Round)
	events.Min = append(events.Min, least)
	events.Max = append(events.Max, most)
}

// join notes the link of a message that makes it one of the tree, in the last Term.
func (b *filming) join(p, q int, m *election.Message) {
	if q < 0 || int(m.Kind) >= len(b.joins) || !b.joins[m.Kind] || m.Term < b.term {
		return
	}
	tree, step := &b.film.Head.Tree, len(b.film.Steps.First)
	if m.Term > b.term || b.joined == nil {
		if b.joined != nil { // the election before it has built another tree
			*tree = append(*tree, [3]int{step, none, none})
		}
		b.joined, b.term = make(map[[2]int]bool), m.Term
	}
	if link := [2]int{min(p, q), max(p, q)}; !b.joined[link] {
		b.joined[link] = true
		*tree = append(*tree, [3]int{step, link[0], link[1]})
	}
}

// share notes which processes wait for the critical section and which are inside.
func (b *filming) share(p int, e *Event) {
	s, enters := &b.section, e.Do == observe.Raise && e.Op == entered
	if e.Do == observe.Raise && (!enters && e.Op != exited || e.Message.Flags != 0) {
		return // of another section, or of none
	}
	if at := slices.Index(s.inside, p); at >= 0 && e.Do != observe.Start && e.Do != observe.Refuse {
		s.inside = slices.Delete(s.inside, at, at+1)
	}
	if s.waiting[p] {
		s.asked--
	}
	if s.waiting[p] = e.Do == observe.Start && !slices.Contains(s.inside, p); s.waiting[p] {
		s.asked++
	}
	if enters {
		s.inside = append(s.inside, p)
	}
	step, last := len(b.film.Steps.First), len(s.changes)-1
	if last >= 0 && s.changes[last][0] == step {
		s.changes = s.changes[:last]
	}
	s.changes = append(s.changes, append([]int{step, s.asked}, s.inside...))
}

// begin begins a step.
func (b *filming) begin(p int, e *Event, first uint32) {
	steps := &b.film.Steps
	steps.First = append(steps.First, first)
	steps.Count = append(steps.Count, 0)
	steps.Process = append(steps.Process, uint16(p))
	steps.Do = append(steps.Do, uint8(e.Do))
	steps.At = append(steps.At, inUnits(e.At))
	b.actor, b.now = p, b.states[p]
	switch e.Do {
	case observe.Crash:
		b.now = filmState{status: filmDown}
	case observe.Recover, observe.Restart:
		b.now = filmState{}
	case observe.Pause:
		b.now.status = filmPaused
	case observe.Resume:
		b.now.status = filmUp
	}
}

// decide notes what the process believes now.
func (b *filming) decide(p int, o *election.Outcome, at time.Duration) {
	if o.Role != b.now.outcome.Role {
		b.now.since = at
	}
	if o.Term != b.now.outcome.Term || o.Role == election.Undecided {
		b.now.done = false
	}
	b.now.outcome, b.now.until = *o, 0
	if o.Until > 0 && b.film.Head.Driver == "sim" {
		b.now.until = inUnits(b.clocks.When(p, at, o.Until))
	}
	b.now.outcome.Until = 0 // it is by the clock of the process
}

// finish ends the current step, and with it the film.
func (b *filming) finish() {
	b.note()
	b.film.Head.Result, b.film.Head.Cuts = b.result(), b.cuts()
	b.film.Head.Sections = b.section.changes
	for i, name := range b.film.Head.Kinds {
		if n := b.sent[(i+1)%len(b.sent)]; n > 0 {
			b.film.Head.Counts[name] = n
		}
	}
}

// note records how the current step has changed its process.
func (b *filming) note() {
	if b.actor == noProcess || b.now == b.states[b.actor] {
		return
	}
	b.states[b.actor] = b.now
	c, now, done := &b.film.Changes, &b.now, uint8(0)
	if now.done {
		done = 1
	}
	c.Step = append(c.Step, uint32(len(b.film.Steps.First)))
	c.Process = append(c.Process, uint16(b.actor))
	c.Role = append(c.Role, uint8(now.outcome.Role))
	c.Status = append(c.Status, now.status)
	c.Done = append(c.Done, done)
	c.Term = append(c.Term, now.outcome.Term)
	c.Leader = append(c.Leader, uint64(now.outcome.Leader.ID))
	c.Until = append(c.Until, now.until)
}

// result returns the outcome in words.
func (b *filming) result() string {
	var leaders []string
	var since time.Duration
	for p := range b.states {
		if s := &b.states[p]; s.outcome.Role == election.Leader {
			leaders, since = append(leaders, b.film.Head.IDs[p]), max(since, s.since)
		}
	}
	orphans := b.story.orphans(func(p int) (*election.Outcome, bool) {
		return &b.states[p].outcome, b.states[p].status == filmDown
	})
	return b.story.resultOf(leaders, orphans, since, b.messages)
}

// links returns which event belongs to this one, and which to the copy. Of those events it notes this one.
func (b *filming) links(i int32, e *Event) (link, twin int32) {
	if e.From == (Ref{}) {
		return none, none
	}
	q, ok := b.where[e.From.Process]
	if !ok || e.From.Seq > uint64(len(b.at[q])) {
		return none, none
	}
	link = int32(b.at[q][e.From.Seq-1])
	events := &b.film.Events
	switch e.Do {
	case observe.Duplicate:
		b.open[link] = append(b.open[link], i)
		return link, none
	case observe.Deliver, observe.Lose:
		if events.Link[link] == none {
			events.Link[link] = i
			return link, none
		}
		// The message has arrived already, so this is one of its copies.
		if copies := b.open[link]; len(copies) > 0 {
			events.Copy[copies[0]], b.open[link] = i, copies[1:]
			return link, copies[0]
		}
	}
	return link, none
}

func inUnits(t time.Duration) float64 { return float64(t) / float64(scenario.Unit) }
