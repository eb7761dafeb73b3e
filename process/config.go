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

// Config is one process that takes part in elections over a transport.
//
// Its callbacks (Save, those that begin with On, and Observe) are called one at a time from the
// goroutine that runs the process, which waits for them. One that is nil is not called. One that panics
// ends the process like a Node that panics: Run returns an error that wraps [ErrCallback]. A callback, or the
// sends of a step, that take longer than the algorithm's Delay are logged as a warning.
type Config struct {
	Algorithm *election.Algorithm // what to run, the same everywhere
	Self      election.Rank       // the ID and the Priority of this process
	Transport election.Transport  // how packets travel; it stays the caller's to close

	// Peers are the processes at the other ends of the links, by port, as the algorithm's topology says. On
	// a complete graph they are all other processes, in any order, and may include Self, which has no link.
	// For an algorithm that is Oriented they stand around a circle, in the same order for all processes:
	// either with Self in its place, or from the one behind Self on.
	// On a ring, one-way or not, port 0 leads to the next process and port 1 to the one before: a ring of two
	// names its other process twice, a ring of one itself. [Config.Place] sets Peers from a topology.
	Peers []election.Rank
	// Weights are the weights of the links, by port, for algorithms that are Weighted. Both ends of a link
	// must have the same. If nil, all are zero. [Config.Place] sets them from a topology.
	Weights []uint64
	// Parent is the port that leads towards the root, for algorithms that run on rooted trees.
	Parent election.Port
	// Root: this process is the root, which has no Parent. If false, it is not.
	Root bool

	// Size is how many processes there are, for algorithms that need to know it. Place sets it.
	Size int

	// OneWay: on this ring messages travel clockwise only. If false, links are two-way.
	OneWay bool
	// Unordered: the transport may deliver packets in another order than they were sent in.
	// Algorithms that need the order of sending are refused. If false, it keeps the order of each link.
	Unordered bool
	// Backlog is how many packets of one link may wait for the process, see Overload in the package's
	// documentation. If zero, DefaultBacklog.
	Backlog int

	// Founding: the whole group starts for the first time, and this process with it. If false, the process
	// comes back or joins, which is what a service cannot rule out: an algorithm that must not wait for
	// others to speak, such as bully, then begins an election at once. One that
	// makes something once for the whole group, as a token ring makes its token, does so if true. A process
	// that has Saved comes back, whatever Founding says, but for such a token ring.
	Founding bool
	// Start: begin an election at once. If false, when [Process.Start] is called, or never.
	Start bool
	// Saved is what Save was given last, before a restart. If empty, there was none.
	Saved []byte
	// Save stores state durably, before anything that depends on it leaves the process. The
	// bytes are valid until it returns; an error ends the run. If nil, nothing is stored.
	Save func([]byte) error

	// OnOutcome is called whenever the process changes its belief, also when it ends and so takes it back,
	// see [Process.Outcome]. The process waits for this and the other callbacks and for Save: what they take
	// counts as the time to handle a message, for which the time-outs of the others allow. So start a
	// leader's work in a goroutine.
	OnOutcome func(election.Outcome)
	// OnRenew is called when a leader has renewed its lease, with the Outcome that has the later end.
	// OnOutcome is not.
	OnRenew func(election.Outcome)
	// OnEnd is called with the Outcome of an election that has ended: no process changes it any more, until
	// another election begins. A follower may learn its leader, by OnOutcome, long before that.
	OnEnd func(election.Outcome)
	// OnRaise is called with what the topmost machine of a stack raises: a critical section was entered.
	OnRaise func(election.Event)
	// OnRefuse is called with the reason for which the algorithm refuses a Start.
	OnRefuse func(error)
	// Observe is called with all that happens to the process.
	Observe observe.Observer

	// Expire is called when a timer of the algorithm has run out, in a goroutine of its own. The process
	// handles the timeout when Expire calls handle, which does not wait, and which may be called later. If
	// nil, the process handles it as soon as it can.
	Expire func(timer uint8, handle func())

	// Clock returns the time since a moment that is the same for as long as the process runs; what begins
	// and ends by it are leases, see [election.Outcome].Until. If nil, the time since the process has
	// begun to run, with the time for which the machine was suspended. It may be called from any
	// goroutine.
	Clock func() time.Duration

	scattered bool // Place has found that the ports of a complete graph do not lead around

	// Name returns what the log calls a process. If nil, it is its ID.
	Name func(election.ID) string
	// Log receives errors and progress. If nil, they are discarded.
	Log *slog.Logger
}

// called returns what the log calls a process.
func (c *Config) called(id election.ID) any {
	if c.Name != nil {
		return c.Name(id)
	}
	return uint64(id)
}

// DefaultBacklog is [Config].Backlog where none is given. No election among a few thousand processes has as
// many packets under way on one link; a link that a malicious process floods holds some 6 MB.
const DefaultBacklog = 1 << 16

// check returns an error that wraps [election.ErrInput] if no process can be made of this.
func (c *Config) check() error {
	a := c.Algorithm
	if err := a.Check(); err != nil {
		return err
	}
	switch {
	case c.Self.ID == 0:
		return input.Errorf("self: an ID is never 0")
	case isNil(c.Transport):
		return input.Errorf("transport: none is given")
	case c.Backlog < 1: // zero is the default by now
		return input.Errorf("backlog: %d packets cannot wait", c.Backlog)
	case a.Topology == election.Ring && len(c.Peers) != 2:
		return input.Errorf("peers: %d, a process on a ring has 2 links; Config.Place sets them",
			len(c.Peers))
	case c.OneWay && a.Topology != election.Ring:
		return input.Errorf("one way: only a ring can be, the topology of %s is %.60q", a.Title(), a.Topology)
	case c.OneWay && a.TwoWay:
		return input.Errorf("one way: %s needs a ring on which messages travel both ways", a.Title())
	case c.Unordered && a.NeedsFIFO:
		return input.Errorf("unordered: %w: %s", election.ErrNeedsFIFO, a.Title())
	}
	if a.KnowsSize && c.Size < 1 {
		return input.Errorf("size: %s needs to know how many processes there are; Config.Place sets it",
			a.Title())
	}
	if t, ok := c.Transport.(transport.Owned); ok && t.Self() != c.Self.ID {
		return input.Errorf("transport: it belongs to process %v, and Self is %v", c.called(t.Self()),
			c.called(c.Self.ID))
	}
	if a.Rooted {
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

// isNil reports whether an interface holds nothing to call. One with a nil pointer in it is not nil itself,
// and panics only when it is called.
func isNil(what any) bool {
	v := reflect.ValueOf(what)
	return what == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// checkPeers checks where the links lead.
func (c *Config) checkPeers() error {
	ring := c.Algorithm.Topology == election.Ring // two links may lead to one process, or back
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

// own returns a copy whose slices the caller does not share. On a complete graph Self is no peer. One of its
// ID and another Priority stays in, for checkPeers to reject.
func (c Config) own() Config {
	c.Peers, c.Weights, c.Saved = slices.Clone(c.Peers), slices.Clone(c.Weights), slices.Clone(c.Saved)
	if c.Algorithm != nil && c.Algorithm.Topology == election.Complete {
		// All processes are given the same circle, and port 0 of each leads to the one behind it.
		if at := slices.Index(c.Peers, c.Self); at > 0 && c.Algorithm.Oriented {
			c.Peers = slices.Concat(c.Peers[at:], c.Peers[:at])
		}
		c.Peers = slices.DeleteFunc(c.Peers, func(r election.Rank) bool { return r == c.Self })
	}
	if c.Backlog == 0 {
		c.Backlog = DefaultBacklog
	}
	return c
}

// checkWeights checks the weights of the links.
func (c *Config) checkWeights() error {
	if c.Weights != nil && len(c.Weights) != len(c.Peers) {
		return input.Errorf("weights: %d for %d peers", len(c.Weights), len(c.Peers))
	}
	return nil
}

// setup returns what the Node is made with.
func (c *Config) setup() election.Setup {
	s := election.Setup{Self: c.Self, Ports: len(c.Peers)}
	if c.Algorithm.KnowsSize {
		s.Size = c.Size
	}
	if c.Algorithm.Rooted {
		s.Parent, s.Root = c.Parent, c.Root
	}
	return s
}

// view is what a process knows: itself and, on a complete graph or with weights, its peers.
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
	knows := c.Algorithm.Topology == election.Complete || c.Algorithm.Weighted
	return election.NewEnv(&view{c.Self, c.Peers, c.Weights, knows}, p.choose())
}
