// Package process runs one process of an election over a transport: the driver that a service uses.
// [Run] takes part in one election; a [Process] in one after another.
package process

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/observe"
)

// Config is one process that takes part in elections over a [Transport].
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

// Link is what lies behind a port of a process.
type Link struct {
	Peer election.Rank // who is there; a complete graph's algorithms may ask for it, others see nobody
	Port election.Port // which port of the peer's own this link is
}

// CompleteLinks returns the links of one process of a complete graph: to each of the others, in the
// order of their IDs, as all of them must number their ports. Self may be among them or not.
func CompleteLinks(self election.Rank, all ...election.Rank) []Link {
	others := slices.DeleteFunc(slices.Clone(all), func(r election.Rank) bool { return r.ID == self.ID })
	slices.SortFunc(others, func(a, b election.Rank) int { return cmp.Compare(a.ID, b.ID) })
	smaller := election.Port(0)
	for smaller < election.Port(len(others)) && others[smaller].ID < self.ID {
		smaller++
	}
	links := make([]Link, len(others))
	for i, peer := range others {
		links[i] = Link{Peer: peer, Port: smaller}
		if peer.ID < self.ID {
			links[i].Port-- // the peer itself is one of those that are smaller
		}
	}
	return links
}

// Run takes part in one election: it runs a process until it knows that the election has
// ended, and returns what it then believes. If nobody starts, that is never; ctx ends it early, and
// then, as with any error but that of a refused Start, the Outcome is Undecided. A Start that the
// algorithm refuses does not end it, but is the error in the end.
//
// A process that knows the end may still be needed: once Run has returned it neither answers
// processes that come back or start anew nor relays messages. Where that matters, keep a [Process]
// running.
func Run(ctx context.Context, c Config) (election.Outcome, error) {
	p, err := New(c)
	if err != nil {
		return election.Outcome{}, err
	}
	if c.Algorithm.RelaysAfterEnd {
		return election.Outcome{}, fmt.Errorf("%w: algorithm: processes of %s must go on relaying after the end: keep a Process running",
			election.ErrInput, c.Algorithm.Title())
	}
	p.once = true
	if err = p.Run(ctx); err == nil {
		err = p.refused
	}
	return p.Outcome(), err
}

// Process is one process that takes part in elections. It is made by [NewProcess] and does
// nothing until [Process.Run] is called. The other methods may be called from any goroutine.
type Process struct {
	config  Config
	log     *slog.Logger
	host    election.TermKeeper
	env     *election.Env
	once    bool // an election is enough
	refused error

	// Of the goroutine that runs the process.
	box    *mailbox.Mailbox[election.Packet]
	pump   *pump  // fills box, if the transport does not
	direct direct // the transport, if it lets the driver at its mailboxes
	routes []*mailbox.Mailbox[election.Packet]
	clock  alarm.Clock
	began  time.Time
	state  []byte
	seen   []observe.Choice // what was chosen in this Step, where that is observed
	stop   bool             // there is nothing left to run for
	over   bool             // the one election that it was run for has ended

	sent     []atomic.Uint64 // by kind; the last stands for kinds that the algorithm does not name
	received atomic.Uint64
	dropped  atomic.Uint64
	unsent   atomic.Uint64
	depth    atomic.Uint32

	mu      sync.Mutex
	calls   []call // what has come from elsewhere than the transport
	inbox   *mailbox.Mailbox[election.Packet]
	outcome election.Outcome
	ran     bool
	closed  bool
}

// call is an event that no peer has sent: posted, or a timer that has run out.
type call struct {
	ev  election.Event
	seq uint32 // of a timer
}

// NewProcess returns a process that is ready to run. An error wraps [ErrInput] and, where it
// applies, [ErrState] or [ErrNeedsFIFO].
func New(c Config) (*Process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	c.Links, c.Saved = slices.Clone(c.Links), slices.Clone(c.Saved) // the caller may use its own again
	p := &Process{config: c, log: c.Log}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.log = p.log.With("process", uint64(c.Self.ID))
	p.host = c.Algorithm.NewNode(election.Setup{Self: c.Self, Ports: len(c.Links), Parent: c.Parent, Root: c.Root}, c.OneWay)
	if len(c.Saved) > 0 {
		if err := new(election.State).Restore(&p.host, c.Saved); err != nil {
			return nil, input.Errorf("saved: %w", err)
		}
	}
	p.env = election.NewEnv(p.view(), p.choose())
	p.sent = make([]atomic.Uint64, len(c.Algorithm.Kinds)+2)
	p.routes = make([]*mailbox.Mailbox[election.Packet], len(c.Links))
	return p, nil
}

// Outcome returns what the process believes. Once it has ended that is nothing: the Role is Undecided,
// and the Term the last one. So who asks here whether to act as the leader stops when the process does.
func (p *Process) Outcome() election.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.outcome
}

// Post gives the process an event from outside: a Start, a Renew, the word of a failure detector, news
// of a peer, a Command. It does not wait until the process has dealt with it. Before the process
// runs, events wait; once it has ended, the error wraps [ErrClosed].
func (p *Process) Post(ev election.Event) error {
	switch ev.Op {
	case election.Start, election.Renew, election.Command:
	case election.Suspect, election.Trust, election.Join, election.Leave:
		if ev.Port >= election.Port(len(p.config.Links)) {
			return input.Errorf("%v of port %d, process %d has %d", ev.Op, ev.Port, p.config.Self.ID, len(p.config.Links))
		}
	default:
		return input.Errorf("%v cannot be posted", ev.Op)
	}
	if !p.call(call{ev: ev}) {
		return &observe.ProcessError{ID: p.config.Self.ID, Err: election.ErrClosed}
	}
	return nil
}

// call leaves something for the process to deal with and wakes it. It returns false if the
// process has ended.
func (p *Process) call(c call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.calls = append(p.calls, c)
	p.knock()
	return true
}

// wake makes a waiting process look up.
func (p *Process) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.knock()
}

// knock leaves a packet from nobody: that is a process's own call. The caller holds p.mu.
func (p *Process) knock() {
	if p.inbox != nil {
		p.inbox.Send(&election.Packet{})
	}
}

// Close ends Run. It may be called again, and before Run.
func (p *Process) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.knock()
}

// Stats are what a process has sent and received so far.
type Stats struct {
	Sent     uint64 // messages that were given to the transport, or refused by it
	ByKind   []observe.KindCount
	Received uint64 // packets that were delivered
	Dropped  uint64 // packets that were not for this process, or not from whom they claimed
	Unsent   uint64 // messages that the transport returned an error for
	Depth    uint64 // the longest chain of messages that has reached this process
}

// Stats returns what the process has sent and received so far.
func (p *Process) Stats() Stats {
	s := Stats{
		Received: p.received.Load(), Dropped: p.dropped.Load(),
		Unsent: p.unsent.Load(), Depth: uint64(p.depth.Load()),
	}
	for kind := range p.sent {
		if n := p.sent[kind].Load(); n > 0 {
			s.Sent += n
			s.ByKind = append(s.ByKind, observe.KindCount{Kind: p.config.Algorithm.KindName(uint8(kind)), Count: n})
		}
	}
	return s
}
