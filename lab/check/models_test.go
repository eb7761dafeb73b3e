package check_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// Elections in a model of their own: in rounds of a clock, by chance, in groups.

// TestElectionsInRounds: algorithms for the synchronous model elect on every connected graph, whichever
// start, in every order of what is due at one instant. Where all start, each message takes any delay up
// to a unit.
func TestElectionsInRounds(t *testing.T) {
	const header = "algorithm | links keep the order | processes | elections | states in all | most | verdict"
	var rows []row
	for _, variant := range []string{"basic", "change"} {
		for n := 2; n <= 4; n++ {
			for _, unordered := range []bool{false, true} {
				a := find(t, "floodmax", variant, rising(n), nil)
				what := fmt.Sprintf("%s | %s | %d", a.Title(), either(unordered, "no", "yes"), n)
				rows = append(rows, row{what, func() string {
					sum := tally{}
					sum.elections(t, a, n, check.Config{Unordered: unordered, Delay: a.Delay})
					return sum.cells()
				}})
			}
		}
	}
	documented(t, "rounds", header, rows)
}

// TestElectionsByChance: on rings of processes that draw numbers, whatever these are, whichever start,
// each at any moment, no two lead, and with probability 1 one does. The order of IDs is all the same: no
// process looks at them.
func TestElectionsByChance(t *testing.T) {
	const header = "algorithm | numbers to draw from | processes | elections | states in all | most | verdict"
	var rows []row
	for k := 2; k <= 3; k++ {
		for n := 1; n <= 4; n++ {
			a := find(t, "itairodeh", "finite", rising(n), map[string]params.Value{"k": {Number: float64(k)}})
			rows = append(rows, row{fmt.Sprintf("%s | %d | %d", a.Title(), k, n), func() string {
				sum := tally{}
				for _, some := range subsets(rising(n)) {
					c := check.Config{Input: input(a, rising(n))}
					c.Initiators = some
					ends := judged(t, sum.add(t, c), verdict.Ends)
					require.True(t, ends.Known && ends.Holds, "%d %v", k, some)
				}
				return sum.cells() + ", ends with probability 1"
			}})
		}
	}
	documented(t, "chance", header, rows)
}

// meeting is which of n processes start, each leading a group of its own.
type meeting struct {
	n, starters int
	unordered   bool
	together    bool
	delay, from int // in units: the longest delay, 0 for any; starts in the first units
	most        int // how many states are visited, 0 for all
}

// TestElectionsOfGroups: all of a group follow its leader, whichever of invitation start when. Those with the
// smallest IDs do.
func TestElectionsOfGroups(t *testing.T) {
	const header = "processes | that start | when | messages take | links keep the order | states | verdict"
	var rows []row
	for _, m := range []meeting{
		{n: 3, starters: 1}, {n: 3, starters: 1, unordered: true}, {n: 3, starters: 2},
		{n: 3, starters: 3, together: true},
		{n: 3, starters: 3, delay: 1}, {n: 3, starters: 3, delay: 1, unordered: true},
		{n: 3, starters: 3, delay: 1, from: 10}, {n: 4, starters: 1}, {n: 4, starters: 1, unordered: true},
		{n: 4, starters: 2, most: mostStates}, {n: 4, starters: 2, delay: 1}, {n: 4, starters: 3, delay: 1},
		{n: 4, starters: 4, delay: 1, most: mostStates},
	} {
		rows = append(rows, m.row(t))
	}
	documented(t, "groups", header, rows)
	if *long {
		printed(t, header, []row{meeting{n: 3, starters: 2, unordered: true}.row(t)})
	}
}

func (m meeting) row(t *testing.T) row {
	a := find(t, "invitation", "", rising(m.n), nil)
	c := check.Config{Input: input(a, rising(m.n)), Unordered: m.unordered, Started: m.together,
		Delay: scenario.Unit * time.Duration(m.delay), Window: scenario.Unit * time.Duration(m.from),
		MaxStates: m.most}
	c.Initiators = rising(m.starters)
	when := "any moment"
	switch {
	case m.together:
		when = "all at once"
	case m.delay > 0 && m.from == 0:
		when = "the first instant"
	case m.from > 0:
		when = fmt.Sprintf("the first %d units", m.from)
	}
	return row{fmt.Sprintf("%d | %d | %s | %s | %s", m.n, m.starters, when,
		either(m.delay > 0, "up to a unit", "any time"), either(m.unordered, "no", "yes")), func() string {
		r := run(t, c)
		require.NotErrorIs(t, r.Err(), check.ErrViolated)
		require.True(t, r.Exhausted || m.most > 0)
		return fmt.Sprintf("%d | %s", r.States, howFar(r))
	}}
}
