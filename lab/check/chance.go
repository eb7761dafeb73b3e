package check

import (
	"context"
	"slices"
)

// Where chance decides, a run that goes round in a component need not be one without end: if one of the
// things that chance may bring in a step leads out of the component, it comes in the end. A run stays
// forever only where, for each step that it takes, all that chance may bring stays too: in an end
// component. All other runs have an end, with probability 1.

// fork is a step: where each of the things leads that chance may bring in it, as places in a list of states;
// outside where that is none of them.
type fork []int

const outside = -1

// endComponents returns the largest end components among states that can be reached from each other.
func (k *walk) endComponents(ctx context.Context, all []member) [][]member {
	if !k.w.chance { // every step leads to one state
		return [][]member{all}
	}
	forks := k.forks(ctx, all)
	if ctx.Err() != nil {
		return nil
	}
	part := make([]int, len(all)) // the number of the component that each state is in, or outside
	for {
		now := components(stayIn(forks, part))
		if slices.Equal(now, part) {
			break
		}
		part = now
	}
	sets := make([][]member, slices.Max(part)+1)
	for i, of := range part {
		if of != outside {
			sets[of] = append(sets[of], all[i])
		}
	}
	return sets
}

// forks returns the steps from each of some states.
func (k *walk) forks(ctx context.Context, all []member) [][]fork {
	places := make(map[int]int, len(all))
	for i, m := range all {
		places[m.id] = i
	}
	forks := make([][]fork, len(all))
	for i, m := range all {
		if ctx.Err() != nil {
			return nil
		}
		for step := range byStep(k.moves(m.id, m.state)) {
			var f fork
			for _, to := range step {
				at, in := places[k.id(to.state, to.hash)]
				if !in {
					at = outside
				}
				f = append(f, at)
			}
			forks[i] = append(forks[i], f)
		}
	}
	return forks
}

// byStep yields moves that differ in what chance brings only together.
func byStep(moves []move) func(yield func([]move) bool) {
	return func(yield func([]move) bool) {
		for len(moves) > 0 {
			n := 1
			for n < len(moves) && moves[n].act.choice() > 0 {
				n++
			}
			if !yield(moves[:n]) {
				return
			}
			moves = moves[n:]
		}
	}
}

// kept returns the moves from a state that stay in a set, whatever chance brings.
func (k *walk) kept(m member, in map[int]bool) (list []move) {
	leaves := func(to move) bool { return !in[k.id(to.state, to.hash)] }
	for step := range byStep(k.moves(m.id, m.state)) {
		if !slices.ContainsFunc(step, leaves) {
			list = append(list, step...)
		}
	}
	return list
}

// stayIn returns where the steps from each state lead that stay in its component, whatever chance brings.
func stayIn(forks [][]fork, part []int) [][]int {
	next := make([][]int, len(forks))
	for i := range forks {
		leaves := func(to int) bool { return to == outside || part[to] != part[i] }
		for _, f := range forks[i] {
			if part[i] != outside && !slices.ContainsFunc(f, leaves) {
				next[i] = append(next[i], f...)
			}
		}
	}
	return next
}

// components returns the number of the component that each state is in, outside where no step leads back to
// it. The algorithm is Tarjan's, as in walk.
func components(next [][]int) []int {
	c := &tarjan{next: next, index: make([]int, len(next)), low: make([]int, len(next)),
		part: make([]int, len(next))}
	for i := range next {
		if c.index[i] == 0 {
			c.from(i)
		}
	}
	return c.part
}

type tarjan struct {
	next             [][]int
	index, low, part []int // by state; an index of zero: not yet met
	met, found       int
	open             []int
}

// open states have this part until their component is known.
const unknown = outside - 1

func (c *tarjan) enter(i int) {
	c.met++
	c.index[i], c.low[i], c.part[i] = c.met, c.met, unknown
	c.open = append(c.open, i)
}

// from visits all states that can be reached from one. It is no recursion: a path may be very long.
func (c *tarjan) from(root int) {
	type visit struct{ state, at int }
	c.enter(root)
	for path := []visit{{state: root}}; len(path) > 0; {
		v := &path[len(path)-1]
		i := v.state
		if v.at < len(c.next[i]) {
			to := c.next[i][v.at]
			v.at++
			switch {
			case c.index[to] == 0:
				c.enter(to)
				path = append(path, visit{state: to})
			case c.part[to] == unknown:
				c.low[i] = min(c.low[i], c.index[to])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			before := path[len(path)-1].state
			c.low[before] = min(c.low[before], c.low[i])
		}
		if c.low[i] == c.index[i] {
			c.leave(i)
		}
	}
}

// leave ends a component with its first state.
func (c *tarjan) leave(first int) {
	at := len(c.open) - 1
	for c.open[at] != first {
		at--
	}
	number := outside
	if len(c.open)-at > 1 || slices.Contains(c.next[first], first) {
		number = c.found
		c.found++
	}
	for _, i := range c.open[at:] {
		c.part[i] = number
	}
	c.open = c.open[:at]
}
