package process

import (
	"log/slog"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
)

// Config is one process that takes part in elections over a transport.
type Config struct {
	Algorithm *election.Algorithm // what to run, the same everywhere
	Self      election.Rank       // who this process is
	Links     []Link              // by port: whom it can reach, as the algorithm's topology says
	Transport election.Transport  // how; it stays the caller's to close

	// Parent is the port that leads towards the root, for algorithms that run on rooted trees.
	Parent election.Port
	// Root: this process is the root, which has no Parent. If false, it is not.
	Root bool

	// OneWay: on this ring messages travel clockwise only. If false, links are two-way.
	OneWay bool
	// Unordered: the transport may deliver packets in another order than they were sent in.
	// Algorithms that cannot bear that are refused. If false, it keeps the order of each link.
	Unordered bool

	// Start: begin an election at once. If false, when a Start is posted, or never.
	Start bool
	// Rejoin: the process has come back, or joins a system that already runs. If false, the
	// others begin with it.
	Rejoin bool
	// Saved is what Save was given last, before a restart. If empty, there was none.
	Saved []byte
	// Save stores state durably, before anything that depends on it leaves the process. The
	// bytes are valid until it returns; an error ends the run. If nil, nothing is stored.
	Save func([]byte) error

	// OnOutcome is told whenever the process changes its belief, also when it ends and so takes it
	// back, see [Process.Outcome]; OnRaise of events from the topmost machine of a stack, OnRefuse of a
	// Start that the algorithm refuses. They are called one at a time from the goroutine that runs the
	// process, which waits for them. If nil, nobody is told.
	OnOutcome func(election.Outcome)
	OnRaise   func(election.Event)
	OnRefuse  func(error)

	// Observe is told of all that happens to the process, by the goroutine that runs it. If nil,
	// nobody is.
	Observe observe.Observer

	// Log receives errors and progress. If nil, they are discarded.
	Log *slog.Logger
}

// check returns an error that wraps [election.ErrInput] if no process can be made of this.
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
			return input.Errorf("parent: port %d, process %d has %d links and is not the root",
				c.Parent, c.Self.ID, len(c.Links))
		}
	}
	return c.checkLinks()
}

// checkLinks checks where the links lead.
func (c *Config) checkLinks() error {
	ring := c.Algorithm.Topology == election.Ring // two links may lead to one process, or back
	seen := make(map[election.ID]int, len(c.Links))
	for port, l := range c.Links {
		first, again := seen[l.Peer.ID]
		switch {
		case l.Peer.ID == 0:
			return input.Errorf("links[%d]: 0 is nobody's id", port)
		case l.Peer.ID == c.Self.ID && !ring:
			return input.Errorf("links[%d]: it leads back to process %d itself", port, c.Self.ID)
		case again && !ring:
			return input.Errorf("links[%d]: links[%d] leads to process %d already", port, first, l.Peer.ID)
		}
		seen[l.Peer.ID] = port
	}
	return nil
}

// setup returns what the Node is made with.
func (c *Config) setup() election.Setup {
	s := election.Setup{Self: c.Self, Ports: len(c.Links)}
	if c.Algorithm.Rooted {
		s.Parent, s.Root = c.Parent, c.Root
	}
	return s
}

// view is what a process knows: itself and, on a complete graph, its peers.
type view struct {
	self  election.Rank
	links []Link
	knows bool
}

func (v *view) Self(int) election.Rank { return v.self }
func (v *view) Ports(int) int          { return len(v.links) }

func (v *view) Peer(_ int, port election.Port) election.Rank {
	if !v.knows || port >= election.Port(len(v.links)) {
		return election.Rank{}
	}
	return v.links[port].Peer
}
