package treeelect

import (
	"github.com/go-election/election"
	"github.com/go-election/election/internal/portset"
)

// spanning is the set of ports of a process that belong to the tree. If nil, all ports do.
type spanning struct{ ports portset.Set }

// degree returns how many ports there are.
func (t *spanning) degree(e *election.Env) uint32 {
	if t == nil {
		return uint32(e.Ports())
	}
	return uint32(t.ports.Len())
}

// sum returns the exclusive or of the ports.
func (t *spanning) sum(e *election.Env) (sum election.Port) {
	for port := t.after(e, election.NoPort); port != election.NoPort; port = t.after(e, port) {
		sum ^= port
	}
	return sum
}

// send sends m over all ports but one.
func (t *spanning) send(e *election.Env, except election.Port, m election.Message) {
	for port := t.after(e, election.NoPort); port != election.NoPort; port = t.after(e, port) {
		if port != except {
			e.Send(port, m)
		}
	}
}

// after returns the port after the given one, or NoPort if it is the last. The first port follows NoPort.
func (t *spanning) after(e *election.Env, port election.Port) election.Port {
	port++
	switch {
	case t != nil:
		return t.ports.From(port)
	case port < election.Port(e.Ports()):
		return port
	}
	return election.NoPort
}
