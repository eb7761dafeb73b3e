package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-election/election/internal/prose"
)

// Meter shows the progress of a long run on one line of a terminal.
type Meter struct {
	w     io.Writer
	begin time.Time
	shown time.Time // when it was last drawn; zero if it never was
}

const (
	meterPatience = time.Second            // shorter work shows no progress
	meterPause    = 100 * time.Millisecond // between two drawings
)

// NewMeter returns a meter of work that has begun at a time.
func NewMeter(w io.Writer, begin time.Time) *Meter { return &Meter{w: w, begin: begin} }

// Show draws the messages delivered so far.
func (m *Meter) Show(delivered uint64) {
	m.Draw(func(seconds float64) string {
		return fmt.Sprintf("%s messages in %.0f s, %s a second", prose.Grouped(delivered), seconds,
			prose.Grouped(uint64(float64(delivered)/seconds)))
	})
}

// Draw draws a line, unless the last is too recent. If the terminal is too narrow, it leaves out the last parts of
// the line, which commas separate: a line that wraps could not be overwritten.
func (m *Meter) Draw(line func(seconds float64) string) {
	now := time.Now()
	if m == nil || now.Sub(m.begin) < meterPatience || now.Sub(m.shown) < meterPause {
		return
	}
	m.shown = now
	columns, _ := Size(m.w)
	fmt.Fprintf(m.w, "\r%s\x1b[K", fitted(line(now.Sub(m.begin).Seconds()), columns-1))
}

// fitted returns as many parts of a line as fit.
func fitted(line string, width int) string {
	for utf8.RuneCountInString(line) > width {
		at := strings.LastIndex(line, ", ")
		if at < 0 {
			return string([]rune(line)[:max(width, 0)])
		}
		line = line[:at]
	}
	return line
}

// Clear removes the line.
func (m *Meter) Clear() {
	if m != nil && !m.shown.IsZero() {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}

// Count shows the number of things done, and the number of all if that is known.
func (m *Meter) Count(done, of int, things string) {
	total := ""
	if of > 0 {
		total = " of " + prose.Grouped(uint64(of))
	}
	m.Draw(func(seconds float64) string {
		return fmt.Sprintf("%s%s %s in %.0f s", prose.Grouped(uint64(done)), total, things, seconds)
	})
}
