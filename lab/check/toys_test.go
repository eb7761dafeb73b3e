package check_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

const second = time.Second

// toy is a Node that is made up to have one trait. It keeps one number.
type toy struct {
	n    uint64
	self election.Rank
	do   toyStep
}

// toyStep is what a toy does in a step.
type toyStep func(t *toy, e *election.Env, ev *election.Event)

func (t *toy) State(s *election.State)                  { s.Uint64(&t.n) }
func (t *toy) Step(e *election.Env, ev *election.Event) { t.do(t, e, ev) }

// believe makes the process believe in a number, for properties to see.
func (t *toy) believe(e *election.Env, number uint64) {
	e.Decide(election.Rank{ID: election.ID(number)})
}

// toys returns an election of n toys that elects no leader.
func toys(shape election.Shape, n int, do toyStep) check.Config {
	return check.Config{Input: input(&election.Algorithm{
		Name: "toy", Topology: shape, Elects: election.NoLeader,
		Kinds: []election.Kind{{Name: "ball"}, {Name: "stop"}},
		New:   func(s election.Setup) election.Node { return &toy{self: s.Self, do: do} },
	}, rising(n))}
}

func ball(value uint64) election.Message { return election.Message{Kind: 1, Value: value} }

// believes is a property: of what a process believes.
func believes(kind verdict.Kind, name string, holds func(number election.ID) bool) check.Property {
	return check.Property{Name: name, Kind: kind,
		Holds: func(s *check.State) bool { return holds(s.Outcome(0).Leader.ID) }}
}

// numbers returns what process 0 believes in states, and in those in which nothing is left to happen.
func numbers(t *testing.T, c check.Config) (all, last map[election.ID]bool) {
	t.Helper()
	all, last = make(map[election.ID]bool), make(map[election.ID]bool)
	note := func(of map[election.ID]bool) func(*check.State) bool {
		return func(s *check.State) bool {
			of[s.Outcome(0).Leader.ID] = true
			return true
		}
	}
	c.Workers = 1
	c.Properties = []check.Property{{Name: "all", Kind: verdict.Always, Holds: note(all)},
		{Name: "last", Kind: verdict.Finally, Holds: note(last)}}
	holds(t, c)
	return all, last
}

func set(ids ...election.ID) map[election.ID]bool {
	of := make(map[election.ID]bool)
	for _, id := range ids {
		of[id] = true
	}
	return of
}

func dos(steps []scenario.Step) (list []observe.What) {
	for _, s := range steps {
		list = append(list, s.Do)
	}
	return list
}

// TestChance: all that chance may bring is tried, and the counterexample says what it brought.
func TestChance(t *testing.T) {
	c := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.believe(e, uint64(1+10*e.Choose(2)+e.Choose(3)+e.Choose(1)))
		}
	})
	all, last := numbers(t, c)
	require.Equal(t, set(0, 1, 2, 3, 11, 12, 13), all)
	require.Equal(t, set(1, 2, 3, 11, 12, 13), last)
	require.Equal(t, counts{7, 6, 1}, of(holds(t, c)))

	c.Properties = []check.Property{believes(verdict.Always, "never 12",
		func(n election.ID) bool { return n != 12 })}
	require.Equal(t, []int{1, 1}, fails(t, c, "never 12").Steps[0].Choices)

	many := 256
	wide := toys(election.Complete, 1, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.n = uint64(e.Choose(many))
		}
	})
	require.Equal(t, uint64(1+256), holds(t, wide).States)
	many = 257
	r := run(t, wide)
	require.ErrorIs(t, r.Err(), check.ErrTooLarge)
	require.ErrorContains(t, r.Err(), "more than 256 random outcomes")
	require.Nil(t, r.Counterexample)

	early := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Init {
			e.Choose(2)
		}
	})
	_, err := check.Run(t.Context(), early)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "random choice")
}

// TestUnsound: what no Node may do is found, and the trace ends with it.
func TestUnsound(t *testing.T) {
	for name, c := range map[string]struct {
		do   toyStep
		want error
	}{
		"panic": {func(_ *toy, _ *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				panic("ball")
			}
		}, observe.ErrPanic},
		"port": {func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				e.Send(7, ball(1))
			}
		}, observe.ErrPort},
		"one port too many": {func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				e.Send(2, ball(1))
			}
		}, observe.ErrPort},
		"one way": {func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv {
				e.Send(election.Counterclockwise, ball(1))
			}
		}, observe.ErrPort},
	} {
		in := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Send(election.Clockwise, ball(0))
			}
			c.do(n, e, ev)
		})
		trail := fails(t, in, verdict.Sound)
		require.ErrorIs(t, trail.Reason, c.want, name)
		require.Equal(t, []observe.What{observe.Start, observe.Deliver}, dos(trail.Steps), name)
	}
}

// TestRefusal: a start that is refused is none.
func TestRefusal(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && n.self.ID == 1 {
			e.Refuse(election.ErrLateStart)
		}
	})
	c.Properties = []check.Property{
		{Name: "1 never starts", Kind: verdict.Always,
			Holds: func(s *check.State) bool { return !s.Started(0) }},
		{Name: "2 starts", Kind: verdict.Finally, Holds: func(s *check.State) bool {
			return s.Started(1) && s.Up(1) && s.Len() == 2
		}},
	}
	require.Equal(t, uint64(4), holds(t, c).States)
}

// TestDuplicates: a Node that counts what it hears is found out by a copy, and only by that.
func TestDuplicates(t *testing.T) {
	c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.Send(election.Clockwise, ball(0))
		case election.Recv:
			n.n++
			n.believe(e, n.n)
		}
	})
	c.Initiators = rising(2)[1:]
	c.Properties = []check.Property{believes(verdict.Always, "heard once",
		func(n election.ID) bool { return n < 2 })}
	holds(t, c)
	c.Duplicates = 1
	trail := fails(t, c, "heard once")
	require.Equal(t, []observe.What{observe.Start, observe.Duplicate, observe.Deliver, observe.Deliver},
		dos(trail.Steps))
	c.Properties = []check.Property{believes(verdict.Always, "heard twice",
		func(n election.ID) bool { return n < 3 })}
	holds(t, c)
	c.Duplicates = 2
	fails(t, c, "heard twice")
}

// TestProperties are the three kinds of properties of one's own.
func TestProperties(t *testing.T) {
	c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.Send(election.Clockwise, ball(0))
		case election.Recv:
			n.n += uint64(ev.Port) // over the counterclockwise one
			n.believe(e, n.n)
		}
	})
	is := func(want election.ID) func(election.ID) bool {
		return func(n election.ID) bool { return n == want }
	}
	c.Properties = []check.Property{
		believes(verdict.Sometimes, "nothing", is(0)), believes(verdict.Sometimes, "one", is(1)),
		believes(verdict.Finally, "at last", is(1)),
		believes(verdict.Always, "small", func(n election.ID) bool { return n < 2 }),
	}
	holds(t, c)
	c.Properties = []check.Property{believes(verdict.Sometimes, "two", is(2)),
		believes(verdict.Sometimes, "one", is(1))}
	r := run(t, c)
	require.True(t, r.Exhausted)
	require.ErrorIs(t, r.Err(), check.ErrViolated)
	require.ErrorContains(t, r.Err(), "two")
	require.Nil(t, r.Counterexample) // there is no run that shows what never happens
	require.True(t, judged(t, r, "one").Holds)
	c.Properties = []check.Property{believes(verdict.Finally, "still nothing", is(0))}
	require.Len(t, fails(t, c, "still nothing").Steps, 4)
	c.Properties = []check.Property{believes(verdict.Always, "nothing ever", is(0))}
	require.Equal(t, []observe.What{observe.Start, observe.Deliver}, dos(fails(t, c, "nothing ever").Steps))
}

// live makes an algorithm one that elects the largest live process, whatever crashes.
func live(a *election.Algorithm) {
	a.Winner, a.Elects = election.LargestOfLive, election.Successors
	a.Faults = election.Faults{Crash: election.MayRecover}
}
