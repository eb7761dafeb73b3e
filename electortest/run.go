package electortest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// run is one run. All fields except the judge and the network belong to the goroutine of try.
type run struct {
	Config
	service func(*Member) error
	judge   *judge
	network *network
	vault   *vault // instead of the network; nil without Store
	dice    *rand.Rand
	now     func() time.Duration
	order   []string // names in order
	lists

	dir    string
	starts int
	dirs   map[string]string  // Dirs of members that are down, for the next member of the same name
	up     map[string]*Member // live members
	gone   []*Member          // members that have crashed or were stopped
	ended  chan end
	todo   []todo
}

// end is the result of a service that has returned.
type end struct {
	*Member
	err error
}

// todo is a later action: a check, or the end of a fault.
type todo struct {
	at    time.Duration
	do    func()
	mends bool
}

// Permissions of files and folders.
const (
	ownFolder = 0o700
	ownFile   = 0o600
)

// mostReturns is the capacity for services that return after the receiving goroutine has ended: if one of them
// had to wait, the bubble would not end.
const mostReturns = 1000

// newRun returns a run without members, in a bubble.
func newRun(c Config, seed uint64, dir string, service func(*Member) error) (*run, error) {
	began := time.Now()
	now := func() time.Duration { return time.Since(began) }
	r := &run{Config: c, service: service, now: now, dir: dir, dice: rand.New(rand.NewPCG(seed, 0)),
		judge: &judge{now: now, failed: make(chan struct{}), members: make(map[string]*Member)},
		dirs:  make(map[string]string), up: make(map[string]*Member), ended: make(chan end, mostReturns),
		lists: lists{of: make(map[string][]string), away: make(map[string]bool),
			remembers: make(map[string]bool)}}
	names := c.Members
	if r.changes() {
		names = min(names+newcomers, mostMembers)
	}
	for i := range names {
		r.order = append(r.order, string(rune('a'+i)))
	}
	r.plan = r.order[:c.Members]
	for _, name := range r.order[c.Members:] {
		r.away[name] = true
	}
	return r, r.connect(seed)
}

// try runs a service once, in a bubble.
func try(c Config, seed uint64, dir string, service func(*Member) error) error {
	r, err := newRun(c, seed, dir, service)
	if err != nil {
		return err
	}
	return r.try(seed)
}

// try runs the service once.
func (r *run) try(seed uint64) error {
	for _, name := range r.plan {
		r.comeBack(name)
	}
	r.disturb()
	r.settle()
	r.stopAll()
	return r.judge.error(seed)
}

// connect creates the network.
func (r *run) connect(seed uint64) (err error) {
	rough, calm := r.links(seed)
	if r.Store {
		r.vault = newVault(seed, times{r.Times.Lease, r.Times.Delay}, r.Faults&BadLinks != 0, rough.Max, r.dice.IntN(2) == 0)
		return nil
	}
	r.network = &network{memory: memory.New()}
	if r.network.rough, err = faults.NewLinks(rough); err != nil {
		return err
	}
	r.network.calm, err = faults.NewLinks(calm)
	return err
}

// links returns the link configurations during the faults and after them.
func (r *run) links(seed uint64) (rough, calm faults.Config) {
	rough = faults.Config{Seed: seed, Min: time.Microsecond, Max: r.Times.Delay}
	if r.Faults&BadLinks != 0 {
		latest := []time.Duration{r.Times.Delay, 4 * r.Times.Delay, r.Times.Lease / 8}
		rough.Max = latest[r.dice.IntN(len(latest))]
		rough.Plan = fault.Plan{Loss: 0.1 * r.dice.Float64(), Duplicate: 0.1, Reorder: 0.1}
	}
	return rough, faults.Config{Seed: seed, Min: r.Times.Delay / 40, Max: r.Times.Delay / 4}
}

// start starts a member, for the first time or again.
func (r *run) start(name string) error {
	// Each clock starts at a different time: an Elector must not compare times of two members.
	list := r.plan
	if r.changes() {
		list = r.listOf(name)
	}
	m := &Member{Name: name, judge: r.judge, started: r.now(), ended: make(chan struct{}),
		clock: &clock{now: r.now, start: time.Hour + time.Duration(r.dice.Int64N(int64(100*time.Hour))),
			rate: 1 + r.rate()}}
	if r.durable(name) {
		if m.dir = r.dirs[name]; m.dir == "" {
			m.dir = r.freshDir()
		}
	}
	c := elector.Config{Self: name}
	if r.Elector != nil {
		r.Elector(&c)
	}
	c.Group, c.Self, c.Dir = "electortest", name, m.dir
	if err := r.plug(m, &c, list); err != nil {
		return err
	}
	c.Times, c.Clock = r.Times, m.clock.read
	c.Observe = func(v elector.View) { r.judge.sees(m, v) }
	c.Renewed = func(term elector.Term) { r.judge.renewed(m, term) }
	c.Overrun = func(term elector.Term) { r.judge.overruns(m, term, r.Times) }
	var err error
	if m.Elector, err = elector.New(c); err != nil {
		return errors.Join(err, m.wall.Close())
	}
	if m.gate != nil {
		m.gate.sends = func() { r.judge.asks(m, r.judge.agrees) }
	}
	m.Context, m.stop = context.WithCancel(context.Background())
	r.judge.enters(m)
	r.up[name] = m
	go m.watch()
	service := r.service // the run may use another service for a later member
	go func() {
		err := service(m)
		_ = m.Elector.Close() // has no effect if the service has run it
		close(m.ended)
		r.ended <- end{m, err}
	}()
	return nil
}

// plug connects a member with the others, or with the store.
func (r *run) plug(m *Member, c *elector.Config, list []string) (err error) {
	if r.vault == nil {
		if m.gate, err = r.network.plug(elector.ID(m.Name)); err != nil {
			return err
		}
		m.wall, c.Members, c.Transport = m.gate, addresses(list), m.gate
		return nil
	}
	d := r.vault.open(m.Name)
	m.wall, c.Store = d, d
	if !r.vault.watches {
		c.Store = unwatched{d}
	}
	return nil
}

// rate returns the rate of a clock, mostly one of the limits.
func (r *run) rate() float64 {
	switch r.dice.IntN(3) {
	case 0:
		return r.drift
	case 1:
		return -r.drift
	}
	return r.drift * (2*r.dice.Float64() - 1)
}

func (r *run) freshDir() string {
	r.starts++
	return filepath.Join(r.dir, fmt.Sprint(r.starts))
}

// keep copies the Dir of a member for the next member of the same name: later writes of the crashed member do
// not count.
func (r *run) keep(m *Member) {
	if m.dir == "" {
		return
	}
	next := r.freshDir()
	r.dirs[m.Name] = next
	files, err := filepath.Glob(filepath.Join(m.dir, "*.state"))
	for _, file := range files {
		var b []byte
		if b, err = os.ReadFile(file); err == nil {
			if err = os.MkdirAll(next, ownFolder); err == nil {
				err = os.WriteFile(filepath.Join(next, filepath.Base(file)), b, ownFile)
			}
		}
	}
	if err != nil {
		r.judge.fails("the Dir of %s cannot be copied: %v", m.Name, err)
	}
}

// crash crashes a member, which recovers after a while.
func (r *run) crash(m *Member, back time.Duration) {
	// Inform the judge first: nothing that the member does from now on counts.
	r.judge.leaves(m, true, "crashes")
	_ = m.wall.Close()
	r.keep(m)
	r.forgets(m.Name)
	r.remove(m, back)
	// Its goroutines cannot be killed. They return when they are not paused and the Context has ended.
	m.resume()
	m.stop()
}

// remove records that a member is down, and restarts it after a while.
func (r *run) remove(m *Member, back time.Duration) {
	delete(r.up, m.Name)
	r.gone = append(r.gone, m)
	r.mendIn(back, func() { r.comeBack(m.Name) })
}

func (r *run) comeBack(name string) {
	if r.up[name] == nil && !r.away[name] {
		if err := r.start(name); err != nil {
			r.judge.fails("%s cannot start: %v", name, err)
		}
	}
}

// exit records that the service of a member has returned.
func (r *run) exit(e end) {
	if r.up[e.Name] != e.Member {
		return // it had already crashed
	}
	why := "returns"
	if e.err != nil {
		why += ": " + e.err.Error()
	}
	r.judge.leaves(e.Member, false, why)
	_ = e.wall.Close()
	r.keep(e.Member)
	r.forgets(e.Name)
	r.remove(e.Member, r.Times.Lease)
}

// mendIn ends a fault after a while, or when all faults end.
func (r *run) mendIn(d time.Duration, do func()) {
	r.todo = append(r.todo, todo{r.now() + d, do, true})
}

// judgeIn performs a check after a while.
func (r *run) judgeIn(d time.Duration, do func()) {
	r.todo = append(r.todo, todo{r.now() + d, do, false})
}

// wait performs due actions until the given time or, if done is not nil, until done returns true. It reports
// whether there has been no violation.
func (r *run) wait(until time.Duration, done func() bool) bool {
	// The result of done may change at any time.
	step := r.Times.Delay
	for done == nil || !done() {
		at := until
		for _, t := range r.todo {
			at = min(at, t.at)
		}
		if done != nil {
			at = min(at, r.now()+step)
		}
		select {
		case e := <-r.ended:
			r.exit(e)
		case <-r.judge.failed:
			return false
		case <-time.After(at - r.now()):
		}
		r.doDue()
		if r.now() >= until {
			break
		}
	}
	return true
}

// doDue performs the actions that are due, the earliest first.
func (r *run) doDue() {
	slices.SortStableFunc(r.todo, func(a, b todo) int { return cmp.Compare(a.at, b.at) })
	for len(r.todo) > 0 && r.todo[0].at <= r.now() {
		t := r.todo[0]
		r.todo = r.todo[1:]
		t.do()
	}
}

// disturb causes faults.
func (r *run) disturb() {
	fates := r.fates
	for _, f := range allFates {
		if r.fates == nil && r.Faults&f.of != 0 {
			fates = append(fates, f)
		}
	}
	for r.wait(min(r.now()+r.leases(0.1, 20), r.For), nil) && r.now() < r.For {
		if len(fates) > 0 {
			fates[r.dice.IntN(len(fates))].do(r)
		}
	}
}

// leases returns a random duration between two numbers of leases, usually a short one.
func (r *run) leases(least, most float64) time.Duration {
	x := r.dice.Float64()
	return time.Duration((least + x*x*(most-least)) * float64(r.Times.Lease))
}

// settle ends all faults and waits for a leader; then it crashes the leader and waits for the next one.
func (r *run) settle() {
	r.decide()
	todo := r.todo
	r.todo = nil
	for _, t := range todo {
		if t.mends {
			t.do()
		} else {
			r.todo = append(r.todo, t)
		}
	}
	if r.vault != nil {
		r.vault.mend()
	} else {
		r.network.mend()
	}
	r.judge.notes("everything is mended")
	// Wait until work that is about to end has ended, and stopped members have restarted.
	if !r.wait(r.now()+r.patience(), nil) || !r.wait(r.now()+2*r.Times.Lease, r.allUp) {
		return
	}
	// Restarted members are silent for a grant, and then read what the others know; after that, candidates may
	// have to wait for a grant.
	if r.changes() && !r.converge() {
		return
	}
	_, most := r.failOver()
	if !r.settled("of the end of all faults", 2*most+40*r.Times.Delay) {
		return
	}
	r.judge.expectCalm()
	_, last := r.judge.leader()
	led := last.term
	if !r.wait(r.now()+r.leases(2, 6), nil) || r.size() < 3 || r.judge.ledSince(led) > 0 {
		return // leaders that change by themselves prove nothing about a crash
	}
	m, _ := r.judge.leader()
	if m == nil || !r.mayForget(m.Name) {
		return // it has resigned
	}
	crashed, back := r.now(), 10*r.Times.Lease
	r.crash(m, back)
	least, most := r.failOver()
	most += 20 * r.Times.Delay // candidates may split the votes twice
	limit := 2 * most
	if !r.wait(crashed+limit, func() bool { return r.judge.ledSince(led) > 0 }) {
		return
	}
	since := r.judge.ledSince(led)
	switch took := since - crashed; {
	case since == 0:
		r.judge.fails("within %v of the crash of the leader %s no other leads", limit, m.Name)
	case took < least || took > most:
		r.judge.fails("after the crash of the leader %s the next one leads %v later, not between %v and %v",
			m.Name, took, least, most)
	}
	r.wait(crashed+back, r.allUp)
	r.settled("of the return of the leader that had crashed", limit)
}

// failOver returns how long it takes until another member leads after the crash of a leader.
func (r *run) failOver() (least, most time.Duration) {
	least, most = r.Times.FailOver(r.size())
	if r.vault == nil {
		return least, most
	}
	// Candidates wait for a Lease from the last renewal, for a turn, and for larger priorities; without Watch they see
	// the renewal up to a poll later.
	t := r.Times
	most = time.Duration(float64(t.Lease)*(1+t.Drift)/(1-t.Drift)) + 22*t.Delay
	if !r.vault.watches {
		most += 2 * t.Renew
	}
	return least, time.Duration(float64(most) / (1 - t.Drift))
}

// size returns the number of members of the group in the end.
func (r *run) size() int {
	if r.changes() {
		return len(r.last)
	}
	return r.Members
}

// allUp reports whether all members are running, and none was stopped.
func (r *run) allUp() bool {
	for _, m := range r.up {
		if m.Context.Err() != nil {
			return false
		}
	}
	return len(r.up) == len(r.order)-len(r.away)
}

// settled waits until all members agree on a leader.
func (r *run) settled(since string, most time.Duration) bool {
	if !r.wait(r.now()+most, r.judge.agree) {
		return false
	}
	if !r.judge.agree() {
		r.judge.fails("within %v %s not all members agree on a leader: %s", most, since, r.judge.views())
		return false
	}
	return true
}

// stopAll stops all members, and waits until their services have returned.
func (r *run) stopAll() {
	for _, m := range r.up {
		m.resume()
		m.stop()
	}
	// Include members that have crashed: their goroutines are in the bubble.
	r.gone = slices.AppendSeq(r.gone, maps.Values(r.up))
	limit := time.NewTimer(r.patience())
	defer limit.Stop()
	for _, m := range r.gone {
		select {
		case <-m.ended:
		case <-limit.C:
			r.judge.fails("the service of %s has not returned %v after its Context ended", m.Name,
				r.patience())
			// A bubble panics if it ends before its goroutines, which would hide the violation.
			r.judge.ends()
			select {
			case <-m.ended:
			case <-time.After(lastWait):
				return
			}
		}
		_ = m.wall.Close()
	}
}

// lastWait is how long to wait for a service that does not end in time.
const lastWait = 24 * time.Hour

// patience is how long a member may continue after its Context has ended.
func (r *run) patience() time.Duration { return r.Times.Drain + 2*r.Times.Lease }
