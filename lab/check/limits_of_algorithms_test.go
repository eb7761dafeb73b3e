package check_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// Where an algorithm must fail: outside its model. Every counterexample is run by the simulator too.

// TestDolevKlaweRodehNeedsOrder: a message that overtakes another makes the wrong process lead.
func TestDolevKlaweRodehNeedsOrder(t *testing.T) {
	c := check.Config{Input: input(dkr.Algorithm(), falling(3)), Unordered: true}
	require.Len(t, replayed(t, c, verdict.RightLeader).Steps, 8)
	c.IDs, c.Topology = falling(2), nil
	require.Len(t, replayed(t, c, verdict.RightLeader).Steps, 6)
	c.Unordered = false
	holds(t, c)
}

// TestLossIsFatal: the receiver of a lost message waits for it forever.
func TestLossIsFatal(t *testing.T) {
	for _, losses := range []int{1, check.Unlimited} {
		for _, title := range [][2]string{{"lcr", "participant"}, {"franklin", ""}, {"inquiry", "states"},
			{"echo", "implicit"}, {"treeelect", "saturation"}} {
			c := check.Config{Losses: losses}
			c.IDs, c.Initiators = falling(3), falling(1)
			c.Algorithm = find(t, title[0], title[1], c.IDs, nil)
			c.Initiators = c.IDs[:1]
			trail := replayed(t, c, verdict.Agreement)
			require.Contains(t, dos(trail.Steps), observe.Lose, title)
		}
	}
	c := check.Config{Input: input(lcr.Participant(), falling(3)), Losses: 1, Started: true}
	require.Len(t, replayed(t, c, verdict.Agreement).Steps, 3+3+1)
}

// TestLateMessagesMakeTwoLeaders: no choice of time-outs helps where delays have no bound.
func TestLateMessagesMakeTwoLeaders(t *testing.T) {
	for _, a := range []*election.Algorithm{find(t, "bully", "rules", rising(2), nil),
		find(t, "modbully", "base", rising(2), nil)} {
		c := check.Config{Input: input(a, rising(2))}
		trail := replayed(t, c, verdict.OneLeader)
		require.Len(t, trail.Steps, 3, a.Title())
		require.Contains(t, dos(trail.Steps), observe.Timeout)
		c.Delay = a.Delay
		holds(t, c)
	}
}

// TestLossMakesTwoLeaders: a process that is cut off elects itself. With bounded delays one loss is enough,
// where a follower starts late: of its ELECTION, or of the answer. Where both start before anything
// arrives it takes the loss of what goes between the two.
func TestLossMakesTwoLeaders(t *testing.T) {
	a := find(t, "bully", "rules", rising(2), nil)
	c := check.Config{Input: input(a, rising(2)), Delay: a.Delay, Losses: check.Unlimited}
	require.Len(t, replayed(t, c, verdict.OneLeader).Steps, 5)
	c.Losses = 1
	late := dos(replayed(t, c, verdict.OneLeader).Steps)
	require.Len(t, late, 6)
	require.Equal(t, []observe.What{observe.Start, observe.Deliver, observe.Start, observe.Lose,
		observe.Timeout},
		late[:5])
	c.Started = true
	holds(t, c)
	c.Losses = 2
	steps := dos(replayed(t, c, verdict.OneLeader).Steps)
	require.Equal(t, []observe.What{observe.Lose, observe.Lose, observe.Timeout}, steps[2:])
}

// aliveAfter is a bully that waits so long for an answer, in ticks of a fourth of a delay.
func aliveAfter(t *testing.T, n, ticks int) check.Config {
	t.Helper()
	a, err := bully.Rules(bully.Config{Delay: second, AliveTimeout: time.Duration(ticks) * second / 4,
		CoordinatorTimeout: 20 * second, Unsafe: true})
	require.NoError(t, err)
	return check.Config{Input: input(a, rising(n)), Delay: second, Tick: second / 4}
}

// TestShortestTimeout: two delays to wait for an answer are enough, since an answer that arrives at the very
// end of them is heard; less by one tick are not. Between two processes that start before anything
// arrives one delay is: the larger one does not only answer, it announces itself as soon as it starts.
func TestShortestTimeout(t *testing.T) {
	together := aliveAfter(t, 2, 4)
	together.Started = true
	holds(t, together)
	for n, steps := range map[int]int{2: 5, 3: 9} {
		const enough = 8
		first := enough - 1
		if *long {
			first = 1
		}
		for ticks := first; ticks < enough; ticks++ {
			trail := replayed(t, aliveAfter(t, n, ticks), verdict.OneLeader)
			if ticks == enough-1 {
				require.Len(t, trail.Steps, steps)
			}
		}
		c := aliveAfter(t, n, enough)
		if n == 3 { // fourths would take ten times as many states
			if !*long {
				continue
			}
			c.Tick = second / 2
		}
		holds(t, c)
	}
}

// TestHaltingWaitsToBeAsked: when a process crashes that has halted others, these have no leader until one
// of them gets a Start.
func TestHaltingWaitsToBeAsked(t *testing.T) {
	a := find(t, "bully", "halting", rising(2), nil)
	c := check.Config{Input: input(a, rising(2)), Delay: a.Delay, Crashes: 1}
	trail := replayed(t, c, verdict.Agreement)
	require.Contains(t, dos(trail.Steps), observe.Crash)
	require.Len(t, trail.Steps, 4)
	c.Nudge = true
	holds(t, c)
}

// TestArbiterReturnsWithoutState: an arbiter that forgets the Term counts it again, but hears from the other
// process which reign there was. Its description does not promise that, for more processes.
func TestArbiterReturnsWithoutState(t *testing.T) {
	a := find(t, "mutex", "arbiter", rising(2), nil)
	c := check.Config{Input: input(a, rising(2)), Delay: a.Delay, Crashes: 1, Recoveries: 1}
	holds(t, c)
	c.Recoveries, c.Restarts = 0, 1
	holds(t, c)
}

// TestUsedUpToken: a token with a budget does not wait for those that start late.
func TestUsedUpToken(t *testing.T) {
	a := find(t, "mutex", "tokenring", rising(2), nil)
	require.Len(t, replayed(t, check.Config{Input: input(a, rising(2))}, verdict.Served).Steps, 8)
}

// TestConvenienceCountsOnOrder: without it the count of modbully/convenience is exceeded, with it never.
func TestConvenienceCountsOnOrder(t *testing.T) {
	a := find(t, "modbully", "convenience", rising(2), nil)
	for n := 2; n <= 3; n++ {
		c := check.Config{Input: input(a, rising(n)), Delay: a.Delay, Started: true}
		require.LessOrEqual(t, holds(t, c).Messages, 5*(n-1))
		c.Unordered = true // which its description allows for
		require.Greater(t, holds(t, c).Messages, 5*(n-1))
	}
}

// TestLateStart: a process starts also while it follows a leader that is up, unless a Start reports that this
// leader has crashed: then two would lead.
func TestLateStart(t *testing.T) {
	c := check.Config{Input: input(find(t, "modbully", "base", rising(2), nil), rising(2)), Delay: second}
	c.Properties = []check.Property{{Name: "a follower has started", Kind: verdict.Sometimes,
		Holds: func(s *check.State) bool {
			return s.Outcome(1).Role == election.Leader && s.Outcome(0).Role == election.Undecided &&
				s.Outcome(0).Term > s.Outcome(1).Term
		}}}
	holds(t, c)
	suspects := *find(t, "modbully", "base", rising(2), map[string]params.Value{"coordinator": {Number: 2}})
	c = check.Config{Input: input(&suspects, rising(2)), Delay: second}
	holds(t, c)
	suspects.StartSuspects = false
	fails(t, c, verdict.OneLeader)
}

// TestNoticesWait: no process notices the crash of its leader while a message of that one is in flight.
func TestNoticesWait(t *testing.T) {
	c := check.Config{Input: input(find(t, "bully", "rules", rising(3), nil), rising(3)), Delay: second,
		Crashes: 1}
	c.Initiators = []election.ID{3}
	c.Properties = []check.Property{{Name: "process 1 elects before process 2 has heard of its leader",
		Kind: verdict.Sometimes, Holds: func(s *check.State) bool {
			return !s.Up(2) && s.Outcome(0).Term > 1 && s.Outcome(1).Term == 0
		}}}
	r := run(t, c)
	require.Contains(t, fmt.Sprint(r.Err()), "process 1 elects before")
}
