package elector

import (
	"container/heap"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/transport/tcp"
)

// pacer bounds how many groups of a Network this member tries to lead at a time. An attempt takes dozens of
// messages. If a thousand groups try at the same time on a busy machine, their messages crowd out each other
// and the renewals of leases: attempts take longer than a lease, all fail, and all try again. So each
// attempt waits in line until the pacer admits it. Nothing else waits: a group that has a leader sends no
// PROBE, and votes and renewals are not held back.
//
// The bound adapts like a congestion window: attempts that end quickly let it grow, and attempts that are
// slow or fail, and leases that are lost, make it shrink. Those of a group that reaches no majority do not: they
// say nothing of the load.
type pacer struct {
	mu      sync.Mutex
	users   int     // the groups that use it
	window  float64 // how many attempts there may be
	active  int     // how many there are
	retries int     // of these, how many are not from the first line
	turns   int     // how many attempts were admitted while the first line and another one had some
	again   int     // how many attempts were admitted while both other lines had some
	fresh   line    // groups that have not failed since they had a leader
	failed  line    // groups that have
	apart   line    // groups that reach no majority
	load    load
}

// The bounds of the window, and what it is at first.
const (
	leastWindow = 2
	firstWindow = 64
	mostWindow  = 4096
)

// These change the window when an attempt ends quickly, and when it fails. If a third of the attempts fail, the
// window stays.
const (
	quickly = 0.5
	failing = -1
)

// pacers are the pacers of all Networks that groups use.
var pacers = struct {
	mu sync.Mutex
	of map[*tcp.Network]*pacer
}{of: make(map[*tcp.Network]*pacer)}

// pacerOf returns the pacer that all groups of a Network share, and what ends its use.
func pacerOf(n *tcp.Network, log *slog.Logger) (p *pacer, release func()) {
	pacers.mu.Lock()
	defer pacers.mu.Unlock()
	p = pacers.of[n]
	if p == nil {
		p = newPacer(log)
		pacers.of[n] = p
	}
	p.use(1)
	return p, func() {
		pacers.mu.Lock()
		defer pacers.mu.Unlock()
		if p.use(-1) == 0 {
			delete(pacers.of, n)
		}
	}
}

func newPacer(log *slog.Logger) *pacer { return &pacer{window: firstWindow, load: load{log: log}} }

// use adds groups, and returns how many there are.
func (p *pacer) use(more int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users += more
	return p.users
}

// pace lets the attempts of this group wait for those of others. It returns what delays timers of the process.
func (e *Elector) pace(a *election.Algorithm) (expire func(timer uint8, handle func())) {
	log := e.config.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	p, release := pacerOf(e.config.Network, log.With("member", e.config.Self))
	t := newAttempts(p, a, &e.config)
	t.abandon = func() { _ = e.process.Command(lease.Abandon()) } // an error: it has ended
	before := e.close
	e.close = func() error {
		t.close()
		release()
		return before()
	}
	e.attempts = t
	return func(timer uint8, handle func()) {
		if timer == lease.TurnTimer {
			t.request(handle)
		} else {
			handle()
		}
	}
}

// newAttempts returns the attempts of a member of a group.
func newAttempts(p *pacer, a *election.Algorithm, c *Config) *attempts {
	t := &attempts{pacer: p, lease: c.Times.Lease, renew: c.Times.Renew, members: len(c.Members),
		held: kinds(a, "held"), refused: kinds(a, "refused"), up: make(map[election.ID]bool)}
	for _, r := range c.others() {
		t.up[r.ID] = false
		if c.rank(c.Self).Less(r) {
			t.larger = append(t.larger, r.ID)
		}
	}
	return t
}

// attempts are the attempts of one group. It is nil if the group has connections of its own, and so no pacer.
type attempts struct {
	pacer   *pacer
	lease   time.Duration
	renew   time.Duration // an attempt that takes longer is slow
	members int
	larger  []election.ID // the members that precede this one
	abandon func()        // gives up an attempt that takes too long
	held    []uint8       // the kinds of message that refuse a PROBE
	refused []uint8       // and a CLAIM

	// The pacer's lock guards these.
	state   pace
	up      map[election.ID]bool // of each other member: it can be reached
	due     time.Time            // the attempt that is due first is admitted first
	began   time.Time
	line    *line  // in which it waits
	place   int    // in the line
	begin   func() // lets the candidate begin
	limit   *time.Timer
	failed  bool // an attempt has failed that reached a majority, since there was a leader
	retries bool // this attempt was not admitted from the first line
	closed  bool
}

// pace is how far an attempt is.
type pace uint8

const (
	resting pace = iota // there is none
	inLine
	admitted
)

// request asks for an attempt. begin is called when it may begin.
func (a *attempts) request(begin func()) {
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.closed {
		begin()
		return
	}
	a.end(failing) // one is left if the process has missed its end
	if a.begin = begin; a.state == resting {
		a.state = inLine
		// A candidate that others precede lets them go first, as they also wait in line.
		a.due = time.Now().Add(time.Duration(a.ahead()) * a.lease / 2)
		a.line = a.choose()
		heap.Push(a.line, a)
	}
	p.admit()
}

// choose returns the line in which to wait.
func (a *attempts) choose() *line {
	switch {
	case !a.reaches():
		return &a.pacer.apart
	case a.failed:
		return &a.pacer.failed
	}
	return &a.pacer.fresh
}

// ahead returns how many members that can be reached precede this one.
func (a *attempts) ahead() (n int) {
	for _, id := range a.larger {
		if a.up[id] {
			n++
		}
	}
	return n
}

// admit lets attempts begin. The caller holds the lock.
func (p *pacer) admit() {
	for float64(p.active) < p.window {
		next := p.next()
		if len(*next) == 0 {
			return
		}
		a := heap.Pop(next).(*attempts)
		a.state, a.began, a.retries = admitted, time.Now(), next != &p.fresh
		p.active++
		if a.retries {
			p.retries++
		}
		limit := a.lease
		if !a.reaches() {
			limit /= unreached
		}
		began := a.began
		a.limit = time.AfterFunc(limit, func() { a.expire(began) })
		a.begin() // this does not wait: it lets the process know
	}
}

// share is one turn in so many: that of the lines that come later.
const share = 4

// next returns the line from which the next attempt is admitted. A group that reaches no majority fails most
// likely, and one that has failed may lack a majority, as only some of the members have it: so others go first, and
// always have room for one. But they do not keep it waiting: every fourth turn is for such groups.
func (p *pacer) next() *line {
	if len(p.failed)+len(p.apart) == 0 || float64(p.retries+1) >= p.window {
		return &p.fresh
	}
	if len(p.fresh) > 0 {
		if p.turns++; p.turns%share != 0 {
			return &p.fresh
		}
	}
	switch {
	case len(p.failed) == 0:
		return &p.apart
	case len(p.apart) == 0:
		return &p.failed
	}
	if p.again++; p.again%share == 0 {
		return &p.apart
	}
	return &p.failed
}

// unreached is the part of a Lease for which an attempt may take if no majority can be reached: it most
// likely fails, whatever the load is. Otherwise a few such groups would hold up all others.
const unreached = 16

// reaches reports whether a majority can be reached.
func (a *attempts) reaches() bool {
	n := 1
	for _, up := range a.up {
		if up {
			n++
		}
	}
	return n > a.members/2
}

// expire ends an attempt that has taken too long.
func (a *attempts) expire(began time.Time) {
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.state != admitted || a.began != began {
		return
	}
	if a.failed = a.reaches(); a.failed {
		p.load.note(a, a.lease)
		a.end(failing)
	} else {
		a.end(0)
	}
	a.abandon()
	p.admit()
}

// end ends an attempt, if there is one, and changes the window. The caller holds the lock.
func (a *attempts) end(change float64) {
	if a.state != admitted {
		return
	}
	p := a.pacer
	a.state = resting
	a.limit.Stop()
	p.active--
	if a.retries {
		p.retries--
	}
	p.change(change)
}

// change changes the window. The caller holds the lock.
func (p *pacer) change(by float64) { p.window = min(max(p.window+by, leastWindow), mostWindow) }

// led notes that the group has a leader.
func (a *attempts) led() {
	if a == nil {
		return
	}
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	a.failed = false
	switch a.state {
	case inLine: // the candidate notices that it need not try
		a.state = resting
		heap.Remove(a.line, a.place)
		a.begin()
	case admitted:
		took, change := time.Since(a.began), quickly
		if took > a.renew {
			change = failing
		}
		p.load.note(a, took)
		a.end(change)
	}
	p.admit()
}

// lost notes that a lease of this member has ended since it was not renewed in time.
func (a *attempts) lost() {
	if a == nil {
		return
	}
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.reaches() {
		p.load.note(a, a.lease)
		p.change(failing)
	}
}

// renewed notes that a lease was renewed, and how long that took.
func (a *attempts) renewed(took time.Duration) {
	if a == nil {
		return
	}
	a.pacer.mu.Lock()
	defer a.pacer.mu.Unlock()
	a.pacer.load.note(a, took)
}

// reach notes whether a peer can be reached. Those that are observers have no vote.
func (a *attempts) reach(peer election.ID, up bool) {
	if a == nil {
		return
	}
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, votes := a.up[peer]; !votes {
		return
	}
	a.up[peer] = up
	if a.state != inLine {
		return
	}
	if line := a.choose(); line != a.line {
		heap.Remove(a.line, a.place)
		a.line = line
		heap.Push(line, a)
		p.admit()
	}
}

// observe sees the steps of the process.
func (a *attempts) observe(o *observe.Occurrence) {
	if a == nil || o.What != observe.Step {
		return
	}
	// Another candidate was faster, or leads: the attempt most likely fails.
	if m := &o.Event.Msg; o.Event.Op == election.Recv && m.Rank.ID != 0 {
		switch {
		case slices.Contains(a.held, m.Kind):
			a.over(0, false)
		case slices.Contains(a.refused, m.Kind):
			a.over(failing, false)
		}
	}
	for i := range o.Effects.Timers {
		c := &o.Effects.Timers[i]
		switch {
		case c.Timer != lease.TurnTimer:
		case !c.Stop: // the candidate waits again
			a.over(failing, true)
			return
		case len(o.Effects.Sends) == 0: // it stands no more; if it sends, it claims
			a.over(0, true)
			return
		}
	}
	// It does not try: it has lent its vote meanwhile.
	if o.Event.Op == election.Timeout && o.Event.Timer == lease.TurnTimer && len(o.Effects.Sends) == 0 {
		a.over(0, false)
	}
}

// close ends what there is when the process has ended.
func (a *attempts) close() {
	a.over(0, true)
	a.pacer.mu.Lock()
	defer a.pacer.mu.Unlock()
	a.closed = true
}

// over ends an attempt, or also the wait for one, if the candidate waits no more. It would wait forever if it
// did, and another message ended that.
func (a *attempts) over(change float64, waits bool) {
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.state == inLine && waits {
		a.state = resting
		heap.Remove(a.line, a.place)
	}
	if a.state == admitted && change == failing {
		if a.failed = a.reaches(); !a.failed {
			change = 0
		}
	}
	a.end(change)
	p.admit()
}

// line is a heap of the attempts that wait.
type line []*attempts

func (l line) Len() int           { return len(l) }
func (l line) Less(i, j int) bool { return l[i].due.Before(l[j].due) }
func (l line) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].place, l[j].place = i, j
}

func (l *line) Push(x any) {
	a := x.(*attempts)
	a.place = len(*l)
	*l = append(*l, a)
}

func (l *line) Pop() any {
	last := len(*l) - 1
	a := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return a
}
