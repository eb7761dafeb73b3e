package trace

import (
	"bufio"
	"fmt"
	"io"

	"github.com/go-election/election/observe"
)

// WriteLog writes a trace as text, a line for each event: when, which event of which process, and what it
// was. They stand by time, as far as the causal order allows. What was sent and not received stands at the
// end. The log and the pictures leave out the stopping of a timer that does not run.
func WriteLog(w io.Writer, t *Trace) error {
	s := newStory(t)
	times := s.timeWidth()
	return s.writeLines(w, func(_ *Event, when string) string { return fmt.Sprintf("%*s", times, when) })
}

// WriteSteps writes the log of a run whose steps were given, with the number of each step before what
// it brings; see [scenario.Step]. Times are left out unless timed is true.
func WriteSteps(w io.Writer, t *Trace, timed bool) error {
	s := newStory(t)
	times, numbers, last := s.timeWidth(), t.steps(), 0
	return s.writeLines(w, func(e *Event, when string) string {
		label := ""
		if when != atEnd {
			n := numbers[e.Ref()]
			if n != last && n > 0 {
				label = fmt.Sprintf("%d.", n)
			}
			last = n
		}
		switch {
		case timed:
			return fmt.Sprintf("%5s%*s", label, times, when)
		case when == atEnd:
			label = atEnd
		}
		return fmt.Sprintf("%5s", label)
	})
}

// steps returns the number of the step that brought an event. What processes do as they begin, come
// back or go on after a pause belongs to no step.
func (t *Trace) steps() map[Ref]int {
	number := make(map[Ref]int)
	count := 0
	counts := false // what the process does now belongs to a step
	for i := range t.Events {
		e := &t.Events[i]
		if !e.Do.Effect() {
			if counts = e.step(); counts {
				count++
			}
		}
		if counts {
			number[e.Ref()] = count
		}
	}
	return number
}

// step reports whether the event begins a step of a run.
func (e *Event) step() bool {
	switch e.Do {
	case observe.Init, observe.Rejoin, observe.Pause, observe.Resume:
		return false
	case observe.Crash:
		return e.Seq > 1 // else the process is down from the beginning
	}
	return !e.Do.Effect()
}

const (
	atEnd         = "end"
	leastTimeWide = 10
)

// timeWidth returns the width of the column of times.
func (s *story) timeWidth() int {
	width := leastTimeWide
	for i := range s.trace.Events {
		width = max(width, len(s.time(s.trace.Events[i].At)))
	}
	return width
}

// writeLines writes the lines of the log. begin returns what stands before the name of the event, which
// happened at the time when, or was sent and not received until the end.
func (s *story) writeLines(w io.Writer, begin func(e *Event, when string) string) error {
	t := s.trace
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, s.title())
	width := 0 // of names
	for i := range t.Events {
		width = max(width, len(t.Events[i].Ref().String()))
	}
	line := func(e *Event, when, text string) {
		fmt.Fprintf(b, "%s  %*s  %s\n", begin(e, when), width, e.Ref(), text)
	}
	// Events without a beat are not shown. Beats are in the order of their events, so one index is enough.
	next := 0
	for i := range t.Events {
		e := &t.Events[i]
		if _, known := s.where[e.Peer]; e.Do == observe.Send && known {
			line(e, s.time(e.At), fmt.Sprintf("sends %s to %d", s.messageText(&e.Message), e.Peer))
		} else if next < len(s.beats) && s.beats[next].event == i {
			line(e, s.time(e.At), s.line(&s.beats[next]))
			next++
		}
	}
	// What is left are the messages that no process has received. newStory has put them at the end.
	for i := range s.beats[next:] {
		late := &s.beats[next+i]
		line(&t.Events[late.sent], atEnd, fmt.Sprintf("%s to %s is not received", late.text,
			s.id(late.process)))
	}
	return b.Flush()
}

// line returns the words for something that is not a sending.
func (s *story) line(b *beat) string {
	if !b.message() {
		return b.text
	}
	sent := ""
	if b.sent != none {
		sent = fmt.Sprintf(" (%s)", s.trace.Events[b.sent].Ref())
	}
	if b.fate == lost {
		return fmt.Sprintf("loses %s from %s to %s%s", b.text, s.id(b.from), s.id(b.process), sent)
	}
	return fmt.Sprintf("receives %s from %s%s", b.text, s.id(b.from), sent)
}
