package main

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// underWay counts the messages that a run of given steps leaves on links, but for those to processes that are down.
type underWay struct {
	in    *scenario.Input
	where map[election.ID]int
	to    map[uint64]election.ID // by the number of a message
	count map[uint64]int         // of a message and its copies
	down  map[election.ID]bool
}

func newUnderWay(in *scenario.Input) *underWay {
	return &underWay{
		in: in, where: in.Positions(),
		to: make(map[uint64]election.ID), count: make(map[uint64]int), down: make(map[election.ID]bool),
	}
}

// observe returns an observer that also tells another, if there is one.
func (u *underWay) observe(other observe.Observer) observe.Observer {
	return func(o *observe.Occurrence) {
		switch o.What {
		case observe.Stepped:
			u.count[o.Message]--
			for i := range o.Effects.Sends {
				if q, _, ok := u.in.Topology.Link(u.where[o.Process], o.Effects.Sends[i].Port); ok {
					number := o.First + uint64(i)
					u.to[number] = u.in.IDs[q]
					u.count[number]++
				}
			}
		case observe.MessageLost:
			u.count[o.Message]--
		case observe.MessageDuplicated:
			u.count[o.Message]++
		case observe.Crashed:
			u.down[o.Process] = true
		case observe.Recovered, observe.Restarted:
			u.down[o.Process] = false
		}
		if other != nil {
			other(o)
		}
	}
}

// left returns how many there are.
func (u *underWay) left() (n int) {
	for number, to := range u.to {
		if !u.down[to] {
			n += u.count[number]
		}
	}
	return n
}
