// Package process runs one process of an election over a transport: the driver that a service uses.
//
// # Usage
//
// A process knows the algorithm, the other processes and a transport. [Process.Run] takes part in one
// election after another until [Process.Close], and OnOutcome says who leads:
//
//	p, err := process.New(process.Config{
//		Algorithm: algorithm, Self: self, Peers: members, Transport: t,
//		OnOutcome: func(o election.Outcome) { ... },
//	})
//	go p.Run(ctx)
//
// Peers are all members where the algorithm runs on a complete graph, as bully does. [Config.Place] sets them
// from any other topology that all processes know. [Run] takes part in a single election.
//
// # Overload
//
// Up to [Config].Backlog packets of each link wait for the process. What becomes of more depends on the
// transport. One with Recv pushes back: the process does not call Recv again until there is room. A
// [transport.Pusher] cannot wait: a packet too many is dropped, and counted as Stats.Overflow. So a peer that
// floods its link loses its own packets, and no other peer's. Packets for another process, or from no peer,
// never wait: they are dropped as they arrive.
//
// # Peers that fail
//
// Whatever a peer sends, the process goes on. It drops packets that are not from a peer, that have arrived
// before, whose Term is out of reach ([MaxTermJump]) and on which the algorithm fails. It logs and
// counts them ([Stats]). It also warns if two processes use one ID, once packets of both alternate for
// some ten seconds. A peer that lies can still be elected: no algorithm here survives that.
//
// # Limitations
//
// A process has one goroutine, that which calls Run, and one more to receive unless the transport is a
// [transport.Pusher]. With such a transport, packets that wait when the process ends are there for the next
// process of this ID; with any other, those are lost that have been received.
//
// Run returns only when the Send that is under way has returned, and the callback: one that ignores the
// end of its context keeps Run from ending.
package process

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/observe"
)

// ErrCallback: a callback of the Config, or its Transport, panicked.
var ErrCallback = errors.New("election: a callback or the transport panicked")

// Run takes part in one election: it runs a process until it knows that the election has
// ended, and returns what it then believes. If no process starts, that is never; ctx ends it early, and
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
		return election.Outcome{}, input.Errorf("algorithm: processes of %s must go on relaying "+
			"after the end: keep a Process running", c.Algorithm.Title())
	}
	p.once = true
	if err = p.Run(ctx); err == nil {
		err = p.refused
	}
	return p.Outcome(), err
}

// Process is one process that takes part in elections. It is made by [New] and does nothing until
// [Process.Run] is called. The other methods may be called from any goroutine, callbacks included.
//
// Start, Reelect, Command and what concerns a peer (Suspect, Trust, Left, Joined) are events from outside.
// These methods do not wait until the process has dealt with the event. Before it runs, events wait; once it
// has ended, the error wraps [election.ErrClosed]. A peer without a link is an error that wraps
// [election.ErrInput].
type Process struct {
	config Config
	log    *slog.Logger
	box    mailbox.Mailbox[entry] // all that the process has to deal with
	ran    atomic.Bool
	once   bool // it runs for one election only

	// Of the goroutine that runs the process.
	host      election.TermKeeper
	env       *election.Env
	clock     alarm.Clock
	now       func() time.Duration // the time that the Node sees, once the process runs; any goroutine may call it
	began     time.Time
	lap       time.Duration        // since began: when the step, or the last call that it waited for, had ended
	state     []byte               // that was saved last
	before    []byte               // the state before a message
	visitor   election.State       // of the Node
	term      uint64               // the largest that this process has been in
	trusted   uint64               // a Term that was beyond reach and came from no peer; zero if none was
	trustedAt time.Time            // when it came
	seen      []observe.Choice     // what was chosen in this Step, where that is observed
	unread    *mailbox.Item[entry] // what has been taken out of box and not dealt with
	inNode    bool                 // the Node steps: a panic is its mistake
	ended     election.Outcome     // the one that OnEnd was called with last
	refused   error
	over      bool // the one election that it runs for has ended

	// Of packets that arrive.
	ports   map[election.ID]election.Port // by peer; nil on a ring, where a peer may have two
	waiting []atomic.Int64                // by port: packets in box
	room    chan struct{}                 // has a value when waiting has become less than Backlog

	incarnation uint64
	links       []link // by port

	sent     []atomic.Uint64 // by kind; the last stands for kinds that the algorithm does not name
	received atomic.Uint64
	dropped  atomic.Uint64
	overflow atomic.Uint64
	copies   atomic.Uint64
	rejected atomic.Uint64
	unsent   atomic.Uint64
	depth    atomic.Uint32
	warnings [warningKinds]warning

	mu      sync.Mutex
	tree    tree                    // of the election that has ended last
	outcome election.Outcome        // only the goroutine of Run writes it, and reads it without mu
	stop    context.CancelCauseFunc // ends the context of Send and Recv; nil before it runs
	closed  bool                    // as is box
	cause   error                   // why it is closed; nil after Close
	left    *mailbox.Item[entry]    // what was in box then
}

// New returns a process that is ready to run. An error wraps [election.ErrInput] and, where it applies,
// [election.ErrState] or [election.ErrNeedsFIFO].
func New(c Config) (*Process, error) {
	c = c.own()
	if err := c.check(); err != nil {
		return nil, err
	}
	p := &Process{config: c, log: c.Log, room: make(chan struct{}, 1)}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.log = p.log.With("member", c.called(c.Self.ID))
	p.host = c.Algorithm.NewNode(c.setup(), c.OneWay)
	if len(c.Saved) > 0 {
		if err := new(election.State).Restore(&p.host, c.Saved); err != nil {
			return nil, input.Errorf("saved: %w", err)
		}
	}
	for _, machine := range p.host.Machines() {
		if m, ok := machine.(interface{ Check() error }); ok {
			if err := m.Check(); err != nil {
				return nil, err
			}
		}
	}
	p.env, p.term = p.newEnv(), p.host.Term()
	p.sent = make([]atomic.Uint64, len(c.Algorithm.Kinds)+2) // CatchUp is 0, and unknown kinds share one more
	p.waiting = make([]atomic.Int64, len(c.Peers))
	if c.Algorithm.Topology != election.Ring {
		p.ports = make(map[election.ID]election.Port, len(c.Peers))
		for port, peer := range c.Peers {
			p.ports[peer.ID] = election.Port(port)
		}
	}
	p.incarnation, p.links = rand.Uint64(), make([]link, len(c.Peers))
	mailboxes.Open(&p.box)
	return p, nil
}

// Outcome returns what the process believes. Once it has ended that is nothing: the Role is Undecided,
// and the Term the last one. So a program that asks here whether to act as the leader stops when the process
// does. A lease that has ended by the clock is nothing either, even if the process hangs in a callback,
// or has just been paused, and knows of no end yet.
func (p *Process) Outcome() election.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.outcome; o.Until == 0 || o.LeadsAt(p.now()) {
		return o
	}
	return election.Outcome{Term: p.outcome.Term}
}

// tree are the links of a process in the tree that an election has made.
type tree struct {
	parent   election.Port
	children []election.Port
	made     bool
}

// Tree returns the links of this process in the tree that the last election to end has made, as ghs and echo
// do: the port of the parent, which is election.NoPort at the root, and the ports of the children. The
// process behind a port is in Config.Peers. ok is false if the algorithm makes no tree, or no election has
// ended. The tree belongs to the Outcome that OnEnd was called with last.
func (p *Process) Tree() (parent election.Port, children []election.Port, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.tree.made {
		return election.NoPort, nil, false
	}
	return p.tree.parent, slices.Clone(p.tree.children), true
}

// Close ends Run, at the next moment at which the process is not in a callback. It may be called again, and
// before Run. To the others it is like a crash: messages that the process is about to send may not be sent.
func (p *Process) Close() { p.finish(nil) }

// finish ends the process because of an error, or because it was closed. The first cause counts.
func (p *Process) finish(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed, p.cause, p.left = true, cause, p.box.Close()
		if p.stop != nil { // the process may be waiting in Send, where the end of box does not reach it
			p.stop(errStopped)
		}
	}
}

// errStopped is the cause with which finish ends the context of Send. The actual cause is that of closeCause.
var errStopped = errors.New("process: stopped")

// closeCause reports whether the process has ended or is about to, and why.
func (p *Process) closeCause() (closed bool, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed, p.cause
}
