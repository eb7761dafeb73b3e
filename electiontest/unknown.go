package electiontest

import (
	"bytes"
	"fmt"

	"github.com/go-election/election"
)

// strange is an event that no Node expects.
type strange struct {
	name    string
	ev      election.Event
	ignored bool // it must have no effect
}

// strangers returns events that a Node in this state does not expect. m is the event that it would receive
// next.
func (h *history) strangers(host *election.TermKeeper, m *moment) []strange {
	ports := election.Port(h.in.Topology.Ports(m.p))
	kinds := uint8(len(h.in.Algorithm.Kinds))
	term := host.Term()
	received := m.ev.Op == election.Recv // otherwise it belongs to no election
	if received {
		term = m.ev.Msg.Term
	}
	at := func(ev election.Event) election.Event {
		ev.At = m.ev.At
		return ev
	}
	all := []strange{
		{"an Op that it does not know", at(election.Event{Op: 200}), true},
		{"a Timeout of a timer that it has never set", at(election.Event{Op: election.Timeout, Timer: 251}),
			false},
		{"a Suspect of a port that it does not have",
			at(election.Event{Op: election.Suspect, Port: ports + 7}), false},
		{"a Trust of a port that it does not have", at(election.Event{Op: election.Trust, Port: ports + 7}),
			false},
		{"a Command that it does not know", at(election.Event{Op: election.Command,
			Msg: election.Message{Kind: 250, Flags: 0xff}}), false},
		{"a Rejoin", at(election.Event{Op: election.Rejoin}), false},
	}
	if ports == 0 {
		return all
	}
	for _, kind := range []uint8{kinds + 1, 0xff} {
		for _, own := range []bool{false, true} {
			msg := election.Message{Kind: kind, Term: term, Rank: election.Rank{ID: 1 << 60},
				Value: m.ev.Msg.Value}
			if own {
				msg.Rank = h.in.Self(m.p)
			}
			if kind > kinds { // otherwise 255 is a valid kind
				all = append(all, strange{"a message of a Kind that it does not know",
					at(election.Event{Op: election.Recv, Port: ports - 1, Msg: msg}),
					received && term == host.Term()})
			}
		}
	}
	if received {
		flags, layer, value := m.ev, m.ev, m.ev
		flags.Msg.Flags, layer.Msg.Layer, value.Msg.Value, value.Msg.Round = 0xff, 77, 1<<63+5, 1<<31
		all = append(all, strange{"a message with Flags that it does not know", flags, false},
			strange{"a message for a Layer that it does not have", layer, false},
			strange{"a message with numbers that cannot be", value, false})
	}
	return all
}

// unknown steps Nodes with unexpected events, in every state of some runs.
func unknown(t *trial) error {
	all, err := t.histories(12, nil)
	if err != nil {
		return err
	}
	for _, h := range all {
		hosts := h.hosts()
		for i := range h.moments {
			m := &h.moments[i]
			if err := h.renew(&hosts[m.p], m); err != nil {
				return err
			}
			before := new(election.State).Append(nil, &hosts[m.p])
			for _, s := range h.strangers(&hosts[m.p], m) {
				if i%3 != 0 && i > 60 {
					break
				}
				if err := harmless(h, m, before, &s); err != nil {
					return err
				}
			}
			if _, err := h.step(i, &hosts[m.p], m.p, m.ev); err != nil {
				return err
			}
		}
	}
	return forged(t)
}

// harmless steps a Node in the given state with an unexpected event.
func harmless(h *history, m *moment, state []byte, s *strange) error {
	host := h.in.Node(m.p)
	if err := new(election.State).Restore(&host, state); err != nil {
		return err
	}
	fx, err := h.step(0, &host, m.p, s.ev)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	what := &happens{h, m.p, &s.ev}
	for _, out := range fx.Sends {
		if _, _, ok := h.in.Topology.Link(m.p, out.Port); !ok {
			return fmt.Errorf("%s makes it send over port %d, which it does not have: %v", s.name, out.Port,
				what)
		}
	}
	switch {
	case !s.ignored:
		return nil
	case len(fx.Sends) > 0 || fx.Rare():
		return fmt.Errorf("%s is not ignored: %v sends %+v and does [%v]", s.name, what, fx.Sends, fx)
	case !bytes.Equal(state, new(election.State).Append(nil, &host)):
		return fmt.Errorf("%s is not ignored: the state of %v changes", s.name, what)
	}
	return nil
}
