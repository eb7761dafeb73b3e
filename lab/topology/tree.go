package topology

import (
	"github.com/go-election/election"
)

// Rooted is a tree of which every process knows the way to the root.
type Rooted interface {
	Topology
	// Root returns the process at the root.
	Root() int
	// Parent returns the port of a process that leads towards the root; 0 at the root.
	Parent(p int) election.Port
}

type rooted struct {
	Topology
	root int
	up   []election.Port
}

// RootAt returns a tree with a root at this process.
func RootAt(t Topology, root int) (Rooted, error) {
	// The old root is replaced, not wrapped.
	if r, ok := t.(rooted); ok {
		t = r.Topology
	}
	switch {
	case t.Shape() != election.Tree:
		return nil, refuse("a %s has no root, only a tree has", t.Shape())
	case root < 0 || root >= t.Len():
		return nil, refuse("process %d cannot be the root, of %d processes", root,
			t.Len())
	}
	return rootAt(t, root), nil
}

// WithParents returns a tree with its root and with the port of each process that leads towards it. It does
// not check the ports; [RootAt] computes them instead.
func WithParents(t Topology, root int, up []election.Port) Rooted { return rooted{t, root, up} }

func rootAt(t Topology, root int) rooted {
	r := rooted{Topology: t, root: root, up: make([]election.Port, t.Len())}
	todo := []int{root}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		// A list of its own and no recursion: a path of a million processes is as deep.
		todo = todo[:len(todo)-1]
		for port := range election.Port(t.Ports(p)) {
			if p == root || port != r.up[p] {
				q, back, _ := t.Link(p, port)
				r.up[q] = back
				todo = append(todo, q)
			}
		}
	}
	return r
}

func (r rooted) Root() int                  { return r.root }
func (r rooted) Parent(p int) election.Port { return r.up[p] }
func (r rooted) String() string             { return Name(r.Topology) }

// TreeOf returns a rooted tree by the parent of each process; the root has -1. A process numbers
// its links in the order of the processes behind them.
func TreeOf(parents []int) (Rooted, error) {
	n := len(parents)
	if err := checkSize("tree", n); err != nil {
		return nil, err
	}
	root := -1
	l := make(links, 0, n)
	joined := newParts(n)
	for p, q := range parents {
		switch {
		case q == -1 && root >= 0:
			return nil, refuse("processes %d and %d have no parent, a tree has one root", root, p)
		case q == -1:
			root = p
		case q < 0 || q >= n:
			return nil, refuse("%d, the parent of process %d, is not one of %d processes", q, p, n)
		case q == p:
			return nil, refuse("process %d is its own parent", p)
		case !joined.join(p, q):
			return nil, refuse("%d, the parent of process %d, closes a cycle, which a tree has not", q, p)
		default:
			l.add(p, q)
		}
	}
	// Without a root there would be as many links as processes, and thus a cycle.
	return rootAt(l.table(election.Tree, n, "tree"), root), nil
}

// BinaryTree returns a complete binary tree of n processes, level by level: process 0 is the root,
// and the children of p are 2p+1 and 2p+2 as far as these exist.
func BinaryTree(n int) (Rooted, error) {
	return treeBy(n, "binary tree", func(p int) int { return (p - 1) / 2 })
}

// Path returns a tree: n processes one after another, of which process 0 is the root.
func Path(n int) (Rooted, error) {
	return treeBy(n, "path", func(p int) int { return p - 1 })
}

// Star returns a tree of n processes: process 0 is the root, all others are its children.
func Star(n int) (Rooted, error) {
	return treeBy(n, "star", func(int) int { return 0 })
}

// treeBy makes a tree in which every process but the first has a parent with a smaller number.
func treeBy(n int, what string, parent func(p int) int) (Rooted, error) {
	if err := checkSize(what, n); err != nil {
		return nil, err
	}
	l := make(links, 0, n)
	for p := 1; p < n; p++ {
		l.add(p, parent(p))
	}
	return rootAt(l.table(election.Tree, n, "%s", what), 0), nil
}
