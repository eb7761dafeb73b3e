package trace_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// filmed runs an election and returns its trace, and the film that was taken down at once. Decoded bytes of
// the film of the trace are the same.
func filmed(t *testing.T, c sim.Config) (*sim.Sim, *trace.Trace, *trace.Film) {
	t.Helper()
	kept, err := trace.NewRecorder(&c.Input, trace.About{})
	require.NoError(t, err)
	direct, err := trace.NewFilming(&c.Input, trace.About{})
	require.NoError(t, err)
	c.Observe = func(o *observe.Occurrence) {
		kept.Observe(o)
		direct.Observe(o)
	}
	s, err := sim.New(c)
	require.NoError(t, err)
	if err := s.Run(t.Context()); err != nil {
		require.ErrorIs(t, err, election.ErrLateStart)
	}
	require.NoError(t, kept.Close())
	require.NoError(t, direct.Close())
	f := direct.Film()
	again, err := trace.NewFilm(kept.Trace())
	require.NoError(t, err)
	bytes, err := f.Encode()
	require.NoError(t, err)
	want, err := again.Encode()
	require.NoError(t, err)
	require.Equal(t, want, bytes, "a film is the same, taken down at once or of the trace")
	read, err := trace.ReadFilm(bytes)
	require.NoError(t, err)
	require.Equal(t, f.Events, read.Events)
	require.Equal(t, f.Steps, read.Steps)
	require.Equal(t, f.Changes, read.Changes)
	return s, kept.Trace(), read
}

// settings of an election that a film is taken of.
func settings(t *testing.T, a *election.Algorithm) map[string]sim.Config {
	t.Helper()
	n := catalogtest.Fits(a, 6)
	c := sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(n)}, Until: 12 * sim.Unit}
	random := c
	random.Schedule, random.Seed = sim.RandomDelay, 7
	broken := c
	broken.CrashAt = []scenario.At{{ID: 2, Time: sim.Unit}, {ID: 3, Time: 2 * sim.Unit}}
	broken.RecoverAt = []scenario.At{{ID: 2, Time: 3 * sim.Unit}}
	broken.RestartAt = []scenario.At{{ID: 3, Time: 4 * sim.Unit}}
	broken.PauseAt = []scenario.Pause{{ID: 4, From: sim.Unit / 2, Until: 5 * sim.Unit / 2}}
	broken.Faults = fault.Plan{Loss: 0.1, Duplicate: 0.2}
	broken.Force, broken.Seed = true, 3
	return map[string]sim.Config{"unit": c, "random": random, "faults": broken}
}

// TestFilm: the film of every algorithm says what the trace says, event by event, and what processes are
// after the last step is what the simulator has.
func TestFilm(t *testing.T) {
	for _, a := range catalog.All() {
		for name, c := range settings(t, a) {
			t.Run(a.Title()+" "+name, func(t *testing.T) {
				s, tr, f := filmed(t, c)
				require.Len(t, f.Events.Do, len(tr.Events))
				seqs := make(map[trace.Ref]int)
				for i := range tr.Events {
					seqs[tr.Events[i].Ref()] = i
				}
				for i := range tr.Events {
					sameEvent(t, tr, f, seqs, i)
				}
				sameSteps(t, tr, f)
				sameEnd(t, s, f)
			})
		}
	}
}

// sameEvent wants the columns of an event to hold what the trace has.
func sameEvent(t *testing.T, tr *trace.Trace, f *trace.Film, seqs map[trace.Ref]int, i int) {
	t.Helper()
	e, c, ids := &tr.Events[i], &f.Events, tr.Header.Scenario.IDs
	m, layer, least, most := e.Message, e.Layer, e.Min, e.Max
	switch e.Do {
	case observe.Send, observe.Deliver:
		layer = m.Layer
	case observe.Decide:
		m.Term, m.Rank, m.Flags = e.Outcome.Term, e.Outcome.Leader, uint8(e.Outcome.Role)
	case observe.Choose:
		m.Value, m.Round = uint64(e.Chosen), uint32(e.Of)
	}
	peer := election.ID(0)
	if q := c.Peer[i]; q >= 0 {
		peer = ids[q]
	}
	m.Layer = layer
	require.Equal(t, []any{e.Do, e.Process, e.At, e.Port, peer, m, e.Timer, least, most},
		[]any{observe.What(c.Do[i]), ids[c.Process[i]], duration(c.At[i]), election.Port(c.Port[i]), peer,
			election.Message{Term: c.Term[i], Rank: election.Rank{ID: election.ID(c.Rank[i]),
				Priority: c.Priority[i]}, Value: c.Value[i], Round: c.Round[i], Kind: c.Kind[i],
				Flags: c.Flags[i], Layer: c.Layer[i]}, c.Timer[i], duration(c.Min[i]), duration(c.Max[i])})
	require.Equal(t, e.Do.String(), f.Head.Does[c.Do[i]])
	switch e.Do {
	case observe.Deliver, observe.Lose, observe.Duplicate:
		require.EqualValues(t, seqs[e.From], c.Link[i])
		if c.Copy[i] < 0 && e.Do != observe.Duplicate {
			require.EqualValues(t, i, c.Link[c.Link[i]], "the sending knows the end")
		}
		if c.Copy[i] >= 0 {
			require.EqualValues(t, i, c.Copy[c.Copy[i]], "a copy and its end know each other")
		}
	case observe.Send:
		if end := c.Link[i]; end >= 0 {
			require.Equal(t, e.Ref(), tr.Events[end].From)
		}
	default:
		require.EqualValues(t, -1, c.Link[i])
	}
}

func duration(units float64) time.Duration {
	return time.Duration(math.Round(units * float64(sim.Unit)))
}

// sameSteps wants a step for each thing that happens, and its effects in it.
func sameSteps(t *testing.T, tr *trace.Trace, f *trace.Film) {
	t.Helper()
	steps := 0
	for i := range tr.Events {
		e := &tr.Events[i]
		if !e.Do.Effect() {
			require.EqualValues(t, i, f.Steps.First[steps])
			require.Equal(t, e.Process, tr.Header.Scenario.IDs[f.Steps.Process[steps]])
			require.Equal(t, e.Do, observe.What(f.Steps.Do[steps]))
			require.Equal(t, e.At, duration(f.Steps.At[steps]))
			steps++
		}
		require.EqualValues(t, steps, f.Events.Step[i])
		first := f.Steps.First[steps-1]
		require.Less(t, uint32(i), first+f.Steps.Count[steps-1])
	}
	require.Len(t, f.Steps.First, steps)
}

// sameEnd wants the last change of each process to be what the simulator has, and none to say the same twice.
func sameEnd(t *testing.T, s *sim.Sim, f *trace.Film) {
	t.Helper()
	type state struct {
		role, status uint8
		term, leader uint64
	}
	states, done := make([]state, len(f.Head.IDs)), make([]bool, len(f.Head.IDs))
	for i, p := range f.Changes.Process {
		now := state{f.Changes.Role[i], f.Changes.Status[i], f.Changes.Term[i], f.Changes.Leader[i]}
		ended := f.Changes.Done[i] == 1
		require.False(t, states[p] == now && done[p] == ended, "step %d changes nothing", f.Changes.Step[i])
		states[p], done[p] = now, ended
	}
	for p := range states {
		if s.Status(p) == sim.Down {
			require.Equal(t, state{status: 1}, states[p],
				"of what a process that is down believes nothing is left")
			continue
		}
		o := s.Outcome(p)
		require.Equal(t, state{uint8(o.Role), uint8(s.Status(p)), o.Term, uint64(o.Leader.ID)}, states[p])
	}
}

// TestFilmOfCopies: a copy of a message ends where it arrives, and the message where that does.
func TestFilmOfCopies(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: numbered(3), Faults: fault.Plan{Duplicate: 1}}
	_, _, f := filmed(t, sim.Config{Input: in, Force: true})
	copies, ends := 0, make(map[int32]bool)
	for i, do := range f.Events.Do {
		switch observe.What(do) {
		case observe.Duplicate:
			copies++
			require.Positive(t, f.Events.Copy[i])
			ends[f.Events.Copy[i]] = true
		case observe.Send:
			ends[f.Events.Link[i]] = true
		}
	}
	require.Positive(t, copies)
	require.Len(t, ends, 2*copies, "each message has two ends")
}

// TestFilmApart: effects that stand behind lines of other processes belong to their step.
func TestFilmApart(t *testing.T) {
	tr := simulated(t, sim.Config{Input: inputOf(t, lcr.Participant())})
	want, err := trace.NewFilm(tr)
	require.NoError(t, err)
	apart := &trace.Trace{Header: tr.Header}
	var late []trace.Event // the last effects of the first steps, behind all other Inits and Starts
	for _, e := range tr.Events {
		if e.At == 0 && e.Do.Effect() {
			late = append(late, e)
			continue
		}
		if e.At > 0 {
			apart.Events, late = append(apart.Events, late...), nil
		}
		apart.Events = append(apart.Events, e)
	}
	require.NotEqual(t, tr.Events, apart.Events)
	got, err := trace.NewFilm(apart)
	require.NoError(t, err)
	require.Equal(t, want.Steps, got.Steps)
	require.Equal(t, want.Events, got.Events)
}

// TestFilmShapes: the form of a network is that of its links, whatever its algorithm is for.
func TestFilmShapes(t *testing.T) {
	all := networks(t)
	all["pair of all"] = network(t, "bully", 2, nil)
	for name, shape := range map[string]string{"grid": "grid", "torus": "torus", "pair of all": "complete"} {
		in := all[name].Input
		f, err := trace.NewFilming(&in, trace.About{})
		require.NoError(t, err)
		require.Equal(t, shape, f.Film().Head.Shape)
	}
}

// TestFilmHead: the head says how the processes are joined, and gives each a place in a square.
func TestFilmHead(t *testing.T) {
	for _, a := range catalog.All() {
		in := inputOf(t, a)
		f, err := trace.NewFilming(&in, trace.About{})
		require.NoError(t, err)
		h := f.Film().Head
		require.Equal(t, a.Title(), h.Algorithm)
		shape := map[election.Shape]string{election.Mesh: "grid", election.Hypercube: "cube"}[a.Topology]
		if shape == "" {
			shape = string(a.Topology)
		}
		require.Equal(t, shape, h.Shape, a.Title())
		require.Len(t, h.Positions, len(in.IDs))
		for p, at := range h.Positions {
			require.True(t, 0 <= at[0] && at[0] <= 1 && 0 <= at[1] && at[1] <= 1, "%s: %v", a.Title(), at)
			require.Equal(t, strconv.Itoa(int(in.IDs[p])), h.IDs[p])
		}
		for _, l := range h.Links {
			q, back, ok := in.Topology.Link(l[0], election.Port(l[1]))
			require.True(t, ok)
			require.Equal(t, l[2], q)
			if l[3] >= 0 {
				require.EqualValues(t, back, l[3])
			} else {
				require.True(t, h.OneWay)
			}
		}
		links := 0
		for range topology.All(in.Topology) {
			links++
		}
		if !h.OneWay {
			links /= 2
		}
		require.Len(t, h.Links, links, a.Title())
	}
}

// TestFilmOfALargeGraph: a graph is laid out by its distances up to a size, and then on a circle, which
// is quick.
func TestFilmOfALargeGraph(t *testing.T) {
	echo, err := catalog.Find("echo", "")
	require.NoError(t, err)
	inside := func(n int) (count int) {
		in := scenario.Input{Algorithm: echo, IDs: numbered(n)}
		r, err := trace.NewFilming(&in, trace.About{})
		require.NoError(t, err)
		for _, at := range r.Film().Head.Positions {
			if math.Hypot(at[0]-0.5, at[1]-0.5) < 0.4 {
				count++
			}
		}
		return count
	}
	require.Positive(t, inside(40))
	require.Zero(t, inside(4096))
}

// TestReadFilmRefuses: what is no film gives one line.
func TestReadFilmRefuses(t *testing.T) {
	tr := simulated(t, sim.Config{Input: inputOf(t, lcr.Participant())})
	f, err := trace.NewFilm(tr)
	require.NoError(t, err)
	whole, err := f.Encode()
	require.NoError(t, err)
	require.Zero(t, len(whole)%8)
	for end := range whole {
		if _, err := trace.ReadFilm(whole[:end]); end < len(whole)-8 {
			require.ErrorIs(t, err, election.ErrInput, "%d bytes", end)
			require.NotContains(t, err.Error(), "\n")
		}
	}
	later := append([]byte{}, whole...)
	later[4] = 9
	_, err = trace.ReadFilm(later)
	require.EqualError(t, err, "election: bad input: film: version 9, and this program reads 1")
}

// TestFilmAllocates: taking a film down allocates for the columns as they grow, and for no event.
func TestFilmAllocates(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: numbered(64)}
	require.NoError(t, in.Check())
	require.True(t, sim.Arrange(&in, sim.WorstOrder, 0))
	run := func(observer observe.Observer) {
		s, err := sim.New(sim.Config{Input: in, Observe: observer})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
	}
	r, err := trace.NewFilming(&in, trace.About{})
	require.NoError(t, err)
	without := testing.AllocsPerRun(3, func() { run(func(*observe.Occurrence) {}) })
	with := testing.AllocsPerRun(3, func() { run(r.Observe) })
	require.Greater(t, len(r.Film().Events.Do), 4000)
	require.Less(t, with-without, 400.0)
}
