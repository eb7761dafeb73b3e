// Package elector gives a service a leader: of the members of a group one at a time leads, whatever the
// network does, with no store beside it.
//
// # Usage
//
// Each member makes an [Elector] and runs it. [Elector.Run] calls a function whenever this member leads:
//
//	e, err := elector.New(elector.Config{
//		Group: "orders", Self: "a",
//		Members: map[string]string{"a": "10.0.0.1:7946", "b": "10.0.0.2:7946", "c": "10.0.0.3:7946"},
//		TLS:     &tcp.TLS{Cluster: "orders", Load: tcp.Files("a.pem", "a.key.pem", "ca.pem")},
//	})
//	...
//	err = e.Run(ctx, func(ctx context.Context, term elector.Term) error {
//		for {
//			select {
//			case job := <-jobs:
//				work(job, term.Token()) // the database refuses smaller tokens
//			case <-ctx.Done():
//				return nil
//			}
//		}
//	})
//
// The certificates are those of elect cert, or of an authority of your own. Without TLS, addresses are
// loopback ones, such as 127.0.0.1:7946.
//
// A member that serves requests on behalf of the leader asks [Elector.Leader], or follows [Elector.Watch], and
// forwards requests while [View].Reachable is true.
// [Elector.Handler] answers the probes of a load balancer or an orchestrator.
//
// # What is promised
//
// A majority of the members lend their votes to the leader for a short time, the lease, and the leader
// renews it. At no time do two members hold a valid lease, however long messages take, processes pause
// or the network is cut, as long as no clock runs too fast or too slowly by more than Times.Drift. Each
// leader has a larger Term than all before it. See package lease for the argument, and for what a loss
// of memory does.
//
// A leader that keeps its lease stays: no member that starts, or comes back, takes over from it.
//
// # What is not promised
//
// No lease stops work that is under way when it ends: a program may be held up between its look at the
// clock and its write. So each write carries [Term.Token], and what is written to refuses a token that
// is smaller than one that it has seen. Without a majority there is no leader.
//
// A name is that of one process at a time. Members refuse a second one while they are connected to the first.
// Where some are connected to the one and some to the other, both may lead.
//
// # Members
//
// All members have the same list, but for one member more or less: so members are added and removed one at a
// time, by restarting each member with the new list: a new member starts first, and one that is removed stops
// last, so that there is a majority of either list all the while. Members that keep no Dir are restarted when
// the one before knows the leader again. The list changes again only when all members have the new one: while
// there are three lists at once, two members may lead. Two members whose lists differ by more refuse each
// other, and so do two with other Times: the log says what differs.
//
// A new member that its peers do not list yet knows no leader, and [Elector.Handler] reports it as healthy. A
// member whose own list no longer contains it is leaving. It has no vote and never leads, Run waits until
// ctx ends, and it is healthy. While peers still list it, it follows their leader.
//
// # Without leases
//
// With [Config.Algorithm] another algorithm elects. Then a minority of the members has a leader, too,
// and so do two members. In return,
//
//   - two members lead at a time: in a partition for as long as it lasts, and whenever a leader is slow, or a
//     larger one takes over, for a moment;
//   - [Term.Valid] says what the failure detector of this member believes, and [Term.Confirm] is refused;
//   - two leaders may have one Term. What is written to compares pairs of Term.Number and [ID] of the
//     leader, and refuses a smaller pair; [Term.Token] alone is not enough;
//   - an election may lose a message and not end: members begin another after four times Times.Lease
//     without a leader, and ever later ones. Lease is to be longer than an election takes;
//   - a larger member takes over from a smaller one, as the algorithm says. [Elector.Resign], Transfer,
//     Advance and Serve are refused: a member gives up the lead by leaving the group, so Run returns
//     what lead returns.
package elector
