package trace_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// grown records an election of ghs on a square with a diagonal, once or twice, and returns its tree.
func grown(t *testing.T, elections int) (*bytes.Buffer, [][2]election.ID) {
	t.Helper()
	a, err := catalog.Find("ghs", "")
	require.NoError(t, err)
	square, err := topology.New(election.Graph, 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}})
	require.NoError(t, err)
	weights := map[[2]int]uint64{{0, 1}: 1, {1, 2}: 3, {2, 3}: 2, {0, 3}: 5, {0, 2}: 1 << 60}
	in := scenario.Input{Algorithm: a, IDs: numbered(4),
		Topology: topology.WithWeights(square, func(p, q int) uint64 { return weights[[2]int{p, q}] })}
	var log bytes.Buffer
	r, err := trace.NewWriter(&log, &in, trace.About{Schedule: scenario.UnitDelay})
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Input: in, Observe: r.Observe})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	for range elections - 1 {
		s.Post(2, election.Event{Op: election.Start})
		require.NoError(t, s.Run(t.Context()))
	}
	require.NoError(t, r.Close())
	return &log, s.Result().Tree
}

// TestWeightedTrace: a trace holds the weights, with which it is replayed, and which kinds make the tree.
func TestWeightedTrace(t *testing.T) {
	log, _ := grown(t, 1)
	text := log.String()
	require.Contains(t, text, `"weights":[[1,5,"1152921504606846976"],[1,3],[3,2,"1152921504606846976"],[2,5]]`)
	require.Contains(t, text, `"joins":["connect"]`)
	read, err := trace.Read(strings.NewReader(text))
	require.NoError(t, err)
	require.EqualValues(t, 3, topology.Weight(read.Header.Links, 1, 1))
	for _, c := range [][2]string{
		{`[1,3],[3`, `[1,4],[3`}, // the ends of a link differ
		{`[1,3],[3`, `[1],[3`},
		{`,[2,5]]`, `]`},
	} {
		require.Contains(t, text, c[0])
		_, err = trace.Read(strings.NewReader(strings.Replace(text, c[0], c[1], 1)))
		require.Error(t, err, c[1])
	}
}

// TestTreeGrows: the picture marks the links of the tree, and numbers them in the order in which they joined.
func TestTreeGrows(t *testing.T) {
	for _, elections := range []int{1, 2} {
		log, tree := grown(t, elections)
		require.Equal(t, [][2]election.ID{{1, 2}, {2, 3}, {3, 4}}, tree)
		read, err := trace.Read(log)
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, trace.WriteLinks(&b, read))
		picture := b.String()
		// All start, the core joins last; in the second election 3 starts and wakes the others.
		want := []string{"1 to 2", "3 to 4", "2 to 3"}
		if elections == 2 {
			want = []string{"3 to 4", "1 to 2", "2 to 3"}
		}
		for i, link := range want {
			require.Regexp(t, fmt.Sprintf(`<title>%s: [^<]*; link %d of the tree</title>`, link, i+1), picture)
			require.Contains(t, picture, fmt.Sprintf(`>%d.</text>`, i+1))
		}
		require.Equal(t, 3, strings.Count(picture, "of the tree</title>"))
		require.Contains(t, picture, "tree, by the order in which it grew")
		film, err := trace.NewFilm(read)
		require.NoError(t, err)
		ends := map[string][2]int{"1 to 2": {0, 1}, "2 to 3": {1, 2}, "3 to 4": {2, 3}}
		grew := film.Head.Tree
		if elections == 2 {
			require.Equal(t, [2]int{-1, -1}, [2]int(grew[3][1:]), "a new tree")
			require.Equal(t, [2]int{1, 2}, [2]int(grew[2][1:]), "the last link of the first tree")
			grew = grew[4:]
		}
		require.Len(t, grew, 3)
		for i, link := range want {
			require.Equal(t, ends[link], [2]int(grew[i][1:]))
			first, sent := film.Steps.First[grew[i][0]-1], false
			for k := first; k < first+film.Steps.Count[grew[i][0]-1]; k++ {
				e := &film.Events
				between := [2]int{int(e.Process[k]), int(e.Peer[k])}
				slices.Sort(between[:])
				sent = sent || observe.What(e.Do[k]) == observe.Send && between == ends[link]
			}
			require.True(t, sent, "%s, step %d", link, grew[i][0])
		}
	}
}
