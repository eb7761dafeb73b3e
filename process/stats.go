package process

import "github.com/go-election/election/observe"

// Stats are counts of the messages that a process has sent and received.
type Stats struct {
	Sent     uint64 // messages passed to the transport, including failed ones
	ByKind   []observe.KindCount
	Received uint64 // packets delivered
	Dropped  uint64 // packets for another process, or not from a peer
	Overflow uint64 // packets that arrived while Backlog packets of their link were waiting
	Copies   uint64 // duplicates
	Rejected uint64 // delivered packets whose Term was out of reach or on which the Node failed
	Unsent   uint64 // messages for which the transport returned an error
}

// Stats returns the current counts.
func (p *Process) Stats() Stats {
	s := Stats{
		Received: p.received.Load(), Dropped: p.dropped.Load(),
		Copies: p.copies.Load(), Rejected: p.rejected.Load(), Overflow: p.overflow.Load(),
		Unsent: p.unsent.Load(),
	}
	for kind := range p.sent {
		if n := p.sent[kind].Load(); n > 0 {
			s.Sent += n
			s.ByKind = append(s.ByKind, observe.KindCount{Kind: p.config.Algorithm.KindName(uint8(kind)),
				Count: n})
		}
	}
	return s
}
