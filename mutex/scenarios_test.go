package mutex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/observe"
)

// The timers of section 0 of tokenring.
const (
	timerStay  uint8 = 0
	timerLost  uint8 = 2 * mutex.MaxSections
	timerFirst uint8 = 3*mutex.MaxSections + 1
)

func step(do observe.What, process election.ID) scenario.Step {
	return scenario.Step{Do: do, Process: process}
}

func timeout(process election.ID, timer uint8) scenario.Step {
	return scenario.Step{Do: observe.Timeout, Process: process, Timer: timer}
}

func arrives(process election.ID, port election.Port) scenario.Step {
	return scenario.Step{Do: observe.Deliver, Process: process, Port: port}
}

func suspects(process election.ID, port election.Port) scenario.Step {
	return scenario.Step{Do: observe.Suspect, Process: process, Port: port}
}

// TestCandidateAtTheToken: process 1 has the token when the candidate of 2 arrives. No candidate of this Term
// passes 1 any more: otherwise the candidate of 3, which has recovered since and has forgotten that it had the
// token, would win while 2 is inside.
func TestCandidateAtTheToken(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{CriticalSection: unit, First: 1, Regenerate: unit})
	r := simulate(t, sim.Config{Input: scenario.Input{IDs: []election.ID{1, 3, 2}}, Steps: []scenario.Step{
		step(observe.Start, 1), timeout(1, timerFirst), // it is inside
		step(observe.Start, 2), step(observe.Start, 3), timeout(2, timerLost), timeout(3, timerLost),
		arrives(1, election.Counterclockwise), // the candidate of 2
		timeout(1, timerStay), arrives(3, election.Counterclockwise), timeout(3, timerStay),
		step(observe.Crash, 3), step(observe.Restart, 3), step(observe.Start, 3),
		arrives(2, election.Counterclockwise), arrives(1, election.Counterclockwise), // the candidate of 3
		arrives(2, election.Counterclockwise), // the token
	}}, a, err)
	require.EqualValues(t, 3, r.Count("candidate"), "that of 3 ends at 1")
	require.EqualValues(t, 2, r.Count("token"))
	tokens(t, r, []election.ID{1, 3, 2}, []uint64{1, 1<<32 | 2, 1<<32 | 3})
}

// TestCandidateOverAnotherLink: 12 has won Term 1 and is down, with the token. The ring of 3 leads to 5 again,
// which does not know of that election: 3 passes no candidate of Term 1 to it, or the token of that Term would
// be created again.
func TestCandidateOverAnotherLink(t *testing.T) {
	a, err := mutex.TokenRing(mutex.Config{CriticalSection: unit, Regenerate: unit, Bridge: true})
	in := scenario.Input{IDs: []election.ID{3, 5, 12}, Priorities: []uint64{0, 2, 1}} // 5 is the largest
	r := simulate(t, sim.Config{Input: in, Steps: []scenario.Step{
		step(observe.Crash, 5), suspects(3, 0), suspects(12, 1),
		step(observe.Start, 12), timeout(12, timerLost), arrives(3, 1), arrives(12, 0),
		step(observe.Crash, 12), suspects(3, 1), step(observe.Restart, 5), suspects(5, 1), arrives(3, 0),
		step(observe.Start, 5), timeout(5, timerLost), arrives(3, 0), // Term 1
		timeout(5, timerLost), arrives(3, 0), arrives(5, 0), // Term 2
	}}, a, err)
	require.EqualValues(t, 5, r.Count("candidate"), "that of Term 1 ends at 3")
	tokens(t, r, []election.ID{12, 5}, []uint64{1<<32 | 1, 2<<32 | 1})
}

// tokens requires that these processes have entered, with these tokens.
func tokens(t *testing.T, r sim.Result, ids []election.ID, want []uint64) {
	t.Helper()
	require.Len(t, r.Entries, len(ids))
	for i, entry := range r.Entries {
		require.Equal(t, ids[i], entry.ID)
		require.Equal(t, want[i], entry.Token)
	}
}

// TestAsksAgain: a process that takes a request back and asks again, while another is inside, is
// answered once.
func TestAsksAgain(t *testing.T) {
	a, err := mutex.RicartAgrawala(mutex.Config{})
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: among(2),
		Initiators: []election.ID{}}})
	require.NoError(t, err)
	post := func(p int, ev election.Event) {
		s.Post(p, ev)
		require.NoError(t, s.Run(t.Context()))
	}
	post(0, mutex.Request(0, 1))
	for number := range uint32(100) {
		post(1, mutex.Request(0, number))
		if number < 99 {
			post(1, mutex.Release(0, number))
		}
	}
	post(0, mutex.Release(0, 1))
	r := s.Result()
	require.Len(t, r.Entries, 2)
	require.EqualValues(t, 101, r.Count("request"))
	require.EqualValues(t, 2, r.Count("ok"))
}

// TestRestless: a token without a limit of hops circulates forever, and the description contains this.
func TestRestless(t *testing.T) {
	for _, c := range []struct {
		mutex.Config
		restless bool
	}{
		{mutex.Config{First: 1}, true},
		{mutex.Config{First: 1, Regenerate: unit}, true},
		{mutex.Config{Regenerate: unit}, true},
		{mutex.Config{Regenerate: unit, Bridge: true}, true},
		{mutex.Config{First: 1, Hops: 9}, false},
	} {
		c.CriticalSection = unit
		a, err := mutex.TokenRing(c.Config)
		require.NoError(t, err)
		require.Equal(t, c.restless, a.NeverQuiesces, "%+v", c.Config)
		s, err := sim.New(sim.Config{Input: scenario.Input{Algorithm: a, IDs: among(3)}, Until: 1000 * unit})
		require.NoError(t, err)
		require.NoError(t, s.Run(t.Context()))
		s.Extend(2000 * unit)
		require.Equal(t, c.restless, s.Step(), "%+v", c.Config)
	}
	a, err := mutex.TokenRing(mutex.Config{First: 1, CriticalSection: unit})
	require.NoError(t, err)
	r, err := check.Run(t.Context(), check.Config{Input: scenario.Input{Algorithm: a, IDs: among(3)}})
	require.NoError(t, err)
	require.NoError(t, r.Err(), "a run without end is right here")
	require.True(t, r.Exhausted)
	found, err := catalog.Find("mutex", "tokenring")
	require.NoError(t, err)
	require.False(t, found.NeverQuiesces)
	arbiter, err := mutex.Arbiter(mutex.Config{Election: bully.Algorithms()[0]})
	require.NoError(t, err)
	require.False(t, arbiter.NeverQuiesces)
}
