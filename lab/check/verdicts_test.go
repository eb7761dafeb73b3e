package check_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/topology"
)

// sizes says up to how many processes an algorithm is checked, on links that keep the order and on those
// that do not, and how far in the long run.
type sizes struct{ ordered, unordered, longOrdered, longUnordered int }

// every lists algorithms in whose model nothing goes wrong. What has more than states that fit into
// some minutes is left out; see the documentation.
var every = map[string]sizes{
	"lcr/participant":      {4, 4, 5, 4},
	"lcr/initiators":       {4, 4, 5, 4}, // it does not need the order that the literature asks for
	"lcr/max":              {4, 4, 5, 4},
	"lcr/wave":             {4, 3, 5, 4},
	"hs/probe":             {3, 2, 4, 3},
	"hs/respond":           {3, 2, 4, 3},
	"franklin":             {4, 3, 5, 4},
	"dkr":                  {4, 0, 5, 0},
	"peterson":             {4, 0, 5, 0},
	"itairodeh/finite":     {3, 0, 4, 0},
	"inquiry/states":       {3, 2, 4, 3},
	"inquiry/naive":        {3, 2, 4, 3},
	"treeelect/root":       {4, 4, 5, 5},
	"treeelect/any":        {4, 4, 5, 5},
	"treeelect/climb":      {4, 4, 5, 5},
	"treeelect/saturation": {4, 2, 5, 3},
	"treeelect/graph":      {4, 4, 5, 5},
	"echo/implicit":        {4, 4, 5, 5},
	"echo/nok":             {4, 4, 5, 5},
	"echo/extinction":      {3, 2, 4, 3},
	"floodmax/alpha":       {2, 2, 3, 3},
	"ghs":                  {3, 0, 4, 0}, // links that do not keep the order: ghs/check_test.go
	"yoyo":                 {3, 3, 4, 3},
	"hypercube":            {4, 2, 4, 2},
	"afekgafni/async":      {3, 3, 4, 4},
	"afekgafni/sync":       {3, 3, 4, 4},
	"invitation":           {2, 2, 3, 3},
	"lmw":                  {4, 3, 5, 4},
	"mutex/ricartagrawala": {3, 3, 4, 3},
}

// TestEveryElectionHolds: on every network of so few processes, whichever start, each at any moment.
func TestEveryElectionHolds(t *testing.T) {
	const header = "algorithm | links keep the order | processes | elections | states in all | most | verdict"
	documented(t, "every", header, everyElection(t, 0, func(s sizes) (int, int) {
		return s.ordered, s.unordered
	}))
	if *long {
		further := func(s sizes) (int, int) { return s.longOrdered, s.longUnordered }
		printed(t, header, everyElection(t, *states, further))
	}
}

// everyElection returns a row for each algorithm: all its elections among at most upTo processes. The check
// visits at most states states of each election; 0 is no limit.
func everyElection(t *testing.T, states int, upTo func(s sizes) (ordered, unordered int)) (rows []row) {
	for _, a := range catalog.All() {
		s, ok := every[a.Title()]
		if !ok {
			continue // TestCountsOfAlgorithms checks its smallest elections
		}
		ordered, unordered := upTo(s)
		for _, c := range []struct {
			unordered bool
			most      int
		}{{false, ordered}, {true, unordered}} {
			if c.most == 0 {
				continue
			}
			what := fmt.Sprintf("%s | %s | 1 to %d", a.Title(), either(c.unordered, "no", "yes"), c.most)
			rows = append(rows, row{what, func() string {
				sum := tally{most: states}
				for n := 1; n <= c.most; n++ {
					sum.elections(t, a, n, check.Config{Unordered: c.unordered})
				}
				return sum.cells()
			}})
		}
	}
	return rows
}

// together are those that are checked among four with all starts before the first state, since with starts at
// any moment they have too many states for every change; whether on links that do not keep the order
// as well, and whether among five on the long run, on links that keep it.
var together = map[string]struct{ unordered, five bool }{
	"lcr/wave": {true, true}, "hs/probe": {true, true}, "hs/respond": {true, true}, "franklin": {true, true},
	"inquiry/states": {true, true}, "inquiry/naive": {false, true}, "treeelect/saturation": {true, true},
	"echo/extinction": {false, false}, "hypercube": {true, false}, "mutex/ricartagrawala": {true, true},
	"afekgafni/async": {true, true}, "yoyo": {true, false}, "ghs": {false, false},
	"lmw": {true, true}, "afekgafni/sync": {true, true},
}

// TestElectionsTogether: on every network of four, whichever start, all at once; of five on the long run.
func TestElectionsTogether(t *testing.T) {
	const header = "algorithm | links keep the order | elections | states in all | most | verdict"
	documented(t, "together", header, electionsTogether(t, 4))
	if *long {
		printed(t, header, electionsTogether(t, 5))
	}
}

func electionsTogether(t *testing.T, n int) (rows []row) {
	for _, a := range catalog.All() {
		of, ok := together[a.Title()]
		for _, unordered := range []bool{false, true} {
			if !ok || unordered && (!of.unordered || n == 5) || n == 5 && !of.five {
				continue
			}
			sum := tally{}
			switch {
			case n == 5:
				sum.most = *states
			case a.Title() == "inquiry/naive": // its messages grow exponentially
				sum.most = mostStates
			}
			rows = append(rows, row{fmt.Sprintf("%s | %s", a.Title(), either(unordered, "no", "yes")),
				func() string {
					sum.elections(t, a, n, check.Config{Unordered: unordered, Started: true})
					return sum.cells()
				}})
		}
	}
	return rows
}

// tally sums up elections, of which no more than most states are visited, if it is not 0.
type tally struct {
	checks, cut, most int
	states, largest   uint64
}

// add checks one more.
func (s *tally) add(t *testing.T, c check.Config) *check.Result {
	t.Helper()
	c.MaxStates = s.most
	r := run(t, c)
	require.NotErrorIs(t, r.Err(), check.ErrViolated, "%s %v %v", c.Algorithm.Title(), c.IDs, c.Initiators)
	require.True(t, r.Exhausted || s.most > 0)
	if !r.Exhausted {
		s.cut++
	}
	s.checks++
	s.states, s.largest = s.states+r.States, max(s.largest, r.States)
	return r
}

// elections adds those of an algorithm on every network of n processes, whichever start.
func (s *tally) elections(t *testing.T, a *election.Algorithm, n int, c check.Config) {
	t.Helper()
	for _, net := range networks(t, a, n) {
		for _, some := range starters(a, net) {
			c.Input = input(a, net.of)
			c.Topology, c.Initiators = net.links, some
			s.add(t, c)
		}
	}
}

// cells returns the cells of a row.
func (s *tally) cells() string {
	cut := either(s.cut > 0, fmt.Sprintf(", as far as visited: %d of them have more states", s.cut), "")
	return fmt.Sprintf("%d | %d | %d | holds%s", s.checks, s.states, s.largest, cut)
}

// starters returns the sets of processes that may start together.
func starters(a *election.Algorithm, net network) [][]election.ID {
	if tree, ok := net.links.(topology.Rooted); ok && a.Variant == "root" {
		return [][]election.ID{{net.of[tree.Root()]}}
	}
	all := subsets(net.of)
	if a.SingleInitiator {
		all = slices.DeleteFunc(all, func(some []election.ID) bool { return len(some) > 1 })
	}
	return all
}

// TestLargerElectionsHold: where not every network can be tried, some that are larger.
func TestLargerElectionsHold(t *testing.T) {
	const header = "algorithm | network | start | states | verdict"
	documented(t, "larger", header, largerElections(t, 7, 100_000))
	if *long {
		printed(t, header, largerElections(t, 10, 2_000_000))
	}
}

func largerElections(t *testing.T, n, most int) (rows []row) {
	for _, some := range larger(t, n, most) {
		c := some.config
		rows = append(rows, row{fmt.Sprintf("%s | %s | %s", c.Algorithm.Title(), some.name, some.starts),
			func() string {
				r := run(t, c)
				require.NotErrorIs(t, r.Err(), check.ErrViolated, some.name)
				require.True(t, r.Exhausted || c.MaxStates > 0, some.name)
				return fmt.Sprintf("%d%s | %s", r.States, either(c.Reduce, ", reduced", ""), howFar(r))
			}})
	}
	return rows
}

// howFar says how far all holds.
func howFar(r *check.Result) string {
	if r.Exhausted {
		return "holds"
	}
	return fmt.Sprintf("holds as far as %d steps", r.Depth-1)
}

type some struct {
	name, starts string
	config       check.Config
}

// larger returns elections on rings of n processes, on some other networks, and those of which the check
// visits at most some states: on a mesh, and in rounds that are counted.
func larger(t *testing.T, n, most int) (list []some) {
	add := func(name, starts string, c check.Config) { list = append(list, some{name, starts, c}) }
	mesh := check.Config{Input: input(find(t, "mesh", "", rising(9), nil), rising(9)), Reduce: true,
		MaxStates: most}
	mesh.Initiators = rising(1)
	add("3 by 3", "1 alone", mesh)
	cube := find(t, "hypercube", "", falling(4), nil)
	c := check.Config{Input: input(cube, falling(4)), Started: true, Unordered: true}
	add("of 4", "all together, links do not keep the order", c)
	further := n > 7
	if further {
		cube := find(t, "hypercube", "", falling(8), nil)
		add("of 8", "all together", check.Config{Input: input(cube, falling(8)), Started: true, Reduce: true,
			MaxStates: 2_000_000})
	}
	for _, title := range []string{"lcr/participant", "lcr/initiators", "lcr/max", "lcr/wave", "dkr",
		"franklin"} {
		name, variant, _ := strings.Cut(title, "/")
		a := find(t, name, variant, falling(n), nil)
		c := check.Config{Input: input(a, falling(n)), Started: true}
		add(fmt.Sprintf("ring of %d, ids fall", n), "all together", c)
		if further {
			c.Reduce = true
			add(fmt.Sprintf("ring of %d, ids fall", n), "all together", c)
		}
	}
	for _, title := range []string{"echo/implicit", "echo/nok", "treeelect/graph"} {
		name, variant, _ := strings.Cut(title, "/")
		wheel, err := topology.New(election.Graph, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2},
			{1, 3}})
		require.NoError(t, err)
		c := check.Config{Input: input(find(t, name, variant, rising(4), nil), rising(4))}
		c.Topology, c.Initiators = wheel, rising(1)
		add("every link among 4", "1 alone", c)
	}
	for n := 1; n <= 4; n++ {
		ring := find(t, "mutex", "tokenring", rising(n), nil)
		add(fmt.Sprintf("ring of %d", n), "all together",
			check.Config{Input: input(ring, rising(n)), Started: true})
	}
	for n := 2; n <= 4; n++ { // rounds are counted without end, so there are states without end
		rounds := find(t, "itairodeh", "rounds", rising(n), nil)
		c := check.Config{Input: input(rounds, rising(n)), Unordered: true, MaxStates: most}
		add(fmt.Sprintf("ring of %d", n), "each at any moment, links do not keep the order", c)
	}
	slices.SortStableFunc(list, func(a, b some) int {
		return strings.Compare(a.config.Algorithm.Title(), b.config.Algorithm.Title())
	})
	return list
}

// TestSummary sums up the tables of verdicts.md in verification.md. It comes last, since with -update the tests
// above change the tables.
func TestSummary(t *testing.T) {
	text, err := os.ReadFile(verdicts)
	require.NoError(t, err)
	before, _, after := part(t, verification, "summary")
	asWritten(t, verification, before+summarize(t, string(text))+after)
}
