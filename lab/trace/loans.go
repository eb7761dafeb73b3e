package trace

import (
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/observe"
)

// Lead is the time during which a process leads in a Term, in units.
type Lead struct {
	Process int     `json:"process"`
	Term    uint64  `json:"term"`
	From    float64 `json:"from"`
	Until   float64 `json:"until"`  // the end of its lease, or earlier if it stops or crashes
	Thinks  float64 `json:"thinks"` // until when it has not noticed the end
}

// Loan is a vote that is lent, from one renewal to the next, in units. In a store, it is the record that names the
// owner.
type Loan struct {
	Of    int     `json:"of"` // whose vote
	To    int     `json:"to"`
	Term  uint64  `json:"term"`
	From  float64 `json:"from"`
	End   float64 `json:"end"`   // when it was renewed, returned, or lost in a crash
	Until float64 `json:"until"` // when it ends otherwise; zero in a store
}

// Leads returns the leads of a film in the order of their beginnings.
func (f *Film) Leads() []Lead {
	leads := []Lead{}
	open := make([]int, len(f.Head.IDs)) // by process: one more than the place of its lead
	c := &f.Changes
	for i := range c.Step {
		p, at := int(c.Process[i]), f.Steps.At[c.Step[i]-1]
		is := election.Role(c.Role[i]) == election.Leader && c.Status[i] != filmDown
		until := c.Until[i]
		if k := open[p]; k > 0 {
			l := &leads[k-1]
			lapsed := l.Until > 0 && l.Until <= at
			switch {
			case !is || l.Term != c.Term[i] || lapsed && until > at:
				l.Thinks, open[p] = at, 0
				if l.Until == 0 || l.Until > at {
					l.Until = at
				}
			case !lapsed:
				l.Until = until
			}
		}
		if is && open[p] == 0 && (until == 0 || until > at) {
			leads = append(leads, Lead{Process: p, Term: c.Term[i], From: at, Until: until})
			open[p] = len(leads)
		}
	}
	for _, k := range open {
		if k > 0 {
			l := &leads[k-1]
			l.Thinks = f.end()
			if l.Until == 0 {
				l.Until = f.end()
			}
		}
	}
	return leads
}

// end returns when a film ends.
func (f *Film) end() float64 {
	if n := len(f.Steps.At); f.Head.End == 0 && n > 0 {
		return f.Steps.At[n-1]
	}
	return f.Head.End
}

// fromUnits returns a time of a film.
func fromUnits(at float64) time.Duration {
	return time.Duration(math.Round(at * float64(scenario.Unit)))
}

// tiny is a time in units to which clocks are rounded.
const tiny = 1e-6

// Held joins the loans of one vote to one process in one Term that follow each other without a gap, as renewals do.
func Held(loans []Loan) (held []Loan) {
	last := make(map[int]int)
	for _, l := range loans {
		k, ok := last[l.Of]
		if ok && held[k].To == l.To && held[k].Term == l.Term && l.From-held[k].End < tiny {
			held[k].End, held[k].Until = l.End, l.Until
			continue
		}
		last[l.Of] = len(held)
		held = append(held, l)
	}
	return held
}

// ballots are the votes of processes, as their Nodes have lent them.
type ballots struct {
	clocks *scenario.Clocks
	where  map[election.ID]int
	loans  []Loan
	open   []int // by process: one more than the place of its open loan
}

func newBallots(h *Header, where map[election.ID]int) *ballots {
	return &ballots{clocks: h.clocks(), where: where, open: make([]int, len(h.Scenario.IDs))}
}

// look notes the vote of a process after a step. The Node of a process that is down is nil.
func (b *ballots) look(p int, node election.Node, now time.Duration) {
	var g lease.Grant
	if node != nil {
		g = lease.GrantOf(node, b.clocks.Local(p, now))
	}
	at := inUnits(now)
	ends := inUnits(b.clocks.When(p, now, g.Until))
	if k := b.open[p]; k > 0 {
		l := &b.loans[k-1]
		if g.Owner != 0 && l.To == b.where[g.Owner] && l.Term == g.Term && l.Until == ends {
			return
		}
		l.End, b.open[p] = min(at, l.Until), 0
	}
	if g.Owner != 0 {
		b.loans = append(b.loans, Loan{Of: p, To: b.where[g.Owner], Term: g.Term, From: at, Until: ends})
		b.open[p] = len(b.loans)
	}
}

// close ends the open loans at the end of the run.
func (b *ballots) close(end float64) []Loan {
	for _, k := range b.open {
		if k > 0 {
			l := &b.loans[k-1]
			l.End = min(end, l.Until)
		}
	}
	return b.loans
}

// Loans returns the votes that were lent in a run of lease, as its Nodes hold them in a replay, or the records of
// the store in a run of storelease; nil for other algorithms. The film is the film of the trace.
func Loans(t *Trace, f *Film) []Loan {
	switch t.Header.Scenario.Algorithm {
	case storeName:
		return f.records()
	case leaseName:
	default:
		return nil
	}
	s := t.words()
	b := newBallots(&t.Header, s.where)
	next := 0 // the first step that is still to come
	at := func(step int) time.Duration { return fromUnits(f.Steps.At[step-1]) }
	pass := func(step int) {
		for ; next < step; next++ {
			if observe.What(f.Steps.Do[next]) == observe.Crash {
				b.look(int(f.Steps.Process[next]), nil, at(next+1))
			}
		}
	}
	_, err := ReplayWith(grouped(t), findLease, func(step, p int, host *election.TermKeeper) {
		pass(step)
		b.look(p, host.Node(), at(step))
	})
	if err != nil {
		return nil // a process of this name that is not ours
	}
	pass(len(f.Steps.Do))
	return b.close(f.end())
}

// The algorithms with leases.
const (
	leaseName = "lease"
	storeName = "storelease"
)

// findLease returns the algorithm of package lease.
func findLease(name, variant string) (*election.Algorithm, error) {
	if name != leaseName || variant != "" {
		return nil, input.Errorf("%s has no votes", name)
	}
	return lease.New(lease.Config{})
}

// Store returns the place of the process that is the store of a run of storelease, or -1. It is the process with the
// smallest ID.
func (f *Film) Store() int {
	if f.Head.Scenario.Algorithm != storeName {
		return noProcess
	}
	ids := f.Head.Scenario.IDs
	return slices.Index(ids, slices.Min(ids))
}

// records returns the records of the store that name an owner, each until the next one.
func (f *Film) records() (all []Loan) {
	e, store := &f.Events, f.Store()
	end := func(at float64) {
		if n := len(all); n > 0 && all[n-1].End == 0 {
			all[n-1].End = at
		}
	}
	for k := range f.Steps.First {
		if int(f.Steps.Process[k]) != store {
			continue
		}
		first, at := f.Steps.First[k], f.Steps.At[k]
		if observe.What(e.Do[first]) != observe.Deliver || e.Kind[first] != storelease.KindPut {
			continue
		}
		for i := first; i < first+f.Steps.Count[k]; i++ {
			if observe.What(e.Do[i]) != observe.Send || e.Kind[i] != storelease.KindWritten {
				continue
			}
			_, record := storelease.Read(&election.Message{Kind: e.Kind[first], Flags: e.Flags[first], Term: e.Term[first],
				Rank: election.Rank{ID: election.ID(e.Rank[first])}, Value: e.Value[first]})
			end(at)
			if record.Owner != 0 {
				all = append(all, Loan{Of: store, To: slices.Index(f.Head.Scenario.IDs, record.Owner), Term: record.Term,
					From: at})
			}
		}
	}
	end(f.end())
	return all
}
