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
)

// The causes with which the context of the work ends, besides that of the context of Run.
var (
	ErrUnreachable = errors.New("elector: the lease was not renewed in time")
	ErrPaused      = errors.New("elector: the program was paused until the lease was over")
	ErrDeposed     = errors.New("elector: another member leads")
	ErrResigned    = errors.New("elector: this member resigns")
	ErrTransferred = errors.New("elector: the lead goes to another member")
)

// Errors of requests.
var (
	ErrNotLeader = errors.New("elector: this member does not lead")
	ErrNotTaken  = errors.New("elector: the member has not taken over")
)

// Pause is an error that the work of a leader returns to give up the lead, and to be no candidate for
// this long. A Pause that is shorter than Times.Lease lasts for a Lease: work that returns nil makes a member
// wait that long as well, and work that fails at once must not be called in a loop without a break. A member
// votes meanwhile.
type Pause time.Duration

// Error says for how long.
func (p Pause) Error() string {
	return fmt.Sprintf("elector: this member is no candidate for %v", time.Duration(p))
}

// Elector is one member of a group. It is made by [New]; its methods may be called from any goroutine.
type Elector struct {
	config     Config
	log        *slog.Logger
	name       func(election.ID) string
	process    *process.Process
	close      func() error // closes the transport, if it is not the caller's, and unlocks Dir
	clock      func() time.Duration
	ran        atomic.Bool
	ended      chan struct{} // closed when the process has ended
	roundTrips *roundTrips
	standings  *standings
	hearsay    *hearsay
	disk       *disk // nil if nothing is kept
	observers  *observers
	attempts   *attempts   // nil if no other group shares the connections
	leases     bool        // false with Config.Algorithm
	stands     atomic.Bool // this member is a candidate: Run runs, and not Serve
	mixed      sync.Once   // of warnMixed
	giving     atomic.Bool // this member is about to give up its lease
	ending     atomic.Bool // the process is about to end

	turn    sync.Mutex // of those who publish a View; locked before mu
	mu      sync.Mutex
	abort   context.CancelCauseFunc // ends the context of Run; nil before
	fault   error                   // of the first callback that has panicked
	view    View
	until   time.Duration   // the end of the last lease that the process has reported
	least   uint64          // Advance: no lead in this Term, or a smaller one
	vacant  time.Duration   // since when view names no leader
	decided uint64          // the Term of the last leader that the process has reported
	rumored time.Duration   // when the last hearsay is too old
	fade    *time.Timer     // runs out then; nil before the first
	watches bool            // the transport watches its peers
	up      map[string]bool // the peers that are up then
	changed chan struct{}   // closed when view changes
	renewed chan struct{}   // closed when the lease is renewed
	tenure  *tenure         // nil while this member does not lead
}

// New returns a member that is ready to run. An error wraps [election.ErrInput], or says what is wrong
// with Dir or an address. Unless it is run, [Elector.Close] has to close it.
func New(c Config) (*Elector, error) {
	e, err := newElector(c)
	return e, prefixed(err)
}

// newElector returns a member, or an error without the prefix.
func newElector(c Config) (*Elector, error) {
	if c.Dir != "" {
		c.Times = c.Times.onDisk()
	}
	c.Times = c.Times.Complete()
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.leaves() {
		c.Dir, c.Priority, c.Preempt = "", nil, 0
	}
	a, err := c.algorithm(0)
	if err != nil {
		return nil, err
	}
	e := &Elector{log: c.Log, name: c.named(), clock: c.Clock,
		ended: make(chan struct{}), changed: make(chan struct{}), renewed: make(chan struct{}),
		up: make(map[string]bool)}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.log = e.log.With("group", c.Group)
	// The leader is logged here.
	processLog := slog.New(warnings{e.log.Handler()})
	e.log = e.log.With("member", c.Self)
	if e.clock == nil {
		e.clock = suspend.Clock()
	}
	kept, err := openStore(&c)
	if err != nil {
		return nil, err
	}
	if kept.lastGrant > kept.grants && a.Leases {
		e.log.Info("this member granted its vote for longer before: it keeps silent until that is over", "for",
			kept.lastGrant)
		if a, err = c.algorithm(kept.lastGrant); err != nil {
			return nil, errors.Join(err, kept.close())
		}
	}
	shared := c.Network != nil && c.Transport == nil
	disconnect, err := c.connect(e.log)
	if err != nil {
		return nil, errors.Join(err, kept.close())
	}
	e.disk = newDisk(kept, c.Times.Lease)
	e.close = func() error { return errors.Join(disconnect(), kept.close()) }
	e.config, e.roundTrips = c, newRoundTrips(a, &c, e.log)
	e.standings, e.hearsay = newStandings(&c, e.preempt, e.warnMixed), newHearsay(&c, e.hearOf)
	e.leases, e.observers = a.Leases, newObservers(&c)
	var expire func(timer uint8, handle func())
	if shared && a.Leases && !c.observes() {
		expire = e.pace(a)
	}
	reach := newReach(a, &c, e.log)
	link := c.Transport
	if !c.votes() {
		link = muted{link}
	}
	e.process, err = process.New(process.Config{
		Algorithm: a, Self: c.rank(c.Self), Peers: c.ranks(), Transport: link,
		// A process that has no vote does not come back: it has lent none, and asks for none that was forgotten.
		Founding: !c.votes(),
		// Where there are leases, nothing waits for the order: rounds have numbers.
		Unordered: a.Leases,
		Saved:     kept.saved, Save: kept.save(), Clock: e.clock,
		OnOutcome: e.heard, OnRenew: e.renew, Expire: expire,
		Observe: func(o *observe.Occurrence) {
			if e.leases { // other algorithms may give the same number to another kind of message
				e.roundTrips.observe(o)
				e.standings.observe(o)
				e.hearsay.observe(o)
				reach.observe(o)
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
	if c.leaves() {
		e.log.Warn(leaving, "members", c.names())
	}
	return e, nil
}

// Close ends a member that does not run. One that runs ends with the context of Run.
func (e *Elector) Close() error {
	if e.ran.Swap(true) {
		return nil
	}
	err := e.end()
	return errors.Join(err, e.failure())
}

// end lets the member take no part any more.
func (e *Elector) end() error {
	e.publish(func(before View) View {
		if e.fade != nil {
			e.fade.Stop()
		}
		return View{Term: before.Term, Why: Ended}
	})
	return prefixed(e.close())
}

// Run takes part until ctx ends. Whenever this member leads it calls lead, again in each Term, never
// twice at a time. The context of lead ends Stop before the lease does, when the lead is to go to
// another member, and with ctx; its cause says why. If ctx ends, or the lead is handed over, the lease
// goes on until lead returns, for at most Times.Drain, and the next member leads at once.
//
// If lead returns nil while this member leads, another member takes over, and this one stands again after a
// lease, or after a [Pause] that lead returns. If it returns any other error, Run gives up the lead and
// returns that error. Run returns nil when ctx has ended, and the error of the transport if that has
// failed. It gives up the lead before it waits for a callback of the Config, and waits for Priority for
// at most a Lease. It runs once. If Self is not among the Members, Run never calls lead, like Serve.
func (e *Elector) Run(ctx context.Context, lead func(context.Context, Term) error) error {
	switch {
	case lead == nil:
		return refuse("lead: there is nothing to run")
	case e.config.observes():
		return ErrObserver
	case e.config.leaves():
		return e.run(ctx, nil)
	}
	return e.run(ctx, lead)
}

// Serve takes part until ctx ends, and votes or observes, but never leads. Without leases the error is
// ErrNoLease.
func (e *Elector) Serve(ctx context.Context) error {
	if !e.leases {
		return fmt.Errorf("%w: any member may be elected", ErrNoLease)
	}
	return e.run(ctx, nil)
}

func (e *Elector) run(ctx context.Context, lead func(context.Context, Term) error) (err error) {
	if e.ran.Swap(true) {
		return refuse("the Elector has run already, or is closed")
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	e.mu.Lock()
	e.vacant, e.abort = e.clock(), abort
	e.mu.Unlock()
	// The process must outlive ctx, to hand over the lead.
	alive, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	e.observers.send = func(p election.Packet) {
		_ = e.config.Transport.Send(alive, p) // one that is lost is followed by the next renewal
	}
	defer e.watchPeers()()
	var failed error
	go func() {
		defer close(e.ended)
		failed = e.process.Run(alive)
		failed = e.byName(failed)
	}()
	asking, stopAsking := context.WithCancel(ctx)
	var asked <-chan struct{} // closed when Priority is not called any more; nil if it never was
	// Also if lead panics: the lease must not be renewed for work that has ended, and nothing may stay open.
	defer func() {
		stopAsking()
		// First of all: what comes later may wait for a function of the caller.
		e.sitDown()
		e.ending.Store(true)
		e.process.Close()
		<-e.ended
		closed := e.end()
		e.await(asked, "Run returns although Priority has not: it must return at once")
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

// byName returns an error of the process, or of the transport, with the name of the member.
func (e *Elector) byName(err error) error {
	if own, ok := errors.AsType[*observe.ProcessError](err); ok {
		err = own.Err
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf(prefix+"member %q: %w", e.config.Self, err)
}

// watchPeers lets the process know which members can be reached, if the transport does. A candidate then
// does not wait for one that has crashed. It returns what ends that.
func (e *Elector) watchPeers() (stop func()) {
	t, ok := e.config.Transport.(transport.Watcher)
	if !ok {
		return func() {}
	}
	e.mu.Lock()
	e.watches = true
	e.mu.Unlock()
	return t.WatchPeers(func(id election.ID, up bool) {
		e.attempts.reach(id, up)
		e.mu.Lock()
		e.up[e.name(id)] = up
		e.mu.Unlock()
		if up {
			e.observers.came(id)
		}
		// The process publishes the View, as f must not wait. An error is of no use: the process has ended, or
		// the peer is in a newer list of members.
		if up {
			_ = e.process.Trust(id)
		} else {
			_ = e.process.Suspect(id)
		}
	})
}

// warnings is a log that drops what is less than a warning.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }

// campaign leads again and again, until ctx ends or lead fails.
func (e *Elector) campaign(ctx context.Context, lead func(context.Context, Term) error) error {
	for {
		// Without leases the process elects when it joins, and a Start would ask for another election.
		if e.leases {
			if err := e.process.Start(); err != nil {
				return nil // the process has ended, and says why
			}
		}
		t := e.awaitTenure(ctx)
		if t == nil {
			return nil
		}
		err := t.serve(ctx, lead)
		if ctx.Err() != nil {
			return nil // whatever lead returns: it was asked to
		}
		if _, why := t.reason(); !e.leases && why == nil {
			return err // to leave the group is the only way to give up the lead
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

// sitOut gives up the lead and is no candidate for a while. It returns false if ctx, or the process,
// ends before.
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

// awaitTenure waits until this member leads. It returns nil if ctx, or the process, ends before.
func (e *Elector) awaitTenure(ctx context.Context) *tenure {
	for missed := 0; ; {
		e.mu.Lock()
		v, changed := e.view, e.changed
		// The View does not do: no goroutine may have noticed yet that its lease has ended.
		leads := v.Self && e.process.Outcome().LeadsAt(e.clock()) && ctx.Err() == nil
		refused := v.Term <= e.least
		if leads && !refused {
			e.tenure = newTenure(e, v.Term)
			t := e.tenure
			e.mu.Unlock()
			return t
		}
		e.mu.Unlock()
		if leads { // it had claimed before Advance was called
			e.giveUp(lease.Resign(v.Term, 0), true)
			continue
		}
		// Some algorithms do not elect when a process joins, and an election may have lost a message.
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

// electAgain asks for an election. missed is for how many times of Lease there has been no leader.
func (e *Elector) electAgain(missed int) {
	// An election that has lost a message may not end, and a Start does not replace it. A detector does not
	// either: it hears the beats of all. To begin another is no harm but where an election takes longer than
	// this; so at first the members wait twice as long each time.
	if missed%32 == 0 || missed >= 4 && missed&(missed-1) == 0 {
		_ = e.process.Reelect() // an error: it has ended
		return
	}
	_ = e.process.Start() // likewise
}

// giveUp gives up the lead by a command of package lease, and waits until the others have been sent word.
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
		if left <= 0 { // a process that hangs does not send word; its lease ends all the same
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

// renew notes that the lease was renewed.
func (e *Elector) renew(o election.Outcome) {
	e.mu.Lock()
	close(e.renewed)
	e.renewed, e.until = make(chan struct{}), o.Until
	e.mu.Unlock()
	e.observers.hear(o, e.clock())
	// A lease lasts from the moment at which its renewal was sent.
	e.attempts.renewed(e.clock() - (o.Until - e.config.Times.Lease))
	e.callRenewed(o.Term)
}

func (e *Elector) callRenewed(term uint64) {
	if e.config.Renewed != nil {
		e.call("Renewed", func() { e.config.Renewed(Term{term, e}) })
	}
}
