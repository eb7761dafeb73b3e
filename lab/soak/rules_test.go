package soak_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// spoilLCR returns LCR with another Step.
func spoilLCR(step func(n election.Node, e *election.Env, ev *election.Event)) *election.Algorithm {
	return spoil(lcr.Participant(), step)
}

// isElected reports whether an event is the announcement of LCR.
func isElected(ev *election.Event) bool { return ev.Op == election.Recv && ev.Msg.Kind == 2 }

// restless is an algorithm in which all follow the largest from the beginning, and decide again now and then.
func restless(every time.Duration) *election.Algorithm {
	decide := func(e *election.Env, at time.Duration) {
		largest := e.Self()
		for port := range election.Port(e.Ports()) {
			if largest.Less(e.Peer(port)) {
				largest = e.Peer(port)
			}
		}
		e.DecideIn(1+uint64(at), largest)
		e.Done()
		e.SetTimer(0, every, every)
	}
	a := spoil(lcr.Participant(), func(_ election.Node, e *election.Env, ev *election.Event) {
		if ev.Op == election.Init || ev.Op == election.Timeout {
			decide(e, ev.At)
		}
	})
	a.Topology, a.Elects, a.NeverQuiesces, a.Heartbeats = election.Complete, election.Successors, true, true
	return a
}

// ruleBreaker is an algorithm that breaks a rule, and what is said of its smallest run.
type ruleBreaker struct {
	algorithm *election.Algorithm
	property  verdict.Property // if empty, it breaks none
	reason    string
}

// TestRules: each rule by which a run is judged finds a mistake that breaks it alone.
func TestRules(t *testing.T) {
	soak.LowerStepLimit(t, 1<<16)
	for name, c := range ruleBreakers(t) {
		t.Run(name, func(t *testing.T) {
			f := soaked(t, c.algorithm)
			if c.property == "" {
				require.Nil(t, f)
				return
			}
			require.NotNil(t, f)
			require.Equal(t, c.property, f.Violation.Property)
			require.Contains(t, f.Shrunk.Violation.Reason, c.reason)
		})
	}
}

// ruleBreakers are algorithms by the mistake in them.
func ruleBreakers(t *testing.T) map[string]ruleBreaker {
	asking, err := catalog.Find("mutex", "ricartagrawala")
	require.NoError(t, err)
	smallest := lcr.Participant()
	smallest.Configure, smallest.Params = nil, nil
	smallest.Winner = &election.Winner{Name: "smallest", Smallest: true,
		Of: func(all []election.Candidate) election.ID {
			least := all[0].Rank
			for _, c := range all {
				if c.Rank.Less(least) {
					least = c.Rank
				}
			}
			return least.ID
		}}
	return map[string]ruleBreaker{
		"a start is refused": {spoilLCR(func(n election.Node, e *election.Env, ev *election.Event) {
			if ev.Op == election.Start {
				e.Refuse(errors.New("not today"))
			}
		}), verdict.Accepted, "process 1: not today"},
		"a decision changes": {spoilLCR(func(n election.Node, e *election.Env, ev *election.Event) {
			if n.Step(e, ev); ev.Op == election.Recv && ev.Msg.Rank != e.Self() && ev.Msg.Kind == 1 {
				e.Decide(ev.Msg.Rank)
			}
		}), verdict.NoChange, "in Term 1 process "},
		"a leader has another Rank": {spoilLCR(func(n election.Node, e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv && ev.Msg.Rank == e.Self() {
				e.Decide(election.Rank{ID: e.Self().ID, Priority: 7})
				return
			}
			n.Step(e, ev)
		}), verdict.OneLeader, "process 1 leads, and names "},
		"the wrong process leads": {smallest, verdict.RightAtEnd,
			"process 2 leads, not 1, which is the smallest"},
		"the end stays unknown": {spoilLCR(func(n election.Node, e *election.Env, ev *election.Event) {
			if !isElected(ev) || ev.Msg.Rank == e.Self() {
				n.Step(e, ev)
				return
			}
			e.Decide(ev.Msg.Rank)
			e.Send(0, ev.Msg)
		}), verdict.Terminated, "process 1 does not know"},
		"one token for all": {turnsWith(election.Faults{},
			func(int, *election.Event) uint64 { return 1 }), verdict.Tokens, "with token 1, after token 1"},
		"two are inside": {turnsWith(election.Faults{}, func(int, *election.Event) uint64 { return 0 }), "",
			""},
		"a request is lost": {spoil(asking, func(n election.Node, e *election.Env, ev *election.Event) {
			if ev.Op != election.Recv {
				n.Step(e, ev)
			}
		}), verdict.Served, " asked and was never served"},
		"the leader changes later": {restless(40 * sim.Unit), verdict.Agreement, "process 1 changes from "},
		"the leader stays":         {restless(1e6 * sim.Unit), "", ""},
		"time runs out": {spoilLCR(func(n election.Node, e *election.Env, ev *election.Event) {
			if n.Step(e, ev); ev.Op == election.Start {
				e.SetTimer(9, math.MaxInt64, math.MaxInt64)
			}
		}), verdict.Rests, "virtual time has run out"},
	}
}

// TestExcused: a start may be refused where the description says so.
func TestExcused(t *testing.T) {
	refusing := func(err error) func(n election.Node, e *election.Env, ev *election.Event) {
		return func(n election.Node, e *election.Env, ev *election.Event) {
			if n.Step(e, ev); ev.Op == election.Start && e.Self().ID == 2 {
				e.Refuse(err)
			}
		}
	}
	late := spoilLCR(refusing(election.ErrLateStart))
	require.Equal(t, verdict.Accepted, soaked(t, late).Violation.Property)
	late.LateStart = election.LateRefused
	require.Nil(t, soaked(t, late))
	only := spoilLCR(refusing(election.ErrNotInitiator))
	require.Equal(t, verdict.Accepted, soaked(t, only).Violation.Property)
	only.SingleInitiator = true
	only.Winner = nil
	require.Nil(t, soaked(t, only))
}
