package yoyo_test

import (
	"cmp"
	"slices"

	"github.com/go-election/election/lab/topology"
)

// model is Yo-Yo as it looks from above: whole rounds on the whole graph.
type model struct {
	n       int
	at      [][]int // at[p][q]: the port of p that leads to q, -1 where none is left
	up      [][]bool
	sent    map[string]int
	sources []int // how many there are in each round
}

// modelled plays an election in which the process at place p has the p-th smallest Rank.
func modelled(g topology.Topology) *model {
	m := &model{n: g.Len(), sent: map[string]int{}}
	for range m.n {
		m.at, m.up = append(m.at, slices.Repeat([]int{-1}, m.n)), append(m.up, make([]bool, m.n))
	}
	for from, to := range topology.All(g) {
		m.at[from.Process][to.Process] = int(from.Port)
		m.up[from.Process][to.Process] = to.Process < from.Process // from.Process gets values of to.Process
		m.sent["hello"]++
	}
	for m.links() > 0 {
		m.round()
	}
	if m.n > 1 {
		m.sent["elected"] = m.n - 1
	}
	return m
}

func (m *model) links() (sum int) {
	for p := range m.n {
		sum += len(m.neighbours(p, true))
	}
	return sum
}

// neighbours returns those that p gets values of, or sends values to.
func (m *model) neighbours(p int, up bool) (list []int) {
	for q := range m.n {
		if m.at[p][q] >= 0 && m.up[p][q] == up {
			list = append(list, q)
		}
	}
	return list
}

// round plays a round: values from the sources down, votes from the sinks up, and at last the links that are
// turned round.
func (m *model) round() {
	value := make([]int, m.n)
	var order []int // each behind all that it gets values of
	for len(order) < m.n {
		for p := range m.n {
			ups := m.neighbours(p, true)
			ready := !slices.Contains(order, p) && !slices.ContainsFunc(ups, func(q int) bool {
				return !slices.Contains(order, q)
			})
			if !ready {
				continue
			}
			value[p] = p
			for i, q := range ups {
				if i == 0 || value[q] < value[p] {
					value[p] = value[q]
				}
			}
			order = append(order, p)
		}
	}
	m.sources = append(m.sources, 0)
	for p := range m.n {
		if len(m.neighbours(p, true)) == 0 && len(m.neighbours(p, false)) > 0 {
			m.sources[len(m.sources)-1]++
		}
	}
	m.sent["value"] += m.links()
	refused := make([]bool, m.n)
	var turned [][2]int
	for _, p := range slices.Backward(order) {
		turned = append(turned, m.vote(p, value, refused)...)
	}
	for _, l := range turned {
		m.up[l[0]][l[1]], m.up[l[1]][l[0]] = false, true
	}
}

// vote votes at p. It returns the links that are to be turned round.
func (m *model) vote(p int, value []int, refused []bool) (turned [][2]int) {
	gone := func(q int, kind string) {
		m.at[p][q], m.at[q][p] = -1, -1
		m.sent[kind]++
	}
	ups := m.neighbours(p, true)
	slices.SortFunc(ups, func(q, r int) int {
		return cmp.Or(value[q]-value[r], m.at[p][q]-m.at[p][r])
	})
	var kept []int
	for i, q := range ups {
		if i > 0 && value[q] == value[ups[i-1]] {
			gone(q, "drop")
		} else {
			kept = append(kept, q)
		}
	}
	if len(kept) == 1 && len(m.neighbours(p, false)) == 0 {
		gone(kept[0], "leaf")
		return nil
	}
	for i, q := range kept {
		if i == 0 && !refused[p] {
			m.sent["yes"]++
			continue
		}
		m.sent["no"]++
		refused[q] = true
		turned = append(turned, [2]int{p, q})
	}
	return turned
}
