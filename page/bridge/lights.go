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
	j := &lights{film: f, algorithm: a, found: []trace.FilmOutside{}, leaders: make(verdict.Leaders),
		now: make([]belief, len(f.Head.IDs))}
	c, sections := &f.Changes, f.Head.Sections
	changes := 0
	for k, do := range f.Steps.Do {
		j.note(observe.What(do))
		for ; changes < len(c.Step) && int(c.Step[changes]) == k+1; changes++ {
			j.change(changes)
		}
		for ; len(sections) > 0 && sections[0][0] == k+1; sections = sections[1:] {
			if inside := sections[0][2:]; len(inside) > 1 && !j.apart {
				j.fail(k+1, verdict.BothInside(j.id(inside[0]), j.id(inside[1]), 0))
			}
		}
	}
	// A counterexample ends where its property does not hold any more; the property has been judged.
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
	algorithm *election.Algorithm
	found     []trace.FilmOutside

	leaders  verdict.Leaders
	leases   verdict.Leases
	now      []belief
	returned bool // a process has come back
	apart    bool // a process has paused, or could not reach another
}

// belief is what a process believes, and has led.
type belief struct {
	election.Outcome
	down  bool
	group uint64 // the last Term in which it has led a group
}

func (j *lights) fail(step int, err error) {
	j.found = append(j.found, trace.FilmOutside{Step: step, Why: err.Error()})
}

// id returns the ID of a process. The head has written it, so it is a number.
func (j *lights) id(p int) election.ID {
	id, _ := strconv.ParseUint(j.film.Head.IDs[p], 10, 64)
	return election.ID(id)
}

// note notes what bears on the rules for the rest of the run: a pause or a cut that is over may have left
// two leaders of a Term, or a process inside whose time is over. Package check judges such runs alike.
func (j *lights) note(do observe.What) {
	switch do {
	case observe.Recover, observe.Restart:
		j.returned = true
	case observe.Pause, observe.Cut:
		j.apart = true
	}
}

// change judges what a process is now.
func (j *lights) change(i int) {
	c, a := &j.film.Changes, j.algorithm
	process, is := j.id(int(c.Process[i])), &j.now[c.Process[i]]
	before, now := is.Outcome, election.Outcome{Role: election.Role(c.Role[i]), Term: c.Term[i],
		Leader: election.Rank{ID: election.ID(c.Leader[i])}}
	is.Outcome, is.down = now, c.Status[i] == 1
	at := inTime(j.film.Steps.At[c.Step[i]-1])
	if c.Until[i] == 0 {
		j.leases.Crash(process)
	} else if _, err := j.leases.Note(process, now, at, inTime(c.Until[i])); err != nil {
		j.fail(int(c.Step[i]), err)
	}
	if now.Role != election.Leader || c.Status[i] != 0 || now == before {
		return
	}
	switch {
	case a.Groups:
		// Leader and Term are the number of a group together, so several may lead in one Term.
		if now.Term <= is.group {
			j.fail(int(c.Step[i]), verdict.SecondGroup(process, now.Term, is.group))
		}
		is.group = max(is.group, now.Term)
	case a.LongLived && !a.Leases && (j.returned || j.apart):
		// A process that comes back, or is cut off, cannot know which Terms there are. One that comes back
		// may take over in the Term that there is; without that, two do not lead in one at once.
		for p := range j.now {
			o := &j.now[p]
			if !j.returned && !o.down && o.Role == election.Leader && o.Term == now.Term && o != is {
				j.fail(int(c.Step[i]), verdict.BothLead(j.id(p), process, now.Term))
			}
		}
	default:
		if first := j.leaders[now.Term]; a.LongLived && j.isDown(first) {
			delete(j.leaders, now.Term) // perhaps all that had heard of the Term are down as well
		}
		if err := j.leaders.Add(process, now.Term); err != nil {
			j.fail(int(c.Step[i]), err)
		}
	}
}

// isDown reports whether a process is down.
func (j *lights) isDown(id election.ID) bool {
	for p := range j.now {
		if j.now[p].down && j.id(p) == id {
			return true
		}
	}
	return false
}
