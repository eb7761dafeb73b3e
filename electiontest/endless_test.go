package electiontest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
)

// announcing is LCR in which no process checks whether an announcement is its own: it circulates forever.
func announcing() *election.Algorithm {
	a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
		if n.Node.Step(e, ev); elected(ev) && ev.Msg.Rank == e.Self() {
			e.Send(election.Clockwise, ev.Msg)
		}
	})
	a.Faults.Copies = false // with them it would multiply instead of circulating
	return a
}

// endless are elections that never come to rest, each in another way.
func endless(t *testing.T) map[string]*election.Algorithm {
	beating, err := bully.Rules(bully.Config{Heartbeat: 8 * scenario.Unit})
	require.NoError(t, err)
	echo := func(times int) func(n *spoilt, e *election.Env, ev *election.Event) {
		return func(n *spoilt, e *election.Env, ev *election.Event) {
			n.Node.Step(e, ev)
			for range times {
				if ev.Op == election.Recv {
					e.Send(ev.Port, ev.Msg)
				}
			}
		}
	}
	return map[string]*election.Algorithm{
		"announced for ever": announcing(),
		"ping-pong":          spoil(bully.Algorithms()[0], spoiling{step: echo(1)}),
		"more and more":      spoil(bully.Algorithms()[0], spoiling{step: echo(2)}),
		"a timer that runs out at once": stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if n.Node.Step(e, ev); ev.Op != election.Init {
				e.SetTimer(3, 0, 0)
			}
		}),
		"among heartbeats": spoil(beating, spoiling{step: echo(2)}),
	}
}

// TestEndless: an endless election is a failure of the algorithm, and does not hang the test, whatever drives
// it.
func TestEndless(t *testing.T) {
	const goesOn = `^(by|among|the arrangement) .*: it does not end: more than \d+ messages and time-outs reach process \d+$`
	for name, a := range endless(t) {
		t.Run(name, func(t *testing.T) {
			got := make(map[string]string)
			for _, p := range properties() {
				if !slices.Contains([]string{"Goroutines", "Repeated", "Bounds"}, p.name) {
					continue
				}
				if err := try(t, p, a, Options{Processes: 3}); err != nil {
					require.Regexp(t, goesOn, err.Error())
					got[p.name] = err.Error()
				}
			}
			require.Contains(t, got, "Goroutines")
		})
	}
}

// TestEndlessAnnouncement: an announcement that circulates forever hangs no property.
func TestEndlessAnnouncement(t *testing.T) {
	got := failures(t, announcing(), Options{Processes: 3, Seeds: 5,
		Scenarios: []string{"testdata/wrong.json"}})
	require.Equal(t, []string{"Bounds", "Exhaustive", "Goroutines", "Scenarios", "Simulation"},
		slices.Sorted(maps.Keys(got)))
	require.Contains(t, got["Scenarios"], "testdata/wrong.json: scenario 0, wrong: it does not end: ")
	lines := strings.Split(got["Simulation"], "\n")
	require.Regexp(t, `^seed \d+: every run comes to rest: it continues after \d+ units$`, lines[0])
	require.Equal(t, `smallest: among [1] on a ring, all start: it continues after 100000 units
spoilt, 1 process, unit delays
              0    1.1  begins
   1.         0    1.2  starts
              0    1.3  saves its state
              0    1.4  sends election 1 to 1`, strings.Join(lines[1:7], "\n"))
	require.Equal(t, "and so on, 100,002 steps in all", lines[len(lines)-1])
	require.Equal(t,
		`among [1]: every run ends: a run without end begins here, through 1 states in all
spoilt, 1 process
        1.1  begins
   1.   1.2  starts
        1.3  saves its state
        1.4  sends election 1 to 1
   2.   1.5  receives election 1 from 1 (1.4)
        1.6  sends elected 1 to 1
        1.7  decides: it leads
   3.   1.8  receives elected 1 from 1 (1.6)
        1.9  sends elected 1 to 1
       1.10  knows the end
   4.  1.11  receives elected 1 from 1 (1.9)
       1.12  sends elected 1 to 1
       1.13  knows the end
  end  1.12  elected 1 to 1 is not received
step 4 repeats forever`, got["Exhaustive"])
}

// TestRestful: the limit does not change an election, unless it is endless.
func TestRestful(t *testing.T) {
	l := &limit{most: 3, later: 2}
	var took []election.Op
	counted := stepping(func(_ *spoilt, _ *election.Env, ev *election.Event) { took = append(took, ev.Op) })
	var all []election.Node
	for id := range election.ID(2) {
		all = append(all, l.over(counted).New(election.Setup{Self: election.Rank{ID: id + 1}, Ports: 2}))
	}
	wrong := errors.New("it is wrong")
	send := func(p int, at time.Duration) int {
		took = nil
		for range 10 {
			all[p].Step(nil, &election.Event{Op: election.Recv, At: at})
		}
		return len(took)
	}
	require.Equal(t, wrong, l.or(wrong))
	for range 3 {
		all[0].Step(nil, &election.Event{Op: election.Timeout})
	}
	require.NoError(t, l.or(nil))
	require.Equal(t, 4, send(0, 2*scenario.Unit), "two for each unit")
	require.EqualError(t, l.or(wrong),
		"it does not end: more than 7 messages and time-outs reach process 1")
	require.Zero(t, send(0, 9*scenario.Unit), "it stays silent")
	require.Zero(t, send(1, 0), "and so do others")
	require.EqualError(t, l.or(nil), "it does not end: more than 7 messages and time-outs reach process 1")
}

// TestBounded: an election is bounded in a way that leaves room for its processes, and for its heartbeats.
func TestBounded(t *testing.T) {
	beating, err := bully.Rules(bully.Config{Heartbeat: 8 * scenario.Unit})
	require.NoError(t, err)
	for _, c := range []struct {
		a           *election.Algorithm
		n           int
		most, later int
	}{
		{bully.Algorithms()[0], 3, plenty, 0}, {bully.Algorithms()[0], 9, 9 * ofEach, 0},
		{beating, 3, plenty, heartbeat},
	} {
		_, l := bounded(scenario.Input{Algorithm: c.a, IDs: upTo(c.n)})
		require.Equal(t, c.most, l.most)
		require.Equal(t, c.later, l.later)
	}
}

// TestInOrder: after a failure, tests that would only repeat it are skipped.
func TestInOrder(t *testing.T) {
	tried := func(failing ...string) (names []string) {
		inOrder(&trial{Algorithm: announcing()}, func(p property) bool {
			names = append(names, p.name)
			return !slices.Contains(failing, p.name)
		})
		return names
	}
	all := tried()
	require.Equal(t, []string{"Description", "Simulation", "Purity", "State", "Exhaustive", "Order",
		"Goroutines", "Repeated", "Leaving", "LateStart", "Allocation",
		"Unknown", "Bounds"}, all)
	require.Equal(t, []string{"Description"}, tried("Description"))
	require.Equal(t, all, tried("Goroutines", "Repeated", "Purity"))
	for _, one := range []string{"Simulation", "Exhaustive"} {
		require.Equal(t, slices.DeleteFunc(slices.Clone(all),
			func(name string) bool { return repeats[name] }), tried(one))
	}
}
