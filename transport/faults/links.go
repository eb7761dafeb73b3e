// Package faults gives any [election.Transport] links that are slow and fail: packets are
// delayed, lost, duplicated or overtaken, and links are cut: each by itself, or all links between groups of
// processes. Use it to try an election on a bad network before there is one.
//
//	links, err := faults.NewLinks(faults.Config{Plan: fault.Plan{Loss: 0.1}, Max: 20 * time.Millisecond})
//	...
//	p, err := process.New(process.Config{Transport: links.Over(inner), ...})
//
// [Links] stands for all links of a network: one program may lay it over the transports of all its
// processes, and cut and heal them by hand. [Links.CutLink] cuts one link in one direction, so that any
// partial partition can be made: two processes that both reach a third one but not each other, or a process
// that is heard but does not hear. [Links.Cut] separates groups. Between machines every process has Links of
// its own, which act upon what it sends.
//
// # Order
//
// Without Reorder and Duplicate, links keep the order, however different the delays: a packet
// arrives no earlier than what was sent over the same link before it. A packet that is reordered
// takes another delay on top of its own and keeps nothing back: with Reorder, set Unordered in the Config of
// the process. A copy comes another delay after its packet and keeps to no order; a process drops it. If
// packets take no time, the transport below gets each before Send returns, and its copy with it.
//
// # Chance
//
// What becomes of the packets of a link depends on the seed and on how many were sent over that
// link before. So the same order of sends gives the same faults, however the links interleave.
//
// # Limitations
//
// Delays are as exact as the clock. What is handled first of two packets from different processes,
// or of a packet and a timer, that come at the same instant is left to the Go scheduler.
package faults

import (
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/params"
)

// Config is how links are. Its zero value: quick, and without faults.
type Config struct {
	// Plan is what goes wrong. Its times count from Begin.
	Plan fault.Plan
	// A packet takes a time from Min to Max. If Max is zero, exactly Min.
	Min, Max time.Duration
	// Begin is when the times of Plan begin. If zero, when the Links are made.
	Begin time.Time
	// Seed decides all that is left to chance.
	Seed uint64
}

// check completes the Config.
func (c *Config) check() error {
	if c.Max == 0 {
		c.Max = c.Min
	}
	switch {
	case c.Min < 0:
		return input.Errorf("min: a packet cannot take %v", c.Min)
	case c.Max < c.Min:
		return input.Errorf("max: %v is less than min, %v", c.Max, c.Min)
	case c.Max > params.MaxTimeout:
		return input.Errorf("max: %v is too long", c.Max)
	case c.Plan.Reorder != 0 && c.Max == 0:
		return input.Errorf("reorder: %v, but where packets take no time none can overtake another",
			c.Plan.Reorder)
	}
	return checkPlan(&c.Plan)
}

// checkPlan checks a plan for whatever processes it names.
func checkPlan(p *fault.Plan) error {
	var named []election.ID
	for i := range p.Partitions {
		for _, group := range p.Partitions[i].Groups {
			named = append(named, group...)
		}
	}
	return p.Check(named, time.Duration.String)
}

// Links are the links between the processes whose transports they are laid over with
// [Links.Over]. They may be used by any number of goroutines.
type Links struct {
	config Config
	made   time.Time
	age    time.Duration // how long after the beginning that was

	mu     sync.Mutex
	cuts   fault.Cuts
	single map[pair]bool // links that CutLink has cut
	links  map[link]*state
	stats  Stats
}

// pair is a sender and a receiver.
type pair struct{ from, to election.ID }

// link is a way from one process to another: to a port of that, since two may lead there.
type link struct {
	from, to election.ID
	port     election.Port
}

// state is what is known of a link.
type state struct {
	sent uint64        // packets
	last time.Duration // when the last of those arrives that keep the order
}

// Stats counts what has befallen packets so far.
type Stats struct {
	Sent       uint64 // packets that were given to the links
	Lost       uint64 // by chance
	Cut        uint64 // lost by a partition, or on a link that was cut by itself
	Duplicated uint64
	Reordered  uint64 // took another delay, so that others could overtake them
	Delayed    uint64 // packets and copies that were kept for a time
	Dropped    uint64 // of those, what was still kept when the transport was closed
	Failed     uint64 // those, and other copies, that the transport below returned an error for
}

// NewLinks returns links with these faults. An error wraps [election.ErrInput].
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

// Cut cuts the links between groups of processes in both directions, from now on until [Links.Heal].
// Processes that no group names are one more group, the last. Packets in flight arrive.
func (l *Links) Cut(groups ...[]election.ID) error { return l.cut(false, groups) }

// CutOneWay cuts the links from each group to the later groups only.
func (l *Links) CutOneWay(groups ...[]election.ID) error { return l.cut(true, groups) }

func (l *Links) cut(oneWay bool, groups [][]election.ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Before Begin the time is negative, which a plan refuses: check the cut as one from the beginning.
	p := fault.Partition{Groups: groups, OneWay: oneWay}
	if err := checkPlan(&fault.Plan{Partitions: []fault.Partition{p}}); err != nil {
		return err
	}
	p.From = l.now() // before the beginning too
	l.cuts = l.cuts.With(p)
	return nil
}

// CutLink cuts the link from one process to another, in this direction only, until [Links.HealLink] or
// [Links.Heal]. It leaves every other link as it is. Packets in flight arrive.
func (l *Links) CutLink(from, to election.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.single[pair{from, to}] = true
}

// HealLink restores a link that [Links.CutLink] has cut. A partition that cuts the same link remains.
func (l *Links) HealLink(from, to election.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.single, pair{from, to})
}

// Heal ends every current partition, including one that was to last longer, and restores every link that was
// cut by itself. Partitions of the Plan that begin later remain.
func (l *Links) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cuts = l.cuts.Without(l.now())
	clear(l.single)
}

// Stats returns what has befallen packets so far.
func (l *Links) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// now returns the time since the beginning.
func (l *Links) now() time.Duration { return l.age + time.Since(l.made) }

// fate is what is to become of a packet.
type fate struct {
	lost, twice bool
	at, copyAt  time.Duration // when it arrives, and its copy
}

// decide decides what becomes of a packet. All that is left to chance is drawn for every packet,
// so that what one fault does depends on no other.
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
	s.last = max(s.last, now+own) // not before what was sent over this link earlier
	f := fate{twice: twice, at: s.last}
	if late {
		l.stats.Reordered++
		// s.last stays, so only this packet leaves the order and later ones do not wait for it.
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

// delay draws how long a packet takes.
func (l *Links) delay(d *dice) time.Duration {
	return l.config.Min + time.Duration(d.below(uint64(l.config.Max-l.config.Min)+1))
}

// note adds to one of the counts.
func (l *Links) note(count *uint64, n uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*count += n
}
