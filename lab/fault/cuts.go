package fault

import (
	"slices"
	"time"

	"github.com/go-election/election"
)

// Cuts are partitions in a form in which a link is looked up fast. They do not change: what adds
// or ends a partition returns others. The zero value cuts nothing.
type Cuts struct{ list []cut }

type cut struct {
	from, until time.Duration // until: zero if never
	group       map[election.ID]int
	rest        int // the group of processes that are not in the map
	oneWay      bool
}

// Cuts returns the partitions of a Plan that [Plan.Check] has found good.
func (p *Plan) Cuts() Cuts { return Cuts{}.With(p.Partitions...) }

// With returns these cuts and some more.
func (c Cuts) With(partitions ...Partition) Cuts {
	// Clone: a snapshot of a run may share the list.
	list := slices.Clone(c.list)
	for _, p := range partitions {
		k := cut{from: p.From, until: p.Until, rest: len(p.Groups), oneWay: p.OneWay,
			group: make(map[election.ID]int)}
		for g, group := range p.Groups {
			for _, id := range group {
				k.group[id] = g
			}
		}
		list = append(list, k)
	}
	return Cuts{list}
}

// Without returns the cuts that begin after a time.
func (c Cuts) Without(at time.Duration) Cuts {
	return Cuts{slices.DeleteFunc(slices.Clone(c.list), func(k cut) bool { return k.from <= at })}
}

// Loses reports whether a message from one process to another is lost if it is sent at a moment.
func (c *Cuts) Loses(from, to election.ID, at time.Duration) bool {
	for i := range c.list {
		k := &c.list[i]
		if at < k.from || k.until != 0 && at >= k.until {
			continue
		}
		// Groups are numbered in the order of the plan: a one-way cut loses what an earlier one sends to a
		// later one.
		if a, b := k.groupOf(from), k.groupOf(to); a < b || a > b && !k.oneWay {
			return true
		}
	}
	return false
}

// groupOf returns the group of a process.
func (k *cut) groupOf(id election.ID) int {
	if g, ok := k.group[id]; ok {
		return g
	}
	return k.rest
}
