package trace

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// story is a trace as people see it: messages and marks, by time as far as the causal order allows. All
// that is shown of a trace is shown from it.
type story struct {
	trace *Trace
	where map[election.ID]int
	names *names
	sends map[Ref]int // where each sending stands
	beats []beat

	decimals int // of times

	selection Selection // of the lines of a log

	lists map[Ref][]string // that commands name, by the last command of each

	steps   bool         // the time of an event is the number of its step
	changed map[int]bool // which decisions change what a process believes
	back    map[Ref]bool // which of these take a decision back
	lost    map[int]bool // and which of these end a lead
	lent    []Loan       // votes, for pictures and words
	clocks  *scenario.Clocks
	roles   map[election.Role]bool // which there are at any time
	final   []election.Outcome     // of each process, at the end
	down    []bool                 // which processes are
	since   []time.Duration        // when each took its last role, whatever its Term since
}

// fate is what became of a message.
type fate uint8

const (
	delivered fate = iota
	lost
	unreceived // no process has received it by the end of the trace
)

// beat is one thing that is shown: a message, or a mark at a process.
type beat struct {
	event   int // of the trace: the mark, the receipt or the loss
	sent    int // the sending of a message; none if it is not known
	process int // whose mark it is, or the receiver of the message
	from    int // the sender of the message; noProcess for a mark
	fate    fate
	text    string // the message or the mark in words
}

// What is not known, or is not there.
const (
	none      = -1 // an event
	noProcess = -1
)

func (b *beat) message() bool { return b.from != noProcess }

func newStory(t *Trace) *story {
	t = byTime(t)
	s := &story{trace: t, decimals: t.decimals(), clocks: t.Header.clocks(), where: make(map[election.ID]int),
		names: newNames(t.Header.Kinds), sends: make(map[Ref]int), lists: make(map[Ref][]string)}
	for p, id := range t.Header.Scenario.IDs {
		s.where[id] = p
	}
	s.settle()
	due := make(map[Ref]int) // how often each message is still to arrive
	run, commands := make(running), make(listing)
	for i := range t.Events {
		e := &t.Events[i]
		list, more := commands.add(&t.Header, e)
		if more {
			continue // shown with the last one of the list
		}
		if list != nil {
			s.lists[e.Ref()] = list
		}
		switch e.Do {
		case observe.Send:
			// Duplicates raise this number, arrivals and losses lower it. What is left at the end has not
			// been received.
			s.sends[e.Ref()], due[e.Ref()] = i, 1
		case observe.Deliver, observe.Lose:
			due[e.From]--
			s.arrives(i, e)
			continue
		case observe.Duplicate:
			due[e.From]++
		}
		if _, known := s.where[e.Peer]; e.Do == observe.Send && known {
			continue // shown when it arrives
		}
		if !run.changes(e) {
			continue
		}
		s.beats = append(s.beats, beat{event: i, sent: none, process: s.where[e.Process], from: noProcess,
			text: s.markText(e)})
	}
	for i := range t.Events {
		e := &t.Events[i]
		if to, known := s.where[e.Peer]; e.Do == observe.Send && known {
			for range due[e.Ref()] {
				s.beats = append(s.beats, beat{event: i, sent: i, process: to, from: s.where[e.Process],
					fate: unreceived, text: s.messageText(&e.Message)})
			}
		}
	}
	return s
}

// running are the timers that run: process, layer, timer.
type running map[[3]uint64]bool

// changes notes what happens to timers, and reports whether that is worth a mark: to stop one that does
// not run is not.
func (r running) changes(e *Event) bool {
	key := [3]uint64{uint64(e.Process), uint64(e.Layer), uint64(e.Timer)}
	was := r[key]
	switch e.Do {
	case observe.Set:
		r[key] = true
	case observe.Timeout:
		delete(r, key)
	case observe.Stop:
		delete(r, key)
		return was
	case observe.StopAll, observe.Crash:
		before := len(r)
		maps.DeleteFunc(r, func(k [3]uint64, _ bool) bool {
			return k[0] == key[0] &&
				(k[1] == key[1] || e.Do == observe.Crash)
		})
		return e.Do == observe.Crash || len(r) < before
	}
	return true
}

// arrives adds a message that is received or lost.
func (s *story) arrives(i int, e *Event) {
	b := beat{event: i, sent: none, process: s.where[e.Process],
		text: s.messageText(&e.Message)}
	if e.Do == observe.Lose {
		b.fate = lost
	}
	sent, known := s.sends[e.From]
	from, peer := s.where[e.Peer]
	switch {
	case known:
		was := &s.trace.Events[sent]
		b.sent, b.from, b.process, b.text = sent, s.where[was.Process], s.where[was.Peer],
			s.messageText(&was.Message)
	case peer:
		b.from = from
	default:
		b.from, b.text = noProcess, s.markText(e)
	}
	s.beats = append(s.beats, b)
}

// messageText returns a message in words.
func (s *story) messageText(m *election.Message) string {
	kind := election.Kind{Name: s.names.name(m.Kind)}
	if i := int(m.Kind) - 1; i >= 0 && i < len(s.trace.Header.Names) {
		n := &s.trace.Header.Names[i]
		kind.ID, kind.Priority = n.ID, n.Priority
		kind.Round, kind.Value, kind.Flags, kind.Marks = n.Round, n.Value, n.Flags, n.Marks
	}
	return MessageText(kind, m)
}

// Names of fields that are not plain numbers.
const (
	nanoseconds  = "nanoseconds"  // a length of time, which is said in units
	milliseconds = "milliseconds" // likewise
	label        = "label"        // of a set of voters
	hash         = "hash"         // which is left out
)

// labelText returns the label of a set of voters in words: the Term of the leader that wrote it, and the number
// of its step.
func labelText(label uint64) string {
	const stepBits, wish = 10, 1 << 63
	if label&wish != 0 {
		return "wish"
	}
	return fmt.Sprintf("label %d.%d", label>>stepBits, label&(1<<stepBits-1))
}

// MessageText returns a message in the words of the log: the name of its kind, and every field that is not zero, by the names that the kind has for it.
func MessageText(kind election.Kind, m *election.Message) string {
	text := inLine(kind.Name)
	if text == "" {
		text = "kind " + strconv.Itoa(int(m.Kind))
	}
	rank, named := m.Rank, ""
	for _, part := range []struct {
		name  string
		value *uint64
	}{{kind.ID, (*uint64)(&rank.ID)}, {kind.Priority, &rank.Priority}} {
		if part.name == "" || *part.value == 0 {
			continue
		}
		switch part.name {
		case label:
			named += " " + labelText(*part.value)
		case hash:
		default:
			named += fmt.Sprintf(" %s %d", inLine(part.name), *part.value)
		}
		*part.value = 0
	}
	if rank != (election.Rank{}) {
		text += " " + rank.String()
	}
	text += named
	flags, marks := m.Flags, ""
	for bit, name := range kind.Marks {
		if name != "" && flags>>bit&1 == 1 {
			flags &^= 1 << bit
			marks += " " + inLine(name)
		}
	}
	for _, f := range []struct {
		name, otherwise string
		value           uint64
		from            uint64 // which is shown
	}{
		// Most runs have one election, so Term 1 is not worth a word.
		{"", "term", m.Term, 2}, {kind.Round, "round", uint64(m.Round), 1}, {kind.Value, "value", m.Value, 1},
		{kind.Flags, "flags", uint64(flags), 1}, {"", "layer", uint64(m.Layer), 1},
	} {
		upper, lower, sets := strings.Cut(f.name, "/")
		high, low, numbers := strings.Cut(f.name, ",")
		switch {
		case f.value < f.from:
		case f.name == label:
			text += " " + labelText(f.value)
		case f.name == nanoseconds:
			text += " for " + short(time.Duration(f.value))
		case numbers:
			text += numberText(high, f.value>>32) + numberText(low, f.value&math.MaxUint32)
		case sets:
			text += linksText(upper, uint32(f.value>>32)) + linksText(lower, uint32(f.value))
		default:
			text += numberText(cmp.Or(f.name, f.otherwise), f.value)
		}
	}
	return text + marks
}

// numberText returns a number with its name, unless it is zero.
func numberText(name string, value uint64) string {
	switch {
	case value == 0:
		return ""
	case name == milliseconds:
		return " for " + short(time.Duration(value)*time.Millisecond)
	}
	return fmt.Sprintf(" %s %d", inLine(name), value)
}

// linksText returns which links are in a set, if any is.
func linksText(name string, set uint32) string {
	var links []string
	for ; set != 0; set &= set - 1 {
		links = append(links, strconv.Itoa(1+bits.TrailingZeros32(set)))
	}
	if links == nil {
		return ""
	}
	return " " + inLine(name) + " " + strings.Join(links, "+")
}

// markText returns what something that is no message means.
func (s *story) markText(e *Event) string {
	timer := s.timer(e)
	switch e.Do {
	case observe.Set:
		return fmt.Sprintf("sets %s to %s", timer, span(e.Min, e.Max))
	case observe.Stop:
		return "stops " + timer
	case observe.StopAll:
		return fmt.Sprintf("stops all timers of layer %d", e.Layer)
	case observe.Timeout:
		return timer + " runs out"
	case observe.Suspect:
		return "suspects " + s.behind(e)
	case observe.Trust:
		return "trusts " + s.behind(e)
	case observe.Command:
		return s.commandText(e)
	case observe.Raise:
		return raised(e)
	case observe.Refuse:
		return "refuses: " + inLine(e.Error)
	case observe.Choose:
		return fmt.Sprintf("draws %d of %d", e.Chosen, e.Of)
	case observe.Decide:
		if e.Outcome.Role == election.Undecided && !s.back[e.Ref()] {
			return "is undecided as before"
		}
		return decided(&e.Outcome)
	case observe.Send:
		return fmt.Sprintf("sends %s over port %d, to no process", s.messageText(&e.Message), e.Port)
	case observe.Deliver:
		return fmt.Sprintf("receives %s over port %d", s.messageText(&e.Message), e.Port)
	case observe.Cut:
		return "can no longer reach " + s.behind(e)
	case observe.Heal:
		return fmt.Sprintf("reaches %s again", s.behind(e))
	case observe.Duplicate:
		return fmt.Sprintf("its message %s is duplicated", e.From)
	case observe.Delay:
		return fmt.Sprintf("its message %s is to arrive at another time", e.From)
	case observe.Lose:
		return "a message is lost"
	}
	return plain[e.Do]
}

// command returns the description of a command, or nil if it has none.
func (h *Header) command(m *election.Message) *election.CommandKind {
	if k := int(m.Kind) - 1; k >= 0 && k < len(h.Commands) && h.Commands[k].Name != "" {
		return &h.Commands[k]
	}
	return nil
}

// commandText returns a command in words. Of a list, only the last command has the whole list.
func (s *story) commandText(e *Event) string {
	m := &e.Message
	kind := s.trace.Header.command(m)
	switch {
	case kind == nil:
		// A command has kinds of its own, unlike the kinds of messages.
		return MessageText(election.Kind{Name: fmt.Sprintf("takes command %d", m.Kind)}, m)
	case !kind.Listed:
		return "is told: " + inLine(kind.Name)
	}
	list := s.lists[e.Ref()]
	if list == nil {
		return fmt.Sprintf("is told: %s %d (%d of %d)", inLine(kind.Name), m.Rank.ID, m.Value+1, m.Round)
	}
	return fmt.Sprintf("is told: %s %s", inLine(kind.Name), listed(list))
}

// listing collects the lists that commands name.
type listing map[election.ID][]string

// add notes a command. It returns the list if the command is the last one of a list, and whether more of it
// follows.
func (l listing) add(h *Header, e *Event) (list []string, more bool) {
	kind := h.command(&e.Message)
	if e.Do != observe.Command || kind == nil || !kind.Listed {
		return nil, false
	}
	m := &e.Message
	if m.Value == 0 {
		l[e.Process] = nil
	}
	list = append(l[e.Process], strconv.FormatUint(uint64(m.Rank.ID), 10))
	if l[e.Process] = list; uint64(m.Round) > m.Value+1 {
		return nil, true
	}
	return list, false
}

// delays describes the delays of messages.
func delays(s scenario.Schedule) string {
	if s == scenario.Hand {
		return "by hand"
	}
	return string(s) + " delays"
}

// timer returns the name of the timer of an event, or its number if it has none.
func (s *story) timer(e *Event) string {
	a := election.Algorithm{Timers: s.trace.Header.Timers}
	if name := a.TimerName(e.Layer, e.Timer); name != "" {
		return inLine(name)
	}
	if e.Layer == 0 {
		return fmt.Sprintf("timer %d", e.Timer)
	}
	return fmt.Sprintf("timer %d of layer %d", e.Timer, e.Layer)
}

// behind returns the process behind the port of an event, or the port itself if it leads nowhere.
func (s *story) behind(e *Event) string {
	p, links := s.where[e.Process], s.trace.Header.Links
	if links != nil && p < links.Len() && uint64(e.Port) < uint64(links.Ports(p)) {
		if q, ok := topology.Behind(links, p, e.Port); ok {
			return s.id(q)
		}
	}
	return fmt.Sprintf("the process behind port %d", e.Port)
}

// plain are the words for what needs no more.
var plain = map[observe.What]string{
	observe.Init: "begins", observe.Rejoin: "rejoins", observe.Start: "starts",
	observe.Reelect: "starts again",
	observe.Save:    "saves its state",
	observe.Done:    "knows the end", observe.Crash: "crashes", observe.Pause: "pauses",
	observe.Resume:  "resumes",
	observe.Recover: "comes back without its state", observe.Restart: "comes back with its state",
}

// What a process raises that has critical sections.
var entered, exited = election.Entered.String(), election.Exited.String()

func raised(e *Event) string {
	text := "raises " + inLine(e.Op)
	switch e.Op {
	case entered:
		text = "enters the critical section"
	case exited:
		text = "leaves the critical section"
	default:
		return text
	}
	if e.Message.Flags > 0 {
		text += fmt.Sprintf(" %d", e.Message.Flags)
	}
	return text
}

func decided(o *election.Outcome) string {
	text := "decides: " + o.Leader.String() + " leads"
	switch o.Role {
	case election.Undecided:
		text = "takes its decision back"
	case election.Leader:
		text = "decides: it leads"
	}
	if o.Term > 1 {
		text += fmt.Sprintf(" in term %d", o.Term)
	}
	return text
}

// inLine keeps a text from breaking a line, or a note of a diagram.
func inLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029':
			return ' '
		// In Mermaid a semicolon ends a statement, and a number sign begins a character code.
		case r == ';' || r == '#':
			return ','
		}
		return r
	}, text)
}

// String returns the name of the event as "3.7", process and number.
func (r Ref) String() string { return fmt.Sprintf("%d.%d", r.Process, r.Seq) }

func span(least, most time.Duration) string {
	if least == most {
		return short(least)
	}
	return short(least) + " to " + short(most)
}

// id returns the ID of a process.
func (s *story) id(p int) string {
	return strconv.FormatUint(uint64(s.trace.Header.Scenario.IDs[p]), 10)
}

// linkText returns the messages of a beat with their ends: "3 to 5", and what became of it.
func (s *story) linkText(b *beat) string {
	text := s.id(b.from) + " to " + s.id(b.process)
	switch b.fate {
	case lost:
		text += ", lost"
	case unreceived:
		text += ", not received"
	}
	return text
}

// title describes the trace in a line.
func (s *story) title() string {
	h, text := &s.trace.Header.Scenario, s.name()
	if h.Schedule != "" {
		text += ", " + delays(h.Schedule)
	}
	if h.Seed != 0 {
		text += fmt.Sprintf(", seed %d", h.Seed)
	}
	return text
}

// name returns the algorithm and how many processes ran it.
func (s *story) name() string {
	h := &s.trace.Header.Scenario
	text := h.Algorithm
	if h.Variant != "" {
		text += "/" + h.Variant
	}
	if n := len(h.IDs); n == 1 {
		text += ", 1 process"
	} else {
		text += fmt.Sprintf(", %d processes", n)
	}
	return inLine(text)
}

func (s *story) known(id election.ID) bool {
	_, ok := s.where[id]
	return ok
}
