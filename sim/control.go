package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/scenario"
)

// act is what may happen to a process from outside.
type act uint8

// In the order in which they come at one instant; starts and recoveries in the order given.
const (
	actCrash act = iota
	actStart
	actRecover
)

type control struct {
	at time.Duration
	p  int32
	do act
}

// controls are all crashes, starts and recoveries of a run, in order. Where simply everybody
// starts at the beginning, that is not written out.
type controls struct {
	list  []control
	all   int           // so many processes start at time zero,
	done  int           // of which so many have
	next  time.Duration // when the next one is due
	where map[election.ID]int
}

func newControls(in *scenario.Input) controls {
	c := controls{where: map[election.ID]int{}}
	everybody := in.Initiators == nil && !in.Algorithm.Single && len(in.StartTimes) == 0
	if everybody {
		c.all = len(in.IDs)
	}
	if !everybody || len(in.Crashed)+len(in.CrashAt)+len(in.RecoverAt) > 0 {
		c.where = in.Positions()
	}
	if !everybody {
		starters := in.Initiators
		if starters == nil {
			starters = in.IDs[:in.Starts()]
		}
		for i, id := range starters {
			at := time.Duration(0)
			if len(in.StartTimes) > 0 {
				at = in.StartTimes[i]
			}
			c.add(id, at, actStart)
		}
	}
	for _, a := range in.CrashAt {
		c.add(a.ID, a.Time, actCrash)
	}
	for _, a := range in.RecoverAt {
		c.add(a.ID, a.Time, actRecover)
	}
	slices.SortStableFunc(c.list, func(a, b control) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(min(a.do, actStart), min(b.do, actStart)))
	})
	c.look()
	return c
}

func (c *controls) add(id election.ID, at time.Duration, do act) {
	c.list = append(c.list, control{at: at, p: int32(c.where[id]), do: do})
}

// look finds when the next one is due.
func (c *controls) look() {
	switch {
	case c.done < c.all:
		c.next = 0
	case len(c.list) > 0:
		c.next = c.list[0].at
	default:
		c.next = never
	}
}

func (c *controls) pop() control {
	if c.done < c.all && !(len(c.list) > 0 && c.list[0].at == 0 && c.list[0].do == actCrash) {
		c.done++
		c.look()
		return control{p: int32(c.done - 1), do: actStart}
	}
	first := c.list[0]
	c.list = c.list[1:]
	c.look()
	return first
}

// act lets a process crash, start or come back.
func (s *Sim) act(c control) {
	p := &s.procs[c.p]
	switch c.do {
	case actCrash:
		p.down = true
		s.hash.add(&election.Event{At: s.now}, uint32(c.p))
		s.timers.stopAll(int(c.p))
	case actRecover:
		if p.down {
			s.Restart(int(c.p))
		}
	case actStart:
		if !p.down {
			s.local(int(c.p), election.Event{Op: election.Start})
		}
	}
}

// Restart lets a process begin anew, at the present moment, without the state that it had:
// whether it was down or not.
func (s *Sim) Restart(p int) {
	s.procs[p].down, s.procs[p].outcome = false, 0
	s.timers.stopAll(p)
	election.ResetState(&s.procs[p].host)
	s.local(p, election.Event{Op: election.Init})
	s.local(p, election.Event{Op: election.Rejoin})
}

// outcomes numbers the different outcomes of a run. There are few of them, however many
// processes hold one.
type outcomes struct {
	list   []election.Outcome // list[0]: undecided
	lately [2]uint32
	index  map[election.Outcome]uint32
}

func (o *outcomes) number(out election.Outcome) uint32 {
	for _, i := range o.lately {
		if o.list[i] == out {
			return i
		}
	}
	i, ok := o.index[out]
	if !ok {
		if o.index == nil {
			o.index = make(map[election.Outcome]uint32)
		}
		i = uint32(len(o.list))
		o.list = append(o.list, out)
		o.index[out] = i
	}
	o.lately[0], o.lately[1] = i, o.lately[0]
	return i
}
