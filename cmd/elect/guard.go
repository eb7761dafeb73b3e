package main

import (
	"fmt"

	"github.com/go-election/election"
)

// guard watches who asks for, enters and leaves the critical sections of a simulation.
type guard struct {
	inside map[uint8]election.ID
	token  map[uint8]uint64
	waits  map[election.ID]bool // has been told to start, and has not entered since
	err    error                // the first thing that was wrong
}

func newGuard() *guard {
	return &guard{inside: make(map[uint8]election.ID), token: make(map[uint8]uint64), waits: make(map[election.ID]bool)}
}

// observe returns an observer that also tells another, if there is one.
func (g *guard) observe(other election.Observer) election.Observer {
	return func(o *election.Occurrence) {
		switch {
		case o.What == election.Crashed:
			delete(g.waits, o.Process)
			for section, who := range g.inside {
				if who == o.Process {
					delete(g.inside, section)
				}
			}
		case o.What == election.Stepped:
			if o.Event.Op == election.Start {
				g.waits[o.Process] = true
			}
			for i := range o.Effects.Raised {
				if r := &o.Effects.Raised[i]; o.Effects.Set&election.DidRaise != 0 && !r.Down && g.err == nil {
					g.err = g.raised(o.Process, &r.Event)
				}
			}
		}
		if other != nil {
			other(o)
		}
	}
}

// raised hears that a process has entered or left a section.
func (g *guard) raised(who election.ID, ev *election.Event) error {
	section, token := ev.Msg.Flags, ev.Msg.Value
	if ev.Op == election.Entered {
		delete(g.waits, who)
	}
	switch other, taken := g.inside[section]; {
	case ev.Op == election.Left && other == who:
		delete(g.inside, section)
	case ev.Op != election.Entered:
	case taken:
		return fmt.Errorf("processes %d and %d are in critical section %d together", other, who, section)
	case token != 0 && token <= g.token[section]:
		return fmt.Errorf("process %d enters critical section %d with token %d, after %d", who, section, token, g.token[section])
	default:
		g.inside[section], g.token[section] = who, token
	}
	return nil
}
