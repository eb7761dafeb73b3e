package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
)

// component looks for a fair run without end among states that can be reached from each other.
func (k *walk) component(ctx context.Context, all []member) {
	if !k.rules[ruleEnds] || k.atEndOfTime(all[0].state) {
		return
	}
	for _, set := range k.endComponents(ctx, all) {
		k.endComponent(ctx, set)
	}
}

// endComponent looks for a fair run without end in an end component.
func (k *walk) endComponent(ctx context.Context, all []member) {
	in := make(map[int]bool, len(all))
	for _, m := range all {
		in[m.id] = true
	}
	may, served := make(map[stepClass]int), make(map[stepClass]bool)
	for _, m := range all {
		if ctx.Err() != nil {
			return
		}
		for _, to := range k.kept(m, in) {
			served[k.classOf(m.state, to.act)] = true
			for i := range to.reset {
				k.noteResetTimers(m.state, to.act, &to.reset[i], served)
			}
		}
		here := make(map[stepClass]bool)
		for _, next := range k.w.out { // moves has left all here: steps that were left out wait too
			if next.act.kind() < doCrash {
				here[k.classOf(m.state, next.act)] = true
			}
		}
		for c := range here {
			may[c]++
		}
	}
	// A step that is possible in every state of the set and never leads back into it would be put off
	// forever: then no run stays in the set. One that is possible in some states only need not be
	// taken.
	for c, states := range may {
		if states == len(all) && !served[c] {
			return // it would be put off forever
		}
	}
	nearest := all[0]
	for _, m := range all {
		if k.isNearer(m.id, nearest.id) {
			nearest = m
		}
	}
	if k.endless != nil && !k.isNearer(nearest.id, k.endless.state.id) {
		return
	}
	k.endless = &endless{state: nearest, in: in}
}

// noteResetTimers notes the timers that a step stops or sets again: they have not waited since before it.
func (k *walk) noteResetTimers(state []uint32, a action, c *election.TimerChange, served map[stepClass]bool) {
	timers := k.w.frames.at(state[k.slots-1]).timers
	p := a.index()
	switch a.kind() {
	case doDeliver:
		p = k.links[p].to
	case doTimeout:
		p = timers[a.part()].owner.process()
	}
	for i := range timers {
		if timers[i].owner.matches(p, c) {
			served[stepClass{kind: doTimeout, of: uint32(timers[i].owner)}] = true
		}
	}
}

// atEndOfTime reports whether a state is at the end of time, at which whatever still continues is cut off.
func (k *walk) atEndOfTime(state []uint32) bool {
	until := k.config.Until
	return k.timed() && until > 0 && time.Duration(k.w.frames.at(state[k.slots-1]).now) >= k.ticks(until)
}

// endless is a set of states in which a fair run can stay forever.
type endless struct {
	state member // the nearest to the first state
	in    map[int]bool
}

// isNearer reports whether a state is nearer to the first one than another is.
func (k *walk) isNearer(a, b int) bool {
	return cmp.Or(cmp.Compare(k.depth(a), k.depth(b)), cmp.Compare(k.numberOf(a), k.numberOf(b))) < 0
}

// depth returns how many steps lead to a state. It remembers that of all on the way.
func (k *walk) depth(id int) int {
	if k.depths == nil {
		k.depths = make([]uint32, len(k.index)) // zero: not known, or the first state
	}
	var way []int
	for at, more := id, true; more && k.depths[at] == 0; at, more = k.parent(at) {
		way = append(way, at)
	}
	for _, at := range slices.Backward(way) {
		if from, ok := k.parent(at); ok {
			k.depths[at] = k.depths[from] + 1
		}
	}
	return int(k.depths[id])
}

// parent returns the state that a state was reached from, if it is not the first.
func (k *walk) parent(id int) (int, bool) {
	n := k.numberOf(id)
	h := &k.shards[n.shard()]
	if h.by[n.place()] == noAction {
		return 0, false
	}
	from := h.from[n.place()]
	return k.base[from.shard()] + from.place(), true
}

// settle reports the nearest run without end that was found.
func (k *walk) settle(ctx context.Context) error {
	e := k.endless
	if e == nil {
		return nil
	}
	acts := k.cycle(ctx, e.state, e.in)
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	k.addFinding(finding{rule: ruleEnds, length: k.depth(e.state.id), state: k.numberOf(e.state.id),
		cycle: acts,
		err:   fmt.Errorf("a run without end begins here, through %d states in all", len(e.in))})
	return nil
}

// stepClass is what a fair run must not put off forever: a link, on links that do not keep the order a
// message on it, or a timer or start of a process.
type stepClass struct {
	kind  actionKind
	index int
	of    uint32
}

func (k *walk) classOf(state []uint32, a action) stepClass {
	c := stepClass{kind: a.kind(), index: a.index()}
	switch {
	case a.kind() == doTimeout:
		c.of = uint32(k.w.frames.at(state[k.slots-1]).timers[a.part()].owner)
	case a.kind() == doDeliver && k.config.Unordered:
		c.of = k.w.queues[a.index()].at(state[k.n+a.index()]).items[a.part()].msg
	}
	return c
}

// numberOf is the way back from id.
func (k *walk) numberOf(id int) number {
	i := shards - 1
	for k.base[i] > id {
		i--
	}
	return newNumber(i, id-k.base[i])
}

// cycle returns a shortest way from a state back to it, among some states.
func (k *walk) cycle(ctx context.Context, from member, in map[int]bool) (acts []action) {
	type way struct {
		member
		before int // the place of the state before
		act    action
	}
	seen := make(map[int]bool)
	for ways, i := []way{{member: from}}, 0; i < len(ways); i++ {
		if ctx.Err() != nil {
			return nil
		}
		for _, to := range k.kept(ways[i].member, in) {
			id := k.id(to.state, to.hash)
			if id == from.id {
				acts = append(acts, to.act)
				for ; i > 0; i = ways[i].before {
					acts = append(acts, ways[i].act)
				}
				slices.Reverse(acts)
				return acts
			}
			if !seen[id] {
				seen[id] = true
				ways = append(ways, way{member{id, to.state}, i, to.act})
			}
		}
	}
	return nil
}
