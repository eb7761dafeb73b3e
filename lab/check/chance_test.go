package check_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// tossing sends a ball to and fro between 1 and 2; 2 tosses a coin each time, and toss says whether it goes
// on.
func tossing(toss func(n *toy, coin int) (goes bool)) check.Config {
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			e.Send(0, ball(0))
		case ev.Op == election.Recv && (n.self.ID == 1 || toss(n, e.Choose(2))):
			e.Send(0, ball(0))
		}
	})
	c.Initiators = rising(1)
	return c
}

// TestEndsByChance: a run from which chance leads out in the end has an end, also where that takes several
// tosses. One that continues whatever chance brings has none.
func TestEndsByChance(t *testing.T) {
	heads := tossing(func(_ *toy, coin int) bool { return coin == 0 })
	twice := tossing(func(n *toy, coin int) bool {
		n.n = uint64(coin) * (n.n + 1)
		return n.n < 2
	})
	for name, c := range map[string]check.Config{"heads": heads, "heads twice": twice} {
		for _, reduced := range []bool{false, true} {
			c.Reduce = reduced
			r := holds(t, c, name)
			require.Equal(t, -1, r.Longest, name) // no number of steps is always enough
		}
	}
	never := tossing(func(n *toy, coin int) bool {
		n.n = uint64(coin)
		return true
	})
	trail := fails(t, never, verdict.Ends)
	require.Less(t, trail.Cycle, len(trail.Steps))
	// After heads no toss matters any more.
	at := fails(t, tossing(func(n *toy, coin int) bool {
		n.n = max(n.n, uint64(coin))
		return n.n == 1
	}), verdict.Ends)
	require.Equal(t, []int{1}, at.Steps[1].Choices)
	require.Equal(t, 2, at.Cycle, "the cycle is behind the toss")
}

// TestUnfairByChance: 1 passes one ball to 2 forever, and 2 tosses only for another one that waits. To leave
// that one forever would be unfair, and by the tosses it ends both.
func TestUnfairByChance(t *testing.T) {
	const coin = 3
	c := toys(election.Complete, 2, func(n *toy, e *election.Env, ev *election.Event) {
		m := ev.Msg
		switch {
		case ev.Op == election.Start:
			e.Send(0, ball(0))
			e.Send(0, election.Message{Kind: coin})
		case ev.Op != election.Recv || n.n == 1:
		case m.Kind == coin && n.self.ID == 2 && e.Choose(2) == 1:
			n.n = 1
		default:
			e.Send(0, m)
		}
	})
	c.Initiators = rising(1)
	for _, c.Unordered = range []bool{false, true} {
		holds(t, c, "a toss that waits")
	}
}

// TestComponents: two states are in one component if each can be reached from the other, as the closure of
// small random graphs says.
func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		n := 1 + r.IntN(8)
		next, reach := make([][]int, n), make([][]bool, n)
		for i := range reach {
			reach[i] = make([]bool, n)
		}
		for range r.IntN(2 * n) {
			i, j := r.IntN(n), r.IntN(n)
			next[i] = append(next[i], j)
			reach[i][j] = true
		}
		for via := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][via] && reach[via][j]
				}
			}
		}
		part := check.Components(next)
		for i := range n {
			require.Equal(t, reach[i][i], part[i] >= 0, "%v", next)
			for j := range n {
				require.Equal(t, reach[i][j] && reach[j][i], part[i] >= 0 && part[i] == part[j], "%v", next)
			}
		}
	}
}

// TestDrawsRefused: a check tries all that processes may draw, so it takes no list of that.
func TestDrawsRefused(t *testing.T) {
	c := toys(election.Complete, 2, nil)
	c.Draws = [][]int{{1}, {2}}
	require.EqualError(t, c.Check(), election.ErrInput.Error()+
		": draws: a check lets each process draw every number")
}
