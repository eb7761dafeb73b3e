package museum

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
)

// TestAll: each exhibit has an ID of its own, and its own trail, unless a run of the simulator shows the
// mistake. It is either an exercise with a hint, or a rule gives the reason why it is not. No trail or hint
// is left over.
func TestAll(t *testing.T) {
	seen, reasons, trailed, hinted := make(map[string]bool), make(map[string][]string), 0, 0
	for _, x := range All() {
		require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)+$`, x.ID())
		require.False(t, seen[x.ID()], x.ID())
		seen[x.ID()] = true
		require.Contains(t, catalog.Names(), x.Package(), x.ID())
		byRun := x.played || x.counted != ""
		require.Equal(t, byRun, x.Par == 0, x.ID())
		require.Equal(t, byRun, x.Property == "", x.ID())
		trailed += min(x.Par, 1)
		hinted += min(len(x.Hint), 1)
		reasons[x.NoExercise()] = append(reasons[x.NoExercise()], x.ID())
		require.Equal(t, x.Hint == "", x.NoExercise() != "", "%s: %s", x.ID(), x.NoExercise())
	}
	require.Len(t, trails, len(seen))
	require.NotZero(t, trailed)
	require.Len(t, hints, hinted)
	require.Len(t, reasons, 7, "each reason keeps an entry out: %v", reasons)
}

// TestFind: Find finds the algorithms of all exhibits by ID and the algorithms of the catalog by name, and no
// others.
func TestFind(t *testing.T) {
	for _, x := range All() {
		a, err := Find(Name, x.ID())
		require.NoError(t, err)
		require.Equal(t, "museum/"+x.ID(), a.Title())
		require.Equal(t, x.Config.Algorithm.KindName(1), a.KindName(1))
		require.NotEqual(t, Name, x.Config.Algorithm.Name, "the Entry has its own name still")
		setup := election.Setup{Self: election.Rank{ID: x.Config.IDs[0]}, Ports: 1}
		require.Equal(t, bends(node(x.Config)), bends(a.New(setup)), "the Node is the wrong one")
	}
	a, err := Find("lcr", "max")
	require.NoError(t, err)
	require.Equal(t, "lcr/max", a.Title())
	for _, variant := range []string{"", "lcr-max"} {
		_, err = Find(Name, variant)
		require.ErrorIs(t, err, election.ErrInput)
	}
	require.False(t, slices.Contains(catalog.Names(), Name))
}
