package treeelect

import "github.com/go-election/election"

// nowhere is no port of any process.
const nowhere = ^election.Port(0)

// spanning says which ports of a process belong to the tree: all, where it is nil.
type spanning struct{ ports ports }

// degree returns how many ports there are.
func (t *spanning) degree(e *election.Env) uint32 {
	if t == nil {
		return uint32(e.Ports())
	}
	return t.ports.len()
}

// sum returns the exclusive or of the ports.
func (t *spanning) sum(e *election.Env) (sum election.Port) {
	for port := t.after(e, nowhere); port != nowhere; port = t.after(e, port) {
		sum ^= port
	}
	return sum
}

// send sends m over all ports but one.
func (t *spanning) send(e *election.Env, except election.Port, m election.Message) {
	for port := t.after(e, nowhere); port != nowhere; port = t.after(e, port) {
		if port != except {
			e.Send(port, m)
		}
	}
}

// after returns the port that follows another, or nowhere if that is the last one. The first one
// follows nowhere.
func (t *spanning) after(e *election.Env, port election.Port) election.Port {
	port++
	switch {
	case t != nil:
		return t.ports.from(port)
	case int(port) < e.Ports():
		return port
	}
	return nowhere
}
