package check_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// TestJudgeForgets: what one occurrence has changed is not changed once more by the next: a message that is
// lost stays lost.
func TestJudgeForgets(t *testing.T) {
	c := toys(election.Complete, 3, func(_ *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start && e.Self().ID == 1:
			stops(e)
		case ev.Op == election.Recv && e.Self().ID == 2:
			e.Send(ev.Port, ev.Msg) // which changes nothing but a link
		}
	})
	c.Algorithm.Elects = election.Successors
	c.Algorithm.Faults = election.Faults{Crash: election.StaysDown, Reported: true}
	at := func(do observe.What, p election.ID) scenario.Step { return scenario.Step{Do: do, Process: p} }
	port := at(observe.Lose, 3) // 1 is at port 0 of 2 and of 3
	for name, next := range map[string][]scenario.Step{
		"none":   {port},
		"double": {at(observe.Duplicate, 3), port, port},
		"crash": {port, at(observe.Crash, 3), {Do: observe.Suspect, Process: 1, Port: 1},
			{Do: observe.Suspect, Process: 2, Port: 1}},
		"step":   {port, at(observe.Start, 3)},
		"answer": {at(observe.Duplicate, 3), port, port},
	} {
		steps := []scenario.Step{at(observe.Start, 2), at(observe.Start, 1), at(observe.Lose, 2)}
		if name == "answer" {
			steps[2].Do = observe.Deliver
			steps = append(steps, at(observe.Lose, 1))
		}
		if name != "step" {
			steps = append([]scenario.Step{at(observe.Start, 3)}, steps...)
		}
		found, reason := ruled(t, c.Input, append(steps, next...), verdict.Agreement)
		require.Equal(t, verdict.Agreement, found, "%s: %v", name, reason)
	}
}

// TestJudgeOfOrders: where the algorithm needs the order of messages, it is a part of the state.
func TestJudgeOfOrders(t *testing.T) {
	c := toys(election.Complete, 2, func(_ *toy, e *election.Env, ev *election.Event) {
		switch ev.Op {
		case election.Start:
			e.Send(0, ball(1))
			e.Send(0, ball(2))
		case election.Recv:
			e.Send(0, ev.Msg)
		}
	})
	c.Initiators = rising(1)
	there, back := scenario.Step{Do: observe.Deliver, Process: 2},
		scenario.Step{Do: observe.Deliver, Process: 1}
	once := []scenario.Step{{Do: observe.Start, Process: 1}, there, back} // the first is the second then
	twice := append(slices.Clone(once), there, back)
	for needed, want := range map[bool]verdict.Property{false: verdict.Ends, true: ""} {
		c.Algorithm.NeedsFIFO = needed
		found, _ := ruled(t, c.Input, once, verdict.Ends)
		require.Equal(t, want, found)
		found, _ = ruled(t, c.Input, twice, verdict.Ends)
		require.Equal(t, verdict.Ends, found)
	}
}

// TestJudgeOfReturns: a process comes back with what it saved last, or with nothing.
func TestJudgeOfReturns(t *testing.T) {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		leader := election.Rank{ID: 2}
		switch {
		case ev.Op == election.Start && n.self.ID == 1:
			n.n = 1
			e.Save()
			e.SetTimer(1, second, second)
		case ev.Op == election.Timeout:
			n.n = 2 // and does not save that
		case ev.Op == election.Rejoin && n.n != 1:
			leader = n.self
		case ev.Op == election.Init:
			return
		}
		e.Decide(leader)
		e.Done()
	})
	live(c.Algorithm)
	for do, want := range map[observe.What]verdict.Property{observe.Restart: "",
		observe.Recover: verdict.Agreement} {
		var steps []scenario.Step
		for _, s := range []struct {
			do observe.What
			p  election.ID
		}{{observe.Start, 1}, {observe.Start, 2}, {observe.Timeout, 1}, {observe.Crash, 1}, {do, 1}} {
			steps = append(steps, scenario.Step{Do: s.do, Process: s.p})
		}
		steps[2].Timer = 1
		found, reason := ruled(t, c.Input, steps, verdict.Agreement)
		require.Equal(t, want, found, "%v: %v", do, reason)
	}
}
