package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
)

// stage is a group whose members a test plays, in virtual time.
type stage struct {
	*trial
	stopped string        // the names of members, one after another
	paused  time.Duration // for how long the last of them was
}

// newStage returns a group of three in which a leads in Term 1, where a late write is to be refused.
func newStage(t *testing.T) *stage {
	fault := *find(t, "^SIGSTOP the leader for 3 leases, n=3, none$")[0].fault
	g := &group{cell: &cell{fault: &fault, n: 3}, times: elector.Times{Lease: time.Second},
		store:   &register{},
		changed: make(chan struct{})}
	for i := range 3 {
		s := &seat{index: i, name: memberName(i)}
		s.process = &process{number: i + 1, seat: s, since: suspend.Now() - time.Hour}
		g.seats = append(g.seats, s)
	}
	s := &stage{trial: &trial{group: g, ctx: t.Context()}}
	s.lead(g.seats[0], 1)
	require.NoError(t, s.choose())
	return s
}

// lead makes a member lead and write.
func (s *stage) lead(leader *seat, term uint64) {
	now := suspend.Now()
	s.hear(leader.process, &report{Kind: kindLease, Term: term, From: now, Until: now + time.Hour})
	for _, other := range s.seats {
		s.hear(other.process, &report{Kind: kindView, Leader: leader.name, Term: term})
	}
	s.write(leader.process, term, false)
}

// write writes to the register.
func (s *stage) write(p *process, term uint64, last bool) {
	s.store.apply(operation{Process: p.number, Token: term, Last: last})
}

// pauser returns what pauses members. The next member leads and writes so long after one was stopped, and
// one that is resumed does what awake says.
func (s *stage) pauser(succeeds time.Duration, awake func(*process, uint64)) pauser {
	var at time.Time
	return pauser{
		stop: func(p *process) error {
			s.stopped += p.seat.name
			at = time.Now()
			term, next := s.term+1, s.seats[p.number%3]
			time.AfterFunc(succeeds, func() { s.lead(next, term) })
			return nil
		},
		resume: func(p *process) error {
			s.paused = time.Since(at)
			awake(p, s.term)
			return nil
		},
	}
}

// TestPauseLeader: a leader is paused until its successor has written, also where elections take longer than
// the pause was to take. Its last write has to follow, and has to be refused.
func TestPauseLeader(t *testing.T) {
	for name, c := range map[string]struct {
		succeeds, paused time.Duration
		silent, ends     bool // the resumed member does not write, or ends
		forgets          bool // the register accepts it
		err, judged      error
	}{
		"a quick successor":      {succeeds: 1500 * time.Millisecond, paused: 3 * time.Second},
		"a successor that waits": {succeeds: 5 * time.Second, paused: 5 * time.Second},
		"no successor":           {succeeds: time.Hour, err: errHung},
		"no late write": {silent: true, paused: 3 * time.Second, err: errNoStale,
			judged: errNoStale},
		"an end instead":          {ends: true, paused: 3 * time.Second, judged: errNoStale},
		"a register that forgets": {forgets: true, paused: 3 * time.Second, judged: errNoStale},
		"forgets, a waiting successor": {forgets: true, succeeds: 5 * time.Second, paused: 5 * time.Second,
			judged: errNoStale},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				err := s.pauseLeader(s.pauser(c.succeeds, func(p *process, term uint64) {
					switch {
					case c.silent:
					case c.ends:
						p.over = true
					default:
						time.AfterFunc(5*time.Second, func() {
							if c.forgets {
								s.store.mu.Lock()
								s.store.max = 0
								s.store.mu.Unlock()
							}
							s.write(p, term, true)
						})
					}
				}), 3)
				require.ErrorIs(t, err, c.err)
				require.Equal(t, "a", s.stopped)
				require.GreaterOrEqual(t, s.paused, c.paused)
				require.Less(t, s.paused, c.paused+100*time.Millisecond)
				if c.err == nil || c.judged != nil {
					err = judgeStale(s.store.operations(), s.halted)
					require.ErrorIs(t, err, c.judged)
					require.Equal(t, c.judged == nil, err == nil, "%v", err)
				}
			})
		})
	}
}

// TestVain: if a member had lost its lease when it was stopped, the leader is stopped after it.
func TestVain(t *testing.T) {
	for name, lose := range map[string]func(s *stage, p *process){
		"its work has returned": func(s *stage, p *process) { s.write(p, 1, true) },
		"its lease has ended": func(s *stage, p *process) {
			now := suspend.Now()
			s.hear(p, &report{Kind: kindLease, Term: 1, From: now - 2*time.Second, Until: now - time.Second})
		},
		"its work has not begun":          func(s *stage, _ *process) { s.leases = nil },
		"its lease is of another Term":    func(s *stage, _ *process) { s.leases[0].Term = 9 },
		"the lease is of another process": func(s *stage, _ *process) { s.leases[0].process = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				lose(s, s.leader.process)
				by := s.pauser(time.Second, func(p *process, term uint64) {
					if p.number == 2 {
						s.write(p, term, true)
					}
				})
				require.NoError(t, s.pauseLeader(by, 3))
				require.Equal(t, "ab", s.stopped)
				require.Equal(t, []*seat{s.seats[0], s.seats[2]}, s.others)
				require.Equal(t, &halt{2, 2, s.down[1].from, 1}, s.halted)
				require.NoError(t, judgeStale(s.store.operations(), s.halted))
			})
		})
	}
}

// TestVainAlways: a trial in which no leader is stopped is an error.
func TestVainAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		by := s.pauser(time.Second, func(*process, uint64) {})
		stop := by.stop
		by.stop = func(p *process) error {
			s.write(p, s.term, true)
			return stop(p)
		}
		err := s.pauseLeader(by, 3)
		require.ErrorIs(t, err, errNoStale)
		require.ErrorContains(t, err, "had lost its lease")
		require.Equal(t, "abcabcabca", s.stopped)
	})
}

// TestCalm: a group is not calm while its leader, elected again, has noted no lease of that Term: it has no
// work yet, which could write late.
func TestCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		for _, member := range s.seats {
			s.hear(member.process, &report{Kind: kindView, Leader: "a", Term: 2})
		}
		began := time.Now()
		time.AfterFunc(3*time.Second, func() { s.lead(s.seats[0], 2) })
		require.NoError(t, s.choose())
		require.Equal(t, uint64(2), s.term)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}
