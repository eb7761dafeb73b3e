package electiontest

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lcr"
)

// TestDefaults: what Options leave open.
func TestDefaults(t *testing.T) {
	a := lcr.Participant()
	defaults := func(given Options) (got Options) {
		p := property{name: "any", holds: func(t *trial) error {
			got = t.Options
			return nil
		}}
		require.NoError(t, try(t, p, a, given))
		return got
	}
	got := defaults(Options{})
	found, err := got.Find("any", "")
	require.NoError(t, err)
	require.Same(t, a, found)
	got.Find = nil
	require.Equal(t, Options{Seeds: 400, Processes: 9, States: 20_000}, got)

	given := Options{Seeds: 1, Processes: 2, States: 3, Exhaustive: []int{4}, Allocates: true}
	got = defaults(given)
	got.Find = nil
	require.Equal(t, given, got)
}

// TestPanics: a property that panics does not hold, and the next is tried.
func TestPanics(t *testing.T) {
	p := property{name: "any", holds: func(*trial) error { panic("what is this?") }}
	require.EqualError(t, try(t, p, lcr.Participant(), Options{}), "panic: what is this?")
}

// TestSuite: a property that does not hold is a subtest that fails, and without a sound description there is
// no other. The failing test runs in a process of its own.
func TestSuite(t *testing.T) {
	const broken = "ELECTIONTEST_BROKEN"
	if os.Getenv(broken) != "" {
		Test(t, spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) {
			a.LateStart, a.Winner = "", nil
		}}), Options{})
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestSuite$", "-test.v")
	c.Env = append(os.Environ(), broken+"=1")
	out, err := c.CombinedOutput()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed)
	require.Contains(t, string(out), "spoilt: it has no Winner: any one leader will do\n")
	require.Contains(t, string(out), "--- FAIL: TestSuite/Description ")
	require.Contains(t, string(out), `spoilt: Description: its LateStart is "", not one of `)
	require.Contains(t, string(out), "alone: go test -run '^TestSuite$/^Description$'\n")
	require.NotContains(t, string(out), "TestSuite/Simulation")
}

// TestDiffer: each effect of a Step counts.
func TestDiffer(t *testing.T) {
	c := &trial{Algorithm: lcr.Participant()}
	in, err := c.input(upTo(2))
	require.NoError(t, err)
	does := func(f func(e *election.Env)) *election.Effects {
		e := election.NewEnv(&in, nil)
		fx := e.Begin(0)
		f(e)
		return fx
	}
	why := errors.New("it is wrong")
	all := []func(e *election.Env){
		func(*election.Env) {},
		func(e *election.Env) { e.Send(0, election.Message{Kind: 1}) },
		func(e *election.Env) { e.Send(0, election.Message{Kind: 2}) },
		func(e *election.Env) { e.Save() },
		func(e *election.Env) { e.Done() },
		func(e *election.Env) { e.Decide(election.Rank{ID: 1}) },
		func(e *election.Env) { e.Decide(election.Rank{ID: 2}) },
		func(e *election.Env) { e.Refuse(why) },
		func(e *election.Env) { e.Refuse(errors.New("it is wrong, too")) },
		func(e *election.Env) { e.SetTimer(1, 5, 5) },
		func(e *election.Env) { e.SetTimer(1, 6, 6) },
		func(e *election.Env) { e.SetTimer(2, 5, 5) },
		func(e *election.Env) { e.SetTimer(1, 5, 5); e.SetTimer(2, 5, 5) },
		func(e *election.Env) { e.Raise(election.Event{Op: election.Suspect}) },
		func(e *election.Env) { e.Raise(election.Event{Op: election.Suspect, Port: 1}) },
	}
	for i, one := range all {
		for k, other := range all {
			if err := differ(does(one), does(other)); i == k {
				require.NoError(t, err, "%d", i)
			} else {
				require.Error(t, err, "%d and %d", i, k)
			}
		}
	}
	require.NoError(t, differ(does(func(e *election.Env) { e.Refuse(errors.New("alike")) }),
		does(func(e *election.Env) { e.Refuse(errors.New("alike")) })))
}

// TestLosses: an algorithm that claims to bear lost messages, and does not, is found.
func TestLosses(t *testing.T) {
	a := spoil(lcr.Participant(), spoiling{adjust: func(a *election.Algorithm) { a.Faults.Loss = true }})
	o := Options{Seeds: 50, States: 1000}
	require.Contains(t, says(t, "Simulation", a, o), "links that lose ")
	require.Contains(t, says(t, "Exhaustive", a, o), "among [1 2], lost messages: 1")
	require.Contains(t, says(t, "Goroutines", a, o), "by a transport in memory, among ")
}

// TestSuccessor: the right process leads after the leader has crashed, even if it depends on the initiators.
func TestSuccessor(t *testing.T) {
	for _, byStart := range []bool{false, true} {
		a := spoil(bully.Algorithms()[0], spoiling{adjust: wins("smallest",
			func(a, b election.Rank) bool { return b.Less(a) })})
		a.Winner.ByStart = byStart
		require.Contains(t, says(t, "Repeated", a, Options{Processes: 4, Seeds: 10}),
			"after the leader has crashed process ")
	}
}
