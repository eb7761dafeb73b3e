package main

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// guard watches who asks for, enters and leaves the critical sections of a simulation.
type guard struct {
	verdict.Sections
	waits map[election.ID]bool // has been told to start, and has not entered since
	err   error                // the first thing that was wrong
}

func newGuard() *guard { return &guard{waits: make(map[election.ID]bool)} }

// observe returns an observer that also tells another, if there is one.
func (g *guard) observe(other observe.Observer) observe.Observer {
	return func(o *observe.Occurrence) {
		switch {
		case o.What == observe.Crashed:
			delete(g.waits, o.Process)
			g.Crashed(o.Process)
		case o.What == observe.Stepped:
			if o.Event.Op == election.Start {
				g.waits[o.Process] = true
			}
			for i := range o.Effects.Signals {
				if r := &o.Effects.Signals[i]; !r.Down {
					g.raised(o.Process, &r.Event)
				}
			}
		}
		if other != nil {
			other(o)
		}
	}
}

// raised hears that a process has entered or left a section.
func (g *guard) raised(who election.ID, ev *election.Event) {
	if ev.Op == election.Entered {
		delete(g.waits, who)
	}
	if _, err := g.Raised(who, ev); g.err == nil {
		g.err = err
	}
}
