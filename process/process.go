// Package process runs one process of an election over a transport: the driver that a service uses.
//
// # Usage
//
// A process knows the algorithm, its links and a transport. Place makes the links from a topology that all
// processes know, [CompleteLinks] those of a complete graph:
//
//	c := process.Config{Algorithm: hs.Probe(), Transport: t, Start: true}
//	err := c.Place(ring, ranks, 2)
//
// [Run] takes part in one election. A [Process] takes part in one after another, for as long as it runs:
//
//	p, err := process.New(c)
//	go p.Run(ctx)
//	...
//	err = p.Post(election.Event{Op: election.Reelect})
//	o := p.Outcome()
//
// A member of a service that runs a long-lived algorithm, such as bully, sets Rejoin instead of Start,
// since it cannot know whether the others run already. Reelect is for the other algorithms: a long-lived
// one is given it as it is.
//
// # Limitations
//
// A process has one goroutine, that which calls Run, and one more to receive unless the transport is a
// [transport.Pusher]. With such a transport, packets that wait when the process ends are there for the next
// process of this ID; with any other, those are lost that have been received.
package process

import (
	"context"
	"log/slog"
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
// [Process.Run] is called. The other methods may be called from any goroutine.
type Process struct {
	config Config
	log    *slog.Logger
	box    mailbox.Mailbox[entry] // all that the process has to deal with
	ran    atomic.Bool
	once   bool // an election is enough

	// Of the goroutine that runs the process.
	host    election.TermKeeper
	env     *election.Env
	clock   alarm.Clock
	began   time.Time
	state   []byte
	seen    []observe.Choice // what was chosen in this Step, where that is observed
	refused error
	over    bool // the one election that it was run for has ended

	sent     []atomic.Uint64 // by kind; the last stands for kinds that the algorithm does not name
	received atomic.Uint64
	dropped  atomic.Uint64
	unsent   atomic.Uint64
	depth    atomic.Uint32

	mu      sync.Mutex
	outcome election.Outcome
	closed  bool                 // as is box
	cause   error                // why
	left    *mailbox.Item[entry] // what was in box then
}

// New returns a process that is ready to run. An error wraps [election.ErrInput] and, where it applies,
// [election.ErrState] or [election.ErrNeedsFIFO].
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
	p.host = c.Algorithm.NewNode(c.setup(), c.OneWay)
	if len(c.Saved) > 0 {
		if err := new(election.State).Restore(&p.host, c.Saved); err != nil {
			return nil, input.Errorf("saved: %w", err)
		}
	}
	p.env = election.NewEnv(&view{c.Self, c.Links, c.Algorithm.Topology == election.Complete}, p.choose())
	p.sent = make([]atomic.Uint64, len(c.Algorithm.Kinds)+2)
	mailboxes.Open(&p.box)
	return p, nil
}

// Outcome returns what the process believes. Once it has ended that is nothing: the Role is Undecided,
// and the Term the last one. So who asks here whether to act as the leader stops when the process does.
func (p *Process) Outcome() election.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.outcome
}

// Post gives the process an event from outside: a Start, a Reelect, the word of a failure detector, news
// of a peer, a Command. It does not wait until the process has dealt with it. Before the process
// runs, events wait; once it has ended, the error wraps [election.ErrClosed].
func (p *Process) Post(ev election.Event) error {
	switch ev.Op {
	case election.Start, election.Reelect, election.Command:
	case election.Suspect, election.Trust, election.Joined, election.Left:
		if ev.Port >= election.Port(len(p.config.Links)) {
			return input.Errorf("%v of port %d, process %d has %d", ev.Op, ev.Port, p.config.Self.ID,
				len(p.config.Links))
		}
	default:
		return input.Errorf("%v cannot be posted", ev.Op)
	}
	if !p.box.Send(&entry{event: ev}) {
		return p.fails(election.ErrClosed)
	}
	return nil
}

// Close ends Run. It may be called again, and before Run.
func (p *Process) Close() { p.finish(nil) }

// finish ends the process because of an error, or because it was closed. The first cause counts.
func (p *Process) finish(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed, p.cause, p.left = true, cause, p.box.Close()
	}
}

// closeCause reports whether the process has ended or is about to, and why.
func (p *Process) closeCause() (closed bool, cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed, p.cause
}
