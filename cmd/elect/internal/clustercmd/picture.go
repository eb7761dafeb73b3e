package clustercmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/cluster"
	"github.com/go-election/election/lab/svg"
)

// record is what is known of a run after its end.
type record struct {
	cluster.Summary
	events []cluster.Event
}

// Sizes of a picture.
const (
	margin     = 16.0
	laneLeft   = 40.0  // where time begins
	laneTop    = 92.0  // the line of the first member
	laneStep   = 38.0  // from one member to the next
	barHigh    = 20.0  // of a lease
	perSecond  = 46.0  // the usual scale
	widest     = 1600. // the scale of a long run is smaller
	statusRoom = 118.0 // right of time
)

// The words of a picture.
var (
	done = map[string]string{"kill": "%s is killed", "stop": "%s is frozen", "cut": "%s is cut off from the others",
		"term": "%s is asked to end", "restart": "%s is started again", "cont": "%s runs again", "heal": "%s is connected again",
		"ended": "%s has ended", "leads": "%s leads"}
	signals = map[string]string{"kill": "SIGKILL", "stop": "SIGSTOP", "cut": "cut off", "term": "SIGTERM", "ended": "ended"}
	states  = map[cluster.Condition]string{cluster.Down: "down", cluster.Stopped: "frozen", cluster.Cut: "cut off"}
)

// picture is a record as it is drawn.
type picture struct {
	svg.Drawing
	*record
	lanes  []lane
	began  time.Duration // time is drawn from here on
	scale  float64       // of a second
	bottom float64       // of the lanes
	rules  strings.Builder
	clips  int // animations so far
}

// hold is how long the whole picture stays before it begins again. The first time it stays shorter, but it is there:
// some programs show only the first moment.
const (
	hold      = 4 * time.Second
	firstHold = 1500 * time.Millisecond
)

// svg draws a run as a picture that moves: what happened appears at the pace at which it happened, over and over.
// For a reader who prefers no motion, and in programs that know no animations, the whole run is there.
func (r *record) svg() string {
	p := &picture{record: r, lanes: lanes(r.Members, r.events, r.Leases)}
	p.began = max(p.first()-500*time.Millisecond, 0) // the members start before
	p.scale = min(perSecond, widest/(r.Took-p.began).Seconds())
	p.bottom = laneTop + laneStep*float64(r.Members-1) + laneStep/2
	right := p.x(r.Took)
	width, height := right+statusRoom, p.bottom+58

	p.gaps()
	for i := range p.lanes {
		p.lane(&p.lanes[i], laneTop+laneStep*float64(i))
	}
	p.curtain(right, width)
	p.axis(right)
	p.durations()
	for i := range p.lanes {
		y := laneTop + laneStep*float64(i)
		p.signals(&p.lanes[i], y)
		p.statuses(&p.lanes[i], y, right+14)
	}
	story := p.story()
	p.Text(width-margin, 34, 15, "end", `fill="`+svg.Grey+`"`,
		prose.Plural(r.Members, "process")+", lease "+brief(r.Lease))
	p.Put(`<style>@media (prefers-reduced-motion: no-preference) {%s }</style>`, p.rules.String())
	return svg.OnSheet(p.Document(width, height, "A run of elect cluster", story))
}

// first returns when the first member leads.
func (p *picture) first() time.Duration {
	if len(p.Leases) == 0 {
		return p.Took
	}
	return p.Leases[0].From
}

// x returns the place of a time.
func (p *picture) x(t time.Duration) float64 {
	return laneLeft + max(t-p.began, 0).Seconds()*p.scale
}

// gaps draws the time without a leader that can renew its lease as bands.
func (p *picture) gaps() {
	for _, g := range gaps(p.Leases) {
		from, until := p.x(g.from), p.x(g.until)
		p.Rect(from, laneTop-laneStep/2, max(until-from, 1), p.bottom-laneTop+laneStep/2, svg.Pale)
	}
}

// durations writes how long each gap was, below it.
func (p *picture) durations() {
	free := 0.0 // left of it are other words
	for _, g := range gaps(p.Leases) {
		half := 15 * svg.TextWidth(g.text, true) / 2
		if middle := (p.x(g.from) + p.x(g.until)) / 2; middle-half > free {
			p.captions([]caption{{g.until, g.text, `font-weight="bold"`}}, middle, p.bottom+20, 15, "middle")
			free = middle + half
		}
	}
}

// lane draws the line of a member.
func (p *picture) lane(l *lane, y float64) {
	from := turn{at: p.began, is: cluster.Up}
	for _, t := range append(l.turns, turn{at: p.Took}) {
		switch x1, x2 := p.x(from.at), p.x(t.at); from.is {
		case cluster.Up:
			p.Line(x1, y, x2, y, 2, svg.Mid, "")
		case cluster.Stopped:
			p.Line(x1, y, x2, y, 2, svg.Mid, "2 6")
		case cluster.Cut:
			p.Line(x1, y, x2, y, 2, svg.Mid, "8 5")
		}
		from = t
	}
	for _, lease := range l.leads {
		until := min(lease.until, p.Took)
		x1, x2, x3 := p.x(lease.from), p.x(min(lease.lost, until)), p.x(until)
		p.Put(`<rect x="%v" y="%v" width="%v" height="%v" rx="3" fill="%v"/>`, x1, y-barHigh/2, x2-x1, barHigh, svg.Green)
		if x3 > x2 {
			p.Put(`<rect x="%v" y="%v" width="%v" height="%v" fill="%v" fill-opacity="0.35"/>`, x2, y-barHigh/2, x3-x2, barHigh,
				svg.Green)
		}
	}
	for _, t := range l.turns {
		if x := p.x(t.at); signals[t.what] != "" {
			p.Line(x, y-barHigh/2-3, x, y+barHigh/2+3, 3, svg.Red, "")
		}
	}
}

// signals writes what was done to a member.
func (p *picture) signals(l *lane, y float64) {
	for _, t := range l.turns {
		if word := signals[t.what]; word != "" {
			p.captions([]caption{{t.at, word, `fill="` + svg.Red + `" font-weight="bold"`}}, p.x(t.at)+6, y-barHigh/2-4, 13, "start")
		}
	}
}

// curtain covers what has not happened yet.
func (p *picture) curtain(right, width float64) {
	top, high := laneTop-laneStep/2-4, p.bottom-laneTop+laneStep/2+32
	whole := p.Took - p.began
	p.Put(`<g class="curtain" transform="translate(%v 0)">`, right-laneLeft)
	p.Rect(laneLeft, top, right-laneLeft, high, svg.Paper)
	p.Line(laneLeft, top, laneLeft, p.bottom, 1, svg.Mid, "")
	p.Put(`</g>`)
	p.Rect(right+0.5, top, width-right, high, svg.Paper) // the curtain passes below
	fmt.Fprintf(&p.rules, " @keyframes curtain { 0%% { transform: none } %s%%, 100%% { transform: translateX(%spx) } }"+
		" .curtain { animation: curtain %s linear infinite }",
		svg.Num(100*whole.Seconds()/(whole+hold).Seconds()), svg.Num(right-laneLeft), p.pace())
}

// axis draws the seconds.
func (p *picture) axis(right float64) {
	y := p.bottom + 34
	p.Line(laneLeft, y, right, y, 1, svg.Mid, "")
	step := 2 * time.Second
	for time.Duration(float64(step)*p.scale) < 80*time.Second {
		step *= 2
	}
	for t := time.Duration(0); p.x(p.began+t) <= right; t += step {
		x := p.x(p.began + t)
		p.Line(x, y, x, y+4, 1, svg.Mid, "")
		p.Text(x, y+18, 13, "middle", `fill="`+svg.Grey+`"`, fmt.Sprintf("%.0f s", t.Seconds()))
	}
}

// statuses draws the name of a member, and what it does at each time.
func (p *picture) statuses(l *lane, y, x float64) {
	p.Text(margin, y+6, 18, "start", `font-weight="bold"`, l.name)
	times := []time.Duration{p.began, p.first()}
	for _, t := range l.turns {
		times = append(times, t.at)
	}
	for _, lease := range l.leads {
		times = append(times, lease.from, lease.until)
	}
	slices.Sort(times)
	var all []caption
	for _, at := range slices.Compact(times) {
		c := caption{at: at, style: `fill="` + svg.Grey + `"`}
		switch t := l.last(at); {
		case at < p.began || at >= p.Took:
			continue
		case t.is != cluster.Up:
			c.text, c.style = states[t.is], `fill="`+svg.Red+`"`
		case l.lease(at) != nil:
			c.text, c.style = "leads", `fill="`+svg.Green+`" font-weight="bold"`
		case at >= p.first():
			c.text = "follows"
		}
		all = append(all, c)
	}
	p.captions(all, x, y+6, 16, "start")
}

// story draws what has happened last, and returns all of it.
func (p *picture) story() string {
	var all []caption
	var told []string
	for _, e := range p.events {
		if done[e.What] == "" {
			continue
		}
		text := fmt.Sprintf(done[e.What], e.Member)
		if e.Gap > 0 {
			text += ", " + brief(e.Gap) + " later"
		}
		told = append(told, text)
		all = append(all, caption{at: max(e.At, p.began), text: text})
	}
	end := "Never two leaders"
	if err := p.Err(); err != nil {
		end = strings.TrimPrefix(err.Error(), "cluster: ")
	}
	all = append(all, caption{at: p.Took, text: end})
	for i := range all {
		all[i].style = `font-weight="bold"`
	}
	p.captions(all, margin, 36, 21, "start")
	return strings.Join(append(told, end), ". ") + "."
}

// caption is a text from a time until the next caption.
type caption struct {
	at          time.Duration
	text, style string
}

// captions draws texts that take turns. The last is there if nothing moves.
func (p *picture) captions(all []caption, x, y, size float64, anchor string) {
	whole := p.Took - p.began + hold
	percent := func(at time.Duration) string { return svg.Num(100 * (at - p.began).Seconds() / whole.Seconds()) }
	for i, c := range all {
		p.clips++
		shown, rule := "1", percent(c.at)+"% { opacity: 1 }"
		if c.at > p.began {
			rule = "0% { opacity: 0 } " + rule
		}
		if i < len(all)-1 {
			shown = "0"
			rule += " " + percent(all[i+1].at) + "% { opacity: 0 }"
		}
		p.Text(x, y, size, anchor, fmt.Sprintf(`class="c%d" opacity="%s" %s`, p.clips, shown, c.style), c.text)
		fmt.Fprintf(&p.rules, " @keyframes c%d { %s } .c%[1]d { animation: c%[1]d %[3]s step-end infinite }", p.clips, rule, p.pace())
	}
}

// pace returns how long an animation takes, and when it begins.
func (p *picture) pace() string {
	whole := (p.Took - p.began + hold).Seconds()
	return svg.Num(whole) + "s " + svg.Num(firstHold.Seconds()-whole) + "s"
}
