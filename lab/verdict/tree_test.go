package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
)

// TestTree: messages of kinds that join make the tree, of the last Term, each link once.
func TestTree(t *testing.T) {
	a := &election.Algorithm{Kinds: []election.Kind{{Name: "talk"}, {Name: "join", Joins: true}}}
	tree := verdict.NewTree(a)
	require.False(t, tree.Joins(0) || tree.Joins(1))
	require.True(t, tree.Joins(2))
	send := func(to *verdict.Tree, kind uint8, term uint64, from, at election.ID) {
		to.Sent(&election.Message{Kind: kind, Term: term}, from, at)
	}
	send(&tree, 2, 1, 1, 2)
	send(&tree, 2, 2, 3, 2)
	send(&tree, 1, 2, 5, 6)
	clip := tree.Clip()
	send(&tree, 2, 2, 2, 3)
	other := verdict.NewTree(a)
	send(&other, 2, 2, 1, 3)
	send(&clip, 2, 3, 8, 9)
	tree.Add(&other)
	var r verdict.Result
	tree.Fill(&r)
	require.Equal(t, [][2]election.ID{{1, 3}, {2, 3}}, r.Tree)
	r = verdict.Result{}
	clip.Fill(&r)
	require.Equal(t, [][2]election.ID{{8, 9}}, r.Tree)
}
