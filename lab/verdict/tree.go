package verdict

import (
	"cmp"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
)

// Tree collects the links of the tree that an algorithm builds: the links that carry messages of a kind that Joins.
// The zero value is for an algorithm that builds no tree.
type Tree struct {
	joins [256]bool // by kind
	links []treeLink
}

type treeLink struct {
	term uint64
	ends [2]election.ID
}

// NewTree returns the empty Tree of an algorithm.
func NewTree(a *election.Algorithm) (t Tree) {
	for i, k := range a.Kinds {
		t.joins[i+1] = k.Joins
	}
	return t
}

// Sent takes a message that one process sends to another.
func (t *Tree) Sent(m *election.Message, from, to election.ID) {
	if t.joins[m.Kind] {
		t.links = append(t.links, treeLink{m.Term, [2]election.ID{min(from, to), max(from, to)}})
	}
}

// Clip returns a Tree that does not share what is taken from now on.
func (t *Tree) Clip() Tree {
	c := *t
	c.links = slices.Clip(c.links)
	return c
}

// Joins reports whether a kind of message is for [Tree.Sent].
func (t *Tree) Joins(kind uint8) bool { return t.joins[kind] }

// Add adds what another Tree of the same run has taken.
func (t *Tree) Add(o *Tree) { t.links = append(t.links, o.links...) }

// Fill writes the tree into r.
func (t *Tree) Fill(r *Result) {
	var last uint64
	for _, l := range t.links {
		last = max(last, l.term)
	}
	for _, l := range t.links {
		if l.term == last {
			r.Tree = append(r.Tree, l.ends)
		}
	}
	order.Stable(r.Tree, CompareEdges)
	r.Tree = slices.Compact(r.Tree)
}

// CompareEdges orders links by their smaller ends, then by the larger.
func CompareEdges(a, b [2]election.ID) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}
