// Package electortest tests services that use package elector. Their members crash, pause and are partitioned
// in virtual time, while a judge checks that the service stays correct.
//
// # Usage
//
// A test has five lines. The function is the service: it is called for each member, and again whenever the
// member recovers:
//
//	func TestOrders(t *testing.T) {
//		electortest.Test(t, electortest.Config{}, func(m *electortest.Member) error {
//			return m.Run(func(ctx context.Context, term elector.Term) error {
//				return work(ctx, func() error { return m.Write(term.Token()) })
//			})
//		})
//	}
//
// [Member.Write] stands for every effect of the leader on the resource that it guards. A service that needs the
// Elector itself uses [Member].Elector and runs it with [Member].Context.
//
// # Faults
//
// Ten minutes of virtual time take less than a second, even with a Dir, which is not synced to disk. During
// this time, the following faults occur, as selected by [Config].Faults:
//
//   - Members crash: the leader, another one, a majority, or all. Each recovers after a while as a new Member
//     with the same name. If the Config is Durable, its Dir survives.
//   - Members pause: the clock, packets and writes of a member stand still, and then continue. For example, the
//     work may check its lease, pause, and write after the lease has expired.
//   - Packets of a member are held in both directions, and then all arrive.
//   - The network is partitioned: around one member, into two halves, between two members, or in one direction
//     only.
//   - Packets are lost, duplicated, delayed and reordered.
//   - The leader resigns, transfers the leadership, or is stopped as by SIGTERM.
//   - With [Lists], which is not among the faults of the zero Config: members restart with other lists, in any order,
//     and some with a wrong one; two more names join, and members leave; SetMembers is called. The service is then
//     called for members with these names, too.
//
// With [Config].Store, the members keep the lease in a store, and packets are calls of the store: they are late or lost,
// or their answers are; writes are carried out after their callers have given up; reads return old values; the store
// reports changes late or not at all, is away, or cannot be reached by some members.
//
// Clock rates differ within Times.Drift, mostly by its limits. At the end all faults stop. One last crash of
// the leader then shows how long failover takes.
//
// # What is checked
//
//   - No two leases are valid simultaneously, each by the clock of its member.
//   - Terms grow from lease to lease.
//   - At most one call of the work runs at a time in a member, and it has returned when its lease ends.
//   - Accepted writes are in the order of their Terms: a write without a token must not follow a write of a
//     later leader.
//   - A member that is stopped returns.
//   - The members that the group agrees on: labels grow, no label has two sets of members, and each set that a leader
//     has confirmed follows from the one before.
//   - After all faults have stopped, a leader is elected, all members agree on it, and after a crash the next
//     leader leads within Times.FailOver. With Lists, all members get one list at the end, and within 20 leases these
//     are the agreed members, and all others know that they are not among them.
//
// Actions of a member after its crash do not count. A service that returns is restarted after a lease, as by a
// supervisor.
//
// # Limitations
//
// The guarantees of package elector have limits. With Lists, a list always contains a member that remembers the group,
// and without a Dir no member is restarted if a majority would then have forgotten what it has agreed on: a service
// that returns by itself while other members restart may exceed that. Lists change only when the group is founded.
//
// The seed determines what happens to the members and when. It determines neither the random choices of an
// Elector nor the scheduling of goroutines, so it may take several runs to reproduce a failure: the report
// contains the command.
//
// The service runs in a bubble of package testing/synctest: it may wait for package time, channels and
// contexts, but not for a network or a file. It must not hold a sync.Mutex while it calls [Member.Write], which
// blocks while its member is paused.
package electortest
