package invitation_test

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/params"
)

var long = flag.Bool("long", false, "try larger networks and more schedules")

// upTo returns the IDs 1 to n.
func upTo(n int) []election.ID {
	var ids []election.ID
	for id := range n {
		ids = append(ids, election.ID(id+1))
	}
	return ids
}

func run(t testing.TB, c sim.Config) sim.Result {
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Err())
	return r
}

// partitions yields each way to divide 1 to n into groups, each with each of its members as the leader:
// the leader of process i+1 is at i.
func partitions(n int) iter.Seq[[]election.ID] {
	return func(yield func([]election.ID) bool) {
		leaders := make([]election.ID, n)
		var next func(i int) bool
		next = func(i int) bool {
			if i == n {
				for _, leader := range leaders {
					if leaders[leader-1] != leader {
						return true
					}
				}
				return yield(leaders)
			}
			for leader := range n {
				leaders[i] = election.ID(leader + 1)
				if !next(i + 1) {
					return false
				}
			}
			return true
		}
		next(0)
	}
}

// mergeOf returns what a leader that starts must cost, and when its last message arrives, in units: with
// answers of 3, acceptance of 5 and a wait of 9 for each process that a larger leader is ahead.
func mergeOf(leaders []election.ID, starter election.ID) (messages uint64, units int) {
	n, largest := len(leaders), slices.Max(leaders)
	one := func(leader election.ID) bool { return leader == starter }
	switch {
	case n == 1:
		return 0, 0
	case !slices.ContainsFunc(leaders, func(leader election.ID) bool { return !one(leader) }):
		return 2 * uint64(n-1), 2
	}
	return 7 * uint64(n-1), 3 + 5 + 2 + 9*max(int(largest)-int(starter), 0)
}

// TestMerge: whatever the groups are and whichever leader starts, a merge costs 7(n-1) messages and a
// check that finds no other leader 2(n-1). The one that starts leads all.
func TestMerge(t *testing.T) {
	most := 6
	if !*long {
		most = 5
	}
	settings, tried := config, 0
	for n := 1; n <= most; n++ {
		for leaders := range partitions(n) {
			settings.Leader = func(id election.ID) election.ID { return leaders[id-1] }
			a := configured(t, settings)
			for _, starter := range leaders {
				r := run(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: upTo(n),
					Initiators: []election.ID{starter}}})
				messages, units := mergeOf(leaders, starter)
				require.Equal(t, messages, r.Messages, "%v, %d starts", leaders, starter)
				require.Equal(t, time.Duration(units)*sim.Unit, r.Time, "%v, %d starts", leaders, starter)
				require.True(t, r.Agreed)
				require.Equal(t, starter, r.Leader, "%v", leaders)
				for _, k := range r.ByKind {
					require.EqualValues(t, n-1, k.Count, k.Kind)
				}
				tried++
			}
		}
	}
	require.Positive(t, tried)
}

// TestMergeAtRandom: the same among more processes, with priorities, and messages that take up to a unit and
// overtake each other.
func TestMergeAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 3))
		n := 2 + random.IntN(30)
		ids := nodetest.Random(n, seed)
		leaders := make(map[election.ID]election.ID)
		var all []election.ID
		for _, id := range ids {
			if i := random.IntN(len(all) + 1); i < len(all) {
				leaders[id] = all[i]
			} else {
				leaders[id], all = id, append(all, id)
			}
		}
		settings := config
		settings.Leader = func(id election.ID) election.ID { return leaders[id] }
		c := sim.Config{Seed: seed, Schedule: sim.RandomDelay, Delay: sim.Delay{Min: 1, Max: sim.Unit},
			Unordered: true, Input: scenario.Input{Algorithm: configured(t, settings), IDs: ids,
				Initiators: []election.ID{all[random.IntN(len(all))]}}}
		for range n {
			c.Priorities = append(c.Priorities, random.Uint64N(3))
		}
		r := run(t, c)
		if want := uint64(7 * (n - 1)); len(all) > 1 {
			require.Equal(t, want, r.Messages, "seed %d", seed)
		} else {
			require.EqualValues(t, 2*(n-1), r.Messages, "seed %d", seed)
		}
		require.Equal(t, c.Initiators[0], r.Leader)
	}
}

// TestAllStart: the largest merges first, and the others wait for it: (2n+5)(n-1) messages.
func TestAllStart(t *testing.T) {
	for n := 1; n <= 20; n++ {
		a := configured(t, config)
		r := run(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: nodetest.Random(n, uint64(n))}})
		require.EqualValues(t, (2*n+5)*(n-1), r.Messages)
		require.EqualValues(t, n, r.Leader)
		for seed := range uint64(20) {
			r := run(t, sim.Config{Seed: seed, Schedule: sim.RandomDelay, Unordered: true,
				Delay: sim.Delay{Min: 1, Max: sim.Unit}, Input: scenario.Input{Algorithm: a, IDs: upTo(n)}})
			require.EqualValues(t, (2*n+5)*(n-1), r.Messages)
			require.EqualValues(t, n, r.Leader)
		}
	}
}

// TestLarge: a merge of very many costs as much as the formula says.
func TestLarge(t *testing.T) {
	const n = 20_000
	r := run(t, sim.Config{Input: scenario.Input{Algorithm: configured(t, config), IDs: upTo(n),
		Initiators: []election.ID{n}}})
	require.EqualValues(t, 7*(n-1), r.Messages)
	require.EqualValues(t, n, r.Leader)
}

// TestAnyDelay: messages take up to ten times as long as the time-outs allow for, and overtake each
// other. Groups may stay apart, and all of a group agree.
func TestAnyDelay(t *testing.T) {
	several := 0
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 4))
		ids := upTo(2 + random.IntN(7))
		r := run(t, sim.Config{Seed: seed, Schedule: sim.RandomDelay, Unordered: true,
			Delay: sim.Delay{Min: 1, Max: 30 * sim.Unit}, Input: scenario.Input{IDs: ids,
				Algorithm: configured(t, config), Initiators: nodetest.Some(ids, seed)}})
		require.True(t, r.Groups && r.Grouped)
		if r.Claimants > 1 {
			several++
		}
	}
	require.Greater(t, several, 300)
}

// TestCheck: every schedule, with messages and timers that take as long as they like, and every crash.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name      string
		n         int
		starters  []election.ID
		unordered bool
		crashes   int
		restarts  int
		groups    func(election.ID) election.ID
	}{
		{"all of two start", 2, nil, true, 0, 0, nil},
		{"one of three starts", 3, upTo(1), true, 0, 0, nil},
		{"a crash among two", 2, nil, false, 1, 1, nil},
		{"a leader of two invites a third", 3, upTo(1), true, 0, 0, groups([]election.ID{1, 2})},
		{"a leader of two is invited", 3, []election.ID{3}, true, 0, 0, groups([]election.ID{1, 2})},
		{"and a process crashes", 3, []election.ID{3}, true, 1, 0, groups([]election.ID{1, 2})},
		{"two of three start", 3, []election.ID{1, 3}, false, 0, 0, nil},
		{"two leaders of three start", 3, []election.ID{1, 3}, false, 0, 0, groups([]election.ID{1, 2})},
		{"one of four starts", 4, upTo(1), false, 0, 0, nil},
		{"two groups of two, one leader starts", 4, upTo(1), false, 0, 0, groups([]election.ID{1, 2},
			[]election.ID{4, 3})},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := config
			settings.Leader = c.groups
			r, err := check.Run(t.Context(), check.Config{Input: scenario.Input{IDs: upTo(c.n),
				Algorithm: configured(t, settings), Initiators: c.starters}, Unordered: c.unordered,
				Crashes: c.crashes, Restarts: c.restarts})
			require.NoError(t, err)
			require.NoError(t, r.Err())
			require.True(t, r.Exhausted)
		})
	}
}

// TestSoak: crashes, and with an interval pauses, cuts and lost messages. In the end each process is in a
// group that has its leader, and with an interval all are one group.
func TestSoak(t *testing.T) {
	looking := config
	looking.Interval = 6 * sim.Unit
	for name, c := range map[string]soak.Config{
		"broad":            {Algorithm: configured(t, invitation.Config{}), Runs: 20_000},
		"chaos":            {Algorithm: configured(t, invitation.Config{}), Runs: 5000, Profile: soak.Chaos},
		"interval":         {Algorithm: configured(t, looking), Runs: 2000},
		"interval, chaos":  {Algorithm: configured(t, looking), Runs: 1000, Profile: soak.Chaos},
		"default interval": {Algorithm: configured(t, invitation.Config{Interval: 2 * sim.Unit}), Runs: 500},
	} {
		t.Run(name, func(t *testing.T) {
			if !*long {
				c.Runs /= 20
			}
			r, err := soak.Run(t.Context(), c)
			require.NoError(t, err)
			require.Nil(t, r.Failure)
			require.Equal(t, c.Runs, r.Runs)
			require.Positive(t, r.Crashes)
		})
	}
}

// TestConformance: processes that look for each other have all that is asked of Nodes.
func TestConformance(t *testing.T) {
	electiontest.Test(t, configured(t, invitation.Config{Interval: 6 * sim.Unit}),
		electiontest.Options{Seeds: 20, Processes: 6, States: 2000})
}

// TestPartition: a cut makes two groups, each with a leader, and once the links are whole again all are one.
func TestPartition(t *testing.T) {
	settings := config
	settings.Interval, settings.Leader = 6*sim.Unit, groups([]election.ID{5, 1, 2, 3, 4})
	s, err := sim.New(sim.Config{Until: 200 * sim.Unit, Input: scenario.Input{IDs: upTo(5),
		Algorithm: configured(t, settings), Initiators: []election.ID{},
		Faults: fault.Plan{Partitions: []fault.Partition{{From: 10 * sim.Unit, Until: 150 * sim.Unit,
			Groups: [][]election.ID{{1, 2}, {3, 4, 5}}}}}}})
	require.NoError(t, err)
	leaders := func(at time.Duration) (list []election.ID) {
		s.Extend(at * sim.Unit)
		require.NoError(t, s.Run(t.Context()))
		for p := range 5 {
			list = append(list, s.Outcome(p).Leader.ID)
		}
		return list
	}
	require.Equal(t, []election.ID{5, 5, 5, 5, 5}, leaders(9))
	require.Equal(t, []election.ID{2, 2, 5, 5, 5}, leaders(140))
	r := s.Result()
	require.NoError(t, r.Err(), "two groups are no failure")
	require.Equal(t, 2, r.Claimants)
	require.Equal(t, []election.ID{5, 5, 5, 5, 5}, leaders(300))
}

// TestCrashOfLeader: the leader crashes, a detector reports it, and the others merge again. It comes
// back alone, and finds their leader.
func TestCrashOfLeader(t *testing.T) {
	settings := config
	settings.Leader = groups([]election.ID{5, 1, 2, 3, 4})
	s, err := sim.New(sim.Config{Input: scenario.Input{IDs: upTo(5), Algorithm: configured(t, settings),
		Initiators: []election.ID{}, SuspectAfter: 2 * sim.Unit,
		CrashAt:   []scenario.At{{ID: 5, Time: 10 * sim.Unit}},
		RestartAt: []scenario.At{{ID: 5, Time: 100 * sim.Unit}}}, Until: 90 * sim.Unit})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	for p := range 4 {
		require.Equal(t, election.ID(4), s.Outcome(p).Leader.ID)
	}
	s.Extend(0)
	require.NoError(t, s.Run(t.Context()))
	r := s.Result()
	require.NoError(t, r.Err())
	require.True(t, r.Agreed)
	require.Equal(t, election.ID(5), r.Leader)
	require.EqualValues(t, 3, s.Outcome(0).Term, "group 1 before the crash, 2 alone, 3 of all")
}

// TestForgotten: a process that has not saved how many groups it has founded uses a number again. The checker
// and the simulation notice.
func TestForgotten(t *testing.T) {
	a := configured(t, config)
	a.Faults.Crash = election.MayRecover
	a.Params, a.Configure = nil, nil // configured again it would not survive that
	c := check.Config{Input: scenario.Input{IDs: upTo(2), Algorithm: a, Initiators: upTo(1)}, Crashes: 1,
		Recoveries: 1}
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	require.NotNil(t, r.Counterexample)
	require.Equal(t, verdict.GroupsOnce, r.Counterexample.Property)
	require.ErrorContains(t, r.Counterexample.Reason, "leads a group of Term 1, after a group of Term 1")

	soaked, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: 100})
	require.NoError(t, err)
	require.NotNil(t, soaked.Failure)
	require.Equal(t, verdict.GroupsOnce, soaked.Failure.Violation.Property)
}

func TestConfig(t *testing.T) {
	const unit = sim.Unit
	for _, c := range []struct {
		config invitation.Config
		want   string
	}{
		{invitation.Config{}, ""},
		{invitation.Config{AnswerTimeout: 2 * unit, AcceptTimeout: 3 * unit, PriorityWait: 1}, ""},
		{invitation.Config{Delay: 1, AnswerTimeout: 2, AcceptTimeout: 3, PriorityWait: 1}, ""},
		{invitation.Config{AnswerTimeout: 2*unit - 1},
			"AnswerTimeout: 1.999999999s is less than 2s, which an answer may take"},
		{invitation.Config{AcceptTimeout: 3*unit - 1},
			"AcceptTimeout: 2.999999999s is less than 3s, which an invitation that is forwarded may take"},
		{invitation.Config{Interval: 10 * time.Millisecond}, ""},
		{invitation.Config{Interval: unit, AnswerTimeout: 2 * unit, AcceptTimeout: 3 * unit,
			PriorityWait: 2 * unit}, ""},
		{invitation.Config{Delay: -1}, "Delay: -1ns is not between 0 and "},
		{invitation.Config{AcceptTimeout: 1 << 62}, "AcceptTimeout: "},
		{invitation.Config{Interval: 10*time.Millisecond - 1}, "Interval: 9.999999ms is less than 10ms, a " +
			"hundredth of Delay"},
		{invitation.Config{Interval: unit, AnswerTimeout: 2*unit - 1},
			"AnswerTimeout: 1.999999999s is less than 2s, which an answer may take"},
		{invitation.Config{Interval: unit, AcceptTimeout: 3*unit - 1},
			"AcceptTimeout: 2.999999999s is less than 3s, which an invitation that is forwarded may take"},
		{invitation.Config{Interval: unit, PriorityWait: 2*unit - 1},
			"PriorityWait: 1.999999999s is less than 2s, by which the next merges may be apart"},
	} {
		a, err := invitation.New(c.config)
		if c.want == "" {
			require.NoError(t, err)
			require.NoError(t, a.Check())
			continue
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c.want)
	}
}

func TestParameters(t *testing.T) {
	type values = map[string]params.Value
	base := invitation.Algorithms()[0]
	require.Zero(t, base.Delay, "no promise rests on time")
	for _, c := range []struct {
		values values
		want   string
	}{
		{values{"answer_timeout": {Number: 3}, "accept_timeout": {Number: 5},
			"groups": {Lists: map[uint64][]uint64{3: {1}, 2: {}}}}, ""},
		{values{"groups": {ByID: map[uint64]float64{3: 1}}}, ""},
		{values{"groups": {Lists: map[uint64][]uint64{3: {1}, 2: {1}}}}, "params.groups: 1 is twice in them"},
		{values{"groups": {Lists: map[uint64][]uint64{3: {2}, 2: {1}}}}, "params.groups: 2 is twice in them"},
		{values{"groups": {Lists: map[uint64][]uint64{4: {1}}}}, "params.groups: 4 is not a process"},
		{values{"groups": {Number: 1}}, "params.groups: 1 is not a table of lists of processes by process"},
		{values{"interval": {Number: 6}, "answer_timeout": {Number: 1.5}},
			"params.answer_timeout: 1.5 delays is less than 2 delays, which an answer may take"},
		{values{"answer_timeout": {Number: 1}},
			"params.answer_timeout: 1 delay is less than 2 delays, which an answer may take"},
		{values{"accept_timeout": {Number: 2.5}}, "params.accept_timeout: 2.5 delays is less than 3 delays"},
		{values{"answer_timeout": {}}, "params.answer_timeout: zero leaves no time for a message"},
		{values{"interval": {Number: 6}, "delay": {Number: 2}, "priority_wait": {Number: 4}}, ""},
	} {
		a, err := scenario.Configure(base, c.values, upTo(3), 0)
		if c.want == "" {
			require.NoError(t, err)
			looks := c.values["interval"].Number > 0
			require.Equal(t, looks, a.NeverQuiesces)
			require.Equal(t, time.Duration(2*c.values["interval"].Number/6*float64(sim.Unit)), a.Delay)
			continue
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c.want)
	}
}

// TestTooLongToWait: a wait for very many processes stays within the times that there are.
func TestTooLongToWait(t *testing.T) {
	settings := config
	settings.PriorityWait = params.MaxTimeout
	p := alone(t, settings)
	p.do(t, "init")
	p.do(t, "start")
	p.do(t, "5 ayc_r 3/1 yes")
	require.Equal(t, fmt.Sprintf("+larger%d", params.MaxTimeout/sim.Unit), p.do(t, "answers"))
}

// TestKinds: READY and its reply announce; each reply follows its question.
func TestKinds(t *testing.T) {
	var announce []string
	kinds := configured(t, config).Kinds
	for i, k := range kinds {
		if k.Announces {
			announce = append(announce, k.Name)
		}
		if question, ok := strings.CutSuffix(k.Name, "_r"); ok {
			require.Equal(t, question, kinds[i-1].Name)
		}
	}
	require.Equal(t, []string{"ready", "ready_r"}, announce)
}
