package bridge

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lease"
)

// story is a run as the owner of a service sees it: who led and for how long, whose vote was lent to whom, and what
// became of the writes of the leaders to a shared register. All times are in units.
type story struct {
	Second   float64      `json:"second"` // in units
	Store    int          `json:"store"`  // the place of the store, or -1
	Leases   bool         `json:"leases"`
	Leads    []trace.Lead `json:"leads"`
	Votes    []trace.Loan `json:"votes"`
	Writes   []write      `json:"writes"`
	Cuts     []span       `json:"cuts"`
	Pauses   []span       `json:"pauses"`
	Downs    []span       `json:"downs"`
	Troubles []trouble    `json:"troubles"`
	Rivals   []rivalry    `json:"rivals"`
	Stale    []int        `json:"stale"` // writes that were accepted and must not have been
}

// span is a time during which a process cannot reach the register.
type span struct {
	Process int     `json:"process"`
	From    float64 `json:"from"`
	Until   float64 `json:"until"`
}

// trouble is what was done to a process that led, and who led next.
type trouble struct {
	Do      string  `json:"do"` // crash, pause or cut
	Process int     `json:"process"`
	At      float64 `json:"at"`
	Step    int     `json:"step"`
	Next    int     `json:"next"` // -1 for nobody
	From    float64 `json:"from"` // when the next one leads
}

// rivalry is a time during which two processes lead.
type rivalry struct {
	Old   int       `json:"old"`
	New   int       `json:"new"`
	Terms [2]uint64 `json:"terms"`
	From  float64   `json:"from"`
	Until float64   `json:"until"`
}

// service returns the story of a run.
func (b *Bridge) service(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Scenario json.RawMessage `json:"scenario"`
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	s, err := r.story(ctx)
	if err != nil {
		return Reply{}, err
	}
	return written(s)
}

// story films the run once more, and looks into its Nodes after each step.
func (r *run) story(ctx context.Context) (*story, error) {
	if r.fixed {
		return nil, errFixed
	}
	c := r.config
	about := r.about()
	about.Positions = make([][2]float64, len(c.IDs)) // nobody looks at them
	filming, err := trace.NewFilming(&c.Input, about)
	if err != nil {
		return nil, err
	}
	s, err := r.sim(filming.Observe)
	if err != nil {
		return nil, err
	}
	r.look(filming, func() *sim.Sim { return s })
	f := filming.Film()
	for turn := 0; r.turn(s, turn) && len(f.Events.Do) < r.most; turn++ {
		if turn%patience == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if err := filming.Close(); err != nil {
		return nil, err
	}
	f = filming.Film()
	f.Head.End = max(units(s.Now()), units(c.Until))
	return storyOf(f, &c.Input, filming.Loans()), nil
}

// look records in a film which votes the processes of a simulation lend.
func (r *run) look(filming *trace.Recorder, of func() *sim.Sim) {
	if a := r.config.Algorithm; a.Elects != election.LeaseHolders || a.Store {
		return
	}
	filming.Look(func(p int) election.Node {
		if s := of(); s.Status(p) != sim.Down {
			return s.Node(p)
		}
		return nil
	})
}

// storyOf tells the story of a film.
func storyOf(f *trace.Film, in *scenario.Input, votes []trace.Loan) *story {
	s := &story{Second: float64(time.Second) / float64(lease.DefaultDelay), Store: f.Store(), Votes: votes,
		Leases: in.Algorithm.Elects == election.LeaseHolders}
	if s.Votes == nil {
		s.Votes = []trace.Loan{}
	}
	s.Leads = f.Leads()
	faults := faultsOf(f, in.Topology, s.Store)
	s.Cuts, s.Pauses, s.Downs, s.Writes = faults.cuts, faults.pauses, faults.downs, writesOf(s.Leads, faults)
	register(s.Writes, &fence{})
	s.Troubles, s.Rivals, s.Stale = troublesOf(f, s.Leads, faults), rivals(s.Leads), stale(s.Writes)
	return s
}

// troublesOf returns what was done to leaders, with the leads that came next.
func troublesOf(f *trace.Film, leads []trace.Lead, faults *faultsSeen) []trouble {
	all := []trouble{}
	for _, d := range faults.done {
		k := slices.IndexFunc(leads, func(l trace.Lead) bool {
			return l.Process == d.Process && l.From < d.At && d.At <= l.Until
		})
		if k < 0 {
			continue
		}
		d.Next = -1
		for _, l := range leads[k+1:] {
			if l.Process != d.Process && l.From > d.At {
				d.Next, d.From = l.Process, l.From
				break
			}
		}
		all = append(all, d)
	}
	return all
}

// rivals returns the times during which two processes lead, whatever their Terms.
func rivals(leads []trace.Lead) []rivalry {
	all := []rivalry{}
	var open []trace.Lead     // that have not ended when the next one begins
	for _, l := range leads { // by their beginnings
		open = slices.DeleteFunc(open, func(old trace.Lead) bool { return old.Until <= l.From })
		for _, old := range open {
			if old.Process != l.Process {
				all = append(all, rivalry{old.Process, l.Process, [2]uint64{old.Term, l.Term}, l.From,
					min(old.Until, l.Until)})
			}
		}
		open = append(open, l)
	}
	return all
}
