package check_test

import (
	"fmt"
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

// every says it for algorithms in whose model nothing goes wrong. What has more than states that fit into some
// minutes is left out; see the documentation.
var every = map[string]sizes{
	"lcr/participant":      {4, 4, 5, 4},
	"lcr/initiators":       {4, 4, 5, 4}, // it does not need the order, see TestInitiatorsWithoutOrder
	"lcr/max":              {4, 4, 5, 4},
	"lcr/wave":             {4, 3, 5, 4},
	"hs/probe":             {3, 2, 4, 3},
	"hs/respond":           {3, 2, 4, 3},
	"franklin":             {4, 3, 5, 4},
	"dkr":                  {4, 0, 5, 0},
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
	"hypercube":            {4, 2, 4, 2},
	"mutex/ricartagrawala": {3, 3, 4, 3},
}

// TestEveryElectionHolds: on every network of so few processes, whoever starts, each at any moment.
func TestEveryElectionHolds(t *testing.T) {
	var b strings.Builder
	b.WriteString("| algorithm | links keep the order | processes | elections | states in all | most | verdict |\n|---|---|---|---|---|---|---|\n")
	for _, a := range catalog.All() {
		s, ok := every[a.Title()]
		if !ok {
			require.True(t, a.Delay > 0 || a.Topology == election.Mesh || a.Title() == "mutex/tokenring", a.Title())
			continue
		}
		ordered, unordered := s.ordered, s.unordered
		if *long {
			ordered, unordered = s.longOrdered, s.longUnordered
		}
		for _, row := range []struct {
			keep string
			most int
		}{{"yes", ordered}, {"no", unordered}} {
			if row.most > 0 {
				everyElection(t, &b, a, row.keep == "no", row.most)
			}
		}
	}
	document(t, "every", b.String())
}

// together are those that are checked among four with all starts before the first state, since with starts at
// any moment they have too many states for every change; whether on links that do not keep the order
// as well, and whether among five on the long run, on links that keep it.
var together = map[string]struct{ unordered, five bool }{
	"lcr/wave": {true, true}, "hs/probe": {true, true}, "hs/respond": {true, true}, "franklin": {true, true},
	"inquiry/states": {true, true}, "inquiry/naive": {false, true}, "treeelect/saturation": {true, true},
	"echo/extinction": {false, false}, "hypercube": {true, false}, "mutex/ricartagrawala": {true, true},
}

// TestElectionsTogether: on every network of four, whoever starts, all at once; of five on the long run.
func TestElectionsTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("| algorithm | links keep the order | elections | states in all | most | verdict |\n|---|---|---|---|---|---|\n")
	for _, a := range catalog.All() {
		of, ok := together[a.Title()]
		for _, unordered := range []bool{false, true} {
			if !ok || unordered && (!of.unordered || *long) || *long && !of.five {
				continue
			}
			n, most := 4, 0
			if a.Title() == "inquiry/naive" { // its messages grow exponentially
				most = mostStates
			}
			if *long {
				n, most = 5, *states
			}
			sum := tally{most: most}
			for _, net := range networks(t, a, n) {
				for _, who := range starters(a, net) {
					c := check.Config{Input: input(a, net.of), Unordered: unordered, Started: true}
					c.Topology, c.Initiators = net.links, who
					sum.add(t, c)
				}
			}
			sum.row(t, &b, fmt.Sprintf("%s | %s", a.Title(), either(unordered, "no", "yes")))
		}
	}
	document(t, "together", b.String())
}

// everyElection checks all elections of one algorithm among up to so many processes.
func everyElection(t *testing.T, b *strings.Builder, a *election.Algorithm, unordered bool, most int) {
	sum := tally{}
	if *long {
		sum.most = *states
	}
	for n := 1; n <= most; n++ {
		for _, net := range networks(t, a, n) {
			for _, who := range starters(a, net) {
				c := check.Config{Input: input(a, net.of), Unordered: unordered}
				c.Topology, c.Initiators = net.links, who
				sum.add(t, c)
			}
		}
	}
	sum.row(t, b, fmt.Sprintf("%s | %s | 1 to %d", a.Title(), either(unordered, "no", "yes"), most))
}

// tally sums up elections, of which no more than most states are visited, if it is not 0.
type tally struct {
	checks, cut, most int
	states, largest   uint64
}

// add checks one more.
func (s *tally) add(t *testing.T, c check.Config) {
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
}

// row writes the line of a table that begins with what was checked.
func (s *tally) row(t *testing.T, b *strings.Builder, what string) {
	row := fmt.Sprintf("| %s | %d | %d | %d | holds%s |\n", what, s.checks, s.states, s.largest,
		either(s.cut > 0, fmt.Sprintf(", as far as visited: %d of them have more states", s.cut), ""))
	b.WriteString(row)
	if *long {
		t.Log(row) // it takes its time
	}
}

// starters returns who may start together.
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
	var b strings.Builder
	b.WriteString("| algorithm | network | start | states | verdict |\n|---|---|---|---|---|\n")
	for _, some := range larger(t) {
		c := some.config
		r := run(t, c)
		require.NotErrorIs(t, r.Err(), check.ErrViolated, some.name)
		require.True(t, r.Exhausted || c.MaxStates > 0, some.name)
		fmt.Fprintf(&b, "| %s | %s | %s | %d%s | %s |\n", c.Algorithm.Title(), some.name, some.starts, r.States, either(c.Reduce, ", reduced", ""), howFar(r))
	}
	document(t, "larger", b.String())
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

func larger(t *testing.T) (list []some) {
	add := func(name, starts string, c check.Config) { list = append(list, some{name, starts, c}) }
	mesh := check.Config{Input: input(find(t, "mesh", "", rising(9), nil), rising(9)), Reduce: true, MaxStates: 100_000}
	mesh.Initiators = rising(1)
	if *long {
		mesh.MaxStates = 2_000_000
	}
	add("3 by 3", "1 alone", mesh)
	cube := find(t, "hypercube", "", falling(4), nil)
	c := check.Config{Input: input(cube, falling(4)), Started: true, Unordered: true}
	add("of 4", "all together, links do not keep the order", c)
	n := 7
	if *long {
		n = 10
		cube := find(t, "hypercube", "", falling(8), nil)
		add("of 8", "all together", check.Config{Input: input(cube, falling(8)), Started: true, Reduce: true, MaxStates: 2_000_000})
	}
	for _, title := range []string{"lcr/participant", "lcr/initiators", "lcr/max", "lcr/wave", "dkr", "franklin"} {
		name, variant, _ := strings.Cut(title, "/")
		a := find(t, name, variant, falling(n), nil)
		c := check.Config{Input: input(a, falling(n)), Started: true}
		add(fmt.Sprintf("ring of %d, ids fall", n), "all together", c)
		if *long {
			c.Reduce = true
			add(fmt.Sprintf("ring of %d, ids fall", n), "all together", c)
		}
	}
	for _, title := range []string{"echo/implicit", "echo/nok", "treeelect/graph"} {
		name, variant, _ := strings.Cut(title, "/")
		wheel, err := topology.New(election.Graph, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}})
		require.NoError(t, err)
		c := check.Config{Input: input(find(t, name, variant, rising(4), nil), rising(4))}
		c.Topology, c.Initiators = wheel, rising(1)
		add("every link among 4", "1 alone", c)
	}
	for n := 1; n <= 4; n++ {
		ring := find(t, "mutex", "tokenring", rising(n), nil)
		add(fmt.Sprintf("ring of %d", n), "all together", check.Config{Input: input(ring, rising(n)), Started: true})
	}
	slices.SortStableFunc(list, func(a, b some) int { return strings.Compare(a.config.Algorithm.Title(), b.config.Algorithm.Title()) })
	return list
}
