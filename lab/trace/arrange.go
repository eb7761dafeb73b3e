package trace

import (
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/topology"
)

// form is how a network is laid out.
type form uint8

const (
	byDistance form = iota
	onCircle
	inLayers
	inRings
	inRows
	inWrappedRows
	asCube
)

var formNames = [...]string{
	byDistance: "a graph by its distances", onCircle: "a circle", inLayers: "a tree in layers",
	inRings: "a tree in rings round its root", inRows: "a grid", inWrappedRows: "a torus, cut open",
	asCube: "a hypercube",
}

// mostLeaves is how many leaves of a tree have room side by side.
const mostLeaves = 24

// mostOnCircle are the processes of a graph that may be on a circle, unless it is complete.
const mostOnCircle = 16

// arrange returns how the network is laid out, and a function that gives each process a place; the unit
// is free.
func (n *network) arrange() (form, func() []point) {
	t := n.trace.Header.Links
	size := t.Len()
	dimension, power := topology.Dimension(size)
	switch {
	case t.Shape() == election.Ring || len(n.links) == size*(size-1)/2 && size > 2:
		return onCircle, func() []point { return circle(size) }
	case t.Shape() == election.Hypercube || power && dimension > 1 && n.joins(topology.Hypercube(dimension)):
		return asCube, func() []point { return cube(dimension) }
	case len(n.links) == size-1:
		form, places := n.tree()
		return form, func() []point { return places }
	}
	for rows := 2; rows <= size/2; rows++ {
		cols := size / rows
		if rows*cols != size {
			continue
		}
		if n.joins(topology.Grid(rows, cols)) {
			return inRows, func() []point { return grid(size, cols) }
		}
		if n.joins(topology.Torus(rows, cols)) {
			return inWrappedRows, func() []point { return grid(size, cols) }
		}
	}
	// A small graph that contains the circle of its processes, as a circulant graph does, is best seen on it.
	// In a large one the other links would be too close to the rim.
	round := 0
	for i := range n.links {
		a, b := n.links[i].from.Process, n.links[i].to.Process
		if d := max(a, b) - min(a, b); d == 1 || d == size-1 {
			round++
		}
	}
	if round == size && size <= mostOnCircle {
		return onCircle, func() []point { return circle(size) }
	}
	return byDistance, n.byDistance
}

// joins reports whether another topology, if there is one, joins the same processes.
func (n *network) joins(other topology.Topology, err error) bool {
	if err != nil || other.Links() != 2*len(n.links) {
		return false
	}
	pairs := make(map[[2]int]bool, len(n.links))
	for i := range n.links {
		a, b := n.links[i].from.Process, n.links[i].to.Process
		pairs[[2]int{min(a, b), max(a, b)}] = true
	}
	for a, b := range topology.All(other) {
		if !pairs[[2]int{min(a.Process, b.Process), max(a.Process, b.Process)}] {
			return false
		}
	}
	return true
}

// circle puts the first process at the top, and the others clockwise.
func circle(n int) []point {
	all := make([]point, n)
	for p := range all {
		all[p] = onRing(float64(p)/float64(n), 1)
	}
	return all
}

// onRing returns a place on a circle, by the part of it that lies between the top and there.
func onRing(part, radius float64) point {
	sin, cos := math.Sincos(2 * math.Pi * part)
	return point{float64(radius * sin), float64(-radius * cos)}
}

func grid(n, cols int) []point {
	all := make([]point, n)
	for p := range all {
		all[p] = point{float64(p % cols), float64(p / cols)}
	}
	return all
}

// cube projects each dimension onto a direction of the plane. Three make a cube as it is usually drawn;
// those of the next three are longer and slightly turned, so that no link covers another.
func cube(dimension int) []point {
	directions := []point{{1, 0}, {0, -1}, {0.45, -0.4}, {2.3, 0.5}, {0.5, -2.3}, {1.15, -0.95}, {5.6, 1.1},
		{1.1, -5.6}, {2.8, -2.3}, {13, 2.4}}
	all := make([]point, 1<<dimension)
	for p := range all {
		for k, d := range directions {
			if p>>k&1 == 1 {
				all[p].x, all[p].y = all[p].x+d.x, all[p].y+d.y
			}
		}
	}
	return all
}

// tree puts the root on top, or in the middle if many leaves have no room side by side.
func (n *network) tree() (form, []point) {
	near := n.neighbours()
	root, depth, leaves, deepest := n.root(near), make([]int, len(near)), 0.0, 0
	all := make([]point, len(near))
	var place func(p, parent int) // by the leaves below it
	place = func(p, parent int) {
		first, last := math.Inf(1), 0.0
		for _, q := range near[p] {
			if q != parent {
				depth[q] = depth[p] + 1
				place(q, p)
				first, last = min(first, all[q].x), max(last, all[q].x)
			}
		}
		if math.IsInf(first, 1) {
			first, last = leaves, leaves
			leaves++
		}
		all[p].x = (first + last) / 2
		deepest = max(deepest, depth[p])
	}
	place(root, noProcess)
	if leaves > mostLeaves {
		for p := range all {
			all[p] = onRing((all[p].x)/leaves, float64(depth[p]))
		}
		return inRings, all
	}
	apart := max(1, 0.7*(leaves-1)/float64(max(deepest, 1)))
	for p := range all {
		all[p].y = float64(depth[p]) * apart
	}
	return inLayers, all
}

// root returns the root of a tree: its own, else the leader, else a process in the middle.
func (n *network) root(near [][]int) int {
	if t, ok := n.trace.Header.Links.(topology.Rooted); ok {
		return t.Root()
	}
	if leader := n.leader(); leader != noProcess {
		return leader
	}
	// The middle of a longest path.
	_, end := farthest(near, 0)
	from, other := farthest(near, end)
	back, _ := farthest(near, other)
	for p := range from {
		if long := from[other]; from[p] == long/2 && back[p] == long-long/2 {
			return p
		}
	}
	return 0
}

// neighbours returns the processes that have a link to each, in their order.
func (n *network) neighbours() [][]int {
	near := make([][]int, n.trace.Header.Links.Len())
	for i := range n.links {
		a, b := n.links[i].from.Process, n.links[i].to.Process
		if a != b {
			near[a], near[b] = append(near[a], b), append(near[b], a)
		}
	}
	for p := range near {
		slices.Sort(near[p])
	}
	return near
}

// farthest returns how far each process is from one, in links, and which is the farthest. What is not
// connected is as far as there are processes.
func farthest(near [][]int, from int) (far []int, last int) {
	far = make([]int, len(near))
	for p := range far {
		far[p] = len(near)
	}
	far[from] = 0
	todo := []int{from}
	for len(todo) > 0 {
		last, todo = todo[0], todo[1:]
		for _, q := range near[last] {
			if far[q] == len(near) {
				far[q] = far[last] + 1
				todo = append(todo, q)
			}
		}
	}
	return far, last
}

// rounds is how often places are improved.
const rounds = 120

// byDistance places processes so that their distances are, as far as the plane allows, those in links: each
// moves to where the others want it, weighed by closeness (stress majorization, Gansner and others, 2004).
// Nothing is random. Products are rounded before they are added, so that every machine finds the same.
func (n *network) byDistance() []point {
	near := n.neighbours()
	far := make([][]int, len(near))
	for p := range near {
		far[p], _ = farthest(near, p)
	}
	// First by the distances to four processes at the rim, two far apart, and two across.
	_, a := farthest(near, 0)
	_, b := farthest(near, a)
	c, d := 0, 0
	for p := range near {
		if min(far[a][p], far[b][p]) > min(far[a][c], far[b][c]) {
			c = p
		}
	}
	for p := range near {
		if far[c][p]+min(far[a][p], far[b][p]) > far[c][d]+min(far[a][d], far[b][d]) {
			d = p
		}
	}
	all := make([]point, len(near))
	for p := range all {
		// A small turn keeps processes apart that have the same distances.
		turn := onRing(float64(float64(p)*0.618), 0.3)
		all[p] = point{float64(far[a][p]-far[b][p])/2 + turn.x, float64(far[c][p]-far[d][p])/2 + turn.y}
	}
	for range rounds {
		for p := range all {
			all[p] = wanted(all, far[p], p)
		}
	}
	return all
}

// wanted returns where the others want a process, by its distances from them.
func wanted(all []point, far []int, p int) point {
	var sum point
	weights := 0.0
	for q, other := range all {
		if q == p {
			continue
		}
		dx, dy, want := all[p].x-other.x, all[p].y-other.y, float64(far[q])
		away := max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 1e-9)
		weight, scale := 1/(want*want), want/away
		sum.x += float64(weight * (other.x + float64(dx*scale)))
		sum.y += float64(weight * (other.y + float64(dy*scale)))
		weights += weight
	}
	return point{sum.x / weights, sum.y / weights}
}
