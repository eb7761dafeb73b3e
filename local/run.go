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

// run is an election in progress.
type run struct {
	inits    atomic.Uint64 // number of Inits, for processes with leases
	config   Config
	log      *slog.Logger
	watch    *watch // nil without an observer
	pool     mailbox.Pool[entry]
	procs    []proc
	drawn    []uint32 // by process: number of Config.Draws used; nil without Draws
	starters []bool   // processes that start at the beginning; nil: all
	plans    []planned
	begun    time.Time
	wall     time.Duration
	over     chan struct{} // closed when pending is zero, or the run has failed
	close    sync.Once

	idle    sync.Pool // of workers
	mu      sync.Mutex
	workers []*worker   // all workers ever created
	timed   atomic.Bool // some process has a clock

	failed  error // error that ended the run
	refused error // error of a refused start

	// Keep fields that all workers write on cache lines of their own, apart from fields that all workers read.
	_ [cacheLine]byte

	// pending counts everything that is still to happen: processes that have not begun, messages in flight,
	// running timers and plans. It does not drop to zero before the end; see worker.settled.
	pending atomic.Int64
	_       [cacheLine]byte
	live    sync.WaitGroup // goroutines of the processes
	_       [cacheLine]byte
}

// cacheLine is the distance at which two fields neither share a cache line nor are prefetched together.
const cacheLine = 128

// proc is a process. All fields except the mailbox belong to the goroutine that currently runs the process.
type proc struct {
	box     mailbox.Mailbox[entry]
	host    election.TermKeeper
	belief  belief
	clock   *alarm.Clock // nil until it sets its first timer
	depth   uint32       // length of the longest causal chain of messages that has reached it
	crashed bool         // down at the moment
}

// incarnation returns the incarnation for Init, if the algorithm has leases: a number that is unique in the
// run.
func (r *run) incarnation() uint64 {
	if r.config.Algorithm.Elects != election.LeaseHolders {
		return 0
	}
	return r.inits.Add(1)
}

// belief is an election.Outcome without its end, which would make proc extend to a third cache line.
type belief struct {
	term   uint64
	leader election.Rank
	role   election.Role
}

func (b belief) outcome() election.Outcome {
	return election.Outcome{Term: b.term, Leader: b.leader, Role: b.role}
}

// entry is an item in a mailbox: a message, an expired timer, or a planned event. Including the link to the
// next item it takes 64 bytes, one cache line.
type entry struct {
	msg    election.Message
	port   election.Port
	depth  uint32 // message: length of the longest causal chain that ends with it
	number uint32 // message in an observed run: its number; timer: number of the expiry
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

// forEach calls do for every process, on all processors. It checks ctx periodically and stops early, with an
// error, when ctx ends.
func (r *run) forEach(ctx context.Context, do func(p int)) error {
	const often = 256
	var working sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		working.Go(func() {
			// Each worker handles a contiguous range, so no two workers write to the same cache lines of procs.
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

// run runs every process until the election is over. Each process handles its first events before it receives
// messages, and before it has a goroutine, whose stack therefore stays small.
func (r *run) run(ctx context.Context) error {
	// Add one to the plans: pending must not drop to zero before every process has begun. The settle below
	// subtracts it again.
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
	// Do not use ctx, which may have ended: a mailbox that stays open would block its reader forever.
	_ = r.forEach(context.Background(), func(p int) { r.procs[p].box.Close() })
	r.live.Wait()
	r.stopTimers()
	// Return the most serious error: after a Node has failed the result is useless, after a refused start it is
	// not.
	return cmp.Or(r.failed, err, r.refused)
}

// begin delivers the first events to process p.
func (r *run) begin(p int) {
	defer func() { r.recovered(p, recover()) }()
	w := r.idle.Get().(*worker)
	w.begin(p, &r.procs[p])
	w.rest()
}

// wait returns when the election is over or ctx ends. In the meantime it carries out the plans.
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

// settle subtracts n from pending.
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

// process runs process p for as long as it has work. When it has none, the goroutine continues as the process
// that it has most recently given work, if that process has no goroutine: no goroutine has to be woken, and an
// idle process needs no stack. An expiring timer cannot start a goroutine, so a process with timers waits
// instead.
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
			// This process has work of its own, so the process that was to be next here needs a goroutine.
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

// exit ends the goroutine of process p.
func (r *run) exit(p int, what any) {
	r.recovered(p, what)
	r.live.Done()
}

// stopTimers stops all timers. No process is running any more.
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

// recovered ends the run with an error if a Node has panicked.
func (r *run) recovered(p int, what any) {
	if what != nil {
		r.fail(p, fmt.Errorf("%w: %v", observe.ErrPanic, what))
	}
}

// result computes the Result. No process is running any more.
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
	poll := verdict.Beliefs{Groups: r.config.Algorithm.Elects == election.GroupLeaders}
	for p := range r.procs {
		if pr := &r.procs[p]; !pr.crashed {
			poll.Add(pr.belief.outcome(), pr.host.Ended())
		}
	}
	poll.Fill(&res.Result)
	return res
}
