package sim

import (
	"cmp"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// act is what may happen to a process from outside.
type act uint8

// In the order in which they come at one instant; from actStart on in the order given.
const (
	actCrash act = iota
	actPause
	actStart
	actRecover
	actRestart
	actResume
	actPrompt // of a failure detector
	actCut    // by the caller alone
	actHeal   // by the caller alone
	actByHand // any act
	actCommand
)

// acts contains the acts that happen to one process.
var acts = map[observe.What]act{
	observe.Crash: actCrash, observe.Recover: actRecover, observe.Restart: actRestart,
}

type control struct {
	at    time.Duration
	until time.Duration // of a pause
	port  election.Port // of a prompt; of a command, its place in Config.Commands
	p     int32
	do    act
	op    election.Op // of a prompt
}

// controls contains all crashes, pauses, starts and returns of a run, and their reports, in order. If all
// processes start at the beginning, which may be a million, it needs no list.
type controls struct {
	list    []control
	all     int           // the number of processes that start at time zero, if they are not in list
	done    int           // the number of these that have started
	next    time.Duration // when the next one is due
	where   map[election.ID]int
	resumed []waiting // what waited for processes that have been resumed, to be handled first
}

func newControls(in *scenario.Input) controls {
	c := controls{where: map[election.ID]int{}}
	starters := in.Starters()
	allStart := starters == nil && len(in.StartTimes) == 0
	if allStart {
		c.all = len(in.IDs)
	}
	if !allStart || len(in.Crashed)+len(in.Commands) > 0 || in.Disturbed() {
		c.where = in.Positions()
	}
	if !allStart {
		if starters == nil {
			starters = in.IDs
		}
		for i, id := range starters {
			at := time.Duration(0)
			if len(in.StartTimes) > 0 {
				at = in.StartTimes[i]
			}
			c.add(id, at, actStart)
		}
	}
	for _, t := range in.Turns() {
		c.add(t.ID, t.Time, acts[t.Do])
	}
	for _, pause := range in.PauseAt {
		c.list = append(c.list, control{at: pause.From, until: pause.Until, p: int32(c.where[pause.ID]),
			do: actPause})
		c.add(pause.ID, pause.Until, actResume)
	}
	for _, w := range in.Prompts() {
		c.list = append(c.list, control{at: w.At, port: w.Port, p: int32(w.To), do: actPrompt, op: w.Op})
	}
	for i := range in.Commands {
		c.list = append(c.list, control{at: in.Commands[i].Time, port: election.Port(i), do: actCommand})
	}
	// Starts, returns and reports of one instant stay in the order in which they were added above.
	order.Stable(c.list, func(a, b control) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(min(a.do, actStart), min(b.do, actStart)))
	})
	c.findNext()
	return c
}

func (c *controls) add(id election.ID, at time.Duration, do act) {
	c.list = append(c.list, control{at: at, p: int32(c.where[id]), do: do})
}

// findNext finds when the next one is due.
func (c *controls) findNext() {
	switch {
	case c.done < c.all || len(c.resumed) > 0:
		c.next = 0 // now, whenever that is
	case len(c.list) > 0:
		c.next = c.list[0].at
	default:
		c.next = never
	}
}

// isDue reports whether a crash, a start or the like is due, which comes before what has waited.
func (c *controls) isDue(now time.Duration) bool {
	return c.done < c.all || len(c.list) > 0 && c.list[0].at <= now
}

func (c *controls) pop() control {
	// Crashes and pauses at time zero come before the starts, which are not in list.
	if c.done < c.all && !(len(c.list) > 0 && c.list[0].at == 0 && c.list[0].do <= actPause) {
		c.done++
		c.findNext()
		return control{p: int32(c.done - 1), do: actStart}
	}
	first := c.list[0]
	c.list = c.list[1:]
	c.findNext()
	return first
}

// apply carries out a crash, pause, start, return or resumption.
func (s *Sim) apply(c control) {
	p := int(c.p)
	// A caller may have let it come back by hand since the crash: then there is nothing to return from.
	isDown := s.procs[p].status == Down
	switch c.do {
	case actCrash:
		s.crash(c.p)
	case actPause:
		s.pause(c.p, c.until)
	case actStart:
		s.post(p, election.Event{Op: election.Start})
	case actPrompt:
		s.post(p, election.Event{Op: c.op, Port: c.port})
	case actCommand:
		if step := s.planCommand(c.port); s.commanded(step) != noProcess {
			s.command(step, s.commanded(step))
		}
	case actRecover:
		if isDown {
			s.restart(p)
		}
	case actRestart:
		if isDown {
			s.restartSaved(p)
		}
	case actResume:
		if r := s.pauses[c.p]; r != nil && r.until <= s.now { // else it pauses longer
			s.resume(c.p)
		}
	}
}

// outcomes contains the outcomes of processes, by number. Usually all processes have one of two outcomes,
// whose numbers they share. A process with another outcome gets a number of its own, and reuses it for its
// next outcome.
type outcomes struct {
	list   []numbered // list[0]: undecided
	lately [2]uint32  // the last two that were asked for, which are most often those asked for next
}

type numbered struct {
	election.Outcome
	shared bool // more than one process may hold it
}

func newOutcomes() outcomes { return outcomes{list: []numbered{{shared: true}}} }

// number returns the number of an outcome, for a process that has held the outcome of number held so far.
func (o *outcomes) number(out election.Outcome, held uint32) uint32 {
	for _, i := range o.lately {
		if o.list[i].Outcome == out {
			o.list[i].shared = o.list[i].shared || i != held
			return i
		}
	}
	// No table of all outcomes by what they are: each process that leads a group of its own would add one,
	// and a leader that renews its lease one for each renewal.
	i := held
	if o.list[i].shared {
		i = uint32(len(o.list))
		o.list = append(o.list, numbered{})
	}
	o.list[i].Outcome = out
	if o.lately[0] != i {
		o.lately[0], o.lately[1] = i, o.lately[0]
	}
	return i
}
