package soak

import (
	"strings"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/sim"
)

// Describe describes the Plan in a line.
func (p *Plan) Describe() string {
	parts := []string{prose.Plural(len(p.IDs), "process"), prose.Plural(p.Starts(), "initiator")}
	if n := len(p.CrashAt) + len(p.Crashed); n == 1 {
		parts = append(parts, "1 crash")
	} else if n > 1 {
		parts = append(parts, prose.Grouped(uint64(n))+" crashes")
	}
	if p.SuspectAfter > 0 {
		parts = append(parts, "a failure detector")
	}
	if n := len(p.ClockRates); n > 0 {
		parts = append(parts, prose.Plural(n, "wrong clock"))
	}
	if n := len(p.PauseAt); n > 0 {
		parts = append(parts, prose.Plural(n, "pause"))
	}
	if n := len(p.Config.Faults.Partitions); n > 0 {
		parts = append(parts, prose.Plural(n, "cut"))
	}
	if n := len(p.Commands); n > 0 {
		parts = append(parts, prose.Plural(n, "command"))
	}
	if p.Schedule == sim.RandomDelay {
		parts = append(parts, "random delays")
	}
	if p.Config.Faults.Loss > 0 {
		parts = append(parts, "links that lose messages")
	}
	if p.Config.Faults.Duplicate > 0 {
		parts = append(parts, "links that duplicate messages")
	}
	if p.Unordered {
		parts = append(parts, "links that do not keep the order")
	}
	return strings.Join(parts, ", ")
}
