package process

import (
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/transport"
)

// Config configures one process that takes part in elections over a transport.
//
// The process calls its callbacks (Save, Observe, and those that begin with On) one at a time from the
// goroutine that runs it, and waits until they return. A nil callback is not called. If a callback panics, Run
// returns an error that wraps [ErrCallback]. The process logs a warning if a callback, or the sends of one
// step, take longer than the algorithm's Delay.
type Config struct {
	Algorithm *election.Algorithm // the same for all processes
	Self      election.Rank       // ID and Priority of this process
	Transport election.Transport  // carries packets; the caller closes it

	// Peers are the processes at the other ends of the links, by port, as required by the algorithm's topology.
	// On a complete graph they are all other processes, in any order, and may include Self, which has no link.
	// For an algorithm that knows PortsAround, all processes must list the same circle of processes: either the whole circle
	// including Self, or the circle starting with the successor of Self. On a ring, one-way or not, port 0
	// leads to the next process and port 1 to the previous one: a process on a ring of two lists the other
	// process twice, and a process on a ring of one lists itself. [Config.Place] sets Peers from a topology.
	// If the Algorithm has Names, more peers may follow: see [Process.AddPeer].
	Peers []election.Rank
	// Rank returns the Rank of a process that a message of a peer names for the first time, if the Algorithm has
	// Names. The process becomes a peer. If nil, only AddPeer adds peers.
	Rank func(election.ID) election.Rank
	// Weights are the weights of the links, by port, for algorithms that know LinkWeights. Both ends of a link must
	// use the same weight. If nil, all weights are zero. [Config.Place] sets Weights from a topology.
	Weights []uint64
	// Parent is the port towards the root, for algorithms that run on rooted trees.
	Parent election.Port
	// Root means that this process is the root, which has no Parent.
	Root bool

	// Size is the number of processes, for algorithms that need to know it. Place sets it.
	Size int

	// OneWay means that messages on the ring travel clockwise only. If false, links are two-way.
	OneWay bool
	// Unordered means that the transport may reorder the packets of a link. New returns an error for algorithms
	// that need ordered links. If false, the transport delivers the packets of each link in order.
	Unordered bool
	// Backlog is the maximum number of packets of one link that wait for the process; see Overload in the
	// package documentation. If zero, DefaultBacklog.
	Backlog int

	// Founding means that the whole group starts for the first time, including this process. If false, the
	// process recovers or joins a running group. A service usually cannot rule that out, so false is the safe
	// choice: an algorithm that must not wait for messages of others, such as bully, then starts an election
	// immediately. An algorithm that creates something once for the whole group, such as the token of a token
	// ring, does so if Founding is true. A process with Saved state always recovers, whatever Founding is,
	// except on such a token ring.
	Founding bool
	// Start starts an election immediately. If false, elections start when [Process.Start] is called.
	Start bool
	// Saved is the last state that was passed to Save before a restart. If empty, there is none.
	Saved []byte
	// Save stores state durably, before any message that depends on it leaves the process. The bytes are valid
	// until Save returns; an error ends the run. If nil, nothing is stored.
	Save func([]byte) error

	// OnOutcome is called whenever the belief of the process changes. It is also called when the process ends
	// and withdraws its belief; see [Process.Outcome]. The process waits for all callbacks and for Save: the
	// time they take adds to the time in which the process handles a message, which the time-outs of other
	// processes must cover. Therefore run the leader's work in a goroutine.
	OnOutcome func(election.Outcome)
	// OnRenew is called instead of OnOutcome when a leader has renewed its lease. The Outcome contains the new
	// end.
	OnRenew func(election.Outcome)
	// OnEnd is called with the Outcome of an election that has ended: no process changes it until another
	// election starts. A follower may learn its leader from OnOutcome long before that.
	OnEnd func(election.Outcome)
	// OnRaise is called with events that the topmost machine of a stack raises, such as entry to a critical
	// section.
	OnRaise func(election.Event)
	// OnRefuse is called with the reason why the algorithm refuses a Start.
	OnRefuse func(error)
	// Observe is called with everything that happens to the process.
	Observe observe.Observer

	// Expire is called in a goroutine of its own when a timer of the algorithm fires. The process handles the
	// timeout when Expire calls handle, immediately or later; handle does not block. If nil, the process
	// handles the timeout as soon as it can.
	Expire func(timer uint8, handle func())

	// Clock returns the time since a fixed moment. Leases start and end by this clock; see
	// [election.Outcome].Until. If nil, Clock is the time since the process started to run; for an algorithm
	// with Leases it includes the time during which the machine was suspended. It may be called from any
	// goroutine.
	Clock func() time.Duration

	scattered bool // Place has found that the ports of a complete graph are not ordered around a circle

	// Name returns the name of a process for the log. If nil, the log contains IDs.
	Name func(election.ID) string
	// Log receives errors and progress. If nil, they are discarded.
	Log *slog.Logger
}

// called returns the name of a process for the log.
func (c *Config) called(id election.ID) any {
	if c.Name != nil {
		return c.Name(id)
	}
	return uint64(id)
}

// DefaultBacklog is the default of [Config].Backlog. Elections among a few thousand processes never have as
// many packets in flight on one link. A malicious process that floods its link takes up some 6 MB.
const DefaultBacklog = 1 << 16

// check returns an error that wraps [election.ErrInput] if the Config is invalid.
func (c *Config) check() error {
	a := c.Algorithm
	if err := a.Check(); err != nil {
		return err
	}
	switch {
	case c.Self.ID == 0:
		return input.Errorf("self: an ID is never 0")
	case isNil(c.Transport):
		return input.Errorf("transport: missing")
	case c.Backlog < 1: // New has replaced zero by the default
		return input.Errorf("backlog: %d is less than 1", c.Backlog)
	case a.Topology == election.Ring && len(c.Peers) != 2:
		return input.Errorf("peers: %d, a process on a ring has 2 links; Config.Place sets them",
			len(c.Peers))
	case c.OneWay && a.Topology != election.Ring:
		return input.Errorf("one way: the topology of %s is %.60q, not a ring", a.Title(), a.Topology)
	case c.OneWay && a.TwoWay:
		return input.Errorf("one way: %s needs a two-way ring", a.Title())
	case c.Unordered && a.NeedsFIFO:
		return input.Errorf("unordered: %w: %s", election.ErrNeedsFIFO, a.Title())
	}
	if a.Knows == election.NetworkSize && c.Size < 1 {
		return input.Errorf("size: %s needs to know how many processes there are; Config.Place sets it",
			a.Title())
	}
	if t, ok := c.Transport.(transport.Owned); ok && t.Self() != c.Self.ID {
		return input.Errorf("transport: it belongs to process %v, and Self is %v", c.called(t.Self()),
			c.called(c.Self.ID))
	}
	if a.Knows == election.RootPort {
		switch {
		case c.Root && c.Parent != 0:
			return input.Errorf("parent: port %d, but the root has none", c.Parent)
		case !c.Root && c.Parent >= election.Port(len(c.Peers)):
			return input.Errorf("parent: port %d, process %d has %d links and is not the root",
				c.Parent, c.Self.ID, len(c.Peers))
		}
	}
	if err := c.checkPorts(); err != nil {
		return err
	}
	if err := c.checkPeers(); err != nil {
		return err
	}
	return c.checkWeights()
}

// isNil reports whether an interface is nil or contains a nil pointer, which is not equal to nil and would
// panic only when it is called.
func isNil(what any) bool {
	v := reflect.ValueOf(what)
	return what == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// checkPeers checks Peers.
func (c *Config) checkPeers() error {
	ring := c.Algorithm.Topology == election.Ring // two links may lead to the same process, or back to this one
	first := make(map[election.ID]int, len(c.Peers))
	for port, peer := range c.Peers {
		at, again := first[peer.ID]
		switch {
		case peer.ID == 0:
			return input.Errorf("peers[%d]: an ID is never 0", port)
		case peer.ID == c.Self.ID && !ring:
			return input.Errorf("peers[%d]: it is process %d itself", port, c.Self.ID)
		case again && !ring:
			return input.Errorf("peers[%d]: process %d is peers[%d] already", port, peer.ID, at)
		}
		first[peer.ID] = port
	}
	return nil
}

// own returns a copy of c that does not share slices with the caller. On a complete graph it removes Self from
// Peers. A peer with the ID of Self and another Priority remains, for checkPeers to reject.
func (c Config) own() Config {
	c.Peers, c.Weights, c.Saved = slices.Clone(c.Peers), slices.Clone(c.Weights), slices.Clone(c.Saved)
	if c.Algorithm != nil && c.Algorithm.Topology == election.Complete {
		// All processes have the same circle. Rotate it so that port 0 leads to the successor of Self.
		if at := slices.Index(c.Peers, c.Self); at > 0 && c.Algorithm.Knows == election.PortsAround {
			c.Peers = slices.Concat(c.Peers[at:], c.Peers[:at])
		}
		c.Peers = slices.DeleteFunc(c.Peers, func(r election.Rank) bool { return r == c.Self })
	}
	if c.Backlog == 0 {
		c.Backlog = DefaultBacklog
	}
	return c
}

// checkWeights checks Weights.
func (c *Config) checkWeights() error {
	if c.Weights != nil && len(c.Weights) != len(c.Peers) {
		return input.Errorf("weights: %d for %d peers", len(c.Weights), len(c.Peers))
	}
	return nil
}

// setup returns the Setup of the Node.
func (c *Config) setup() election.Setup {
	s := election.Setup{Self: c.Self, Ports: len(c.Peers)}
	if c.Algorithm.Knows == election.NetworkSize {
		s.Size = c.Size
	}
	if c.Algorithm.Knows == election.RootPort {
		s.Parent, s.Root = c.Parent, c.Root
	}
	return s
}

// view is the View of one process: itself and, on a complete graph or with weights, its peers.
type view struct {
	self    election.Rank
	peers   []election.Rank
	weights []uint64
	knows   bool
}

func (v *view) Self(int) election.Rank { return v.self }
func (v *view) Ports(int) int          { return len(v.peers) }

func (v *view) Peer(_ int, port election.Port) election.Rank {
	if !v.knows || port >= election.Port(len(v.peers)) {
		return election.Rank{}
	}
	return v.peers[port]
}

// Weight returns the weight of a link.
func (v *view) Weight(_ int, port election.Port) uint64 {
	if port >= election.Port(len(v.weights)) {
		return 0
	}
	return v.weights[port]
}

// newEnv returns an Env for the Node.
func (p *Process) newEnv() *election.Env {
	c := &p.config
	knows := c.Algorithm.Topology == election.Complete || c.Algorithm.Knows == election.LinkWeights
	p.view = &view{c.Self, c.Peers, c.Weights, knows}
	return election.NewEnv(p.view, p.choose())
}
