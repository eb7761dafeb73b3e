package bridge

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// How a leader writes, in units.
const (
	writeEvery = 20 // 150 ms
	writeTakes = 3  // until a write arrives

	mostWrites = 20_000 // of a run; a scenario may last for any time
)

// never is the time of what does not happen, a number that JSON can represent.
const never = math.MaxFloat64

// write is a write of a leader to the register.
type write struct {
	Process int     `json:"process"`
	Token   uint64  `json:"token"` // the Term of its lead
	Sent    float64 `json:"sent"`
	Arrives float64 `json:"arrives"`
	Late    string  `json:"late,omitempty"` // why it arrives late: pause or cut
	Refused bool    `json:"refused"`
	Seen    uint64  `json:"seen"` // the largest token before
}

// fence decides on writes as package elector/fence does, whose HTTP handler makes it too large for a page.
type fence struct{ last uint64 }

func (f *fence) accepts(token uint64) bool {
	if token < f.last {
		return false
	}
	f.last = token
	return true
}

// fencing decides on the writes of a register.
type fencing interface{ accepts(token uint64) bool }

// register carries out writes in the order of their arrival.
func register(writes []write, f fencing) {
	slices.SortStableFunc(writes, func(a, b write) int { return cmp.Compare(a.Arrives, b.Arrives) })
	seen := uint64(0)
	for i := range writes {
		w := &writes[i]
		if w.Arrives == never {
			break
		}
		w.Seen, w.Refused = seen, !f.accepts(w.Token)
		seen = max(seen, w.Token)
	}
}

// stale returns the accepted writes that come after a write of another leader that began later, or after one with
// the same token by another process.
func stale(writes []write) []int {
	wrong := []int{}
	var last *write // that was accepted and is not wrong
	for i := range writes {
		w := &writes[i]
		if w.Refused || w.Arrives == never {
			continue
		}
		if last != nil && (w.Token < last.Token || w.Token == last.Token && w.Process != last.Process) {
			wrong = append(wrong, i)
			continue
		}
		last = w
	}
	return wrong
}

// faultsSeen are the faults of a film. A time that does not end is infinite.
type faultsSeen struct {
	done   []trouble
	downs  []span
	pauses []span
	cuts   []span
}

// faultsOf finds the faults of a film, whose processes have these links. The register is on the side of the majority,
// or of the store.
func faultsOf(f *trace.Film, links topology.Topology, store int) *faultsSeen {
	n := len(f.Head.IDs)
	s := &faultsSeen{cuts: []span{}, pauses: []span{}, downs: []span{}}
	lost := make([]map[int]bool, n) // by process, the processes that it cannot reach as links are cut by hand
	for p := range lost {
		lost[p] = make(map[int]bool)
	}
	paused, cut, down := make([]int, n), make([]int, n), make([]int, n) // one more than the place of the open span
	end := func(spans []span, open []int, p int, at float64) {
		if k := open[p]; k > 0 {
			spans[k-1].Until, open[p] = at, 0
		}
	}
	// away begins or ends the time during which a process cannot reach the register.
	away := func(p int, at float64) (begins bool) {
		reaches := func(q int) bool {
			return p == q || !lost[p][q] && !slices.ContainsFunc(f.Head.Cuts, func(c trace.FilmCut) bool {
				return c.Lasts(at) && c.Loses(p, q)
			})
		}
		is := false
		if store >= 0 {
			is = p != store && !reaches(store)
		} else {
			reached := 0
			for q := range n {
				if reaches(q) {
					reached++
				}
			}
			is = 2*reached <= n
		}
		switch {
		case is && cut[p] == 0:
			s.cuts = append(s.cuts, span{p, at, never})
			cut[p] = len(s.cuts)
			return true
		case !is:
			end(s.cuts, cut, p, at)
		}
		return false
	}
	turns := turnsOf(f)
	plan := func(step int, until float64) { // what the plan cuts and heals before a step
		for ; len(turns) > 0 && turns[0] <= until; turns = turns[1:] {
			for p := range n {
				if away(p, turns[0]) {
					s.done = append(s.done, trouble{Do: observe.Cut.String(), Process: p, At: turns[0], Step: step})
				}
			}
		}
	}
	for k, do := range f.Steps.Do {
		plan(k+1, f.Steps.At[k])
		p, at, what := int(f.Steps.Process[k]), f.Steps.At[k], observe.What(do)
		switch what {
		case observe.Crash:
			end(s.pauses, paused, p, at)
			s.downs = append(s.downs, span{p, at, never})
			down[p] = len(s.downs)
		case observe.Recover, observe.Restart:
			end(s.downs, down, p, at)
			continue
		case observe.Pause:
			if paused[p] > 0 {
				continue
			}
			s.pauses = append(s.pauses, span{p, at, never})
			paused[p] = len(s.pauses)
		case observe.Resume:
			end(s.pauses, paused, p, at)
		case observe.Cut, observe.Heal:
			peer, _ := topology.Behind(links, p, election.Port(f.Events.Port[f.Steps.First[k]]))
			if what == observe.Cut {
				lost[p][peer] = true
			} else {
				delete(lost[p], peer)
			}
			if !away(p, at) {
				continue
			}
		default:
			continue
		}
		if what != observe.Resume && what != observe.Heal {
			s.done = append(s.done, trouble{Do: what.String(), Process: p, At: at, Step: k + 1})
		}
	}
	plan(len(f.Steps.Do)+1, f.Head.End)
	return s
}

// turnsOf returns the times at which the plan of a film cuts or heals links.
func turnsOf(f *trace.Film) (turns []float64) {
	for _, c := range f.Head.Cuts {
		if turns = append(turns, c.From); c.Until > 0 {
			turns = append(turns, c.Until)
		}
	}
	slices.Sort(turns)
	return slices.Compact(turns)
}

// within returns the span of a process that contains a time.
func within(spans []span, p int, at float64) (span, bool) {
	for _, s := range spans {
		if s.Process == p && s.From <= at && at < s.Until {
			return s, true
		}
	}
	return span{}, false
}

// writesOf returns what the leaders write. A leader writes while its lease lasts. A leader that pauses has looked at
// its clock before: when it wakes up, it sends the write that it was about to send. A write over a link that is cut
// arrives when the cut is healed, unless the process crashes before.
func writesOf(leads []trace.Lead, s *faultsSeen) []write {
	writes := []write{}
	send := func(l *trace.Lead, at float64, late string) {
		w := write{Process: l.Process, Token: l.Term, Sent: at, Arrives: at + writeTakes, Late: late}
		if away, ok := within(s.cuts, l.Process, at); ok {
			lost := slices.ContainsFunc(s.downs, func(c span) bool {
				return c.Process == l.Process && at < c.From && c.From <= away.Until
			})
			if lost {
				return
			}
			w.Late = cmp.Or(late, observe.Cut.String())
			if w.Arrives = never; away.Until < never {
				w.Arrives = away.Until + writeTakes
			}
		}
		writes = append(writes, w)
	}
	for i := range leads {
		l := &leads[i]
		for at := l.From; at < l.Until && len(writes) < mostWrites; at += writeEvery {
			if _, ok := within(s.pauses, l.Process, at); !ok {
				send(l, at, "")
			}
		}
		for _, p := range s.pauses {
			crashed := slices.ContainsFunc(s.downs, func(c span) bool {
				return c.Process == p.Process && c.From == p.Until
			})
			if p.Process == l.Process && l.From < p.From && p.From < l.Until && p.Until < never && !crashed {
				send(l, p.Until, observe.Pause.String())
			}
		}
	}
	return writes
}
