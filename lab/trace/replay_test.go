package trace_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/local"
	"github.com/go-election/election/observe"
)

// replays wants a trace to be read back and replayed without a difference.
func replays(t *testing.T, tr *trace.Trace) {
	t.Helper()
	back, err := trace.Read(bytes.NewReader(written(t, tr)))
	require.NoError(t, err)
	doesTheSame(t, back)
}

// doesTheSame wants the Nodes to do in a replay what the trace says.
func doesTheSame(t *testing.T, tr *trace.Trace) {
	t.Helper()
	d, err := trace.Replay(tr, catalog.Find)
	require.NoError(t, err)
	if d != nil {
		t.Fatal(d)
	}
}

// TestReplay: every algorithm does as goroutines the same again. TestEveryAlgorithm replays simulations.
func TestReplay(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		t.Run(a.Title(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				replays(t, goroutines(t, local.Config{Input: inputOf(t, a), Unit: scenario.Unit / 100}))
			})
		})
	}
}

// goroutines records a run of goroutines.
func goroutines(t *testing.T, c local.Config) *trace.Trace {
	t.Helper()
	r, err := trace.NewRecorder(&c.Input, trace.About{Driver: "local"})
	require.NoError(t, err)
	c.Observe = r.Observe
	res, err := local.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	received := 0
	for i := range r.Trace().Events {
		if e := &r.Trace().Events[i]; e.Do == observe.Deliver {
			received++
			require.NotZero(t, e.From)
		}
	}
	require.EqualValues(t, res.Steps, received)
	return r.Trace()
}

// faulty is an election in which much goes wrong.
func faulty(t *testing.T, a *election.Algorithm) sim.Config {
	t.Helper()
	in := inputOf(t, a)
	at := func(id election.ID, units time.Duration) scenario.At {
		return scenario.At{ID: id, Time: units*scenario.Unit + scenario.Unit/2}
	}
	in.Crashed = []election.ID{1}
	in.CrashAt = []scenario.At{at(6, 1), at(4, 3)}
	in.RecoverAt = []scenario.At{at(6, 8), at(1, 4)}
	in.RestartAt = []scenario.At{at(4, 9)}
	in.PauseAt = []scenario.Pause{{ID: 3, From: scenario.Unit, Until: 5 * scenario.Unit},
		{ID: 4, From: 2 * scenario.Unit, Until: 7 * scenario.Unit}}
	in.Faults = fault.Plan{Loss: 0.1, Duplicate: 0.1}
	return sim.Config{Input: in, Seed: 3, Until: 60 * scenario.Unit}
}

// TestFaultsReplay: crashes, returns, pauses and links that fail are recorded, and replayed.
func TestFaultsReplay(t *testing.T) {
	seen := map[observe.What]int{}
	for _, a := range catalog.All() {
		for _, schedule := range []sim.Schedule{sim.UnitDelay, sim.RandomDelay} {
			c := faulty(t, a)
			c.Schedule, c.Force = schedule, true
			r, err := trace.NewRecorder(&c.Input, trace.About{Schedule: schedule, Seed: c.Seed})
			require.NoError(t, err)
			c.Observe = r.Observe
			res, err := sim.Run(t.Context(), c)
			if err != nil {
				require.NotErrorIs(t, err, election.ErrInput)
			}
			replays(t, r.Trace())
			copies, lost := 0, 0
			for _, e := range r.Trace().Events {
				seen[e.Do]++
				switch e.Do {
				case observe.Duplicate:
					copies++
				case observe.Lose:
					lost++
				}
			}
			require.EqualValues(t, res.Duplicated, copies)
			require.GreaterOrEqual(t, lost, int(res.Lost))
		}
	}
	for _, do := range []observe.What{observe.Crash, observe.Pause, observe.Resume, observe.Recover,
		observe.Restart, observe.Lose, observe.Duplicate,
		observe.Rejoin, observe.Timeout, observe.Set, observe.Stop, observe.Save, observe.Decide,
		observe.Done} {
		require.NotZero(t, seen[do], do)
	}
}

// TestMutations: whatever is changed in a trace is found on its line.
func TestMutations(t *testing.T) {
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	tr := simulated(t, sim.Config{Input: scenario.Input{
		Algorithm: a, IDs: numbered(3), Crashed: []election.ID{3}, Initiators: []election.ID{1},
	}})
	found := map[observe.What]bool{}
	for i := range tr.Events {
		for _, mutate := range []func(e *trace.Event){
			func(e *trace.Event) { e.Message.Rank.ID += 9 },
			func(e *trace.Event) { e.Outcome.Leader.ID += 9 },
			func(e *trace.Event) { e.Max++ },
			func(e *trace.Event) { e.Timer += 7 },
		} {
			before := tr.Events[i]
			mutate(&tr.Events[i])
			back, err := trace.Read(bytes.NewReader(written(t, tr)))
			require.NoError(t, err)
			if back.Events[i] != before { // the field has a meaning here
				d, err := trace.Replay(back, catalog.Find)
				require.NoError(t, err)
				require.NotNil(t, d, before)
				require.Equal(t, trace.Line(i), d.Line, d)
				require.Equal(t, before.Ref(), d.Ref)
				require.NotContains(t, d.String(), "\n")
				found[before.Do] = true
			}
			tr.Events[i] = before
		}
	}
	for _, do := range []observe.What{observe.Send, observe.Deliver, observe.Decide, observe.Set,
		observe.Timeout} {
		require.True(t, found[do], do)
	}
	replays(t, tr)
}

// TestCutOff: a trace that lacks an effect differs there, also at the end.
func TestCutOff(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	tr := simulated(t, sim.Config{Input: inputOf(t, a)})
	require.Equal(t, observe.Done, tr.Events[len(tr.Events)-1].Do)
	tr.Events = tr.Events[:len(tr.Events)-1]
	d, err := trace.Replay(tr, catalog.Find)
	require.NoError(t, err)
	require.Equal(t, trace.Line(len(tr.Events)), d.Line)
	require.Empty(t, d.Have)
	require.Contains(t, d.Want, `"done"`)
}

// TestDiff: two schedules of one election differ, but not in the order of what has nothing to do
// with each other.
func TestDiff(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	c := sim.Config{Input: inputOf(t, a)}
	one, two := simulated(t, c), goroutines(t, local.Config{Input: c.Input})
	require.Empty(t, trace.Diff(one, one))
	for _, d := range trace.Diff(one, two) { // a process may have received before it started
		require.NotEqual(t, 1, d.Line)
	}
	swapped := &trace.Trace{Header: one.Header, Events: append([]trace.Event(nil), one.Events...)}
	for i := 1; i < len(swapped.Events); i++ {
		a, b := &swapped.Events[i-1], &swapped.Events[i]
		if a.Process != b.Process && b.From != a.Ref() {
			*a, *b = *b, *a
		}
	}
	require.NotEqual(t, one.Events, swapped.Events)
	require.Empty(t, trace.Diff(one, swapped))

	swapped.Events[len(swapped.Events)/2].Message.Term++
	swapped.Events[len(swapped.Events)/2].Outcome.Term++
	swapped.Events[len(swapped.Events)/2].Do = observe.Send
	all := trace.Diff(one, swapped)
	require.Len(t, all, 1)
	require.Equal(t, trace.Line(len(swapped.Events)/2), all[0].Line)

	other := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(7)}})
	all = trace.Diff(one, other)
	require.Len(t, all, 1)
	require.Equal(t, 1, all[0].Line)
	require.Equal(t, "ids [1 2 3 4 5 6 7]", all[0].Have)
}

// TestReplayWith: a caller sees each process behind each step that it takes, in the state that the run left.
func TestReplayWith(t *testing.T) {
	in := inputOf(t, catalogtest.Resting()[0])
	tr := simulated(t, sim.Config{Input: in})
	f, err := trace.NewFilm(tr)
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: in})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	last, seen := make(map[int][]byte), 0
	d, err := trace.ReplayWith(tr, catalog.Find, func(step, p int, host *election.TermKeeper) {
		seen++
		require.Equal(t, seen, step)
		require.EqualValues(t, f.Steps.Process[step-1], p)
		last[p] = new(election.State).Append(nil, host.Node())
	})
	require.NoError(t, err)
	require.Nil(t, d)
	require.Len(t, f.Steps.Do, seen)
	for p := range in.IDs {
		require.Equal(t, new(election.State).Append(nil, s.Node(p)), last[p])
	}
}
