package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// checked draws how far a check is.
func (m *meter) checked(p check.Progress) {
	m.draw(func(seconds float64) string {
		return fmt.Sprintf("%s states, %s waiting, depth %s, %.0f s, %s a second",
			prose.Grouped(p.States), prose.Grouped(p.Queue), prose.Grouped(uint64(p.Depth)), seconds, prose.Grouped(uint64(float64(p.States)/seconds)))
	})
}

// checkReport is the JSON form, its fields in this order.
type checkReport struct {
	Algorithm       string          `json:"algorithm"`
	Variant         string          `json:"variant"`
	N               int             `json:"n"`
	Network         string          `json:"network"`
	States          uint64          `json:"states"`
	Transitions     uint64          `json:"transitions"`
	Depth           int             `json:"depth"`
	Properties      []propertyFound `json:"properties"`
	Seconds         float64         `json:"seconds"`
	StatesPerSecond float64         `json:"states_per_second"`
	BytesPerState   float64         `json:"bytes_per_state"`
	Counterexample  json.RawMessage `json:"counterexample"`

	Longest   *int    `json:"longest"`
	Messages  *int    `json:"messages"`
	Exhausted bool    `json:"exhausted"`
	Stopped   *string `json:"stopped"`
	Collision float64 `json:"collision_probability"`
	Reduced   uint64  `json:"reduced"`
	Delay     *units  `json:"delay"`
	Outside   *string `json:"outside_model"`
}

// propertyFound is the JSON form of a verdict; Holds is null where not every state was visited and it has not
// been violated.
type propertyFound struct {
	Name  string       `json:"name"`
	Holds *bool        `json:"holds"`
	Kind  verdict.Kind `json:"kind"`
}

// known returns whether a property holds; nil where that is open.
func (k *checking) known(v check.Verdict) *bool {
	if v.Known {
		return &v.Holds
	}
	return nil
}

func (k *checking) report() checkReport {
	r := checkReport{
		Algorithm: k.Algorithm.Name, Variant: k.Algorithm.Variant, N: len(k.IDs), Network: k.flags.network,
		States: k.States, Transitions: k.Transitions, Depth: k.Depth, Properties: []propertyFound{},
		Seconds: k.Wall.Seconds(), StatesPerSecond: k.speed(), BytesPerState: prose.Rounded(k.perState(), 2),
		Exhausted: k.Exhausted, Collision: k.Collision, Reduced: k.Reduced, Delay: k.longestDelay(),
		Longest: orNull(k.Longest), Messages: orNull(k.Result.Messages),
	}
	for _, v := range k.Result.Properties {
		r.Properties = append(r.Properties, propertyFound{v.Property.Text(), k.known(v), v.Kind})
	}
	if text := k.Outside(); text != "" {
		r.Outside = &text
	}
	if k.Stopped != nil {
		text := k.stopped().Error()
		r.Stopped = &text
	}
	if k.ran != nil {
		r.Counterexample = k.ran.json
	}
	return r
}

// longestDelay is null where time is not modelled.
func (k *checking) longestDelay() *units {
	if k.Delay == 0 {
		return nil
	}
	u := units(k.Delay)
	return &u
}

// orNull returns nil for what was not counted.
func orNull(count int) *int {
	if count < 0 {
		return nil
	}
	return &count
}

func (k *checking) speed() float64 {
	return prose.Rounded(float64(k.States)/max(k.Wall.Seconds(), 1e-9), 0)
}

func (k *checking) perState() float64 { return float64(k.Bytes) / max(float64(k.States), 1) }

// tell reports a check, and its counterexample.
func (a *app) tell(k *checking) error {
	f := k.flags
	switch {
	case f.json:
		line, err := json.Marshal(k.report())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.stdout, "%s\n", line); err != nil {
			return err
		}
	case !f.silent:
		if _, err := fmt.Fprint(a.stdout, a.checkSummary(k)); err != nil {
			return err
		}
	}
	if k.ran == nil {
		return a.tellNone(f.unwritten("no counterexample"), f.json || f.silent)
	}
	return a.tellExample(k)
}

// unwritten says which files there is nothing for, if any.
func (f *checkFlags) unwritten(why string) string {
	names := []string{f.out}
	for _, file := range f.files.all() {
		names = append(names, *file.name)
	}
	return notWritten(why, names...)
}

// notWritten says that files are not written, if there are any.
func notWritten(why string, names ...string) string {
	some := slices.ContainsFunc(names, func(name string) bool { return name != "" })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == standardStream })
	switch {
	case !some:
		return ""
	case len(names) == 0:
		return why + ", nothing is written"
	case len(names) == 1:
		return fmt.Sprintf("%s, %s is not written", why, names[0])
	}
	last := len(names) - 1
	return fmt.Sprintf("%s, %s and %s are not written", why, strings.Join(names[:last], ", "), names[last])
}

// tellNone says that files are not written: behind a report, or on standard error where that is for programs.
func (a *app) tellNone(text string, quiet bool) (err error) {
	switch {
	case text == "":
	case quiet:
		_, err = fmt.Fprintln(a.stderr, "elect: "+text)
	default:
		_, err = fmt.Fprintln(a.stdout, "\n"+text)
	}
	return err
}

// checkSummary tells what came out of a check, for people.
func (a *app) checkSummary(k *checking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s\n", a.paint(bold, k.Algorithm.Title()), prose.Processes(len(k.IDs)), topology.Name(k.Topology))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("network", "%s", k.links())
	row("time", "%s", k.time())
	if text := k.budgets(); text != "" {
		row("processes", "%s", text)
	}
	if text := k.Outside(); text != "" {
		fmt.Fprintf(&b, "  %s: %s\n", a.paint(bold, "outside its model"), text)
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
		fmt.Fprintf(&b, "  %-*s  %s\n", width, v.Property.Text(), a.holds(k, v))
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
func (a *app) holds(k *checking, v check.Verdict) string {
	worst := ""
	if v.Property == verdict.Bounded && k.Algorithm.Worst.Formula != "" {
		worst = ", worst case: " + k.Algorithm.Worst.Formula
	}
	switch holds := k.known(v); {
	case holds != nil && v.Kind == verdict.Sometimes && *holds:
		return a.paint(green, "seen")
	case holds != nil && v.Kind == verdict.Sometimes:
		return a.paint(red, "violated") + ", seen in no state"
	case holds != nil && *holds:
		return a.paint(green, "holds") + worst
	case holds == nil && k.Exhausted:
		return "not judged" + worst
	case holds != nil:
		return a.paint(red, "violated")
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
	text := fmt.Sprintf("messages take up to %s", units(k.Delay))
	if k.Result.Tick > 0 && k.Result.Tick != k.Delay {
		text += fmt.Sprintf(", in ticks of %s", units(k.Result.Tick))
	}
	if k.Window > 0 {
		text += fmt.Sprintf(", starts until %s", units(k.Window))
	}
	if k.Until > 0 {
		text += fmt.Sprintf(", the end at %s", units(k.Until))
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
