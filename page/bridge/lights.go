package bridge

import (
	"strconv"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
)

// wrong returns the steps after which two processes have led in one Term, which must never be.
func wrong(f *trace.Film) []trace.FilmOutside {
	found, leaders := []trace.FilmOutside{}, make(verdict.Leaders)
	for i, role := range f.Changes.Role {
		if election.Role(role) != election.Leader || f.Changes.Status[i] != 0 {
			continue
		}
		// The head has written the ID, so it is a number.
		id, _ := strconv.ParseUint(f.Head.IDs[f.Changes.Process[i]], 10, 64)
		if err := leaders.Add(election.ID(id), f.Changes.Term[i]); err != nil {
			found = append(found, trace.FilmOutside{Step: int(f.Changes.Step[i]), Why: err.Error()})
		}
	}
	return found
}
