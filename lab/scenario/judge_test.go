package scenario_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/observe"
)

func tokenRing(t *testing.T) *election.Algorithm {
	t.Helper()
	a, err := mutex.TokenRing(mutex.Config{First: election.ID(2)})
	require.NoError(t, err)
	return a
}

// TestJudgeOfSections: two inside, or a token that is not larger, are wrong; a process that crashes is inside
// no more.
func TestJudgeOfSections(t *testing.T) {
	entered := func(process election.ID, token uint64) *observe.Occurrence {
		fx := &election.Effects{}
		event := election.Event{Op: election.Entered, Msg: election.Message{Value: token}}
		fx.Signals = []election.Signal{{Event: event}}
		return &observe.Occurrence{What: observe.Step, Process: process, Event: &election.Event{},
			Effects: fx}
	}
	for want, all := range map[string][]*observe.Occurrence{
		"processes 1 and 2 are in critical section 0 together": {entered(1, 1), entered(2, 2)},
		"process 2 entered section 0 with token 1, after token 1": {
			entered(1, 1), {What: observe.Crash, Process: 1}, entered(2, 1),
		},
	} {
		in := scenario.Input{Algorithm: tokenRing(t), IDs: []election.ID{1, 2}, Initiators: []election.ID{}}
		require.NoError(t, in.Check())
		j := scenario.Judge{Input: &in}
		for _, o := range all {
			require.NoError(t, j.Err(&verdict.Result{}, nil))
			j.Observe(o)
		}
		require.EqualError(t, j.Err(&verdict.Result{}, nil), want)
	}
}

// TestJudgeOfService: a request that is never served is wrong, unless its process crashes.
func TestJudgeOfService(t *testing.T) {
	in := scenario.Input{Algorithm: tokenRing(t), IDs: []election.ID{1, 2}}
	require.NoError(t, in.Check())
	j := scenario.Judge{Input: &in}
	asks(&j, 1)
	require.EqualError(t, j.Err(&verdict.Result{Live: 2}, nil), "process 1 asked and was never served")
	in.CrashAt = []scenario.At{{ID: 1}}
	j.Observe(&observe.Occurrence{What: observe.Crash, Process: 1})
	require.NoError(t, j.Err(&verdict.Result{Live: 1}, nil))
	asks(&j, 2)
	err := j.Err(&verdict.Result{Live: 1}, nil)
	require.EqualError(t, err,
		"process 2 asked and was never served; no failure detector has reported the crash")
	require.ErrorIs(t, err, scenario.ErrUntold)
}

// TestJudgeOfElections: the leader that all know is the right one, and steps may end too early.
func TestJudgeOfElections(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	j := scenario.Judge{Input: &in}
	wrong := verdict.Result{Live: 3, Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
	require.EqualError(t, j.Err(&wrong, nil), "leader: process 2 leads, not 3, which is the largest of all")
	right := wrong
	right.Leader = 3
	require.NoError(t, j.Err(&right, nil))

	two := election.ID(2)
	j.Expect = &scenario.Expect{Leader: &two}
	require.True(t, j.Expects())
	require.NoError(t, j.Err(&wrong, nil), "what is expected decides")
	require.ErrorIs(t, j.Err(&right, nil), scenario.ErrUnexpected)

	j = scenario.Judge{Input: &in, Steps: []scenario.Step{{Do: observe.Start, Process: 1}}}
	fx := &election.Effects{}
	fx.Sends = make([]election.Outgoing, 1)
	j.Observe(&observe.Occurrence{
		What: observe.Step, Process: 1, First: 1, Event: &election.Event{Op: election.Start}, Effects: fx,
	})
	require.Equal(t, 1, j.UnderWay())
	err := j.Err(&verdict.Result{Live: 3}, nil)
	require.ErrorIs(t, err, scenario.ErrMidway)
	require.ErrorIs(t, err, verdict.ErrNoLeader)
}

// asking returns a judge of two processes that share a section, and a function that lets it observe
// something.
func asking(t *testing.T, steps []scenario.Step) (*scenario.Judge, func(what observe.Occurrence, sends int)) {
	t.Helper()
	a, err := mutex.RicartAgrawala(mutex.Config{})
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}}
	require.NoError(t, in.Check())
	j := &scenario.Judge{Input: &in, Steps: steps}
	sent := uint64(1)
	return j, func(o observe.Occurrence, sends int) {
		if o.What == observe.Step {
			fx := &election.Effects{Sends: make([]election.Outgoing, sends)}
			if o.Event.Op == election.Entered { // stands for a step in which the process enters
				fx.Signals = []election.Signal{{Event: election.Event{Op: election.Entered}}}
			}
			if o.Event.Op == election.Exited {
				fx.Signals = []election.Signal{{Event: election.Event{Op: election.Exited}}}
			}
			o.Effects, o.First = fx, sent
			sent += uint64(sends)
		}
		j.Observe(&o)
	}
}

func stepOf(process election.ID, op election.Op) observe.Occurrence {
	return observe.Occurrence{What: observe.Step, Process: process, Event: &election.Event{Op: op}}
}

// TestUnderWay: a message is in flight from its sending until it is received or lost, a copy as well;
// not to a process that is down.
func TestUnderWay(t *testing.T) {
	j, observed := asking(t, []scenario.Step{})
	message := func(what observe.What, number uint64) observe.Occurrence {
		return observe.Occurrence{What: what, Process: 1, Message: number}
	}
	process := func(what observe.What) observe.Occurrence {
		return observe.Occurrence{What: what,
			Process: 2}
	}
	received := stepOf(2, election.Recv)
	for _, c := range []struct {
		what observe.Occurrence
		left int
	}{
		{stepOf(1, election.Start), 2}, // messages 1 and 2
		{message(observe.Duplicate, 1), 3},
		{message(observe.Lose, 2), 2},
		{process(observe.Crash), 0},
		{process(observe.Recover), 2},
		{process(observe.Crash), 0},
		{process(observe.Restart), 2},
	} {
		sends := 0
		if c.what.What == observe.Step {
			sends = 2
		}
		observed(c.what, sends)
		require.Equal(t, c.left, j.UnderWay(), c.what.What)
	}
	for left := 1; left >= 0; left-- {
		received.Message = 1
		observed(received, 0)
		require.Equal(t, left, j.UnderWay())
	}
}

// TestJudgeOfRequestsInSteps: the steps say which processes ask. A request waits until its process enters or
// crashes; steps that leave messages in flight may end before.
func TestJudgeOfRequestsInSteps(t *testing.T) {
	start, enter := stepOf(1, election.Start), stepOf(1, election.Entered)
	crash, back := observe.Occurrence{What: observe.Crash, Process: 1},
		observe.Occurrence{What: observe.Restart, Process: 1}
	for name, c := range map[string]struct {
		all   []observe.Occurrence
		sends int
		wrong string
	}{
		"nothing":   {nil, 0, ""},
		"a request": {[]observe.Occurrence{start}, 0, "process 1 asked and was never served"},
		"under way": {[]observe.Occurrence{start}, 1, ""},
		"served":    {[]observe.Occurrence{start, enter}, 0, ""},
		"left": {[]observe.Occurrence{start, stepOf(1, election.Exited)}, 0,
			"process 1 asked and was never served"},
		"another": {[]observe.Occurrence{start, enter, start}, 0,
			"process 1 asked and was never served"},
		"crashed":             {[]observe.Occurrence{start, crash, back}, 0, ""},
		"a message, no start": {[]observe.Occurrence{stepOf(1, election.Recv)}, 0, ""},
		"both": {[]observe.Occurrence{start, stepOf(2, election.Start)}, 0,
			"processes 1 and 2 asked and were never served"},
	} {
		j, observed := asking(t, []scenario.Step{})
		for _, o := range c.all {
			observed(o, c.sends)
		}
		err := j.Err(&verdict.Result{Live: 2}, nil)
		if c.wrong == "" {
			require.NoError(t, err, name)
			continue
		}
		require.EqualError(t, err, c.wrong, name)
		for _, e := range []scenario.Expect{
			{Messages: new(uint64)}, {ByKind: map[string]uint64{}}, {Time: new(time.Duration)},
			{EntryOrder: []election.ID{}}, {Entries: []scenario.At{}},
		} {
			j.Expect = &e
			require.True(t, j.Expects())
			require.NoError(t, j.Err(&verdict.Result{Live: 2}, new(time.Duration)),
				"what is expected decides")
		}
		j.Expect = &scenario.Expect{}
		require.False(t, j.Expects())
		require.Error(t, j.Err(&verdict.Result{Live: 2}, nil))
	}
}

// TestJudgeOfMany: of many requests that are not served the first five are named.
func TestJudgeOfMany(t *testing.T) {
	in := scenario.Input{Algorithm: tokenRing(t), IDs: []election.ID{2, 1, 3, 4, 5, 6, 7}}
	require.NoError(t, in.Check())
	j := scenario.Judge{Input: &in}
	require.NoError(t, j.Err(&verdict.Result{Live: 7}, nil), "no process has asked")
	for _, id := range in.IDs {
		asks(&j, id)
	}
	for _, of := range []struct {
		enters election.ID
		want   string
	}{{0, "processes 1, 2, 3, 4, 5 and 2 more asked"}, {7, "processes 1, 2, 3, 4, 5 and 1 more asked"},
		{6, "processes 1, 2, 3, 4 and 5 asked"}} {
		if of.enters > 0 {
			o := stepOf(of.enters, election.Recv)
			o.Effects = &election.Effects{Signals: []election.Signal{{Event: election.Event{Op: election.Entered}}}}
			j.Observe(&o)
			o.Effects.Signals[0].Event.Op = election.Exited
			j.Observe(&o)
		}
		require.EqualError(t, j.Err(&verdict.Result{Live: 7}, nil), of.want+" and were never served")
	}
}

// asks makes a judge observe a Start of a process.
func asks(j *scenario.Judge, process election.ID) {
	o := stepOf(process, election.Start)
	o.Effects = new(election.Effects)
	j.Observe(&o)
}

// TestJudgeOfAnArbiter: without one no request is served, and the reason says so.
func TestJudgeOfAnArbiter(t *testing.T) {
	a, err := catalog.Find("mutex", "arbiter")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2}, Initiators: []election.ID{1}}
	require.NoError(t, in.Check())
	j := scenario.Judge{Input: &in}
	asks(&j, 1)
	require.EqualError(t, j.Err(&verdict.Result{Live: 2}, nil),
		"process 1 asked and was never served: no arbiter was elected")
	require.EqualError(t, j.Err(&verdict.Result{Live: 2, Leader: 1}, nil),
		"process 1 asked and was never served")
	in.CrashAt = []scenario.At{{ID: 2, Time: 1}}
	require.ErrorIs(t, j.Err(&verdict.Result{Live: 1}, nil), scenario.ErrUntold)
	require.NotErrorIs(t, j.Err(&verdict.Result{}, nil), scenario.ErrUntold, "no process is up")
	in.SuspectAfter = 1
	require.NotErrorIs(t, j.Err(&verdict.Result{Live: 1}, nil), scenario.ErrUntold)
}

// TestMidway: steps end midway if they leave messages in flight, and nothing is expected of their counts.
func TestMidway(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	for name, c := range map[string]struct {
		steps  []scenario.Step
		sends  int
		expect *scenario.Expect
		midway bool
	}{
		"under way":          {[]scenario.Step{}, 1, nil, true},
		"nothing under way":  {[]scenario.Step{}, 0, nil, false},
		"no steps":           {nil, 1, nil, false},
		"expected":           {[]scenario.Step{}, 1, &scenario.Expect{Messages: new(uint64)}, false},
		"nothing expected":   {[]scenario.Step{}, 1, &scenario.Expect{}, true},
		"expected, no steps": {nil, 0, &scenario.Expect{Messages: new(uint64)}, false},
	} {
		j := scenario.Judge{Input: &in, Steps: c.steps, Expect: c.expect}
		o := stepOf(1, election.Start)
		o.First, o.Effects = 1, &election.Effects{Sends: make([]election.Outgoing, c.sends)}
		j.Observe(&o)
		err := j.Err(&verdict.Result{Live: 3}, nil)
		require.ErrorIs(t, err, verdict.ErrNoLeader, name)
		require.Equal(t, c.midway, errors.Is(err, scenario.ErrMidway), name)
	}
}

// TestUntold: an election without a leader lacks the report of a crash only if its processes wait for one.
func TestUntold(t *testing.T) {
	beats, err := bully.Rules(bully.Config{Delay: scenario.Unit, Heartbeat: 3 * scenario.Unit})
	require.NoError(t, err)
	silent, err := bully.Rules(bully.Config{Delay: scenario.Unit})
	require.NoError(t, err)
	for a, untold := range map[*election.Algorithm]bool{lcr.Max(): false, beats: false, silent: true} {
		in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3}, Crashed: []election.ID{3}}
		require.NoError(t, in.Check())
		j := scenario.Judge{Input: &in}
		require.Equal(t, untold, errors.Is(j.Err(&verdict.Result{Live: 2}, nil), scenario.ErrUntold),
			a.Title())
		// A hand crashes it, and may report that.
		in.Crashed = nil
		for _, acts := range [][]observe.What{{observe.Crash}, {observe.Crash, observe.Suspect}} {
			j.Acts = nil
			for _, do := range acts {
				j.Acts = append(j.Acts, scenario.Act{Step: scenario.Step{Do: do, Process: 3}})
			}
			require.Equal(t, untold && len(acts) == 1, errors.Is(j.Err(&verdict.Result{Live: 2}, nil),
				scenario.ErrUntold), "%s: %v", a.Title(), acts)
		}
	}
}

// TestJudgeOfActs: which process must lead is not known once an act has done more than change a time.
// Under the schedule hand the acts may end before the election does, and say which processes ask for
// entry.
func TestJudgeOfActs(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	acts := func(all ...observe.What) (acts []scenario.Act) {
		for _, do := range all {
			acts = append(acts, scenario.Act{Step: scenario.Step{Do: do, Process: 1}})
		}
		return acts
	}
	wrong := verdict.Result{Live: 3, Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
	j := scenario.Judge{Input: &in, Acts: acts(observe.Deliver, observe.Delay, observe.Timeout)}
	require.EqualError(t, j.Err(&wrong, nil), "leader: process 2 leads, not 3, which is the largest of all")
	for _, do := range []observe.What{observe.Crash, observe.Lose, observe.Cut, observe.Start} {
		j.Acts = acts(observe.Deliver, do)
		require.NoError(t, j.Err(&wrong, nil), do)
	}
	j.Hand, j.Acts = true, acts(observe.Start)
	require.EqualError(t, j.Err(&wrong, nil), "leader: process 2 leads, not 3, which is the largest of all")
	started := func(j *scenario.Judge) {
		sent := &election.Effects{Sends: []election.Outgoing{{Msg: election.Message{Kind: 1}}}}
		j.Observe(&observe.Occurrence{What: observe.Step, Process: 1, First: 1, Effects: sent,
			Event: &election.Event{Op: election.Start}})
	}
	started(&j)
	none := verdict.Result{Live: 3}
	require.ErrorIs(t, j.Err(&none, nil), scenario.ErrMidway)
	j.Hand = false
	require.NotErrorIs(t, j.Err(&none, nil), scenario.ErrMidway)

	ring := scenario.Input{Algorithm: tokenRing(t), IDs: []election.ID{1, 2}}
	require.NoError(t, ring.Check())
	asked := scenario.Judge{Input: &ring, Acts: acts(observe.Crash)}
	require.NoError(t, asked.Err(&verdict.Result{}, nil), "by the acts none has asked")
	started(&asked)
	require.EqualError(t, asked.Err(&verdict.Result{}, nil), "process 1 asked and was never served")
}
