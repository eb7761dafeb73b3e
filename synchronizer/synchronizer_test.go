package synchronizer_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/franklin"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/params"
	"github.com/go-election/election/synchronizer"
)

func alpha(t *testing.T, a *election.Algorithm) *election.Algorithm {
	t.Helper()
	b, err := synchronizer.Alpha(a)
	require.NoError(t, err)
	return b
}

// TestAsInTheSynchronousModel: for any initiators, starting times and delays, the algorithm elects the same
// process as in the synchronous model with all processes starting simultaneously, with as many messages of each
// kind.
func TestAsInTheSynchronousModel(t *testing.T) {
	for _, a := range slices.Concat(floodmax.Algorithms()[:2], []*election.Algorithm{lcr.Participant(),
		lcr.Initiators(), lcr.Max(), hs.Probe(), franklin.Algorithm(), echo.Extinction(), afekgafni.Sync(),
		afekgafni.Async()}) {
		over := alpha(t, a)
		for seed := range uint64(12) {
			n := 2 + int(seed)
			ids := nodetest.Random(n, seed)
			want := nodetest.Elect(t, nodetest.Ring(a, ids))
			if a.Name == "echo" {
				// Which of two waves that come at one instant is met first decides how many are extinguished.
				want = nodetest.Elect(t, nodetest.Ring(over, ids))
			}
			c := nodetest.Ring(over, ids)
			c.Schedule, c.Seed, c.Initiators = sim.RandomDelay, seed, nodetest.Some(ids, seed)
			c.Delay = sim.Delay{Min: 1, Max: 1 + time.Duration(seed)*sim.Unit}
			r := nodetest.Elect(t, c)
			require.Equal(t, want.Leader, r.Leader)
			for _, k := range a.Kinds {
				require.Equal(t, want.Count(k.Name), r.Count(k.Name), "%s: %s among %v", a.Title(), k.Name,
					ids)
			}
		}
	}
}

// TestDescription: what alpha makes of an algorithm.
func TestDescription(t *testing.T) {
	base := floodmax.Algorithms()[0]
	a := alpha(t, base)
	require.NoError(t, a.Check())
	require.Equal(t, "floodmax/basic with alpha", a.Title())
	require.Equal(t, base.Summary+"; a synchronizer bears any delays", a.Summary)
	require.Equal(t, "franklin with alpha", alpha(t, franklin.Algorithm()).Title())
	require.False(t, a.Synchronous)
	require.Zero(t, a.Delay)
	require.Empty(t, a.Timers)
	require.Equal(t, []string{"rounds"}, a.Params.Names())
	require.Equal(t, election.LargestOfAll, a.Winner)
	require.Equal(t, "", a.Worst.Formula)
	require.Equal(t, "safe", a.KindName(2))
	require.Equal(t, "max", base.KindName(1))
	require.Equal(t, base.Kinds[0].Bits(widths)+1, a.Kinds[0].Bits(widths))
	require.EqualValues(t, 5, a.Kinds[1].Bits(widths))
	require.False(t, lcr.Initiators().TwoWay)
	require.True(t, alpha(t, lcr.Initiators()).TwoWay, "SAFE goes both ways")
	require.Equal(t, election.LateIgnored, alpha(t, lcr.Initiators()).LateStart)
	require.True(t, alpha(t, lcr.Initiators()).NeedsFIFO)
	require.Nil(t, alpha(t, afekgafni.Sync()).Winner)
	require.Equal(t, election.LargestOfAll, alpha(t, hs.Probe()).Winner)
	require.Nil(t, alpha(t, hs.Probe()).Configure)
}

// TestWinner: a rule that depends on which processes start sees all of them start.
func TestWinner(t *testing.T) {
	a := *lcr.Participant()
	a.Winner = &election.Winner{Name: "first", ByStart: true, Of: func(all []election.Candidate) election.ID {
		for _, c := range all {
			if c.Initiator {
				return c.Rank.ID
			}
		}
		return 0
	}}
	w := alpha(t, &a).Winner
	require.Equal(t, "first", w.Name)
	require.False(t, w.ByStart)
	all := []election.Candidate{{Rank: election.Rank{ID: 7}}, {Rank: election.Rank{ID: 9}, Initiator: true}}
	require.EqualValues(t, 7, w.Of(all))
	require.False(t, all[0].Initiator, "the caller's own")
}

// TestConfigure: the parameters are the parameters of the algorithm, except for the longest delay.
func TestConfigure(t *testing.T) {
	a := alpha(t, floodmax.Algorithms()[0])
	given := func(name string) *params.Given {
		return params.New[election.ID](map[string]params.Value{name: {Number: 2}}, time.Second, nil)
	}
	b, err := a.Configure(given("rounds"))
	require.NoError(t, err)
	require.Equal(t, a.Title(), b.Title())
	require.False(t, b.Knows == election.NetworkSize)
	_, err = a.Configure(given("delay"))
	require.ErrorIs(t, err, election.ErrInput)
	_, err = a.Configure(params.New[election.ID](map[string]params.Value{"rounds": {}}, time.Second, nil))
	require.ErrorIs(t, err, election.ErrInput)
}

// TestRefused: an algorithm that never ends, or that a single process has to start.
func TestRefused(t *testing.T) {
	why := make(map[string]string)
	for _, a := range catalog.All() {
		if _, err := synchronizer.Alpha(a); err != nil {
			require.ErrorIs(t, err, election.ErrInput)
			why[a.Title()] = err.Error()
		}
	}
	const begin, forever = "election: bad input: synchronizer: ", "pulses would continue forever"
	require.Equal(t, begin+"bully/rules never ends, so "+forever, why["bully/rules"])
	require.Equal(t, begin+"echo/nok has a single initiator, but pulses start all processes", why["echo/nok"])
	require.Equal(t, begin+"processes of lcr/wave are needed after the end, so "+forever, why["lcr/wave"])
	require.Equal(t, begin+"floodmax/alpha already runs over a synchronizer", why["floodmax/alpha"])
	require.NotContains(t, why, "ghs")
	require.Contains(t, why, "mutex/tokenring")

	_, err := synchronizer.Alpha(nil)
	require.ErrorIs(t, err, election.ErrInput)
	odd := *lcr.Max()
	odd.NeverQuiesces = true
	_, err = synchronizer.Alpha(&odd)
	require.ErrorContains(t, err, "never ends")
	odd = *lcr.Max()
	odd.Kinds = make([]election.Kind, 255)
	_, err = synchronizer.Alpha(&odd)
	require.ErrorContains(t, err, "has 255 Kinds")
	odd.Kinds = odd.Kinds[:254]
	_, err = synchronizer.Alpha(&odd)
	require.NoError(t, err)
}

// TestCrash: one crash blocks all.
func TestCrash(t *testing.T) {
	c := nodetest.Ring(alpha(t, floodmax.Algorithms()[0]), nodetest.Random(6, 1))
	c.Crashed = c.IDs[:1]
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	require.Zero(t, r.Claimants)
}

// TestOverlay: over the overlay a crash only costs another election.
func TestOverlay(t *testing.T) {
	a, err := alpha(t, floodmax.Algorithms()[1]).OverComplete()
	require.NoError(t, err)
	r, err := sim.Run(t.Context(), sim.Config{Input: scenario.Input{Algorithm: a,
		IDs: []election.ID{3, 1, 4, 2}, CrashAt: []scenario.At{{ID: 4, Time: sim.Unit}},
		SuspectAfter: 2 * sim.Unit}})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.EqualValues(t, 3, r.Leader)
}
