package process

import (
	"github.com/go-election/election"
	"github.com/go-election/election/internal/input"
)

// check returns an error that wraps [ErrInput] if no process can be made of this.
func (c *Config) check() error {
	a := c.Algorithm
	if err := a.Check(); err != nil {
		return err
	}
	switch {
	case c.Self.ID == 0:
		return input.Errorf("self: 0 is nobody's id")
	case c.Transport == nil:
		return input.Errorf("transport: none is given")
	case a.Topology == election.Ring && len(c.Links) != 2:
		return input.Errorf("links: %d, a process on a ring has 2", len(c.Links))
	case c.OneWay && a.Topology != election.Ring:
		return input.Errorf("one way: only a ring can be, not a %s", a.Topology)
	case c.OneWay && a.TwoWay:
		return input.Errorf("one way: %s needs a ring on which messages travel both ways", a.Title())
	case c.Unordered && a.NeedsFIFO:
		return input.Errorf("unordered: %w: %s", election.ErrNeedsFIFO, a.Title())
	}
	if a.Rooted {
		switch {
		case c.Root && c.Parent != 0:
			return input.Errorf("parent: port %d, but the root has none", c.Parent)
		case !c.Root && c.Parent >= election.Port(len(c.Links)):
			return input.Errorf("parent: port %d, process %d has %d links and is not the root", c.Parent, c.Self.ID, len(c.Links))
		}
	}
	seen := make(map[election.ID]int, len(c.Links))
	for port, l := range c.Links {
		first, again := seen[l.Peer.ID]
		switch {
		case l.Peer.ID == 0:
			return input.Errorf("links[%d]: 0 is nobody's id", port)
		case l.Peer.ID == c.Self.ID && a.Topology != election.Ring:
			return input.Errorf("links[%d]: it leads back to process %d itself", port, c.Self.ID)
		case again && a.Topology != election.Ring:
			return input.Errorf("links[%d]: links[%d] leads to process %d already", port, first, l.Peer.ID)
		}
		seen[l.Peer.ID] = port
	}
	return nil
}

// processView is what a process knows: itself, and its peers where everybody knows everybody.
type processView struct {
	self  election.Rank
	links []Link
	knows bool
}

func (p *Process) view() election.View {
	return &processView{self: p.config.Self, links: p.config.Links, knows: p.config.Algorithm.Topology == election.Complete}
}

func (v *processView) Self(int) election.Rank { return v.self }
func (v *processView) Ports(int) int          { return len(v.links) }

func (v *processView) Peer(_ int, port election.Port) election.Rank {
	if !v.knows || port >= election.Port(len(v.links)) {
		return election.Rank{}
	}
	return v.links[port].Peer
}
