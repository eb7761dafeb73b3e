package trace

import (
	"bufio"
	"fmt"
	"io"
)

// WriteLog writes a trace as text, a line for each event: when, which event of which process, and
// what it was. They stand by time, as far as the causal order allows. What was sent and not received stands at the end. That a timer is stopped which does
// not run is left out, here and in the pictures.
func WriteLog(w io.Writer, t *Trace) error {
	s := newStory(t)
	t = s.trace
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, s.title())
	width, wide := 0, 10 // of names, and of times
	for i := range t.Events {
		wide = max(wide, len(s.time(t.Events[i].At)))
		width = max(width, len(t.Events[i].Ref().String()))
	}
	next := 0 // the beat of the next event that has one
	for i := range t.Events {
		e := &t.Events[i]
		text := ""
		if _, known := s.where[e.Peer]; e.Do == Send && known {
			text = fmt.Sprintf("sends %s to %d", s.says(&e.Message), e.Peer)
		} else if next < len(s.beats) && s.beats[next].event == i {
			text = s.told(&s.beats[next])
			next++
		} else {
			continue
		}
		fmt.Fprintf(b, "%*s  %*s  %s\n", wide, s.time(e.At), width, e.Ref(), text)
	}
	for i := range s.beats[next:] {
		late := &s.beats[next+i]
		fmt.Fprintf(b, "%*s  %*s  %s to %s is not received\n", wide, "end", width, t.Events[late.sent].Ref(), late.text, s.id(late.process))
	}
	return b.Flush()
}

// told returns the words for something that is not a sending.
func (s *story) told(b *beat) string {
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
