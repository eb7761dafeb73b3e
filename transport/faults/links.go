// Package faults adds delays and failures to any [election.Transport]: packets are delayed, lost, duplicated or
// reordered, and links are cut, either one at a time or all links between groups of processes. Use it to test
// an election on a bad network.
//
//	links, err := faults.NewLinks(faults.Config{Plan: fault.Plan{Loss: 0.1}, Max: 20 * time.Millisecond})
//	...
//	p, err := process.New(process.Config{Transport: links.Over(inner), ...})
//
// [Links] represents all links of a network. A program can wrap the transports of all its processes in the same
// Links, and cut and heal links by hand. [Links.CutLink] cuts one link in one direction, which allows any
// partial partition: two processes that both reach a third one but not each other, or a process that can send
// but not receive. [Links.Cut] separates groups. If processes run on different machines, each has Links of its
// own, which affect the packets that it sends.
//
// # Order
//
// Without Reorder and Duplicate, links deliver in order, however different the delays: a packet never overtakes
// an earlier packet on the same link. A reordered packet has a second delay in addition to its own and does not
// hold back later packets; with Reorder, set Unordered in the Config of the process. A duplicate arrives
// another delay after its packet, in any order; a process drops it. If there is no delay, the inner transport
// receives each packet, and its duplicate, before Send returns.
//
// # Randomness
//
// The fate of the packets of a link depends on the seed and on the number of packets sent over that link
// before. The same sequence of sends on a link therefore suffers the same faults, however the links interleave.
//
// # Limitations
//
// Delays are only as exact as the clock. If two packets from different processes, or a packet and a timer, are
// due at the same instant, the Go scheduler decides which one is handled first.
package faults

import (
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/params"
)

// Config describes the delays and faults of links. The zero value means no delay and no faults.
type Config struct {
	// Plan contains the faults. Its times count from Begin.
	Plan fault.Plan
	// Each packet is delayed by a random duration from Min to Max. If Max is zero, the delay is Min.
	Min, Max time.Duration
	// Begin is the start of the times of Plan. If zero, the time at which the Links are created.
	Begin time.Time
	// Seed determines all random decisions.
	Seed uint64
}

// check completes the Config.
func (c *Config) check() error {
	if c.Max == 0 {
		c.Max = c.Min
	}
	switch {
	case c.Min < 0:
		return input.Errorf("min: %v is negative", c.Min)
	case c.Max < c.Min:
		return input.Errorf("max: %v is less than min, %v", c.Max, c.Min)
	case c.Max > params.MaxTimeout:
		return input.Errorf("max: %v is too long", c.Max)
	case c.Plan.Reorder != 0 && c.Max == 0:
		return input.Errorf("reorder: %v, but packets without delay cannot overtake each other",
			c.Plan.Reorder)
	}
	return checkPlan(&c.Plan)
}

// checkPlan checks a plan, whichever processes it names.
func checkPlan(p *fault.Plan) error {
	var named []election.ID
	for i := range p.Partitions {
		for _, group := range p.Partitions[i].Groups {
			named = append(named, group...)
		}
	}
	return p.Check(named, time.Duration.String)
}

// Links are the links between processes whose transports are wrapped with [Links.Over]. They are safe for
// simultaneous use by multiple goroutines.
type Links struct {
	config Config
	made   time.Time
	age    time.Duration // time from Begin to made

	mu     sync.Mutex
	cuts   fault.Cuts
	single map[pair]bool // links cut by CutLink
	links  map[link]*state
	stats  Stats
}

// pair is a sender and a receiver.
type pair struct{ from, to election.ID }

// link is a link from one process to a port of another, since two links may connect the same processes.
type link struct {
	from, to election.ID
	port     election.Port
}

// state is the state of a link.
type state struct {
	sent uint64        // number of packets
	last time.Duration // arrival of the last packet that keeps the order
}

// Stats counts packets and what happened to them.
type Stats struct {
	Sent       uint64 // packets sent over the links
	Lost       uint64 // packets lost at random
	Cut        uint64 // packets lost because of a partition or a cut link
	Duplicated uint64
	Reordered  uint64 // packets that had a second delay, so that others could overtake them
	Delayed    uint64 // packets and duplicates that were delayed
	Dropped    uint64 // delayed packets dropped when the transport was closed
	Failed     uint64 // delayed packets and duplicates for which the inner transport returned an error
}

// NewLinks returns links with these faults. Errors wrap [election.ErrInput].
func NewLinks(c Config) (*Links, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	l := &Links{config: c, made: time.Now(), cuts: c.Plan.Cuts(), single: make(map[pair]bool),
		links: make(map[link]*state)}
	if !c.Begin.IsZero() {
		l.age = l.made.Sub(c.Begin)
	}
	return l, nil
}

// Cut cuts the links between groups of processes in both directions until [Links.Heal]. Processes that are in
// no group form one more group, the last. Packets in flight arrive.
func (l *Links) Cut(groups ...[]election.ID) error { return l.cut(false, groups) }

// CutOneWay cuts the links from each group to the later groups only.
func (l *Links) CutOneWay(groups ...[]election.ID) error { return l.cut(true, groups) }

func (l *Links) cut(oneWay bool, groups [][]election.ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Before Begin the time is negative, which a plan rejects: check the cut as if it started at Begin.
	p := fault.Partition{Groups: groups, OneWay: oneWay}
	if err := checkPlan(&fault.Plan{Partitions: []fault.Partition{p}}); err != nil {
		return err
	}
	p.From = l.now() // may be before Begin
	l.cuts = l.cuts.With(p)
	return nil
}

// CutLink cuts the link from one process to another, in this direction only, until [Links.HealLink] or
// [Links.Heal]. Packets in flight arrive.
func (l *Links) CutLink(from, to election.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.single[pair{from, to}] = true
}

// HealLink restores a link that [Links.CutLink] has cut. If a partition cuts the same link, the link stays cut.
func (l *Links) HealLink(from, to election.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.single, pair{from, to})
}

// Heal ends every current partition, whatever its planned duration, and restores every link that CutLink has
// cut. Partitions of the Plan that start later are not affected.
func (l *Links) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cuts = l.cuts.Without(l.now())
	clear(l.single)
}

// Stats returns the current counts.
func (l *Links) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// now returns the time since Begin.
func (l *Links) now() time.Duration { return l.age + time.Since(l.made) }

// fate is what happens to a packet.
type fate struct {
	lost, twice bool
	at, copyAt  time.Duration // arrival of the packet and of its duplicate
}

// decide decides the fate of a packet. It draws all random numbers for every packet, so that the effect of one
// fault does not depend on the others.
func (l *Links) decide(p *election.Packet) fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	way := link{p.From, p.To, p.Port}
	s := l.links[way]
	if s == nil {
		s = &state{last: l.now()}
		l.links[way] = s
	}
	dice := throw(l.config.Seed, way, s.sent)
	plan, now := &l.config.Plan, l.now()
	// Draw all of them even if the packet is lost: another loss rate must not change the delays of other
	// packets.
	lost, twice, late := dice.chance(plan.Loss), dice.chance(plan.Duplicate), dice.chance(plan.Reorder)
	own, more, again := l.delay(&dice), l.delay(&dice), l.delay(&dice)
	s.sent++
	l.stats.Sent++
	switch {
	case l.single[pair{p.From, p.To}], l.cuts.Loses(p.From, p.To, now):
		l.stats.Cut++
		return fate{lost: true}
	case lost:
		l.stats.Lost++
		return fate{lost: true}
	}
	s.last = max(s.last, now+own) // not before earlier packets on this link
	f := fate{twice: twice, at: s.last}
	if late {
		l.stats.Reordered++
		// Do not update s.last: only this packet leaves the order, and later ones do not wait for it.
		f.at += more
	}
	if twice {
		l.stats.Duplicated++
	}
	if l.config.Max > 0 {
		l.stats.Delayed++
		if twice {
			l.stats.Delayed++
		}
	}
	f.copyAt = f.at + again
	return f
}

// delay returns a random delay.
func (l *Links) delay(d *dice) time.Duration {
	return l.config.Min + time.Duration(d.below(uint64(l.config.Max-l.config.Min)+1))
}

// note adds to one of the counts.
func (l *Links) note(count *uint64, n uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*count += n
}
