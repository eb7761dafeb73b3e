package local

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/alarm"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/observe"
)

// desk is what a process needs while it works and not while it waits: whoever has something to
// do takes one. There are about as many as processors, so that what is on them stays in their
// caches, and a waiting process stays small.
type desk struct {
	run     *run
	env     *election.Env
	event   election.Event // what the Node is given
	sent    []uint64       // by kind
	steps   uint64
	told    atomic.Uint64 // steps, for others to see while the run lasts
	drawer  mailbox.Drawer[entry]
	longest uint32 // the longest chain of messages that has been sent from here

	message uint32           // the number of the message that is being delivered, where somebody observes
	first   uint32           // the number of the next message that is sent from here
	choices []observe.Choice // what was chosen in this step
	at      time.Duration    // when this step is

	// credit is how much of run.pending is done for but not settled yet. What is sent uses it
	// up, so a process that only forwards touches no counter that others touch.
	credit int64

	// What goes to one process after another is put into its mailbox together, at the latest
	// when there is nothing more to do here.
	bundle mailbox.Bundle[entry]
	to     *mailbox.Mailbox[entry]
	peer   int // whose mailbox that is

	next int // a process that has something to do and no goroutine, or nobody
}

const nobody = -1

func (r *run) newDesk() *desk {
	d := &desk{run: r, next: nobody, sent: make([]uint64, 1+len(r.config.Algorithm.Kinds))}
	d.env = election.NewEnv(&r.config.Input, d.choose())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.desks = append(r.desks, d)
	return d
}

// delivered returns how many messages have been delivered so far.
func (r *run) delivered() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sum uint64
	for _, d := range r.desks {
		sum += d.told.Load()
	}
	return sum
}

// begin lets process p have its first events.
func (d *desk) begin(p int, pr *proc) {
	ev := election.Event{Op: election.Init}
	d.step(p, pr, &ev)
	if d.run.starters == nil || d.run.starters[p] {
		ev = election.Event{Op: election.Start, At: d.run.now()}
		d.step(p, pr, &ev)
	}
	d.settle()
}

// deliver lets process p have what has come in.
func (d *desk) deliver(p int, pr *proc, batch *mailbox.Letter[entry]) {
	ev := &d.event
	ev.At = d.run.now()
	messages := uint64(0)
	for batch != nil {
		in := &batch.Value
		d.credit++
		switch {
		case in.op != election.Recv:
			d.call(p, pr, in)
		case pr.crashed:
			d.run.report(p, observe.Lose, ev.At, in.number)
		default:
			messages++
			depth := in.number
			if d.run.watch != nil {
				depth = d.receive(in.number)
			}
			pr.depth = max(pr.depth, depth)
			ev.Op, ev.Port, ev.Msg, ev.Timer, ev.Layer = election.Recv, in.port, in.msg, 0, 0
			d.step(p, pr, ev)
		}
		read := batch
		batch = batch.Next()
		d.drawer.Put(read)
	}
	d.steps += messages
	if d.run.config.Progress != nil {
		d.told.Store(d.steps)
	}
	d.settle()
}

// settle ends the work of a process at this desk.
func (d *desk) settle() {
	d.post()
	d.run.settle(d.credit)
	d.credit = 0
}

// post puts the bundle into the mailbox that it is for. If that process has no goroutine, it is the
// next that the goroutine here goes on as.
func (d *desk) post() {
	if d.bundle.Post(d.to) {
		d.follow()
		d.next = d.peer
	}
}

// follow gives a goroutine of its own to the process that comes next here, if there is one.
func (d *desk) follow() {
	if d.next != nobody {
		d.run.live.Add(1)
		go d.run.process(d.next)
		d.next = nobody
	}
}

// step steps a Node and carries out what it wants done. There is no durable state to save here,
// and nobody to raise events to.
func (d *desk) step(p int, pr *proc, ev *election.Event) {
	fx := d.env.Begin(p)
	pr.host.Step(d.env, ev)
	if d.run.watch != nil {
		d.stepped(p, pr.depth+1, ev, fx)
	}
	for i := range fx.Sends {
		d.send(p, pr, &fx.Sends[i])
	}
	if fx.Rare() {
		d.effects(p, pr, fx)
	}
}

// expect makes pending one larger, before what is to happen can have happened.
func (d *desk) expect() {
	if d.credit > 0 {
		d.credit--
	} else {
		d.run.pending.Add(1)
	}
}

// send puts a message into the mailbox of whom it is for. What is sent to a process that is down
// is counted, and lost.
func (d *desk) send(p int, pr *proc, out *election.Outgoing) {
	to, back, ok := d.run.config.Topology.Link(p, out.Port)
	if !ok {
		d.run.fail(p, fmt.Errorf("%w %d", observe.ErrPort, out.Port))
		return
	}
	d.count(out.Msg.Kind)
	depth := pr.depth + 1
	d.longest = max(d.longest, depth)
	if d.run.watch != nil {
		depth = d.number()
	}
	peer := &d.run.procs[to]
	if peer.absent {
		d.run.report(to, observe.Lose, d.at, depth)
		return
	}
	d.expect()
	l := d.drawer.Get()
	in := &l.Value // filled in place: what is put together elsewhere would have to be copied
	in.op, in.port, in.number, in.key = election.Recv, back, depth, alarm.Key{}
	in.msg = out.Msg
	if d.to != &peer.box {
		d.post()
		d.to, d.peer = &peer.box, to
	}
	d.bundle.Add(l)
}

func (d *desk) count(kind uint8) {
	for int(kind) >= len(d.sent) {
		d.sent = append(d.sent, 0)
	}
	d.sent[kind]++
}

// effects carries out the rarer things that a Step may want.
func (d *desk) effects(p int, pr *proc, fx *election.Effects) {
	for i := range fx.Timers {
		d.timer(pr, &fx.Timers[i])
	}
	if fx.Decided() {
		pr.outcome = fx.Outcome
	}
	if fx.Refused() {
		d.run.refuse(p, fx.Err)
	}
}

func (r *run) refuse(p int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused == nil {
		r.refused = &observe.ProcessError{ID: r.config.IDs[p], Err: err}
	}
}

// timer carries out one wish of a Node.
func (d *desk) timer(pr *proc, c *election.TimerChange) {
	if pr.clock == nil {
		pr.clock = new(alarm.Clock)
		d.run.timed.Store(true)
	}
	key := alarm.Key{Layer: c.Layer, Timer: c.Timer}
	switch {
	case c.All:
		d.credit += int64(pr.clock.StopLayer(c.Layer))
	case c.Stop:
		d.credit += int64(pr.clock.Stop(key))
	default:
		d.expect()
		d.credit += int64(pr.clock.Set(key, d.run.real(c.Min), d.run.real(c.Max), func(r alarm.Ring) {
			pr.box.Push(&mailbox.Letter[entry]{Value: entry{op: election.Timeout, key: r.Key, number: r.Seq}})
		}))
	}
}
