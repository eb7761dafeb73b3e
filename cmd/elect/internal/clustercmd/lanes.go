package clustercmd

import (
	"time"

	"github.com/go-election/election/lab/cluster"
)

// lane is what one member has done, and what was done to it.
type lane struct {
	name  string
	turns []turn // in order
	leads []lead // likewise
}

// turn is a change of a member's condition.
type turn struct {
	at   time.Duration
	what string // an event of package cluster, such as kill or heal
	is   cluster.Condition
}

// lead is a lease. From lost on the leader cannot renew it, because something was done to it.
type lead struct{ from, lost, until time.Duration }

// conditions are the conditions of a member after events.
var conditions = map[string]cluster.Condition{
	"kill": cluster.Down, "term": cluster.Down, "ended": cluster.Down, "restart": cluster.Up,
	"stop": cluster.Stopped, "cont": cluster.Up, "cut": cluster.Cut, "heal": cluster.Up,
}

// lanes returns the lanes of this many members.
func lanes(members int, events []cluster.Event, leases []cluster.Lease) []lane {
	all := make([]lane, members)
	of := make(map[string]*lane)
	for i := range all {
		all[i].name = string(rune('a' + i))
		of[all[i].name] = &all[i]
	}
	for _, e := range events {
		if is, ok := conditions[e.What]; ok && of[e.Member] != nil {
			of[e.Member].turns = append(of[e.Member].turns, turn{e.At, e.What, is})
		}
	}
	for _, lease := range leases {
		if l := of[lease.Member]; l != nil {
			l.leads = append(l.leads, lead{lease.From, l.struck(lease), lease.Until})
		}
	}
	return all
}

// struck returns when the holder of a lease lost the means to renew it, or else the end of the lease.
func (l *lane) struck(lease cluster.Lease) time.Duration {
	for _, t := range l.turns {
		if t.is != cluster.Up && t.at >= lease.From && t.at < lease.Until {
			return t.at
		}
	}
	return lease.Until
}

// last returns the last turn until a time; a member that has had none is up.
func (l *lane) last(at time.Duration) turn {
	last := turn{is: cluster.Up}
	for _, t := range l.turns {
		if t.at <= at {
			last = t
		}
	}
	return last
}

// lease returns the lease that is valid at a time; nil if there is none.
func (l *lane) lease(at time.Duration) *lead {
	for i := range l.leads {
		if l.leads[i].from <= at && at < l.leads[i].until {
			return &l.leads[i]
		}
	}
	return nil
}

// gap is the time without a leader, or with one that is lost.
type gap struct {
	from, until time.Duration // until the next leader leads
	text        string
}

// gaps returns how long it took to replace each leader.
func gaps(leases []cluster.Lease) (all []gap) {
	for _, l := range leases {
		if l.Gap > 0 {
			all = append(all, gap{l.From - l.Gap, l.From, brief(l.Gap)})
		}
	}
	return all
}
