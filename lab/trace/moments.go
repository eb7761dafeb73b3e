package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/observe"
)

// mostMoments is how many moments are numbered in a picture and explained below it.
const mostMoments = 9

// moment is a key moment of a run.
type moment struct {
	event  int
	beat   int // the message, or none
	weight int // the more, the sooner it is kept where there are too many
	text   string

	several string   // the words if it happens to several processes at one instant, with a place for them
	ids     []string // these
}

// The weights of moments.
const (
	weightDetail = iota
	weightOrder
	weightStart
	weightFault
	weightLead
)

// moments returns the key moments of a story, in their order.
func (s *story) moments() []moment {
	t := s.trace
	var all []moment
	starts, leases := s.starts(), s.leases()
	if leases != nil {
		leases.lend(s.lent)
	}
	for i := range t.Events {
		e := &t.Events[i]
		p := s.id(s.where[e.Process])
		m := moment{event: i, beat: none}
		switch {
		case e.Do == observe.Start && len(starts) > 0 && starts[0] == i:
			m.weight, m.text = weightStart, s.startText(starts)
			if last := t.Events[starts[len(starts)-1]].At; last > e.At {
				m.text += ", the last at " + s.time(last)
			}
		case e.Do == observe.Crash && e.Seq > 1:
			m.weight, m.text = weightFault, p+" crashes"
		case e.Do == observe.Recover || e.Do == observe.Restart || e.Do == observe.Pause ||
			e.Do == observe.Resume:
			m.weight, m.text = weightFault, p+" "+s.markText(e)
			if e.Do == observe.Pause {
				m.text += ", and what comes for it waits"
			}
		case e.Do == observe.Decide && e.Outcome.Role == election.Leader && s.changed[i]:
			m.weight, m.text = weightLead, p+" leads"
			if e.Outcome.Term > 1 {
				m.text += fmt.Sprintf(" in term %d", e.Outcome.Term)
			}
			m.several = "%s lead" + strings.TrimPrefix(m.text, p+" leads")
			if leases != nil {
				until := s.clocks.When(s.where[e.Process], e.At, e.Outcome.Until)
				m.text += ", until " + leases.round(until) + " unless it renews"
			}
		case e.Do == observe.Raise && e.Op == entered:
			m.weight, m.text = weightOrder, p+" "+s.markText(e)
		case e.Do == observe.Timeout && leases != nil:
			if m.text, m.several = leases.purpose(i); m.text == "" || t.routine(i) && m.several == "" {
				continue
			}
			if m.weight = weightDetail; m.several != "" {
				m.weight = weightOrder
			}
			if s.stopsLeading(i) {
				m.weight = weightLead
			}
		case e.Do == observe.Timeout && !t.routine(i):
			m.weight, m.several = weightDetail, s.timer(e)+" ends at %s"
			if left := s.leaves(i); left != nil {
				m.several, m.text = "%s leave the critical section", p+" "+raised(left)
				break
			}
			if m.text = p + "'s " + strings.TrimPrefix(s.timer(e), "the ") + " ends"; strings.Contains(s.timer(e), " of ") {
				m.text = fmt.Sprintf(m.several, p)
			}
		default:
			continue
		}
		// Several at one instant are one moment.
		k := slices.IndexFunc(all, func(o moment) bool { return o.several == m.several && t.Events[o.event].At == e.At })
		if m.several != "" && k >= 0 {
			all[k].ids = append(all[k].ids, p)
			all[k].text = fmt.Sprintf(m.several, listed(all[k].ids))
			continue
		}
		m.ids = []string{p}
		all = append(all, m)
	}
	all = append(all, s.overtakings()...)
	if s.trace.Header.Scenario.Property != "" && len(t.Events) > 0 {
		last := s.lastStep()
		text := "violated: " + s.trace.Header.Scenario.Property.Text()
		for last < len(t.Events) {
			if k := slices.IndexFunc(all, func(o moment) bool { return o.event == last }); k >= 0 {
				text = all[k].text + "; " + text
				all = slices.Delete(all, k, k+1)
			}
			last++
		}
		all = append(all, moment{event: s.lastStep(), beat: none, weight: weightLead + 1, text: text})
	}
	order.Stable(all, func(a, b moment) int { return a.event - b.event })
	for weight := weightDetail; weight <= weightLead; weight++ {
		for k := len(all) - 1; k >= 0 && len(all) > mostMoments; k-- {
			if all[k].weight == weight {
				all = slices.Delete(all, k, k+1)
			}
		}
	}
	return all[:min(len(all), mostMoments)]
}

// stopsLeading reports whether a process stops to lead in the step that begins with an event.
func (s *story) stopsLeading(first int) bool {
	for i := first + 1; i < len(s.trace.Events) && s.trace.Events[i].Do.Effect(); i++ {
		if s.lost[i] {
			return true
		}
	}
	return false
}

// leaves returns the event in which a process leaves a critical section, in the step that begins with an event. It
// returns nil if there is none.
func (s *story) leaves(first int) *Event {
	for i := first + 1; i < len(s.trace.Events) && s.trace.Events[i].Do.Effect(); i++ {
		if e := &s.trace.Events[i]; e.Do == observe.Raise && e.Op == exited {
			return e
		}
	}
	return nil
}

// routine reports whether a timeout is one of an endless series, such as heartbeats: the step
// sets the same timer again, and beyond that only sends.
func (t *Trace) routine(timeout int) bool {
	e, again := &t.Events[timeout], false
	for i := timeout + 1; i < len(t.Events) && t.Events[i].Do.Effect(); i++ {
		switch next := &t.Events[i]; {
		case next.Do == observe.Set && next.Timer == e.Timer && next.Layer == e.Layer:
			again = true
		case next.Do != observe.Send:
			return false
		}
	}
	return again
}

// lastStep returns the last event that is no effect.
func (s *story) lastStep() int {
	for i := len(s.trace.Events) - 1; i > 0; i-- {
		if !s.trace.Events[i].Do.Effect() {
			return i
		}
	}
	return 0
}

// starts returns the first run of Starts: before anything else happens, or at the instant of the first.
func (s *story) starts() (all []int) {
	t := s.trace
	begun, over := make(map[election.ID]bool), false
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Do == observe.Start && (!over || e.At == t.Events[all[0]].At):
			if !begun[e.Process] {
				begun[e.Process], all = true, append(all, i)
			}
		case len(all) > 0 && !e.Do.Effect() && e.Do != observe.Init:
			over = true
		}
	}
	return all
}

// startText names the processes that start. The ID of one alone would read as a count.
func (s *story) startText(starts []int) string {
	if n := len(s.trace.Header.Scenario.IDs); n > 1 && len(starts) == n {
		return "all start"
	}
	var ids []string
	for _, i := range starts {
		ids = append(ids, s.id(s.where[s.trace.Events[i].Process]))
	}
	if len(ids) == 1 {
		return "process " + ids[0] + " starts"
	}
	if len(ids) > 6 {
		return prose.Plural(len(ids), "process") + " start"
	}
	return listed(ids) + " start"
}

// overtakings returns the messages that arrive before one that was sent earlier over the same link.
func (s *story) overtakings() (all []moment) {
	type link struct{ from, to int }
	onTheWay := make(map[link][]int) // sendings, as they were sent
	t := s.trace
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Do == observe.Send && s.known(e.Peer):
			l := link{s.where[e.Process], s.where[e.Peer]}
			onTheWay[l] = append(onTheWay[l], i)
		case e.Do == observe.Deliver || e.Do == observe.Lose:
			sent, ok := s.sends[e.From]
			if !ok {
				continue
			}
			l := link{s.where[t.Events[sent].Process], s.where[t.Events[sent].Peer]}
			k := slices.Index(onTheWay[l], sent)
			if k < 0 { // a copy
				continue
			}
			if k > 0 && e.Do == observe.Deliver {
				all = append(all, moment{event: i, beat: none, weight: weightOrder,
					text: fmt.Sprintf("%s from %s overtakes %s", s.messageText(&e.Message), s.id(l.from),
						s.messageText(&t.Events[onTheWay[l][0]].Message))})
			}
			onTheWay[l] = slices.Delete(onTheWay[l], k, k+1)
		}
	}
	return all
}

// settle notes the role of each process after each of its decisions, and which decisions change it.
func (s *story) settle() {
	s.changed, s.back, s.lost = make(map[int]bool), make(map[Ref]bool), make(map[int]bool)
	s.roles = map[election.Role]bool{election.Undecided: true}
	n := len(s.trace.Header.Scenario.IDs)
	s.final, s.down, s.since = make([]election.Outcome, n), make([]bool, n), make([]time.Duration, n)
	for i := range s.trace.Events {
		e := &s.trace.Events[i]
		p := s.where[e.Process]
		switch e.Do {
		case observe.Decide:
			// A renewal changes nothing, nor does the Term of a process that has not decided.
			s.changed[i] = !e.Outcome.Same(s.final[p]) &&
				(e.Outcome.Role != election.Undecided || s.final[p].Role != election.Undecided)
			if e.Outcome.Role != s.final[p].Role {
				s.since[p] = e.At
				s.lost[i] = s.final[p].Role == election.Leader
			}
			s.final[p] = e.Outcome
			s.roles[e.Outcome.Role] = true
			if s.changed[i] {
				s.back[e.Ref()] = e.Outcome.Role == election.Undecided
			}
		case observe.Crash, observe.Recover, observe.Restart:
			s.final[p], s.down[p] = election.Outcome{}, e.Do == observe.Crash
		}
	}
}

// result returns the outcome in words.
func (s *story) result() string {
	var leaders []string
	var since time.Duration
	for p := range s.final {
		if s.final[p].Role == election.Leader {
			leaders, since = append(leaders, s.id(p)), max(since, s.since[p])
		}
	}
	messages := 0
	for i := range s.trace.Events {
		if s.trace.Events[i].Do == observe.Send {
			messages++
		}
	}
	orphans := s.orphans(func(p int) (*election.Outcome, bool) { return &s.final[p], s.down[p] })
	return s.resultOf(leaders, orphans, since, messages)
}

// orphans returns in words how many processes follow one that is down.
func (s *story) orphans(state func(p int) (o *election.Outcome, down bool)) string {
	followers, of, several := 0, noProcess, false
	for p := range s.trace.Header.Scenario.IDs {
		if o, down := state(p); !down && o.Role == election.Follower {
			if q, ok := s.where[o.Leader.ID]; ok {
				if _, gone := state(q); gone {
					several = several || of != noProcess && of != q
					followers, of = followers+1, q
				}
			}
		}
	}
	if of == noProcess {
		return ""
	}
	if several {
		return fmt.Sprintf("%d follow processes that are down", followers)
	}
	if followers == 1 {
		return "1 follows " + s.id(of) + ", which is down"
	}
	return fmt.Sprintf("%d follow %s, which is down", followers, s.id(of))
}

// resultOf returns in words which processes lead, since when, or else how many have lost their leader; and how
// many messages were sent.
func (s *story) resultOf(leaders []string, orphans string, since time.Duration, messages int) string {
	if p := s.trace.Header.Scenario.Property; p != "" {
		return "violated: " + p.Text()
	}
	text, sent := "no process leads", prose.Plural(messages, "message")
	switch {
	case len(leaders) == 1:
		text = leaders[0] + " leads"
	case len(leaders) > 3:
		text = fmt.Sprintf("%d processes lead", len(leaders))
	case len(leaders) > 1:
		text = listed(leaders) + " lead"
	}
	switch {
	case len(leaders) == 0 && orphans != "":
		text += ", " + orphans
	case len(leaders) > 0 && since > 0 && !s.steps:
		text += " after " + s.span(since)
		sent += " in all" // they announce it, too
	}
	return text + ", " + sent
}

// span writes how long something takes, with its unit.
func (s *story) span(d time.Duration) string {
	if s.trace.Header.Driver != "sim" {
		return d.Round(max(d/1000, 1)).String()
	}
	if d == time.Second {
		return "1 unit"
	}
	if d > time.Second { // thousandths are of no use to a reader
		d = d.Round(time.Second / 100)
	}
	return short(d) + " units"
}

// headline returns in a line what came out, and what went wrong.
func (s *story) headline() string {
	h := &s.trace.Header.Scenario
	if h.Property != "" {
		text := "violated"
		if len(s.trace.Events) > 0 {
			at := s.trace.Events[s.lastStep()].At
			if s.steps {
				text += " at step " + s.time(at)
			} else {
				text += " after " + s.span(at)
			}
		}
		text += ": " + h.Property.Text()
		if h.Note != "" {
			text += ": " + h.Note
		}
		return inLine(text)
	}
	var crashes []string
	entries, result := 0, s.result()
	for i := range s.trace.Events {
		e := &s.trace.Events[i]
		switch {
		case e.Do == observe.Crash && e.Seq > 1:
			crashes = append(crashes, s.id(s.where[e.Process]))
		case e.Do == observe.Raise && e.Op == entered:
			entries++
		}
	}
	if entries > 0 { // who leads is of no interest if processes enter critical sections
		sent := strings.TrimSuffix(result[strings.LastIndex(result, ", "):], " in all")
		result = prose.Plural(entries, "entry") + sent
	}
	switch n := len(crashes); {
	case n == 1:
		return crashes[0] + " crashes; " + result
	case n > 3:
		return prose.Plural(n, "process") + " crash; " + result
	case n > 1:
		return listed(crashes) + " crash; " + result
	}
	return result
}

// setting returns what was run and how, and what was to go wrong.
func (s *story) setting() string {
	parts := []string{s.title()}
	for _, id := range s.trace.Header.Scenario.Crashed {
		parts = append(parts, fmt.Sprintf("%d is down", id))
	}
	for _, b := range s.bands() {
		parts = append(parts, b.text)
	}
	return inLine(strings.Join(parts, "; "))
}

// listed joins words as a sentence does.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
