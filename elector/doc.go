// Package elector elects a leader among the replicas of a service. At most one member of a group leads at a time,
// even if the network fails, and no external store is needed.
//
// # Usage
//
// Each member creates an [Elector] and runs it. [Elector.Run] calls a function whenever this member leads:
//
//	e, err := elector.New(elector.Config{
//		Group: "orders", Self: "a",
//		Members: map[string]string{"a": "10.0.0.1:7946", "b": "10.0.0.2:7946", "c": "10.0.0.3:7946"},
//		TLS:     &tcp.TLS{Cluster: "orders", Load: tcp.Files("a.pem", "a.key.pem", "ca.pem")},
//		Dir:     ".", // keeps the vote of this member over a restart
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
// Members authenticate with certificates of elect cert, or of your own authority. Without TLS, addresses must be
// loopback addresses, such as 127.0.0.1:7946.
//
// A member that forwards requests to the leader calls [Elector.Leader], or ranges over [Elector.Watch], and forwards
// while [View].Reachable is true. [Elector.Handler] answers the probes of a load balancer or an orchestrator.
//
// # Guarantees
//
// A majority of the members lend their votes to the leader for a short time, the lease, and the leader renews it. No
// two members hold a valid lease at the same time, however long messages take, processes pause or the network is
// partitioned, as long as the rate of each clock is correct within Times.Drift. Each leader has a larger Term than
// all leaders before it, if members have a Dir. Package lease contains the argument, and describes what happens if
// members lose their memory.
//
// A leader that renews its lease stays, unless Preempt is set: members that start or return do not depose it.
//
// # Limitations
//
// A lease cannot stop a write that is in flight when the lease expires: the program may be paused after it has
// checked the clock. So attach [Term.Token] to each write, and have the receiver refuse a token smaller than one that
// it has seen. Without a majority there is no leader.
//
// Run only one process per member name. Members refuse a second process while they are connected to the first. If
// some members are connected to one process and some to the other, both may lead.
//
// # Members
//
// The list of a member is a wish. The members whose votes count are agreed, and each member stores them with its vote.
// All members of one list found the group. After that, restart members with a new list in any order: the leader
// replaces the agreed members in two renewals when enough processes wish it and answer, and keeps its lead meanwhile.
// [Elector.Members] returns what is agreed, who has which list, and what a change waits for. [Elector.SetMembers]
// changes the members at run time, and [Elector.MembersHandler] calls it for an operator. Stop removed members only when the change is agreed.
//
// A process that is in no agreed list is a learner: it follows the leader, has no vote, and is healthy. A wrong list at
// one member changes nothing.
//
// Two members may lead at the same time if the Dirs of a majority are deleted or replaced by old copies, or if members
// of a list of which none belongs to the group found another one with the same name. Without Dir, the members are agreed
// as long as no majority of them loses its memory at the same time, and a member that restarts reaches those that know of
// the last change within about three leases. If all have lost their memory, all members of one list found the group
// again. Members whose Times differ refuse each other and log the difference. Before a member without Dir restarts with a
// shorter Lease, leave it stopped for the old Lease: it has forgotten its vote, and two members could lead.
//
// # Without leases
//
// If [Config.Algorithm] is set, another algorithm elects, and a minority of the members has a leader, too. The price:
//
//   - Two members may lead at the same time: during a partition, and for a moment when the leader is slow or a larger
//     member takes over.
//   - Term.Valid reports what the failure detector of this member believes, and Term.Confirm returns an error.
//   - Two leaders may have the same Term. Receivers of writes must compare the pair of Term.Number and the ID of the
//     leader, and refuse a smaller pair. Term.Token alone is not enough.
//   - An election that loses a message may not end. Members start another one after four times Times.Lease without a
//     leader, and then wait longer each time. Set Lease to more than an election takes.
//   - With some algorithms a larger member takes over from a smaller one. [Elector.Resign], Transfer, Advance and
//     Serve return an error. A member gives up the lead only by leaving the group: Run returns what lead returns.
package elector
