package modbully_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-election/election"
	repeat "github.com/go-election/election/internal/chaos"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
)

// word is what somebody outside says at a time: to whom, and who is down.
type word struct {
	to, of int
	op     election.Op
	at     time.Duration
}

// chaos is one run within the model, as it is planned.
type chaos struct {
	*rand.Rand
	sim.Config
	turns [][]time.Duration // of each process, in turn a crash and a return
	words []word
}

// plan draws a run: the largest process leads; processes crash and come back at any moment; after
// a crash, once the last message must have arrived, some of the others are told.
func plan(v modbully.Variant, seed uint64) (*chaos, error) {
	c := &chaos{Rand: rand.New(rand.NewPCG(seed, 4))}
	c.Seed, c.Schedule = seed, sim.RandomDelay
	c.Delay = sim.Delay{Min: 1 + time.Duration(c.Int64N(int64(sim.Unit))), Max: sim.Unit}
	n := 1 + c.IntN(7)
	for _, id := range c.Perm(20)[:n] {
		c.IDs = append(c.IDs, election.ID(id+1))
	}
	if c.IntN(3) == 0 {
		c.Priorities = make([]uint64, n)
		for p := range c.Priorities {
			c.Priorities[p] = c.Uint64N(3)
		}
	}
	first := 0
	for p := range c.IDs {
		if c.Self(first).Less(c.Self(p)) {
			first = p
		}
	}
	config := modbully.Config{Coordinator: c.IDs[first]}
	if c.IntN(2) == 0 {
		config.Wait = []modbully.Wait{"", modbully.WaitOwn, modbully.WaitPaper, modbully.WaitRank}[c.IntN(4)]
		config.Pending = func(id election.ID) time.Duration { return time.Duration(id) * sim.Unit / 4 }
		config.Echo = c.IntN(2) == 0
	}
	var err error
	if c.Algorithm, err = modbully.New(v, config); err != nil {
		return nil, err
	}
	c.Unordered = !c.Algorithm.NeedsFIFO && c.IntN(2) == 0
	c.Initiators = []election.ID{}
	c.turns = make([][]time.Duration, n)
	c.strike(first, first)
	for range c.IntN(2 * n) {
		c.strike(c.IntN(n), first)
	}
	slices.SortStableFunc(c.words, func(a, b word) int { return int(a.at - b.at) })
	return c, c.Check()
}

// within draws a time up to so many units.
func (c *chaos) within(units int64) time.Duration {
	return time.Duration(c.Int64N(units*int64(sim.Unit) + 1))
}

// strike lets a process crash, and perhaps come back.
func (c *chaos) strike(p, first int) {
	at := c.within(20)
	if done := c.turns[p]; len(done) > 0 {
		if len(done)%2 == 1 {
			return // down for good
		}
		at += done[len(done)-1]
	}
	c.CrashAt = append(c.CrashAt, scenario.At{ID: c.IDs[p], Time: at})
	c.turns[p] = append(c.turns[p], at)
	for to := range c.IDs {
		if to != p && c.IntN(4) > 0 {
			w := word{to, p, election.Suspect, at + sim.Unit + c.within(6)}
			if p == first && c.IntN(3) == 0 {
				w.op = election.Start
			}
			c.words = append(c.words, w)
		}
	}
	if c.IntN(3) > 0 {
		back := at + 1 + c.within(20)
		c.RecoverAt = append(c.RecoverAt, scenario.At{ID: c.IDs[p], Time: back})
		c.turns[p] = append(c.turns[p], back)
	}
}

func (c *chaos) up(p int, at time.Duration) bool {
	up := true
	for _, t := range c.turns[p] {
		if t <= at {
			up = !up
		}
	}
	return up
}

func (c *chaos) port(p, q int) election.Port {
	for port := range election.Port(c.Topology.Ports(p)) {
		if to, _, _ := c.Topology.Link(p, port); to == q {
			return port
		}
	}
	panic("no link")
}

func (c *chaos) say(s *sim.Sim, w word) {
	if !c.up(w.to, s.Now()) || c.up(w.of, s.Now()) {
		return
	}
	ev := election.Event{Op: w.op}
	if w.op == election.Suspect {
		ev.Port = c.port(w.to, w.of)
	}
	s.Post(w.to, ev)
}

// play runs to rest, lets somebody notice what nobody has noticed so far, and judges.
func (c *chaos) play() error {
	s, err := sim.New(c.Config)
	if err != nil {
		return err
	}
	for _, w := range c.words {
		s.Extend(w.at)
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		c.say(s, w)
	}
	s.Extend(2000 * sim.Unit)
	for range 3 {
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		if s.Now() > 1900*sim.Unit {
			return fmt.Errorf("no rest by %v", s.Now())
		}
		for _, p := range c.Perm(len(c.IDs))[:1+c.IntN(len(c.IDs))] {
			if q := slices.Index(c.IDs, s.Outcome(p).Leader.ID); q >= 0 {
				c.say(s, word{to: p, of: q, op: election.Suspect})
			}
		}
	}
	for p := range c.IDs { // now whoever follows one that is down
		if q := slices.Index(c.IDs, s.Outcome(p).Leader.ID); q >= 0 {
			c.say(s, word{to: p, of: q, op: election.Suspect})
		}
	}
	if err := s.Run(context.Background()); err != nil {
		return err
	}
	return c.judge(s)
}

func (c *chaos) judge(s *sim.Sim) error {
	var largest election.Rank
	for p := range c.IDs {
		if r := c.Self(p); c.up(p, s.Now()) && largest.Less(r) {
			largest = r
		}
	}
	var term *uint64
	for p, id := range c.IDs {
		if !c.up(p, s.Now()) {
			continue
		}
		o := s.Outcome(p)
		if o.Leader != largest || (o.Role == election.Leader) != (id == largest.ID) || !s.Ended(p) {
			return fmt.Errorf("%d of %v (priorities %v) is %v and follows %v, not %v", id, c.IDs, c.Priorities, o.Role, o.Leader, largest)
		}
		if term == nil {
			term = &o.Term
		}
		if o.Term != *term {
			return fmt.Errorf("%d of %v is in term %d, another one in %d", id, c.IDs, o.Term, *term)
		}
	}
	return nil
}

// TestChaos: crashes and returns at random, within the model. At the end one leads, it is the
// largest that is up, and all agree.
func TestChaos(t *testing.T) {
	for _, v := range variants {
		t.Run(string(v), func(t *testing.T) {
			repeat.Each(t, "modbully", 30_000, func(number uint64) error {
				c, err := plan(v, number)
				if err == nil {
					err = c.play()
				}
				return err
			})
		})
	}
}
