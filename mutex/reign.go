package mutex

import (
	"cmp"
	"math"
	"time"

	"github.com/go-election/election"
)

// reign is the period in which one arbiter grants. Reigns are ordered: a later reign is larger and has larger
// tokens.
type reign struct {
	number  uint64
	arbiter election.Rank
}

// mostReigns keeps tokens below 2^63, so that they fit into a signed column of a database.
const mostReigns = math.MaxInt32

func (r reign) less(o reign) bool {
	return cmp.Or(cmp.Compare(r.number, o.number), r.arbiter.Compare(o.arbiter)) < 0
}

func (r *reign) visit(s *election.State) {
	s.Uint64(&r.number)
	s.Rank(&r.arbiter)
}

// claimReign begins a reign larger than all that this process has heard of, and asks all other processes for
// larger ones. The Term alone is not enough: a process that has recovered may lead in a Term in which it, or
// another process, has granted before; and a leader of bully adopts a larger Term without announcing it to all.
// Grace is the time for CLAIM and its replies. A process that has received the CLAIM accepts no grant of an
// earlier reign (rule 9).
func (n *arbiter) claimReign(e *election.Env) {
	next := reign{n.term, e.Self()}
	if n.amnesic {
		next.number = 0 // only a question: it may have granted in any reign, including this one
	} else if next.number > mostReigns || !n.latest.less(next) {
		next.number = n.latest.number + 1
	}
	n.ready, n.count = false, 0
	if next.number > mostReigns {
		e.Refuse(election.ErrTermExhausted)
		return
	}
	// Save before sending the claim: after a restart this process must not claim the same number again.
	n.latest = next
	e.Save()
	for i := range n.accounts {
		// The holder recorded in an earlier reign counts until a client declares otherwise. The arbiter is
		// certain only about itself.
		n.accounts[i].confirmed = n.accounts[i].holder == ownClient
	}
	for port := range election.Port(e.Ports()) {
		e.Send(port, election.Message{Kind: n.base + kindClaim, Value: next.number})
	}
	e.SetTimer(timerGrace, n.config.Grace, n.config.Grace)
}

// recvClaim sends the arbiter of a new reign what it needs to know: a later reign, or each section that this
// process is in or waits for (rule 10).
func (n *arbiter) recvClaim(e *election.Env, ev *election.Event) {
	claimed := reign{ev.Msg.Value, e.Peer(ev.Port)}
	if claimed.less(n.latest) || claimed.number > mostReigns {
		n.sendLater(e, ev.Port)
		return
	}
	if n.latest != claimed {
		n.latest = claimed
		e.Save()
	}
	for i := range n.seats {
		section := uint8(i)
		switch {
		case n.seats[i].phase == inside:
			n.sendInside(e, ev.Port, section)
		case n.seats[i].phase != waiting || n.location != remoteArbiter || n.port != ev.Port:
		case claimed.number != n.term || n.seats[i].term != n.term:
			// This is not the reign that began with the election, after which this process has sent its
			// request: the arbiter may have recovered since, and has then forgotten the request.
			n.ask(e, ev.At, section)
		}
	}
	if n.location == localArbiter {
		// Two processes lead. If this continues, each reigns for some time: the Grace of this process starts
		// after the Grace of the other. If it claimed immediately, neither would have time to grant.
		n.ready = false
		e.SetTimer(timerGrace, n.config.Grace, n.config.Grace)
	}
}

// sendLater sends the latest reign to an arbiter.
func (n *arbiter) sendLater(e *election.Env, to election.Port) {
	e.Send(to, election.Message{Kind: n.base + kindLater, Value: n.latest.number, Rank: n.latest.arbiter})
}

// warn tells a new arbiter about another arbiter's reign that the new Term does not exceed. The new arbiter may
// have led in that Term before, while it was cut off from that reign, and then does not claim again.
func (n *arbiter) warn(e *election.Env) {
	elected := reign{n.term, n.chief}
	if n.location == remoteArbiter && n.latest.arbiter != n.chief && elected.less(n.latest) {
		n.sendLater(e, n.port)
	}
}

// recvLater handles a larger reign than the one that this process has claimed (rule 11).
func (n *arbiter) recvLater(e *election.Env, heard reign) {
	if heard.number > mostReigns || !n.latest.less(heard) {
		return
	}
	n.latest, n.amnesic = heard, false
	if n.location == localArbiter {
		n.claimReign(e)
	}
}

// endGrace starts to grant, unless another arbiter has claimed a larger reign in the meantime (rule 12).
func (n *arbiter) endGrace(e *election.Env, at time.Duration) {
	if n.amnesic || n.latest.arbiter != e.Self() {
		n.amnesic = false
		n.claimReign(e)
		return
	}
	n.ready = true
	n.serveAll(e, at)
}
