package local

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// run is an election under way.
type run struct {
	inits    atomic.Uint64 // of processes with leases
	config   Config
	log      *slog.Logger
	watch    *watch // nil without an observer
	pool     mailbox.Pool[entry]
	procs    []proc
	drawn    []uint32 // by process: how many of Config.Draws it has drawn; nil without these
	starters []bool   // at the beginning; nil: all start
	plans    []planned
	begun    time.Time
	wall     time.Duration
	over     chan struct{} // closed when pending is zero, or the run has failed
	close    sync.Once

	idle    sync.Pool // of workers
	mu      sync.Mutex
	workers []*worker   // all there ever were
	timed   atomic.Bool // some process has a clock

	failed  error // what ended the run
	refused error // a start that was refused

	// What all workers write is kept apart from what all read, on cache lines of its own.
	_ [cacheLine]byte

	// pending counts what is still to happen: processes that have not begun, messages under way,
	// timers that run and what is planned. It never falls to zero before the end; see worker.settled.
	pending atomic.Int64
	_       [cacheLine]byte
	live    sync.WaitGroup // the goroutines of the processes
	_       [cacheLine]byte
}

// cacheLine is how far apart lie what does not share a cache line, nor is fetched together.
const cacheLine = 128

// proc is a process. Its fields but the mailbox belong to the goroutine that has taken its turn.
type proc struct {
	box     mailbox.Mailbox[entry]
	host    election.TermKeeper
	belief  belief
	clock   *alarm.Clock // nil until it sets its first timer
	depth   uint32       // the longest chain of messages that has reached it
	crashed bool         // it is down now
}

// incarnation returns what Init brings where there are leases: a number that no other Init of the run has.
func (r *run) incarnation() uint64 {
	if !r.config.Algorithm.Leases {
		return 0
	}
	return r.inits.Add(1)
}

// belief is an election.Outcome without its end, which would take a process to a third cache line.
type belief struct {
	term   uint64
	leader election.Rank
	role   election.Role
}

func (b belief) outcome() election.Outcome {
	return election.Outcome{Term: b.term, Leader: b.leader, Role: b.role}
}

// entry is what lies in a mailbox: a message, a timer that has run out, or something planned. With
// the link to the next it takes 64 bytes, a cache line.
type entry struct {
	msg    election.Message
	port   election.Port
	depth  uint32 // of a message: the length of the longest chain of messages that ends in it
	number uint32 // of a message in a run that is observed: its number; of a timer: that of its expiry
	what   observe.What
	key    alarm.Key
}

func newRun(ctx context.Context, c Config) (*run, error) {
	r := &run{config: c, log: c.Log, over: make(chan struct{})}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if c.Observe != nil {
		r.watch = &watch{observe: c.Observe}
	}
	r.idle.New = func() any { return r.newWorker() }
	r.procs = make([]proc, len(c.IDs))
	if c.Draws != nil {
		r.drawn = make([]uint32, len(c.IDs))
	}
	err := r.forEach(ctx, func(p int) {
		r.pool.Open(&r.procs[p].box)
		r.procs[p].host = r.config.Node(p)
	})
	r.prepare()
	return r, err
}

// forEach does something for every process, on all processors. It stops early, with an error, when
// ctx ends, at which it looks now and then.
func (r *run) forEach(ctx context.Context, do func(p int)) error {
	const often = 256
	var working sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		working.Go(func() {
			// Each worker takes a contiguous part, so no two of them write to the same cache lines of procs.
			for p := w * len(r.procs) / workers; p < (w+1)*len(r.procs)/workers; p++ {
				if p%often == 0 && ctx.Err() != nil {
					return
				}
				do(p)
			}
		})
	}
	working.Wait()
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	return nil
}

// run lets every process live until the election is over. Each takes its first events before it
// takes a message, and before it has a goroutine, which so does not need the stack for that.
func (r *run) run(ctx context.Context) error {
	// One more than is planned: pending must not fall to zero before every process has begun. The settle
	// below takes it back.
	r.pending.Store(1 + int64(len(r.plans)))
	r.begun = time.Now()
	r.reportCrashed()
	err := r.forEach(ctx, func(p int) {
		if !r.procs[p].crashed {
			r.begin(p)
		}
		r.live.Add(1)
		go r.process(p)
	})
	if err == nil {
		r.settle(1)
		err = r.wait(ctx)
	}
	r.wall = time.Since(r.begun)
	// Do not use ctx, which may have ended: a mailbox that stays open would keep its reader waiting for ever.
	_ = r.forEach(context.Background(), func(p int) { r.procs[p].box.Close() })
	r.live.Wait()
	r.stopTimers()
	// The worst error comes first: a failed Node makes the result worthless, a refused start does not.
	return cmp.Or(r.failed, err, r.refused)
}

// begin lets process p have its first events.
func (r *run) begin(p int) {
	defer func() { r.recovered(p, recover()) }()
	w := r.idle.Get().(*worker)
	w.begin(p, &r.procs[p])
	w.rest()
}

// wait returns when the election is over or ctx ends. Meanwhile it carries out what is planned.
func (r *run) wait(ctx context.Context) error {
	var tick <-chan time.Time
	if r.config.Progress != nil {
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		tick = ticker.C
	}
	due := r.runDue()
	for {
		select {
		case <-due:
			due = r.runDue()
		case <-r.over:
			return nil
		case <-ctx.Done():
			return stopped(ctx)
		case <-tick:
			r.config.Progress(r.delivered())
		}
	}
}

// settle says that n of what was pending is done.
func (r *run) settle(n int64) {
	if n != 0 && r.pending.Add(-n) == 0 {
		r.end()
	}
}

func (r *run) end() { r.close.Do(func() { close(r.over) }) }

// fail ends the run because of an error of process p.
func (r *run) fail(p int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = &observe.ProcessError{ID: r.config.IDs[p], Err: err}
	}
	r.end()
}

// process lets process p have what comes in, for as long as something does. When nothing does, the
// goroutine goes on as the process that it has given work last, if that has no goroutine: none
// has to be woken, and a process that waits costs no stack. A timer that runs out can make no
// goroutine, so a process with timers stays and waits.
func (r *run) process(p int) {
	defer func() { r.exit(p, recover()) }()
	w := r.idle.Get().(*worker)
	for {
		pr := &r.procs[p]
		var batch *mailbox.Item[entry]
		if pr.clock == nil {
			batch = pr.box.TakeOrLeave()
		} else {
			// A goroutine that waits must hold neither a worker nor a process that has work: both would wait
			// with it.
			w.rest()
			batch = pr.box.Take()
			w = r.idle.Get().(*worker)
		}
		switch {
		case batch != nil:
			// This process has work itself, so the process that was to be next here needs a goroutine of its
			// own.
			w.spawn()
			w.deliver(p, pr, batch)
		case w.next != none:
			p, w.next = w.next, none
		default:
			w.rest()
			return
		}
	}
}

// exit ends a goroutine, that of process p.
func (r *run) exit(p int, what any) {
	r.recovered(p, what)
	r.live.Done()
}

// stopTimers stops all timers. No process lives any more.
func (r *run) stopTimers() {
	// Most runs have no timers; this saves a walk over millions of processes.
	if !r.timed.Load() {
		return
	}
	for p := range r.procs {
		if clock := r.procs[p].clock; clock != nil {
			clock.StopAll()
		}
	}
}

// recovered turns the panic of a Node, if there was one, into the error that ends the run.
func (r *run) recovered(p int, what any) {
	if what != nil {
		r.fail(p, fmt.Errorf("%w: %v", observe.ErrPanic, what))
	}
}

// result adds up. No process lives any more.
func (r *run) result() Result {
	res := Result{Wall: r.wall}
	var tally verdict.Tally
	var tree verdict.Tree
	for _, w := range r.workers {
		res.Steps += w.steps
		res.Chain = max(res.Chain, uint64(w.longest))
		tree.Add(&w.tree)
		for kind, n := range w.sent {
			tally.AddN(uint8(kind), n)
		}
	}
	tally.Fill(&res.Result, r.config.Algorithm, r.config.Widths())
	tree.Fill(&res.Result)
	poll := verdict.Beliefs{Groups: r.config.Algorithm.Groups}
	for p := range r.procs {
		if pr := &r.procs[p]; !pr.crashed {
			poll.Add(pr.belief.outcome(), pr.host.Ended())
		}
	}
	poll.Fill(&res.Result)
	return res
}
