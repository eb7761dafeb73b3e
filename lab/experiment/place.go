package experiment

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Place is an id: itself, or counted from the largest.
type Place struct {
	ID    int
	FromN bool // n - ID
}

// Of returns the id of a place among processes, whose ids rise, and whether it is one of them.
func (p Place) Of(processes []election.ID) (id int, ok bool) {
	id = p.ID
	if p.FromN {
		// n-1 is a place and not an ID, as IDs need not be 1 to n.
		if id = len(processes) - p.ID; id >= 1 {
			id = int(processes[id-1])
		}
	}
	_, ok = slices.BinarySearch(processes, election.ID(max(id, 0)))
	return id, ok
}

// Resolve returns the ids of places among processes.
func Resolve(flag string, places []Place, processes []election.ID) ([]election.ID, error) {
	ids := make([]election.ID, 0, len(places))
	for i, p := range places {
		id, ok := p.Of(processes)
		if !ok {
			return nil, input.Errorf("%s[%d]: %d is not a process", flag, i, id)
		}
		ids = append(ids, election.ID(id))
	}
	return ids, nil
}
