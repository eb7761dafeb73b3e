package electiontest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestPlanned: what is not special is not said.
func TestPlanned(t *testing.T) {
	const unit = scenario.Unit
	in := scenario.Input{Algorithm: bully.Algorithms()[0], IDs: []election.ID{3, 1, 2},
		Priorities: []uint64{0, 0, 0}}
	require.NoError(t, in.Check())
	p := &soak.Plan{Config: sim.Config{Input: in}}
	require.Equal(t, "among [3 1 2] on a complete graph, all start", planned(p))
	p.StartTimes = make([]time.Duration, 3)
	require.Equal(t, "among [3 1 2] on a complete graph, all start", planned(p))
	p.StartTimes[1] = 5 * unit / 2
	require.Equal(t, "among [3 1 2] on a complete graph, all start (3 at 0, 1 at 2.5, 2 at 0)", planned(p))
	p.Initiators, p.StartTimes = []election.ID{}, nil
	require.Equal(t, "among [3 1 2] on a complete graph, no process starts", planned(p))
	p.Initiators = []election.ID{2, 3}
	require.Equal(t, "among [3 1 2] on a complete graph, [2 3] start", planned(p))
	p.Initiators, p.Priorities = []election.ID{2}, []uint64{0, 4, 0}
	p.Crashed = []election.ID{1}
	p.CrashAt = []scenario.At{{ID: 3, Time: unit}}
	p.RecoverAt = []scenario.At{{ID: 1, Time: unit / 3}}
	p.RestartAt = []scenario.At{{ID: 3, Time: 9 * unit}}
	p.PauseAt = []scenario.Pause{{ID: 2, From: unit, Until: 3 * unit}}
	p.Config.Faults.Partitions = []fault.Partition{
		{From: unit, Until: 2 * unit, Groups: [][]election.ID{{3, 1}}}}
	p.Schedule, p.Unordered = sim.RandomDelay, true
	require.Equal(t,
		"among [3 1 2], priorities [0 4 0] on a complete graph, 2 starts, 1 is down, 3 crashes at 1, "+
			"1 comes back without its state at 0.333, 3 comes back with its state at 9, 2 pauses from 1 "+
			"to 3, [3 1] are cut off from the others from 1 to 2, random delays, links that do not keep the order",
		planned(p))
}

// TestFaultyLinks: what links do to messages is said.
func TestFaultyLinks(t *testing.T) {
	in := scenario.Input{Algorithm: bully.Algorithms()[0], IDs: upTo(2)}
	require.NoError(t, in.Check())
	p := &soak.Plan{Config: sim.Config{Input: in}}
	p.Config.Faults.Loss, p.Config.Faults.Duplicate = 0.07, 0.12
	require.Equal(t, "among [1 2] on a complete graph, all start, links that lose 7 of 100 messages, "+
		"links that double 12 of 100 messages", planned(p))
}

// TestNoLog: if a failure has no log, the text states this instead.
func TestNoLog(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: upTo(1)}
	require.NoError(t, in.Check())
	in.IDs = nil
	text := stepsOf(in, &check.Trail{Steps: make([]scenario.Step, 2), Cycle: 2})
	require.Regexp(t, `^there is no log: election: bad input: .+$`, text)
	p := &soak.Plan{Config: sim.Config{Input: in}}
	p.IDs = upTo(1)
	require.NoError(t, p.Check())
	p.IDs = []election.ID{1, 1}
	v := soak.Violation{Property: verdict.Rests, Reason: "it is wrong"}
	f := &soak.Failure{Violation: &v, Smallest: p, Shrunk: &soak.Shrunk{Violation: &v}}
	require.Regexp(t,
		`^smallest: among \[1 1\] on a ring, all start\nthere is no log: election: bad input: .+$`,
		smallest(f))
	worse := v
	worse.Reason = "it is worse"
	f.Shrunk.Violation = &worse
	require.Contains(t, smallest(f), "on a ring, all start: it is worse\n")
}

// TestRoundTrip: steps that repeat are named.
func TestRoundTrip(t *testing.T) {
	text := says(t, "Exhaustive", announcing(), Options{Exhaustive: []int{2}})
	require.Regexp(t, `\nsteps \d to \d repeat forever$`, text)
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: upTo(1)}
	require.NoError(t, in.Check())
	for cycle, want := range map[int]string{0: "steps 1 to 3 repeat forever",
		1: "steps 2 to 3 repeat forever",
		2: "step 3 repeats forever"} {
		require.Contains(t, stepsOf(in, &check.Trail{Steps: make([]scenario.Step, 3), Cycle: cycle}), want)
	}
	require.NotContains(t, stepsOf(in, &check.Trail{Steps: make([]scenario.Step, 3), Cycle: 3}), "forever")
	require.Equal(t, "before the first step", stepsOf(in, &check.Trail{}))
}

// says returns the text of one property about an algorithm.
func says(t *testing.T, name string, a *election.Algorithm, o Options) string {
	t.Helper()
	for _, p := range properties() {
		if p.name == name {
			err := try(t, p, a, o)
			require.Error(t, err)
			return err.Error()
		}
	}
	return ""
}

// TestSimulationTold: the smallest run stands under the failure, with the messages.
func TestSimulationTold(t *testing.T) {
	a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		if n.Node.Step(e, ev); elected(ev) && ev.Msg.Rank.ID%2 == 0 {
			e.Decide(e.Self())
		}
	})
	first, rest, _ := strings.Cut(says(t, "Simulation", a, Options{}), "\n")
	require.Regexp(t, `^seed \d+: one leader per Term: processes \d+ and \d+ both lead in Term 1$`, first)
	require.Equal(t, `smallest: among [2 1] on a ring, 2 starts: processes 2 and 1 both lead in Term 1
spoilt, 2 processes, unit delays, seed 5
              0  2.1  begins
              0  1.1  begins
   1.         0  2.2  starts
              0  2.3  saves its state
              0  2.4  sends election 2 to 1
   2.         1  1.2  receives election 2 from 2 (2.4)
              1  1.3  saves its state
              1  1.4  sends election 2 to 2
   3.         2  2.5  receives election 2 from 1 (1.4)
              2  2.6  sends elected 2 to 1
              2  2.7  decides: it leads
   4.         3  1.5  receives elected 2 from 2 (2.6)
              3  1.6  sends elected 2 to 2
              3  1.7  decides: it leads
              3  1.8  knows the end
            end  1.6  elected 2 to 2 is not received`, rest)
}

// TestExhaustiveTold: the steps of a counterexample are described as well, even if the last of them is no
// longer possible.
func TestExhaustiveTold(t *testing.T) {
	deaf := spoil(bully.Algorithms()[0], spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
		if ev.Op != election.Suspect {
			n.Node.Step(e, ev)
		}
	}})
	text := says(t, "Exhaustive", deaf, Options{})
	require.Contains(t, text,
		"among [1 2], crashes: 1, delays up to 1 units: all live processes follow one leader: ")
	require.Regexp(t, `\n   \d\. +2\.\d+  crashes\n`, text)

	panics := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		if elected(ev) {
			panic("no more")
		}
		n.Node.Step(e, ev)
	})
	text = says(t, "Exhaustive", panics, Options{})
	require.Contains(t, text, `
   2.  1.5  receives election 1 from 1 (1.4)
       1.6  sends elected 1 to 1
       1.7  decides: it leads
  end  1.6  elected 1 to 1 is not received
   3. `)
	require.Contains(t, text[strings.LastIndex(text, "\n"):], "no more")

	stillborn := spoil(lcr.Participant(),
		spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
			if ev.Op != election.Init {
				n.Node.Step(e, ev)
				return
			}
			panic("not today")
		}})
	require.NotContains(t, says(t, "Exhaustive", stillborn, Options{}), "%!")
}

// TestImpossible: a step that is not possible is bad input, and not an error of a process.
func TestImpossible(t *testing.T) {
	require.True(t, impossible(fmt.Errorf("%w: no such message", election.ErrInput)))
	require.False(t, impossible(errors.New("it has come to an end")))
	require.False(t, impossible(&observe.ProcessError{Err: election.ErrInput}))
	require.False(t, impossible(&observe.ProcessError{Err: errors.New("it panics")}))
}

// TestOtherwise: if the simulator cannot repeat the steps of a counterexample, since its Nodes have other
// fields than the restored ones, the error names the properties that find such fields.
func TestOtherwise(t *testing.T) {
	forgets := spoil(lcr.Participant(), spoiling{
		step: func(n *spoilt, e *election.Env, ev *election.Event) {
			if n.Node.Step(e, ev); ev.Op == election.Recv {
				n.extra++
			}
			if n.extra > 6 {
				e.Send(election.Clockwise, election.Message{Kind: 2, Rank: e.Self()})
			}
		},
		adjust: func(a *election.Algorithm) {
			a.Best, a.Mean, a.Worst = cost.Bound{}, cost.Bound{}, cost.Bound{}
		}})
	require.Contains(t, says(t, "State", forgets, Options{}),
		"does State visit every field that a Step changes?")
	text := says(t, "Exhaustive", forgets, Options{})
	require.Contains(t, text,
		" cannot be taken: here the processes do otherwise than where all states were visited")
	require.Contains(t, text, "See what State and Purity say (")
	require.Contains(t, text, "no message is on the link to port ")
}

// TestEarlyEnds: a process that was not cancelled has failed, also without an error; the first one is named.
func TestEarlyEnds(t *testing.T) {
	ids := []election.ID{4, 5, 6}
	cancelled, broken := fmt.Errorf("run: %w", context.Canceled), errors.New("broken")
	for _, tt := range []struct {
		ended []error
		want  string
	}{
		{[]error{cancelled, cancelled, cancelled}, ""},
		{[]error{cancelled, nil, broken}, "process 5 ended before it was cancelled, without an error"},
		{[]error{cancelled, broken, broken}, "broken"},
	} {
		if err := early(ids, tt.ended); tt.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, tt.want)
		}
	}
}
