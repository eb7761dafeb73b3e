package local

import (
	"fmt"
	"sync/atomic"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// worker contains what a process needs only while it works. A process takes a worker when it has work. There
// are about as many workers as processors, so that their data stays in caches and an idle process stays small.
type worker struct {
	run      *run
	env      *election.Env
	event    election.Event // event passed to the Node
	sent     []uint64       // by kind, up to the largest kind sent by this worker
	steps    uint64
	progress atomic.Uint64 // copy of steps for readers while the run lasts
	free     mailbox.Freelist[entry]
	tree     verdict.Tree
	longest  uint32 // longest causal chain of messages sent by this worker

	stepping int // process whose Step is in progress

	message uint32           // number of the message being delivered, if there is an observer
	first   uint32           // number of the next message sent by this worker
	choices []observe.Choice // choices made in this step

	// settled is the number of finished events that have not been subtracted from run.pending yet. Messages
	// sent use it up, so that a process that only forwards messages writes to no shared counter.
	settled int64

	// Consecutive messages to the same process are put into its mailbox together, at the latest when this
	// worker has nothing more to do.
	batch mailbox.Batch[entry]
	to    *mailbox.Mailbox[entry]
	peer  int // owner of that mailbox

	next int // a process that has work and no goroutine, or none
}

const none = -1

func (r *run) newWorker() *worker {
	w := &worker{run: r, next: none, tree: verdict.NewTree(r.config.Algorithm)}
	w.env = election.NewEnv(&r.config.Input, w.choose())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.workers = append(r.workers, w)
	return w
}

// delivered returns the number of messages delivered so far.
func (r *run) delivered() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sum uint64
	for _, w := range r.workers {
		sum += w.progress.Load()
	}
	return sum
}

// begin delivers the first events to process p.
func (w *worker) begin(p int, pr *proc) {
	ev := election.Event{Op: election.Init}
	ev.Msg.Value = w.run.incarnation()
	w.step(p, pr, &ev)
	w.wish(p, pr)
	if w.run.starters == nil || w.run.starters[p] {
		ev = election.Event{Op: election.Start, At: w.run.now()}
		w.step(p, pr, &ev)
	}
	w.finish()
}

// deliver steps process p with everything in a batch.
func (w *worker) deliver(p int, pr *proc, batch *mailbox.Item[entry]) {
	ev := &w.event
	// Read the clock once per batch: all of its messages have already arrived.
	ev.At = w.run.now()
	messages := uint64(0)
	for batch != nil {
		in := &batch.Value
		w.settled++
		switch {
		case in.what != observe.Deliver:
			w.handle(p, pr, in)
		case pr.crashed:
			w.run.report(p, observe.Lose, ev.At, in.number)
		default:
			messages++
			pr.depth, w.message = max(pr.depth, in.depth), in.number
			ev.Op, ev.Port, ev.Msg, ev.Timer, ev.Layer = election.Recv, in.port, in.msg, 0, 0
			w.step(p, pr, ev)
		}
		// Take the link before Put, which overwrites it.
		read := batch
		batch = batch.Next()
		w.free.Put(read)
	}
	w.steps += messages
	// Without a reader, skip the atomic store after each batch.
	if w.run.config.Progress != nil {
		w.progress.Store(w.steps)
	}
	w.finish()
}

// finish completes the work of a process with this worker.
func (w *worker) finish() {
	w.flush()
	w.run.settle(w.settled)
	w.settled = 0
}

// flush puts the batch into its mailbox. If the receiver has no goroutine, this goroutine continues as the
// receiver next.
func (w *worker) flush() {
	// Flush returns true if the receiver has no goroutine. This worker is then responsible for it. An earlier
	// such receiver gets a goroutine of its own.
	if w.batch.Flush(w.to) {
		w.spawn()
		w.next = w.peer
	}
}

// spawn starts a goroutine for the process that is next here, if there is one.
func (w *worker) spawn() {
	if w.next != none {
		w.run.live.Add(1)
		go w.run.process(w.next)
		w.next = none
	}
}

// rest returns the worker to the pool.
func (w *worker) rest() {
	w.spawn()
	w.run.idle.Put(w)
}

// step steps a Node and carries out its effects. There is no durable state to save here, and no machine to
// raise events to.
func (w *worker) step(p int, pr *proc, ev *election.Event) {
	w.stepping = p
	fx := w.env.Begin(p)
	pr.host.Step(w.env, ev)
	if w.run.watch != nil {
		w.stepped(p, ev, fx)
	}
	for i := range fx.Sends {
		w.send(p, pr, &fx.Sends[i])
	}
	if fx.Rare() {
		w.effects(p, pr, fx)
	}
}

// expect adds one to pending, before the expected event can have happened.
func (w *worker) expect() {
	if w.settled == 0 {
		w.run.pending.Add(1)
	} else {
		w.settled--
	}
}

// send puts a message into the mailbox of its receiver. A message to a process that is down is counted and
// lost.
func (w *worker) send(p int, pr *proc, out *election.Outgoing) {
	to, back, ok := w.run.config.Topology.Link(p, out.Port)
	if !ok {
		w.run.fail(p, fmt.Errorf("%w %d", observe.ErrPort, out.Port))
		return
	}
	w.count(out.Msg.Kind)
	if w.tree.Joins(out.Msg.Kind) {
		w.tree.Sent(&out.Msg, w.run.config.IDs[p], w.run.config.IDs[to])
	}
	depth, number := pr.depth+1, w.number()
	w.longest = max(w.longest, depth)
	// Do not check whether the peer is down: only its own goroutine knows, and drops the message then.
	peer := &w.run.procs[to]
	w.expect()
	item := w.free.Get()
	in := &item.Value // fill it in place to avoid a copy
	in.what, in.port, in.depth, in.number, in.key = observe.Deliver, back, depth, number, alarm.Key{}
	in.msg = out.Msg
	// Put consecutive messages for one receiver into its mailbox with one atomic operation.
	if w.to != &peer.box {
		w.flush()
		w.to, w.peer = &peer.box, to
	}
	w.batch.Add(item)
}

func (w *worker) count(kind uint8) {
	for int(kind) >= len(w.sent) {
		w.sent = append(w.sent, 0)
	}
	w.sent[kind]++
}

// effects carries out the effects other than messages.
func (w *worker) effects(p int, pr *proc, fx *election.Effects) {
	for i := range fx.Timers {
		w.timer(pr, &fx.Timers[i])
	}
	if fx.Decided() {
		pr.belief = belief{fx.Outcome.Term, fx.Outcome.Leader, fx.Outcome.Role}
	}
	if fx.Refused() {
		w.run.refuse(p, fx.Err)
	}
}

func (r *run) refuse(p int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused == nil {
		r.refused = &observe.ProcessError{ID: r.config.IDs[p], Err: err}
	}
}

// timer carries out one change of a timer.
func (w *worker) timer(pr *proc, c *election.TimerChange) {
	if pr.clock == nil {
		// Create clocks late: most algorithms set no timer, and there may be millions of processes.
		pr.clock = new(alarm.Clock)
		w.run.timed.Store(true)
	}
	key := alarm.Key{Layer: c.Layer, Timer: c.Timer}
	switch {
	case c.All:
		w.settled += int64(pr.clock.StopLayer(c.Layer))
	case c.Stop:
		w.settled += int64(pr.clock.Stop(key))
	default:
		w.expect()
		w.settled += int64(pr.clock.Set(key, w.run.realTime(c.Min), w.run.realTime(c.Max),
			func(r alarm.Expiry) {
				pr.box.Push(&mailbox.Item[entry]{Value: entry{what: observe.Timeout, key: r.Key,
					number: r.Seq}})
			}))
	}
}
