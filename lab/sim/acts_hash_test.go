package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/observe"
)

// onRing is an act with a message to process 2 of a one-way ring.
func onRing(do observe.What, nth int, by time.Duration) scenario.Step {
	return scenario.Step{Do: do, Process: 2, Port: 1, Nth: nth, By: by}
}

// talking is a ring of two, in which process 1 sends three messages, and 2 answers the last with a 10.
func talking(got *[]string) scenario.Input {
	in := wildInput(2, func(e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			for k := range uint64(3) {
				e.Send(0, election.Message{Kind: 1, Value: k})
			}
		case ev.Op == election.Recv:
			*got = append(*got, fmt.Sprintf("%d@%s", ev.Msg.Value, scenario.InUnits(ev.At)))
			if ev.Msg.Value == 2 {
				e.Send(0, election.Message{Kind: 1, Value: 10})
			}
		}
	})
	in.Initiators = []election.ID{1}
	return in
}

// TestDelayedMessages: they arrive when they are to, behind all others of that instant, however late, also
// after the run was taken back; and all else as before.
func TestDelayedMessages(t *testing.T) {
	var got []string
	s, err := sim.New(sim.Config{Input: talking(&got)})
	require.NoError(t, err)
	require.True(t, s.Step())
	start := s.Snapshot()
	require.NoError(t, do(s, onRing(observe.Delay, 1, 2*sim.Unit)))
	require.NoError(t, do(s, onRing(observe.Delay, 0, 2*sim.Unit)))
	delayed := s.Snapshot()
	require.NoError(t, s.Run(t.Context()))
	want := []string{"2@1", "10@2", "1@3", "0@3"}
	require.Equal(t, want, got)

	got = nil
	require.NoError(t, s.Restore(delayed))
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, want, got)

	other, err := sim.New(sim.Config{Input: talking(&got)})
	require.NoError(t, err)
	got = nil
	require.NoError(t, other.Restore(delayed))
	require.NoError(t, other.Run(t.Context()))
	require.Equal(t, want, got, "in a run that has delayed nothing itself")

	got = nil
	require.NoError(t, s.Restore(start))
	require.NoError(t, do(s, onRing(observe.Delay, 0, 1000*sim.Unit)))
	require.NoError(t, do(s, onRing(observe.Delay, 1, -sim.Unit/2)))
	require.NoError(t, s.Run(t.Context()))
	require.Equal(t, []string{"2@0.5", "1@1", "10@1.5", "0@1001"}, got)

	require.NoError(t, s.Restore(start))
	require.EqualError(t, do(s, onRing(observe.Delay, 0, sim.LongestDelay)),
		"election: bad input: delay: by 1000000: the message would arrive in 1000001, at most 1000000 can be")
	require.NoError(t, do(s, onRing(observe.Delay, 0, sim.LongestDelay-sim.Unit)))
}

// TestHashOfActs: the hash tells acts apart whose consequences the run does not reach.
func TestHashOfActs(t *testing.T) {
	hashes := map[uint64]string{}
	for _, step := range []*scenario.Step{nil, new(onRing(observe.Duplicate, 0, 0)),
		new(onRing(observe.Duplicate, 1, 0)), new(onRing(observe.Delay, 0, 5)),
		new(onRing(observe.Delay, 0, 6)),
		new(onRing(observe.Delay, 1, 5)), {Do: observe.Heal}, {Do: observe.Pause, Process: 2},
		{Do: observe.Suspect, Process: 2, Port: 1}} {
		c := sim.Config{Input: talking(new([]string)), Until: sim.Unit / 2}
		if step != nil {
			c.Acts = []scenario.Act{{After: 3, Step: *step}}
		}
		r := run(t, c)
		require.Empty(t, hashes[r.TraceHash], "%+v", step)
		hashes[r.TraceHash] = fmt.Sprintf("%+v", step)
	}
}

// TestOccurredWithoutObserver: what a crash drops counts whether it is observed or not.
func TestOccurredWithoutObserver(t *testing.T) {
	of := func(do observe.What, p election.ID) scenario.Act {
		return scenario.Act{Step: scenario.Step{Do: do, Process: p}}
	}
	c := sim.Config{Input: ringOf(1, 3, 2), Schedule: sim.Hand, Acts: []scenario.Act{
		of(observe.Start, 3), of(observe.Pause, 2), {Step: onRing(observe.Deliver, 0, 0)},
		of(observe.Crash, 2),
		{Step: cutOff(1)}, {Step: scenario.Step{Do: observe.Heal}}}}
	for _, observed := range []bool{false, true} {
		count := uint64(0)
		if observed {
			c.Observe = func(*observe.Occurrence) { count++ }
		}
		s, err := sim.New(c)
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		require.EqualValues(t, 11, s.Occurred(),
			"three Inits, four acts, a loss, and two ports cut and healed")
		if observed {
			require.Equal(t, s.Occurred(), count)
		}
	}
}

// TestSnapshotsOfActs: what is done after a Restore changes nothing of what was done before.
func TestSnapshotsOfActs(t *testing.T) {
	s, err := sim.New(sim.Config{Input: ringOf(1, 3, 2), Schedule: sim.Hand})
	require.NoError(t, err)
	require.False(t, s.Step())
	begun := s.Snapshot()
	for _, id := range []election.ID{1, 2, 3} {
		require.NoError(t, do(s, scenario.Step{Do: observe.Start, Process: id}))
		require.NoError(t, do(s, scenario.Step{Do: observe.Crash, Process: id}))
	}
	require.NoError(t, s.Restore(begun))
	var ids []election.ID
	for one := range s.Pending() {
		ids = append(ids, one.Process)
	}
	require.Equal(t, []election.ID{1, 3, 2}, ids)

	of := func(do observe.What) scenario.Step { return scenario.Step{Do: do, Process: 3} }
	for range 3 {
		require.NoError(t, do(s, of(observe.Pause)))
	}
	paused := s.Snapshot()
	require.NoError(t, do(s, of(observe.Crash)))
	before := s.Result().Outside
	require.NoError(t, s.Restore(paused))
	require.NoError(t, do(s, cutOff(1)))
	require.Equal(t, "lcr/participant promises nothing if processes crash", before[3].Why)
	require.Equal(t, "lcr/participant promises nothing if the network is cut", s.Result().Outside[3].Why)
}

// TestUntilByHand: an act that would come after Until is not done, and none is missing.
func TestUntilByHand(t *testing.T) {
	start := func(p election.ID) scenario.Act {
		return scenario.Act{Step: scenario.Step{Do: observe.Start, Process: p}}
	}
	c := sim.Config{Input: ringOf(1, 3, 2), Schedule: sim.Hand, Until: 2 * sim.Unit,
		Acts: []scenario.Act{start(1), start(2), start(3)}}
	require.EqualValues(t, 2, run(t, c).Messages)
}

// secondOn returns what is pending and has another message of its link before it.
func secondOn(s *sim.Sim) (second sim.Pending) {
	for one := range s.Pending() {
		if one.Nth > 0 {
			second = one
		}
	}
	return second
}

// TestOutsideInTime: how late a message is goes by when it was sent, and who is up by the moment of the act.
func TestOutsideInTime(t *testing.T) {
	rules, err := bully.Rules(bully.Config{Delay: sim.Unit})
	require.NoError(t, err)
	two := bully.Algorithms()[0].Title()
	why := func(s *sim.Sim, step scenario.Step) string {
		why, err := s.Do(step)
		require.NoError(t, err, "%+v", step)
		return why
	}
	late := func(took string) string {
		return two + " needs messages that take at most 1, here they take up to " + took
	}
	s, err := sim.New(sim.Config{Input: input(rules, []election.ID{1, 2, 3})})
	require.NoError(t, err)
	for s.Now() < sim.Unit {
		require.True(t, s.Step())
	}
	message := slices.Collect(s.Pending())[0].Step // sent at 0, due now
	message.Do = observe.Delay
	for _, c := range []struct {
		by   time.Duration
		took string
	}{{2 * sim.Unit, "3"}, {sim.Unit / 2, "2.5"}} { // the second time no more is known than now
		message.By = c.by
		require.Equal(t, late(c.took), why(s, message))
	}

	s, err = sim.New(sim.Config{Input: input(rules, []election.ID{1, 2, 3}), Schedule: sim.Hand})
	require.NoError(t, err)
	for id := range election.ID(3) {
		require.Empty(t, why(s, scenario.Step{Do: observe.Start, Process: id + 1}))
	}
	require.Empty(t, why(s, scenario.Step{Do: observe.Deliver, Process: 2}), "time has waited for it")
	require.NotEmpty(t, why(s, scenario.Step{Do: observe.Timeout, Process: 1}), "and not for the timer")

	s, err = sim.New(sim.Config{Input: input(dkr.Algorithm(), []election.ID{1, 2, 3})})
	require.NoError(t, err)
	require.True(t, s.Step())
	require.NotEmpty(t, why(s, onRing(observe.Duplicate, 0, 0)))
	require.Empty(t, slices.Collect(s.Pending())[2].Outside)
	require.Equal(t, "dkr needs links that keep messages in order", secondOn(s).Outside)
	require.NotEmpty(t, why(s, onRing(observe.Delay, 1, sim.Unit/2)), "what is sent now may overtake it")
	require.Empty(t, why(s, onRing(observe.Delay, 1, -sim.Unit/2)), "at one instant the order is kept")

	picky := *rules
	picky.Faults.Reported, picky.StartSuspects = true, true
	s, err = sim.New(sim.Config{Input: input(&picky, []election.ID{1, 2, 3})})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	of := func(do observe.What, p election.ID, port election.Port) scenario.Step {
		return scenario.Step{Do: do, Process: p, Port: port}
	}
	const misled = " needs a failure detector that is never wrong"
	start := of(observe.Start, 1, 0)
	require.Equal(t, two+" needs starts only while no leader is up", why(s, start))
	toThree := election.Port(1) // of process 1
	require.Equal(t, two+misled, why(s, of(observe.Suspect, 1, toThree)))
	require.Empty(t, why(s, of(observe.Trust, 1, toThree)))
	require.Empty(t, why(s, of(observe.Crash, 3, 0)))
	require.Empty(t, why(s, of(observe.Suspect, 1, toThree)))
	require.Equal(t, two+misled, why(s, of(observe.Trust, 1, toThree)))
	require.Empty(t, why(s, start), "the leader is down")
}
