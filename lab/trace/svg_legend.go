package trace

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/svg"
)

// sign is one of the legend.
type sign struct {
	about string
	wide  float64 // of what is drawn
	draw  func(x, y float64)
}

// legend says what colours and symbols mean, as far as they are used. It returns where it ends.
func (d *drawing) legend(top float64) float64 {
	return d.flow(top, d.kindSigns(), d.roleSigns(), d.markSigns())
}

// flow draws signs below top, in as few lines as they need, and returns where it ends.
func (d *drawing) flow(top float64, all ...[]sign) float64 {
	x, y, high := edge, top+d.letter*0.8, d.letter*1.5
	for _, signs := range all {
		for _, s := range signs {
			wide := s.wide + 6 + float64(len(s.about))*d.letter*letterWidth + 12
			if x+wide > d.width-edge+16 && x > edge {
				x, y = edge, y+high
			}
			s.draw(x, y)
			d.text(x+s.wide+6, y+d.letter*0.35, "start", s.about)
			x += wide
		}
	}
	return y + d.letter*0.7
}

// kindSigns are those of the kinds of messages, and of what became of them.
func (d *drawing) kindSigns() (signs []sign) {
	var kinds [256]bool
	var fates [unreceived + 1]bool
	for i := range d.beats {
		if b := &d.beats[i]; b.message() {
			kinds[d.kindOf(b)], fates[b.fate] = true, true
		}
	}
	for kind, used := range kinds {
		if !used {
			continue
		}
		name := d.story.names.name(uint8(kind))
		if name == "" {
			name = fmt.Sprintf("kind %d", kind)
		}
		colour, dash, open := style(uint8(kind))
		signs = append(signs, sign{fmt.Sprintf("%.24s", inLine(name)), 34, func(x, y float64) {
			d.Line(x, y, x+30, y, 2, colour, dash)
			d.head(x, y, x+34, y, colour, open)
		}})
	}
	for _, f := range []struct {
		fate  fate
		about string
		end   func(x, y float64)
	}{
		{lost, "lost", func(x, y float64) { d.cross(x, y, 4, svg.Ink) }},
		{unreceived, "not arrived", func(x, y float64) { d.ring(x, y, svg.Ink) }},
	} {
		if fates[f.fate] {
			signs = append(signs, sign{f.about, 32, func(x, y float64) {
				d.Line(x, y, x+26, y, 2, svg.Ink, "")
				f.end(x+26, y)
			}})
		}
	}
	return signs
}

// roleSigns are those of the lines of processes.
func (d *drawing) roleSigns() (signs []sign) {
	for _, r := range []struct {
		role  election.Role
		about string
		life  life
	}{
		{election.Undecided, "undecided", life{}},
		{election.Follower, "follows", life{role: election.Follower}},
		{election.Leader, "leads", life{role: election.Leader}},
	} {
		if !d.roles[r.role] {
			continue
		}
		signs = append(signs, sign{r.about, 8, func(x, y float64) {
			l := *d
			l.layout = &layout{left: x + 4 - d.column/2, column: d.column}
			r.life.from = y - 8
			l.Drawing = svg.Drawing{}
			l.life(0, r.life, y+8)
			d.Append(&l.Drawing)
		}})
	}
	return signs
}

// markSigns are those of what is no message.
func (d *drawing) markSigns() (signs []sign) {
	used := make(map[*symbol]bool)
	for i := range d.beats {
		if b := &d.beats[i]; !b.message() && d.shown[b.event] {
			used[symbolOf(&d.trace.Events[b.event])] = true
		}
	}
	for k := range symbols {
		if s := &symbols[k]; used[s] && s.about != "leads" {
			signs = append(signs, sign{s.about, 16, func(x, y float64) { s.draw(d, x+8, y) }})
		}
	}
	return signs
}
