package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-election/election"
)

// Voters judges the configurations of a group whose voters change: two sets of processes during a change, one
// otherwise. The zero value has seen none.
type Voters struct {
	label    uint64
	old, now []election.ID
	changes  int
}

// Changes returns how often another configuration was confirmed than the one before.
func (v *Voters) Changes() int { return v.changes }

// Note notes that a quorum has stored a configuration with a label, in the order in which that happens. During a
// change old are the voters before it, otherwise old is empty. Both lists are in ascending order. It returns
// [Chain] if the configuration does not follow the one before.
func (v *Voters) Note(label uint64, old, now []election.ID) (Property, error) {
	before := *v
	v.label, v.old, v.now = label, old, now
	same := slices.Equal(old, before.old) && slices.Equal(now, before.now)
	switch {
	case before.now == nil || same:
	case len(before.old) == 0 && slices.Equal(old, before.now):
	case len(before.old) > 0 && len(old) == 0 && (slices.Equal(now, before.old) || slices.Equal(now, before.now)):
	default:
		return Chain, fmt.Errorf("%s, after %s", v, &before)
	}
	if before.now != nil && !same {
		v.changes++
	}
	if label < before.label {
		return Chain, fmt.Errorf("%s, with a smaller label than %s", v, &before)
	}
	return "", nil
}

// String describes the last configuration.
func (v *Voters) String() string {
	list := func(ids []election.ID) string { return strings.Trim(fmt.Sprint(ids), "[]") }
	if len(v.old) == 0 {
		return "the voters are " + list(v.now)
	}
	return fmt.Sprintf("the voters change from %s to %s", list(v.old), list(v.now))
}
