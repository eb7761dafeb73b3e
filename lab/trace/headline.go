package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/observe"
)

// mostNamed is how many processes a headline names for one thing that happens to them.
const mostNamed = 2

// headline says in a line what the run shows: what went wrong, which process noticed, and what came out. What
// was run is in the setting.
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
	noticed, result := s.noticed(), s.outcome()
	if id, ok := strings.CutSuffix(noticed, " notices"); ok && strings.HasPrefix(result, id+" leads") {
		noticed, result = "", noticed+" and"+strings.TrimPrefix(result, id)
	}
	parts := []string{s.wrong(), noticed, result}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// outcome says what came out: which process leads, or where processes enter critical sections, how often,
// also if the process that leads grants them.
func (s *story) outcome() string {
	entries := 0
	for i := range s.trace.Events {
		if e := &s.trace.Events[i]; e.Do == observe.Raise && e.Op == entered {
			entries++
		}
	}
	result := s.result()
	if entries == 0 {
		return result
	}
	messages := strings.TrimSuffix(result[strings.LastIndex(result, ", "):], " in all")
	return prose.Plural(entries, "entry") + messages
}

// wrong says what went wrong: which processes crashed and when, or else the first other fault that there is.
func (s *story) wrong() string {
	var crashes, down, pauses []string
	lost := 0
	for i := range s.trace.Events {
		e := &s.trace.Events[i]
		p := s.id(s.where[e.Process])
		switch {
		case e.Do == observe.Crash && e.Seq > 1:
			crashes = append(crashes, p+" at "+s.time(e.At))
		case e.Do == observe.Crash:
			down = append(down, p)
		case e.Do == observe.Pause:
			pauses = append(pauses, p+" at "+s.time(e.At))
		case e.Do == observe.Lose:
			lost++
		}
	}
	cuts, partitions := s.stretches(), s.trace.Header.Scenario.Faults.Partitions
	switch {
	case len(crashes) > 0:
		return happens(crashes, "crashes", "crash")
	case len(down) > 0:
		return happens(down, "is down", "are down")
	case len(pauses) > 0:
		return happens(pauses, "pauses", "pause")
	case len(cuts) > 0:
		return "links are cut at " + s.time(cuts[0].from)
	case len(partitions) > 0:
		return "links are cut at " + s.time(partitions[0].From)
	case lost > 0:
		return fmt.Sprintf("%s lost", prose.Plural(lost, "message"))
	}
	return ""
}

// happens says what happens to processes, each of which may have a time behind it: "5 crashes at 0.5",
// "5 crashes at 0.5 and 3 at 9", "4 processes crash".
func happens(to []string, one, several string) string {
	id, at, timed := strings.Cut(to[0], " ")
	switch {
	case len(to) > mostNamed:
		return prose.Processes(len(to)) + " " + several
	case len(to) == 1 && timed:
		return id + " " + one + " " + at
	case timed:
		return id + " " + one + " " + at + " and " + to[1]
	case len(to) == 1:
		return id + " " + one
	}
	return listed(to) + " " + several
}

// noticed says which process found out about the first crash: by a word of its detector, by a time-out of its
// wait for the process that is down, or because it is told to start while the process is down that it follows
// or that would have led. Without a crash it says which process starts, unless many do.
func (s *story) noticed() string {
	t := s.trace
	largest := s.largest()
	down, missed := make(map[election.ID]bool), make(map[[2]election.ID]bool)
	leader := make(map[election.ID]election.ID)
	var ids []string
	var when time.Duration
	for i := range t.Events {
		e := &t.Events[i]
		if len(ids) > 0 && e.At > when {
			break
		}
		notices := false
		switch e.Do {
		case observe.Crash:
			down[e.Process] = true
		case observe.Recover, observe.Restart:
			delete(down, e.Process)
		case observe.Decide:
			leader[e.Process] = e.Outcome.Leader.ID
		case observe.Lose:
			if sent, ok := s.sends[e.From]; ok && down[t.Events[sent].Peer] {
				missed[[2]election.ID{t.Events[sent].Process, t.Events[sent].Peer}] = true
			}
		case observe.Suspect:
			notices = len(down) > 0
		case observe.Start, observe.Reelect:
			notices = down[largest] || down[leader[e.Process]]
		case observe.Timeout:
			if t.again(i) {
				continue
			}
			for q := range down {
				notices = notices || missed[[2]election.ID{e.Process, q}] || leader[e.Process] == q
			}
		}
		if p := s.id(s.where[e.Process]); notices && !slices.Contains(ids, p) {
			ids, when = append(ids, p), e.At
		}
	}
	if len(ids) > 0 && len(ids) <= mostNamed {
		return happens(ids, "notices", "notice")
	}
	n := len(s.starts())
	if len(ids) > 0 || s.wrong() != "" || n == 0 || n > mostNamed || n == len(t.Header.Scenario.IDs) {
		return ""
	}
	return s.startText(s.starts())
}

// again reports whether the step of a time-out sets the same timer again, as those of rounds and heartbeats
// do.
func (t *Trace) again(timeout int) bool {
	e := &t.Events[timeout]
	for i := timeout + 1; i < len(t.Events) && t.Events[i].Do.Effect(); i++ {
		if next := &t.Events[i]; next.Do == observe.Set && next.Timer == e.Timer && next.Layer == e.Layer {
			return true
		}
	}
	return false
}

// largest returns the process with the largest rank.
func (s *story) largest() election.ID {
	h := &s.trace.Header.Scenario
	var best election.Rank
	for p, id := range h.IDs {
		r := election.Rank{ID: id}
		if h.Priorities != nil {
			r.Priority = h.Priorities[p]
		}
		if best.Less(r) {
			best = r
		}
	}
	return best.ID
}
