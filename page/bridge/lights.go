package bridge

import (
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
)

// wrong returns the steps after which two processes have led in one Term, or after which two leases are valid
// at one moment, or one is older than another before it: none of that must ever be.
func wrong(f *trace.Film) []trace.FilmOutside {
	found, leaders, leases := []trace.FilmOutside{}, make(verdict.Leaders), verdict.Leases{}
	c := &f.Changes
	for i, role := range c.Role {
		// The head has written the ID, so it is a number.
		id, _ := strconv.ParseUint(f.Head.IDs[c.Process[i]], 10, 64)
		process, now := election.ID(id), election.Outcome{Role: election.Role(role), Term: c.Term[i]}
		at := inTime(f.Steps.At[c.Step[i]-1])
		if c.Until[i] == 0 {
			leases.Crash(process)
		} else if _, err := leases.Note(process, now, at, inTime(c.Until[i])); err != nil {
			found = append(found, trace.FilmOutside{Step: int(c.Step[i]), Why: err.Error()})
		}
		if now.Role != election.Leader || c.Status[i] != 0 {
			continue
		}
		if err := leaders.Add(process, now.Term); err != nil {
			found = append(found, trace.FilmOutside{Step: int(c.Step[i]), Why: err.Error()})
		}
	}
	return found
}
