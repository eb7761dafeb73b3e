package election

import (
	"slices"
	"strings"

	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Smallest returns the same algorithm with the order of Ranks reversed: the smallest process wins instead of
// the largest. It sends as many messages as the original algorithm does with all Ranks mirrored.
// [Outcome.Before] does not know the order: of two leaders in one Term it prefers the larger. If the algorithm
// compares no Ranks, because it has no Winner, Smallest returns an error that wraps [ErrInput].
func (a *Algorithm) Smallest() (*Algorithm, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.Sections > 0 {
		return nil, input.Errorf("algorithm: %s guards critical sections; reverse the order of its election "+
			"instead", a.Title())
	}
	if a.Winner == nil {
		return nil, input.Errorf("algorithm: %s has no Winner, so there is no order to reverse", a.Title())
	}
	b := *a
	b.Winner = turnedWinner(a.Winner)
	b.Best, b.Mean, b.Worst = turnedBound(a.Best), turnedBound(a.Mean), turnedBound(a.Worst)
	b.New = func(s Setup) Node {
		s.Self, s.turned = turnedRank(s.Self), !s.turned
		return &turned{node: a.New(s), kinds: a.Kinds}
	}
	if a.Configure != nil {
		b.Configure = func(given *params.Given) (*Algorithm, error) {
			c, err := a.Configure(given)
			if err != nil {
				return nil, err
			}
			return c.Smallest()
		}
	}
	return &b, nil
}

// As returns the ID by which the Node knows a process that a parameter names. It differs from id if the order
// of Ranks is reversed.
func (s Setup) As(id ID) ID {
	if s.turned {
		return turnedID(id)
	}
	return id
}

// turnedID reverses the order of IDs. Zero stays zero: it is no process.
func turnedID(id ID) ID { return -id }

// turnedRank reverses the order of Ranks. It does not change Ranks without an ID.
func turnedRank(r Rank) Rank {
	if r.ID == 0 {
		return r
	}
	return Rank{Priority: ^r.Priority, ID: turnedID(r.ID)}
}

// turnedWinner returns the rule by which the smallest process wins if the largest wins by w.
func turnedWinner(w *Winner) *Winner {
	v := *w
	v.Smallest = !w.Smallest
	v.Name = strings.NewReplacer("largest", "smallest", "smallest", "largest").Replace(w.Name)
	v.Of = func(all []Candidate) ID {
		all = slices.Clone(all)
		for i := range all {
			all[i].Rank = turnedRank(all[i].Rank)
		}
		return turnedID(w.Of(all))
	}
	return &v
}

// turnedBound returns b with its arrangement of Ranks reversed.
func turnedBound(b cost.Bound) cost.Bound {
	if arrange := b.Arrange; arrange != nil {
		b.Arrange = func(n int) []uint64 {
			places := slices.Clone(arrange(n))
			for i := range places {
				places[i] = uint64(n) + 1 - places[i]
			}
			return places
		}
	}
	return b
}

// turned runs a Node with all Ranks reversed. Messages, outcomes and events outside contain the real Ranks, so
// that drivers, logs and other processes see no difference. For the Node inside, turned is the View.
type turned struct {
	node  Node
	kinds []Kind
	outer View
	event Event
}

// Step handles one event.
func (t *turned) Step(e *Env, ev *Event) {
	t.event = *ev
	t.message(&t.event.Msg)
	mark, signals, before := len(e.fx.Sends), len(e.fx.Signals), e.fx.set
	e.fx.set = 0
	t.outer, e.view = e.view, t
	t.node.Step(e, &t.event)
	t.outer, e.view = nil, t.outer
	for i := mark; i < len(e.fx.Sends); i++ {
		t.message(&e.fx.Sends[i].Msg)
	}
	for i := signals; i < len(e.fx.Signals); i++ {
		t.message(&e.fx.Signals[i].Event.Msg)
	}
	if e.fx.set&didDecide != 0 {
		e.fx.Outcome.Leader = turnedRank(e.fx.Outcome.Leader)
	}
	e.fx.set |= before
}

// message reverses the Ranks and IDs in a message.
func (t *turned) message(m *Message) {
	k := int(m.Kind) - 1
	known := k >= 0 && k < len(t.kinds)
	if known && t.kinds[k].Weighs {
		return // it contains no process; the lightest link stays the lightest
	}
	m.Rank = turnedRank(m.Rank)
	if known && t.kinds[k].Names {
		m.Value = uint64(turnedID(ID(m.Value)))
	}
}

// State visits the Node, which keeps the Ranks as it sees them.
func (t *turned) State(s *State) { t.node.State(s) }

// Self returns the reversed Rank of a process itself.
func (t *turned) Self(p int) Rank { return turnedRank(t.outer.Self(p)) }

// Ports returns the number of links of a process.
func (t *turned) Ports(p int) int { return t.outer.Ports(p) }

// Peer returns the reversed Rank of the process behind a port.
func (t *turned) Peer(p int, port Port) Rank { return turnedRank(t.outer.Peer(p, port)) }

// Weight returns the weight of a link. A weight is not a Rank and is not reversed.
func (t *turned) Weight(p int, port Port) uint64 { return weightIn(t.outer, p, port) }
