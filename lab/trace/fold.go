package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// The least repetitions that are folded, and what an episode among them holds at most.
const (
	leastRepeats  = 3
	mostInEpisode = 200
	mostPeriod    = 3
)

// fold is a stretch of time in which all that happens is what happened before.
type fold struct {
	from, until time.Duration
	text        string
}

// episode is a stretch of a run between two moments at which no message is under way.
type episode struct {
	first, last time.Duration
	beats       []int
	what        string // all that happens in it, with rounds counted from the episode's first
	round       uint32 // the least of its messages; 0 if they have none
}

// folds finds repetitions, such as heartbeats: episodes in which the same happens as in those before. It
// takes their beats out of the story.
func (s *story) folds() []fold {
	all := s.episodes()
	var folds []fold
	gone := make(map[int]bool)
	for i := 0; i < len(all); {
		period, times := repeats(all[i:])
		if times < leastRepeats {
			i++
			continue
		}
		// The first stays, and all that is like it goes.
		from, until := i+period, i+period*times
		f := fold{from: all[from].first, until: all[until-1].last}
		if until < len(all) {
			f.until = all[until].first
		}
		f.text = fmt.Sprintf("%d times the same", times-1)
		if all[from].round != all[i].round {
			f.text = fmt.Sprintf("%d more rounds", times-1)
		}
		folds = append(folds, f)
		for _, e := range all[from:until] {
			for _, b := range e.beats {
				gone[b] = true
			}
		}
		i = until
	}
	left := s.beats[:0]
	for i := range s.beats {
		if !gone[i] {
			left = append(left, s.beats[i])
		}
	}
	s.beats = left
	return folds
}

// repeats returns after how many episodes the first ones come again, and how often they are there.
func repeats(all []episode) (period, times int) {
	for period = 1; period <= mostPeriod && period < len(all); period++ {
		times = 1
		for (times+1)*period <= len(all) && slices.EqualFunc(all[:period],
			all[times*period:(times+1)*period], func(a, b episode) bool { return a.what == b.what }) {
			times++
		}
		if times >= leastRepeats {
			return period, times
		}
	}
	return 0, 0
}

// episodes cuts a story where no message is under way. What changes a role, or is a fault, is never a
// repetition, so its episode is like no other.
func (s *story) episodes() []episode {
	t := s.trace
	beatOf := make(map[int][]int)
	endless := make(map[int]bool) // sendings that no process receives
	for i := range s.beats {
		b := &s.beats[i]
		beatOf[b.event] = append(beatOf[b.event], i)
		if b.fate == unreceived {
			endless[b.sent] = true
		}
	}
	var all []episode
	var now episode
	underWay := 0
	end := func() {
		s.compare(&now)
		if len(now.beats) > mostInEpisode {
			now.what = fmt.Sprint(len(all)) // like no other
		}
		all = append(all, now)
		now = episode{}
	}
	for i := range t.Events {
		e := &t.Events[i]
		if len(now.beats) > 0 && underWay == 0 && e.At > now.last {
			end()
		}
		if len(now.beats) == 0 {
			now.first = e.At
		}
		now.last = e.At
		now.beats = append(now.beats, beatOf[i]...)
		switch {
		case e.Do == observe.Send && !endless[i] && s.known(e.Peer), e.Do == observe.Duplicate:
			underWay++
		case (e.Do == observe.Deliver || e.Do == observe.Lose) && underWay > 0:
			underWay--
		}
	}
	if len(now.beats) > 0 {
		end()
	}
	return all
}

// compare sets what an episode is compared by. A renewed lease has a new round each time, so rounds
// count from the least of the episode.
func (s *story) compare(e *episode) {
	for _, b := range e.beats {
		if m := s.messageOf(&s.beats[b]); m != nil && m.Round > 0 && (e.round == 0 || m.Round < e.round) {
			e.round = m.Round
		}
	}
	words := make([]string, len(e.beats))
	for i, b := range e.beats {
		words[i] = s.repeated(&s.beats[b], e.round)
	}
	slices.Sort(words)
	e.what = strings.Join(words, "\n")
}

// repeated returns what a beat says that must be the same each time.
func (s *story) repeated(b *beat, first uint32) string {
	e := &s.trace.Events[b.event]
	unique := s.changed[b.event]
	switch e.Do {
	case observe.Crash, observe.Recover, observe.Restart, observe.Pause, observe.Resume, observe.Start,
		observe.Reelect, observe.Cut, observe.Heal:
		unique = true
	}
	if unique {
		return fmt.Sprint(b.event, " of its own")
	}
	if m := s.messageOf(b); m != nil && b.message() { // one to no process is a mark
		like := *m
		if like.Round > 0 {
			like.Round -= first - 1
		}
		return s.linkText(b) + s.messageText(&like)
	}
	return s.id(b.process) + b.text
}

func (s *story) known(id election.ID) bool {
	_, ok := s.where[id]
	return ok
}
