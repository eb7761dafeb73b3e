package bridge

import (
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// wrong returns the steps after which something is so that must never be: two leaders of one Term, two groups
// of one number, two valid leases at one moment, or two processes in one critical section.
func wrong(f *trace.Film, a *election.Algorithm) []trace.FilmOutside {
	j := &lights{film: f, found: []trace.FilmOutside{}, decisions: verdict.Decisions{Algorithm: a}}
	c, sections := &f.Changes, f.Head.Sections
	changes := 0
	for k, do := range f.Steps.Do {
		j.note(observe.What(do))
		for ; changes < len(c.Step) && int(c.Step[changes]) == k+1; changes++ {
			j.change(changes)
		}
		for ; len(sections) > 0 && sections[0][0] == k+1; sections = sections[1:] {
			if inside := sections[0][2:]; len(inside) > 1 && !j.decisions.Apart {
				j.fail(k+1, verdict.BothInside(j.id(inside[0]), j.id(inside[1]), 0))
			}
		}
	}
	// A counterexample ends when its property is violated, which has been judged already.
	s := f.Head.Scenario
	if len(j.found) == 0 && s != nil && s.Steps != nil && s.Property.Kind() == verdict.Always {
		j.found = append(j.found, trace.FilmOutside{Step: len(f.Steps.Do),
			Why: "violated: " + s.Property.Text()})
	}
	return j.found
}

// lights judges a film from its beginning on.
type lights struct {
	film      *trace.Film
	found     []trace.FilmOutside
	decisions verdict.Decisions
}

func (j *lights) fail(step int, err error) {
	j.found = append(j.found, trace.FilmOutside{Step: step, Why: err.Error()})
}

// id returns the ID of a process. The head has written it, so it is a number.
func (j *lights) id(p int) election.ID {
	id, _ := strconv.ParseUint(j.film.Head.IDs[p], 10, 64)
	return election.ID(id)
}

// note notes what bears on the rules for the rest of the run: a pause or a cut that is over may have left two
// leaders of a Term, or a process in a critical section although its time is over.
func (j *lights) note(do observe.What) {
	switch do {
	case observe.Recover, observe.Restart:
		j.decisions.Returned = true
	case observe.Pause, observe.Cut:
		j.decisions.Apart = true
	}
}

// change judges what a process is now.
func (j *lights) change(i int) {
	c := &j.film.Changes
	process := j.id(int(c.Process[i]))
	if c.Status[i] == 1 {
		j.decisions.Crash(process)
		return
	}
	j.decisions.Return(process)
	now := election.Outcome{Role: election.Role(c.Role[i]), Term: c.Term[i],
		Leader: election.Rank{ID: election.ID(c.Leader[i])}}
	at := inTime(j.film.Steps.At[c.Step[i]-1])
	if _, err := j.decisions.Note(process, now, at, inTime(c.Until[i])); err != nil {
		j.fail(int(c.Step[i]), err)
	}
}
