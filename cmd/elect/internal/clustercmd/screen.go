package clustercmd

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/cluster"
	"github.com/go-election/election/lab/svg"
)

// screen is one picture of a cluster on a terminal.
type screen struct {
	cluster.State
	events []cluster.Event
	period time.Duration // how long a lease lasts
	next   string        // what happens next, or the result of the last key
	ended  bool          // it is the last picture: no key works
	paint  func(colour, text string) string
}

// statusWide is the width of the longest status, such as "killed, 749 ms left".
const statusWide = 19

// text returns the lines of the screen, none of which is wider than this from 50 columns on.
func (s *screen) text(columns int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  lease %s  %s\n\n", prose.Plural(len(s.Members), "process"), brief(s.period), s.verdict())
	// The last column stays empty, since some terminals wrap after it.
	wide := max(columns-1-len("a ")-len(" ")-statusWide, 1)
	c := chart{first: max(s.cell(s.At)-wide+1, 0), last: s.cell(s.At), screen: s}
	for i, l := range lanes(len(s.Members), s.events, s.Leases) {
		fmt.Fprintf(&b, "%s %s%s %s\n", s.paint(terminal.Bold, l.name), c.row(&l),
			strings.Repeat(" ", max(wide-1-c.last+c.first, 0)), s.status(&l, s.Members[i].Leader))
	}
	fmt.Fprintf(&b, "  %-*s %s\n\n", wide, c.gaps(), s.paint(terminal.Dim, fmt.Sprintf("%.1f s", s.At.Seconds())))
	news := ""
	for _, e := range s.events {
		if e.What != "ends" {
			news = e.Words()
		}
	}
	fmt.Fprintln(&b, clipped(news, columns-1))
	if !s.ended {
		fmt.Fprintf(&b, "%s\n\n%s\n", s.paint(terminal.Bold, clipped(s.next, columns-1)), keyHelp)
	}
	return b.String()
}

// verdict judges the leases so far.
func (s *screen) verdict() string {
	sum := cluster.Summary{Leases: s.Leases}
	switch err := sum.Err(); {
	case errors.Is(err, cluster.ErrNoLease):
		return "no leader yet"
	case errors.Is(err, cluster.ErrTwoLeases):
		return s.paint(terminal.Red, "two leaders ✗")
	case err != nil:
		return s.paint(terminal.Red, "a smaller Term ✗")
	}
	return s.paint(terminal.Green, "one leader at a time ✓")
}

// perLease is how many columns a lease has.
const perLease = 4

// cell returns the column of a time.
func (s *screen) cell(t time.Duration) int { return int(t * perLease / s.period) }

// status returns what a member does at present.
func (s *screen) status(l *lane, follows string) string {
	t := l.last(s.At)
	words, colour := map[string]string{"kill": "killed", "term": "ended", "ended": "ended", "stop": "frozen", "cut": "cut off"}[t.what],
		terminal.Red
	lease := l.lease(s.At)
	switch {
	case t.is == cluster.Up && lease != nil:
		return s.paint(terminal.Green, "leads, "+brief(lease.until-s.At)+" left")
	case t.is == cluster.Up && follows == "":
		return s.paint(terminal.Dim, "no leader")
	case t.is == cluster.Up:
		return s.paint(terminal.Dim, "follows "+follows)
	case lease != nil:
		return s.paint(terminal.Amber, strings.TrimSuffix(words, " off")+", "+brief(lease.until-s.At)+" left")
	case t.at < 1000*time.Second:
		return s.paint(colour, fmt.Sprintf("%s at %.1f s", words, t.at.Seconds()))
	}
	return s.paint(colour, fmt.Sprintf("%s at %.0f s", words, t.at.Seconds()))
}

// chart is the part of the screen that moves: the columns from first to last.
type chart struct {
	first, last int
	*screen
}

// Signs of a member's line.
var (
	lines = map[cluster.Condition]string{cluster.Up: "─", cluster.Down: " ", cluster.Stopped: "·", cluster.Cut: "┄"}
	marks = map[string]string{"kill": "✗", "term": "↓", "ended": "✗", "stop": "‖", "cut": "╱"}
)

const (
	leadSign = "▇"
	lostSign = "░" // the leader cannot renew its lease, which is still valid
)

// row returns the line of a member.
func (c *chart) row(l *lane) string {
	marked := make(map[int]string)
	for _, t := range l.turns {
		if sign := marks[t.what]; sign != "" {
			marked[c.cell(t.at)] = sign
		}
	}
	var b strings.Builder
	for i := c.first; i <= c.last; i++ {
		// A column shows what holds in its middle, so that no two members have a lease in the same one.
		at := min(c.period*time.Duration(2*i+1)/(2*perLease), c.At)
		lease := l.lease(at)
		switch sign := marked[i]; {
		case sign != "":
			b.WriteString(c.paint(terminal.Red, sign))
		case lease != nil && at < lease.lost:
			b.WriteString(c.paint(terminal.Green, leadSign))
		case lease != nil:
			b.WriteString(c.paint(terminal.Amber, lostSign))
		default:
			b.WriteString(c.paint(terminal.Dim, lines[l.last(at).is]))
		}
	}
	return b.String()
}

// gaps returns the line below the members: how long it took to replace each leader, below the gap.
func (c *chart) gaps() string {
	line := []rune(strings.Repeat(" ", c.last-c.first+1))
	end := len(line) // of the room that is left of the gaps that are later
	all := gaps(c.Leases)
	for i := len(all) - 1; i >= 0; i-- {
		text := []rune(all[i].text)
		middle := (c.cell(all[i].from) + c.cell(all[i].until)) / 2
		at := min(middle-c.first-len(text)/2, len(line)-len(text))
		if at >= 0 && at+len(text) <= end {
			copy(line[at:], text)
			end = at - 1
		}
	}
	return string(line)
}

// brief writes a time in as many digits as matter.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return svg.Num(d.Seconds()) + " s"
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
}

// clipped returns what fits of a text.
func clipped(text string, width int) string {
	if r := []rune(text); len(r) > width {
		return string(r[:max(width-1, 0)]) + "…"
	}
	return text
}
