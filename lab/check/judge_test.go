package check_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// ruled returns what Judge finds in steps, which the simulator takes as well.
func ruled(t *testing.T, in scenario.Input, steps []scenario.Step,
	property verdict.Property) (verdict.Property, error) {
	t.Helper()
	require.NoError(t, in.Check())
	r, err := check.Judge(t.Context(), in, steps, property)
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: in, Steps: append([]scenario.Step{}, steps...)})
	require.NoError(t, err)
	if err := s.Run(t.Context()); !errors.Is(err, observe.ErrPanic) {
		require.NoError(t, err)
	}
	return r.Broken, r.Reason
}

// TestUnbreakable: a property that no steps of an algorithm break is refused, and no other one.
func TestUnbreakable(t *testing.T) {
	all := map[string]map[verdict.Property]string{
		"lcr/participant": {
			verdict.Exclusive: "lcr/participant has no critical section", verdict.Ends: "",
			verdict.Tokens: "lcr/participant has no critical section", verdict.Sound: "",
			verdict.Served: "lcr/participant has no critical section", verdict.Bounded: "",
			verdict.Leads: "it is a property of all runs together", verdict.Enters: "it is a property of all runs together",
			verdict.Rests: "steps have an end", verdict.RightLeader: "", verdict.RightAtEnd: "",
			verdict.NoChange: "", verdict.TermAgreement: "", verdict.Agreement: "", "": "",
			"a user's own":     "",
			verdict.OneLease:   "lcr/participant has no leases",
			verdict.LaterTerms: "lcr/participant has no leases",
			verdict.GroupsOnce: "lcr/participant forms no groups",
			verdict.InGroups:   "lcr/participant forms no groups",
		},
		"invitation": {
			verdict.OneLeader:  "invitation has one leader per group",
			verdict.Agreement:  "invitation has one leader per group",
			verdict.GroupsOnce: "", verdict.InGroups: "", verdict.Terminated: "", verdict.Ends: "",
		},
		"bully/rules": {
			verdict.RightLeader:   "bully/rules is long-lived, and may change what it has decided",
			verdict.TermAgreement: "bully/rules is long-lived, and may change what it has decided",
			verdict.NoChange:      "bully/rules is long-lived, and may change what it has decided",
			verdict.Bounded:       "bully/rules promises no number of messages in this election",
			verdict.OneLeader:     "", verdict.RightAtEnd: "", verdict.Terminated: "", verdict.Ends: "",
		},
		"mutex/ricartagrawala": {
			verdict.OneLeader: "mutex/ricartagrawala elects no leader", verdict.Exclusive: "",
			verdict.Tokens:    "",
			verdict.Agreement: "mutex/ricartagrawala elects no leader", verdict.Served: "",
		},
	}
	judge := func(in scenario.Input, p verdict.Property) string {
		require.NoError(t, in.Check())
		_, err := check.Judge(t.Context(), in, nil, p)
		if err == nil {
			return ""
		}
		require.ErrorIs(t, err, election.ErrInput)
		return err.Error()
	}
	for title, want := range all {
		name, variant, _ := strings.Cut(title, "/")
		in := input(find(t, name, variant, rising(3), nil), rising(3))
		in.Initiators = rising(1)
		for p, why := range want {
			if why == "" {
				require.Empty(t, judge(in, p), "%s, %s", title, p)
			} else {
				require.Equal(t, fmt.Sprintf("election: bad input: property: no steps break %q: %s", p, why),
					judge(in, p), title)
			}
		}
	}
	any := *find(t, "lcr", "", rising(3), nil)
	any.Winner = nil
	require.Contains(t, judge(input(&any, rising(3)), verdict.RightAtEnd),
		"does not say which process must lead")
	rests := *find(t, "lcr", "", rising(3), nil)
	rests.NeverQuiesces = true
	require.Contains(t, judge(input(&rests, rising(3)), verdict.Ends), "never comes to rest")
}

// TestJudge: a counterexample breaks its property, with its last step, and no part of it does.
func TestJudge(t *testing.T) {
	for name, c := range mistaken(t) {
		t.Run(name, func(t *testing.T) {
			r, err := check.Run(t.Context(), c)
			require.NoError(t, err)
			trail := r.Counterexample
			require.NotNil(t, trail)
			property, reason := ruled(t, c.Input, trail.Steps, trail.Property)
			require.Equal(t, trail.Property, property)
			for only, want := range map[verdict.Property]verdict.Property{property: property, "a user's own": ""} {
				r, err := check.Judge(t.Context(), c.Input, trail.Steps, only)
				require.NoError(t, err)
				require.Equal(t, want, r.Only)
			}
			if name != "ends" {
				require.EqualError(t, reason, trail.Reason.Error())
				other, _ := ruled(t, c.Input, trail.Steps, "what no rule is called")
				require.Equal(t, trail.Property, other, "all rules together")
			}
			for k := range trail.Steps {
				property, reason := ruled(t, c.Input, trail.Steps[:k], trail.Property)
				require.NoError(t, reason, "%s after %d of %d steps", property, k, len(trail.Steps))
			}
		})
	}
}

// TestBudget: what may go wrong is what goes wrong in the steps, and all have started together if
// nothing comes before that.
func TestBudget(t *testing.T) {
	in := input(find(t, "bully", "rules", rising(2), nil), rising(2))
	require.NoError(t, in.Check())
	both := []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Start, Process: 2}}
	for _, c := range []struct {
		steps []scenario.Step
		want  check.Config
	}{
		{both, check.Config{Started: true}},
		{both[1:], check.Config{}},
		{[]scenario.Step{{Do: observe.Deliver}, both[1]}, check.Config{}},
		{[]scenario.Step{both[0], {Do: observe.Deliver}, both[1]}, check.Config{}},
		{append(both, scenario.Step{Do: observe.Deliver, Nth: 0}), check.Config{Started: true}},
		{append(both, scenario.Step{Do: observe.Deliver, Nth: 1}, scenario.Step{Do: observe.Deliver}),
			check.Config{Started: true, Unordered: true}},
		{[]scenario.Step{{Do: observe.Crash}, {Do: observe.Crash}, {Do: observe.Recover},
			{Do: observe.Restart},
			{Do: observe.Lose}, {Do: observe.Lose}, {Do: observe.Lose}, {Do: observe.Duplicate},
			{Do: observe.Pause}},
			check.Config{Crashes: 2, Recoveries: 1, Restarts: 1, Losses: 3, Duplicates: 1, Pauses: 1}},
	} {
		got := check.Budget(in, c.steps)
		c.want.Input = got.Input
		require.Equal(t, fmt.Sprintf("%+v", c.want), fmt.Sprintf("%+v", got))
	}
}

// TestAtTheBound: as many messages as the bound allows for are not too many.
func TestAtTheBound(t *testing.T) {
	c := check.Config{Input: input(find(t, "lcr", "participant", rising(1), nil), rising(1))}
	c.Properties = []check.Property{{Name: "no end", Kind: verdict.Finally,
		Holds: func(*check.State) bool { return false }}}
	steps := fails(t, c, "no end").Steps
	require.Len(t, steps, 3)
	property, err := ruled(t, c.Input, steps, verdict.Bounded)
	require.NoError(t, err, property)
}

// TestJudgeOfLeases: a lease is judged at the time of the run, by the clock of its holder.
func TestJudgeOfLeases(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Lease(uint64(n.self.ID), ev.At+2*second)
			e.SetTimer(1, 9*second, 9*second) // the run does not rest, so its end is not judged
		}
	})
	c.Algorithm.Elects = election.LeaseHolders
	both := func(first, second election.ID, later time.Duration) []scenario.Step {
		return []scenario.Step{{Do: observe.Start, Process: first, At: new(time.Duration)},
			{Do: observe.Start, Process: second, At: &later}}
	}
	for _, of := range []struct {
		steps []scenario.Step
		rate  float64 // of the clock of process 1
		want  verdict.Property
	}{
		{both(1, 2, 2*second), 1, ""},
		{both(1, 2, 2*second-1), 1, verdict.OneLease},
		{both(1, 2, second), 2, ""},
		{both(1, 2, 3*second), 0.5, verdict.OneLease},
		{both(2, 1, 3*second), 1, verdict.LaterTerms},
	} {
		c.ClockRates = []scenario.ClockRate{{ID: 1, Rate: of.rate}}
		for _, property := range []verdict.Property{"", of.want} {
			found, reason := ruled(t, c.Input, of.steps, property)
			require.Equal(t, of.want, found, reason)
			require.Equal(t, of.want == "", reason == nil)
		}
	}
}

// TestJudgeReturnsToStates: steps lead to where they have been only if nothing goes wrong on the way.
func TestJudgeReturnsToStates(t *testing.T) {
	c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Timeout || ev.Op == election.Start {
			e.Send(0, ball(0))
			e.SetTimer(1, second, second)
		}
	})
	c.Initiators = rising(1)
	start, runsOut := scenario.Step{Do: observe.Start, Process: 1},
		scenario.Step{Do: observe.Timeout, Process: 1,
			Timer: 1}
	on := func(do observe.What) scenario.Step { return scenario.Step{Do: do, Process: 2, Port: 0} }
	for _, of := range []struct {
		steps []scenario.Step
		want  verdict.Property
	}{
		{[]scenario.Step{start, runsOut, on(observe.Deliver)}, verdict.Ends},
		{[]scenario.Step{start, runsOut, on(observe.Deliver), runsOut}, verdict.Ends},
		{[]scenario.Step{start, runsOut, on(observe.Lose)}, ""},
		{[]scenario.Step{start, runsOut, on(observe.Lose), runsOut, on(observe.Deliver)}, verdict.Ends},
		{[]scenario.Step{start, on(observe.Duplicate), on(observe.Deliver)}, ""},
		{[]scenario.Step{start, {Do: observe.Crash, Process: 2}, {Do: observe.Recover, Process: 2}}, ""},
		{[]scenario.Step{start, {Do: observe.Crash, Process: 2}, {Do: observe.Restart, Process: 2}}, ""},
	} {
		found, reason := ruled(t, c.Input, of.steps, verdict.Ends)
		require.Equal(t, of.want, found, "%v: %v", of.steps, reason)
	}
}

// follows returns an election that process 2 wins, and says so to 1 as soon as it starts.
func follows() check.Config {
	c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			if e.Self().ID == 2 {
				e.Decide(e.Self())
				e.Send(0, ball(2))
			}
		case election.Recv:
			e.Decide(election.Rank{ID: election.ID(ev.Msg.Value)})
			e.Save() // or else a restart finds nothing, and is a return without state
		default:
			return
		}
		e.Done()
	})
	c.Algorithm.Elects, c.Algorithm.Faults.Crash = election.Successors, election.StaysDown
	c.Algorithm.Winner = election.LargestOfLive
	return c
}

// TestJudgeWaits: what must hold in the end is judged only where nothing is left to happen, with all that the
// checker counts as such.
func TestJudgeWaits(t *testing.T) {
	at := func(do observe.What, p election.ID) scenario.Step { return scenario.Step{Do: do, Process: p} }
	led := []scenario.Step{at(observe.Start, 1), at(observe.Start, 2), at(observe.Deliver, 1)}
	and := func(more ...scenario.Step) []scenario.Step { return append(slices.Clone(led), more...) }
	for _, of := range []struct {
		steps []scenario.Step
		want  verdict.Property
	}{
		{led, ""},
		{led[:1], ""},           // 2 is to start
		{led[:2], ""},           // a message is on its way
		{[]scenario.Step{}, ""}, // both are to start
		{append(slices.Clone(led[:2]), at(observe.Lose, 1)), verdict.Agreement},
		{append(slices.Clone(led[:2]), at(observe.Duplicate, 1), at(observe.Lose, 1)), ""}, // so is its copy
		{append(slices.Clone(led[:2]), at(observe.Duplicate, 1), at(observe.Lose, 1), at(observe.Lose, 1)),
			verdict.Agreement},
		{and(at(observe.Crash, 2)), ""}, // 1 is to notice
		{and(at(observe.Crash, 2), at(observe.Suspect, 1)), verdict.Agreement},
		{and(at(observe.Crash, 2), at(observe.Start, 1)), verdict.Agreement}, // as if it had noticed
		{append(slices.Clone(led[:2]), at(observe.Duplicate, 1), at(observe.Deliver, 1), at(observe.Crash, 2),
			at(observe.Deliver, 1)), ""}, // also after what is no notice
		{[]scenario.Step{at(observe.Start, 2), at(observe.Deliver, 1), at(observe.Crash, 2),
			at(observe.Start, 1)}, ""}, // its first start is no notice
		{and(at(observe.Crash, 1)), ""},
		{and(at(observe.Crash, 1), at(observe.Crash, 2)), ""},
		{and(at(observe.Crash, 1), at(observe.Recover, 1)), verdict.Agreement},
		{and(at(observe.Crash, 1), at(observe.Restart, 1)), verdict.Agreement},
		{and(at(observe.Crash, 2), at(observe.Suspect, 1), at(observe.Recover, 2)), verdict.Agreement},
	} {
		for _, property := range []verdict.Property{"", verdict.Agreement, verdict.RightAtEnd} {
			found, reason := ruled(t, follows().Input, of.steps, property)
			require.Equal(t, of.want, found, "%v: %v", dos(of.steps), reason)
		}
	}
}

// TestJudgedTogether: a Judge of one property of the end judges the others as well where they apply, and that
// one in any case.
func TestJudgedTogether(t *testing.T) {
	c := follows()
	c.Algorithm.Winner = &election.Winner{Name: "smallest", Smallest: true,
		Of: func(all []election.Candidate) election.ID { return 1 }}
	steps := []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Start, Process: 2},
		{Do: observe.Deliver, Process: 1}}
	for _, crash := range []election.Crash{election.StaysDown, election.NoCrash} {
		c.Algorithm.Faults.Crash = crash
		found, _ := ruled(t, c.Input, steps, verdict.Agreement)
		require.Equal(t, verdict.RightAtEnd, found)
	}
	steps = append([]scenario.Step{{Do: observe.Pause, Process: 1}, {Do: observe.Resume, Process: 1}},
		steps...)
	for property, want := range map[verdict.Property]verdict.Property{verdict.Agreement: "",
		verdict.RightAtEnd: verdict.RightAtEnd} {
		found, _ := ruled(t, c.Input, steps, property)
		require.Equal(t, want, found)
	}
}

// TestBoundOfOne: a second message is too many where one is promised.
func TestBoundOfOne(t *testing.T) {
	for bound, want := range map[float64]verdict.Property{0: "", 1: verdict.Bounded, 2: ""} {
		c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Send(0, ball(0))
			}
		})
		c.Algorithm.Elects = election.Successors
		c.Algorithm.Worst.Count = func(int) float64 { return bound }
		steps := []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Start, Process: 2}}
		found, reason := ruled(t, c.Input, steps, "")
		require.Equal(t, want, found, bound)
		if want != "" { // of a long-lived one, not of one election
			require.EqualError(t, reason, "2 messages, more than the 1 that are promised")
			c.Algorithm.Elects = election.OneLeader
			_, reason = ruled(t, c.Input, steps, verdict.Bounded)
			require.EqualError(t, reason, "2 messages in one election, more than the 1 that are promised")
		}
	}
}

// TestJudgeOfRefusal: a start that would be refused is nothing left to happen; another one is.
func TestJudgeOfRefusal(t *testing.T) {
	for _, of := range []struct {
		refuse []election.ID
		want   verdict.Property
	}{{ids(1), ""}, {ids(2), ""}, {ids(1, 2), verdict.Agreement}} {
		c := toys(election.Complete, 3, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start && slices.Contains(of.refuse, n.self.ID) {
				e.Refuse(election.ErrLateStart)
			}
		})
		c.Algorithm.Elects = election.Successors
		steps := []scenario.Step{{Do: observe.Start, Process: 3}}
		found, reason := ruled(t, c.Input, steps, verdict.Agreement)
		require.Equal(t, of.want, found, "%v: %v", of.refuse, reason)
	}
}

// TestJudgeOfAllDown: processes that are down from the beginning leave a state as it was, which is no cycle.
func TestJudgeOfAllDown(t *testing.T) {
	c := toys(election.Complete, 2, func(*toy, *election.Env, *election.Event) {})
	c.Crashed = ids(1, 2)
	found, reason := ruled(t, c.Input, nil, verdict.Ends)
	require.Empty(t, found, reason)
}

// TestJudgeOfShortTimes: a nanosecond later is another time, so steps after it lead to another state.
func TestJudgeOfShortTimes(t *testing.T) {
	c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
		if ev.Op == election.Start || ev.Op == election.Timeout {
			e.SetTimer(1, 0, 1)
		}
	})
	for at, want := range map[time.Duration]verdict.Property{0: verdict.Ends, 1: ""} {
		found, reason := ruled(t, c.Input, []scenario.Step{{Do: observe.Start, Process: 1,
			At: new(time.Duration)},
			{Do: observe.Timeout, Process: 1, Timer: 1, At: &at}}, verdict.Ends)
		require.Equal(t, want, found, reason)
	}
}

// TestJudgeOfSections: processes may be in two sections at once, but not in one.
func TestJudgeOfSections(t *testing.T) {
	for sections, want := range map[[2]uint8]verdict.Property{{0, 0}: verdict.Exclusive, {0, 1}: "",
		{63, 63}: verdict.Exclusive, {0, 63}: ""} {
		c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				m := election.Message{Value: uint64(n.self.ID), Flags: sections[n.self.ID-1]}
				e.Raise(election.Event{Op: election.Entered, Msg: m})
			}
		})
		c.Algorithm.Sections = 64
		steps := []scenario.Step{{Do: observe.Start, Process: 1}, {Do: observe.Start, Process: 2}}
		found, reason := ruled(t, c.Input, steps, verdict.Exclusive)
		require.Equal(t, want, found, reason)
		if want == "" {
			holds(t, c)
		} else {
			require.Equal(t, verdict.BothInside(1, 2, sections[0]), reason)
			require.Equal(t, reason, fails(t, c, want).Reason)
		}
	}
}

// TestJudgeOfChoices: choices that a step does not have are zero, and it has none that the Node does not make.
func TestJudgeOfChoices(t *testing.T) {
	for _, of := range []struct {
		choices []int
		drawn   uint64
		wrong   bool
	}{
		{nil, 0, false}, {[]int{2}, 20, false}, {[]int{2, 1}, 21, false}, {[]int{0, 1}, 1, false},
		{[]int{3}, 0, true}, {[]int{0, 2}, 0, true}, {[]int{0, 0, 0}, 0, true},
	} {
		c := toys(election.Complete, 1, func(_ *toy, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				drawn := 10*uint64(e.Choose(3)) + uint64(e.Choose(2))
				require.True(t, of.wrong || drawn == of.drawn, of.choices)
			}
		})
		require.NoError(t, c.Input.Check())
		start := []scenario.Step{{Do: observe.Start, Process: 1, Choices: of.choices}}
		_, err := check.Judge(t.Context(), c.Input, start, "")
		require.Equal(t, of.wrong, errors.Is(err, election.ErrInput), "%v: %v", of.choices, err)
	}
}
