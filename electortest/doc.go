// Package electortest tries a service that is built on package elector: its members crash, pause and are
// cut off from each other, in virtual time, and a judge says whether the service got away with it.
//
// # Usage
//
// A test has five lines. The function is the service: it is called for each member, and again whenever that
// comes back:
//
//	func TestOrders(t *testing.T) {
//		electortest.Test(t, electortest.Config{}, func(m *electortest.Member) error {
//			return m.Run(func(ctx context.Context, term elector.Term) error {
//				return work(ctx, func() error { return m.Write(term.Token()) })
//			})
//		})
//	}
//
// [Member.Write] stands for every effect of the leader on what it guards. A service that passes the Elector
// on takes [Member].Elector and runs it with [Member].Context.
//
// # What happens to the members
//
// Ten minutes of virtual time take less than a second, also with a Dir: it is not synced to the disk.
// Meanwhile, as far as [Config].Faults says,
//
//   - members crash: the leader, another, a majority, or all. Each comes back after a while as a new
//     Member of the same name, with what it kept in its Dir if the Config says Durable;
//   - members pause: the clock, packets and writes of a member stand still, and then go on. So work may
//     look at its lease, pause, and write when the lease has ended;
//   - packets of a member wait, both ways, and then all arrive;
//   - the network is cut: around one member, in two halves, between two members, or one way only;
//   - packets are lost, doubled, late and overtaken;
//   - the leader resigns, transfers the lead, or is stopped as by SIGTERM.
//
// Clocks run at different rates within Times.Drift, mostly at its limits. In the end everything is mended. A
// last crash of the leader shows how fast the next one leads.
//
// # What is judged
//
//   - No two leases are valid at once, each by the clock of its member.
//   - Terms grow from lease to lease.
//   - Work does not run twice at a time in a member, and has returned when its lease ends.
//   - Accepted writes are in the order of their Terms: a write without a token must not come after one of a
//     later leader.
//   - A member that is stopped returns.
//   - When everything is mended a leader is elected, all members name the same, and after a crash the
//     next one leads within Times.FailOver.
//
// What a member does after its crash does not count. A service that returns is started again after a
// lease, as by a supervisor.
//
// # Limitations
//
// A seed decides what happens to the members and when. It does not decide what an Elector draws, nor which of
// two goroutines runs first. So a failure may need several runs to come again: the report says how.
//
// The service runs in a bubble of package testing/synctest: it waits by means of package time, channels and
// contexts, and not for a network or a file. It holds no sync.Mutex while it calls [Member.Write], which
// waits while its member is paused.
package electortest
