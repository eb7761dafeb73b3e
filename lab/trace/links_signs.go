package trace

import (
	"fmt"
	"math"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/svg"
)

// look is how a process is at the end.
type look struct {
	about  string
	class  string
	colour string
	rim    float64
}

var (
	lookUndecided = look{"undecided", "undecided", svg.Mid, 1.4}
	lookFollows   = look{"follows", "follower", svg.Green, 3}
	lookLeads     = look{"leads", "leader", svg.Gold, 4}
	lookDown      = look{"is down", "down", svg.Red, 2}
)

// lookOf returns how a process is at the end.
func (n *network) lookOf(p int) look {
	switch {
	case n.down[p]:
		return lookDown
	case n.story.final[p].Role == election.Leader:
		return lookLeads
	case n.story.final[p].Role == election.Follower:
		return lookFollows
	}
	return lookUndecided
}

// drawProcesses draws each process as a disc, or as a dot where IDs have no room.
func (p *plan) drawProcesses() {
	for q, at := range p.at {
		l := p.lookOf(q)
		p.group("process "+l.class, p.id(q)+" "+l.about, func() {
			p.process(at, l, p.disc)
			if p.named {
				p.Text(at.x, at.y+p.letter*0.35, p.letter, "middle", `fill="`+svg.Ink+`"`, p.id(q))
			}
		})
		if l == lookLeads && !p.named {
			p.nameBeside(q)
		}
	}
}

// process draws a process. The star and the cross have their own shapes, so that roles differ in grey, too.
func (p *plan) process(at point, l look, r float64) {
	if p.named {
		p.Circle(at.x, at.y, r, svg.Paper, l.colour, l.rim)
		at = point{at.x + r*0.75, at.y - r*0.75}
		r = 0 // as small as it may be, so that it does not lie on the ID
	} else if l == lookUndecided || l == lookFollows {
		fill := svg.Paper
		if l == lookFollows {
			fill = svg.Green
		}
		p.Circle(at.x, at.y, r, fill, l.colour, min(l.rim, 1.4))
	}
	switch l {
	case lookLeads:
		p.largeStar(at.x, at.y, max(r, p.letter*0.6), svg.Gold)
	case lookDown:
		p.cross(at.x, at.y, max(r*0.7, 4), svg.Red)
	}
}

// nameBeside writes the ID of a process beside its dot, towards the middle of the picture.
func (p *plan) nameBeside(q int) {
	at, middle := p.at[q], point{p.width / 2, (p.at[0].y + p.at[len(p.at)/2].y) / 2}
	dx, dy := middle.x-at.x, middle.y-at.y
	away := max(math.Hypot(dx, dy), 1)
	wide := float64(len(p.id(q))) * p.letter * letterWidth / 2
	p.Text(at.x+dx/away*(p.letter*0.8+wide), at.y+dy/away*p.letter*1.3+p.letter*0.35, p.letter, "middle",
		fmt.Sprintf(`class="name" font-weight="bold" fill="%s" stroke="%s" stroke-width="5" `+
			`paint-order="stroke"`, svg.Ink, svg.Paper), p.id(q))
}

// processSigns are those of the roles that there are. Which process leads alone, the headline says.
func (p *plan) processSigns() (signs []sign) {
	used := make(map[look]bool)
	for q := range p.down {
		used[p.lookOf(q)] = true
	}
	for _, l := range []look{lookUndecided, lookFollows, lookLeads, lookDown} {
		if used[l] && (l != lookLeads || p.leader() == noProcess) {
			size := min(p.disc, p.letter*0.45)
			signs = append(signs, sign{l.about, p.letter * 1.4, func(x, y float64) {
				p.process(point{x + p.letter*0.6, y}, l, size)
			}})
		}
	}
	return signs
}

// linkSigns are those of the links that there are.
func (p *plan) linkSigns() (signs []sign) {
	add := func(about, colour string, width float64) {
		signs = append(signs, sign{about, 22, func(x, y float64) {
			p.Line(x, y, x+22, y, width, colour, "")
		}})
	}
	unused, levels := p.byLevel()
	if len(unused) > 0 && len(p.links) <= mostUnused {
		add("0", svg.Mid, unusedWidth)
	}
	most := 0
	for k, links := range levels {
		if len(links) == 0 {
			continue
		}
		least := math.MaxInt
		most = 0
		for _, i := range links {
			m := p.links[i].messages()
			least, most = min(least, m), max(most, m)
		}
		text := prose.Grouped(uint64(most))
		if least < most {
			text = prose.Grouped(uint64(least)) + " to " + text
		}
		add(text, linkColours[k], p.lineWidth(k))
	}
	// The last number has the word, for all of them.
	if last := len(signs) - 1; last >= 0 {
		signs[last].about += " " + strings.TrimLeft(prose.Plural(most, "message"), "0123456789, ")
	}
	if len(unused) > 0 && len(p.links) > mostUnused {
		signs = append(signs, sign{prose.Plural(len(unused), "link") + " without a message left out", 0,
			func(float64, float64) {}})
	}
	for i := range p.links {
		if p.links[i].spreads {
			signs = append(signs, sign{p.spreadText(), 22, func(x, y float64) {
				p.Line(x, y, x+22, y, haloWidth+p.lineWidth(1), svg.Gold, "")
				p.Line(x, y, x+22, y, gapWidth+p.lineWidth(1), svg.Paper, "")
				p.Line(x, y, x+22, y, p.lineWidth(1), linkColours[1], "")
			}})
			break
		}
	}
	for i := range p.links {
		if p.links[i].cuts != nil {
			signs = append(signs, sign{"cut", 20, func(x, y float64) {
				p.Line(x+9, y-p.letter*0.6, x+9, y+p.letter*0.6, 2.5, svg.Red, "5 3")
			}})
			break
		}
	}
	return signs
}
