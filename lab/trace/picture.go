package trace

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/observe"
)

// The measures of a space-time diagram.
const (
	columnWidth   = 50.0 // from one process to the next
	overviewWidth = 760.0
	overviewHigh  = 900.0
	lastRow       = 26.0 // below the last event
	leastUnit     = 40.0 // from one unit of time to the next
	mostUnit      = 170.0
	wholeTime     = 1500.0 // enough for a run, if that leaves units large enough
	stepApart     = 10.0   // from one step to the next
	spread        = 0.3    // the part of a unit into which the steps of one instant reach
	longGap       = 3.0    // units without an event, which are cut out
	onTheWay      = 0.4    // the part of an arrow that is drawn if the message does not arrive
)

// WriteSVG draws a trace as a space-time diagram: a line down for each process, which shows its role, an
// arrow for each message in the color of its kind, and marks for what else matters. Time runs down to
// scale. The key moments are numbered and explained below. A trace with more than [MostProcesses] or
// [MostMessages] is drawn as an overview, without words at its messages. More than [MostLanes] processes or
// [MostArrows] messages give [ErrTooLarge].
func WriteSVG(w io.Writer, t *Trace) error {
	if n := len(t.Header.Scenario.IDs); n > MostLanes {
		return fmt.Errorf("%w: %d processes, at most %d have room side by side", ErrTooLarge, n, MostLanes)
	}
	recorded := t
	t, steps := ordered(byTime(t))
	s := newStory(t)
	s.steps = steps
	messages, _ := s.counts()
	if messages > MostArrows {
		return fmt.Errorf("%w: %d messages, at most %d can be told apart", ErrTooLarge, messages, MostArrows)
	}
	p := &picture{story: s, overview: s.drawable() != nil}
	if err := p.lease(recorded); err != nil {
		return err
	}
	p.moments = s.moments()
	_, err := io.WriteString(w, p.draw())
	return err
}

// picture is a drawing of a story.
type picture struct {
	*story
	sheet
	overview bool // thin arrows without words, to fit a run of any length
	moments  []moment

	leads []Lead // with a lease
	held  []Loan

	left, column float64 // where the first column begins, and from one to the next
	wraps        bool    // the first and the last process are neighbors

	unit     time.Duration
	high     float64 // of a unit
	instants []time.Duration
	at       []float64 // the height of each instant
	cuts     []bool    // whether the time before an instant is cut out
	place    []float64 // the height of each event
	bottom   float64

	ways    [][]segment   // the arrow of each beat
	spots   map[int]point // the mark of each event
	circles []point       // the number of each moment
	taken   []box         // what marks, numbers and labels cover
}

func (p *picture) x(process int) float64 { return p.left + p.column*(float64(process)+0.5) }

// draw returns the whole picture.
func (p *picture) draw() string {
	p.columns()
	top := p.legend(p.heading(p.story), slices.Concat(p.kindSigns(), p.markSigns()))
	top = p.names(top)
	p.scale(top + 1.6*p.letter)
	p.places()
	p.arrows()
	p.partitions()
	p.axis()
	p.lives()
	p.loans()
	p.marks()
	p.messages()
	p.drawMarks()
	p.violation()
	return p.Document(p.width, p.caption(p.bottom+lastRow), p.headline(), p.about())
}

// columns decides how wide the picture and its letters are: these must be legible on a phone, which shows
// the whole width, and larger letters make a picture wider.
func (p *picture) columns() {
	h := &p.trace.Header
	n := float64(len(h.Scenario.IDs))
	p.wraps = h.Links != nil && h.Links.Shape() == election.Ring && n > 2
	if p.overview {
		p.width, p.letter, p.left = overviewWidth, leastLetter*overviewWidth/phone, edge+80
		p.column = (p.width - p.left - 2*edge) / n
		return
	}
	longest, times := 0, len("time")
	for q := range h.Scenario.IDs {
		longest = max(longest, len(p.name(q)))
	}
	for i := range p.trace.Events {
		times = max(times, len(p.time(p.trace.Events[i].At.Truncate(time.Millisecond))))
	}
	p.letter = readable
	for range 4 {
		p.column = max(columnWidth, float64(longest)*p.letter*letterWidth+14)
		p.left = edge + float64(min(times, 8))*p.letter*letterWidth + 18
		p.width = p.left + p.column*n + edge
		if p.wraps { // arrows leave at one edge and enter at the other
			p.left += p.column / 2
			p.width += p.column
		}
		p.width = max(p.width, phone)
		p.letter = max(p.letter, leastLetter*p.width/phone)
	}
}

// brief returns a number, or the end of one that is too long for a column.
func brief(n uint64) string {
	text := strconv.FormatUint(n, 10)
	if len(text) > 5 {
		text = ".." + text[len(text)-3:]
	}
	return text
}

func (p *picture) name(q int) string { return brief(uint64(p.trace.Header.Scenario.IDs[q])) }

// names writes which process each line is, as far as there is room: first the processes that lead at the
// end, then the processes that are down. It returns where the names end.
func (p *picture) names(top float64) float64 {
	y := top + p.letter*1.2
	priorities := p.trace.Header.Scenario.Priorities
	var taken []box
	for turn := range 3 {
		for q := range p.final {
			leads := p.final[q].Role == election.Leader
			if turn == 0 && !leads || turn == 1 && !p.down[q] {
				continue
			}
			half := float64(len(p.name(q)))*p.letter*letterWidth/2 + 6
			at := around(point{min(p.x(q), p.width-half), y}, half, 1)
			if slices.ContainsFunc(taken, at.overlaps) {
				continue
			}
			color := svg.Ink
			if leads {
				color = svg.Gold
			}
			taken = append(taken, at)
			p.Text(p.x(q), y, p.letter, "middle", `class="process" font-weight="bold" fill="`+color+`"`, p.name(q))
			if priorities != nil {
				p.Text(p.x(q), y+p.letter*1.2, p.letter, "middle", `fill="`+svg.Grey+`"`, "p "+brief(priorities[q]))
			}
		}
	}
	if n := len(p.final); p.wraps && !p.overview {
		style := `class="ghost" fill="` + svg.Grey + `"`
		p.Text(p.left-p.column/2+2, y, p.letter, "start", style, "("+p.name(n-1)+")")
		p.Text(p.x(n)-2, y, p.letter, "end", style, "("+p.name(0)+")")
	}
	if priorities != nil {
		y += p.letter * 1.2
	}
	return y
}

// scale gives each instant a height, in proportion to time. Long times without an event are cut out.
func (p *picture) scale(top float64) {
	t := p.trace
	p.unit = t.unitOf(p.sends)
	for i := range t.Events {
		p.instants = append(p.instants, t.Events[i].At)
	}
	for _, b := range p.bands() {
		if b.from < t.last() {
			p.instants = append(p.instants, b.from)
		}
		if b.ends && b.until < t.last() {
			p.instants = append(p.instants, b.until)
		}
	}
	p.instants = append(p.instants, 0)
	slices.Sort(p.instants)
	p.instants = slices.Compact(p.instants)
	if p.high = p.unitHigh(); p.overview {
		p.high = overviewHigh / max(p.units(t.last()-p.instants[0]), 1)
	}
	y := top
	for i, at := range p.instants {
		gap := 0.0
		if i > 0 {
			gap = p.units(at - p.instants[i-1])
		}
		cut := gap > longGap && !p.overview
		if cut {
			gap = max(1, 3.2*p.letter/p.high)
		}
		y += gap * p.high
		p.at, p.cuts = append(p.at, y), append(p.cuts, cut)
	}
	p.bottom = y
}

func (p *picture) units(d time.Duration) float64 { return float64(d) / float64(p.unit) }

// unitHigh returns how high a unit is drawn: as high as the busiest moment needs, within bounds, and less in
// a long run.
func (p *picture) unitHigh() float64 {
	need, units, last := leastUnit, 0.0, time.Duration(0)
	_, most := p.depths()
	for _, steps := range most {
		need = max(need, stepApart*float64(steps)/spread)
	}
	busy := make(map[[2]int64]float64)
	for i := range p.trace.Events {
		if e := &p.trace.Events[i]; !e.Do.Effect() {
			key := [2]int64{int64(e.Process), int64(e.At / p.unit)}
			busy[key]++
			need = max(need, stepApart*busy[key])
		}
	}
	for _, at := range p.instants {
		units += min(p.units(at-last), longGap)
		last = at
	}
	return min(need, mostUnit, max(wholeTime/max(units, 1), leastUnit))
}

// y returns the height of a time.
func (p *picture) y(at time.Duration) float64 {
	i, found := slices.BinarySearch(p.instants, at)
	switch {
	case found:
		return p.at[i]
	case i == 0:
		return p.at[0]
	case i == len(p.at):
		return p.bottom
	}
	part := float64(at-p.instants[i-1]) / float64(p.instants[i]-p.instants[i-1])
	return p.at[i-1] + part*(p.at[i]-p.at[i-1])
}

// depths returns for each step how many steps at the same instant it follows from, itself included, and
// the most of each instant. An effect has the depth of its step.
func (s *story) depths() (depth []int, most map[time.Duration]int) {
	t := s.trace
	depth, most = make([]int, len(t.Events)), make(map[time.Duration]int)
	last := slices.Repeat([]int{none}, len(t.Header.Scenario.IDs)) // the step before of each process
	for i := range t.Events {
		e := &t.Events[i]
		before := &last[s.where[e.Process]]
		depth[i] = 1
		if e.Do.Effect() && *before != none {
			depth[i] = depth[*before]
			continue
		}
		causes := []int{*before}
		if sent, ok := s.sends[e.From]; ok {
			causes = append(causes, sent)
		}
		for _, cause := range causes {
			if cause != none && t.Events[cause].At == e.At {
				depth[i] = max(depth[i], depth[cause]+1)
			}
		}
		most[e.At] = max(most[e.At], depth[i])
		if e.Do != observe.Init && e.Do != observe.Rejoin { // these take no room of their own
			*before = i
		}
	}
	return depth, most
}

// places finds the height of each event. Events of one instant are drawn in their causal order.
func (p *picture) places() {
	depth, most := p.depths()
	p.place = make([]float64, len(p.trace.Events))
	before := make([]float64, len(p.trace.Header.Scenario.IDs))
	for i := range p.trace.Events {
		e := &p.trace.Events[i]
		k, _ := slices.BinarySearch(p.instants, e.At)
		y, room := p.at[k], spread*p.high
		if k+1 < len(p.at) {
			room = min(room, 0.9*(p.at[k+1]-y))
		}
		if n := most[e.At]; n > 1 {
			y += room * float64(depth[i]-1) / float64(n-1)
		}
		// If the clocks of processes differ, a receipt may have an earlier time than its sending.
		if sent, ok := p.sends[e.From]; ok && e.Do == observe.Deliver && sent < i && !p.overview {
			y = max(y, p.place[sent]+stepApart/2)
		}
		q := p.where[e.Process]
		y = max(y, before[q])
		before[q], p.place[i], p.bottom = y, y, max(p.bottom, y)
	}
}

// axis draws the times: round ones, and how long the times are that are cut out.
func (p *picture) axis() {
	right, from, name := p.left-8, p.left, "time"
	if p.wraps && !p.overview {
		right, from = right-p.column/2, from-p.column/2
	}
	if p.steps {
		name = "step"
	}
	grey := `fill="` + svg.Grey + `"`
	p.Text(right, p.at[0]-p.letter*1.3, p.letter, "end", grey, name)
	tick := time.Duration(roundUp(1.9 * p.letter / p.high * float64(p.unit)))
	if p.unit == time.Second {
		tick = time.Duration(roundUp(math.Ceil(p.units(tick)))) * p.unit
	}
	written := math.Inf(-1)
	for i, until := range p.instants {
		begin := time.Duration(0)
		if i > 0 {
			begin = p.instants[i-1] + 1
		}
		if p.cuts[i] {
			middle := (p.at[i-1] + p.at[i]) / 2
			p.zigzag(from, middle)
			if number, unit, _ := strings.Cut(p.span(until-p.instants[i-1]), " "); !p.steps {
				wide := float64(max(len(number), len(unit))) * p.letter * letterWidth
				p.taken = append(p.taken, around(point{right - wide/2, middle}, wide/2, 1.2*p.letter))
				p.Text(right, middle-p.letter*0.2, p.letter, "end", `class="cut" `+grey, number)
				p.Text(right, middle+p.letter*0.9, p.letter, "end", `class="cut" `+grey, unit)
			}
			begin, written = until, middle
		}
		for t := (begin + tick - 1) / tick * tick; t <= until; t += tick {
			y := p.y(t)
			p.Line(from-4, y, p.width-edge, y, 1, svg.Pale, "")
			if y-written >= p.letter {
				text := p.time(t)
				p.Text(right, y+p.letter*0.35, p.letter, "end", `fill="`+svg.Ink+`"`, text)
				wide := float64(len(text)) * p.letter * letterWidth
				p.taken = append(p.taken, around(point{right - wide/2, y}, wide/2+1, p.letter/2))
				written = y
			}
		}
	}
}

// zigzag draws the axis at a place where it is cut.
func (p *picture) zigzag(x, y float64) {
	p.Path([]float64{x - 4, y - 15, x + 4, y - 9, x - 4, y - 3, x + 4, y + 3, x - 4, y + 9, x + 4, y + 15}, 1.5,
		svg.Mid, "")
}

// partitions draws a band over each time in which links are cut.
func (p *picture) partitions() {
	for _, b := range p.bands() {
		if b.from > p.trace.last() {
			continue
		}
		top, low := p.y(b.from), p.bottom+lastRow/2
		if b.ends && b.until <= p.trace.last() {
			low = p.y(b.until)
		}
		p.group("partition", b.text, func() {
			left, right := p.left-6, p.x(len(p.final)-1)+p.column/2+6
			p.Rect(left, top, right-left, max(low-top, 2), svg.Alarm)
			p.Line(left, top, right, top, 1.5, svg.Red, "4 3")
			p.Line(left, low, right, low, 1.5, svg.Red, "4 3")
		})
	}
}

// lease finds the leads and loans of a run with leases, in the times of the picture.
func (p *picture) lease(recorded *Trace) error {
	if !slices.ContainsFunc(recorded.Events, func(e Event) bool { return e.Outcome.Until > 0 }) {
		return nil
	}
	f, err := NewFilm(recorded)
	if err != nil {
		return err
	}
	p.leads, p.lent = f.Leads(), Loans(recorded, f)
	if p.steps { // the first step is number 1, and happens at 0
		for i := range p.leads {
			l := &p.leads[i]
			l.From, l.Until, l.Thinks = l.From+1, l.Until+1, l.Thinks+1
		}
		for i := range p.lent {
			l := &p.lent[i]
			if l.From, l.End = l.From+1, l.End+1; l.Until > 0 {
				l.Until++
			}
		}
	}
	p.held = Held(p.lent)
	return nil
}

// lapse returns when the lease ends that a process has at a time; noLapse if it has none.
func (p *picture) lapse(process int, at time.Duration) time.Duration {
	for _, l := range p.leads {
		if l.Process == process && fromUnits(l.From) <= at && at <= fromUnits(l.Thinks) {
			return fromUnits(l.Until)
		}
	}
	return noLapse
}

const noLapse = time.Duration(math.MaxInt64)

// The bar of a vote that is lent, next to the line of its process.
const (
	loanAside = 5.0
	loanWide  = 3.0
)

// loans draws a bar for each vote while it is lent.
func (p *picture) loans() {
	if p.overview {
		return
	}
	for _, l := range p.held {
		from, end := fromUnits(l.From), fromUnits(l.End)
		top, low := p.y(from), p.bottom+lastRow/2
		if end < p.trace.last() {
			low = p.y(end)
		}
		text := fmt.Sprintf("the vote of %s is lent to %s from %s to %s", p.id(l.Of), p.id(l.To), p.time(from), p.time(end))
		if l.Until == 0 {
			text = fmt.Sprintf("the record names %s from %s to %s", p.id(l.To), p.time(from), p.time(end))
		}
		p.group("loan", text, func() { p.loan(p.x(l.Of), top, low) })
	}
}

func (p *picture) loan(x, top, low float64) {
	p.Rect(x+loanAside, top, loanWide, max(low-top, 1), svg.Gold)
}

// life is what a process is, from some height on.
type life struct {
	from         float64
	down, paused bool
	role         election.Role
	inside       uint64        // the critical sections it is in
	lapse        time.Duration // when its lease ends
}

// lives draws the line of each process: thin while it is undecided, thick in green or gold once it follows or
// leads, dotted while it is down, with a band while it is paused or inside a critical section.
func (p *picture) lives() {
	all := make([]life, len(p.final))
	for q := range all {
		all[q].from, all[q].lapse = p.at[0]-8, noLapse
	}
	for i := range p.trace.Events {
		e := &p.trace.Events[i]
		q := p.where[e.Process]
		was, now := all[q], all[q]
		switch e.Do {
		case observe.Crash, observe.Recover, observe.Restart:
			now = life{from: was.from, down: e.Do == observe.Crash, lapse: noLapse}
		case observe.Pause, observe.Resume:
			now.paused = e.Do == observe.Pause
		case observe.Decide:
			now.role, now.lapse = e.Outcome.Role, noLapse
			if now.role == election.Leader {
				now.lapse = p.lapse(q, e.At)
			}
		case observe.Raise:
			// There are at most 64 sections, but a Node may raise any Flags.
			section := uint64(1) << (e.Message.Flags % 64)
			switch e.Op {
			case entered:
				now.inside |= section
			case exited:
				now.inside &^= section
			}
		}
		if was != now {
			if e.Do != observe.Crash || e.Seq > 1 { // else it is down from the beginning
				p.life(p.x(q), was, p.place[i])
				now.from = p.place[i]
			}
			all[q] = now
		}
	}
	for q := range all {
		p.life(p.x(q), all[q], p.bottom+lastRow/2)
	}
}

// life draws a part of the line of a process.
func (p *picture) life(x float64, l life, to float64) {
	if l.role == election.Leader && l.lapse < p.trace.last() {
		if end := p.y(l.lapse); end < to { // it leads no more, and may not have noticed
			rest := l
			rest.role, rest.from, rest.lapse = election.Undecided, max(end, l.from), noLapse
			if l.lapse = noLapse; rest.from > l.from {
				p.life(x, l, rest.from)
			}
			p.life(x, rest, to)
			return
		}
	}
	class, color, width, dash := "undecided", svg.Mid, 1.5, ""
	switch {
	case l.down:
		class, width, dash = "down", 1.2, "1 5"
	case l.role == election.Follower:
		class, color, width = "follower", svg.Green, 3
	case l.role == election.Leader:
		class, color, width = "leader", svg.Gold, 6
	}
	if p.overview {
		if l.role == election.Undecided && !l.down {
			return // the lines of many processes would hide the messages
		}
		if l.down {
			color, dash = svg.Red, ""
		}
		if width = min(width, p.column*0.5); l.role == election.Leader {
			width = 4
		}
	}
	if l.paused {
		p.Put(`<rect class="paused" x="%v" y="%v" width="14" height="%v" fill="%v" stroke="%v"/>`, x-7, l.from,
			to-l.from, svg.Pale, svg.Mid)
	}
	if l.inside != 0 {
		p.Put(`<rect class="inside" x="%v" y="%v" width="14" height="%v" fill="%v" stroke="%v"/>`, x-7, l.from,
			to-l.from, svg.Rose, svg.Mid)
	}
	p.Put(`<line class="%v" x1="%v" y1="%v" x2="%v" y2="%v" stroke="%v" stroke-width="%v"%v/>`, class, x, l.from,
		x, to, color, width, svg.Dashed(dash))
}

// arrows finds the way of each message.
func (p *picture) arrows() {
	p.ways = make([][]segment, len(p.beats))
	for i := range p.beats {
		if b := &p.beats[i]; b.message() {
			p.ways[i] = p.way(b)
		}
	}
}

// ends reports whether a message ends before it arrives: it is lost on its way, or in flight at the end.
func (p *picture) ends(b *beat) bool {
	return b.fate == unreceived || b.fate == lost && p.where[p.trace.Events[b.event].Process] == b.from &&
		b.from != b.process
}

// way returns where a message is drawn. Between the last and the first process of a ring it leaves the
// picture at one edge and enters at the other.
func (p *picture) way(b *beat) []segment {
	x1, x2, y2 := p.x(b.from), p.x(b.process), p.place[b.event]
	y1 := y2 - stepApart
	if b.sent != none {
		y1 = p.place[b.sent]
	}
	n := len(p.final)
	wraps := p.wraps && max(b.from-b.process, b.process-b.from) == n-1
	if wraps && b.from == 0 {
		x2 = p.x(-1)
	} else if wraps {
		x2 = p.x(n)
	}
	if p.ends(b) {
		if b.from == b.process {
			x2 = x1 + columnWidth
		}
		return []segment{{x1, y1, x1 + (x2-x1)*onTheWay, y1 + 1.6*stepApart}}
	}
	if !wraps {
		return []segment{{x1, y1, x2, y2}}
	}
	middle, enter := (y1+y2)/2, p.x(b.process)
	return []segment{{x1, y1, (x1 + x2) / 2, middle}, {enter - (x2-x1)/2, middle, enter, y2}}
}

// messages draws all arrows. In an overview it groups them by kind.
func (p *picture) messages() {
	if !p.overview {
		for i := range p.beats {
			if p.beats[i].message() {
				p.message(i)
			}
		}
		for i := range p.beats {
			if p.beats[i].message() && len(p.beats) <= 4*mostLabelled {
				p.label(i)
			}
		}
		return
	}
	var kinds [256]strings.Builder
	for i := range p.beats {
		if b := &p.beats[i]; b.message() {
			for _, s := range p.ways[i] {
				fmt.Fprintf(&kinds[p.kindOf(b)], "M%s %sL%s %s", svg.Num(s.x1), svg.Num(s.y1), svg.Num(s.x2),
					svg.Num(s.y2))
			}
		}
	}
	messages, _ := p.counts()
	thin := max(0.2, min(0.9, 2000/float64(messages))) // many would be an area of one color
	for kind := range kinds {
		if path := kinds[kind].String(); path != "" {
			color, dash, _ := style(uint8(kind))
			p.Put(`<path class="messages" d="%s" fill="none" stroke="%s" stroke-width="%v"%s/>`, path, color,
				thin, svg.Dashed(dash))
		}
	}
}

// message draws an arrow, as far as the message has come.
func (p *picture) message(i int) {
	b := &p.beats[i]
	color, dash, open := style(p.kindOf(b))
	last := p.ways[i][len(p.ways[i])-1]
	p.group("message", p.linkText(b)+": "+b.text, func() {
		if b.from == b.process && !p.ends(b) {
			x := last.x1 - 34
			p.Put(`<path d="M%v %v C%v %v %v %v %v %v" fill="none" stroke="%v" stroke-width="1.8"%v/>`, last.x1,
				last.y1, x, last.y1, x, last.y2, last.x2, last.y2, color, svg.Dashed(dash))
			last.x1 -= 30
		} else {
			for _, s := range p.ways[i] {
				p.Line(s.x1, s.y1, s.x2, s.y2, 1.8, color, dash)
			}
		}
		switch b.fate {
		case delivered:
			p.head(last, color, open)
		case lost:
			p.cross(last.x2, last.y2, 4.5, color)
		default:
			p.Circle(last.x2, last.y2, 3.5, svg.Paper, color, 1.6)
		}
	})
}

// mostLabelled is how many messages may be labelled with the ID that they are about: in a crowded picture
// labels hide more than they tell.
const mostLabelled = 80

// label writes which process a message is about, if there is room on its arrow.
func (p *picture) label(i int) {
	b := &p.beats[i]
	id := p.messageOf(b).Rank.ID
	if id == 0 || b.from == b.process {
		return
	}
	text := strconv.FormatUint(uint64(id), 10)
	half := p.letter * letterWidth * float64(len(text)) / 2
	for _, s := range p.ways[i] {
		var free []point
		for _, part := range []float64{0.3, 0.42, 0.54, 0.66, 0.2, 0.78} {
			free = append(free, s.at(part))
		}
		long := math.Hypot(s.x2-s.x1, s.y2-s.y1)
		for way := 12.0; way < long-18; way += 6 {
			free = append(free, s.at(way/long))
		}
		if at, cost := p.best(free, half+4, p.letter/2+1, i); cost == 0 {
			p.taken = append(p.taken, around(at, half+1, p.letter/2))
			p.on(at, `class="label"`, text)
			return
		}
	}
}

// best returns the first of some places at which something of half a width and a height covers the least,
// and how much that is. The arrow of its own beat does not count.
func (p *picture) best(places []point, wide, high float64, beat int) (best point, least int) {
	least = math.MaxInt
	for _, at := range places {
		if cost := p.covered(around(at, wide, high), beat); cost < least {
			best, least = at, cost
		}
	}
	return best, least
}

// covered returns how bad it is to draw something at a place.
func (p *picture) covered(at box, beat int) (cost int) {
	if at.x1 < 0 || at.x2 > p.width || at.y1 < p.at[0]-1.5*p.letter || at.y2 > p.bottom+lastRow {
		return 1000
	}
	for _, o := range p.taken {
		if at.overlaps(o) {
			cost += 50
		}
	}
	for q := range p.final {
		if x := p.x(q); !p.overview && at.x1 < x+4 && x-4 < at.x2 {
			cost += 10
		}
	}
	for i, way := range p.ways {
		for k := range way {
			if i != beat && way[k].crosses(at) {
				cost++
			}
		}
	}
	return cost
}

// violation frames the step at which the property does not hold.
func (p *picture) violation() {
	if p.trace.Header.Scenario.Property != "" && len(p.trace.Events) > 0 {
		i := p.lastStep()
		p.Put(`<rect class="violation" x="%v" y="%v" width="30" height="24" rx="5" fill="none" stroke="%v" `+
			`stroke-width="2.5"/>`, p.x(p.where[p.trace.Events[i].Process])-15, p.place[i]-12, svg.Red)
	}
}

// caption explains the numbered moments, and returns where it ends.
func (p *picture) caption(top float64) float64 {
	r := p.letter * letterWidth
	for i, m := range p.moments {
		text := p.time(p.trace.Events[m.event].At) + ": " + m.text
		if p.steps {
			text = "step " + text
		}
		p.number(point{edge + r + 1, top + p.letter*0.85}, i+1)
		top = p.words(edge+2*r+9, top+p.letter*0.1, p.letter, `fill="`+svg.Ink+`"`, text) + p.letter*0.25
	}
	return top + edge
}

func (p *picture) number(at point, n int) {
	p.Circle(at.x, at.y, p.letter*letterWidth, svg.Paper, svg.Ink, 1.2)
	p.Text(at.x, at.y+p.letter*0.35, p.letter, "middle", `class="number" fill="`+svg.Ink+`"`, strconv.Itoa(n))
}

// about describes the picture to readers who cannot see it: the result, the setting, the key moments, and the
// first lines of the log.
func (p *picture) about() string {
	parts := []string{p.headline(), p.setting()}
	for i, m := range p.moments {
		parts = append(parts, fmt.Sprintf("%d, at %s: %s", i+1, p.time(p.trace.Events[m.event].At), m.text))
	}
	return strings.Join(append(parts, p.log()), ". ") + "."
}

// last returns the time of the latest event.
func (t *Trace) last() (last time.Duration) {
	for i := range t.Events {
		last = max(last, t.Events[i].At)
	}
	return last
}

// unitOf returns the unit of time of the simulation, or of other drivers a round number close to the delay of a
// message.
func (t *Trace) unitOf(sent map[Ref]int) time.Duration {
	if t.Header.Driver == "sim" {
		return time.Second
	}
	var took []time.Duration
	for i := range t.Events {
		e := &t.Events[i]
		if s, ok := sent[e.From]; ok && e.Do == observe.Deliver {
			took = append(took, e.At-t.Events[s].At)
		}
	}
	if len(took) == 0 {
		return time.Millisecond
	}
	slices.SortFunc(took, cmp.Compare)
	return max(time.Duration(roundUp(float64(took[len(took)/2]))), time.Microsecond)
}

// roundUp returns the least of 1, 2, 5, 10, 20, 50, ... that is not below x.
func roundUp(x float64) float64 {
	if x <= 1 {
		return 1
	}
	decade := math.Pow(10, math.Floor(math.Log10(x)+1e-9))
	for _, step := range []float64{1, 2, 5} {
		if step*decade >= x*(1-1e-9) {
			return step * decade
		}
	}
	return 10 * decade
}

// ordered returns a trace in which the number of each step is its time, if it is of a run whose steps were
// given without times. Else it returns the trace itself.
func ordered(t *Trace) (*Trace, bool) {
	numbers := t.steps()
	if t.Header.Scenario.Schedule != "" || t.Header.Driver != "sim" || len(numbers) == 0 {
		return t, false
	}
	for i := range t.Events {
		e := &t.Events[i]
		if n, ok := numbers[e.Ref()]; ok && e.At != time.Duration(n-1)*time.Second {
			return t, false
		}
	}
	n := &Trace{Header: t.Header, Events: slices.Clone(t.Events)}
	last := 0
	for i := range n.Events {
		e := &n.Events[i]
		if number, ok := numbers[e.Ref()]; ok {
			last = number
		}
		e.At = time.Duration(last) * time.Second
	}
	return n, true
}
