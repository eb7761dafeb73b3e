package sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// scribe writes down a run step by step, as its observer.
type scribe struct {
	in    *scenario.Input
	where map[election.ID]int
	began map[election.ID]bool
	links map[scribedLink][]uint64 // the numbers of what is on each link
	of    map[uint64]scribedLink
	steps []scenario.Step
}

type scribedLink struct {
	to   election.ID
	port election.Port
}

// observe writes down what happens. What comes back has an Init and a Rejoin, which belong to that step.
func (w *scribe) observe(o *observe.Occurrence) {
	at := o.At
	s := scenario.Step{Process: o.Process, At: &at}
	switch o.What {
	case observe.Step:
		w.stepped(o, s)
		return
	case observe.Lose: // on arrival: nothing is lost on the way in these runs
		w.arrived(o.Message, s)
		return
	default:
		s.Do = o.What
	}
	w.steps = append(w.steps, s)
}

func (w *scribe) stepped(o *observe.Occurrence, s scenario.Step) {
	for _, c := range o.Choices {
		s.Choices = append(s.Choices, c.Chosen)
	}
	switch o.Event.Op {
	case election.Init, election.Rejoin:
		if w.began[o.Process] {
			last := &w.steps[len(w.steps)-1]
			last.Choices = append(last.Choices, s.Choices...)
		}
		w.began[o.Process] = true
	case election.Start:
		s.Do = observe.Start
		w.steps = append(w.steps, s)
	case election.Timeout:
		s.Do, s.Timer, s.Layer = observe.Timeout, o.Event.Timer, o.Event.Layer
		w.steps = append(w.steps, s)
	case election.Recv:
		w.arrived(o.Message, s)
	}
	for i := range o.Effects.Sends {
		q, back, _ := w.in.Topology.Link(w.where[o.Process], o.Effects.Sends[i].Port)
		link, number := scribedLink{w.in.IDs[q], back}, o.First+uint64(i)
		w.links[link], w.of[number] = append(w.links[link], number), link
	}
}

// arrived writes down that a message comes to its receiver.
func (w *scribe) arrived(number uint64, s scenario.Step) {
	link := w.of[number]
	s.Do, s.Process, s.Port = observe.Deliver, link.to, link.port
	s.Nth = slices.Index(w.links[link], number)
	w.links[link] = slices.Delete(w.links[link], s.Nth, s.Nth+1)
	w.steps = append(w.steps, s)
}

// written returns a run of which every step is written out.
func written(t *testing.T, c sim.Config) (steps []scenario.Step, r sim.Result) {
	t.Helper()
	require.NoError(t, c.Check())
	w := &scribe{in: &c.Input, where: c.Positions(), began: make(map[election.ID]bool),
		links: make(map[scribedLink][]uint64), of: make(map[uint64]scribedLink)}
	c.Observe = w.observe
	r = run(t, c)
	return w.steps, r
}

// gambler draws a number from 0 to 2, and sends it around a ring until a process draws a smaller one.
type gambler struct{}

func (gambler) State(*election.State) {}
func (gambler) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start || ev.Op == election.Recv {
		if drawn := uint64(e.Choose(3)); drawn >= ev.Msg.Value {
			e.Send(0, election.Message{Kind: 1, Value: drawn + uint64(e.Choose(2))/2})
		}
	}
}

func gamble(n int) scenario.Input {
	in := scenario.Input{Algorithm: &election.Algorithm{
		Name: "gamble", Topology: election.Ring, Elects: election.NoLeader,
		Kinds: []election.Kind{{Name: "bet"}},
		New:   func(election.Setup) election.Node { return gambler{} },
	}}
	for i := range n {
		in.IDs = append(in.IDs, election.ID(i+1))
	}
	return in
}

// TestStepsOfARun: a run whose steps are written out and given again is the same, event for event.
func TestStepsOfARun(t *testing.T) {
	ids := shuffled(9)
	broken := scenario.Input{
		Algorithm: bullyAlgorithm(), IDs: ids,
		CrashAt: []scenario.At{{ID: ids[3], Time: 2 * sim.Unit}, {ID: ids[5], Time: 3 * sim.Unit},
			{ID: ids[7], Time: 3 * sim.Unit}},
		RecoverAt: []scenario.At{{ID: ids[3], Time: 5 * sim.Unit}, {ID: ids[7], Time: 20 * sim.Unit}},
	}
	saving := scenario.Input{
		Algorithm: lcr.Participant(), IDs: ids, Initiators: ids[:4],
		CrashAt:   []scenario.At{{ID: ids[2], Time: 3 * sim.Unit}},
		RestartAt: []scenario.At{{ID: ids[2], Time: 4 * sim.Unit}},
	}
	for _, c := range []sim.Config{
		{Input: input(lcr.Participant(), ids)},
		{Input: input(lcr.Participant(), ids), Seed: 4, Schedule: sim.RandomDelay},
		{Input: input(lcr.Max(), ids), Seed: 5, Schedule: sim.RandomDelay, Unordered: true},
		{Input: input(dkr.Algorithms()[0], ids), Seed: 6, Schedule: sim.RandomDelay},
		{Input: broken}, {Input: broken, Seed: 7, Schedule: sim.RandomDelay},
		{Input: saving}, {Input: saving, Seed: 8, Schedule: sim.RandomDelay},
		{Input: gamble(5), Seed: 9}, {Input: gamble(5), Seed: 10, Schedule: sim.RandomDelay, Unordered: true},
	} {
		steps, want := written(t, c)
		again := sim.Config{Input: scenario.Input{Algorithm: c.Algorithm, IDs: c.IDs,
			Initiators: c.Initiators}, Steps: steps}
		got := run(t, again)
		want.Wall, got.Wall = 0, 0
		require.Empty(t, want.Outside, "what a plan has, its check refuses or Force allows")
		for i := range got.Outside {
			require.Contains(t, got.Outside[i].Why, c.Algorithm.Title()+" promises nothing if ")
		}
		want.Outside = got.Outside
		require.Equal(t, want, got, "%s %s", c.Algorithm.Title(), c.Schedule)
		stepsAgain, got := written(t, again)
		got.Wall = 0
		require.Equal(t, want, got, "observed")
		require.Equal(t, steps, stepsAgain)
	}
}

// three returns the steps of lcr among 1, 3 and 2 on a ring, until 3 knows that it leads.
func three() []scenario.Step {
	return []scenario.Step{
		{Do: observe.Start, Process: 3},
		{Do: observe.Deliver, Process: 2, Port: 1},
		{Do: observe.Deliver, Process: 1, Port: 1},
		{Do: observe.Deliver, Process: 3, Port: 1},
	}
}

func ringOf(ids ...election.ID) scenario.Input { return input(lcr.Participant(), ids) }

// TestStepsAreAll: nothing but the steps happens, each a unit after the one before.
func TestStepsAreAll(t *testing.T) {
	in := ringOf(1, 3, 2)
	r := run(t, sim.Config{Input: in, Steps: three()})
	require.Equal(t, []any{3 * sim.Unit, uint64(3), uint64(4), uint64(4), 1},
		[]any{r.Time, r.Steps, r.Messages, r.Chain, r.Claimants})
	require.ErrorIs(t, r.Err(), verdict.ErrNoLeader)
	require.EqualValues(t, 3, r.Count("election"))

	r = run(t, sim.Config{Input: in, Steps: []scenario.Step{}})
	require.Zero(t, r.Messages, "nothing happens, and no process starts")

	late := three()
	at := 5 * sim.Unit / 2
	late[2].At = &at
	r = run(t, sim.Config{Input: in, Steps: late})
	require.Equal(t, 7*sim.Unit/2, r.Time)
	r = run(t, sim.Config{Input: in, Steps: late, Until: 3 * sim.Unit})
	require.Equal(t, at, r.Time, "the last step would be too late")
	require.EqualValues(t, 3, r.Messages)
}

// TestStepsWithMessages: the messages of a link can be taken in any order, lost and copied.
func TestStepsWithMessages(t *testing.T) {
	var got []uint64
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			for k := range uint64(4) {
				e.Send(0, election.Message{Kind: 1, Value: k})
			}
		}
		if ev.Op == election.Recv {
			got = append(got, ev.Msg.Value)
		}
	})
	take := func(do observe.What, nth int) scenario.Step {
		return scenario.Step{Do: do, Process: 2, Port: 1, Nth: nth}
	}
	r := run(t, sim.Config{Input: in, Steps: []scenario.Step{
		{Do: observe.Start, Process: 1},
		take(observe.Deliver, 2), take(observe.Duplicate, 0), take(observe.Lose, 1), // 0, 3, 0
		take(observe.Deliver, 1), take(observe.Deliver, 1), take(observe.Duplicate, 0),
		take(observe.Duplicate, 1),
		take(observe.Deliver, 2),
		{Do: observe.Crash, Process: 2}, take(observe.Deliver, 0), take(observe.Lose, 0),
	}})
	require.Equal(t, []uint64{2, 3, 0, 0}, got)
	require.Equal(t, []uint64{4, 2, 3, 5}, []uint64{r.Messages, r.Lost, r.Duplicated, r.Steps})
}

// TestStepsBringBack: what recovers has lost also what it had saved; what restarts has that.
func TestStepsBringBack(t *testing.T) {
	in := ringOf(1, 3, 2)
	crash := scenario.Step{Do: observe.Crash, Process: 2}
	back := scenario.Step{Do: observe.Restart, Process: 2}
	empty := scenario.Step{Do: observe.Recover, Process: 2}
	happened := func(steps ...scenario.Step) (all []observe.What) {
		run(t, sim.Config{Input: in, Steps: append(three()[:2], steps...),
			Observe: func(o *observe.Occurrence) {
				if o.What != observe.Step {
					all = append(all, o.What)
				}
			}})
		return all
	}
	require.Equal(t, []observe.What{observe.Crash, observe.Restart}, happened(crash, back))
	require.Equal(t, []observe.What{observe.Crash, observe.Recover}, happened(crash, empty))
	require.Equal(t, []observe.What{observe.Crash, observe.Recover, observe.Crash, observe.Recover},
		happened(crash, empty, crash, back))
}

func TestStepsThatCannotBe(t *testing.T) {
	in := ringOf(1, 3, 2)
	in.Crashed = []election.ID{1}
	deliver := scenario.Step{Do: observe.Deliver, Process: 2, Port: 1}
	for _, c := range []struct {
		step scenario.Step
		want string
	}{
		{scenario.Step{Do: observe.Start, Process: 1}, "steps[1]: start: 1 is down"},
		{scenario.Step{Do: observe.Crash, Process: 1}, "steps[1]: crash: 1 is down"},
		{scenario.Step{Do: observe.Timeout, Process: 1}, "steps[1]: timeout: 1 is down"},
		{scenario.Step{Do: observe.Suspect, Process: 1}, "steps[1]: suspect: 1 is down"},
		{scenario.Step{Do: observe.Pause, Process: 1}, "steps[1]: pause: 1 is down"},
		{scenario.Step{Do: observe.Resume, Process: 2}, "steps[1]: resume: 2 is not paused"},
		{scenario.Step{Do: observe.Recover, Process: 2}, "steps[1]: recover: 2 is not down"},
		{scenario.Step{Do: observe.Restart, Process: 3}, "steps[1]: restart: 3 is not down"},
		{scenario.Step{Do: observe.Timeout, Process: 2, Timer: 3, Layer: 1},
			"steps[1]: timeout: timer 3 of layer 1 does not run at 2"},
		{scenario.Step{Do: observe.Deliver, Process: 3, Port: 1},
			"steps[1]: deliver: no message is on the link to port 1 of 3"},
		{scenario.Step{Do: observe.Lose, Process: 1, Port: 1},
			"steps[1]: lose: no message is on the link to port 1 of 1"},
		{scenario.Step{Do: observe.Duplicate, Process: 2, Port: 1, Nth: 1},
			"steps[1]: duplicate: nth is 1, and on the link to port 1 of 2 there are 1, from 0 on"},
		{scenario.Step{Do: observe.Deliver, Process: 2, Port: 1, Choices: []int{0}},
			"steps[1].choices[0]: nothing more is left to chance in this step"},
	} {
		r, err := sim.Run(t.Context(), sim.Config{Input: in,
			Steps: []scenario.Step{{Do: observe.Start, Process: 3}, c.step, deliver}})
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+c.want)
		require.LessOrEqual(t, r.Steps, uint64(1), "it has ended there")
	}
	_, err := sim.Run(t.Context(), sim.Config{Input: gamble(3),
		Steps: []scenario.Step{{Do: observe.Start, Process: 3, Choices: []int{1, 2}}}})
	require.ErrorIs(t, err, election.ErrInput)
	require.EqualError(t, err,
		"election: bad input: steps[0].choices[1]: 2, where there are 2 to choose from, from 0 on")
	_, err = sim.Run(t.Context(), sim.Config{Input: gamble(3),
		Steps: []scenario.Step{{Do: observe.Start, Process: 3, Choices: []int{3}}}})
	require.EqualError(t, err,
		"election: bad input: steps[0].choices[0]: 3, where there are 3 to choose from, from 0 on")
	end := time.Duration(1<<63 - 1)
	_, err = sim.Run(t.Context(), sim.Config{Input: gamble(3),
		Steps: []scenario.Step{{Do: observe.Start, Process: 3, At: &end}, {Do: observe.Start, Process: 3}}})
	require.ErrorIs(t, err, sim.ErrTime)
}

func TestStepsRefused(t *testing.T) {
	steps := three()
	late := ringOf(1, 3, 2)
	late.StartTimes = []time.Duration{0, 0, 1}
	for want, c := range map[string]sim.Config{
		"start_times: not allowed with steps, which contain all events": {Input: late, Steps: steps},
		"schedule: random, not allowed with steps, which contain all events": {Input: ringOf(1, 3, 2),
			Schedule: sim.RandomDelay, Steps: steps},
		"steps[1].process: 2 is not a process": {Input: ringOf(1, 3), Steps: steps},
	} {
		_, err := sim.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+want)
	}
}

// TestStepsAndSnapshots: a run goes back to any moment, and does the same from there.
func TestStepsAndSnapshots(t *testing.T) {
	steps, want := written(t, sim.Config{Input: input(dkr.Algorithms()[0], shuffled(7)), Seed: 3,
		Schedule: sim.RandomDelay})
	s, err := sim.New(sim.Config{Input: input(dkr.Algorithms()[0], shuffled(7)), Steps: steps})
	require.NoError(t, err)
	var all []*sim.Snapshot
	for more := true; more; more = s.Step() {
		all = append(all, s.Snapshot())
	}
	require.Len(t, all, len(steps)+1)
	for i := len(all) - 1; i >= 0; i-- {
		require.NoError(t, s.Restore(all[i]))
		require.NoError(t, s.Run(t.Context()))
		got := s.Result()
		want.Wall = 0
		require.Equal(t, want, got, "from step %d", i)
	}
}

// TestStepsAndPauses: a process that is paused, by a step or from outside, takes what has come for it
// before the next step.
func TestStepsAndPauses(t *testing.T) {
	steps := three()
	pause, resume := scenario.Step{Do: observe.Pause, Process: 2},
		scenario.Step{Do: observe.Resume, Process: 2}
	s, err := sim.New(sim.Config{Input: ringOf(1, 3, 2),
		Steps: slices.Concat(steps[:1], []scenario.Step{pause}, steps[1:2], []scenario.Step{resume},
			steps[2:])})
	require.NoError(t, err)
	for range 3 {
		require.True(t, s.Step())
		require.EqualValues(t, 1, s.Result().Messages)
	}
	require.NoError(t, s.Run(t.Context()))
	require.EqualValues(t, 4, s.Result().Messages)

	s, err = sim.New(sim.Config{Input: ringOf(1, 3, 2), Steps: steps})
	require.NoError(t, err)
	require.True(t, s.Step())
	s.Pause(1 + 1)
	require.True(t, s.Step())
	require.EqualValues(t, 1, s.Result().Messages)
	s.Resume(1 + 1)
	require.NoError(t, s.Run(t.Context()))
	require.EqualValues(t, 4, s.Result().Messages)
}

// TestBoundsOfSteps: a step at the time that Until sets still happens, and what it takes is no delay.
func TestBoundsOfSteps(t *testing.T) {
	two, late := 2*sim.Unit, 2*sim.Unit+1
	steps := three()[:2]
	for until, want := range map[*time.Duration]bool{&two: true, &late: false} {
		steps[1].At = until
		s, err := sim.New(sim.Config{Input: ringOf(1, 3, 2), Steps: steps, Until: two})
		require.NoError(t, err)
		require.True(t, s.Step())
		require.Equal(t, want, s.Step())
	}
	r := run(t, sim.Config{Input: ringOf(1, 3, 2), Steps: three(), Until: 1})
	require.EqualValues(t, 1, r.Messages, "of the first step")
	end := time.Duration(1<<63-1) / 2 // of virtual time; a message takes the last unit
	for at, want := range map[time.Duration]bool{end - sim.Unit: true, end - sim.Unit + 1: false} {
		_, err := sim.Run(t.Context(), sim.Config{Input: ringOf(1, 3, 2),
			Steps: []scenario.Step{{Do: observe.Start, Process: 3, At: &at}}})
		require.Equal(t, want, err == nil, "%v", at)
	}
	in := ringOf(1, 3, 2)
	hasty := *in.Algorithm
	hasty.Delay = sim.Unit / 2
	in.Algorithm = &hasty
	_, err := sim.New(sim.Config{Input: in, Steps: three()})
	require.NoError(t, err)
	_, err = sim.New(sim.Config{Input: in})
	require.ErrorIs(t, err, sim.ErrDelay)
	hasty.Elects = election.LeaseHolders // two never lead, however long a message takes
	_, err = sim.New(sim.Config{Input: in})
	require.NoError(t, err)
}

// TestChoicesOfSteps: what the first Init leaves to chance is 0, and of a Node that panics after a
// choice that cannot be the panic is reported.
func TestChoicesOfSteps(t *testing.T) {
	var first []int
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Init:
			first = append(first, e.Choose(5))
		case election.Start:
			e.Choose(2)
			panic("boo")
		}
	})
	_, err := sim.Run(t.Context(), sim.Config{Input: in, Seed: 1,
		Steps: []scenario.Step{{Do: observe.Start, Process: 1, Choices: []int{7}}}})
	require.ErrorIs(t, err, observe.ErrPanic)
	require.Equal(t, []int{0, 0}, first)

	in = wildInput(2, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Send(9, election.Message{Kind: 1})
			e.Choose(2)
		}
	})
	_, err = sim.Run(t.Context(), sim.Config{Input: in,
		Steps: []scenario.Step{{Do: observe.Start, Process: 1, Choices: []int{7}}}})
	require.ErrorIs(t, err, observe.ErrPort, "the first error counts")
}

// TestHashOfLostSteps: the hash tells apart which message a step has lost.
func TestHashOfLostSteps(t *testing.T) {
	hash := func(nth int) uint64 {
		in := wildInput(2, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Send(0, election.Message{Kind: 1, Value: 1})
				e.Send(0, election.Message{Kind: 1, Value: 2})
			}
		})
		return run(t, sim.Config{Input: in, Steps: []scenario.Step{{Do: observe.Start, Process: 1},
			{Do: observe.Lose, Process: 2, Port: 1, Nth: nth}}}).TraceHash
	}
	require.NotEqual(t, hash(0), hash(1))
}

// TestStepsOutside: steps that leave the model of an algorithm are reported, as acts are. Steps do not
// determine times, so none of them leaves the model by its time.
func TestStepsOutside(t *testing.T) {
	for _, c := range []struct {
		algorithm string
		steps     []scenario.Step
		want      string
	}{
		{"lcr", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Start, Process: 2}}, ""},
		{"lcr", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Crash, Process: 2}},
			"lcr/participant promises nothing if processes crash"},
		{"lcr", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Lose, Process: 2, Port: 1}},
			"lcr/participant promises nothing if messages are lost"},
		{"bully", []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Crash, Process: 2}}, ""},
	} {
		a, err := catalog.Find(c.algorithm, "")
		require.NoError(t, err)
		r, err := sim.Run(t.Context(), sim.Config{Input: scenario.Input{Algorithm: a,
			IDs: []election.ID{1, 2, 3}}, Steps: c.steps})
		require.NoError(t, err)
		if c.want == "" {
			require.Empty(t, r.Outside)
			continue
		}
		require.Len(t, r.Outside, 1)
		require.Equal(t, c.want, r.Outside[0].Why)
	}
}
