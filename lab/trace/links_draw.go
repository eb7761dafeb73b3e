package trace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
)

// The measures of a network.
const (
	mostApart   = 130.0 // from a process to its next
	leastDot    = 3.0
	tallest     = 1.5  // of the part with the links, by its width
	mostTitled  = 2000 // links that are drawn each; more are drawn by how many messages they have
	mostUnused  = 5000 // links, above which those without a message are left out
	mostCounted = 300  // links that may have a number
	roomFor     = 8.0  // links for each process at their full width
	mostThick   = 64.0 // processes whose links have their full width
	haloWidth   = 8.0  // more than that of the link
	gapWidth    = 2.4  // the same, of the strip between them
	unusedWidth = 0.6
)

// The looks of links, by how many messages they have.
var (
	linkColours = []string{svg.Shade1, svg.Shade3, svg.Shade5, svg.Black}
	linkWidths  = []float64{1.6, 2.8, 4, 5.4}
)

// plan is a picture of a network as it grows.
type plan struct {
	*network
	*drawing
	form   form
	at     []point // of the processes
	centre point   // of a circle
	radius float64 // of a circle
	disc   float64 // the radius of a process
	named  bool    // the ID of a process is in its disc
	taken  []box   // by processes and numbers
	ways   [][]segment
}

// document returns the whole picture.
func (n *network) document() string {
	width := 760.0
	switch size := len(n.down); {
	case size <= 6:
		width = 400
	case size <= 16:
		width = 480
	}
	letter := max(readable, leastLetter*width/phone)
	p := &plan{network: n, drawing: &drawing{story: n.story,
		layout: &layout{scale: &scale{}, letter: letter, width: width}}}
	form, place := n.arrange()
	p.form = form
	places := place()
	top := p.words(edge, edge, letter*1.1, `font-weight="bold" fill="`+svg.Ink+`"`, n.story.headline())
	top = p.words(edge, top, letter, `fill="`+svg.Grey+`"`, n.story.setting())
	p.named = p.namesFit(places)
	top, rest := p.flow(top+6, mostRows, slices.Concat(p.processSigns(), p.linkSigns()))
	end := p.fit(places, top+letter)
	p.drawLinks()
	p.drawCuts()
	p.drawProcesses()
	p.drawOrder()
	p.drawCounts()
	end, _ = p.flow(end, math.MaxInt, rest)
	return p.Document(width, end+edge, n.story.headline(), n.networkAbout(p.form))
}

// scaled returns by how much places are stretched to fill the picture, and what they span.
func (p *plan) scaled(places []point) (scale float64, low, high point) {
	low, high = places[0], places[0]
	nearest := math.Inf(1)
	for i, a := range places {
		low.x, low.y, high.x, high.y = min(low.x, a.x), min(low.y, a.y), max(high.x, a.x), max(high.y, a.y)
		for _, b := range places[:i] {
			nearest = min(nearest, math.Hypot(a.x-b.x, a.y-b.y))
		}
	}
	room := p.width - 2*(edge+2.4*p.letter)
	scale = min(room/max(high.x-low.x, 1e-9), room*tallest/max(high.y-low.y, 1e-9),
		mostApart/nearest*p.letter/readable)
	if len(places) == 1 {
		scale = 1
	}
	// Between dots of many processes more than half of the way is left for the link.
	dot := min(leastDot, max(nearest*scale*0.2, leastDot/2))
	p.disc = min(max(nearest*scale*0.36, dot), p.letter*1.1)
	if dot < leastDot {
		p.disc = dot
	}
	return scale, low, high
}

// namesFit reports whether the ID of each process has room in its disc.
func (p *plan) namesFit(places []point) bool {
	p.scaled(places)
	longest := 0
	for q := range places {
		longest = max(longest, len(p.id(q)))
	}
	need := float64(longest)*p.letter*letterWidth/2 + 3
	if len(places) == 1 || need <= p.disc {
		p.disc = max(p.disc, min(need, p.letter*1.1))
		return need <= p.disc
	}
	return false
}

// fit stretches places to the width, below top. It returns where they end.
func (p *plan) fit(places []point, top float64) float64 {
	scale, low, high := p.scaled(places)
	if len(places) == 1 {
		p.disc = p.letter * 1.1
	}
	margin := edge + 2.4*p.letter
	place := func(a point) point {
		return point{p.width/2 + (a.x-(low.x+high.x)/2)*scale, top + margin + (a.y-low.y)*scale}
	}
	for _, a := range places {
		p.at = append(p.at, place(a))
	}
	p.centre, p.radius = place(point{}), scale
	for _, a := range p.at {
		p.taken = append(p.taken, around(a, p.disc))
	}
	for i := range p.links {
		p.ways = append(p.ways, p.wayOf(&p.links[i], scale))
	}
	return top + 2*margin + (high.y-low.y)*scale
}

// wayOf returns the lines of a link. One that closes a row of a torus leaves at one edge and comes in at the
// other.
func (p *plan) wayOf(l *link, scale float64) []segment {
	a, b := p.at[l.from.Process], p.at[l.to.Process]
	if p.form != inWrappedRows || math.Hypot(b.x-a.x, b.y-a.y) < 1.5*scale {
		return []segment{{a.x, a.y, b.x, b.y}}
	}
	far := math.Hypot(b.x-a.x, b.y-a.y)
	long := min(0.45*scale, p.disc+1.8*p.letter)
	dx, dy := (b.x-a.x)/far*long, (b.y-a.y)/far*long
	return []segment{{a.x, a.y, a.x - dx, a.y - dy}, {b.x + dx, b.y + dy, b.x, b.y}}
}

// path returns what a link is drawn as.
func (p *plan) path(i int) string {
	l := &p.links[i]
	a, b := p.at[l.from.Process], p.at[l.to.Process]
	if l.from.Process == l.to.Process {
		return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 1 0.1 0", svg.Num(a.x), svg.Num(a.y), svg.Num(p.disc*1.3))
	}
	if p.trace.Header.Links.Shape() == election.Ring {
		sweep := 1
		if l.from.Port == election.Counterclockwise {
			sweep = 0
		}
		return fmt.Sprintf("M%s %sA%s %[3]s 0 0 %d %[5]s %s", svg.Num(a.x), svg.Num(a.y), svg.Num(p.radius),
			sweep, svg.Num(b.x), svg.Num(b.y))
	}
	var path strings.Builder
	for _, s := range p.ways[i] {
		fmt.Fprintf(&path, "M%s %sL%s %s", svg.Num(s.x1), svg.Num(s.y1), svg.Num(s.x2), svg.Num(s.y2))
	}
	return path.String()
}

// level returns how a link with some messages looks, between those with the fewest and those with the
// most: by the number where that differs little, else by its logarithm.
func (n *network) level(messages int) int {
	last := len(linkColours) - 1
	if differ := n.most - n.least; differ <= last {
		return messages - n.least + (last-differ)/2
	}
	part := math.Log(float64(messages)/float64(n.least)) / math.Log(float64(n.most)/float64(n.least))
	return min(int(float64(last+1)*part), last)
}

// lineWidth returns how wide the links of a level are: less where they would cover the picture.
func (n *network) lineWidth(level int) float64 { return linkWidths[level] * n.thinner() }

func (n *network) thinner() float64 {
	size, links := float64(len(n.down)), float64(max(len(n.links), 1))
	return min(max(roomFor*size/links, 0.1), math.Sqrt(mostThick/size), 1)
}

// byLevel returns the links without a message, and those of each level.
func (n *network) byLevel() (unused []int, levels [][]int) {
	levels = make([][]int, len(linkColours))
	for i := range n.links {
		if m := n.links[i].messages(); m > 0 {
			levels[n.level(m)] = append(levels[n.level(m)], i)
		} else {
			unused = append(unused, i)
		}
	}
	return unused, levels
}

// drawLinks draws all links, those with most messages last.
func (p *plan) drawLinks() {
	p.halo()
	unused, levels := p.byLevel()
	if len(p.links) <= mostUnused {
		p.stroke("unused", unused, svg.Mid, unusedWidth)
	}
	for k, links := range levels {
		p.stroke("link", links, linkColours[k], p.lineWidth(k))
	}
}

// halo draws a band below the links over which the leader's ID spreads. No blue stands out from gold, so
// that a strip of the sheet lies between them.
func (p *plan) halo() {
	var path, strips strings.Builder
	for i := range p.links {
		if l := &p.links[i]; l.spreads {
			width := 0.0
			if m := l.messages(); m > 0 {
				width = p.lineWidth(p.level(m))
			}
			draw := func(path *strings.Builder, colour string, more float64) {
				fmt.Fprintf(path, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"/>`, p.path(i), colour,
					svg.Num(width+more*p.thinner()))
			}
			draw(&path, svg.Gold, haloWidth)
			draw(&strips, svg.Paper, gapWidth)
		}
	}
	if path.Len() > 0 {
		p.group("tree", p.spreadText(), func() { p.Put("%s", path.String()+strips.String()) })
	}
}

// spreadText says what the links of the tree are.
func (n *network) spreadText() string {
	if n.grown > 0 {
		return "tree, by the order in which it grew"
	}
	return "leader's id first"
}

// drawOrder writes at each link of the tree which one it was, as far as there is room.
func (p *plan) drawOrder() {
	for i := range p.links {
		if l := &p.links[i]; l.joined > 0 {
			p.writeAt(i, strconv.Itoa(l.joined)+".", `class="order" font-weight="bold"`)
		}
	}
}

// stroke draws links of one look: each with a title, or all together where there are too many.
func (p *plan) stroke(class string, links []int, colour string, width float64) {
	draw := func(path string) {
		p.Put(`<path d="%v" fill="none" stroke="%v" stroke-width="%v"/>`, path, colour, width)
	}
	if len(p.links) <= mostTitled {
		for _, i := range links {
			p.group(class, p.linkTitle(&p.links[i]), func() {
				draw(p.path(i))
				p.arrow(i, colour)
			})
		}
		return
	}
	if len(links) == 0 {
		return
	}
	var path strings.Builder
	messages := 0
	for _, i := range links {
		messages += p.links[i].messages()
		path.WriteString(p.path(i))
	}
	p.group(class, prose.Plural(len(links), "link")+": "+prose.Plural(messages, "message"),
		func() { draw(path.String()) })
}

// arrow ends a one-way link, where there is room for its head.
func (p *plan) arrow(i int, colour string) {
	l := &p.links[i]
	if !p.trace.Header.Links.OneWay() || l.from.Process == l.to.Process {
		return
	}
	n := float64(len(p.at))
	room := 2*math.Pi*p.radius/n - 2*p.disc
	if room < 9 {
		return
	}
	// The head lies on the circle, and ends at the rim of the disc.
	tip := float64(l.to.Process)/n - (p.disc+2)/(2*math.Pi*p.radius)
	back := tip - 9/(2*math.Pi*p.radius)
	end, begin := onRing(tip, p.radius), onRing(back, p.radius)
	p.head(p.centre.x+begin.x, p.centre.y+begin.y, p.centre.x+end.x, p.centre.y+end.y, colour, false)
}

// middle returns the place at a part of a link.
func (p *plan) middle(i int, part float64) point {
	l := &p.links[i]
	if l.from.Process == l.to.Process {
		return point{p.at[l.from.Process].x, p.at[l.from.Process].y - p.disc*2.6}
	}
	if n := float64(len(p.at)); p.trace.Header.Links.Shape() == election.Ring {
		if l.from.Port == election.Counterclockwise {
			part = -part
		}
		r := onRing((float64(l.from.Process)+part)/n, p.radius)
		return point{p.centre.x + r.x, p.centre.y + r.y}
	}
	s := p.ways[i][0]
	return point{s.x1 + (s.x2-s.x1)*part, s.y1 + (s.y2-s.y1)*part}
}

// drawCuts draws a dashed line across each link that a partition cuts.
func (p *plan) drawCuts() {
	for k, text := range p.cutTexts() {
		p.group("cut", text, func() {
			for i := range p.links {
				if !slices.Contains(p.links[i].cuts, k) {
					continue
				}
				a, b := p.middle(i, 0.47), p.middle(i, 0.53)
				long := math.Hypot(b.x-a.x, b.y-a.y)
				if long == 0 {
					continue
				}
				half := p.letter * 0.8
				dx, dy, m := (b.y-a.y)/long*half, -(b.x-a.x)/long*half, p.middle(i, 0.5)
				p.Line(m.x-dx, m.y-dy, m.x+dx, m.y+dy, 2.5, svg.Red, "5 3")
			}
		})
	}
}

// drawCounts writes how many messages went over a link, where there is room.
func (p *plan) drawCounts() {
	for i := range p.links {
		if m := p.links[i].messages(); m > 0 {
			p.writeAt(i, prose.Grouped(uint64(m)), `class="count"`)
		}
	}
}

// writeAt writes a text on a link, if there is room.
func (p *plan) writeAt(i int, text, look string) {
	if len(p.links) > mostCounted {
		return
	}
	half := float64(len(text))*p.letter*letterWidth/2 + 1
	for _, part := range []float64{0.5, 0.38, 0.62, 0.28, 0.72} {
		if len(p.links[i].cuts) > 0 && part == 0.5 {
			continue // the place of the cut
		}
		m := p.middle(i, part)
		b := box{m.x - half, m.y - p.letter*0.5, m.x + half, m.y + p.letter*0.5}
		if p.crowded(i, b) {
			continue
		}
		p.taken = append(p.taken, b)
		p.Text(m.x, m.y+p.letter*0.35, p.letter, "middle", fmt.Sprintf(
			`%s fill="%s" stroke="%s" stroke-width="6" paint-order="stroke"`, look, svg.Ink, svg.Paper), text)
		return
	}
}

// crowded reports whether the number of a link would touch something else.
func (p *plan) crowded(i int, b box) bool {
	if slices.ContainsFunc(p.taken, b.overlaps) {
		return true
	}
	if p.trace.Header.Links.Shape() == election.Ring {
		return false
	}
	for k, way := range p.ways {
		for _, s := range way {
			if k != i && s.crosses(b) {
				return true
			}
		}
	}
	return false
}
