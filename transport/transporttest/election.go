package transporttest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/process"
)

// elect runs an election of all processes on a ring, which the largest ID must win. If packets may be lost, it
// abandons elections that do not end and starts new ones, after increasing intervals.
func elect(n *network) error {
	ps := make([]*process.Process, len(n.ids))
	for i := range n.ids {
		c, err := n.config(i)
		if err != nil {
			return err
		}
		p, err := process.New(c)
		if err != nil {
			return err
		}
		ps[i] = p
	}
	ends := make([]<-chan error, len(ps))
	for i, p := range ps {
		ends[i] = n.begin(func() error { return p.Run(n.ctx) })
	}
	err := n.agree(ps)
	for _, p := range ps {
		p.Close()
	}
	for i, done := range ends {
		what := fmt.Sprintf("Run of process %d, after it was closed,", n.ids[i])
		err = errors.Join(err, n.wait(done, what))
		if errors.Is(err, errStuck) {
			break
		}
	}
	return err
}

// config returns the Config of a process.
func (n *network) config(i int) (process.Config, error) {
	c := process.Config{
		Algorithm: lcr.Participant(),
		Transport: n.ends[i],
		Unordered: n.opts.Unordered,
		Founding:  true,
		Start:     true,
		OnOutcome: func(election.Outcome) { n.progress() },
	}
	ranks := make([]election.Rank, len(n.ids))
	for p, id := range n.ids {
		ranks[p].ID = id
	}
	ring, err := topology.Ring(len(ranks), false)
	if err == nil {
		err = c.Place(ring, ranks, i)
	}
	return c, err
}

// agree waits until all processes believe in the right leader in the same election.
func (n *network) agree(ps []*process.Process) error {
	patience := n.patience()
	again := patience
	if n.opts.Lossy {
		again = quiet
	}
	end, reelect := time.NewTimer(patience), time.NewTimer(again)
	defer end.Stop()
	defer reelect.Stop()
	for {
		if agreed(ps, slices.Max(n.ids)) {
			return nil
		}
		select {
		case <-n.news:
			reelect.Reset(again)
		case <-reelect.C:
			again += again / 10 // packets may take longer than the interval
			reelect.Reset(again)
			if n.opts.Lossy {
				if err := ps[0].Reelect(); err != nil {
					return err
				}
			}
		case <-end.C:
			err := fmt.Errorf("an election does not end: after %v %s", patience, n.beliefs(ps))
			if n.opts.losses.Load() {
				err = fmt.Errorf("%w; packets are lost, see Loss", err)
			}
			return err
		}
	}
}

func agreed(ps []*process.Process, leader election.ID) bool {
	first := ps[0].Outcome()
	for _, p := range ps {
		if o := p.Outcome(); o.Leader.ID != leader || o.Term != first.Term {
			return false
		}
	}
	return true
}

// beliefs returns what each process believes, for an error.
func (n *network) beliefs(ps []*process.Process) (all string) {
	for i, p := range ps {
		if i > 0 {
			all += ", "
		}
		all += fmt.Sprintf("process %d believes in %d", n.ids[i], p.Outcome().Leader.ID)
	}
	return all
}
