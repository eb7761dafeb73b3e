package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// The largest trace of which a picture is made.
const (
	MostProcesses = 12
	MostMessages  = 200
	MostLanes     = 1024  // processes of an overview
	MostArrows    = 20000 // messages of an overview
)

// ErrTooLarge is wrapped by the error that refuses a picture of a trace that is too large for one.
// It wraps [election.ErrInput].
var ErrTooLarge = input.Errorf("too large for a picture")

// counts returns how many messages and other events are shown.
func (s *story) counts() (messages, marks int) {
	for i := range s.beats {
		if s.beats[i].message() {
			messages++
		}
	}
	return messages, len(s.beats) - messages
}

// drawable returns an error if there is too much to be drawn with words.
func (s *story) drawable() error {
	messages, marks := s.counts()
	n := len(s.trace.Header.Scenario.IDs)
	if n <= MostProcesses && messages <= MostMessages && marks <= 5*MostMessages {
		return nil
	}
	return fmt.Errorf("%w: %d processes, %d messages and %d other events, at most %d, %d and %d are "+
		"legible; the log shows all",
		ErrTooLarge, n, messages, marks, MostProcesses, MostMessages, 5*MostMessages)
}

// WriteMermaid writes a trace as a sequence diagram for Mermaid, which draws it on many web pages.
// A message stands where it arrives, with the number of the step that brings it, as in the log of a run
// whose steps were given. One that does not arrive has none. A trace that is too large gives [ErrTooLarge].
func WriteMermaid(w io.Writer, t *Trace) error {
	s := newStory(t)
	if err := s.drawable(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "sequenceDiagram\n    %%%% %s\n", s.title())
	for p := range t.Header.Scenario.IDs {
		fmt.Fprintf(b, "    participant p%s as %[1]s\n", s.id(p))
	}
	s.beats = slices.DeleteFunc(s.beats, func(b beat) bool { return !b.message() && !s.notable(&b) })
	overtaken := make(map[int]string) // by the event of the message that overtakes
	for _, m := range s.overtakings() {
		overtaken[m.event] = m.text
	}
	steps, next := s.trace.steps(), none // the number that Mermaid would give to the next arrow
	for i := 0; i < len(s.beats); {
		beat := &s.beats[i]
		if !beat.message() {
			i += s.note(b, s.beats[i:])
			continue
		}
		arrow, fate := "->>", ""
		switch beat.fate {
		case lost:
			arrow, fate = "--x", " (lost)"
		case unreceived:
			arrow, fate = "--)", " (not received)"
		}
		if beat.fate == unreceived {
			if next != 0 {
				fmt.Fprintln(b, "    autonumber off")
			}
			next = 0
		} else {
			n := steps[s.trace.Events[beat.event].Ref()]
			if n != next {
				fmt.Fprintf(b, "    autonumber %d\n", n)
			}
			next = n + 1
		}
		fmt.Fprintf(b, "    p%s%sp%s: %s%s\n", s.id(beat.from), arrow, s.id(beat.process), beat.text, fate)
		if text := overtaken[beat.event]; text != "" {
			fmt.Fprintf(b, "    Note over p%s,p%s: %s\n", s.id(beat.from), s.id(beat.process), text)
		}
		i++
	}
	return b.Flush()
}

// notable reports whether a mark is worth a note: not what is only bookkeeping, nor a decision again.
func (s *story) notable(b *beat) bool {
	e := &s.trace.Events[b.event]
	if e.Do == observe.Decide {
		return s.changed[b.event]
	}
	return matters(e)
}

// note writes a mark, or several of one process, or several marks with the same words of different
// processes. It returns how many.
func (s *story) note(b *bufio.Writer, beats []beat) int {
	first := &beats[0]
	texts := []string{first.text}
	// Mermaid draws every note as a row of its own. Joined notes keep a diagram short.
	for i := 1; i < len(beats) && !beats[i].message() && beats[i].process == first.process; i++ {
		texts = append(texts, beats[i].text)
	}
	if len(texts) > 1 {
		fmt.Fprintf(b, "    Note over p%s: %s\n", s.id(first.process), strings.Join(texts, "<br/>"))
		return len(texts)
	}
	ids, seen := []string{}, map[int]bool{}
	least, most := first.process, first.process
	for i := range beats {
		m := &beats[i]
		if m.message() || m.text != first.text || seen[m.process] ||
			i+1 < len(beats) && !beats[i+1].message() && beats[i+1].process == m.process {
			break
		}
		seen[m.process] = true
		ids = append(ids, s.id(m.process))
		least, most = min(least, m.process), max(most, m.process)
	}
	if len(ids) == 1 {
		fmt.Fprintf(b, "    Note over p%s: %s\n", ids[0], first.text)
		return 1
	}
	fmt.Fprintf(b, "    Note over p%s,p%s: %s (%s)\n", s.id(least), s.id(most), first.text,
		strings.Join(ids, ", "))
	return len(ids)
}
