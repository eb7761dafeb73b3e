// Package chaos runs elections on complete graphs under what their model allows: messages take any
// time up to the bound and, where the algorithm lives through that, processes crash and come back
// at any moment, and a detector outside tells of crashes, rightly, sooner or later. At the end all
// that are up must follow the largest of them.
//
// Every run is made from one number. A test that fails prints the command that runs it alone.
package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

var only = flag.Int64("chaos", -1, "run only the chaos of this number")

// Test makes so many runs of an algorithm whose messages take at most one unit.
func Test(t *testing.T, alg *election.Algorithm, runs int) {
	t.Helper()
	Each(t, alg.Name, runs, func(number uint64) error { return Run(alg, number) })
}

// Each makes so many runs, each of one number, on all processors; with the race detector on, or if
// the tests are to be short, a hundredth of them. The test is one of a package in this folder.
func Each(t *testing.T, folder string, runs int, run func(number uint64) error) {
	t.Helper()
	if *only >= 0 {
		if err := run(uint64(*only)); err != nil {
			t.Fatal(err)
		}
		return
	}
	if raceEnabled || testing.Short() {
		runs /= 100
	}
	var next, made, failed atomic.Int64
	failed.Store(-1)
	var working sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		working.Go(func() {
			for i := next.Add(1) - 1; i < int64(runs) && failed.Load() < 0; i = next.Add(1) - 1 {
				if err := run(uint64(i)); err != nil {
					failed.CompareAndSwap(-1, i)
				}
				made.Add(1)
			}
		})
	}
	working.Wait()
	if i := failed.Load(); i >= 0 {
		t.Fatalf("%v\nalone: go test ./%s -run '%s' -chaos %d", run(uint64(i)), folder, t.Name(), i)
	}
	if made.Load() != int64(runs) {
		t.Fatalf("%d runs, not %d", made.Load(), runs)
	}
}

// word is what the detector says: to whom, of whom, and when.
type word struct {
	to, of int
	at     time.Duration
}

// run is one run as it is planned.
type run struct {
	*rand.Rand
	config sim.Config
	crash  [][]time.Duration // of each process, in turn a crash and a return
	words  []word
}

// Run makes one run. The error says what came out that must not.
func Run(alg *election.Algorithm, number uint64) error {
	r := &run{Rand: rand.New(rand.NewPCG(number, 0))}
	r.plan(alg, number)
	if err := r.config.Check(); err != nil {
		return err
	}
	s, err := sim.New(r.config)
	if err != nil {
		return err
	}
	if err := r.play(s); err != nil {
		return fmt.Errorf("chaos %d: %w", number, err)
	}
	return nil
}

const unit = sim.Unit

// plan draws everything that will happen.
func (r *run) plan(alg *election.Algorithm, number uint64) {
	n := 1 + r.IntN(6)
	c := &r.config
	c.Algorithm, c.Seed, c.Schedule = alg, number, sim.RandomDelay
	c.Delay = sim.Delay{Min: 1 + time.Duration(r.Int64N(int64(unit))), Max: unit}
	c.Unordered = !alg.NeedsFIFO && r.IntN(2) == 0
	for len(c.IDs) < n {
		if id := election.ID(1 + r.IntN(20)); !slices.Contains(c.IDs, id) {
			c.IDs = append(c.IDs, id)
		}
	}
	if r.IntN(3) == 0 {
		c.Priorities = make([]uint64, n)
		for p := range c.Priorities {
			c.Priorities[p] = r.Uint64N(3)
		}
	}
	c.Initiators = []election.ID{}
	for _, p := range r.Perm(n)[:1+r.IntN(n)] {
		c.Initiators = append(c.Initiators, c.IDs[p])
		c.StartTimes = append(c.StartTimes, r.when(4))
	}
	r.crash = make([][]time.Duration, n)
	if alg.Faults.Unaided() { // others allow for no crash
		for range r.IntN(2 + n) {
			r.strike(r.IntN(n))
		}
	}
	slices.SortStableFunc(r.words, func(a, b word) int { return int(a.at - b.at) })
}

// when draws a time up to so many units.
func (r *run) when(units int64) time.Duration { return time.Duration(r.Int64N(units*int64(unit) + 1)) }

// strike lets a process crash at some time after it has come back last, and perhaps come back.
// The others may be told, once its last message must have arrived.
func (r *run) strike(p int) {
	at := r.when(20)
	if done := r.crash[p]; len(done) > 0 {
		if len(done)%2 == 1 {
			return // down for good
		}
		at += done[len(done)-1]
	}
	c := &r.config
	c.CrashAt = append(c.CrashAt, scenario.At{ID: c.IDs[p], Time: at})
	r.crash[p] = append(r.crash[p], at)
	for to := range c.IDs {
		if to != p && r.IntN(4) > 0 {
			r.words = append(r.words, word{to, p, at + unit + r.when(6)})
		}
	}
	if r.IntN(3) > 0 {
		back := at + 1 + r.when(20)
		if r.IntN(3) == 0 {
			c.RestartAt = append(c.RestartAt, scenario.At{ID: c.IDs[p], Time: back})
		} else {
			c.RecoverAt = append(c.RecoverAt, scenario.At{ID: c.IDs[p], Time: back})
		}
		r.crash[p] = append(r.crash[p], back)
	}
}

// up reports whether a process is up at a time.
func (r *run) up(p int, at time.Duration) bool {
	up := true
	for _, t := range r.crash[p] {
		if t <= at {
			up = !up
		}
	}
	return up
}

// play runs to rest, lets somebody notice whatever nobody has noticed so far, and judges.
func (r *run) play(s *sim.Sim) error {
	if r.config.Algorithm.NeverQuiesces { // they notice by themselves
		s.Extend(200 * unit)
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		return r.judge(s)
	}
	for _, w := range r.words {
		s.Extend(w.at)
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		if r.up(w.to, w.at) && !r.up(w.of, w.at) {
			s.Post(w.to, election.Event{Op: election.Suspect, Port: r.port(w.to, w.of)})
		}
	}
	s.Extend(1000 * unit)
	for range 3 {
		if err := s.Run(context.Background()); err != nil {
			return err
		}
		if s.Now() > 900*unit {
			return fmt.Errorf("no rest by %v", s.Now())
		}
		r.notice(s)
	}
	return r.judge(s)
}

// notice tells everybody who follows a process that is down. If nobody leads nor follows, nobody has
// started that is up, and everybody does.
func (r *run) notice(s *sim.Sim) {
	decided := false
	for p := range r.config.IDs {
		decided = decided || r.up(p, s.Now()) && s.Outcome(p).Leader.ID != 0
	}
	for _, p := range r.Perm(len(r.config.IDs)) {
		if !r.up(p, s.Now()) {
			continue
		}
		q := slices.Index(r.config.IDs, s.Outcome(p).Leader.ID)
		switch {
		case q < 0 && (!decided || r.config.Algorithm.Variant == "halting"): // where it is for the loser to begin again
			s.Post(p, election.Event{Op: election.Start})
		case q >= 0 && !r.up(q, s.Now()):
			s.Post(p, election.Event{Op: election.Suspect, Port: r.port(p, q)})
		}
	}
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

func (r *run) judge(s *sim.Sim) error {
	var largest election.Rank
	for p := range r.config.IDs {
		if self := r.config.Self(p); r.up(p, s.Now()) && largest.Less(self) {
			largest = self
		}
	}
	var led, followed uint64 // Terms
	for p, id := range r.config.IDs {
		o := s.Outcome(p)
		switch {
		case !r.up(p, s.Now()):
		case id == largest.ID:
			led = o.Term
		default:
			followed = max(followed, o.Term)
		}
		if r.up(p, s.Now()) && (o.Leader != largest || (o.Role == election.Leader) != (id == largest.ID)) {
			return fmt.Errorf("%s among %v (priorities %v): process %d is %v and follows %d, not %d", r.config.Algorithm.Title(),
				r.config.IDs, r.config.Priorities, id, o.Role, o.Leader.ID, largest.ID)
		}
	}
	if r.config.Algorithm.NeverQuiesces && led < followed { // by heartbeats it hears of what it has forgotten
		return fmt.Errorf("the leader is in Term %d, a follower in %d", led, followed)
	}
	return nil
}
