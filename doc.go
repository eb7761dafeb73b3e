// Package election is the contract between election algorithms and what runs them.
//
// Every algorithm of this project is written once, as a pure state machine (a [Node]) that follows
// its published source rule by rule. The same code then runs as goroutines in one process, between
// services over a [Transport] of your own, and in a deterministic simulator with virtual time.
//
//   - To elect a leader among goroutines of this process, call local.Elect.
//   - To take part in elections between services, give process.Run an algorithm and a [Transport].
//   - To count, compare and break things, use package lab/sim or the command elect.
//   - To write an algorithm, implement [Node] and describe it with an [Algorithm].
//
// # What travels
//
// A [Message] has a fixed size and means what its Kind says. A process sends it over a [Port],
// which is a link as that process sees it; the topology decides where it leads.
// A [Packet] is a message with addresses on it, and has one wire format for all algorithms.
//
// # Terms
//
// Every message carries the Term of its election. [TermKeeper] turns a Node for one election into
// a participant of many: older Terms are dropped, newer ones adopted. A Term orders elections;
// it does not prevent two processes from believing at the same instant that they lead, each in a
// Term of its own.
//
// # Drivers
//
// A driver runs Nodes. It makes each with [Algorithm.NewNode], which returns a [TermKeeper]; calls
// [Env.Begin] and then [TermKeeper.Step] for every event, the first of which is [Init]; and carries out
// the [Effects] in the order save, send, timers, raise, publish. Where a process may restart it saves
// with [State.Append] and restores with [State.Restore].
//
// # Limitations
//
// Each package says which failures its algorithm survives. The ring algorithms survive none: after
// one crash or one lost message an election does not end, until another is started on links that
// are whole again.
package election
