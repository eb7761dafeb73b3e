package electiontest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/go-election/election"
)

// forger generates messages that a faulty or hostile peer could send: each field is likely to be a value that
// the algorithm uses, or a limit of its type.
type forger struct {
	*rand.Rand
	h *history
}

// forgeries is the number of forged messages before each event of a Node.
const forgeries = 8

// forged sends such messages to Nodes during some runs, cumulatively: no Node may panic or send over a port
// without a link, whatever its peers send.
func forged(t *trial) error {
	all, err := t.histories(12, nil)
	if err != nil {
		return err
	}
	for i, h := range all {
		// The second word is "forg" in ASCII.
		f := forger{rand.New(rand.NewPCG(uint64(i), 0x666f7267)), h}
		hosts := h.hosts()
		for i := range h.moments {
			m := &h.moments[i]
			if m.fresh {
				hosts[m.p] = h.in.Node(m.p)
			}
			events := []election.Event{m.ev}
			if h.in.Topology.Ports(m.p) > 0 {
				for range forgeries {
					events = append(events, f.event(&hosts[m.p], m))
				}
			}
			for _, ev := range events {
				if err := survives(h, i, &hosts[m.p], m.p, ev); err != nil {
					return fmt.Errorf("after messages that no process sends: %w", err)
				}
			}
		}
	}
	return nil
}

// survives steps a Node, and checks its panics and the ports it sends over.
func survives(h *history, i int, host *election.TermKeeper, p int, ev election.Event) error {
	fx, err := h.step(i, host, p, ev)
	if err != nil {
		return err
	}
	for _, out := range fx.Sends {
		if _, _, ok := h.in.Topology.Link(p, out.Port); !ok {
			return fmt.Errorf("it sends over port %d, which it does not have: %v", out.Port,
				&happens{h, p, &ev})
		}
	}
	return nil
}

// event returns a forged message that arrives at a process.
func (f *forger) event(host *election.TermKeeper, m *moment) election.Event {
	like := m.ev.Msg // the message that it receives at this moment, if any
	kinds := len(f.h.in.Algorithm.Kinds)
	ports := uint64(f.h.in.Topology.Ports(m.p))
	msg := election.Message{
		Kind:  uint8(f.number(uint64(like.Kind), uint64(1+f.IntN(kinds)), uint64(1+f.IntN(kinds)))),
		Term:  f.number(host.Term(), like.Term, host.Term()+1),
		Rank:  f.rank(like.Rank),
		Value: f.number(like.Value, f.Uint64N(64), f.Uint64N(16)<<32|f.Uint64N(16)),
		Round: uint32(f.number(uint64(like.Round), f.Uint64N(5), ports)),
		Flags: uint8(f.number(uint64(like.Flags), f.Uint64N(4), 0)),
		Layer: uint8(f.number(uint64(like.Layer), 0, f.Uint64N(3))),
	}
	port := election.Port(f.Uint64N(ports))
	// On a one-way ring, messages arrive only over the port over which the process cannot send.
	if _, _, ok := f.h.in.Topology.Link(m.p, port); !ok && f.h.in.Topology.OneWay() {
		port = election.Counterclockwise
	}
	return election.Event{Op: election.Recv, At: m.ev.At, Port: port, Msg: msg}
}

// number returns one of the likely values, or occasionally any value.
func (f *forger) number(likely ...uint64) uint64 {
	switch f.IntN(8) {
	case 0:
		return f.Uint64()
	case 1:
		return math.MaxUint64 - f.Uint64N(2)
	case 2:
		return 0
	}
	// Values that are almost valid get further into a handler than arbitrary ones.
	return likely[f.IntN(len(likely))]
}

// rank returns the Rank of a process, or of no process.
func (f *forger) rank(like election.Rank) election.Rank {
	switch f.IntN(4) {
	case 0:
		return election.Rank{ID: election.ID(f.Uint64N(9)), Priority: f.Uint64N(3)}
	case 1:
		return election.Rank{ID: math.MaxUint64, Priority: math.MaxUint64}
	case 2:
		return like
	}
	return f.h.in.Self(f.IntN(len(f.h.in.IDs)))
}
