package electiontest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
)

// TestSmall: if Options name none, every state is visited of the smallest three networks of a shape.
func TestSmall(t *testing.T) {
	for shape, want := range map[election.Shape][]int{
		election.Ring: {1, 2, 3}, election.Complete: {1, 2, 3}, election.Tree: {1, 2, 3},
		election.Graph:     {1, 2, 3},
		election.Hypercube: {1, 2, 4}, election.Mesh: {9},
	} {
		c := &trial{Algorithm: &election.Algorithm{Topology: shape}}
		require.Equal(t, want, c.small(), shape)
		c.Exhaustive = []int{5}
		require.Equal(t, []int{5}, c.small(), shape)
	}
}

// TestNetworks: which networks are visited depends on their size and on the description.
func TestNetworks(t *testing.T) {
	texts := func(n int, adjust func(a *election.Algorithm)) (all []string) {
		a := *lcr.Participant()
		a.Faults, a.NeedsFIFO = election.Faults{}, true
		if adjust != nil {
			adjust(&a)
		}
		c := &trial{Algorithm: &a}
		for _, w := range c.networks(n) {
			config, err := c.config(w)
			require.NoError(t, err)
			require.NoError(t, config.Check())
			all = append(all, visited(&config))
		}
		return all
	}
	require.Equal(t, []string{"among [1]", "among [1]"}, texts(1, nil))
	require.Equal(t, []string{"among [1 2]", "among [2 1]", "among [1 2], priorities [1 0]"}, texts(2, nil))
	three := []string{"among [1 2 3]", "among [1 3 2]", "among [1 2 3], priorities [1 1 0]"}
	require.Equal(t, three, texts(3, nil))
	require.Equal(t, []string{"among [1 2 3 4]"}, texts(4, nil))

	any := func(a *election.Algorithm) { a.NeedsFIFO = false }
	require.Equal(t, []string{"among [1 2 3]", "among [1 2 3], on links that do not keep the order",
		"among [1 3 2]", "among [1 3 2], on links that do not keep the order",
		"among [1 2 3], priorities [1 1 0]"}, texts(3, any))
	require.Equal(t, []string{"among [1 2 3 4]"}, texts(4, any))

	more := func(n int, adjust func(a *election.Algorithm)) []string {
		return texts(n, adjust)[len(texts(n, nil)):]
	}
	loses := func(a *election.Algorithm) { a.Faults.Loss = true }
	require.Empty(t, more(1, loses))
	require.Equal(t, []string{"among [1 2], lost messages: 1"}, more(2, loses))
	require.Empty(t, more(3, loses))
	doubles := func(a *election.Algorithm) { a.Faults.Copies = true }
	require.Equal(t, []string{"among [1], doubled messages: 1"}, more(1, doubles))
	require.Equal(t, []string{"among [1 2 3], doubled messages: 1"}, more(3, doubles))
	require.Empty(t, more(4, doubles))
	crashes := func(a *election.Algorithm) { a.Faults.Crash = election.StaysDown }
	require.Empty(t, more(1, crashes))
	require.Equal(t, []string{"among [1 2], crashes: 1"}, more(2, crashes))
	require.Empty(t, more(3, crashes))
	reported := func(a *election.Algorithm) { a.Faults.Crash, a.Faults.Reported = election.StaysDown, true }
	require.Empty(t, more(1, reported))
	require.Equal(t, []string{"among [1 2], crashes: 1"}, more(2, reported))
	require.Equal(t, []string{"among [1 2 3], crashes: 1"}, more(3, reported))
	require.Empty(t, more(4, reported))
	guards := func(a *election.Algorithm) { a.Faults.Crash, a.Sections = election.StaysDown, 1 }
	require.Empty(t, more(2, guards))
}

// TestVisits: how far the states of a network are visited, and what may happen besides.
func TestVisits(t *testing.T) {
	plain := network{upTo(2), func(*check.Config) {}}
	config := func(a *election.Algorithm, w network) check.Config {
		c, err := (&trial{Options: Options{States: 7}, Algorithm: a}).config(w)
		require.NoError(t, err)
		return c
	}
	ring := config(lcr.Participant(), plain)
	require.Equal(t, check.Config{Input: ring.Input, MaxStates: 7}, ring)
	bullies := config(bully.Algorithms()[0], plain)
	require.Equal(t, check.Config{Input: bullies.Input, MaxStates: 7, Delay: scenario.Unit, Nudge: true},
		bullies)
	require.Equal(t, "among [1 2], delays up to 1 units", visited(&bullies))
	beating, err := bully.Rules(bully.Config{Heartbeat: 8 * scenario.Unit})
	require.NoError(t, err)
	require.Equal(t, 12*scenario.Unit, config(beating, plain).Until,
		"the first heartbeat, and what comes of it")
	require.Equal(t, time.Duration(0), bullies.Until)
	tokens, err := catalog.Find("mutex", "tokenring")
	require.NoError(t, err)
	require.True(t, config(tokens, plain).Started, "each asks before the token is gone")

	for _, c := range []struct {
		reported bool
		nudge    bool
	}{{false, true}, {true, false}} {
		a := *bully.Algorithms()[0]
		a.Faults.Reported = c.reported
		all := (&trial{Algorithm: &a}).networks(2)
		crashing := config(&a, all[len(all)-1])
		require.Equal(t, 1, crashing.Crashes)
		require.Equal(t, c.nudge, crashing.Nudge,
			"a process that nothing reports a crash to starts once more")
	}
}
