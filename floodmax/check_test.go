package floodmax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/nodetest"
)

// visit visits all states of an election with as many rounds as the diameter, and returns how many there are.
func visit(t *testing.T, with func(floodmax.Config) (*election.Algorithm, error), links topology.Topology,
	c check.Config) uint64 {
	t.Helper()
	n := links.Len()
	c.Input = scenario.Input{Algorithm: of(t, with, uint32(nodetest.Diameter(links))), Topology: links,
		IDs: nodetest.Sorted(n), Initiators: c.Initiators}
	c.Delay, c.Workers = c.Algorithm.Delay, 1
	r, err := check.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Err(), "%v", r.Counterexample)
	require.True(t, r.Exhausted)
	return r.States
}

// TestChecked: on every connected graph of up to four, whichever start, in every order of what is due at one
// instant; and where all start, with every delay up to a unit.
func TestChecked(t *testing.T) {
	all := map[string][2]uint64{"basic": {31534, 16014}, "change": {9506, 6419}}
	if !*long {
		all = map[string][2]uint64{"basic": {31534, 497}, "change": {9506, 382}}
	}
	for variant, want := range all {
		with := floodmax.Basic
		if variant == "change" {
			with = floodmax.Change
		}
		var some, all uint64
		for n := 2; n <= 4; n++ {
			for links := range nodetest.Graphs(n) {
				for part := range nodetest.Subsets(nodetest.Sorted(n)) {
					switch {
					case len(part) == n && (n < 4 || links.Links() < 8 && *long):
						all += visit(t, with, links, check.Config{Reduce: true})
					case len(part) < n && (n < 4 || len(part) == 1):
						c := check.Config{Reduce: true}
						c.Initiators = part
						some += visit(t, with, links, c)
					}
				}
			}
		}
		require.Equal(t, want, [2]uint64{some, all}, variant)
	}
}

// shapes returns the connected graphs of n processes. Of those that differ only in which process is which, it
// returns one.
func shapes(n int) (all []topology.Topology) {
	seen := make(map[int]bool)
	for links := range nodetest.Graphs(n) {
		degrees := 0 // distinguishes those of up to four
		for p := range n {
			degrees += 1 << (3 * links.Ports(p))
		}
		if !seen[degrees] {
			seen[degrees] = true
			all = append(all, links)
		}
	}
	return all
}

// TestCheckedAlpha: on every connected graph of up to four, in every order of messages, alpha elects one
// process. Which process is which makes no difference to the synchronizer.
func TestCheckedAlpha(t *testing.T) {
	var states, graphs uint64
	for n := 1; n <= 4; n++ {
		for _, links := range shapes(n) {
			if !*long && links.Links() > 8 {
				continue
			}
			graphs++
			states += visit(t, floodmax.Alpha, links, check.Config{Started: true, Reduce: true})
			if n == 4 || !*long && links.Links() > 4 {
				continue
			}
			for part := range nodetest.Subsets(nodetest.Sorted(n)) {
				c := check.Config{Started: true, Unordered: true}
				c.Initiators = part
				states += visit(t, floodmax.Alpha, links, c)
			}
		}
	}
	want := [2]uint64{10, 534149}
	if !*long {
		want = [2]uint64{8, 33973}
	}
	require.Equal(t, want, [2]uint64{graphs, states})
}
