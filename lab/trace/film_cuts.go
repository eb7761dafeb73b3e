package trace

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// FilmCut is a time, in units, during which the plan of a run cuts links between groups of processes. Links that a hand
// cuts are events.
type FilmCut struct {
	From   float64 `json:"from"`
	Until  float64 `json:"until"` // zero if it does not end
	Groups []int   `json:"groups"`
	OneWay bool    `json:"oneWay,omitempty"` // lost is only what an earlier group sends to a later one
}

// Lasts reports whether links are cut at a time.
func (c *FilmCut) Lasts(at float64) bool { return c.From <= at && (c.Until == 0 || at < c.Until) }

// Loses reports whether what one process sends to another meanwhile is lost. Both are places.
func (c *FilmCut) Loses(from, to int) bool {
	a, b := c.Groups[from], c.Groups[to]
	return a < b || a > b && !c.OneWay
}

// cuts returns the partitions of the plan. A partition may be ended by hand.
func (b *filming) cuts() (all []FilmCut) {
	s := b.film.Head.Scenario
	for _, p := range s.Faults.Partitions {
		c := FilmCut{From: inUnits(p.From), Until: inUnits(p.Until), OneWay: p.OneWay}
		for _, id := range s.IDs {
			group := len(p.Groups)
			if g := slices.IndexFunc(p.Groups, func(g []election.ID) bool { return slices.Contains(g, id) }); g >= 0 {
				group = g
			}
			c.Groups = append(c.Groups, group)
		}
		for k, do := range b.film.Steps.Do {
			if at := b.film.Steps.At[k]; observe.What(do) == observe.Heal && c.Lasts(at) {
				c.Until = at
				break
			}
		}
		all = append(all, c)
	}
	return all
}
