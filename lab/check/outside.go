package check

import (
	"fmt"
	"strings"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
)

// Outside says in words where more may happen than the algorithm is made for; it is empty where not. What is
// violated then is no mistake of the algorithm.
func (c *Config) Outside() string {
	c = c.whole()
	a := c.Algorithm
	var needs, nothing []string
	if (c.Unordered || overtakes(c.After)) && a.NeedsFIFO {
		needs = append(needs, "needs links that keep the order")
	}
	switch {
	case a.Delay > 0 && c.Delay == 0:
		needs = append(needs, "needs messages that take at most "+scenario.InUnits(a.Delay))
	case a.DelayBound() > 0 && c.Delay > a.DelayBound():
		needs = append(needs, fmt.Sprintf("needs messages that take at most %s, here they take up to %s",
			scenario.InUnits(a.Delay), scenario.InUnits(c.Delay)))
	}
	if c.Losses != 0 && !a.Faults.Loss {
		nothing = append(nothing, "messages are lost")
	}
	if c.Duplicates != 0 && !a.Faults.Copies {
		nothing = append(nothing, "messages arrive twice")
	}
	if text := c.wrongProcesses(); text != "" {
		nothing = append(nothing, text)
	}
	if c.Pauses > 0 && !a.Faults.Pause {
		nothing = append(nothing, "processes pause")
	}
	if c.Cuts > 0 && !a.Faults.Cut {
		nothing = append(nothing, "the network is cut")
	}
	if len(nothing) > 0 {
		needs = append(needs, "promises nothing where "+strings.Join(nothing, ", or "))
	}
	if len(needs) == 0 {
		return ""
	}
	return a.Title() + " " + strings.Join(needs, ", and ")
}

// wrongProcesses says which failures of processes the algorithm is not made for, if any may happen.
func (c *Config) wrongProcesses() string {
	survives := &c.Algorithm.Faults
	down := c.Crashes + len(c.Crashed)
	switch most := survives.MostDown(len(c.IDs)); {
	case down == 0:
		return ""
	case !survives.Crash:
		return "processes crash"
	case c.Recoveries > 0 && !survives.Recover:
		return "processes come back without their state"
	case c.Restarts > 0 && !survives.Restart:
		return "processes come back with the state that they saved last"
	case survives.Down == nil: // any number, again and again
	case down > most && most == len(c.IDs)-1:
		return "all processes crash"
	case down > most:
		return fmt.Sprintf("more than %s crash", prose.Processes(most))
	}
	return ""
}
