package verdict

import (
	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// Entries notes which processes enter critical sections, and when, for a driver that does not.
type Entries []Entry

// Observe takes what a driver reports, one occurrence at a time.
func (e *Entries) Observe(o *observe.Occurrence) {
	if o.What != observe.Step {
		return
	}
	for i := range o.Effects.Signals {
		if s := &o.Effects.Signals[i]; !s.Down && s.Event.Op == election.Entered {
			m := &s.Event.Msg
			*e = append(*e, Entry{At: o.At, ID: o.Process, Section: m.Flags, Token: m.Value})
		}
	}
}
