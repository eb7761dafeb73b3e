package process

import (
	"math/rand/v2"

	"github.com/go-election/election/observe"
)

// choose returns the implementation of [election.Env.Choose]. If the process is observed, it records the
// choices.
func (p *Process) choose() func(n int) int {
	if p.config.Observe == nil {
		return rand.IntN
	}
	return func(n int) int {
		chosen := rand.IntN(n)
		p.seen = append(p.seen, observe.Choice{Of: n, Chosen: chosen})
		return chosen
	}
}

// report calls the observer, if there is one.
func (p *Process) report(o *observe.Occurrence) {
	if p.config.Observe != nil {
		o.Process = p.config.Self.ID
		p.config.Observe(o)
	}
}
