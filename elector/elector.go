package elector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/tcp"
)

// The causes with which the context of the work is canceled. If ctx of Run ends, its own cause is passed on.
var (
	ErrUnreachable = errors.New("elector: the lease was not renewed in time")
	ErrPaused      = errors.New("elector: the program was paused until the lease had expired")
	ErrDeposed     = errors.New("elector: another member leads")
	ErrResigned    = errors.New("elector: this member resigns")
	ErrTransferred = errors.New("elector: the lead is transferred to another member")
)

// Errors of Resign and Transfer.
var (
	ErrNotLeader = errors.New("elector: this member does not lead")
	ErrNotTaken  = errors.New("elector: the member has not taken over")
)

// Pause is an error that the work returns to give up the lead and not to be a candidate for this long. The member
// still votes meanwhile. A Pause lasts at least Times.Lease, as the break after work that returns nil does: work that
// fails immediately must not be restarted in a tight loop.
type Pause time.Duration

// Error returns a message with the duration.
func (p Pause) Error() string {
	return fmt.Sprintf("elector: this member is no candidate for %v", time.Duration(p))
}

// Elector is one member of a group. Create it with [New]. Its methods are safe for concurrent use.
type Elector struct {
	config     Config
	log        *slog.Logger
	members    *membership
	process    *process.Process
	close      func() error // closes the transport unless it is the caller's, and unlocks Dir
	clock      func() time.Duration
	ran        atomic.Bool
	ended      chan struct{} // closed when the process has ended
	roundTrips *roundTrips
	reach      *reach
	standings  *standings
	hearsay    *hearsay
	disk       *disk // nil if nothing is kept
	observers  *observers
	network    *tcp.Network // nil if a Transport of the caller or a Store is used
	counts     counts
	up         *peers      // which peers can be reached; nil if the transport does not know
	attempts   *attempts   // nil if no other group shares the connections
	link       *storeLink  // to the Store; nil without one
	leases     bool        // false with Config.Algorithm
	stands     atomic.Bool // this member is a candidate: Run was called, not Serve
	mixed      sync.Once   // warnMixed logs once
	giving     atomic.Bool // this member is about to give up its lease
	ending     atomic.Bool // the process is about to end

	turn    sync.Mutex // serializes publish; locked before mu
	mu      sync.Mutex
	abort   context.CancelCauseFunc // ends the context of Run; nil before
	fault   error                   // the panic of a callback, the first if several do
	view    View
	until   time.Duration // the end of the last lease that the process has reported
	least   uint64        // set by Advance: this member does not lead in this Term or a smaller one
	vacant  time.Duration // since when view names no leader
	decided uint64        // the Term of the last leader that the process has reported
	rumored time.Duration // when the last hearsay expires
	fade    *time.Timer   // fires at rumored; nil before the first hearsay
	changed chan struct{} // closed when view changes
	renewed chan struct{} // closed when the lease is renewed
	tenure  *tenure       // nil while this member does not lead
}

// New returns a member that is ready to run. An error about the Config wraps [election.ErrInput]; other errors are
// about Dir or an address. If you do not call Run or Serve, call [Elector.Close].
func New(c Config) (*Elector, error) {
	e, err := newElector(c)
	return e, prefixed(err)
}

// newElector is New, with errors that lack the prefix of the package.
func newElector(c Config) (*Elector, error) {
	if c.Dir != "" {
		c.Times = c.Times.onDisk()
	}
	c.Times = c.Times.Complete()
	if err := c.check(); err != nil {
		return nil, err
	}
	a, err := c.algorithm(0)
	if err != nil {
		return nil, err
	}
	e := &Elector{log: c.Log, clock: c.Clock, counts: newCounts(),
		ended: make(chan struct{}), changed: make(chan struct{}), renewed: make(chan struct{})}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.log = e.log.With("group", c.Group)
	// This package logs elections and lost leases itself, with names.
	processLog := slog.New(warnings{e.log.Handler()})
	e.log = e.log.With("member", c.Self)
	if e.clock == nil {
		e.clock = suspend.Clock()
	}
	kept, err := openState(&c)
	if err != nil {
		return nil, err
	}
	if kept.lastGrant > kept.grants && a.Elects == election.LeaseHolders {
		e.log.Info("this member granted its vote for longer before: it keeps silent until that grant has "+
			"expired", "for", kept.lastGrant)
		if a, err = c.algorithm(kept.lastGrant); err != nil {
			return nil, errors.Join(err, kept.close())
		}
	}
	shared := c.Network != nil && c.Transport == nil
	e.members = newMembership(&c, a, kept, e.log)
	kept.knows = e.members.known
	var disconnect func() error
	if c.Store != nil {
		e.link = newStoreLink(&c, e.log)
		c.Transport, disconnect = e.link, e.link.Close
	} else if e.network, disconnect, err = c.connect(e.members); err != nil {
		return nil, errors.Join(err, kept.close())
	}
	e.disk = newDisk(kept, c.Times.Lease)
	// Unlock Dir last: no other program may vote as this member while this one still sends.
	e.close = func() error { return errors.Join(disconnect(), kept.close()) }
	e.config, e.roundTrips = c, newRoundTrips(a, &c, e.log)
	e.roundTrips.votes = e.members.votesAt
	e.standings = newStandings(&c, e.peer, e.members.votesAt, e.preempt, e.warnMixed)
	e.hearsay = newHearsay(&c, func(p election.Port) election.ID { return e.peer(p).ID }, e.members.isOther, e.hearOf)
	e.leases, e.observers = a.Elects == election.LeaseHolders, newObservers(&c)
	if _, watches := c.Transport.(transport.Watcher); watches {
		e.up = newPeers()
	}
	var expire func(timer uint8, handle func())
	// Only groups that share connections crowd each other out. Observers never try to lead.
	if shared && a.Elects == election.LeaseHolders && !c.observes() {
		expire = e.pace(a)
	}
	e.reach = newReach(a, &c, e.members.voters, e.log)
	link := c.Transport
	if c.observes() {
		link = muted{link}
	}
	e.process, err = process.New(process.Config{
		Algorithm: e.members.watch(a), Self: c.rank(ID(c.Self)), Peers: c.peers(kept.roster), Rank: c.rank,
		Transport: link,
		// An observer has lent no vote before a restart, so it need not wait at the start.
		Founding: c.observes(),
		// With leases no message depends on the order of messages: rounds have numbers.
		Unordered: a.Elects == election.LeaseHolders,
		Saved:     kept.saved, Save: kept.save(), Clock: e.clock,
		OnOutcome: e.heard, OnRenew: e.renew, Expire: expire,
		Observe: func(o *observe.Occurrence) {
			if e.leases { // other algorithms may give the same number to another kind of message
				e.roundTrips.observe(o)
			}
			if e.leases && e.link == nil {
				e.members.observe(o)
				e.standings.observe(o)
				e.hearsay.observe(o)
				e.reach.observe(o)
				e.attempts.observe(o)
			}
			if o.What == observe.Step && (o.Event.Op == election.Suspect || o.Event.Op == election.Trust) {
				e.publish(func(before View) View { return before }) // see watchPeers
			}
		},
		Log: processLog, Name: e.name,
	})
	if err != nil {
		return nil, errors.Join(err, e.close())
	}
	e.members.start(e.process, e.up, e.regroup)
	if e.link != nil {
		e.link.start(e.call, func(term uint64) time.Duration { return (Term{term, e}).Left() },
			func() bool { return e.process.Outcome().Role == election.Leader })
		return e, nil
	}
	if e.leases && !c.observes() {
		for i, name := range c.list() {
			if err := e.process.Command(lease.Wish(ID(name), i, len(c.Members))); err != nil {
				return nil, errors.Join(err, e.Close())
			}
		}
	}
	return e, nil
}

// peer returns the member at a port of the process.
func (e *Elector) peer(port election.Port) election.Rank {
	r, _ := e.process.Peer(port)
	return r
}

// name returns the name of a member, for logs.
func (e *Elector) name(id election.ID) string {
	if e.link != nil {
		return e.link.name(id)
	}
	return e.members.name(id)
}

// Close releases a member that was not run. It does nothing once Run or Serve was called: cancel their context.
func (e *Elector) Close() error {
	if e.ran.Swap(true) {
		return nil
	}
	err := e.end()
	return errors.Join(err, e.failure())
}

// end publishes the last View and closes the transport and Dir.
func (e *Elector) end() error {
	e.publish(func(before View) View {
		if e.fade != nil {
			e.fade.Stop()
		}
		return View{Term: before.Term, Why: Ended}
	})
	return prefixed(e.close())
}

// Run takes part in the group until ctx ends. It calls lead whenever this member becomes the leader, once in each
// Term, and never twice at a time. The context of lead is canceled Times.Stop before the lease expires, when the lead
// is handed over, and with ctx; [context.Cause] returns why. If ctx ends, or the lead is handed over, this member
// renews its lease until lead returns, for at most Times.Drain; then the next member leads immediately.
//
// If lead returns nil while this member leads, another member takes over. This one becomes a candidate again after a
// lease, or after the [Pause] that lead returns. If lead returns any other error, Run gives up the lead and returns
// that error.
//
// Run returns nil if ctx has ended, and the error of the transport if that has failed. It gives up the lead before it
// waits for a callback of the Config, and waits for Priority for at most a lease. Call Run once. A process
// that is no member of the group, as Members reports, takes part without a vote, and leads only once it is one.
func (e *Elector) Run(ctx context.Context, lead func(context.Context, Term) error) error {
	switch {
	case lead == nil:
		return refuse("lead: it is nil")
	case e.config.observes():
		return ErrObserver
	}
	return e.run(ctx, lead)
}

// Serve takes part in the group until ctx ends, but never leads: a member votes, an observer follows. Without leases
// it returns ErrNoLease.
func (e *Elector) Serve(ctx context.Context) error {
	if !e.leases {
		return fmt.Errorf("%w: any member may be elected", ErrNoLease)
	}
	return e.run(ctx, nil)
}

func (e *Elector) run(ctx context.Context, lead func(context.Context, Term) error) (err error) {
	if e.ran.Swap(true) {
		return refuse("Run or Serve: the Elector was run before or is closed; call New again")
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	// Known to e, so that a callback that panics on any goroutine can end Run.
	e.mu.Lock()
	e.vacant, e.abort = e.clock(), abort
	e.mu.Unlock()
	// The process must outlive ctx, to hand over the lead.
	alive, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	e.observers.send = func(p election.Packet) {
		_ = e.config.Transport.Send(alive, p) // if it is lost, the next renewal informs the observer
	}
	defer e.watchPeers()()
	if e.link != nil {
		e.link.watch()
	}
	var steering sync.WaitGroup
	steering.Go(func() { e.steer(alive) })
	defer steering.Wait()
	defer stop()
	var failed error
	go func() {
		defer close(e.ended)
		failed = e.process.Run(alive)
		failed = e.byName(failed)
	}()
	asking, stopAsking := context.WithCancel(ctx)
	var asked <-chan struct{} // closed after the last call of Priority; nil if there was none
	// Deferred, since lead may panic: no lease may be renewed for work that has ended, and nothing may stay open.
	defer func() {
		stopAsking()
		// Give up the lead first: the calls below may wait for a function of the caller.
		e.sitDown()
		e.ending.Store(true)
		e.process.Close()
		<-e.ended
		closed := e.end()
		e.await(asked, "Run returns although Priority has not returned: it must not block")
		e.await(e.disk.inFlight(), "Run returns although the disk of Dir still hangs")
		err = errors.Join(err, failed, closed, e.failure())
	}()
	if lead == nil {
		select {
		case <-ctx.Done():
		case <-e.ended:
		}
		return nil
	}
	e.stands.Store(true)
	var first <-chan struct{}
	first, asked = e.prioritize(asking)
	select {
	case <-first:
		return e.campaign(ctx, lead)
	case <-ctx.Done():
	case <-e.ended:
	}
	return nil
}

// byName returns an error of the process or the transport, with the name of the member instead of its ID.
func (e *Elector) byName(err error) error {
	if own, ok := errors.AsType[*observe.ProcessError](err); ok {
		err = own.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf(prefix+"member %q: %w", e.config.Self, err)
}

// watchPeers reports to the process which members can be reached, if the transport knows, so that a candidate does
// not wait for a member that has crashed. Call stop to end that.
func (e *Elector) watchPeers() (stop func()) {
	t, ok := e.config.Transport.(transport.Watcher)
	if !ok {
		return func() {}
	}
	return t.WatchPeers(func(id election.ID, up bool) {
		e.up.set(id, up)
		e.members.reached(id, up)
		e.attempts.reach(id)
		if up {
			e.observers.came(id)
		}
		// The step of the process publishes the new View, since this callback must not block. Ignore the error: the
		// process has ended, or the peer is only in a newer list of members.
		if up {
			_ = e.process.Trust(id)
		} else {
			_ = e.process.Suspect(id)
		}
	})
}

// warnings is a log handler that drops records below the level Warn.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }

// campaign serves one tenure after another, until ctx ends or lead fails.
func (e *Elector) campaign(ctx context.Context, lead func(context.Context, Term) error) error {
	for {
		// Without leases the process elects when it joins, and a Start would ask for another election.
		if e.leases {
			if err := e.process.Start(); err != nil {
				return nil // the process has ended; run returns its error
			}
		}
		t := e.awaitTenure(ctx)
		if t == nil {
			return nil
		}
		err := t.serve(ctx, lead)
		if ctx.Err() != nil {
			return nil // lead was asked to return, so its error is no failure
		}
		if _, why := t.reason(); !e.leases && why == nil {
			return err // without leases a member gives up the lead only by leaving the group
		}
		if pause, ok := errors.AsType[Pause](err); ok {
			if !e.sitOut(ctx, pause) {
				return nil
			}
		} else if err != nil {
			return err
		}
	}
}

// sitOut gives up the lead and is no candidate for a while. It returns false if ctx or the process ends first.
func (e *Elector) sitOut(ctx context.Context, pause Pause) bool {
	e.sitDown()
	timer := time.NewTimer(max(time.Duration(pause), e.config.Times.Lease))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-e.ended:
	}
	return false
}

// awaitTenure waits until this member leads. It returns nil if ctx or the process ends first.
func (e *Elector) awaitTenure(ctx context.Context) *tenure {
	for missed := 0; ; {
		e.mu.Lock()
		v, changed := e.view, e.changed
		// Compare with the clock as well: the lease may have expired before any goroutine could update the View.
		leads := v.Self && e.process.Outcome().LeadsAt(e.clock()) && ctx.Err() == nil
		refused := v.Term <= e.least
		if leads && !refused {
			e.tenure = newTenure(e, v.Term)
			e.counts.terms.Add(1)
			t := e.tenure
			e.mu.Unlock()
			return t
		}
		e.mu.Unlock()
		if leads { // the claim was sent before Advance was called
			e.giveUp(lease.Resign(v.Term, 0), true)
			continue
		}
		// Without leases, a process may join without an election, and a lost message may stop one.
		var missing <-chan time.Time
		if v.Leader != "" {
			missed = 0
		} else if !e.leases {
			missing = time.After(e.config.Times.Lease)
		}
		select {
		case <-changed:
		case <-missing:
			missed++
			e.electAgain(missed)
		case <-ctx.Done():
			return nil
		case <-e.ended:
			return nil
		}
	}
}

// electAgain asks for an election after missed times Lease without a leader.
func (e *Elector) electAgain(missed int) {
	// An election that has lost a message may never end, and Start does not replace it. Failure detectors do not help
	// either: every member is up. Reelect begins another election, which is harmless unless elections take longer
	// than this wait; so the wait doubles.
	if missed%32 == 0 || missed >= 4 && missed&(missed-1) == 0 {
		_ = e.process.Reelect() // fails only if the process has ended
		return
	}
	_ = e.process.Start() // fails only if the process has ended
}

// giveUp gives up the lead by a command of package lease, and waits until the other members have been informed.
func (e *Elector) giveUp(command election.Message, onPurpose bool) {
	e.giving.Store(onPurpose)
	defer e.giving.Store(false)
	if !e.leases {
		return
	}
	if e.process.Command(command) != nil {
		return
	}
	for {
		e.mu.Lock()
		v, changed, until := e.view, e.changed, e.until
		e.mu.Unlock()
		if !v.Self || command.Term != 0 && v.Term != command.Term {
			return
		}
		left := until - e.clock()
		if left <= 0 { // the process hangs and informs nobody, but its lease has expired
			e.lose(v)
			return
		}
		select {
		case <-changed:
		case <-e.ended:
			return
		case <-time.After(left):
		}
	}
}

// renew records that the lease was renewed.
func (e *Elector) renew(o election.Outcome) {
	e.mu.Lock()
	close(e.renewed)
	left := e.until - e.clock()
	e.renewed, e.until = make(chan struct{}), o.Until
	e.mu.Unlock()
	e.counts.renewed(left, &e.config.Times)
	e.observers.hear(o, e.clock())
	// A lease begins when its renewal is sent, so that moment is a Lease before Until.
	e.attempts.renewed(e.clock() - (o.Until - e.config.Times.Lease))
	e.callRenewed(o.Term)
}

func (e *Elector) callRenewed(term uint64) {
	if e.config.Renewed != nil {
		e.call("Renewed", func() { e.config.Renewed(Term{term, e}) })
	}
}
