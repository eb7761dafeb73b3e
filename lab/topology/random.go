package topology

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/splitmix"
)

// random draws the numbers of a topology from a seed.
type random splitmix.Source

// below returns a number from 0 to n-1.
func (s *random) below(n int) int { return int((*splitmix.Source)(s).Below(uint64(n))) }

// RandomTree returns a tree of n processes that is drawn from seed, with process 0 as its root.
// Every tree of numbered processes is equally likely: it is decoded from a random Prüfer code. A
// process numbers its links in the order of the processes behind them.
func RandomTree(n int, seed uint64) (Rooted, error) {
	if err := checkSize("random tree", n); err != nil {
		return nil, err
	}
	s := random(seed)
	return rootAt(s.tree(n).table(election.Tree, n, "random tree"), 0), nil
}

// tree draws the links of a tree. The code of a tree is got by taking away the smallest leaf again
// and again, and noting the neighbour of each, until two processes are left.
func (s *random) tree(n int) links {
	l := make(links, 0, n)
	if n == 1 {
		return l
	}
	code := make([]int32, n-2)
	missing := make([]int32, n) // how often each will be noted yet
	for i := range code {
		code[i] = int32(s.below(n))
		missing[code[i]]++
	}
	next := 0 // except for leaf, no leaf with a number below this one is left
	for missing[next] > 0 {
		next++
	}
	leaf := next
	for _, q := range code {
		l.add(leaf, int(q))
		// q has become a leaf smaller than those still to come, so it is the smallest and is taken next.
		if missing[q]--; missing[q] == 0 && int(q) < next {
			leaf = int(q)
			continue
		}
		for next++; missing[next] > 0; next++ {
		}
		leaf = next
	}
	l.add(leaf, n-1)
	return l
}

// RandomGraph returns a graph of n processes and count links that is drawn from seed. It is
// connected by construction: a tree as [RandomTree] draws it, and then further links, of which all
// are equally likely. A process numbers its links in the order of the processes behind them.
func RandomGraph(n, count int, seed uint64) (Topology, error) {
	if err := checkSize("random graph", n); err != nil {
		return nil, err
	}
	if most := min(n*(n-1)/2, maxLinks); count < n-1 || count > most {
		return nil, refuse("a random graph of %d processes with %d links, not %d to %d", n, count, n-1, most)
	}
	s := random(seed)
	l := s.tree(n)
	// Drawing at random hits existing links more and more often. Beyond half of all, draw from the free ones.
	if count > n*(n-1)/4 {
		l = s.dense(l, n, count)
	} else {
		l = s.sparse(l, n, count)
	}
	return l.table(election.Graph, n, "random graph of %d links", count), nil
}

// sparse adds random links until there are count. It expects at most half of all possible links, so that few
// are drawn twice.
func (s *random) sparse(l links, n, count int) links {
	l = slices.Grow(l, count-len(l))
	for len(l) < count {
		for range count - len(l) {
			p, q := s.below(n), s.below(n-1)
			// Skip p itself, so that no process is linked with itself and the others stay equally likely.
			if q >= p {
				q++
			}
			l.add(p, q)
		}
		slices.Sort(l)
		l = slices.Compact(l)
	}
	return l
}

// dense draws links from a list of all possible links.
func (s *random) dense(l links, n, count int) links {
	slices.Sort(l)
	free := make(links, 0, n*(n-1)/2-len(l))
	next := 0 // the next link of the tree
	for p := range n {
		for q := p + 1; q < n; q++ {
			if next < len(l) && l[next] == uint64(p)<<32|uint64(q) {
				next++
			} else {
				free.add(p, q)
			}
		}
	}
	more := count - len(l)
	for i := range more {
		// The first steps of a Fisher-Yates shuffle: only as many as there are links to choose.
		k := i + s.below(len(free)-i)
		free[i], free[k] = free[k], free[i]
	}
	return append(l, free[:more]...)
}
