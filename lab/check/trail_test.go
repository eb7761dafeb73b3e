package check_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// TestTimesOfSteps: where time is not modelled, steps say no time, so that each comes after the one before,
// whatever may go wrong; and the simulator comes to the same end.
func TestTimesOfSteps(t *testing.T) {
	for property, c := range map[string]check.Config{
		"crashes":  {Input: listed(t, "lcr", "", 3), Crashes: 1},
		"returns":  {Input: listed(t, "lcr", "", 3), Crashes: 1, Recoveries: 1, Started: true},
		"restarts": {Input: listed(t, "dkr", "", 3), Crashes: 1, Restarts: 1, Started: true},
		"loses":    {Input: listed(t, "hs", "", 3), Losses: 1},
		"doubles":  {Input: listed(t, "echo", "", 3), Duplicates: 1},
		"timers":   {Input: listed(t, "bully", "", 3), Crashes: 1},
		"sections": {Input: listed(t, "mutex", "ricartagrawala", 3), Losses: 1},
	} {
		r := run(t, c)
		require.NotNil(t, r.Counterexample, property)
		for _, s := range replayed(t, c, r.Counterexample.Property).Steps {
			require.Nil(t, s.At, "%s: %v", property, s)
		}
	}
}

// TestTrailOfANudge: a nudge starts a process that is no initiator. Its counterexample is written as a
// scenario, is read back, and breaks the same property in the simulator.
func TestTrailOfANudge(t *testing.T) {
	c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start && e.Self().ID == 1 {
			e.Decide(e.Self())
		}
	})
	c.Initiators, c.Nudge = []election.ID{}, true
	c.Properties = []check.Property{believes(verdict.Always, "leaderless",
		func(leader election.ID) bool { return leader == 0 })}
	trail := replayed(t, c, "leaderless")
	require.Equal(t, []scenario.Step{{Do: observe.Start, Process: 1}}, trail.Steps)
	s, err := trail.Scenario(&c.Input)
	require.NoError(t, err)
	require.Equal(t, "counterexample to: leaderless", s.Name)
	require.Equal(t, "not so in this state", s.Note)
	in, err := s.Input(func(string, string) (*election.Algorithm, error) { return c.Algorithm, nil })
	require.NoError(t, err)
	require.NoError(t, in.CheckSteps(s.Steps))
}

// TestEventOfANudge: it is that of any start, which comes from no port.
func TestEventOfANudge(t *testing.T) {
	c := toys(election.Complete, 3, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			n.believe(e, uint64(5+ev.Port))
		}
	})
	c.Initiators, c.Nudge = []election.ID{}, true
	all, _ := numbers(t, c)
	require.Equal(t, set(0, 5), all)
}

// TestTimesThatMatter: in the check every event of a Node that measures time has the same time, and the
// replay of the Trail gives it that time again.
func TestTimesThatMatter(t *testing.T) {
	for name, measures := range map[string]func(n *toy, e *election.Env, ev *election.Event){
		"keeps it": func(n *toy, _ *election.Env, ev *election.Event) { n.n = uint64(ev.At) },
		"goes by it": func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.At > 0 {
				e.Send(election.Clockwise, ball(1))
			}
		},
		"draws by it": func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.At == 0 {
				e.Choose(3)
			}
		},
	} {
		for _, started := range []bool{false, true} {
			c := toys(election.Ring, 2, func(n *toy, e *election.Env, ev *election.Event) {
				switch {
				case ev.Op == election.Start && n.self.ID == 1:
					e.Send(election.Clockwise, ball(0))
				case ev.Op == election.Start:
					measures(n, e, ev)
				case ev.Op == election.Recv:
					measures(n, e, ev)
					e.Decide(n.self)
				}
			})
			c.Started = started && name != "draws by it"
			c.Properties = []check.Property{{Name: "no leader", Kind: verdict.Always,
				Holds: func(s *check.State) bool {
					return s.Outcome(1).Role != election.Leader
				}}}
			trail := replayed(t, c, "no leader")
			for _, s := range trail.Steps {
				require.Equal(t, new(time.Duration), s.At, "%s: %v", name, trail.Steps)
			}
		}
	}
}

// TestErrOfAResult: it says which property does not hold, and why.
func TestErrOfAResult(t *testing.T) {
	const what = "check: a property does not hold: "
	c := check.Config{Input: listed(t, "dkr", "", 3), Unordered: true}
	require.EqualError(t, run(t, c).Err(),
		what+"only the right process leads: process 2 leads, not 3, which is the largest of the initiators")
	one := toys(election.Ring, 1, func(*toy, *election.Env, *election.Event) {})
	one.Properties = []check.Property{believes(verdict.Always, "one leads",
		func(id election.ID) bool { return id == 1 })}
	require.EqualError(t, run(t, one).Err(), what+"one leads: not so in this state")
	one.Properties[0].Kind = verdict.Sometimes
	require.EqualError(t, run(t, one).Err(), what+"one leads: in no state")
	r := check.Result{Stopped: check.ErrLimit}
	require.Equal(t, check.ErrLimit, r.Err())
}

// TestWhoShouldLead: the reason names the leader, the process that must win, and the rule of the descriptor.
func TestWhoShouldLead(t *testing.T) {
	for winner, want := range map[*election.Winner]string{
		election.LargestOfAll:        "process 1 leads, not 3, which is the largest of all",
		election.LargestOfInitiators: "process 1 leads, not 2, which is the largest of the initiators",
		election.LargestOfLive:       "process 1 leads, not 3, which is the largest live process",
	} {
		c := toys(election.Ring, 3, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start && n.self.ID == 1 {
				e.DecideIn(ev.Msg.Term, n.self)
			}
		})
		c.Algorithm.Winner, c.Algorithm.Elects = winner, election.OneLeader
		c.Initiators, c.Started = []election.ID{2, 1}, true
		trail := fails(t, c, verdict.RightLeader)
		require.EqualError(t, trail.Reason, want, fmt.Sprint(winner))
	}
}

// listed returns the election of an algorithm among the processes 1 to n.
func listed(t *testing.T, name, variant string, n int) scenario.Input {
	return input(find(t, name, variant, rising(n), nil), rising(n))
}

// TestTimesThatMatterLate: so it does where a message makes a difference only later than an equal one before.
func TestTimesThatMatterLate(t *testing.T) {
	for from, matters := range map[time.Duration]bool{3 * second: true, 4 * second: false} {
		c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
			switch {
			case ev.Op == election.Start:
				for range 3 {
					e.Send(0, ball(0))
				}
			case ev.Op == election.Recv && ev.At >= from:
				e.Send(0, ball(1))
			}
		})
		c.Initiators = rising(1)
		c.Properties = []check.Property{{Name: "never", Kind: verdict.Finally,
			Holds: func(*check.State) bool { return false }}}
		trail := fails(t, c, "never")
		require.Len(t, trail.Steps, 4)
		for _, s := range trail.Steps {
			require.Equal(t, matters, s.At != nil)
		}
	}
}
