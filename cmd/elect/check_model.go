package main

import (
	"fmt"
	"strings"

	"github.com/go-election/election"
)

// outside says where more may happen than the algorithm is made for; empty where it may not. What is violated
// then is no mistake of the algorithm.
func (k *checking) outside() string {
	a, c := k.Algorithm, k.Config
	var needs, nothing []string
	if c.Unordered && a.NeedsFIFO {
		needs = append(needs, "needs links that keep the order")
	}
	switch {
	case a.Delay > 0 && c.Delay == 0:
		needs = append(needs, fmt.Sprintf("needs messages that take at most %s", units(a.Delay)))
	case a.Delay > 0 && c.Delay > a.Delay:
		needs = append(needs, fmt.Sprintf("needs messages that take at most %s, here they take up to %s", units(a.Delay), units(c.Delay)))
	}
	if c.Losses != 0 && !k.regenerates() {
		nothing = append(nothing, "messages are lost")
	}
	if c.Duplicates != 0 {
		nothing = append(nothing, "messages arrive twice")
	}
	if text := k.wrongProcesses(); text != "" {
		nothing = append(nothing, text)
	}
	if len(nothing) > 0 {
		needs = append(needs, "promises nothing where "+strings.Join(nothing, ", or "))
	}
	if len(needs) == 0 {
		return ""
	}
	return a.Title() + " " + strings.Join(needs, ", and ")
}

// wrongProcesses says what may become of processes for which the algorithm is not made, if anything.
func (k *checking) wrongProcesses() string {
	a, c := k.Algorithm, k.Config
	down := c.Crashes + len(c.Crashed)
	arbiter := a.Sections > 0 && a.Delay > 0 // who counts on time-outs allows for crashes
	switch {
	case down == 0 || a.Winner == election.LargestOfLive && a.Sections == 0:
		return ""
	case !arbiter && !k.regenerates():
		return "processes crash"
	case c.Recoveries > 0:
		return "processes come back without their state"
	case arbiter && down >= len(c.IDs):
		return "all processes crash"
	}
	return ""
}

// regenerates reports whether what is lost is made anew: the algorithm has a parameter for that.
func (k *checking) regenerates() bool {
	v, given := k.flags.parameters["regenerate"]
	return given && (v.Number > 0 || v.Text != "")
}

// restless says that a run must be given an end, and how.
func restless(a *election.Algorithm) error {
	return usage("until: %s never comes to rest with these parameters; --until, or until in a scenario, says how long to run", a.Title())
}
