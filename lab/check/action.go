package check

import (
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// action is a step that is possible in a state: a kind, which process or link, which item or
// timer, and which of the things that chance may bring.
type action uint32

// actionKind is what happens in an action. It is not an [observe.What], for three reasons: the search keeps
// one action for each state, so a kind has four bits; a tick of the clock happens to no process and is no
// What; and a nudge is a Start, but one that is possible only where nothing else is.
type actionKind uint8

const (
	doStart actionKind = iota
	doDeliver
	doTimeout
	doTick
	doNotice // a process notices that its leader is down, or a detector reports to it
	doNudge  // a process without a leader starts
	doResume // a pause ends
	doHeal   // a cut ends
	// Those before must happen in the end, those from here on need not.
	doCrash
	doRecover
	doRestart
	doLose
	doDuplicate
	doPause
	doCut // the index of the action is the group: bit p-1 is of process p, and process 0 is not in it
)

// whats are the kinds as observers and scenarios name them. A tick has no name there: steps have times.
var whats = [doCut + 1]observe.What{
	doStart: observe.Start, doDeliver: observe.Deliver, doTimeout: observe.Timeout,
	doNotice: observe.Suspect, doNudge: observe.Start,
	doCrash: observe.Crash, doRecover: observe.Recover, doRestart: observe.Restart,
	doLose: observe.Lose, doDuplicate: observe.Duplicate,
	doPause: observe.Pause, doResume: observe.Resume, doCut: observe.Cut, doHeal: observe.Heal,
}

func newAction(kind actionKind, index, part int) action {
	// 4 bits of kind, 12 of index, 8 of part, 8 of choice: maxLinks, maxParts and maxChoices keep to them.
	return action(kind)<<28 | action(index)<<16 | action(part)<<8
}

func (a action) kind() actionKind { return actionKind(a >> 28) }
func (a action) index() int       { return int(a >> 16 & 0xfff) }
func (a action) part() int        { return int(a >> 8 & 0xff) }
func (a action) choice() int      { return int(a & 0xff) }

// successor is a state that one step leads to: its hash, and the step.
type successor struct {
	hash uint64
	act  action
}

// value returns the number in a slot, as the step at hand has changed it so far.
func (w *worker) value(state []uint32, slot int) uint32 {
	for i := range w.changed {
		if w.changed[i].slot == slot {
			return w.changed[i].to
		}
	}
	return state[slot]
}

// put gives a slot another value.
func (w *worker) put(slot int, to uint32) {
	for i := range w.changed {
		if w.changed[i].slot == slot {
			w.changed[i].to = to
			return
		}
	}
	w.changed = append(w.changed, change{slot, to})
}

// begin forgets what the step before has changed.
func (w *worker) begin() {
	w.changed, w.broken, w.fault = w.changed[:0], 0, nil
	w.visible, w.refused, w.sent, w.reset, w.choices = false, false, nil, nil, nil
	w.lost = w.lost[:0]
}

// take works out what a step changes: it leaves that in w.changed and beside it. It returns how many
// things chance may bring in it.
func (w *worker) take(state []uint32, a action) int {
	w.begin()
	choices := w.change(state, a)
	if w.voters != nil && !w.config.untidy {
		w.tidy(state)
	}
	return choices
}

// change takes a step.
func (w *worker) change(state []uint32, a action) int {
	switch a.kind() {
	case doStart:
		p := a.index()
		return w.handle(state, p, effectKey{op: election.Start}, a.choice(), noTimer)
	case doDeliver:
		return w.deliver(state, a.index(), a.part(), a.choice())
	case doTimeout:
		return w.runOut(state, w.frames.at(state[w.slots-1]).timers[a.part()].owner, a.choice())
	case doTick:
		w.tick(state)
	case doNotice, doNudge:
		return w.notice(state, a)
	case doCrash:
		w.crash(state, a.index())
	case doRecover, doRestart:
		return w.comeBack(state, a.index(), a.kind() == doRestart, a.choice())
	case doPause, doResume:
		w.pause(state, a.index(), a.kind() == doPause)
	case doCut, doHeal:
		w.cut(state, a)
	case doLose:
		w.lose(state, a.index(), a.part())
	case doDuplicate:
		w.duplicate(state, a.index(), a.part())
	}
	return 1
}

// lose takes an item off a link.
func (w *worker) lose(state []uint32, l, part int) {
	w.spend(state, func(b *budgets) *int16 { return &b.losses })
	w.pullItem(state, l, part)
}

// duplicate puts a copy of an item on its link.
func (w *worker) duplicate(state []uint32, l, part int) {
	w.spend(state, func(b *budgets) *int16 { return &b.duplicates })
	was := state[w.n+l]
	w.put(w.n+l, w.pushItem(l, was, w.queues[l].at(was).items[part].msg))
}

// runOut fires a timer.
func (w *worker) runOut(state []uint32, timer owner, choice int) int {
	key := effectKey{op: election.Timeout, timer: timer}
	return w.handle(state, timer.process(), key, choice, timer)
}

// handle lets a process handle an event.
func (w *worker) handle(state []uint32, p int, key effectKey, choice int, ran owner) int {
	key.process, key.local, key.now = p, w.value(state, p), w.frames.at(state[w.slots-1]).now
	number := w.run(key)
	w.carryOut(state, p, number, choice, ran)
	return len(w.effects[number])
}

// deliver lets the receiver of an item handle it. One that is down does not.
func (w *worker) deliver(state []uint32, l, part, choice int) int {
	at, to := &w.links[l], state[w.links[l].to]
	item := w.queues[l].at(state[w.n+l]).items[part]
	if !w.keeps || !w.kept[w.messages.at(item.msg).Kind] {
		w.pullItem(state, l, part)
	}
	// Without crashes no process is down, and this is the innermost loop.
	if w.config.Crashes != 0 || w.config.Crashed != nil {
		if w.locals[at.to].at(to).flags&isDown != 0 {
			return 1
		}
	}
	var number uint32
	key := effectKey{process: at.to, local: to, op: election.Recv, port: at.port, msg: item.msg}
	if w.timed() || w.given != nil {
		key.now = w.frames.at(state[w.slots-1]).now
		number = w.run(key)
	} else {
		// Most steps of a search are deliveries, so they have a memo for each link, whose key is one
		// word and not a struct as that of byKey. A time would not fit into it.
		short := uint64(to)<<32 | uint64(item.msg)
		var ok bool
		if number, ok = w.arrive[l].get(short); !ok {
			number = w.run(key)
			w.arrive[l].put(short, number)
		}
	}
	w.carryOut(state, at.to, number, choice, noTimer)
	return len(w.effects[number])
}

// carryOut carries out one of the effects that a handler may have.
func (w *worker) carryOut(state []uint32, p int, number uint32, choice int, ran owner) {
	// A clock takes the steps of a run once more, at other times, when chance may have less to choose from.
	choice = min(choice, len(w.effects[number])-1)
	e := &w.effects[number][choice]
	if e.local != w.value(state, p) {
		w.put(p, e.local)
	}
	w.visible = e.visible
	w.post(state, e)
	if len(e.timers)+len(e.tokens)+len(e.leases)+len(e.agreed) > 0 || ran != noTimer {
		s := w.settle(p, number, choice, w.value(state, w.slots-1), ran)
		if s.frame != w.value(state, w.slots-1) {
			w.put(w.slots-1, s.frame)
		}
		if s.err != nil {
			w.broken, w.fault = s.rule+1, s.err
		}
	}
}

// post puts on links what a handler sends.
func (w *worker) post(state []uint32, e *effect) {
	w.broken, w.fault, w.refused = e.broken, e.err, e.refused
	w.sent, w.reset, w.choices = e.sends, e.timers, e.choices
	group := w.group(state)
	for i := range e.sends {
		s := &e.sends[i]
		switch {
		case s.silent:
		case group != 0 && w.crosses(group, s.link):
			w.lost = append(w.lost, i)
		default:
			slot := w.n + s.link
			was := w.value(state, slot)
			if to := w.pushItem(s.link, was, s.msg); to != was {
				w.put(slot, to)
			}
		}
	}
}

// pushItem returns what is on a link once a message more is.
func (w *worker) pushItem(l int, of, msg uint32) uint32 {
	key := uint64(of)<<32 | uint64(msg)
	if to, ok := w.push[l].get(key); ok {
		return to
	}
	t := item{msg: msg}
	if w.timed() {
		t.left = uint8(w.ticks(w.config.Delay))
		if w.config.Until > 0 && w.config.Delay >= w.config.Until {
			// It may arrive at any time of the run. To count its age would tell states apart that are one.
			t.left = ageless
		}
	}
	to, items := of, w.queues[l].at(of).items
	if !w.keeps || !w.kept[w.messages.at(msg).Kind] || !slices.Contains(items, t) {
		to = w.queue(l, append(slices.Clone(items), t), &w.messages)
	}
	w.push[l].put(key, to)
	return to
}

// ageless is left to all messages where none can be late before the run ends; it is more than maxTicks.
const ageless = 255

// pullItem takes an item off a link.
func (w *worker) pullItem(state []uint32, l, part int) {
	of := state[w.n+l]
	key := uint64(of)<<8 | uint64(part)
	to, ok := w.pull[l].get(key)
	if !ok {
		// Never in place: the list is that of a table which all workers read.
		items := slices.Clone(w.queues[l].at(of).items)
		to = w.queue(l, slices.Delete(items, part, part+1), &w.messages)
		w.pull[l].put(key, to)
	}
	w.put(w.n+l, to)
}

// tick lets time go on.
func (w *worker) tick(state []uint32) {
	for l := range w.links {
		of := state[w.n+l]
		q := w.queues[l].at(of)
		// If one is ageless all are: the times of the check decide it, not the message.
		if len(q.items) == 0 || q.items[0].left == ageless {
			continue
		}
		to, ok := w.aged[l].get(uint64(of))
		if !ok {
			items := slices.Clone(q.items)
			for i := range items { // none is left for what waits for a process that is paused
				items[i].left = max(items[i].left, 1) - 1
			}
			to = w.queue(l, items, &w.messages)
			w.aged[l].put(uint64(of), to)
		}
		w.put(w.n+l, to)
	}
	f := w.frames.at(state[w.slots-1]).clone()
	if f.now++; f.now > maxTicks {
		w.tooLarge("a run takes more than %d ticks; limit it with until", maxTicks)
	}
	for i := range f.timers {
		f.timers[i].min, f.timers[i].max = max(f.timers[i].min-1, 0), max(f.timers[i].max-1, 0)
	}
	w.put(w.slots-1, w.frame(f))
}

// spend takes one from a budget that has an end.
func (w *worker) spend(state []uint32, which func(*budgets) *int16) {
	f := w.frames.at(w.value(state, w.slots-1)).clone()
	if left := which(&f.left); *left > 0 {
		*left--
		w.put(w.slots-1, w.frame(f))
	}
}

// crash takes a process down, and its timers.
func (w *worker) crash(state []uint32, p int) {
	f := w.frames.at(state[w.slots-1]).clone()
	f.left.crashes--
	f.stop(func(o owner) bool { return o.process() == p })
	w.put(w.slots-1, w.frame(f))
	was := *w.locals[p].at(state[p])
	// What a process that is down believed is dropped: nothing asks for it, and states that differ in it
	// alone become one.
	w.put(p, w.local(p, local{flags: isDown | was.flags&isToStart, saved: was.saved,
		groups: was.groups}))
	for q := range w.n {
		// A process may notice each crash, not only the first: perhaps it is the one of its leader.
		// A crash that was reported before is over, and this one is not reported yet.
		if is := *w.locals[q].at(state[q]); q != p && (is.flags&hasMissed != 0 || is.hasReportOf(p)) {
			is.flags &^= hasMissed
			is.reported &^= 1 << p
			w.put(q, w.local(q, is))
		}
	}
}

// comeBack restarts a process, with the state that it saved last or without state.
func (w *worker) comeBack(state []uint32, p int, saved bool, choice int) int {
	was := w.locals[p].at(state[p])
	is := local{saved: was.saved, flags: was.flags & isToStart, groups: was.groups}
	f := w.frames.at(state[w.slots-1]).clone()
	if saved {
		f.left.restarts--
	} else {
		f.left.recoveries--
		is.saved = "" // a later return of the same process finds nothing either
	}
	key := effectKey{process: p, local: w.local(p, is), op: election.Rejoin, now: f.now}
	if w.config.Algorithm.Elects == election.LeaseHolders {
		// As in the simulator, one count for all processes: incarnations of one need only grow.
		key.incarnation = 1 + uint16(w.config.Recoveries-int(f.left.recoveries)+w.config.Restarts-
			int(f.left.restarts))
	}
	number := w.run(key)
	w.put(w.slots-1, w.frame(f))
	w.carryOut(state, p, number, choice, noTimer)
	return len(w.effects[number])
}

// notice is a report of a failure detector to a process, or a Start of one that has no leader.
func (w *worker) notice(state []uint32, a action) int {
	op, port := election.Start, election.Port(0)
	if a.kind() == doNotice {
		op, port = w.reportOf(state, a)
	}
	return w.inform(state, a.index(), op, port, a.choice())
}

// inform gives a process a report of a failure detector, or a Start that does not come from its initiator.
func (w *worker) inform(state []uint32, p int, op election.Op, port election.Port, choice int) int {
	is := *w.locals[p].at(state[p])
	key := effectKey{process: p, op: op, port: port, now: w.frames.at(state[w.slots-1]).now}
	switch {
	case w.detects && op != election.Start:
		w.noteReport(p, &election.Event{Op: op, Port: port}, &is)
	case op != election.Trust:
		is.flags |= hasMissed
	}
	key.local = w.local(p, is)
	number := w.run(key)
	w.carryOut(state, p, number, choice, noTimer)
	return len(w.effects[number])
}

// portOf returns the port by which p reaches a process.
func (w *worker) portOf(p int, id election.ID) election.Port {
	for port := range election.Port(w.config.Topology.Ports(p)) {
		if q, _, ok := w.config.Topology.Link(p, port); ok && w.config.IDs[q] == id {
			return port
		}
	}
	return election.NoPort
}
