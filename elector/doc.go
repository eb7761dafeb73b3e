// Package elector elects a leader among the replicas of a service. At most one member of a group leads at a time,
// even if the network fails. The members need no external store, and can use one.
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
// changes the members at run time, and [Elector.MembersHandler] calls it for an operator. Stop removed members only
// when the change is agreed.
//
// A process that is in no agreed list is a learner: it follows the leader, has no vote, and is healthy. A wrong list at
// one member changes nothing.
//
// Two members may lead at the same time if the Dirs of a majority are deleted or replaced by old copies, or if members
// that have never belonged to the group found another one with the same name. Without Dir, the members are agreed as
// long as no majority of them loses its memory at the same time, and each member that restarts reaches the members that
// know of the last change within about three leases. If all have lost their memory, all members of one list found the
// group again.
//
// Members may have different Times, so a rolling restart can change them: each grants its vote for the longest Lease of
// all. Without Dir, change the Lease by a factor of at most four at a time, and never restart a majority at the same time
// with a shorter one unless all are stopped for the old Lease first: two members could lead.
//
// # With a store
//
// If a service runs a store anyway, such as a database, etcd or an object store, the store can keep the lease. Packages
// below store and adapters connect it:
//
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: etcdstore.New(client)})
//
// The rest of the API stays, and so does the guarantee: no two members hold a valid lease at the same time, and tokens
// grow. No clock of the store or of another machine is read. What differs:
//
//	                  Members                          Store
//	available         while a majority is connected    while the store is; one member is enough
//	candidates        the agreed members               any process that can write to the store
//	authentication    certificates of members          by the client of the store
//	at rest           2(n-1) messages in each Renew    one write in each Renew; a member that does not
//	                                                   lead reads as often, unless the store is a Watcher
//	after a crash     Times.FailOver                   a Lease and 2 Delay, without a Watcher up to 2 Renew more
//	planned handover  1.5 round trips                  two to three, without a Watcher up to 2 Renew more
//	Term.Confirm      asks a majority                  renews the lease: one write
//	Resign            to any other member              to any that has not resigned for a Lease
//	Transfer          to a member                      to any name; others wait for a Lease if it does not take over
//	Priority          the largest claims first         the largest of 0 to 10 claims first, others 2 Delay later
//	                                                   for each step, which orders them only with a Watcher
//	Preempt           hands over                       New returns an error
//	Observers         are listed                       any process that calls Serve
//	View.Reachable    there is a connection            the lease of the leader has not expired
//	Members           the agreed members               nothing; SetMembers returns errors.ErrUnsupported
//	Dir               the vote                         the largest Term, in case the store loses its data
//
// A store that is away for less than Lease - Stop - 2 Renew, a quarter of a Lease by default, changes no leader. If it is
// away for longer, the leader stops in time, and a member leads within a Lease of its return.
//
// The guarantee needs a store whose writes compare and swap, and that does not forget a write that it has confirmed.
// A store that replicates asynchronously may do so when it fails over, and a store that is restored from a backup does:
// two members may then lead at the same time, and tokens may repeat. Attach [Term.Token] to each write in any case.
// Package storetest tests whether a store is fit.
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
