// Package sections watches critical sections from outside: who is in which, and with which fencing token.
package sections

import (
	"fmt"

	"github.com/go-election/election"
)

// Guard is what has been seen of a run. The zero value is ready for use.
type Guard struct {
	inside map[uint8]election.ID // by section
	token  map[uint8]uint64      // the last
}

// Raised notes that a process has entered or left a section, as it has raised. The first error says that two
// are in it together, the second that a token has not increased; it is one of the two at most.
func (g *Guard) Raised(who election.ID, ev *election.Event) (together, stale error) {
	section, token := ev.Msg.Flags, ev.Msg.Value
	switch other, taken := g.inside[section]; {
	case ev.Op == election.Left && other == who:
		delete(g.inside, section)
	case ev.Op != election.Entered:
	case taken:
		return fmt.Errorf("processes %d and %d are in critical section %d together", other, who, section), nil
	case token != 0 && token <= g.token[section]:
		return nil, fmt.Errorf("process %d enters critical section %d with token %d, after %d", who, section, token, g.token[section])
	default:
		if g.inside == nil {
			g.inside, g.token = make(map[uint8]election.ID), make(map[uint8]uint64)
		}
		g.inside[section], g.token[section] = who, token
	}
	return nil, nil
}

// Crashed notes that a process is in no section any more.
func (g *Guard) Crashed(who election.ID) {
	for section, inside := range g.inside {
		if inside == who {
			delete(g.inside, section)
		}
	}
}
