package afekgafni

import "github.com/go-election/election"

// Message kinds of async. Capture, kill and killed carry the level and the Rank of a candidate, elected the
// leader, accept nothing.
const (
	kindCapture uint8 = iota + 1
	kindAccept
	kindKill
	kindKilled
	kindElected
)

// state describes who owns this process, and whether it is a candidate.
type state uint8

const (
	unowned   state = iota
	candidate       // it owns itself
	killed          // it still owns itself, but is not a candidate any more
	captured        // another process owns it
)

// process is a participant of async.
type process struct {
	me         election.Rank
	largest    claim         // largest claim that has tried to capture this process
	level      uint32        // number of processes it has captured; the port that it tries next
	owner      election.Port // port of its owner, if it is captured
	challenger election.Port // port of the largest claim
	state      state
}

func (n *process) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start: // rule 1
		if n.state == unowned {
			// A candidate owns itself from the beginning. Otherwise it would accept any claim, and two
			// candidates that try each other first would both capture the other, and both lead.
			n.state, n.largest = candidate, claim{0, n.me}
			n.tryNext(e)
		}
	case election.Recv:
		switch ev.Msg.Kind {
		case kindCapture:
			n.capture(e, ev.Port, claimOf(&ev.Msg))
		case kindAccept:
			n.accepted(e, ev.Port)
		case kindKill:
			n.kill(e, ev.Port, claimOf(&ev.Msg))
		case kindKilled:
			n.ownerKilled(e, claimOf(&ev.Msg))
		case kindElected: // rule 10
			follow(e, ev.Msg.Rank)
		}
	}
}

// tryNext tries to capture the process behind the next link.
func (n *process) tryNext(e *election.Env) {
	if int(n.level) == e.Ports() { // rule 9
		lead(e, n.me, kindElected)
		return
	}
	e.Send(election.Port(n.level), n.claim().message(kindCapture))
}

// claim returns how far this candidate has come.
func (n *process) claim() claim { return claim{n.level, n.me} }

func (n *process) capture(e *election.Env, from election.Port, c claim) {
	// Do not send a refusal: the candidate is not needed any more, and would only wait.
	if !n.largest.less(c) { // rule 2
		return
	}
	n.largest, n.challenger = c, from
	switch {
	case n.state == unowned: // rule 3
		n.yield(e)
	case n.state == captured: // rule 5
		e.Send(n.owner, c.message(kindKill))
	case n.claim().less(c): // rule 4
		n.yield(e)
	default: // rule 4
	}
}

// yield makes the challenger the owner of this process.
func (n *process) yield(e *election.Env) {
	n.state, n.owner = captured, n.challenger
	e.Send(n.owner, election.Message{Kind: kindAccept})
}

func (n *process) kill(e *election.Env, from election.Port, c claim) { // rule 6
	if n.state == candidate && n.claim().less(c) {
		n.state = killed
	}
	// Also reply if the claim is the smaller one: the owner is not a candidate, so it loses nothing.
	if n.state != candidate {
		e.Send(from, c.message(kindKilled))
	}
}

func (n *process) ownerKilled(e *election.Env, c claim) { // rule 7
	// Another claim may have arrived in the meantime. Its own KILL is in flight, and decides.
	if n.state == captured && c == n.largest {
		n.yield(e)
	}
}

func (n *process) accepted(e *election.Env, from election.Port) { // rule 8
	// A duplicate ACCEPT does not arrive over the link that is tried now.
	if n.state == candidate && uint32(from) == n.level {
		n.level++
		n.tryNext(e)
	}
}

func (n *process) State(s *election.State) {
	s.Enum((*uint8)(&n.state), uint8(captured)+1)
	n.largest.visit(s)
	s.Uint32(&n.level)
	s.Port(&n.owner)
	s.Port(&n.challenger)
}
