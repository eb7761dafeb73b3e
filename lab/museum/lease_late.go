package museum

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lease"
)

// lateResign: work that has outlived its lease resigns, and its process leads again.
func lateResign() Entry {
	const resign = 9 // a timer: the work of the first Term returns
	right := with(leases(together, false), func(n *bent, e *election.Env, ev *election.Event) {
		if ev.Op == election.Timeout && ev.Timer == resign {
			ev.Op, ev.Msg = election.Command, lease.Resign(n.marks, 0)
		}
		n.Node.Step(e, ev)
		if l := n.lease(); l.phase == leaseLeading && n.marks == 0 {
			n.marks = l.mine
			e.SetTimer(resign, 0, 100*unit)
		}
	})
	setting := func(a *election.Algorithm) check.Config {
		in := leased{ticks: 4, candidates: []election.ID{3}}
		return in.check(audited(a, func(n *bent, ev *election.Event, o *election.Outgoing) string {
			switch {
			case o.Msg.Kind == leaseLeads && n.marks == 0:
				n.marks = o.Msg.Term
			case o.Msg.Kind == leaseRelease && ev.Op == election.Timeout && ev.Timer == resign &&
				o.Msg.Term != n.marks:
				return "the work of one Term gives up the lease of another"
			}
			return ""
		}))
	}
	return Entry{
		Name: "lease: a command to resign comes late", Source: earlier,
		Setting: "The work of the first Term returns when its timer fires, at any moment. The process then resigns.",
		Wrong: "The work of an earlier Term returns when its process leads again. Its command to resign gives up " +
			"the new lease.",
		Config: setting(with(right, before(func(_ *bent, _ *election.Env, ev *election.Event) bool {
			if ev.Op == election.Timeout && ev.Timer == resign {
				ev.Op, ev.Msg = election.Command, lease.Resign(0, 0) // of whatever Term
			}
			return true
		}))),
		Control: Control{"the command names the Term", setting(right)},
	}
}

// lateLeads: a process that has led gets a LEADS of the leader before it.
func lateLeads() Entry {
	right := lossy(floored(must(lease.New(lease.Config{Lease: unit, Renew: unit, Delay: unit, Drift: -1,
		Stagger: inTurn, Cold: -1, Eager: true}))), func(from, to election.ID, kind uint8) bool {
		return from == 2 || to == 2 || from == 3 && kind == leaseLeads
	})
	setting := func(a *election.Algorithm) check.Config {
		c := leased{ticks: 3, candidates: twoCandidates}.check(with(a,
			func(n *bent, e *election.Env, ev *election.Event) {
				n.Node.Step(e, ev)
				if l := n.lease(); l.leader.ID != 0 && l.leaderTerm <= l.led {
					panic(Audit + "it follows a leader of the past")
				}
			}))
		c.NoAnnouncement, c.Started = false, true
		return c
	}
	return Entry{
		Name: "lease: a late LEADS wins a process that has led since", Source: earlier,
		Setting: floors + " Process 1 receives only LEADS from process 3. A lease lasts one unit.",
		Wrong: "A process whose own lease is over receives a late LEADS of an earlier leader. It follows this " +
			"leader until a grant would end.",
		Config: setting(with(right, func(n *bent, e *election.Env, ev *election.Event) {
			led := n.lease().led
			if l := n.lease(); received(ev, leaseLeads) && (l.phase != leaseLeading || ev.At >= l.until) {
				n.setLease(func(l *leaseState) { l.led = 0 })
			}
			n.Node.Step(e, ev)
			n.setLease(func(l *leaseState) { l.led = max(l.led, led) })
		})),
		Control: Control{"rule 11: it has led in a larger Term", setting(right)},
	}
}
