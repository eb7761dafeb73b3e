package checkcmd

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// checkSummary tells what came out of a check, for people.
func checkSummary(a *console.Console, k *checking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s\n", a.Paint(console.Bold, k.Algorithm.Title()), prose.Processes(len(k.IDs)), topology.Name(k.Topology))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("network", "%s", k.links())
	row("time", "%s", k.time())
	if text := k.budgets(); text != "" {
		row("processes", "%s", text)
	}
	if text := k.Outside(); text != "" {
		fmt.Fprintf(&b, "  %s: %s\n", a.Paint(console.Bold, "outside its model"), text)
	}
	row("states", "%s", k.counted())
	row("transitions", "%s", prose.Grouped(k.Transitions))
	row("depth", "%s", prose.Grouped(uint64(k.Depth)))
	if k.Longest >= 0 {
		row("longest run", "%s", prose.Plural(k.Longest, "step"))
	}
	if k.Result.Messages >= 0 {
		row("messages", "at most %s%s", prose.Grouped(uint64(k.Result.Messages)), k.elections())
	}
	row("speed", "%s states a second, %v in all", prose.Grouped(uint64(k.speed())), k.Wall.Round(max(1, k.Wall/1000)).Round(time.Nanosecond))
	row("memory", "%.1f bytes a state", k.perState())
	if k.Exact {
		row("missed", "none, whole states were compared")
	} else {
		row("missed", "a state with a probability of at most %.1g", k.Collision)
	}
	width := 0
	for _, v := range k.Result.Properties {
		width = max(width, utf8.RuneCountInString(v.Property.Text()))
	}
	for _, v := range k.violatedFirst() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, v.Property.Text(), holds(a, k, v))
	}
	return b.String()
}

// violatedFirst returns the properties, those before the others that are violated.
func (k *checking) violatedFirst() []check.Verdict {
	rank := func(v check.Verdict) int {
		if v.Known && !v.Holds {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(k.Result.Properties), func(a, b check.Verdict) int { return rank(a) - rank(b) })
}

// elections says that the messages are those of several elections, where some may start late.
func (k *checking) elections() string {
	if k.Started || k.NoAnnouncement || k.Starts() < 2 || k.Delay > 0 && k.Window == 0 {
		return ""
	}
	return " in all, over as many elections as late starts begin"
}

// holds says whether a property does.
func holds(a *console.Console, k *checking, v check.Verdict) string {
	worst := ""
	if v.Property == verdict.Bounded && k.Algorithm.Worst.Formula != "" {
		worst = ", worst case: " + k.Algorithm.Worst.Formula
	}
	switch holds := k.known(v); {
	case holds != nil && v.Kind == verdict.Sometimes && *holds:
		return a.Paint(console.Green, "seen")
	case holds != nil && v.Kind == verdict.Sometimes:
		return a.Paint(console.Red, "violated") + ", seen in no state"
	case holds != nil && *holds:
		return a.Paint(console.Green, "holds") + worst
	case holds == nil && k.Exhausted:
		return "not judged" + worst
	case holds != nil:
		return a.Paint(console.Red, "violated")
	case v.Kind == verdict.Sometimes:
		return "not seen so far"
	}
	return "not violated so far"
}

// counted tells how many states there are, and whether those are all.
func (k *checking) counted() string {
	text := prose.Grouped(k.States)
	if k.Reduced > 0 {
		text += fmt.Sprintf(", %s of them without the steps that make no difference", prose.Grouped(k.Reduced))
	}
	switch {
	case k.Counterexample != nil:
		return text + ", up to the violation"
	case !k.Exhausted:
		return text + ", not all"
	}
	return text
}

// links tells what links do.
func (k *checking) links() string {
	all := []string{"links keep the order"}
	if k.Unordered {
		all[0] = "links keep no order"
	}
	switch {
	case k.Losses == check.Unlimited:
		all = append(all, "any message may be lost")
	case k.Losses > 0:
		all = append(all, prose.Plural(k.Losses, "message")+" may be lost")
	}
	if k.Duplicates > 0 {
		all = append(all, prose.Plural(k.Duplicates, "message")+" may arrive twice")
	}
	return fmt.Sprintf("%s: %s", k.flags.network, strings.Join(all, ", "))
}

// time tells how long things take.
func (k *checking) time() string {
	if k.Delay == 0 {
		return "messages and timers take as long as they like"
	}
	text := fmt.Sprintf("messages take up to %s", run.Units(k.Delay))
	if k.Result.Tick > 0 && k.Result.Tick != k.Delay {
		text += fmt.Sprintf(", in ticks of %s", run.Units(k.Result.Tick))
	}
	if k.Window > 0 {
		text += fmt.Sprintf(", starts until %s", run.Units(k.Window))
	}
	if k.Until > 0 {
		text += fmt.Sprintf(", the end at %s", run.Units(k.Until))
	}
	return text
}

// budgets tells what may become of processes.
func (k *checking) budgets() string {
	var all []string
	if n := len(k.Crashed); n > 0 {
		all = append(all, fmt.Sprintf("%d down from the beginning", n))
	}
	for _, b := range []struct {
		of         int
		name, many string
	}{{k.Crashes, "crash", "crashes"}, {k.Recoveries, "return without state", "returns without state"}, {k.Restarts, "return with state", "returns with state"}} {
		switch {
		case b.of == 1:
			all = append(all, "1 "+b.name)
		case b.of > 1:
			all = append(all, fmt.Sprintf("%d %s", b.of, b.many))
		}
	}
	return strings.Join(all, ", ")
}
