package storelease_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
)

// walk is a store, process 1, and members among which anything may happen in any order: messages arrive late, more than
// once or never, processes pause and crash, and programs give commands. It notes what must never happen.
type walk struct {
	rng   *rand.Rand
	alg   *election.Algorithm
	all   []walker
	bag   []letter
	now   time.Duration
	most  uint64 // largest Term of a lease
	terms int
	log   []string
	wrong string
}

type letter struct {
	to   int
	port election.Port
	msg  election.Message
}

type walker struct {
	node   election.Node
	env    *election.Env
	saved  []byte
	timers [2]time.Duration // zero: not set
	is     election.Outcome
	paused bool
}

// around is what a process of a walk knows about the others.
type around struct{ me, n int }

func (v around) Self(int) election.Rank { return election.Rank{ID: election.ID(v.me + 1)} }
func (v around) Ports(int) int          { return v.n - 1 }
func (v around) Peer(_ int, p election.Port) election.Rank {
	return election.Rank{ID: election.ID(v.behind(p) + 1)}
}

func (v around) behind(p election.Port) int { return (v.me + 1 + int(p)) % v.n }

func (w *walk) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%v: ", w.now)+fmt.Sprintf(format, args...))
}

func (w *walk) step(i int, ev election.Event) {
	p, v := &w.all[i], around{i, len(w.all)}
	ev.At = w.now
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	if fx.Saved() {
		p.saved = new(election.State).Append(p.saved[:0], p.node)
	}
	for _, s := range fx.Sends {
		to := v.behind(s.Port)
		w.bag = append(w.bag, letter{to, election.Port((i - to - 1 + 2*v.n) % v.n), s.Msg})
	}
	for _, c := range fx.Timers {
		if p.timers[c.Timer] = 0; !c.Stop {
			p.timers[c.Timer] = w.now + c.Min + time.Duration(w.rng.Int64N(int64(c.Max-c.Min)+1)) + 1
		}
	}
	if fx.Decided() {
		w.judge(i, fx.Outcome)
	}
}

func (w *walk) judge(i int, o election.Outcome) {
	p := &w.all[i]
	if o.LeadsAt(w.now) && !(p.is.LeadsAt(w.now) && p.is.Term == o.Term) {
		w.note("%d leads in Term %d", i+1, o.Term)
		w.terms++
		if o.Term <= w.most {
			w.wrong = fmt.Sprintf("Term %d of %d follows Term %d", o.Term, i+1, w.most)
		}
		w.most = max(w.most, o.Term)
	}
	p.is = o
	for j := range w.all {
		if j != i && o.LeadsAt(w.now) && w.all[j].is.LeadsAt(w.now) {
			w.wrong = fmt.Sprintf("%d and %d lead", i+1, j+1)
		}
	}
}

// start starts a process, with what it has saved.
func (w *walk) start(i int) {
	w.note("%d starts", i+1)
	saved, n := w.all[i].saved, len(w.all)
	w.all[i] = walker{node: w.alg.New(election.Setup{Self: around{i, n}.Self(0), Ports: n - 1}), saved: saved,
		env: election.NewEnv(around{i, n}, w.rng.IntN)}
	if len(saved) > 0 {
		if err := new(election.State).Restore(w.all[i].node, saved); err != nil {
			panic(err)
		}
	}
	w.step(i, election.Event{Op: election.Init, Msg: election.Message{Value: uint64(len(w.log))}})
	w.step(i, election.Event{Op: election.Start})
}

// act takes one random step.
func (w *walk) act() {
	i := w.rng.IntN(len(w.all))
	p := &w.all[i]
	switch x := w.rng.IntN(1000); {
	case x < 15:
		p.paused = !p.paused && x < 4
	case x < 18:
		w.start(i)
	case x < 40 && !p.paused:
		commands := []election.Message{lease.Resign(0, 0), lease.Resign(0, election.ID(1+w.rng.IntN(len(w.all)))),
			lease.Renew(), lease.Renew(), lease.Lapse(), lease.SitDown(), lease.Prefer(w.rng.Uint64N(12)),
			lease.Raise(w.most + 2)}
		w.step(i, election.Event{Op: election.Command, Msg: commands[w.rng.IntN(len(commands))]})
	case x < 50 && !p.paused:
		w.step(i, election.Event{Op: election.Start})
	case x < 150:
		w.now += time.Duration(w.rng.IntN(700)) * time.Millisecond
	case x < 400:
		for timer, at := range p.timers {
			if at != 0 && at <= w.now && !p.paused {
				p.timers[timer] = 0
				w.step(i, election.Event{Op: election.Timeout, Timer: uint8(timer)})
			}
		}
	case len(w.bag) > 0:
		k := w.rng.IntN(len(w.bag))
		if w.rng.IntN(2) == 0 {
			k = 0
		}
		l := w.bag[k]
		if w.all[l.to].paused {
			return
		}
		if w.rng.IntN(20) > 0 {
			w.bag = append(w.bag[:k], w.bag[k+1:]...)
		}
		if w.rng.IntN(20) > 0 {
			w.step(l.to, election.Event{Op: election.Recv, Port: l.port, Msg: l.msg})
		}
	}
	if len(w.bag) > 60 {
		w.bag = w.bag[20:]
	}
}

// TestWalk: whatever happens, no two processes lead simultaneously, and Terms increase.
func TestWalk(t *testing.T) {
	terms := 0
	for seed := range uint64(300) {
		alg, err := storelease.New(storelease.Config{Lease: 8 * time.Second, Delay: time.Second / 4, Drift: -1,
			Watch: seed%2 == 0, Durable: seed%3 == 0, Stale: 50, Fails: 50})
		require.NoError(t, err)
		w := &walk{rng: rand.New(rand.NewPCG(seed, 1)), alg: alg, all: make([]walker, 2+seed%4), log: []string{""}}
		for i := range w.all {
			w.start(i)
		}
		for range 6000 {
			if w.act(); w.wrong != "" {
				break
			}
		}
		require.Empty(t, w.wrong, "seed %d:\n%s", seed, strings.Join(w.log, "\n"))
		terms += w.terms
	}
	require.Greater(t, terms, 1500)
}
