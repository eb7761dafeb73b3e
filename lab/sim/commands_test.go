package sim_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
)

// upTo returns the processes from first to last.
func upTo(first, last int) (ids []election.ID) {
	for id := first; id <= last; id++ {
		ids = append(ids, election.ID(id))
	}
	return ids
}

// group returns a run of n processes that found a group of some voters. A lease is so long that no renewal comes
// in between.
func group(t *testing.T, n int, voters []election.ID) sim.Config {
	t.Helper()
	a, err := lease.New(lease.Config{Delay: sim.Unit, Lease: 100 * sim.Unit, Renew: 20 * sim.Unit, Stagger: -1,
		Durable: true})
	require.NoError(t, err)
	c := sim.Config{Input: scenario.Input{Algorithm: a, IDs: upTo(1, n), Initiators: voters[:1]}}
	for _, id := range c.IDs {
		c.Wishes = append(c.Wishes, scenario.Wish{At: scenario.At{ID: id}, Voters: voters})
	}
	return c
}

// confirmedAt is a time at which the first configuration is confirmed: the first renewal is over.
const confirmedAt = 30 * sim.Unit

// until continues a run until a time.
func until(t *testing.T, s *sim.Sim, at time.Duration) {
	t.Helper()
	s.Extend(at)
	require.NoError(t, s.Run(t.Context()))
}

// caused returns how many messages of each kind there are from some steps on until a time.
func caused(t *testing.T, s *sim.Sim, at time.Duration, steps ...scenario.Step) map[string]uint64 {
	t.Helper()
	all := map[string]uint64{}
	for _, k := range s.Result().ByKind {
		all[k.Kind] -= k.Count
	}
	for _, step := range steps {
		_, err := s.Do(step)
		require.NoError(t, err)
	}
	until(t, s, at)
	for _, k := range s.Result().ByKind {
		all[k.Kind] += k.Count
	}
	maps.DeleteFunc(all, func(_ string, n uint64) bool { return n == 0 })
	return all
}

// begun returns a run of a group whose first configuration is confirmed.
func begun(t *testing.T, c sim.Config) *sim.Sim {
	t.Helper()
	s, err := sim.New(c)
	require.NoError(t, err)
	until(t, s, confirmedAt)
	require.True(t, lease.Inspect(s.Node(0)).Confirmed)
	return s
}

// change returns the step that changes the voters at the process that leads.
func change(voters ...election.ID) scenario.Step {
	return scenario.Step{Do: observe.Command, Command: "change", Voters: voters}
}

// TestMessagesOfChange: each of the two steps of a change takes a MEMBER for each voter to each other process, and a
// round of renewals. Every other process receives them, voter or not.
func TestMessagesOfChange(t *testing.T) {
	for n := 2; n <= 7; n++ {
		for before := 1; before <= n; before++ {
			for after := 1; after <= n; after++ {
				if before == after {
					continue
				}
				s := begun(t, group(t, n, upTo(1, before)))
				got := caused(t, s, confirmedAt+4*sim.Unit, change(upTo(1, after)...))
				others, all := uint64(n-1), uint64(max(before, after))
				want := map[string]uint64{"member": others * (all + uint64(after)), "claim": 2 * others,
					"granted": 2 * others}
				require.Equal(t, want, got, "%d to %d of %d", before, after, n)
				c := lease.Inspect(s.Node(0))
				require.Equal(t, lease.Configuration{Label: 1<<10 | 2, Agreed: true, Recovered: true, Leads: true,
					Confirmed: true}, c)
				for p := range n {
					require.Equal(t, c.Label, lease.Inspect(s.Node(p)).Label, "at process %d", p+1)
				}
			}
		}
	}
}

// TestMessagesOfTakeBack: the step back costs as much as the step forward.
func TestMessagesOfTakeBack(t *testing.T) {
	for n := 3; n <= 6; n++ {
		s := begun(t, group(t, n, upTo(1, 2)))
		others := uint64(n - 1)
		require.Equal(t, map[string]uint64{"member": others * uint64(n+2), "claim": 2 * others, "granted": 2 * others},
			caused(t, s, confirmedAt+4*sim.Unit, change(upTo(1, n)...),
				scenario.Step{Do: observe.Command, Process: 1, Command: "take back"}))
		require.Equal(t, lease.Configuration{Label: 1<<10 | 2, Agreed: true, Recovered: true, Leads: true,
			Confirmed: true}, lease.Inspect(s.Node(0)))
	}
}

// TestLeaderLeaves: a leader that does not belong to the new voters hands over to one of them.
func TestLeaderLeaves(t *testing.T) {
	c := group(t, 3, upTo(1, 2))
	c.Initiators, c.StartTimes = c.IDs, []time.Duration{0, 10 * sim.Unit, 10 * sim.Unit}
	s := begun(t, c)
	got := caused(t, s, confirmedAt+8*sim.Unit, change(upTo(2, 3)...))
	require.EqualValues(t, 1, got["handoff"])
	require.Equal(t, election.Outcome{Role: election.Leader, Term: 2, Leader: election.Rank{ID: 3}},
		withoutEnd(s.Outcome(2)))
	require.Equal(t, election.Outcome{Role: election.Follower, Term: 2, Leader: election.Rank{ID: 3}},
		withoutEnd(s.Outcome(0)))
}

// withoutEnd returns an outcome without the end of the lease.
func withoutEnd(o election.Outcome) election.Outcome {
	o.Until = 0
	return o
}

// TestCommandsOfPlan: a command comes at its time, at the process that leads then, after what starts or returns then
// and before the messages. It is omitted if no process leads.
func TestCommandsOfPlan(t *testing.T) {
	c := group(t, 5, upTo(1, 3))
	c.Until = 60 * sim.Unit
	c.Commands = []scenario.Command{{Time: 0, Name: "change", Voters: upTo(1, 5)},
		{Time: 40 * sim.Unit, Name: "change", Voters: upTo(1, 5)}}
	var told []string
	c.Observe = func(o *observe.Occurrence) {
		if o.What == observe.Step && o.Event.Op == election.Command && o.At > 0 {
			told = append(told, fmt.Sprintf("%v: %d: %d/%d", o.At, o.Process, o.Event.Msg.Value, o.Event.Msg.Round))
		}
	}
	first := run(t, c)
	require.Equal(t, []string{"40s: 1: 0/5", "40s: 1: 1/5", "40s: 1: 2/5", "40s: 1: 3/5", "40s: 1: 4/5"}, told)
	require.Equal(t, first.TraceHash, run(t, c).TraceHash)
	c.Commands[0].Process = 5 // which does not lead, and ignores it
	require.NotEqual(t, first.TraceHash, run(t, c).TraceHash)

	c.Commands, c.Observe = nil, nil
	s, err := sim.New(c)
	require.NoError(t, err)
	s.Begin()
	_, err = s.Do(change(upTo(1, 5)...))
	require.EqualError(t, err,
		"election: bad input: command: no process leads; name the process that is to take it")
}

// TestCommandWaits: a process that is paused takes a command when it resumes; one that is down takes none.
func TestCommandWaits(t *testing.T) {
	c := group(t, 3, upTo(1, 2))
	s := begun(t, c)
	step := change(upTo(1, 3)...)
	step.Process = 1
	s.Pause(0)
	_, err := s.Do(step)
	require.NoError(t, err)
	require.Zero(t, lease.Inspect(s.Node(0)).Step())
	s.Resume(0)
	until(t, s, confirmedAt+4*sim.Unit)
	require.Equal(t, 2, lease.Inspect(s.Node(0)).Step())
	s.Crash(0)
	_, err = s.Do(step)
	require.EqualError(t, err, "election: bad input: command: 1 is down")
}

// TestWishOfReturn: a process that returns wants what Wishes has for that time, or what the act has that brings it
// back. A Snapshot restores that.
func TestWishOfReturn(t *testing.T) {
	c := group(t, 3, upTo(1, 3))
	c.KeepSaved = true
	c.Initiators = []election.ID{}
	c.Wishes = append(c.Wishes, scenario.Wish{At: scenario.At{ID: 2, Time: 10 * sim.Unit}, Voters: upTo(2, 3)})
	s, err := sim.New(c)
	require.NoError(t, err)
	s.Begin()
	wish := func() uint64 { return lease.Inspect(s.Node(1)).Label }
	again := func(voters []election.ID) {
		s.Crash(1)
		_, err := s.Do(scenario.Step{Do: observe.Recover, Process: 2, Voters: voters})
		require.NoError(t, err)
	}
	all := wish()
	require.Equal(t, all, lease.Inspect(s.Node(0)).Label)
	again(nil)
	require.Equal(t, all, wish())
	before := s.Snapshot()
	again(upTo(1, 2))
	other := wish()
	require.NotEqual(t, all, other)
	until(t, s, 10*sim.Unit)
	again(nil)
	require.Equal(t, other, wish(), "what an act gave it stays")
	require.NoError(t, s.Restore(before))
	until(t, s, 10*sim.Unit)
	again(nil)
	require.NotContains(t, []uint64{all, other}, wish())
}

// TestCommandsAsSteps: a run in which voters change and processes return with other wishes can be written down as
// steps.
func TestCommandsAsSteps(t *testing.T) {
	c := group(t, 4, upTo(1, 3))
	c.Wishes[3].Voters = upTo(1, 4)
	c.Wishes = append(c.Wishes, scenario.Wish{At: scenario.At{ID: 3, Time: 20 * sim.Unit}, Voters: upTo(1, 4)})
	c.CrashAt = []scenario.At{{ID: 3, Time: 35 * sim.Unit}}
	c.RestartAt = []scenario.At{{ID: 3, Time: 36 * sim.Unit}}
	c.Commands = []scenario.Command{{Time: 50 * sim.Unit, Name: "change", Voters: upTo(1, 4)},
		{Time: 52 * sim.Unit, Name: "take back"}, {Time: 54 * sim.Unit, Name: "complete"}}
	c.Until = 70 * sim.Unit
	require.NoError(t, c.Check())
	recorder := scenario.NewStepRecorder(&c.Input)
	c.Observe = recorder.Observe
	s, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	steps, err := recorder.Steps()
	require.NoError(t, err)
	at := slices.IndexFunc(steps, func(s scenario.Step) bool { return s.Do == observe.Restart })
	require.Equal(t, upTo(1, 4), steps[at].Voters)

	c.Observe, c.CrashAt, c.RestartAt, c.Commands, c.Until, c.Steps = nil, nil, nil, nil, 0, steps
	again, err := sim.New(c)
	require.NoError(t, err)
	require.NoError(t, again.Run(t.Context()))
	for p := range c.IDs {
		require.Equal(t, lease.Inspect(s.Node(p)), lease.Inspect(again.Node(p)))
		require.Equal(t, s.Outcome(p), again.Outcome(p))
	}
	require.Equal(t, s.Result().ByKind, again.Result().ByKind)
}

// TestPendingCommand: a command that is planned is one of what is to come, at the process that leads now.
func TestPendingCommand(t *testing.T) {
	c := group(t, 3, upTo(1, 2))
	c.Commands = []scenario.Command{{Time: confirmedAt + sim.Unit, Name: "change", Voters: upTo(1, 3)}}
	s := begun(t, c)
	for p := range s.Pending() {
		if p.Do == observe.Command {
			require.Equal(t, change(upTo(1, 3)...), p.Step)
			require.NoError(t, p.Refused)
			require.Zero(t, p.To)
			require.Equal(t, confirmedAt+sim.Unit, p.Due)
			return
		}
	}
	t.Fatal("no command is to come")
}
