package check

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Where every run to a state has the same length there is no cycle, and every run ends. Elsewhere the
// states are walked through once more, depth first, to find the sets of states that can be
// reached from each other (Tarjan). A run without end stays in one of these from some time on. It
// counts if it is fair: whatever may go on to happen, as long as it may, does happen. So a set has a run
// without end if every link has no message in some state of it, or is served within it, and the
// same goes for timers. What may go wrong never has to: it is no part of such a run.

// endings decides whether every run ends, and counts the longest.
func (s *search) endings(ctx context.Context, r *Result) error {
	if s.keeps {
		return nil // a message that arrives again and again is no run without end
	}
	if s.graded && (s.everyStepDelivers() || s.states > walkable && !s.rules[ruleBounded]) {
		r.Longest = s.depth
		if s.everyStepDelivers() { // it was judged wherever a run ends
			r.Messages, s.bounded = s.depth, true
		}
		return nil
	}
	size := walkBytes * int64(s.states)
	if s.perTerm() {
		size += 4 * int64(s.config.Starts()) * int64(s.states)
	}
	if c := s.config; c.MaxBytes > 0 && s.most+size > c.MaxBytes {
		return fmt.Errorf("%w: %d bytes are too few to look for runs without end among %d states", ErrLimit,
			c.MaxBytes, s.states)
	}
	s.most += size
	k := newWalk(s)
	if err := k.all(ctx); err != nil {
		return err
	}
	if err := k.settle(ctx); err != nil {
		return err
	}
	s.restless = k.cycles && s.config.Algorithm.NeverQuiesces
	switch {
	case s.config.Reduce && k.cycles && len(s.findings) == 0:
		return errUnsure
	case k.cycles || k.failures:
		return nil
	}
	// Where steps were left out, every run has one among these that takes the same steps in another order.
	root := k.id(s.first, s.workers[0].hash(s.first))
	r.Longest, r.Messages, s.bounded = int(k.longest[root]), int(k.messages[root])+s.sentBefore(), true
	if s.rules[ruleBounded] {
		k.judgeMessages(root)
	}
	return nil
}

// perTerm reports whether messages are counted for each Term: where processes may start late, that
// is when an election has ended, and begin another.
func (s *search) perTerm() bool {
	return s.rules[ruleBounded] && !s.config.Started && !s.config.Algorithm.LongLived()
}

// judgeMessages judges the most messages that any run sends.
func (k *walk) judgeMessages(root int) {
	term, most := 0, int(k.messages[root])+k.sentBefore()
	if k.perTerm() {
		most = 0
	}
	for i, of := range k.ofTerm {
		if n := int(of[root]) + k.past.ofTerm[uint64(i+1)]; n > most {
			term, most = i+1, n
		}
	}
	if most > k.bound() {
		acts := k.costliestRun(term)
		k.addFinding(finding{rule: ruleBounded, length: len(acts), acts: acts, err: k.tooManyMessages(most)})
	}
}

// tooManyMessages says that more messages are sent than promised.
func (m *model) tooManyMessages(messages int) error {
	of := " in one election"
	if m.config.Algorithm.LongLived() { // its messages do not show which election they are of
		of = ""
	}
	return fmt.Errorf("%d messages%s, more than the %d that are promised", messages, of, m.bound())
}

// walkBytes is what a walk keeps of a state.
const walkBytes = 24

// errUnsure: there are cycles, none of them is fair, and steps were left out. With steps left out there is a
// cycle wherever there is one with all steps, but not every such cycle. Which cycles are fair depends on all
// of them, so the check begins again with all steps.
var errUnsure = input.Sentinel("check", "cycles among reduced states")

// walkable is up to how many states it is worth to walk through all once more only to count messages.
const walkable = 1 << 20

// sentBefore returns how many messages are sent before the first state.
func (s *search) sentBefore() (n int) {
	if len(s.config.After) > 0 {
		return s.past.messages
	}
	for l := range s.links {
		n += len(s.queues[l].all()[s.first[s.n+l]].items)
	}
	return n
}

// walk is a walk through all states, depth first.
type walk struct {
	*search
	w                 *worker
	base              [shards]int
	index, low        []uint32   // by state, from one; zero: not yet met
	longest, messages []uint32   // from the state to the end
	ofTerm            [][]uint32 // the messages of each Term from 1, if these are judged
	left              []bool     // it belongs to no component that is still open
	met               uint32
	path              []visit
	open              []member
	roots             [][]uint32 // states that only a failure leads to
	depths            []uint32
	cycles, failures  bool
	endless           *endless
}

// visit is a state on the path of the walk.
type visit struct {
	id    int
	state []uint32
	next  []move
	at    int
	loops bool
}

type move struct {
	act   action
	state []uint32
	hash  uint64
	sends int
	term  uint64 // of what is sent
	own   int    // how many are of it
	reset []election.TimerChange
}

// messages returns how many messages of a Term are sent, of all for Term 0.
func (m *move) messages(term int) uint32 {
	switch {
	case term == 0:
		return uint32(m.sends)
	case m.term == uint64(term):
		return uint32(m.own)
	}
	return 0
}

// member is a state of a component that is still open.
type member struct {
	id    int
	state []uint32
}

func newWalk(s *search) *walk {
	k := &walk{search: s, w: s.workers[0]}
	n := 0
	for i := range s.shards {
		k.base[i] = n
		n += len(s.shards[i].from)
	}
	k.index, k.low, k.left = make([]uint32, n), make([]uint32, n), make([]bool, n)
	k.longest, k.messages = make([]uint32, n), make([]uint32, n)
	for term := range s.past.ofTerm {
		k.addTerm(term)
	}
	return k
}

// id returns the number of a visited state, notVisited of another one.
func (k *walk) id(state []uint32, hash uint64) int {
	i := shardOf(hash)
	h := &k.shards[i]
	var same func(int) bool
	if k.config.Exact {
		same = func(place int) bool {
			return slices.Equal(state, h.exact[place*k.slots:(place+1)*k.slots])
		}
	}
	place := h.lookup(hash, same)
	if place == notVisited {
		return notVisited
	}
	return k.base[i] + place
}

// all walks through every state.
func (k *walk) all(ctx context.Context) error {
	k.roots = append(k.roots, k.first)
	steps := 0
	for len(k.roots) > 0 {
		root := k.roots[len(k.roots)-1]
		k.roots = k.roots[:len(k.roots)-1]
		if id := k.id(root, k.w.hash(root)); k.index[id] == 0 {
			k.enter(id, root)
		}
		for len(k.path) > 0 {
			if ctx.Err() != nil {
				return stopped(ctx)
			}
			if steps++; steps%partSize == 0 {
				runtime.Gosched() // as in expandPart
			}
			k.step(ctx)
		}
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return nil
}

// enter begins with a state.
func (k *walk) enter(id int, state []uint32) {
	k.met++
	k.index[id], k.low[id] = k.met, k.met
	k.open = append(k.open, member{id, state})
	k.path = append(k.path, visit{id: id, state: state, next: k.moves(id, state)})
}

// moves returns the steps from a state that must happen in the end. What need not happen leads to
// another root.
func (k *walk) moves(id int, state []uint32) (list []move) {
	hash := k.w.hash(state)
	k.w.expand(state, hash)
	out := slices.Clone(k.w.out)
	if k.config.Reduce {
		if ample := k.w.reduce(state); !k.reopened(id) {
			out = slices.Clone(k.w.out[:ample])
		}
	}
	for _, next := range out {
		k.w.take(state, next.act)
		to := move{act: next.act, state: slices.Clone(state), hash: next.hash}
		for _, c := range k.w.changed {
			to.state[c.slot] = c.to
		}
		k.count(&to)
		to.reset = k.w.reset
		switch {
		case next.act.kind() < doCrash:
			list = append(list, to)
		default:
			// A failure never has to happen, so it is no part of a run without end. What follows it is walked
			// through later, from a root of its own.
			k.failures = true
			if id := k.id(to.state, to.hash); k.index[id] == 0 {
				k.roots = append(k.roots, to.state)
			}
		}
	}
	return list
}

// count counts the messages that the step at hand puts on links. CatchUp, by which a process
// that is behind learns of a later Term, is no part of an election.
func (k *walk) count(m *move) {
	for i := range k.w.sent {
		if k.w.sent[i].silent {
			continue
		}
		m.sends++
		if msg := k.w.messages.at(k.w.sent[i].msg); msg.Kind != election.CatchUp {
			m.term = msg.Term
			m.own++
		}
	}
	k.addTerm(m.term)
}

// addTerm makes room for the messages of a Term, where they are counted.
func (k *walk) addTerm(term uint64) {
	for k.perTerm() && uint64(len(k.ofTerm)) < term {
		k.ofTerm = append(k.ofTerm, make([]uint32, len(k.index)))
	}
}

// reopened reports whether every step was taken from a state of which some had been left out.
func (k *walk) reopened(id int) bool {
	n := k.numberOf(id)
	return k.shards[n.shard()].opened[n.place()]
}

// step advances by one step from the last state of the path, or back.
func (k *walk) step(ctx context.Context) {
	v := &k.path[len(k.path)-1]
	if v.at == len(v.next) {
		k.leave(ctx, v)
		return
	}
	to := &v.next[v.at]
	id := k.id(to.state, to.hash)
	switch {
	case id == v.id:
		v.loops = true
	case id == notVisited:
	case k.index[id] == 0:
		k.enter(id, to.state)
		return // and come back to this step
	case !k.left[id]:
		k.low[v.id] = min(k.low[v.id], k.low[id])
	}
	if id != notVisited {
		k.longest[v.id] = max(k.longest[v.id], k.longest[id]+1)
		k.messages[v.id] = max(k.messages[v.id], k.messages[id]+uint32(to.sends))
		for i, of := range k.ofTerm {
			of[v.id] = max(of[v.id], of[id]+to.messages(i+1))
		}
	}
	v.at++
}

// leave ends with a state, and with its component if that is its first.
func (k *walk) leave(ctx context.Context, v *visit) {
	done := *v
	k.path = k.path[:len(k.path)-1]
	if k.low[done.id] != k.index[done.id] {
		return
	}
	first := len(k.open) - 1
	for k.open[first].id != done.id {
		first--
	}
	all := k.open[first:]
	for _, m := range all {
		k.left[m.id] = true
	}
	if len(all) > 1 || done.loops {
		k.cycles = true
		k.component(ctx, all)
	}
	k.open = k.open[:first]
}

// costliestRun returns the steps of a run that sends the most messages of a Term, of all for Term 0.
func (k *walk) costliestRun(term int) (acts []action) {
	after := k.messages
	if term > 0 {
		after = k.ofTerm[term-1]
	}
	for state := k.first; ; {
		next := k.moves(k.id(state, k.w.hash(state)), state)
		if len(next) == 0 {
			return acts
		}
		best := slices.MaxFunc(next, func(a, b move) int {
			return cmp.Compare(a.messages(term)+after[k.id(a.state, a.hash)],
				b.messages(term)+after[k.id(b.state, b.hash)])
		})
		acts, state = append(acts, best.act), best.state
	}
}

// isCutOff reports whether nothing is left to happen only because time was not to go on.
func (w *worker) isCutOff(state []uint32) bool {
	f := w.frames.at(state[w.slots-1])
	return w.config.Until > 0 && time.Duration(f.now) >= w.ticks(w.config.Until) &&
		w.timeMustGoOn(state, f)
}
