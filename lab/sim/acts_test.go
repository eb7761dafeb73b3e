package sim_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// actSettings are elections of an algorithm in which a hand interferes.
func actSettings(t *testing.T, a *election.Algorithm, seed uint64) map[string]sim.Config {
	c := sim.Config{Input: scenario.Input{Algorithm: a}, Until: 40 * sim.Unit, Seed: seed, KeepSaved: true}
	n := 5
	switch a.Topology {
	case election.Hypercube:
		n = 8
	case election.Mesh:
		n = 9
	}
	c.IDs = shuffled(n)
	var err error
	c.Algorithm, err = scenario.Configure(a, nil, c.IDs, sim.Unit) // as a file has it
	require.NoError(t, err)
	random, hand := c, c
	random.Schedule, random.Delay = sim.RandomDelay, sim.Delay{Min: sim.Unit / 8, Max: sim.Unit}
	random.Unordered = !a.NeedsFIFO
	hand.Schedule, hand.Until = sim.Hand, 0
	return map[string]sim.Config{"unit": c, "random": random, "hand": hand}
}

// recorded returns a run that is recorded as a trace.
func recorded(t *testing.T, c sim.Config) (*sim.Sim, func() string) {
	t.Helper()
	require.NoError(t, c.Check())
	r, err := trace.NewRecorder(&c.Input, trace.About{Driver: "sim", Schedule: c.Schedule, Seed: c.Seed})
	require.NoError(t, err)
	count := uint64(0)
	var s *sim.Sim
	c.Observe = func(o *observe.Occurrence) {
		count++
		r.Observe(o)
	}
	s, err = sim.New(c)
	require.NoError(t, err)
	return s, func() string {
		require.Equal(t, count, s.Occurred())
		require.NoError(t, r.Close())
		var b bytes.Buffer
		require.NoError(t, trace.Write(&b, r.Trace()))
		return b.String()
	}
}

// randomAct returns something that can be done now, drawn at random.
func randomAct(s *sim.Sim, c *sim.Config, rng *rand.Rand) scenario.Step {
	var pending []sim.Pending
	for one := range s.Pending() {
		if one.Refused == nil {
			pending = append(pending, one)
		}
	}
	if len(pending) > 0 && rng.IntN(3) > 0 {
		one := pending[rng.IntN(len(pending))]
		step := one.Step
		if step.Do == observe.Deliver {
			step.Do = []observe.What{observe.Deliver, observe.Lose, observe.Duplicate,
				observe.Delay}[rng.IntN(4)]
			if step.Do == observe.Delay && c.Schedule == sim.Hand {
				step.Do = observe.Duplicate
			}
		}
		if step.Do == observe.Delay {
			step.By = max(time.Duration(rng.IntN(7)-2)*sim.Unit/2+1, s.Now()-one.Due+1)
		}
		return step
	}
	p := rng.IntN(len(c.IDs))
	step := scenario.Step{Process: c.IDs[p]}
	switch s.Status(p) {
	case sim.Down:
		step.Do = []observe.What{observe.Recover, observe.Restart}[rng.IntN(2)]
		return step
	case sim.Paused:
		step.Do = []observe.What{observe.Resume, observe.Crash}[rng.IntN(2)]
		return step
	}
	switch rng.IntN(6) {
	case 0:
		return scenario.Step{Do: observe.Cut, Groups: [][]election.ID{{step.Process}},
			OneWay: rng.IntN(2) > 0}
	case 1:
		return scenario.Step{Do: observe.Heal}
	case 2:
		step.Do, step.Port = observe.Suspect, election.Port(rng.IntN(c.Topology.Ports(p)))
		if rng.IntN(2) > 0 {
			step.Do = observe.Trust
		}
	default:
		step.Do = []observe.What{observe.Crash, observe.Pause, observe.Start}[rng.IntN(3)]
	}
	return step
}

// interfered makes a run in which a hand does five things at random, and notes them. By hand, what must
// happen for that is done by acts too.
func interfered(t *testing.T, c *sim.Config, rng *rand.Rand) (s *sim.Sim, acts []scenario.Act, log string) {
	t.Helper()
	s, finish := recorded(t, *c)
	act := func(step scenario.Step) {
		after := s.Occurred()
		_, err := s.Do(step)
		require.NoError(t, err, "%s after %d: %+v", c.Schedule, after, step)
		acts = append(acts, scenario.Act{After: after, Step: step})
	}
	steps := func(k int) bool {
		for k > 0 {
			before := s.Occurred()
			more := s.Step()
			switch {
			case s.Occurred() > before:
			case c.Schedule == sim.Hand:
				all := slices.DeleteFunc(slices.Collect(s.Pending()),
					func(one sim.Pending) bool { return one.Refused != nil })
				if len(all) == 0 {
					return true
				}
				act(all[0].Step)
			case !more: // time may have passed, to the end of the run, which no act can wait for
				return false
			default:
				continue
			}
			k--
		}
		return true
	}
	for i := 0; i < 5 && steps(rng.IntN(12)); i++ {
		act(randomAct(s, c, rng))
	}
	_ = s.Run(t.Context()) // some starts are refused
	return s, acts, finish()
}

// TestActsAreDo: acts that were done by Do repeat the run, whether it is observed or not, and also after they
// were written to a file.
func TestActsAreDo(t *testing.T) {
	done := map[observe.What]int{}
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for _, a := range catalog.All() {
		for seed := range seeds {
			for name, c := range actSettings(t, a, seed) {
				require.NoError(t, c.Check())
				s, acts, log := interfered(t, &c, rand.New(rand.NewPCG(seed, 7)))
				want := s.Result()
				what := fmt.Sprintf("%s, %s, seed %d: %+v", a.Title(), name, seed, acts)
				c.Acts, c.KeepSaved = acts, false
				again, finish := recorded(t, c)
				require.Equal(t, fmt.Sprint(s.Err()), fmt.Sprint(again.Run(t.Context())), what)
				require.Equal(t, log, finish(), what)
				require.Equal(t, want, again.Result(), what)
				for i := range acts {
					done[acts[i].Do]++
				}

				file, err := c.Scenario()
				require.NoError(t, err)
				var b bytes.Buffer
				require.NoError(t, scenario.Write(&b, file))
				read, err := scenario.Read(&b)
				require.NoError(t, err)
				c, err = sim.FromScenario(read[0], catalog.Find)
				require.NoError(t, err, what)
				r, err := sim.Run(t.Context(), c)
				r.Wall = 0
				require.Equal(t, fmt.Sprint(s.Err()), fmt.Sprint(err), what)
				require.Equal(t, want, r, what)
			}
		}
	}
	for _, do := range []observe.What{observe.Start, observe.Deliver, observe.Timeout, observe.Suspect,
		observe.Trust, observe.Crash, observe.Pause, observe.Resume, observe.Recover, observe.Restart,
		observe.Lose, observe.Duplicate, observe.Delay, observe.Cut, observe.Heal} {
		require.Positive(t, done[do], do)
	}
}

// TestPendingCanBeDone: on a copy of the run, Do accepts every pending step except those with a reason in
// Refused.
func TestPendingCanBeDone(t *testing.T) {
	refused := 0
	for name, c := range pendingRuns(t) {
		s, err := sim.New(c)
		require.NoError(t, err)
		other, err := sim.New(c)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(5, 9))
		for i := 0; s.Step(); i++ {
			if rng.IntN(4) > 0 {
				continue
			}
			snap := s.Snapshot()
			for one := range s.Pending() {
				require.NoError(t, other.Restore(snap))
				outside, err := other.Do(one.Step)
				if one.Refused == nil {
					require.NoError(t, err, "%s: %+v", name, one)
					require.Equal(t, one.Outside, outside, "%s: %+v", name, one)
					continue
				}
				refused++
				// it waits; Do takes one on its way
				if !strings.Contains(one.Refused.Error(), "has come to") {
					require.EqualError(t, err, one.Refused.Error(), "%s: %+v", name, one)
				}
			}
		}
	}
	require.Positive(t, refused)
}

// TestHand: under the schedule hand nothing happens but acts, each a unit after the one before.
func TestHand(t *testing.T) {
	c := sim.Config{Input: ringOf(1, 3, 2), Schedule: sim.Hand}
	var seen []string
	c.Observe = func(o *observe.Occurrence) {
		what := o.What
		if what == observe.Step {
			what = observe.What(o.Event.Op)
		}
		seen = append(seen, fmt.Sprintf("%d %v at %s", o.Process, what, scenario.InUnits(o.At)))
	}
	s, err := sim.New(c)
	require.NoError(t, err)
	require.False(t, s.Step())
	require.EqualValues(t, 3, s.Occurred())
	starts := slices.Collect(s.Pending())
	require.Len(t, starts, 3, "the initiators wait for their acts")
	require.NoError(t, do(s, starts[1].Step))
	require.NoError(t, do(s, starts[0].Step))
	require.False(t, s.Step())
	left := slices.Collect(s.Pending())
	require.Len(t, left, 3)
	require.Equal(t, observe.Start, left[0].Do)
	require.EqualValues(t, 2, left[0].Process)
	require.NoError(t, do(s, scenario.Step{Do: observe.Deliver, Process: 3, Port: 1}))
	require.Equal(t, []string{"1 init at 0", "3 init at 0", "2 init at 0", "3 start at 1", "1 start at 2",
		"3 deliver at 3"}, seen)
	require.EqualError(t, do(s, scenario.Step{Do: observe.Delay, Process: 2, Port: 1, By: 1}),
		"election: bad input: delay: under the schedule hand a message arrives when an act delivers it")
	require.Equal(t, 3*sim.Unit, s.Now(), "what cannot be takes no time")
}

// TestWaitingByHand: what came for a process that paused follows its resume, unless an act comes before it.
func TestWaitingByHand(t *testing.T) {
	of := func(do observe.What) scenario.Step { return scenario.Step{Do: do, Process: 3} }
	crash := of(observe.Crash)
	// three Inits, the pause, the resume, and the start
	for after, want := range map[uint64]uint64{5: 0, 6: 1} {
		r := run(t, sim.Config{Input: ringOf(1, 3, 2), Schedule: sim.Hand, Acts: []scenario.Act{
			{Step: of(observe.Pause)}, {Step: of(observe.Start)}, {Step: of(observe.Resume)},
			{After: after, Step: crash}}})
		require.Equal(t, want, r.Messages)
	}
}

// TestActsThatCannotBe: the error names the act and the number of occurrences.
func TestActsThatCannotBe(t *testing.T) {
	in := ringOf(1, 3, 2)
	lose := scenario.Step{Do: observe.Lose, Process: 2, Port: 1}
	for want, acts := range map[string][]scenario.Act{
		"acts[0], after 3: lose: no message is on the link to port 1 of 2": {{After: 3, Step: lose}},
		"acts[1], after 6: lose: nth is 4, and on the link to port 1 of 2 there are 2, from 0 on": {
			{After: 5, Step: scenario.Step{Do: observe.Duplicate, Process: 2, Port: 1}},
			{After: 5, Step: scenario.Step{Do: observe.Lose, Process: 2, Port: 1, Nth: 4}}},
		"acts[0], after 99: lose: the run has ended after 15": {{After: 99, Step: lose}},
		"acts[0], after 5: delay: by -1.5: the message arrives in 1, at most that much sooner": {{After: 5,
			Step: scenario.Step{Do: observe.Delay, Process: 2, Port: 1, By: -3 * sim.Unit / 2}}},
	} {
		_, err := sim.Run(t.Context(), sim.Config{Input: in, Acts: acts})
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+want)
	}
	for want, c := range map[string]sim.Config{
		"acts: not allowed with steps, which contain all events": {Input: in,
			Acts: []scenario.Act{{Step: lose}}, Steps: three()},
		"acts[0].process: 9 is not a process": {Input: in,
			Acts: []scenario.Act{{Step: scenario.Step{Do: observe.Crash, Process: 9}}}},
		"fifo: the hand schedule keeps the order; random does not need to": {Input: in, Schedule: sim.Hand,
			Unordered: true},
		"schedule: hand, not allowed with steps, which contain all events": {Input: in,
			Schedule: sim.Hand, Steps: three()},
		"loss: not allowed with the schedule hand, which runs only acts": {Schedule: sim.Hand,
			Input: func() scenario.Input { in := in; in.Faults.Loss = 0.5; return in }()},
	} {
		_, err := sim.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+want)
	}
}

// TestOutside: Do returns why an act leaves the model of the algorithm, and the result lists the act.
func TestOutside(t *testing.T) {
	algorithm := func(name string) *election.Algorithm {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		return a
	}
	dkr, bully, lcr, flood := algorithm("dkr"), algorithm("bully"), algorithm("lcr"), algorithm("floodmax")
	ids := []election.ID{1, 3, 2}
	m := func(do observe.What, nth int, by time.Duration) scenario.Step {
		return scenario.Step{Do: do, Process: 3, Port: 1, Nth: nth, By: by}
	}
	of := func(do observe.What) scenario.Step { return scenario.Step{Do: do, Process: 3} }
	for _, c := range []struct {
		a    *election.Algorithm
		acts []scenario.Step
		want string
	}{
		{lcr, []scenario.Step{m(observe.Lose, 0, 0)},
			"lcr/participant promises nothing if messages are lost"},
		{lcr, []scenario.Step{of(observe.Crash)}, "lcr/participant promises nothing if processes crash"},
		{lcr, []scenario.Step{of(observe.Pause)}, "lcr/participant promises nothing if processes pause"},
		{lcr, []scenario.Step{cutOff(1)}, "lcr/participant promises nothing if the network is cut"},
		{lcr, []scenario.Step{m(observe.Deliver, 0, 0)}, ""},
		{lcr, []scenario.Step{m(observe.Delay, 0, 9*sim.Unit)}, ""},
		{lcr, []scenario.Step{{Do: observe.Heal}}, ""},
		{dkr, []scenario.Step{m(observe.Duplicate, 0, 0), m(observe.Deliver, 0, 0)},
			"dkr promises nothing if messages arrive twice"},
		{dkr, []scenario.Step{m(observe.Duplicate, 0, 0), m(observe.Deliver, 1, 0)},
			"dkr promises nothing if messages arrive twice; dkr needs links that keep messages in order"},
		{dkr, []scenario.Step{m(observe.Delay, 0, sim.Unit)}, "dkr needs links that keep messages in order"},
		{dkr, []scenario.Step{m(observe.Delay, 0, -sim.Unit)}, ""},
		{bully, []scenario.Step{{Do: observe.Delay, Process: 3, Port: 0, By: sim.Unit / 2}},
			"bully/rules needs messages that take at most 1, here they take up to 1.5"},
		{bully, []scenario.Step{of(observe.Crash), of(observe.Recover)}, ""},
		{bully, []scenario.Step{{Do: observe.Timeout, Process: 1}},
			"bully/rules needs timers that do not fire early"},
		{flood, []scenario.Step{{Do: observe.Deliver, Process: 3}}, "floodmax/basic needs simultaneous " +
			"starts, exact clocks, and messages that all take 1"},
		{flood, []scenario.Step{{Do: observe.Delay, Process: 3, By: -sim.Unit / 2}}, "floodmax/basic needs " +
			"simultaneous starts, exact clocks, and messages that all take 1"},
	} {
		s, err := sim.New(sim.Config{Input: input(c.a, ids)})
		require.NoError(t, err)
		for s.Occurred() < 6 {
			require.True(t, s.Step())
		}
		var whys, listed string
		for _, step := range c.acts {
			why, err := s.Do(step)
			require.NoError(t, err, "%s: %+v", c.a.Title(), step)
			if why != "" {
				if whys != "" {
					whys += "; "
				}
				whys += why
			}
		}
		require.Equal(t, c.want, whys)
		for i, o := range s.Result().Outside {
			require.GreaterOrEqual(t, o.After, uint64(6))
			if i > 0 {
				listed += "; "
			}
			listed += o.Why
		}
		require.Equal(t, c.want, listed)
	}
}

// TestWrongClocks: under the hand schedule a timer that runs out by a wrong clock leaves the synchronous
// model, and by a right one it does not.
func TestWrongClocks(t *testing.T) {
	a, err := catalog.Find("floodmax", "basic")
	require.NoError(t, err)
	for rate, want := range map[float64]string{1: "",
		3: "floodmax/basic needs simultaneous starts, exact " +
			"clocks, and messages that all take 1"} {
		in := input(a, []election.ID{1, 3, 2})
		in.ClockRates = []scenario.ClockRate{{ID: 3, Rate: rate}}
		s, err := sim.New(sim.Config{Input: in, Schedule: sim.Hand})
		require.NoError(t, err)
		why, err := s.Do(scenario.Step{Do: observe.Start, Process: 3})
		require.NoError(t, err)
		require.Empty(t, why)
		why, err = s.Do(scenario.Step{Do: observe.Timeout, Process: 3})
		require.NoError(t, err)
		require.Equal(t, want, why)
	}
}

// anyFault returns a fault that the model of an algorithm has, if it is the turn of one: a crash, a pause, or
// the end of one. A process that is paused does not crash: see docs/decisions, acts.
func anyFault(s *sim.Sim, a *election.Algorithm, ids []election.ID, random *rand.Rand) (scenario.Step, bool) {
	p, down := random.IntN(len(ids)), 0
	for q := range ids {
		if s.Status(q) == sim.Down {
			down++
		}
	}
	step := scenario.Step{Process: ids[p]}
	switch f := &a.Faults; {
	case random.IntN(8) > 0:
		return step, false
	case s.Status(p) == sim.Paused:
		step.Do = observe.Resume
	case s.Status(p) == sim.Up && f.Pause && random.IntN(2) > 0:
		step.Do = observe.Pause
	case s.Status(p) == sim.Up && down < f.MostDown(len(ids)):
		step.Do = observe.Crash
	case s.Status(p) == sim.Down && f.Crash == election.MayRecover:
		step.Do = observe.Recover
	case s.Status(p) == sim.Down && f.Crash > election.StaysDown:
		step.Do = observe.Restart
	default:
		return step, false
	}
	return step, true
}

// TestByHandTimeFits: whatever the next act is, time passes by hand so that no message is late; and there is
// always something to be done that leaves the algorithm its model.
func TestByHandTimeFits(t *testing.T) {
	// Of those in the catalog none with a bound on delays has pauses in its model.
	beats, err := bully.Rules(bully.Config{Delay: sim.Unit, Heartbeat: 3 * sim.Unit})
	require.NoError(t, err)
	looks, err := invitation.New(invitation.Config{Delay: sim.Unit, Interval: 6 * sim.Unit})
	require.NoError(t, err)
	for i, a := range append(catalog.All(), beats, looks) {
		if a.Delay == 0 {
			continue
		}
		t.Run(fmt.Sprint(i, a.Title()), func(t *testing.T) {
			for seed := range uint64(8) {
				c := actSettings(t, a, seed)["hand"]
				if seed%2 > 0 && a.Faults.Crash != election.NoCrash {
					c.Crashed = c.IDs[:1]
				}
				s, err := sim.New(c)
				require.NoError(t, err)
				random := rand.New(rand.NewPCG(seed, 1))
				for range 150 {
					all := slices.DeleteFunc(slices.Collect(s.Pending()), func(p sim.Pending) bool {
						return p.Refused != nil
					})
					fit := slices.DeleteFunc(slices.Clone(all), func(p sim.Pending) bool {
						return p.Outside != "" || p.Nth > 0
					})
					if len(all) == 0 {
						break
					}
					require.NotEmpty(t, fit, "%v", all)
					start := slices.IndexFunc(fit, func(p sim.Pending) bool { return p.Do == observe.Start })
					if a.Synchronous && start >= 0 {
						fit = fit[start : start+1] // all start at one instant, or some not at all
					}
					for _, p := range all {
						require.NotContains(t, p.Outside, "messages that take")
					}
					step := fit[random.IntN(len(fit))].Step
					if fault, ok := anyFault(s, a, c.IDs, random); ok {
						step = fault
					}
					outside, err := s.Do(step)
					require.NoError(t, err)
					require.Empty(t, outside)
				}
			}
		})
	}
}
