package process_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/process"
)

// TestTree: once an election has ended, each process knows its links in the tree: the parents lead to one
// root, and each is the parent of its children. The tree of ghs has the least weight.
func TestTree(t *testing.T) {
	square, err := topology.New(election.Graph, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}})
	require.NoError(t, err)
	weights := map[[2]int]uint64{{0, 1}: 1, {1, 2}: 3, {2, 3}: 2, {0, 3}: 5, {0, 2}: 4}
	graph := topology.WithWeights(square, func(p, q int) uint64 {
		return weights[[2]int{min(p, q), max(p, q)}]
	})
	for _, a := range append(echo.Algorithms(), ghs.Algorithm()) {
		synctest.Test(t, func(t *testing.T) {
			ids := []election.ID{1, 2, 3, 4}
			ends, all := endsOf(t, ids...), make([]*process.Process, len(ids))
			configs := make([]process.Config, len(ids))
			var wait sync.WaitGroup
			defer wait.Wait()
			for p, id := range ids {
				c := process.Config{Algorithm: a, Transport: ends[id], Founding: true,
					Start: p == 2 || !a.SingleInitiator}
				require.NoError(t, c.Place(graph, ranksOf(ids), p))
				var err error
				all[p], err = process.New(c)
				require.NoError(t, err)
				_, _, ok := all[p].Tree()
				require.False(t, ok)
				configs[p] = c
				wait.Go(func() { _ = all[p].Run(t.Context()) })
				defer all[p].Close()
			}
			synctest.Wait()
			parents := make(map[election.ID]election.ID)
			for p, id := range ids {
				parent, children, ok := all[p].Tree()
				require.True(t, ok, a.Title())
				if parent != election.NoPort {
					parents[id] = configs[p].Peers[parent].ID
				} else if !a.SingleInitiator {
					require.Equal(t, election.Leader, all[p].Outcome().Role, a.Title())
				}
				for _, port := range children {
					child := int(configs[p].Peers[port].ID) - 1
					back, _, _ := all[child].Tree()
					require.Equal(t, id, configs[child].Peers[back].ID, a.Title())
				}
			}
			require.Len(t, parents, len(ids)-1, "%s: one root", a.Title())
			if a.Name == "ghs" {
				require.Equal(t, map[election.ID]election.ID{1: 2, 2: 3, 4: 3}, parents)
			}
		})
	}
	p, err := process.New(process.Config{Algorithm: lcr.Max(), Self: election.Rank{ID: 1},
		Peers: []election.Rank{{ID: 1}, {ID: 1}}, Transport: endsOf(t, 1)[1]})
	require.NoError(t, err)
	_, _, ok := p.Tree()
	require.False(t, ok)
}
