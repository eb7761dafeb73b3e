package sim

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/observe"
)

// Pending is something that is still to happen in a run.
type Pending struct {
	// Step is what happens, and to which process, in the form that [Sim.Do] takes. Refused is the reason if
	// Do cannot take it now. If a link carries several messages, Nth counts them in order of arrival, or in
	// order of sending if only steps or acts deliver them.
	scenario.Step
	Refused error
	Outside string // why Do would leave the model of the algorithm with it; "" if it would not
	// when it happens, if nothing changes that; for an event of a paused process, when the process resumes
	Due      time.Duration
	To, From int              // the process; of a message the sender too, otherwise -1
	Message  election.Message // of Deliver
	Number   uint64           // of a message in a run that is observed, as in an Occurrence; otherwise 0
}

// starting is what the acts are that come from Config.
var starting = map[act]observe.What{actCrash: observe.Crash, actPause: observe.Pause, actStart: observe.Start,
	actCommand: observe.Command, actRecover: observe.Recover, actRestart: observe.Restart, actResume: observe.Resume}

// Pending returns the pending events in their order: crashes, starts and other planned events, messages in
// flight, and running timers. Each of them may change the events after it. If only steps or acts make
// anything happen, messages have no time of arrival. Under the schedule [Hand], starts have none either.
func (s *Sim) Pending() iter.Seq[Pending] {
	// Collect them first, since the caller may continue the run while it iterates.
	var all []Pending
	all = append(all, s.pendingControls()...)
	all = append(all, s.pendingWaiting()...)
	all = append(all, s.pendingMessages()...)
	all = append(all, s.pendingTimers()...)
	order.Stable(all, func(a, b Pending) int { return cmp.Compare(a.Due, b.Due) })
	return slices.Values(all)
}

// Timers returns of what is pending the timers, in the order in which they run out: there may be many more
// messages on their way.
func (s *Sim) Timers() iter.Seq[Pending] {
	all := slices.DeleteFunc(s.pendingWaiting(), func(p Pending) bool { return p.Do != observe.Timeout })
	all = append(all, s.pendingTimers()...)
	order.Stable(all, func(a, b Pending) int { return cmp.Compare(a.Due, b.Due) })
	return slices.Values(all)
}

// pending returns what happens to a process.
func (s *Sim) pending(p int, do observe.What, due time.Duration) Pending {
	return Pending{Step: scenario.Step{Do: do, Process: s.config.IDs[p]}, Due: max(due, s.now), To: p,
		From: -1}
}

// pendingControls returns the crashes, starts and the like.
func (s *Sim) pendingControls() (all []Pending) {
	c := s.control
	for c.done < c.all || len(c.list) > 0 {
		k := c.pop()
		do, prompt := starting[k.do], k.do == actPrompt
		if prompt {
			do = observe.What(k.op)
		}
		p := int(k.p)
		if k.do == actCommand {
			p = s.place(s.planCommand(k.port))
		}
		one := s.pending(p, do, k.at)
		switch {
		case k.do == actCommand:
			one.Step = *s.planCommand(k.port)
		case prompt:
			one.Port = k.port
		}
		if one.Refused = s.possible(&one.Step, one.To, nil); one.Refused == nil {
			one.Outside = s.outside(&one.Step, one.To, nil)
		}
		all = append(all, one)
	}
	return all
}

// pendingWaiting returns the events that wait for processes that are paused or have just resumed.
func (s *Sim) pendingWaiting() (all []Pending) {
	add := func(waits []waiting, due time.Duration) {
		for i := range waits {
			w := &waits[i]
			if w.ev.Op == election.Recv {
				one := s.pendingMessage(&w.ev, int(w.p), w.tag, due)
				one.Refused = impossible(&one.Step, "it has come to %d already", one.Process)
				all = append(all, one)
				continue
			}
			if w.timer != 0 && !s.timers.isRunning(timer{p: w.p, seq: w.timer}) {
				continue // stopped or set again after it had fired
			}
			one := s.pending(int(w.p), observe.What(w.ev.Op), due)
			one.Port, one.Timer, one.Layer = w.ev.Port, w.ev.Timer, w.ev.Layer
			one.Refused = impossible(&one.Step, "it has come to %d already", one.Process)
			all = append(all, one)
		}
	}
	add(s.control.resumed, s.now)
	for p := range int32(len(s.procs)) {
		if is := s.pauses[p]; is != nil {
			add(is.events, is.until)
		}
	}
	return all
}

// pendingMessages returns the messages on their way, in the order of arrival.
func (s *Sim) pendingMessages() (all []Pending) {
	type link struct {
		to   uint32
		port election.Port
	}
	onLink := make(map[link]int)
	messages := s.onTheWay()
	order.Stable(messages, func(a, b entry) int { return cmp.Compare(a.ev.At, b.ev.At) })
	for i := range messages {
		m := &messages[i]
		one := s.pendingMessage(&m.ev, int(m.to), m.tag, m.ev.At)
		l := link{m.to, m.ev.Port}
		one.Nth = onLink[l]
		onLink[l]++
		one.Outside = s.outside(&one.Step, one.To, m)
		all = append(all, one)
	}
	return all
}

func (s *Sim) pendingMessage(ev *election.Event, to int, t tag, due time.Duration) Pending {
	one := s.pending(to, observe.Deliver, due)
	one.Port, one.Message = ev.Port, ev.Msg
	one.From, _ = topology.Behind(s.config.Topology, to, ev.Port)
	if s.watch != nil {
		one.Number = uint64(t)
	}
	return one
}

// pendingTimers returns the timers that run, in the order in which they run out.
func (s *Sim) pendingTimers() (all []Pending) {
	list := slices.DeleteFunc(s.timers.all(),
		func(t timer) bool { return !s.timers.isRunning(t) })
	order.Stable(list, func(a, b timer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	for _, t := range list {
		one := s.pending(int(t.p), observe.Timeout, t.at)
		one.Timer, one.Layer = t.name, t.layer
		one.Outside = s.outside(&one.Step, one.To, nil)
		all = append(all, one)
	}
	return all
}
