package mutex_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/treeelect"
)

const unit = sim.Unit

// TestChaos: whichever processes crash and recover within the model, no two are inside a section at the same
// time, tokens increase, and every request of a process that stays up is granted. No process crashes with
// ricartagrawala.
func TestChaos(t *testing.T) {
	for name, c := range map[string]struct {
		runs int
		plan func(*run) error
	}{
		"arbiter": {10_000,
			func(r *run) error { return r.arbiter(bully.Rules(bully.Config{Delay: unit})) }},
		"ricartagrawala": {10_000, (*run).ricartAgrawala},
		"tokenring":      {10_000, func(r *run) error { return r.tokenRing(false) }},
		"bridged":        {5_000, func(r *run) error { return r.tokenRing(true) }},
	} {
		t.Run(name, func(t *testing.T) { shake(t, c.runs, name != "ricartagrawala", c.plan) })
	}
}

// TestChaosOfElections: the same with an arbiter that any algorithm elects.
func TestChaosOfElections(t *testing.T) {
	elections := slices.Concat(lcr.Algorithms(), hs.Algorithms(), dkr.Algorithms(), franklin.Algorithms(),
		echo.Algorithms(),
		treeelect.Algorithms(), inquiry.Algorithms()[:1])
	for _, v := range []modbully.Variant{modbully.Base, modbully.Convenience, modbully.Number,
		modbully.Grant} {
		elections = append(elections, must(t)(modbully.New(v, modbully.Config{Delay: unit})))
	}
	for _, elect := range elections {
		t.Run(elect.Title(), func(t *testing.T) {
			shake(t, 1000, true, func(r *run) error { return r.arbiter(elect, nil) })
		})
	}
}

func must(t *testing.T) func(*election.Algorithm, error) *election.Algorithm {
	return func(a *election.Algorithm, err error) *election.Algorithm {
		require.NoError(t, err)
		return a
	}
}

// seen counts what must have happened in some of the runs, or they show nothing.
type seen struct {
	entries int
	over    int // entries under a larger Term than the one before: of another arbiter, or of a new token
	inside  int // crashes of processes that were inside, found by the process that enters next
}

func shake(t *testing.T, runs int, crashes bool, plan func(*run) error) {
	var all seen
	if !*long {
		runs /= 100
	}
	for number := range uint64(runs) {
		r := &run{Rand: rand.New(rand.NewPCG(number, 0)), seen: &all}
		r.config.Seed, r.config.Schedule = number, sim.RandomDelay
		require.NoError(t, plan(r), "run %d", number)
		require.NoError(t, r.play(), "run %d", number)
	}
	if runs < 500 {
		return // a few show little
	}
	require.Positive(t, all.entries)
	if crashes {
		require.Positive(t, all.over, "fail-overs")
		require.Positive(t, all.inside, "crashes inside")
	} else {
		require.Zero(t, all.inside, "crashes inside")
	}
}

const sections = 2

// run is one run as it is planned, and what has been seen of it.
type run struct {
	*rand.Rand
	config  sim.Config
	crash   [][]time.Duration // of each process, in turn a crash and a return
	posts   []post
	again   bool // a detector reports a crash to all again and again, also to processes that come back
	horizon time.Duration

	holder [sections]int // position and one, or zero
	since  [sections]time.Duration
	token  [sections]uint64
	waits  [][sections]time.Duration // when a process that waits has asked, and one
	now    func() time.Duration
	wrong  error
	seen   *seen
}

// post is an event that a process gets at some time.
type post struct {
	at time.Duration
	p  int
	of int // the process that a Suspect is about
	ev election.Event
}

// arbiter: crashes, which a detector reports to all once the last message has arrived. A process that
// comes back has what it saved last, and the first process stays up.
func (r *run) arbiter(elect *election.Algorithm, err error) error {
	if err != nil {
		return err
	}
	r.people(1 + r.IntN(6))
	c := mutex.Config{Sections: sections, Election: elect, CriticalSection: 1 + r.when(3),
		Lease: 3*unit + 1 + r.when(4)}
	if r.IntN(3) == 0 {
		c.CriticalSection = 0
	}
	if r.IntN(2) == 0 {
		c.Arbiter = r.config.IDs[r.IntN(len(r.config.IDs))]
	}
	if r.config.Algorithm, err = mutex.Arbiter(c); err != nil {
		return err
	}
	r.again = elect.Name != "bully"
	r.strike(r.IntN(5), 2, true)
	r.requests(c.CriticalSection == 0)
	r.horizon = 2000 * unit
	return nil
}

func (r *run) ricartAgrawala() (err error) {
	r.people(1 + r.IntN(6))
	c := mutex.Config{Sections: sections, CriticalSection: 1 + r.when(3)}
	if r.config.Algorithm, err = mutex.RicartAgrawala(c); err != nil {
		return err
	}
	r.crash = make([][]time.Duration, len(r.config.IDs))
	r.requests(false)
	r.horizon = 2000 * unit
	return nil
}

// tokenRing: crashes lose tokens, and a process that is down is missed until it is back; or it is
// bridged once its neighbours hear of that.
func (r *run) tokenRing(bridged bool) (err error) {
	r.people(1 + r.IntN(5))
	c := mutex.Config{Sections: sections, CriticalSection: 1 + r.when(3), First: r.config.IDs[0],
		Regenerate: unit/4 + r.when(20), Bridge: bridged}
	if r.config.Algorithm, err = mutex.TokenRing(c); err != nil {
		return err
	}
	if r.again = bridged; bridged {
		r.strike(r.IntN(5), 2, true)
	} else {
		r.strike(r.IntN(4), 1, false)
	}
	r.requests(false)
	r.horizon = 300 * unit
	if bridged {
		r.horizon = 5000 * unit
	}
	return nil
}

// people draws the processes.
func (r *run) people(n int) {
	c := &r.config
	c.Delay = sim.Delay{Min: 1 + time.Duration(r.Int64N(int64(unit))), Max: unit}
	for len(c.IDs) < n {
		if id := election.ID(1 + r.IntN(20)); !slices.Contains(c.IDs, id) {
			c.IDs = append(c.IDs, id)
		}
	}
	if r.IntN(3) == 0 {
		for range n {
			c.Priorities = append(c.Priorities, r.Uint64N(3))
		}
	}
	c.Initiators = []election.ID{}
	r.waits = make([][sections]time.Duration, n)
}

// when draws a time up to a number of units.
func (r *run) when(units int64) time.Duration { return time.Duration(r.Int64N(units*int64(unit) + 1)) }

// strike draws crashes. Two of three processes recover; all do if away is one. If reported is set, a detector
// reports crashes.
func (r *run) strike(crashes, away int, reported bool) {
	c := &r.config
	r.crash = make([][]time.Duration, len(c.IDs))
	for range crashes {
		p, at := r.IntN(len(c.IDs)), r.when(30)
		if reported && p == 0 {
			continue
		}
		if done := r.crash[p]; len(done) > 0 {
			if len(done)%2 == 1 {
				continue
			}
			at += done[len(done)-1] + 1
		}
		c.CrashAt = append(c.CrashAt, scenario.At{ID: c.IDs[p], Time: at})
		r.crash[p] = append(r.crash[p], at)
		if away == 1 || r.IntN(3) > 0 {
			back := at + 1 + r.when(15)
			c.RestartAt = append(c.RestartAt, scenario.At{ID: c.IDs[p], Time: back})
			r.crash[p] = append(r.crash[p], back)
		}
		for to := range c.IDs {
			for when := at; reported && to != p && when < lastWord; when += 10 * unit {
				r.posts = append(r.posts, post{at: when + unit + 1 + r.when(6), p: to, of: p,
					ev: election.Event{Op: election.Suspect}})
				if !r.again {
					break
				}
			}
		}
	}
}

// lastWord is the time of the last report of the detectors.
const lastWord = 150 * unit

// requests draws which processes want to enter, and when. Where they need a Release to leave, they get
// one; others may be.
func (r *run) requests(release bool) {
	for i := range 1 + r.IntN(12) {
		p, section, at := r.IntN(len(r.config.IDs)), uint8(r.IntN(sections)), r.when(50)
		r.posts = append(r.posts, post{at: at, p: p, ev: mutex.Request(section, uint32(i))})
		if release && r.IntN(2) == 0 || r.IntN(8) == 0 {
			r.posts = append(r.posts, post{at: at + r.when(8), p: p, ev: mutex.Release(section, uint32(i))})
		}
	}
	slices.SortStableFunc(r.posts, func(a, b post) int { return int(a.at - b.at) })
}

// upAt reports whether a process is up at a time, and since when.
func (r *run) upAt(p int, at time.Duration) (since time.Duration, up bool) {
	up = true
	for _, t := range r.crash[p] {
		if t <= at {
			since, up = t, !up
		}
	}
	return since, up
}

// raised watches which processes enter and leave.
func (r *run) raised(p int, ev election.Event) {
	section := ev.Msg.Flags
	switch ev.Op {
	case election.Exited:
		if r.holder[section] == p+1 {
			r.holder[section] = 0
		}
	case election.Entered:
		if q := r.holder[section] - 1; q >= 0 && r.inside(q, section) {
			r.fail("at %v both %d and %d are inside section %d", r.now(), r.config.IDs[q], r.config.IDs[p],
				section)
		}
		r.seen.entries++
		if r.holder[section] != 0 {
			r.seen.inside++
		}
		if last := r.token[section]; last != 0 && last>>32 < ev.Msg.Value>>32 {
			r.seen.over++
		}
		if ev.Msg.Value <= r.token[section] {
			r.fail("at %v token %x after %x", r.now(), ev.Msg.Value, r.token[section])
		}
		r.holder[section], r.since[section], r.token[section] = p+1, r.now(), ev.Msg.Value
		r.waits[p][section] = 0
	}
}

// inside reports whether a process is inside a section: it has entered, not left and not crashed.
func (r *run) inside(p int, section uint8) bool {
	since, up := r.upAt(p, r.now())
	return r.holder[section] == p+1 && up && since <= r.since[section]
}

func (r *run) fail(format string, args ...any) {
	if r.wrong == nil {
		r.wrong = fmt.Errorf("%s among %v: %s", r.config.Algorithm.Title(), r.config.IDs,
			fmt.Sprintf(format, args...))
	}
}

// play runs until no event is left, and judges.
func (r *run) play() error {
	r.config.OnRaise = r.raised
	r.config.Unordered = !r.config.Algorithm.NeedsFIFO && r.IntN(2) == 0
	if err := r.config.Check(); err != nil {
		return err
	}
	s, err := sim.New(r.config)
	if err != nil {
		return err
	}
	r.now = s.Now
	for _, w := range r.posts {
		s.Extend(max(w.at, 1))
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		r.post(s, w)
	}
	for end := s.Now() + r.horizon/10; ; end += r.horizon / 10 {
		s.Extend(min(end, r.horizon))
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		if end >= r.horizon || r.config.Algorithm.NeedsFIFO && !r.unserved(s) {
			break
		}
	}
	for p, id := range r.config.IDs {
		for section, at := range r.waits[p] {
			if since, up := r.upAt(p, s.Now()); at > 0 && up && since < at {
				r.fail("process %d asked for section %d at %v and was never served", id, section, at-1)
			}
		}
	}
	return r.wrong
}

// unserved reports whether anybody waits.
func (r *run) unserved(s *sim.Sim) bool {
	for p := range r.waits {
		for _, at := range r.waits[p] {
			if since, up := r.upAt(p, s.Now()); at > 0 && up && since < at {
				return true
			}
		}
	}
	return false
}

// post carries out one post, if its process is up. The simulator may be behind its time.
func (r *run) post(s *sim.Sim, w post) {
	if _, up := r.upAt(w.p, s.Now()); !up {
		return
	}
	section := w.ev.Msg.Flags
	switch {
	case w.ev.Op == election.Suspect:
		if _, up := r.upAt(w.of, w.at); up {
			return
		}
		w.ev.Port = r.port(w.p, w.of)
	case w.ev.Msg.Kind == mutex.Release(0, 0).Msg.Kind:
		r.waits[w.p][section] = 0
	case !r.inside(w.p, section):
		r.waits[w.p][section] = s.Now() + 1
	}
	s.Post(w.p, w.ev)
}

// port returns the port by which p reaches q.
func (r *run) port(p, q int) election.Port {
	for port := range election.Port(r.config.Topology.Ports(p)) {
		if to, _, _ := r.config.Topology.Link(p, port); to == q {
			return port
		}
	}
	panic("no link")
}
