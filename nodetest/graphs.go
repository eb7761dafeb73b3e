package nodetest

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// Sorted returns the IDs 1 to n.
func Sorted(n int) []election.ID {
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	return ids
}

// Input returns an election in which these processes start, by position.
func Input(a *election.Algorithm, links topology.Topology, ids []election.ID,
	starters ...int) scenario.Input {
	in := scenario.Input{Algorithm: a, Topology: links, IDs: ids, Initiators: []election.ID{}}
	for _, p := range starters {
		in.Initiators = append(in.Initiators, ids[p])
	}
	return in
}

// Trees yields all trees of n numbered processes: n^(n-2) of them.
func Trees(n int) iter.Seq[topology.Topology] {
	return func(yield func(topology.Topology) bool) {
		code := make([]int, max(n-2, 0))
		for {
			if !yield(must(topology.New(election.Tree, n, decode(n, code)))) {
				return
			}
			// Count the code up like a number of n-2 digits to the base n.
			i := 0
			for ; i < len(code) && code[i] == n-1; i++ {
				code[i] = 0
			}
			if i == len(code) {
				return
			}
			code[i]++
		}
	}
}

// decode returns the links of the tree of a Prüfer code: the smallest leaf has a link to the first
// of the code, and goes.
func decode(n int, code []int) [][2]int {
	gone := make([]bool, n)
	var links [][2]int
	for i, p := range code {
		leaf := 0
		for gone[leaf] || slices.Contains(code[i:], leaf) {
			leaf++
		}
		gone[leaf] = true
		links = append(links, [2]int{leaf, p})
	}
	var last []int
	for p := range n {
		if !gone[p] {
			last = append(last, p)
		}
	}
	if len(last) == 2 {
		links = append(links, [2]int(last))
	}
	return links
}

// Graphs yields all connected graphs of n numbered processes.
func Graphs(n int) iter.Seq[topology.Topology] {
	var all [][2]int
	for p := range n {
		for q := p + 1; q < n; q++ {
			all = append(all, [2]int{p, q})
		}
	}
	return func(yield func(topology.Topology) bool) {
		for set := range 1 << len(all) {
			var links [][2]int
			for i, l := range all {
				if set>>i&1 == 1 {
					links = append(links, l)
				}
			}
			// New refuses graphs that are not connected, so the error is the test.
			if g, err := topology.New(election.Graph, n, links); err == nil && !yield(g) {
				return
			}
		}
	}
}

// Weighted returns the connected graphs of n processes, each with every order of the weights of its links. Of
// those that differ only in which process is which, it returns one.
func Weighted(n int) (all []topology.Topology) {
	seen := make(map[string]bool)
	for g := range Graphs(n) {
		var pairs [][2]int
		for from, to := range topology.All(g) {
			if from.Process < to.Process {
				pairs = append(pairs, [2]int{from.Process, to.Process})
			}
		}
		for order := range Orders(len(pairs)) {
			lightestFirst := make([][2]int, len(pairs))
			for i, place := range order {
				lightestFirst[place-1] = pairs[i]
			}
			if form := canonical(n, lightestFirst); !seen[form] {
				seen[form] = true
				all = append(all, topology.WithWeights(g, func(p, q int) uint64 {
					return uint64(slices.Index(lightestFirst, [2]int{p, q}))
				}))
			}
		}
	}
	return all
}

// canonical returns the same for lists of links that differ only in which process is which.
func canonical(n int, list [][2]int) string {
	least := ""
	for as := range Orders(n) {
		var text strings.Builder
		for _, l := range list {
			a, b := as[l[0]], as[l[1]]
			fmt.Fprintf(&text, "%d-%d ", min(a, b), max(a, b))
		}
		if least == "" || text.String() < least {
			least = text.String()
		}
	}
	return least
}

// Shuffled returns the same processes and links, where every process numbers its ports in an order
// that is drawn by shuffle.
func Shuffled(t topology.Topology, shuffle func(n int, swap func(i, j int))) topology.Topology {
	var links [][2]int
	for from, to := range topology.All(t) {
		if from.Process < to.Process {
			links = append(links, [2]int{from.Process, to.Process})
		}
	}
	shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	return must(topology.New(t.Shape(), t.Len(), links))
}

func must(t topology.Topology, err error) topology.Topology {
	if err != nil {
		panic(err)
	}
	return t
}

// Distances returns how far every process is from one of them.
func Distances(t topology.Topology, from int) []int {
	far := make([]int, t.Len())
	for p := range far {
		far[p] = -1
	}
	far[from] = 0
	for todo := []int{from}; len(todo) > 0; todo = todo[1:] {
		p := todo[0]
		for port := range election.Port(t.Ports(p)) {
			if q, _, _ := t.Link(p, port); far[q] < 0 {
				far[q] = far[p] + 1
				todo = append(todo, q)
			}
		}
	}
	return far
}

// Eccentricity returns the distance from a process to the farthest.
func Eccentricity(t topology.Topology, p int) int { return slices.Max(Distances(t, p)) }

// Diameter returns the largest distance.
func Diameter(t topology.Topology) int {
	d := 0
	for p := range t.Len() {
		d = max(d, Eccentricity(t, p))
	}
	return d
}
