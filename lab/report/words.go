package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/sim"
)

// LeaderInWords returns which process leads, and how many know it.
func (o *Outcome) LeaderInWords() (leader, known string) {
	leader = strconv.FormatUint(uint64(o.Leader), 10)
	switch {
	case o.Live == 0:
		return "none", ", no process is up"
	case o.Groups && o.Grouped && o.Claimants > 1:
		return prose.Plural(o.Claimants, "leader"), ", each of a group in which all agree"
	case o.Agreed && o.Claimants == 0:
		return leader, " is what all say, but it does not lead"
	case !o.Agreed && o.Claimants == 1:
		return "none", ", " + o.Claims() + ", and not all agree"
	case !o.Agreed:
		return "none", ", " + o.Claims()
	case !o.Terminated:
		return leader, ", all agree, but not all know that it has ended"
	}
	return leader, ", all agree"
}

// mostEntries is the number of entries into critical sections that are listed.
const mostEntries = 12

// EntriesInWords lists the processes that have entered critical sections, in order, and the times.
func (o *Outcome) EntriesInWords() string {
	list := o.Entries
	if len(list) == 0 {
		return "none"
	}
	var all []string
	for _, e := range list[:min(len(list), mostEntries)] {
		text := fmt.Sprintf("%d at %s", e.ID, briefly(e.At))
		if e.Section > 0 {
			text = fmt.Sprintf("%d into %d at %s", e.ID, e.Section, briefly(e.At))
		}
		all = append(all, text)
	}
	if more := len(list) - mostEntries; more > 0 {
		all = append(all, fmt.Sprintf("and %s more", prose.Grouped(uint64(more))))
	}
	return fmt.Sprintf("%s: %s", prose.Grouped(uint64(len(list))), strings.Join(all, ", "))
}

// briefly returns a time in units, to the thousandth.
func briefly(at time.Duration) string { return Units(at.Round(sim.Unit / 1000)).String() }

// MessagesInWords returns the number of messages, by kind.
func (o *Outcome) MessagesInWords() string {
	if len(o.ByKind) == 0 {
		return prose.Grouped(o.Messages)
	}
	var kinds []string
	for _, k := range o.ByKind {
		kinds = append(kinds, prose.Grouped(k.Count)+" "+k.Kind)
	}
	return prose.Grouped(o.Messages) + " = " + strings.Join(kinds, " + ")
}
