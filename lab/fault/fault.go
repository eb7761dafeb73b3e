// Package fault describes what goes wrong on the links between processes: messages are lost,
// arrive twice or are overtaken, and partitions cut processes off from each other. A [Plan] is
// plain data, on which the carrier of messages acts.
//
// Chance and partitions are kept apart: a Plan without probabilities leaves nothing to chance, so
// two runs that send the same lose the same.
package fault

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Plan is what goes wrong on links. Its zero value: nothing.
type Plan struct {
	// The probability, for each message, that it
	Loss      float64 // never arrives;
	Duplicate float64 // arrives twice, the copy a delay of its own after the message;
	Reorder   float64 // takes another delay on top of its own, and what is sent later may overtake it.

	Partitions []Partition
}

// Partition cuts the links between groups of processes for a time. A message sent over a link during the cut
// is lost. A message already in flight arrives.
type Partition struct {
	From   time.Duration   // the first moment
	Until  time.Duration   // the first moment at which it is over; if zero, it never is
	Groups [][]election.ID // processes that none of them names are one more group, the last
	OneWay bool            // lost is only what an earlier group sends to a later one
}

// Any reports whether anything can go wrong.
func (p *Plan) Any() bool { return p.Chance() || len(p.Partitions) > 0 }

// Chance reports whether anything is left to chance.
func (p *Plan) Chance() bool { return p.Loss != 0 || p.Duplicate != 0 || p.Reorder != 0 }

// Check returns an error that wraps [election.ErrInput] unless the plan is one for processes of
// these IDs. It writes times as text does: in units for a simulation, else as [time.Duration.String].
func (p *Plan) Check(ids []election.ID, text func(time.Duration) string) error {
	for _, c := range []struct {
		name string
		of   float64
	}{{"loss", p.Loss}, {"duplicate", p.Duplicate}, {"reorder", p.Reorder}} {
		// Not the reverse, c.of < 0 || c.of > 1, which accepts NaN.
		if !(0 <= c.of && c.of <= 1) {
			return input.Errorf("%s: %v is not a probability, from 0 to 1", c.name, c.of)
		}
	}
	if len(p.Partitions) == 0 {
		return nil
	}
	known := make(map[election.ID]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	for i := range p.Partitions {
		if err := p.Partitions[i].check(known, text); err != nil {
			return input.Errorf("partitions[%d].%s", i, input.Reason(err))
		}
	}
	return nil
}

func (p *Partition) check(known map[election.ID]bool, text func(time.Duration) string) error {
	switch {
	case p.From < 0:
		return input.Errorf("from: %s is less than 0", text(p.From))
	case p.Until != 0 && p.Until <= p.From:
		return input.Errorf("until: %s is not after the beginning of the partition, %s", text(p.Until),
			text(p.From))
	}
	return CheckGroups(p.Groups, func(id election.ID) bool { return known[id] })
}

// CheckGroups returns an error that wraps [election.ErrInput] unless these can be the groups of a
// [Partition]: at least one, none empty, and no process in two of them.
func CheckGroups(groups [][]election.ID, known func(election.ID) bool) error {
	if len(groups) == 0 {
		return input.Errorf("groups: at least one group is needed")
	}
	groupOf := make(map[election.ID]int)
	for g, group := range groups {
		if len(group) == 0 {
			return input.Errorf("groups[%d]: it is empty", g)
		}
		for i, id := range group {
			if !known(id) {
				return input.Errorf("groups[%d][%d]: %d is not a process", g, i, id)
			}
			if first, ok := groupOf[id]; ok {
				return input.Errorf("groups[%d][%d]: %d is already in groups[%d]", g, i, id, first)
			}
			groupOf[id] = g
		}
	}
	return nil
}
