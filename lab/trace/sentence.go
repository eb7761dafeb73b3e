package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/observe"
)

// Sentences describes the steps of a trace in the words of the log.
type Sentences struct {
	story *story
	first []int  // event of each step, which step 1 begins; the last is behind all
	shown []bool // whether an event is worth a word

	leases *leases // nil if the algorithm has none
}

// NewSentences prepares the sentences of a trace that does not change.
func NewSentences(t *Trace) *Sentences {
	t = grouped(t)
	s := &Sentences{story: t.words(), shown: make([]bool, len(t.Events))}
	s.story.settle()
	run, commands := make(running), make(listing)
	for i := range t.Events {
		if list, _ := commands.add(&t.Header, &t.Events[i]); list != nil {
			s.story.lists[t.Events[i].Ref()] = list
		}
		if !t.Events[i].Do.Effect() {
			s.first = append(s.first, i)
		}
		s.shown[i] = run.changes(&t.Events[i]) && (t.Events[i].Do != observe.Decide || s.story.changed[i])
	}
	s.first = append(s.first, len(t.Events))
	if s.leases = s.story.leases(); s.leases != nil {
		if film, err := NewFilm(t); err == nil {
			s.leases.lend(Loans(t, film))
		}
	}
	return s
}

// Of returns a sentence for each of the steps from one number to another, inclusive, as a [Film] numbers
// them. Steps that the trace does not have are left out. Of an algorithm with leases a sentence tells the purpose of
// a step, such as whose vote is lent to whom and until when; see [Sentences.Wire].
func (s *Sentences) Of(from, to int) []string {
	sentences := s.Wire(from, to)
	if s.leases == nil {
		return sentences
	}
	for i := range sentences {
		if text := s.leases.sentence(s.first[max(from, 1)+i-1]); text != "" {
			sentences[i] = text
		}
	}
	return sentences
}

// Wire returns the same sentences with the fields of messages, in the words of the log.
func (s *Sentences) Wire(from, to int) []string {
	sentences := []string{}
	for step := max(from, 1); step <= min(to, len(s.first)-1); step++ {
		var shown []int
		for i := s.first[step-1]; i < s.first[step]; i++ {
			if s.shown[i] {
				shown = append(shown, i)
			}
		}
		sentences = append(sentences, s.story.sentence(s.first[step-1], shown))
	}
	return sentences
}

// words returns a story that has only what words need.
func (t *Trace) words() *story {
	s := &story{trace: t, decimals: fewDecimals, clocks: t.Header.clocks(), where: make(map[election.ID]int), names: newNames(t.Header.Kinds),
		lists: make(map[Ref][]string)}
	for p, id := range t.Header.Scenario.IDs {
		s.where[id] = p
	}
	return s
}

// sentence describes a step, of which these events are worth a word.
func (s *story) sentence(first int, shown []int) string {
	t := s.trace
	e := &t.Events[first]
	var parts []string
	if sent := s.sending(e); sent != nil {
		parts = append(parts, fmt.Sprintf("%s from %d to %d %s", s.messageText(&sent.Message), sent.Process,
			sent.Peer, fates[e.Do]))
	} else {
		parts = append(parts, s.subject(e)+s.said(e))
	}
	for k := 0; k < len(shown); k++ {
		next := &t.Events[shown[k]]
		switch {
		case shown[k] == first || next.Do == observe.Save:
			continue
		case next.Do != observe.Send:
			parts = append(parts, s.said(next))
			continue
		}
		if n, to := s.alike(shown[k:]); n > 0 {
			parts = append(parts, fmt.Sprintf("sends %d %s messages to %s", n, s.messageText(&election.Message{
				Kind: next.Message.Kind}), several(to)))
			k += n - 1
			continue
		}
		// What goes to several processes is one part.
		var to []string
		for ; k < len(shown); k++ {
			also := &t.Events[shown[k]]
			if also.Do != observe.Send || also.Message != next.Message || !s.known(also.Peer) {
				break
			}
			to = append(to, fmt.Sprint(also.Peer))
		}
		k--
		if len(to) == 0 {
			k++
			parts = append(parts, s.said(next))
			continue
		}
		parts = append(parts, fmt.Sprintf("sends %s to %s", s.messageText(&next.Message), several(to)))
	}
	return strings.Join(parts, "; ")
}

// mostMessages is how many messages of one kind a sentence tells apart.
const mostMessages = 3

// alike returns how many of the events, from the first on, send messages of one kind, and to which processes. It
// returns zero if the sentence has room for each of these messages.
func (s *story) alike(events []int) (n int, to []string) {
	first, different := &s.trace.Events[events[0]].Message, 1
	for last := first; n < len(events); n++ {
		e := &s.trace.Events[events[n]]
		if e.Do != observe.Send || e.Message.Kind != first.Kind || !s.known(e.Peer) {
			break
		}
		if e.Message != *last {
			different++
		}
		last = &e.Message
		if peer := fmt.Sprint(e.Peer); !slices.Contains(to, peer) {
			to = append(to, peer)
		}
	}
	if different <= mostMessages {
		return 0, nil
	}
	return n, to
}

// several names processes, or counts them if they are many.
func several(ids []string) string {
	if len(ids) > 6 {
		return prose.Plural(len(ids), "process")
	}
	return listed(ids)
}

// subject returns the beginning of a sentence about something that happens to a process.
func (s *story) subject(e *Event) string {
	if e.Do == observe.Timeout { // then the timer does something
		return fmt.Sprintf("at %d ", e.Process)
	}
	return fmt.Sprintf("%d ", e.Process)
}

// fates are what may happen to a message on its way.
var fates = map[observe.What]string{observe.Lose: "is lost", observe.Duplicate: "is doubled",
	observe.Delay: "is delayed"}

// sending returns the event that sent the message to which something happens on its way; nil if it is not
// known, or if this is nothing of the kind.
func (s *story) sending(e *Event) *Event {
	if fates[e.Do] == "" || e.From == (Ref{}) {
		return nil
	}
	i := slices.IndexFunc(s.trace.Events, func(o Event) bool { return o.Ref() == e.From })
	if i < 0 || !s.known(s.trace.Events[i].Peer) {
		return nil
	}
	return &s.trace.Events[i]
}

// said returns what a process does, without the name of the process.
func (s *story) said(e *Event) string {
	switch {
	case e.Do == observe.Send && s.known(e.Peer):
		return fmt.Sprintf("sends %s to %d", s.messageText(&e.Message), e.Peer)
	case e.Do == observe.Deliver && s.known(e.Peer):
		return fmt.Sprintf("receives %s from %d", s.messageText(&e.Message), e.Peer)
	}
	return s.markText(e)
}
