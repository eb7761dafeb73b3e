package checkcmd

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// checkSummary returns the result of a check as text.
func checkSummary(a *console.Console, k *checking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s\n", a.Paint(terminal.Bold, k.Algorithm.Title()), prose.Plural(len(k.IDs), "process"),
		topology.Name(k.Topology))
	row := func(name, format string, args ...any) {
		b.WriteString(prose.Hanging("  "+name, fmt.Sprintf(format, args...), 15, a.Width()))
	}
	row("network", "%s: %s", k.flags.network, k.LinksInWords())
	end := ""
	if k.flags.ends {
		end = fmt.Sprintf(" (%s never comes to rest; --until sets another end)", k.Algorithm.Title())
	}
	row("time", "%s%s", k.TimeInWords(k.Result.Tick), end)
	if name := k.Algorithm.Params.NameOf(params.LeaseTime); k.flags.ends && name != "" {
		if _, given := k.flags.Values[name]; !given {
			row("leases", "none ends before that, so no other can begin; the example in elect help check has short ones")
		}
	}
	if text := k.BudgetsInWords(); text != "" {
		row("processes", "%s", text)
	}
	if text := k.NoticesInWords(); text != "" {
		row("crashes", "%s", text)
	}
	if text := k.Outside(); text != "" {
		b.WriteString(prose.Wrapped(a.Paint(terminal.Bold, "outside its model")+": "+text, "  ", a.Width()))
	}
	row("states", "%s", k.StatesInWords())
	row("transitions", "%s", prose.Grouped(k.Transitions))
	row("depth", "%s", prose.Grouped(uint64(k.Depth)))
	if k.Longest >= 0 {
		row("longest run", "%s", prose.Plural(k.Longest, "step"))
	}
	if k.Result.Messages >= 0 {
		several := ""
		if k.Several() {
			several = " in all, over as many elections as late starts begin"
		}
		row("messages", "at most %s%s", prose.Grouped(uint64(k.Result.Messages)), several)
	}
	if a.Verbose {
		row("speed", "%s states a second, %s in all", prose.Grouped(uint64(report.StatesPerSecond(k.Result))),
			k.Wall.Round(10*time.Microsecond))
	}
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
	for _, v := range k.ViolatedFirst() {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, v.Property.Text(), holds(a, k, v))
	}
	return b.String()
}

// holds returns the verdict on a property as text.
func holds(a *console.Console, k *checking, v check.Verdict) string {
	worst := ""
	if v.Property == verdict.Bounded && k.Algorithm.Worst.Formula != "" {
		worst = "\n    worst case: " + k.Algorithm.Worst.Formula
	}
	switch {
	case v.Known && v.Kind == verdict.Sometimes && v.Holds:
		return a.Paint(terminal.Green, "seen")
	case v.Known && v.Kind == verdict.Sometimes:
		return a.Paint(terminal.Red, "violated") + ", seen in no state"
	case v.Known && v.Holds:
		return a.Paint(terminal.Green, "holds") + worst
	case !v.Known && k.Exhausted:
		return "not judged" + worst
	case v.Known:
		return a.Paint(terminal.Red, "violated")
	case v.Kind == verdict.Sometimes:
		return "not seen so far"
	}
	return "not violated so far"
}
