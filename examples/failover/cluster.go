package main

import (
	"context"
	"errors"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// cluster is a set of processes of which each may be up or down.
type cluster struct {
	algorithm *election.Algorithm
	ranks     []election.Rank
	net       *memory.Network
	up        map[election.ID]*member
	changed   chan struct{} // a process has changed its belief
}

// member is a process that is up.
type member struct {
	*process.Process
	end    election.Transport
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
}

func newCluster(a *election.Algorithm, n int) *cluster {
	c := &cluster{algorithm: a, net: memory.New(), up: make(map[election.ID]*member),
		changed: make(chan struct{}, 1)}
	for id := range election.ID(n) {
		c.ranks = append(c.ranks, election.Rank{ID: id + 1})
	}
	return c
}

func (c *cluster) ids() []election.ID {
	ids := make([]election.ID, len(c.ranks))
	for i, r := range c.ranks {
		ids[i] = r.ID
	}
	return ids
}

// start starts processes, in a system that may already run.
func (c *cluster) start(ids ...election.ID) error {
	for _, id := range ids {
		end, err := c.net.Endpoint(id)
		if err != nil {
			return err
		}
		p, err := process.New(process.Config{
			Algorithm: c.algorithm,
			Self:      election.Rank{ID: id},
			Peers:     c.ranks,
			Transport: end,
			OnOutcome: func(election.Outcome) { c.note() },
		})
		if err != nil {
			return errors.Join(err, end.Close())
		}
		ctx, cancel := context.WithCancel(context.Background())
		m := &member{p, end, cancel, make(chan struct{})}
		c.up[id] = m
		go func() {
			defer close(m.done)
			_ = p.Run(ctx) // until it is killed
		}()
	}
	return nil
}

// note wakes agreement after a change.
func (c *cluster) note() {
	select {
	case c.changed <- struct{}{}:
	default: // agreement is about to look anyway
	}
}

// kill ends a process, and its state is lost.
func (c *cluster) kill(id election.ID) {
	m := c.up[id]
	delete(c.up, id)
	m.cancel()
	<-m.done
	_ = m.end.Close()
}

func (c *cluster) killAll() {
	for _, id := range c.ids() {
		if c.up[id] != nil {
			c.kill(id)
		}
	}
}

// agreement waits until all processes that are up follow one leader that is up, and no message in flight can change
// that. at is when they agreed.
func (c *cluster) agreement() (o election.Outcome, at time.Time, err error) {
	giveUp := time.After(10 * (afterCrash + afterReturn))
	for {
		now, agreed := c.agreed()
		if agreed && now != o {
			at = time.Now()
		}
		o = now
		var settled <-chan time.Time
		if agreed {
			settled = time.After(turn)
		}
		select {
		case <-c.changed:
		case <-settled:
			return o, at, nil
		case <-giveUp:
			return o, at, errors.New("no agreement: can this machine not keep to the delays?")
		}
	}
}

// agreed returns the outcome of the leader, if all agree with it.
func (c *cluster) agreed() (election.Outcome, bool) {
	var leader election.Outcome
	for id, m := range c.up {
		if o := m.Outcome(); o.Role == election.Leader && o.Leader.ID == id {
			leader = o
		}
	}
	for id, m := range c.up {
		o := m.Outcome()
		if o.Leader != leader.Leader || o.Term != leader.Term ||
			(o.Role == election.Leader) != (id == leader.Leader.ID) {
			return election.Outcome{}, false
		}
	}
	return leader, leader.Leader.ID != 0
}
