package check

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
)

// Graph is the states of a check and the moves between them. Both stand in the order in which a search in the
// breadth meets them, so that the same check has the same Graph.
type Graph struct {
	IDs    []election.ID
	States []Vertex // the first is the state in which the check begins
	Edges  []Edge
	Moves  []Move // of the Edges, each once
	// Truncated: there are more states. Moves to those are left out.
	Truncated bool

	by []int // by state: the edge that has led there first
}

// Vertex is one state of a Graph.
type Vertex struct {
	Depth   int           // the number of moves from the first state
	Leaders []election.ID // the processes that are up and lead
	Ended   bool          // each process that is up knows that the election has ended
	Last    bool          // nothing is left to happen
	// Violated is a property that does not hold in this state, or in a move to it, and Reason says why; ""
	// if all do. That runs end, and what they cost, is no property of a state.
	Violated verdict.Property
	Reason   error
}

// Edge is a move from one state to another, as places in States; Move is its place in Moves.
type Edge struct{ From, To, Move int }

// Move is what happens between two states.
type Move struct {
	// Steps are the move as a scenario has it. A tick of the clock is none, nor is a start that is refused. In which order messages were sent over a link, which Nth
	// counts, depends on the way to a state: here it is that of [Graph.Path].
	Steps   []scenario.Step
	Process election.ID // to which it happens; zero for time and cuts
	Words   string
}

// Led says which processes lead.
func (v *Vertex) Led() string {
	var ids []string
	for _, id := range v.Leaders {
		ids = append(ids, fmt.Sprint(id))
	}
	switch len(ids) {
	case 0:
		return "no process leads"
	case 1:
		return ids[0] + " leads"
	}
	return listed(ids) + " lead"
}

// Path returns the steps that lead to a state, those of [Config.After] not included.
func (g *Graph) Path(state int) (steps []scenario.Step) {
	var way []int
	for ; g.by[state] >= 0; state = g.Edges[g.by[state]].From {
		way = append(way, g.by[state])
	}
	for _, e := range slices.Backward(way) {
		steps = append(steps, g.Moves[g.Edges[e].Move].Steps...)
	}
	return steps
}

// NewGraph visits the states of a check, at most a number of them, also behind those in which a property does
// not hold. The error wraps [election.ErrInput] if c cannot be checked, and [ErrTooLarge] or the error of ctx
// where the search cannot go on.
func NewGraph(ctx context.Context, c Config, most int) (*Graph, error) {
	if most < 1 {
		return nil, input.Errorf("most: %d states, at least 1 is needed", most)
	}
	var b *graphing
	var err error
	inTicks(c, func(c Config) error {
		b, err = newGraphing(&c, most)
		if err == nil {
			err = b.visitAll(ctx)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.graph, nil
}

// graphing is a Graph that is being made.
type graphing struct {
	graph  *Graph
	w      *worker
	rules  [ruleCount]bool
	most   int
	places map[string]int // of states, by all that they are
	moves  map[string]int
	front  []*pen // of the states that are to be expanded; nil where that is done
}

func newGraphing(c *Config, most int) (*graphing, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m := newModel(c)
	b := &graphing{graph: &Graph{IDs: c.IDs}, w: newWorker(m), rules: m.applicableRules(), most: most,
		places: make(map[string]int), moves: make(map[string]int)}
	p, err := newPen(b.w)
	if err != nil {
		return nil, err
	}
	b.add(p, 0, -1)
	return b, nil
}

// visitAll expands state after state.
func (b *graphing) visitAll(ctx context.Context) error {
	for at := 0; at < len(b.front); at++ {
		switch large := b.w.large.Load(); {
		case ctx.Err() != nil:
			return stopped(ctx)
		case large != nil:
			return *large
		}
		if at%partSize == 0 {
			runtime.Gosched() // as in expandPart
		}
		b.expand(at)
		b.front[at] = nil
	}
	if large := b.w.large.Load(); large != nil {
		return *large
	}
	return nil
}

// expand takes every step from a state.
func (b *graphing) expand(at int) {
	p, w, g := b.front[at], b.w, b.graph
	must := w.expand(p.state, w.hash(p.state))
	out, reports := slices.Clone(w.out), slices.Clone(w.reports)
	if !must && !w.isCutOff(p.state) {
		g.States[at].Last = true
		b.judge(&g.States[at], p.state, true)
	}
	for _, next := range out {
		child := p.fork()
		words := child.words(next.act) // before the step: it takes the message off its link
		process := child.processOf(next.act)
		child.copies = w.keeps && next.act.kind() == doDeliver
		child.write(next.act)
		if k := next.act.kind(); (k == doStart || k == doNudge) && len(child.steps) == 0 {
			words += ", and is refused"
		}
		words += chosen(w.choices)
		to, ok := b.places[key(child.state)]
		if !ok {
			if len(g.States) == b.most {
				g.Truncated = true
				continue
			}
			to = b.add(child, g.States[at].Depth+1, len(g.Edges))
		}
		for _, r := range reports {
			if v := &g.States[to]; r.act == next.act && b.rules[r.rule] && v.Violated == "" {
				v.Violated, v.Reason = ruleProperties[r.rule], r.err
			}
		}
		g.Edges = append(g.Edges, Edge{at, to, b.move(Move{child.steps, process, words})})
	}
}

// add adds a state.
func (b *graphing) add(p *pen, depth, by int) int {
	at := len(b.graph.States)
	b.places[key(p.state)] = at
	b.front, b.graph.by = append(b.front, p), append(b.graph.by, by)
	v := Vertex{Depth: depth, Ended: true}
	s := &State{w: b.w, state: p.state}
	for q := range b.w.n {
		if !s.Up(q) {
			continue
		}
		v.Ended = v.Ended && s.Ended(q)
		if s.Outcome(q).Role == election.Leader {
			v.Leaders = append(v.Leaders, b.w.config.IDs[q])
		}
	}
	b.judge(&v, p.state, false)
	b.graph.States = append(b.graph.States, v)
	return at
}

// judge notes a property that does not hold in a state.
func (b *graphing) judge(v *Vertex, state []uint32, last bool) {
	if v.Violated != "" {
		return
	}
	s := &State{w: b.w, state: state}
	judge := s.judge
	if last {
		judge = s.judgeLast
	}
	if rule, err := judge(&b.rules); err != nil {
		v.Violated, v.Reason = ruleProperties[rule], err
		return
	}
	for i := range b.w.config.Properties {
		p := &b.w.config.Properties[i]
		if p.Kind == verdict.Always && !last || p.Kind == verdict.Finally && last {
			if err := s.check(p); err != nil {
				v.Violated, v.Reason = verdict.Property(p.Name), err
				return
			}
		}
	}
}

// move returns the place of a move.
func (b *graphing) move(m Move) int {
	var k strings.Builder
	k.WriteString(m.Words)
	for _, s := range m.Steps {
		at := ""
		if s.At != nil {
			at = s.At.String()
		}
		s.At = nil
		fmt.Fprint(&k, s, at)
	}
	at, ok := b.moves[k.String()]
	if !ok {
		at = len(b.graph.Moves)
		b.moves[k.String()] = at
		b.graph.Moves = append(b.graph.Moves, m)
	}
	return at
}

// key returns all that a state is.
func key(state []uint32) string {
	b := make([]byte, 0, 4*len(state))
	for _, v := range state {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return string(b)
}

// fork returns a pen that continues from here, and has written nothing.
func (p *pen) fork() *pen {
	other := &pen{w: p.w, state: slices.Clone(p.state), sent: make([][]uint32, len(p.sent)), past: p.past}
	for l, sent := range p.sent {
		other.sent[l] = slices.Clone(sent)
	}
	return other
}

// processOf returns to which process a step happens; zero for time and cuts.
func (p *pen) processOf(a action) election.ID {
	w := p.w
	switch a.kind() {
	case doTick, doCut, doHeal:
		return 0
	case doTimeout:
		return w.config.IDs[w.frames.at(p.state[w.slots-1]).timers[a.part()].owner.process()]
	case doDeliver, doLose, doDuplicate:
		return w.config.IDs[w.links[a.index()].to]
	}
	return w.config.IDs[a.index()]
}

// words says what a step is.
func (p *pen) words(a action) string {
	w, id := p.w, p.processOf(a)
	switch a.kind() {
	case doStart, doNudge:
		return fmt.Sprintf("%d starts", id)
	case doDeliver, doLose, doDuplicate:
		l := &w.links[a.index()]
		m := w.messages.at(w.queues[a.index()].at(p.state[w.n+a.index()]).items[a.part()].msg)
		text, from := trace.MessageText(w.config.Algorithm.KindOf(m.Kind), m), w.config.IDs[l.from]
		switch {
		case a.kind() == doLose:
			return fmt.Sprintf("%s from %d to %d is lost", text, from, id)
		case a.kind() == doDuplicate:
			return fmt.Sprintf("%s from %d to %d is duplicated", text, from, id)
		}
		return fmt.Sprintf("%d receives %s from %d", id, text, from)
	case doTimeout:
		of := w.frames.at(p.state[w.slots-1]).timers[a.part()].owner
		name := w.config.Algorithm.TimerName(uint8(of>>8), uint8(of))
		if name == "" {
			name = fmt.Sprintf("timer %d", uint8(of))
		}
		return fmt.Sprintf("%d: %s runs out", id, name)
	case doTick:
		return "time advances by " + scenario.InUnits(w.config.Tick)
	case doNotice:
		op, port := w.reportOf(p.state, a)
		if q, _, ok := w.config.Topology.Link(a.index(), port); ok {
			verb := map[election.Op]string{election.Suspect: "suspects", election.Trust: "trusts"}[op]
			return fmt.Sprintf("%d %s %d", id, verb, w.config.IDs[q])
		}
		return fmt.Sprintf("%d notices that its leader is down", id)
	case doCut:
		var ids []string
		for _, id := range w.idsIn(uint16(a.index())) {
			ids = append(ids, fmt.Sprint(id))
		}
		return "a cut divides " + listed(ids) + " from the others"
	case doHeal:
		return "the cut ends"
	}
	return fmt.Sprintf("%d %s", id, happens[a.kind()])
}

// happens are the words for what happens to a process, where its kind says all.
var happens = [doCut + 1]string{doResume: "goes on", doCrash: "crashes",
	doRecover: "comes back without its state",
	doRestart: "comes back with the state that it saved", doPause: "pauses"}

// listed is a list in a sentence.
func listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// chosen says what chance brings.
func chosen(choices []int) string {
	if len(choices) == 0 {
		return ""
	}
	return fmt.Sprintf(", draws %s", strings.Trim(fmt.Sprint(choices), "[]"))
}
