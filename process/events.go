package process

import (
	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Start asks for an election. It begins one unless one is under way whose outcome this process does not know
// yet: that one is what the caller hears of next. An algorithm that guards critical sections takes it as
// the request to enter the first one.
func (p *Process) Start() error { return p.post(election.Event{Op: election.Start}) }

// Reelect asks for an election in place of the one under way, which is given up: the way out where a message
// was lost or a process has crashed, and an election does not end. It is for algorithms that are not
// long-lived; a long-lived one finds its own way out, and some ignore it.
//
// Call it at every process, once messages arrive again. At a single process it ends in a leader only if no
// other process has heard of a later Term: else it may begin a Term in which others have taken part already.
func (p *Process) Reelect() error { return p.post(election.Event{Op: election.Reelect}) }

// Suspect says that a failure detector believes that a peer has crashed.
func (p *Process) Suspect(peer election.ID) error { return p.news(election.Suspect, peer) }

// Trust says that a failure detector believes that a peer is up again.
func (p *Process) Trust(peer election.ID) error { return p.news(election.Trust, peer) }

// Left says that a peer has said good-bye: it has left the group on purpose.
func (p *Process) Left(peer election.ID) error { return p.news(election.Left, peer) }

// Joined says that a peer that had left is back, or is there for the first time.
func (p *Process) Joined(peer election.ID) error { return p.news(election.Joined, peer) }

// Command gives the process a request that only its algorithm understands, such as package mutex's for a
// critical section.
func (p *Process) Command(m election.Message) error {
	return p.post(election.Event{Op: election.Command, Msg: m})
}

// news posts what happened to a peer, once for each link to it: a ring of two has two.
func (p *Process) news(op election.Op, peer election.ID) error {
	known := false
	for port, r := range p.config.Peers {
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
