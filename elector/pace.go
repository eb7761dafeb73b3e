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

// pacer bounds how many groups of a Network this member tries to lead at a time. An attempt takes dozens of messages.
// If a thousand groups try at the same time on a busy machine, their messages crowd out each other and the renewals
// of leases: attempts take longer than a lease, all fail, and all try again. So each attempt waits in line until the
// pacer admits it. Nothing else waits: a group that has a leader sends no PROBE, and votes and renewals are not
// delayed.
//
// The bound adapts like a congestion window: it grows when attempts end quickly, and shrinks when attempts are slow
// or fail and when leases are lost. Failures of a group that reaches no majority do not count, since load does not
// cause them.
type pacer struct {
	mu      sync.Mutex
	users   int     // groups that use it
	window  float64 // how many attempts may be active
	active  int     // how many attempts are active
	retries int     // how many of them were not admitted from fresh
	turns   int     // attempts admitted while fresh and another line were not empty
	again   int     // attempts admitted while failed and apart were not empty
	fresh   line    // groups without a failed attempt since their last leader
	failed  line    // groups with one
	apart   line    // groups that reach no majority
	load    load
}

// The bounds of the window, and its first value.
const (
	leastWindow = 2
	firstWindow = 64
	mostWindow  = 4096
)

// What is added to the window when an attempt ends quickly, and when it fails. The window is stable if a third of the
// attempts fail.
const (
	quickly = 0.5
	failing = -1
)

// pacers has the pacer of each Network that groups use.
var pacers = struct {
	mu sync.Mutex
	of map[*tcp.Network]*pacer
}{of: make(map[*tcp.Network]*pacer)}

// pacerOf returns the pacer that all groups of a Network share. Call release when the group ends.
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

// pace makes the attempts of this group wait for attempts of other groups. expire is for process.Config.
func (e *Elector) pace(a *election.Algorithm) (expire func(timer uint8, handle func())) {
	log := e.config.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	p, release := pacerOf(e.config.Network, log.With("member", e.config.Self))
	t := newAttempts(p, a, &e.config, e.up)
	t.abandon = func() { _ = e.process.Command(lease.Abandon()) } // fails only if the process has ended
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
func newAttempts(p *pacer, a *election.Algorithm, c *Config, up *peers) *attempts {
	t := &attempts{pacer: p, lease: c.Times.Lease, renew: c.Times.Renew, up: up,
		held: kinds(a, "held"), refused: kinds(a, "refused")}
	t.among(c, c.ranks())
	return t
}

// among sets the members whose votes count.
func (t *attempts) among(c *Config, members []election.Rank) {
	if t == nil {
		return
	}
	t.pacer.mu.Lock()
	defer t.pacer.mu.Unlock()
	self := c.rank(ID(c.Self))
	t.others, t.larger = nil, nil
	for _, r := range members {
		if r == self {
			continue
		}
		t.others = append(t.others, r.ID)
		if self.Less(r) {
			t.larger = append(t.larger, r.ID)
		}
	}
}

// attempts makes the attempts of one group wait in line. It is nil if the group has connections of its own, and so no
// pacer.
type attempts struct {
	pacer   *pacer
	lease   time.Duration
	renew   time.Duration // an attempt that takes longer is slow
	others  []election.ID // the other members
	larger  []election.ID // of these, the members that precede this one
	up      *peers
	abandon func()  // gives up an attempt that takes too long
	held    []uint8 // the kinds of messages that refuse a PROBE
	refused []uint8 // the kinds that refuse a CLAIM

	// The pacer's lock guards these.
	state   pace
	due     time.Time // the line is in this order
	began   time.Time
	line    *line  // the line in which it waits
	place   int    // its index in the line
	begin   func() // resumes the candidate
	limit   *time.Timer
	failed  bool // since the last leader an attempt has failed although it reached a majority
	retries bool // this attempt was not admitted from fresh
	closed  bool
}

// pace is the state of an attempt.
type pace uint8

const (
	resting pace = iota // no attempt
	inLine
	admitted
)

// request puts an attempt in line. begin is called when it is admitted.
func (a *attempts) request(begin func()) {
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.closed {
		begin()
		return
	}
	a.end(failing) // a former attempt whose end was not observed
	if a.begin = begin; a.state == resting {
		a.state = inLine
		// A candidate gives members that precede it time to try first, since their attempts wait in line as well.
		a.due = time.Now().Add(time.Duration(a.ahead()) * a.lease / 2)
		a.line = a.choose()
		heap.Push(a.line, a)
	}
	p.admit()
}

// choose returns the line in which this group waits.
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
func (a *attempts) ahead() int {
	return a.up.count(a.larger...)
}

// admit begins attempts while the window allows. The caller holds the lock.
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
		a.begin() // only posts to the process, and does not block
	}
}

// share: failed and apart together get every fourth turn, and apart every fourth of those.
const share = 4

// next returns the line from which the next attempt is admitted. An attempt without a majority most likely fails, and
// so may an attempt after a failed one: perhaps too few members have this group. So fresh groups go first, and one
// place in the window is always left for them. Every fourth turn is for the other lines, so that they do not starve.
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

// unreached: an attempt that reaches no majority may take Lease/unreached. It most likely fails whatever the load is,
// and must not keep other groups waiting.
const unreached = 16

// reaches reports whether a majority can be reached.
func (a *attempts) reaches() bool {
	members := len(a.others) + 1
	return 1+a.up.count(a.others...) > members/2
}

// expire abandons an attempt that has taken too long.
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

// led records that the group has a leader.
func (a *attempts) led() {
	if a == nil {
		return
	}
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	a.failed = false
	switch a.state {
	case resting: // the leader was elected by another member's attempt
	case inLine: // once resumed, the candidate finds that it need not try
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

// lost records that this member lost its lease because it was not renewed in time.
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

// renewed records how long the renewal of a lease took.
func (a *attempts) renewed(took time.Duration) {
	if a == nil {
		return
	}
	a.pacer.mu.Lock()
	defer a.pacer.mu.Unlock()
	a.pacer.load.note(a, took)
}

// reach moves the group to another line if the connection to a peer came or broke. Observers have no vote, so they
// change nothing.
func (a *attempts) reach(peer election.ID) {
	if a == nil {
		return
	}
	p := a.pacer
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.state != inLine || !slices.Contains(a.others, peer) {
		return
	}
	if line := a.choose(); line != a.line {
		heap.Remove(a.line, a.place)
		a.line = line
		heap.Push(line, a)
		p.admit()
	}
}

// observe watches the steps of the process for the end of an attempt.
func (a *attempts) observe(o *observe.Occurrence) {
	if a == nil || o.What != observe.Step {
		return
	}
	// Another candidate was faster, or there is a leader: the attempt will most likely fail.
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
		case len(o.Effects.Sends) == 0: // no candidate any more; a candidate that claims sends
			a.over(0, true)
			return
		}
	}
	// The candidate was resumed but does not try, since it has lent its vote meanwhile.
	if o.Event.Op == election.Timeout && o.Event.Timer == lease.TurnTimer && len(o.Effects.Sends) == 0 {
		a.over(0, false)
	}
}

// close ends the attempt, or the wait for one, when the process has ended.
func (a *attempts) close() {
	a.over(0, true)
	a.pacer.mu.Lock()
	defer a.pacer.mu.Unlock()
	a.closed = true
}

// over ends an attempt. If waits is set, it also takes the candidate out of its line, since no event would do that
// later.
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

// line is a heap of waiting attempts.
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
