package electiontest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestUnexpected: a scenario that expects nothing must elect a leader, if its algorithm elects any.
func TestUnexpected(t *testing.T) {
	silent := func(leaderless bool) *election.Algorithm {
		return spoil(lcr.Participant(), spoiling{
			step: func(*spoilt, *election.Env, *election.Event) {},
			adjust: func(a *election.Algorithm) {
				if leaderless {
					a.Elects, a.Winner = election.NoLeader, nil
				}
			}})
	}
	file := filepath.Join(t.TempDir(), "plain.json")
	require.NoError(t, os.WriteFile(file, []byte(`[{"name": "one", "algorithm": "spoilt", "ids": [1]},
		{"name": "two", "algorithm": "spoilt", "ids": [1, 2]}]`), 0o644))
	o := Options{Scenarios: []string{file}}
	require.Contains(t, says(t, "Scenarios", silent(false), o), "plain.json: scenario 0, one: ")
	for _, a := range []*election.Algorithm{silent(true), spoil(lcr.Participant(), spoiling{})} {
		tr := &trial{Options: o, Algorithm: a, ctx: t.Context(), t: t}
		tr.Find = func(string, string) (*election.Algorithm, error) { return a, nil }
		require.NoError(t, scenarios(tr))
	}
	require.NoError(t, os.WriteFile(file, []byte(`{`), 0o644))
	require.Contains(t, says(t, "Scenarios", silent(false), o), "plain.json: ")
}

// TestRunTwice: a run that differs when it is repeated is detected, even if nothing else is wrong.
func TestRunTwice(t *testing.T) {
	var steps uint64
	a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		if steps++; steps%7 == 0 && ev.Op == election.Recv {
			e.SetTimer(9, 1, 1)
		}
		if ev.Op != election.Timeout {
			n.Node.Step(e, ev)
		}
	})
	require.Regexp(t,
		`^seed \d+: the same run is another when it is made again: trace hash [0-9a-f]{16}, then [0-9a-f]{16}$`,
		says(t, "Simulation", a, Options{Seeds: 50}))
}

// TestRepeatedTold: what is said of an election that is not the first.
func TestRepeatedTold(t *testing.T) {
	for _, c := range []struct {
		name, want string
		step       func(n *spoilt, e *election.Env, ev *election.Event)
	}{
		{"stops in the third election",
			`^among \[1\], seed 0: in election 3 no process knows of the end, and nothing is left to happen$`,
			func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op != election.Recv || ev.Msg.Term < 3 {
					n.Node.Step(e, ev)
				}
			}},
		{"panics in the second election",
			`^among \[1\], seed 0: in election 2 no process knows of the end, and .*: not again`,
			func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op == election.Recv && ev.Msg.Term == 2 {
					panic("not again")
				}
				n.Node.Step(e, ev)
			}},
		{"stops in the last election",
			`^among \[1\], seed 0: after 4 elections, each begun before the last was over everywhere: `,
			func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op != election.Recv || ev.Msg.Term < 4 {
					n.Node.Step(e, ev)
				}
			}},
		{"changes its mind in the second election",
			`^among \[.*\], seed \d+: in Term 2 process \d+ was follower of .*, and now is `,
			func(n *spoilt, e *election.Env, ev *election.Event) {
				n.Node.Step(e, ev)
				if m := &ev.Msg; ev.Op == election.Recv && m.Kind == 1 && m.Term == 2 && m.Rank != e.Self() {
					e.Decide(m.Rank)
				}
			}},
	} {
		a := stepping(c.step)
		a.Faults = election.Faults{}
		t.Run(c.name, func(t *testing.T) {
			require.Regexp(t, c.want, says(t, "Repeated", a, Options{Seeds: 12, Processes: 4}))
		})
	}
	smallest := spoil(lcr.Participant(), spoiling{adjust: wins("smallest",
		func(a, b election.Rank) bool { return b.Less(a) })})
	require.Regexp(t, `^among \[2 1\], seed 1: in election 4 process 2 leads, not 1`,
		says(t, "Repeated", smallest, Options{Seeds: 12, Processes: 4}))
}

// TestWatch: a decision stands until the next one, whatever a process does between; the first mistake is
// kept.
func TestWatch(t *testing.T) {
	in, err := (&trial{Algorithm: lcr.Participant()}).input(upTo(3))
	require.NoError(t, err)
	r := &series{decisions: verdict.Decisions{Algorithm: in.Algorithm}}
	step := func(p int, f func(e *election.Env)) {
		e := election.NewEnv(&in, nil)
		fx := e.Begin(p)
		f(e)
		r.watch(&observe.Occurrence{What: observe.Step, Process: in.IDs[p], Effects: fx})
	}
	follows := func(id election.ID) func(e *election.Env) {
		return func(e *election.Env) { e.Decide(election.Rank{ID: id}) }
	}
	step(0, follows(3))
	step(0, func(e *election.Env) { e.Save() })
	r.watch(&observe.Occurrence{What: observe.Crash, Process: 1})
	step(1, follows(3))
	step(2, follows(3))
	require.NoError(t, r.wrong)
	step(0, follows(2))
	require.ErrorContains(t, r.wrong, "process 1 was ")
	step(1, follows(2))
	require.ErrorContains(t, r.wrong, "process 1 was ")
}

// TestSlowSeries: the last of several elections has 20,000 units of time.
func TestSlowSeries(t *testing.T) {
	ends := func(after time.Duration) error {
		var began time.Duration // the last election
		a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				began = ev.At
				n.Node.Step(e, ev)
			case elected(ev) && ev.Msg.Term == 4:
				last := *ev
				n.ev = &last
				left := after - (ev.At - began)
				e.SetTimer(9, left, left)
			case ev.Op == election.Timeout:
				n.Node.Step(e, n.ev)
			default:
				n.Node.Step(e, ev)
			}
		})
		return repeated(&trial{Options: Options{Seeds: 1, Processes: 1}, Algorithm: a, ctx: t.Context(),
			t: t})
	}
	require.NoError(t, ends(20_000*scenario.Unit))
	require.ErrorContains(t, ends(20_000*scenario.Unit+1), "seed 0: after 4 elections, each begun ")
}

// TestRequests: each round of requests is granted; if a token may be used up, only the first round is.
func TestRequests(t *testing.T) {
	asks := func(name string, until uint64) (*election.Algorithm, error) {
		a, err := catalog.Find("mutex", name)
		require.NoError(t, err)
		deaf := throughout(a, func(a *election.Algorithm) *election.Algorithm {
			return spoil(a, spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
				if ev.Op == election.Start {
					if n.extra++; n.extra > until {
						return
					}
				}
				n.Node.Step(e, ev)
			}})
		})
		tr := &trial{Options: Options{Seeds: 3, Processes: 3}, Algorithm: deaf, ctx: t.Context(), t: t}
		return deaf, repeated(tr)
	}
	_, err := asks("ricartagrawala", 0)
	require.EqualError(t, err, "among [1], seed 0: after 1 rounds of requests there were 0 entries, not 1")
	_, err = asks("ricartagrawala", 1)
	require.EqualError(t, err, "among [1], seed 0: after 2 rounds of requests there were 1 entries, not 2")
	_, err = asks("ricartagrawala", 2)
	require.EqualError(t, err, "among [1], seed 0: after 3 rounds of requests there were 2 entries, not 3")
	_, err = asks("ricartagrawala", 3)
	require.NoError(t, err)
	_, err = asks("tokenring", 0)
	require.ErrorContains(t, err, "after 1 rounds of requests there were 0 entries, not ")
	_, err = asks("tokenring", 1)
	require.NoError(t, err)
}

// TestWhyNot: the error explains why a run does not continue.
func TestWhyNot(t *testing.T) {
	require.Equal(t, "nothing is left to happen", whyNot(nil))
	require.Equal(t, "it is wrong", whyNot(errors.New("it is wrong")))
}

// TestDetectedSuccession: if each process has a detector of its own, a run does not show which processes have
// started the last election.
func TestDetectedSuccession(t *testing.T) {
	ring, err := dkr.Algorithm().OverComplete()
	require.NoError(t, err)
	a, err := detect.Under(ring, detect.Deadline{})
	require.NoError(t, err)
	require.True(t, a.Winner.ByStart)
	tr := &trial{Options: Options{Seeds: 12, Processes: 5}, Algorithm: a, ctx: t.Context(), t: t}
	require.NoError(t, repeated(tr))
}
