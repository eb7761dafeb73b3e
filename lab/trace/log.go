package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// WriteLog writes a trace as text, a line for each event: when, which event of which process, and what it
// was. They stand by time, as far as the causal order allows. What was sent and not received stands at the
// end. The log and the pictures leave out the stopping of a timer that does not run.
func WriteLog(w io.Writer, t *Trace) error { return WriteSelected(w, t, Selection{}) }

// Selection selects lines of a log. The zero value selects all.
type Selection struct {
	Processes []election.ID // only events of these; if nil, of all
	Kinds     []string      // only messages of these kinds; if nil, all, and what is no message
	From      time.Duration // nothing before
	Until     time.Duration // nothing after; if zero, to the end
}

// Check returns an error that wraps [election.ErrInput] if a Selection names what a trace does not have.
func (s *Selection) Check(h *Header) error {
	for _, id := range s.Processes {
		if !slices.Contains(h.Scenario.IDs, id) {
			return input.Errorf("process: %d is not a process of this run", id)
		}
	}
	for _, kind := range s.Kinds {
		if !slices.Contains(h.Kinds, kind) && kind != catchUp {
			return input.Errorf("kind: the run has no messages %.60q, only %s", kind,
				strings.Join(h.Kinds, ", "))
		}
	}
	if s.Until != 0 && s.Until < s.From {
		return input.Errorf("until: %s is before %s", short(s.Until), short(s.From))
	}
	return nil
}

// selects reports whether an event of the story has a line. message is what is sent or arrives, or nil.
func (s *Selection) selects(e *Event, message *election.Message, names *names) bool {
	switch {
	case s.Processes != nil && !slices.Contains(s.Processes, e.Process),
		e.At < s.From, s.Until != 0 && e.At > s.Until:
		return false
	case s.Kinds != nil:
		return message != nil && slices.Contains(s.Kinds, names.name(message.Kind))
	}
	return true
}

// WriteSelected writes the selected lines of the log, each with the number that it has in the whole.
func WriteSelected(w io.Writer, t *Trace, selection Selection) error {
	s := newStory(t)
	s.selection = selection
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
// back or resume after a pause belongs to no step.
func (t *Trace) steps() map[Ref]int {
	number := make(map[Ref]int)
	count := 0
	counts := false // what the process does now belongs to a step
	type end struct {
		process election.ID
		port    election.Port
	}
	cut, over := make(map[end]bool), make(map[Ref]bool) // links that are cut now, and messages that were sent over them
	for i := range t.Events {
		e := &t.Events[i]
		switch e.Do {
		case observe.Cut, observe.Heal:
			cut[end{e.Process, e.Port}] = e.Do == observe.Cut
		case observe.Send:
			if cut[end{e.Process, e.Port}] {
				over[e.Ref()] = true
			}
		}
		switch before := &t.Events[max(i-1, 0)]; {
		case e.Do.Effect() || t.Header.continues(e):
		case i > 0 && (e.Do == observe.Cut || e.Do == observe.Heal) && before.Do == e.Do && before.At == e.At:
			// Each link is an event, and the cut of all of them one step.
		case e.Do == observe.Lose && over[e.From]:
			// It was lost as it was sent.
		default:
			if counts = t.Header.step(e); counts {
				count++
			}
		}
		if counts {
			number[e.Ref()] = count
		}
	}
	return number
}

// continues reports whether the event is a command of a list that has begun before: the list is one step.
func (h *Header) continues(e *Event) bool {
	kind := h.command(&e.Message)
	return e.Do == observe.Command && kind != nil && kind.Listed && e.Message.Value > 0
}

// step reports whether the event begins a step of a run.
func (h *Header) step(e *Event) bool {
	switch e.Do {
	case observe.Command: // a wish belongs to the beginning or a return
		kind := h.command(&e.Message)
		return kind == nil || !kind.Wish
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
	s.lines(func(e *Event, message *election.Message, when, text string) bool {
		if s.selection.selects(e, message, s.names) {
			fmt.Fprintf(b, "%s  %*s  %s\n", begin(e, when), width, e.Ref(), text)
		}
		return true
	})
	return b.Flush()
}

// log quotes the first lines of the log.
func (s *story) log() string { return "The log begins: " + strings.Join(s.quoted(), "; ") }

// mostQuoted is how many lines of the log the description of a picture has.
const mostQuoted = 8

// quoted returns the first lines of the log, each with its time and process, without what tells little: that a
// process begins, saves its state, or is undecided.
func (s *story) quoted() (all []string) {
	s.lines(func(e *Event, _ *election.Message, when, text string) bool {
		switch {
		case e.Do == observe.Init || e.Do == observe.Rejoin || e.Do == observe.Save,
			e.Do == observe.Decide && e.Outcome.Role == election.Undecided:
		default:
			all = append(all, fmt.Sprintf("%s: %d %s", when, e.Process, text))
		}
		return len(all) < mostQuoted
	})
	return all
}

// lines calls line for each line of the log until that returns false: with the event, the message that is
// sent or arrives, or nil, when that was, and the words of the line.
func (s *story) lines(line func(e *Event, message *election.Message, when, text string) bool) {
	t := s.trace
	// Events without a beat are not shown. Beats are in the order of their events, so one index is enough.
	next := 0
	for i := range t.Events {
		e := &t.Events[i]
		if _, known := s.where[e.Peer]; e.Do == observe.Send && known {
			if !line(e, &e.Message, s.time(e.At), fmt.Sprintf("sends %s to %d", s.messageText(&e.Message),
				e.Peer)) {
				return
			}
		} else if next < len(s.beats) && s.beats[next].event == i {
			if !line(e, s.messageOf(&s.beats[next]), s.time(e.At), s.line(&s.beats[next])) {
				return
			}
			next++
		}
	}
	// What is left are the messages that no process has received. newStory has put them at the end.
	for i := range s.beats[next:] {
		late := &s.beats[next+i]
		sent := &t.Events[late.sent]
		if !line(sent, &sent.Message, atEnd, fmt.Sprintf("%s to %s is not received", late.text,
			s.id(late.process))) {
			return
		}
	}
}

// messageOf returns the message of a beat, nil if it has none.
func (s *story) messageOf(b *beat) *election.Message {
	e := &s.trace.Events[b.event]
	switch {
	case b.sent != none:
		return &s.trace.Events[b.sent].Message
	case e.Do == observe.Deliver || e.Do == observe.Send:
		return &e.Message
	}
	return nil
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
