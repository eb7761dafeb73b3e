// Package election defines the contract between election algorithms and the drivers that run them.
//
// Each algorithm is written once, as a pure state machine (a [Node]) that follows its published source rule by
// rule. The same code runs as goroutines in one process, between services over a [Transport] of your own, and
// in a deterministic simulator with virtual time.
//
//   - To elect a leader among goroutines of one process, call local.Elect.
//   - To take part in elections between services, pass an algorithm and a [Transport] to process.Run.
//   - To count messages, compare algorithms and inject faults, use package lab/sim or the command elect.
//   - To write an algorithm, implement [Node] and describe it with an [Algorithm].
//
// # Messages
//
// A [Message] has a fixed size; its Kind determines the meaning of its fields. A process sends it over a
// [Port], which is its own end of a link. The topology determines which process is at the other end. A [Packet]
// is a message with addresses. All algorithms share one wire format.
//
// # Terms
//
// Every message carries the Term of its election. [TermKeeper] turns a Node that knows a single election into
// one that takes part in many: it drops messages of older Terms and adopts newer ones. Terms order elections.
// They do not prevent two processes from believing at the same instant that they lead, each in a Term of its
// own.
//
// # Drivers
//
// A driver runs Nodes. It creates each Node with [Algorithm.NewNode], which returns a [TermKeeper]. For every
// event, beginning with [Init], it calls [Env.Begin] and [TermKeeper.Step], and then carries out the [Effects]
// in the order save, send, timers, raise, publish. If a process may restart, the driver saves its state with
// [State.Append] and restores it with [State.Restore].
//
// # Limitations
//
// Each package documents which failures its algorithm tolerates. The ring algorithms tolerate none: after one
// crash or one lost message an election does not end until the links work again and another election starts.
package election
