package process

import (
	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Start requests an election. It starts one unless an election whose outcome this process does not know is in
// progress: the caller then receives the outcome of that election. For an algorithm that guards critical
// sections, Start requests entry to the first one.
func (p *Process) Start() error { return p.post(election.Event{Op: election.Start}) }

// Reelect abandons the current election and requests another one. Use it if an election does not end because a
// message was lost or a process has crashed. It is meant for algorithms that are not long-lived; long-lived
// ones recover by themselves, and some ignore Reelect.
//
// Call Reelect at every process, after the links work again. A call at a single process results in a leader
// only if no other process has heard of a later Term; otherwise the process may start a Term in which other
// processes have already taken part.
func (p *Process) Reelect() error { return p.post(election.Event{Op: election.Reelect}) }

// Suspect reports that a peer has left the group, or that a failure detector believes that it has crashed.
func (p *Process) Suspect(peer election.ID) error { return p.news(election.Suspect, peer) }

// Trust reports that a peer has joined the group, or that a failure detector believes that it is up again.
func (p *Process) Trust(peer election.ID) error { return p.news(election.Trust, peer) }

// Command passes a request to the algorithm; for example, package mutex defines requests for critical sections.
func (p *Process) Command(m election.Message) error {
	return p.post(election.Event{Op: election.Command, Msg: m})
}

// news posts an event about a peer, once for each link to the peer: on a ring of two there are two.
func (p *Process) news(op election.Op, peer election.ID) error {
	known := false
	for port, r := range p.roster.Load().peers {
		if r.ID == peer {
			known = true
			if err := p.post(election.Event{Op: op, Port: election.Port(port)}); err != nil {
				return err
			}
		}
	}
	if !known {
		return p.fails(input.Errorf("peer: no link leads to process %d", peer))
	}
	return nil
}

func (p *Process) post(ev election.Event) error {
	if !p.box.Send(&entry{event: ev}) {
		return p.fails(election.ErrClosed)
	}
	return nil
}
