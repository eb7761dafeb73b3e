package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/go-election/election/internal/prose"
)

// isTerminal reports whether somebody may be looking at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// wantsColour follows no-color.org.
func wantsColour(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// The colours, as terminals know them.
const (
	bold  = "1"
	red   = "31"
	green = "32"
)

func (a *app) paint(colour, text string) string {
	if !a.colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// meter shows on one line of a terminal how far a long run is.
type meter struct {
	w     io.Writer
	begin time.Time
	shown time.Time // when it was last drawn; zero if it never was
}

const (
	meterPatience = time.Second            // nothing is shown of what takes less
	meterPause    = 100 * time.Millisecond // between two drawings
)

// newMeter returns nil where nobody would see it.
func (a *app) newMeter() *meter {
	if !a.progress {
		return nil
	}
	return &meter{w: a.stderr, begin: time.Now()}
}

// show draws the messages delivered so far.
func (m *meter) show(delivered uint64) {
	m.draw(func(seconds float64) string {
		return fmt.Sprintf("%s messages in %.0f s, %s a second", prose.Grouped(delivered), seconds, prose.Grouped(uint64(float64(delivered)/seconds)))
	})
}

// draw draws a line, unless it is too early.
func (m *meter) draw(line func(seconds float64) string) {
	now := time.Now()
	if m == nil || now.Sub(m.begin) < meterPatience || now.Sub(m.shown) < meterPause {
		return
	}
	m.shown = now
	fmt.Fprintf(m.w, "\r%s\x1b[K", line(now.Sub(m.begin).Seconds()))
}

// clear removes the line.
func (m *meter) clear() {
	if m != nil && !m.shown.IsZero() {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
