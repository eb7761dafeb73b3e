package main

import (
	"fmt"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
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
	if c.Losses != 0 && !a.Faults.Loss {
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
	c, survives := k.Config, &k.Algorithm.Faults
	down := c.Crashes + len(c.Crashed)
	switch most := survives.MostDown(len(c.IDs)); {
	case down == 0:
		return ""
	case !survives.Crash:
		return "processes crash"
	case c.Recoveries > 0 && !survives.Recover:
		return "processes come back without their state"
	case down > most && most == len(c.IDs)-1:
		return "all processes crash"
	case down > most:
		return fmt.Sprintf("more than %s crash", prose.Plural(most, "process"))
	}
	return ""
}

// restless says that a run must be given an end, and how.
func restless(a *election.Algorithm) error {
	return usage("until: %s never comes to rest with these parameters; --until, or until in a scenario, says how long to run", a.Title())
}
