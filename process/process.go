// Package process runs one process of an election over a transport. It is the driver for services.
//
// # Usage
//
// A process needs an algorithm, the list of the other processes and a transport. [Process.Run] takes part in
// one election after another until [Process.Close]. OnOutcome reports the leader:
//
//	p, err := process.New(process.Config{
//		Algorithm: algorithm, Self: self, Peers: members, Transport: t,
//		OnOutcome: func(o election.Outcome) { ... },
//	})
//	go p.Run(ctx)
//
// If the algorithm runs on a complete graph, as bully does, Peers are all members. For other topologies,
// [Config.Place] sets Peers from a topology that all processes know. The function [Run] takes part in a single
// election.
//
// # Overload
//
// Up to [Config].Backlog packets of each link wait for the process. If there are more, the behavior depends on
// the transport. A transport with Recv is slowed down: the process does not call Recv again until there is
// room. A [transport.Pusher] cannot be slowed down: the process drops the packet and counts it in
// Stats.Overflow. A peer that floods its link therefore loses only its own packets. Packets for another
// process, or from a process that is not a peer, never wait: they are dropped on arrival.
//
// # Faulty peers
//
// No packet of a peer can stop the process. The process drops packets that do not come from a peer, duplicates,
// packets whose Term is out of reach ([MaxTermJump]), and packets on which the algorithm fails. It logs and
// counts them ([Stats]). It also warns if two processes use the same ID, after their packets have alternated
// for about ten seconds. A peer that lies can still be elected: no algorithm of this project tolerates
// Byzantine failures.
//
// # Limitations
//
// A process uses the goroutine that calls Run, and another one to receive unless the transport is a
// [transport.Pusher]. With a Pusher, packets that wait when the process ends are delivered to the next process
// with the same ID; with any other transport, packets that were received are lost.
//
// Run returns only after the current Send and the current callback have returned. If one of them ignores the
// end of its context, Run does not return.
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

// ErrCallback: a callback of the Config, or the Transport, panicked.
var ErrCallback = errors.New("election: a callback or the transport panicked")

// Run takes part in one election: it runs a process until the process knows that the election has ended, and
// returns its Outcome. If no process starts an election, Run waits until ctx ends. The Outcome is Undecided if
// there is an error, unless the error is a refused Start: a Start that the algorithm refuses does not end the
// run, and Run returns the error at the end.
//
// Other processes may still need a process that knows the end: after Run has returned, it neither relays
// messages nor answers processes that recover or start another election. If that matters, keep a [Process]
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

// Process is a process that takes part in elections. It is created by [New] and does nothing until
// [Process.Run] is called. The other methods may be called from any goroutine, including from callbacks.
//
// Start, Reelect, Command and the events about a peer (Suspect, Trust) return before the process
// has handled the event. Events that arrive before the process runs are queued. After the process has ended,
// the methods return an error that wraps [election.ErrClosed]. If a peer has no link, the error wraps
// [election.ErrInput].
type Process struct {
	config Config
	log    *slog.Logger
	box    mailbox.Mailbox[entry] // everything that the process has to handle
	ran    atomic.Bool
	once   bool // run for one election only

	// The following fields belong to the goroutine that runs the process.
	host      election.TermKeeper
	env       *election.Env
	view      *view // of env
	clock     alarm.Clock
	now       func() time.Duration // time for the Node, while the process runs; any goroutine may call it
	began     time.Time
	lap       time.Duration        // since began: the end of the last step, or of the last call that it waited for
	state     []byte               // last saved state
	before    []byte               // state before a message
	visitor   election.State       // of the Node
	term      uint64               // largest Term that this process has been in
	trusted   uint64               // a Term that was beyond reach and did not come from a peer; zero if there was none
	trustedAt time.Time            // when trusted was set
	seen      []observe.Choice     // choices in this Step, if observed
	unread    *mailbox.Item[entry] // items taken from box and not yet handled
	inNode    bool                 // the Node is in a Step: a panic is its fault
	ended     election.Outcome     // Outcome of the last call of OnEnd
	refused   error
	over      bool // with once: the election has ended

	// The following fields are for received packets.
	roster atomic.Pointer[roster]
	room   chan struct{} // contains a value after the packets of a link have dropped below Backlog

	incarnation uint64
	links       []link // by port

	sent     []atomic.Uint64 // by kind; the last entry is for kinds that the algorithm does not define
	received atomic.Uint64
	dropped  atomic.Uint64
	overflow atomic.Uint64
	copies   atomic.Uint64
	rejected atomic.Uint64
	unsent   atomic.Uint64
	warnings [warningKinds]warning

	mu      sync.Mutex
	tree    tree                    // tree of the last election that has ended
	outcome election.Outcome        // written only by the goroutine of Run, which reads it without mu
	stop    context.CancelCauseFunc // cancels the context of Send and Recv; nil before Run
	closed  bool                    // box is closed as well
	cause   error                   // why the process is closed; nil after Close
	left    *mailbox.Item[entry]    // content of box when it was closed
}

// New returns a process that is ready to run. Errors wrap [election.ErrInput] and, if they apply,
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
	p.sent = make([]atomic.Uint64, len(c.Algorithm.Kinds)+2) // CatchUp is kind 0, and one more entry counts unknown kinds
	p.roster.Store(newRoster(c.Algorithm, c.Peers))
	p.incarnation, p.links = rand.Uint64(), make([]link, len(c.Peers))
	mailboxes.Open(&p.box)
	return p, nil
}

// Outcome returns the current belief of the process. After the process has ended, the Role is Undecided and the
// Term is the last one, so that a program that asks here whether to act as the leader stops when the process
// does. The Role is also Undecided if the lease has expired by the clock, even if the process has not noticed
// because it hangs in a callback or was paused.
func (p *Process) Outcome() election.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := p.outcome; o.Until == 0 || o.LeadsAt(p.now()) {
		return o
	}
	return election.Outcome{Term: p.outcome.Term}
}

// tree contains the links of a process in the tree that an election has built.
type tree struct {
	parent   election.Port
	children []election.Port
	made     bool
}

// Tree returns the links of this process in the tree that the last completed election has built, for algorithms
// that build one, such as ghs and echo: the port of the parent, which is election.NoPort at the root, and the
// ports of the children. Config.Peers contains the processes behind the ports. ok is false if the algorithm
// builds no tree, or if no election has ended. The tree belongs to the Outcome of the last call of OnEnd.
func (p *Process) Tree() (parent election.Port, children []election.Port, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.tree.made {
		return election.NoPort, nil, false
	}
	return p.tree.parent, slices.Clone(p.tree.children), true
}

// Close ends Run as soon as the process is not in a callback. It may be called repeatedly, and before Run. To
// other processes it looks like a crash: messages that the process is about to send may not be sent.
func (p *Process) Close() { p.finish(nil) }

// finish ends the process because of an error, or because it was closed. Only the first cause counts.
func (p *Process) finish(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed, p.cause, p.left = true, cause, p.box.Close()
		if p.stop != nil { // the process may be waiting in Send, which the end of box does not interrupt
			p.stop(errStopped)
		}
	}
}

// errStopped is the cause with which finish cancels the context of Send. closeCause returns the real cause.
var errStopped = errors.New("process: stopped")

// closeCause reports whether the process has ended or is about to end, and why.
func (p *Process) closeCause() (closed bool, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed, p.cause
}
