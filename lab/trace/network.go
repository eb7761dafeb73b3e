package trace

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// WriteLinks draws the network of a trace: each process with its role at the end, each link as wide as many
// messages went over it. A ring is a circle, a tree has layers, a grid has rows; any other graph is laid out
// by its distances. A network of more than [MostLanes] processes gives [ErrTooLarge].
func WriteLinks(w io.Writer, t *Trace) error {
	if n := len(t.Header.Scenario.IDs); n > MostLanes {
		return fmt.Errorf("%w: %d processes, at most %d have room in a network", ErrTooLarge, n, MostLanes)
	}
	if t.Header.Links == nil || t.Header.Links.Len() != len(t.Header.Scenario.IDs) {
		return input.Errorf("links: the trace does not say how its processes are joined")
	}
	t, steps := ordered(byTime(t))
	s := newStory(t)
	s.steps = steps
	n := &network{story: s}
	n.join()
	n.count()
	n.spread()
	n.cut()
	_, err := io.WriteString(w, n.draw())
	return err
}

// network is a story by its links.
type network struct {
	*story
	sheet
	links  []link
	number []int // of the link of each port, from 1, by the index of the topology; 0 if it leads nowhere
	least  int   // messages over a link that has any
	most   int   // messages over a link
	grown  int   // links of the tree that the algorithm builds
	form   form

	at     []point // of the processes
	centre point   // of a circle
	radius float64 // of a circle
	disc   float64 // the radius of a process
	named  bool    // the ID of a process has room in its disc
	taken  []box   // by processes and numbers
}

// link joins two ports, or leads from one to another if it is one-way.
type link struct {
	from, to    topology.End
	there, back int // how many messages go from from to to, and back
	spreads     bool
	joined      int // the position of the link among the links of the tree, in the order in which they joined
	cut         bool
	way         []segment
}

func (l *link) messages() int { return l.there + l.back }

// join finds the links.
func (n *network) join() {
	t := n.trace.Header.Links
	n.number = make([]int, t.Links())
	for a, b := range topology.All(t) {
		if n.number[t.Index(a.Process, a.Port)] > 0 {
			continue
		}
		n.links = append(n.links, link{from: a, to: b})
		n.number[t.Index(a.Process, a.Port)] = len(n.links)
		if q, port, ok := t.Link(b.Process, b.Port); ok && (topology.End{Process: q, Port: port}) == a {
			n.number[t.Index(b.Process, b.Port)] = len(n.links)
		}
	}
}

// linkAt returns the link of a port of a process, or nil.
func (n *network) linkAt(p int, port election.Port) *link {
	t := n.trace.Header.Links
	if uint64(port) >= uint64(t.Ports(p)) || n.number[t.Index(p, port)] == 0 {
		return nil
	}
	return &n.links[n.number[t.Index(p, port)]-1]
}

// count counts the messages of each link.
func (n *network) count() {
	for i := range n.trace.Events {
		e := &n.trace.Events[i]
		p := n.where[e.Process]
		if l := n.linkAt(p, e.Port); e.Do == observe.Send && l != nil {
			if l.from == (topology.End{Process: p, Port: e.Port}) {
				l.there++
			} else {
				l.back++
			}
		}
	}
	for i := range n.links {
		if m := n.links[i].messages(); m > 0 {
			if n.most = max(n.most, m); n.least == 0 || m < n.least {
				n.least = m
			}
		}
	}
}

// leader returns the process that leads at the end, or none if that is not a single one.
func (n *network) leader() int {
	leader := noProcess
	for p := range n.final {
		if n.final[p].Role == election.Leader {
			if leader != noProcess {
				return noProcess
			}
			leader = p
		}
	}
	return leader
}

// spread finds the links of the tree that the algorithm builds, in the last Term. If its messages do not tell
// that, these are the links of a graph over which the leader's ID comes to each process first.
func (n *network) spread() {
	joins := n.trace.Header.joins()
	builds := n.trace.Header.Joins != nil
	leader, t := n.leader(), n.trace.Header.Links
	if !builds && (leader == noProcess || t.Shape() != election.Graph && t.Shape() != election.Mesh) {
		return
	}
	var term uint64
	heard := map[int]bool{leader: true}
	for i := range n.trace.Events {
		e := &n.trace.Events[i]
		p, m := n.where[e.Process], &e.Message
		l := n.linkAt(p, e.Port)
		switch {
		case l == nil:
		case !builds:
			if e.Do == observe.Deliver && m.Rank.ID == n.trace.Header.Scenario.IDs[leader] && !heard[p] {
				heard[p], l.spreads = true, true
			}
		case e.Do == observe.Send && int(m.Kind) < len(joins) && joins[m.Kind] && m.Term >= term:
			if m.Term > term { // the election before it has built another tree
				term, n.grown = m.Term, 0
				for k := range n.links {
					n.links[k].spreads, n.links[k].joined = false, 0
				}
			}
			if l.joined == 0 {
				n.grown++
				l.spreads, l.joined = true, n.grown
			}
		}
	}
}

// cut notes the links that a partition or an event cuts.
func (n *network) cut() {
	plan := n.trace.Header.Scenario.Faults.Partitions
	for k := range plan {
		one := fault.Plan{Partitions: plan[k : k+1]}
		cuts, ids := one.Cuts(), n.trace.Header.Scenario.IDs
		for i := range n.links {
			l := &n.links[i]
			a, b := ids[l.from.Process], ids[l.to.Process]
			l.cut = l.cut || cuts.Loses(a, b, plan[k].From) || cuts.Loses(b, a, plan[k].From)
		}
	}
	for i := range n.trace.Events {
		e := &n.trace.Events[i]
		if l := n.linkAt(n.where[e.Process], e.Port); e.Do == observe.Cut && l != nil {
			l.cut = true
		}
	}
}

// The measures of a network.
const (
	mostApart   = 130.0 // from a process to its next
	leastDot    = 3.0
	tallest     = 1.5  // of the part with the links, by its width
	mostUnused  = 5000 // links, above which those without a message are left out
	mostCounted = 300  // links that may have a number
	unusedWidth = 0.6
	haloWidth   = 8.0 // more than the width of the link
	haloGap     = 2.4 // the same, of the strip between them
)

// The looks of links, by how many messages they have.
var (
	linkColors = []string{svg.Shade1, svg.Shade3, svg.Shade5, svg.Black}
	linkWidths = []float64{1.6, 2.8, 4, 5.4}
)

// draw returns the whole picture.
func (n *network) draw() string {
	n.width = 760
	switch size := len(n.final); {
	case size <= 6:
		n.width = 400
	case size <= 16:
		n.width = 480
	}
	n.letter = max(readable, leastLetter*n.width/phone)
	form, place := n.arrange()
	n.form = form
	places := place()
	top := n.heading(n.story)
	scale, low, high := n.fit(places)
	top = n.legend(top, slices.Concat(n.processSigns(), n.linkSigns()))
	end := n.put(places, scale, low, high, top+n.letter)
	n.drawLinks()
	n.drawProcesses()
	for i := range n.links {
		if l := &n.links[i]; l.joined > 0 {
			n.writeAt(l, strconv.Itoa(l.joined)+".", `class="order" font-weight="bold"`)
		}
		if m := n.links[i].messages(); m > 0 {
			n.writeAt(&n.links[i], prose.Grouped(uint64(m)), `class="count"`)
		}
	}
	about := []string{n.headline(), n.setting(), formNames[form] + ", " + prose.Plural(len(n.links), "link"), n.log()}
	return n.Document(n.width, end+edge, n.headline(), strings.Join(about, ". ")+".")
}

// fit finds out by how much places are stretched to fill the picture, and what they span; and how large
// processes are.
func (n *network) fit(places []point) (scale float64, low, high point) {
	low, high = places[0], places[0]
	nearest, longest := math.Inf(1), 0
	for i, a := range places {
		low.x, low.y, high.x, high.y = min(low.x, a.x), min(low.y, a.y), max(high.x, a.x), max(high.y, a.y)
		for _, b := range places[:i] {
			nearest = min(nearest, math.Hypot(a.x-b.x, a.y-b.y))
		}
		longest = max(longest, len(n.id(i)))
	}
	room := n.width - 2*(edge+2.4*n.letter)
	scale = min(room/max(high.x-low.x, 1e-9), room*tallest/max(high.y-low.y, 1e-9),
		mostApart/nearest*n.letter/readable)
	if len(places) == 1 {
		scale, nearest = 1, n.width
	}
	// Between dots of many processes more than half of the way is left for the link.
	n.disc = min(nearest*scale*0.36, n.letter*1.1)
	n.named = float64(longest)*n.letter*letterWidth/2+3 <= n.disc
	if !n.named {
		n.disc = min(max(nearest*scale*0.2, leastDot/2), n.disc)
	}
	return scale, low, high
}

// put gives the processes and the links their places in the picture, below top. It returns where they end.
func (n *network) put(places []point, scale float64, low, high point, top float64) float64 {
	margin := edge + 2.4*n.letter
	place := func(a point) point {
		return point{n.width/2 + (a.x-(low.x+high.x)/2)*scale, top + margin + (a.y-low.y)*scale}
	}
	for _, a := range places {
		n.at = append(n.at, place(a))
		n.taken = append(n.taken, around(place(a), n.disc, n.disc))
	}
	n.centre, n.radius = place(point{}), scale
	for i := range n.links {
		l := &n.links[i]
		a, b := n.at[l.from.Process], n.at[l.to.Process]
		l.way = []segment{{a.x, a.y, b.x, b.y}}
		// A link that closes a row of a torus leaves at one edge and enters at the other.
		if far := math.Hypot(b.x-a.x, b.y-a.y); n.form == inWrappedRows && far >= 1.5*scale {
			long := min(0.45*scale, n.disc+1.8*n.letter) / far
			dx, dy := (b.x-a.x)*long, (b.y-a.y)*long
			l.way = []segment{{a.x, a.y, a.x - dx, a.y - dy}, {b.x + dx, b.y + dy, b.x, b.y}}
		}
	}
	return top + 2*margin + (high.y-low.y)*scale
}

// ring reports whether links are parts of a circle.
func (n *network) ring() bool { return n.trace.Header.Links.Shape() == election.Ring }

// path returns what a link is drawn as.
func (n *network) path(l *link) string {
	a, b := n.at[l.from.Process], n.at[l.to.Process]
	if l.from.Process == l.to.Process {
		return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 1 0.1 0", svg.Num(a.x), svg.Num(a.y), svg.Num(n.disc*1.3))
	}
	if n.ring() {
		sweep := 1
		if l.from.Port == election.Counterclockwise {
			sweep = 0
		}
		return fmt.Sprintf("M%s %sA%s %[3]s 0 0 %d %[5]s %s", svg.Num(a.x), svg.Num(a.y), svg.Num(n.radius),
			sweep, svg.Num(b.x), svg.Num(b.y))
	}
	var path strings.Builder
	for _, s := range l.way {
		fmt.Fprintf(&path, "M%s %sL%s %s", svg.Num(s.x1), svg.Num(s.y1), svg.Num(s.x2), svg.Num(s.y2))
	}
	return path.String()
}

// middle returns the place at a part of a link.
func (n *network) middle(l *link, part float64) point {
	a := n.at[l.from.Process]
	switch {
	case l.from.Process == l.to.Process:
		return point{a.x, a.y - n.disc*2.6}
	case n.ring():
		if l.from.Port == election.Counterclockwise {
			part = -part
		}
		r := onRing((float64(l.from.Process)+part)/float64(len(n.at)), n.radius)
		return point{n.centre.x + r.x, n.centre.y + r.y}
	}
	return l.way[0].at(part)
}

// level returns how a link looks: by the number of its messages if that differs little, else by its logarithm.
func (n *network) level(messages int) int {
	last := len(linkColors) - 1
	if differ := n.most - n.least; differ <= last {
		return max(messages-n.least, 0) + (last-differ)/2
	}
	part := math.Log(float64(messages)/float64(n.least)) / math.Log(float64(n.most)/float64(n.least))
	return min(int(float64(last+1)*max(part, 0)), last)
}

// lineWidth returns how wide the links of a level are: less if they would cover the picture.
func (n *network) lineWidth(level int) float64 {
	size, links := float64(len(n.final)), float64(max(len(n.links), 1))
	return linkWidths[level] * min(max(8*size/links, 0.1), math.Sqrt(64/size), 1)
}

// drawLinks draws all links, and those with the most messages last. A band below a link marks it as one of
// the tree. No blue stands out from gold, so a strip of the sheet lies between them.
func (n *network) drawLinks() {
	order := make([]*link, len(n.links))
	for i := range n.links {
		order[i] = &n.links[i]
	}
	slices.SortStableFunc(order, func(a, b *link) int { return a.messages() - b.messages() })
	stroke := func(l *link, color string, width float64) {
		n.Put(`<path d="%s" fill="none" stroke="%s" stroke-width="%s"/>`, n.path(l), color, svg.Num(width))
	}
	for _, l := range order {
		if l.spreads {
			width := n.lineWidth(n.level(max(l.messages(), 1)))
			n.group("tree", n.spreadText(), func() {
				stroke(l, svg.Gold, width+haloWidth)
				stroke(l, svg.Paper, width+haloGap)
			})
		}
	}
	for _, l := range order {
		class, color, width := "unused", svg.Mid, unusedWidth
		if m := l.messages(); m > 0 {
			class, color, width = "link", linkColors[n.level(m)], n.lineWidth(n.level(m))
		} else if len(n.links) > mostUnused {
			continue
		}
		n.group(class, n.linkTitle(l), func() { stroke(l, color, width) })
	}
	for _, l := range order {
		a, b := n.middle(l, 0.47), n.middle(l, 0.53)
		if long := math.Hypot(b.x-a.x, b.y-a.y); l.cut && long > 0 {
			half := n.letter * 0.8 / long
			dx, dy, m := (b.y-a.y)*half, (a.x-b.x)*half, n.middle(l, 0.5)
			n.group("cut", n.linkTitle(l), func() { n.Line(m.x-dx, m.y-dy, m.x+dx, m.y+dy, 2.5, svg.Red, "5 3") })
			n.taken = append(n.taken, around(m, 2, n.letter*0.8))
		}
	}
}

// linkTitle tells how many messages went over a link each way.
func (n *network) linkTitle(l *link) string {
	a, b := n.id(l.from.Process), n.id(l.to.Process)
	text := fmt.Sprintf("%s to %s: %s", a, b, prose.Plural(l.there, "message"))
	if !n.trace.Header.Links.OneWay() {
		text += fmt.Sprintf("; %s to %s: %s", b, a, prose.Plural(l.back, "message"))
	}
	if l.joined > 0 {
		text += fmt.Sprintf("; link %d of the tree", l.joined)
	}
	return text
}

// spreadText explains the links of the tree.
func (n *network) spreadText() string {
	if n.grown > 0 {
		return "tree, by the order in which it grew"
	}
	return "leader's id first"
}

// writeAt writes a text on a link, if there is room.
func (n *network) writeAt(l *link, text, style string) {
	if len(n.links) > mostCounted {
		return
	}
	half := float64(len(text))*n.letter*letterWidth/2 + 1
	for _, part := range []float64{0.5, 0.38, 0.62, 0.28, 0.72} {
		at := n.middle(l, part)
		b := around(at, half, n.letter/2)
		if slices.ContainsFunc(n.taken, b.overlaps) || slices.ContainsFunc(n.links, func(o link) bool {
			return o.from != l.from && !n.ring() &&
				slices.ContainsFunc(o.way, func(s segment) bool { return s.crosses(b) })
		}) {
			continue
		}
		n.taken = append(n.taken, b)
		n.on(at, style, text)
		return
	}
}

// look is how a process is drawn, by what it is at the end.
type look struct {
	about, class, color string
	rim                 float64
}

var looks = []look{{"undecided", "undecided", svg.Mid, 1.4}, {"follows", "follower", svg.Green, 3},
	{"leads", "leader", svg.Gold, 4}, {"is down", "down", svg.Red, 2}}

// lookOf returns how a process is drawn.
func (n *network) lookOf(p int) look {
	switch {
	case n.down[p]:
		return looks[3]
	case n.final[p].Role == election.Leader:
		return looks[2]
	case n.final[p].Role == election.Follower:
		return looks[1]
	}
	return looks[0]
}

// drawProcesses draws each process as a disc, or as a dot if IDs have no room. Then only the leader is named.
func (n *network) drawProcesses() {
	for q, at := range n.at {
		l := n.lookOf(q)
		n.group("process "+l.class, n.id(q)+" "+l.about, func() {
			n.process(at, l, n.disc)
			if n.named {
				n.Text(at.x, at.y+n.letter*0.35, n.letter, "middle", `fill="`+svg.Ink+`"`, n.id(q))
			}
		})
		if l.class == "leader" && !n.named {
			n.on(point{min(max(at.x, 3*n.letter), n.width-3*n.letter), at.y - 1.4*n.letter},
				`class="name" font-weight="bold"`, n.id(q))
		}
	}
}

// process draws a process. The star and the cross have their own shapes, so that roles differ in grey, too.
func (n *network) process(at point, l look, r float64) {
	fill := svg.Paper
	if l.class == "follower" && !n.named {
		fill = svg.Green
	}
	n.Circle(at.x, at.y, r, fill, l.color, min(l.rim, r/2))
	if n.named { // aside, so that it does not lie on the ID
		at = point{at.x + r*0.75, at.y - r*0.75}
	}
	switch l.class {
	case "leader":
		symbolNamed("leads").draw(&n.sheet, at.x, at.y)
	case "down":
		n.cross(at.x, at.y, 4, svg.Red)
	}
}

// processSigns are the signs of the roles that occur. The headline tells which process leads alone.
func (n *network) processSigns() (signs []sign) {
	for _, l := range looks {
		used := false
		for q := range n.final {
			used = used || n.lookOf(q) == l
		}
		if used && (l.class != "leader" || n.leader() == noProcess) {
			signs = append(signs, sign{l.about, n.letter * 1.4, func(x, y float64) {
				n.process(point{x + n.letter*0.6, y}, l, min(n.disc, n.letter*0.45))
			}})
		}
	}
	return signs
}

// linkSigns are the signs of the links that occur.
func (n *network) linkSigns() (signs []sign) {
	least, most := make([]int, len(linkColors)), make([]int, len(linkColors))
	unused, spreads, cut := 0, false, false
	for i := range n.links {
		l := &n.links[i]
		spreads, cut = spreads || l.spreads, cut || l.cut
		m := l.messages()
		if m == 0 {
			unused++
			continue
		}
		k := n.level(m)
		if most[k] = max(most[k], m); least[k] == 0 || m < least[k] {
			least[k] = m
		}
	}
	if unused > 0 && len(n.links) <= mostUnused {
		signs = append(signs, n.lineSign("0", svg.Mid, unusedWidth))
	}
	for k := range linkColors {
		if most[k] == 0 {
			continue
		}
		text := prose.Grouped(uint64(most[k]))
		if least[k] < most[k] {
			text = prose.Grouped(uint64(least[k])) + " to " + text
		}
		if most[k] == n.most {
			text += " messages"
		}
		signs = append(signs, n.lineSign(text, linkColors[k], n.lineWidth(k)))
	}
	if spreads {
		signs = append(signs, sign{n.spreadText(), 22, func(x, y float64) {
			for _, band := range []struct {
				more  float64
				color string
			}{{haloWidth, svg.Gold}, {haloGap, svg.Paper}, {0, linkColors[1]}} {
				n.Line(x, y, x+22, y, n.lineWidth(1)+band.more, band.color, "")
			}
		}})
	}
	if cut {
		signs = append(signs, sign{"cut", 20, func(x, y float64) {
			n.Line(x+9, y-n.letter*0.6, x+9, y+n.letter*0.6, 2.5, svg.Red, "5 3")
		}})
	}
	return signs
}
