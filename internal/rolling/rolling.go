// Package rolling gives the processes of a check or a run different lists of members, as while the members of
// a group are restarted one after another with a new list.
package rolling

import "github.com/go-election/election"

// Change is a change of the list. Both lists are the processes from 1 on, up to these IDs. A process knows
// the list Before until it comes back after a crash, and After from then on. One that Before lacks knows only
// After.
type Change struct{ Before, After election.ID }

// Of returns an algorithm on a complete graph whose Nodes see the members of their lists only.
func (c Change) Of(a *election.Algorithm) *election.Algorithm {
	changed := *a
	changed.New = func(s election.Setup) election.Node {
		return &node{Node: a.New(s), change: c, me: s.Self.ID}
	}
	return &changed
}

// node is a Node that knows some of the processes.
type node struct {
	election.Node
	change Change
	me     election.ID
	back   bool // it has come back
}

// State visits what changes.
func (n *node) State(s *election.State) {
	n.Node.State(s)
	s.Bool(&n.back)
}

// list returns the largest ID in the list that the process knows.
func (n *node) list() election.ID {
	if n.back || n.me > n.change.Before {
		return n.change.After
	}
	return n.change.Before
}

// Step drops what comes from outside the list, as package process does. A process that is not in its own list
// has been removed, and does nothing.
func (n *node) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Rejoin {
		n.back = true
	}
	seen := members{e, int(n.list()) - 1}
	if n.me > n.list() || ev.Op == election.Recv && int(ev.Port) >= seen.ports {
		return
	}
	inner := election.NewEnv(seen, e.Choose)
	fx := inner.Begin(0)
	n.Node.Step(inner, ev)
	for _, o := range fx.Sends {
		e.Send(o.Port, o.Msg)
	}
	for _, t := range fx.Timers {
		if t.Stop {
			e.StopTimer(t.Timer)
		} else {
			e.SetTimer(t.Timer, t.Min, t.Max)
		}
	}
	switch o := fx.Outcome; {
	case !fx.Decided():
	case o.Until != 0:
		e.Lease(o.Term, o.Until)
	case o.Role == election.Undecided:
		e.Withdraw(o.Term)
	default:
		e.DecideIn(o.Term, o.Leader)
	}
	if fx.Ended() {
		e.Done()
	}
	if fx.Saved() {
		e.Save()
	}
}

// members is the View of a process on a list: ports are in the order of the IDs behind them, so the ports of
// a list come first.
type members struct {
	e     *election.Env
	ports int
}

func (m members) Self(int) election.Rank                       { return m.e.Self() }
func (m members) Ports(int) int                                { return m.ports }
func (m members) Peer(_ int, port election.Port) election.Rank { return m.e.Peer(port) }
