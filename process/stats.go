package process

import "github.com/go-election/election/observe"

// Stats are what a process has sent and received so far.
type Stats struct {
	Sent     uint64 // messages that were given to the transport, or refused by it
	ByKind   []observe.KindCount
	Received uint64 // packets that were delivered
	Dropped  uint64 // packets that were for another process, or not from a peer
	Overflow uint64 // packets that came while as many as Backlog of their link waited
	Copies   uint64 // packets that had arrived before
	Rejected uint64 // packets, among those delivered, of a Term out of reach or on which the Node failed
	Unsent   uint64 // messages that the transport returned an error for
	Depth    uint64 // the longest chain of messages that has reached this process
}

// Stats returns what the process has sent and received so far.
func (p *Process) Stats() Stats {
	s := Stats{
		Received: p.received.Load(), Dropped: p.dropped.Load(),
		Copies: p.copies.Load(), Rejected: p.rejected.Load(), Overflow: p.overflow.Load(),
		Unsent: p.unsent.Load(), Depth: uint64(p.depth.Load()),
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
