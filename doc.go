// Package election is the contract between election algorithms and what runs them.
//
// Every algorithm of this project is written once, as a pure state machine (a [Node]), exact to
// its paper. The same code then runs as goroutines in one process, between services over a
// [Transport] of one's own, and in a deterministic simulator with virtual time.
//
//   - To elect a leader among goroutines of this process, call local.Elect.
//   - To take part in elections between services, give [Run] an algorithm and a Transport.
//   - To count, compare and break things, use package sim or the command elect.
//   - To write an algorithm, implement [Node] and describe it with an [Algorithm].
//
// # What travels
//
// A [Message] has a fixed size and means what its Kind says. A process sends it over a [Port],
// which is a link as that process sees it; who is at the other end is the topology's business.
// A [Packet] is a message with addresses on it, and has one wire format for all algorithms.
//
// # Terms
//
// Every message carries the Term of its election. [Recurring] turns a Node for one election into
// a participant of many: older Terms are dropped, newer ones adopted. A Term orders elections;
// it does not prevent two processes from believing to lead at one instant, each in a Term of its
// own.
//
// # Limitations
//
// Which failures an algorithm survives is said in its own package. The ring algorithms survive
// none: one crash or one lost message and an election does not end, until another is started on
// links that are whole again.
package election
