package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
)

// ViolatedFirst returns the properties, those first that are violated.
func (r *Result) ViolatedFirst() []Verdict {
	rank := func(v Verdict) int {
		if v.Known && !v.Holds {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(r.Properties),
		func(a, b Verdict) int { return rank(a) - rank(b) })
}

// Several reports whether the messages and steps of a run are those of several elections, since some may
// start late.
func (c *Config) Several() bool {
	return !c.Started && !c.NoAnnouncement && c.Starts() > 1 && (c.Delay == 0 || c.Window > 0)
}

// StatesInWords says how many states were visited, and whether those are all.
func (r *Result) StatesInWords() string {
	text := prose.Grouped(r.States)
	if r.Reduced > 0 {
		text += fmt.Sprintf(", %s of them without the steps that make no difference",
			prose.Grouped(r.Reduced))
	}
	switch {
	case r.Counterexample != nil:
		return text + ", up to the violation"
	case !r.Exhausted:
		return text + ", not all"
	}
	return text
}

// LinksInWords says what links do.
func (c *Config) LinksInWords() string {
	all := []string{"links keep the order"}
	if c.Unordered {
		all[0] = "links keep no order"
	}
	switch {
	case c.Losses == Unlimited:
		all = append(all, "any message may be lost")
	case c.Losses > 0:
		all = append(all, prose.Plural(c.Losses, "message")+" may be lost")
	}
	if len(c.Kept) > 0 {
		all = append(all, "any message may be lost, and some may arrive any number of times")
	}
	if c.voters() != nil {
		all = append(all, "configurations arrive whole")
	}
	if c.Duplicates > 0 {
		all = append(all, prose.Plural(c.Duplicates, "message")+" may arrive twice")
	}
	return strings.Join(all, ", ")
}

// TimeInWords says how long messages and timers take, and how far time advances in one step.
func (c *Config) TimeInWords(tick time.Duration) string {
	if c.Delay == 0 {
		return "messages and timers take any time"
	}
	text := fmt.Sprintf("messages take up to %s", scenario.InUnits(c.Delay))
	if tick > 0 && tick != c.Delay {
		text += fmt.Sprintf(", in ticks of %s", scenario.InUnits(tick))
	}
	if c.Window > 0 {
		text += fmt.Sprintf(", starts until %s", scenario.InUnits(c.Window))
	}
	if c.Until > 0 {
		text += fmt.Sprintf(", the end at %s", scenario.InUnits(c.Until))
	}
	return text
}

// NoticesInWords says how processes hear of crashes; it is empty where they do not.
func (c *Config) NoticesInWords() string {
	c = c.whole() // of a crash that is past they hear, too
	switch {
	case c.detects():
		return "a detector that is never wrong reports each"
	case c.Crashes > 0 && c.Algorithm.Faults.Unaided():
		return "followers eventually notice that their leader is down"
	}
	return ""
}

// BudgetsInWords says what may become of processes; it is empty where nothing does.
func (c *Config) BudgetsInWords() string {
	var all []string
	if n := len(c.Crashed); n > 0 {
		all = append(all, fmt.Sprintf("%d down from the beginning", n))
	}
	for _, b := range []struct {
		of         int
		name, many string
	}{
		{c.Crashes, "crash", "crashes"},
		{c.Recoveries, "return without state", "returns without state"},
		{c.Restarts, "return with state", "returns with state"},
		{c.Pauses, "pause", "pauses"},
		{c.Cuts, "cut of the network", "cuts of the network"},
	} {
		switch {
		case b.of == 1:
			all = append(all, "1 "+b.name)
		case b.of > 1:
			all = append(all, fmt.Sprintf("%d %s", b.of, b.many))
		}
	}
	if c.Nudge {
		all = append(all, "in the end processes without a leader start")
	}
	return strings.Join(all, ", ")
}
