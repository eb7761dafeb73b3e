package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/svg"
)

// sign is one of the legend.
type sign struct {
	about string
	wide  float64 // of what is drawn
	draw  func(x, y float64)
}

// mostRows is how many lines a legend takes at the top.
const mostRows = 2

// The measures of a legend.
const (
	signGap   = 4.0  // between a sign and its name
	signApart = 9.0  // from there to the next
	arrowSign = 26.0 // of a kind: each dash occurs in it
)

// legend says what colours and symbols mean, as far as they are used and nothing else says it: in one line
// below top where they fit, else in two. It returns where it ends, and the signs for which there was no room.
func (d *drawing) legend(top float64) (bottom float64, rest []sign) {
	return d.flow(top, mostRows, slices.Concat(d.kindSigns(), d.roleSigns(), d.markSigns()))
}

// flow draws signs below top, in as few lines as they need but no more than rows, and returns where it
// ends, with the signs that have no room.
func (d *drawing) flow(top float64, rows int, signs []sign) (bottom float64, rest []sign) {
	letter := d.signLetter(signs)
	cells, fit := d.settleSigns(signs, letter, rows)
	high := letter * 1.5
	for i, at := range cells {
		y := top + d.letter*0.8 + high*float64(at.row)
		signs[i].draw(at.x, y)
		d.Text(at.x+signs[i].wide+signGap, y+letter*0.35, letter, "start", `fill="`+svg.Ink+`"`,
			signs[i].about)
		bottom = y + d.letter*0.7
	}
	return max(bottom, top), signs[fit:]
}

// signLetter returns the size of the letters of a legend: that of the picture, unless smaller ones save a
// line.
func (d *drawing) signLetter(signs []sign) float64 {
	least := max(leastLetter*d.width/phone, leastLetter)
	best, fewest := d.letter, math.MaxInt
	for _, size := range []float64{1, 0.93, 0.86, 0} {
		letter := max(d.letter*size, least)
		cells, _ := d.settleSigns(signs, letter, math.MaxInt)
		if len(cells) == 0 {
			break
		}
		if rows := cells[len(cells)-1].row + 1; rows < fewest {
			best, fewest = letter, rows
		}
	}
	return best
}

// cell is where a sign is.
type cell struct {
	x   float64
	row int
}

// settleSigns finds a place for each sign, and returns how many have one in the first rows.
func (d *drawing) settleSigns(signs []sign, letter float64, rows int) (all []cell, fit int) {
	at := cell{x: edge}
	for _, s := range signs {
		begin := s.wide + signGap
		wide := begin + svg.TextWidth(s.about, false)*letter
		// No text leaves the picture, however wide its letters are.
		most := begin + letterWidth*letter*float64(len(s.about))
		if at.x > edge && (at.x+wide > d.width-edge || at.x+most > d.width) {
			at = cell{edge, at.row + 1}
		}
		if at.row == rows {
			break
		}
		all = append(all, at)
		at.x += wide + signApart
	}
	return all, len(all)
}

// explained returns the symbols that a caption explains.
func (d *drawing) explained() map[*symbol]bool {
	all := make(map[*symbol]bool)
	for _, m := range d.numbered {
		// The caption of a violation says nothing of the step.
		if m.weight <= weightLead && m.beat == none {
			all[symbolOf(&d.trace.Events[m.event])] = true
		}
	}
	return all
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
		signs = append(signs, sign{fmt.Sprintf("%.24s", inLine(name)), arrowSign, func(x, y float64) {
			d.Line(x, y, x+arrowSign-4, y, 2, colour, dash)
			d.head(x, y, x+arrowSign, y, colour, open)
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
			signs = append(signs, sign{f.about, 18, func(x, y float64) {
				d.Line(x, y, x+13, y, 2, svg.Ink, "")
				f.end(x+13, y)
			}})
		}
	}
	return signs
}

// roleSigns are those of the lines of processes. A process that is undecided has a thin line, as it begins;
// of one that leads a caption says so.
func (d *drawing) roleSigns() (signs []sign) {
	for _, r := range []struct {
		role election.Role
		as   int // the symbol of the decision
	}{{election.Follower, decisions}, {election.Leader, decisions + 1}} {
		s := &symbols[r.as]
		if !d.roles[r.role] || r.role == election.Leader && d.explained()[s] {
			continue
		}
		mark := d.used()[s]
		wide := 8.0
		if mark {
			wide = 14
		}
		signs = append(signs, sign{s.about, wide, func(x, y float64) {
			l := *d
			l.layout = &layout{left: x + wide/2 - d.column/2, column: d.column}
			l.Drawing = svg.Drawing{}
			l.life(0, life{role: r.role, from: y - 8}, y+8)
			d.Append(&l.Drawing)
			if mark {
				s.draw(d, x+wide/2, y)
			}
		}})
	}
	return signs
}

// used returns the symbols that occur.
func (d *drawing) used() map[*symbol]bool {
	all := make(map[*symbol]bool)
	for i := range d.beats {
		if b := &d.beats[i]; !b.message() && d.shown[b.event] {
			all[symbolOf(&d.trace.Events[b.event])] = true
		}
	}
	return all
}

// markSigns are those of what is no message, and what no caption explains.
func (d *drawing) markSigns() (signs []sign) {
	used, explained := d.used(), d.explained()
	for k := range symbols {
		s := &symbols[k]
		if used[s] && !explained[s] && k != decisions && k != decisions+1 {
			signs = append(signs, sign{s.about, 14, func(x, y float64) { s.draw(d, x+7, y) }})
		}
	}
	return signs
}
