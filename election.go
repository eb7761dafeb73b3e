package election

import "context"

// Node is one participant of an election, a pure state machine: its Step depends only on its state and the
// event. A Node has no clock, randomness, goroutine or I/O; it requests every effect from the [Env]. It never
// blocks and never retains e or ev. Package electiontest checks that the Nodes of an algorithm obey these
// rules.
type Node interface {
	// Step handles one event.
	Step(e *Env, ev *Event)
	// State visits every field that a Step may change, always in the same order. Saving, restoring and
	// resetting all use this one method; see [State]. Fields that are set once, when the Node is made, are not
	// visited. A new Node has the zero value in every visited field; fields that must start with another value
	// are set on [Init].
	State(s *State)
}

// Packet is a message in flight from one process to another.
type Packet struct {
	From, To ID
	Port     Port // the sender's port; on a ring, both may lead to the same process
	Msg      Message

	// Incarnation is a random number that the sender draws when it starts. Seq numbers the packets of one link
	// and one incarnation from 1. Receivers use both to recognize duplicates. If Seq is zero, the sender does
	// not number packets, and every packet counts as new.
	Incarnation, Seq uint64
}

// Transport carries packets for one process. Implement it to run elections between services.
//
// # Calls
//
// Send may return before the packet arrives. It must not wait for the receiver, or two processes that send to
// each other may deadlock. If Send returns an error, the packet is lost: the driver logs and counts it, and
// does not retry. An error that wraps [ErrClosed] ends the process. Recv returns the next packet; if it returns
// an error, it has not consumed a packet. Both return when ctx is canceled: closing a process cancels the
// context and waits until Send has returned. After Close, both return an error that wraps [ErrClosed]. Close
// should not drop packets that Send has accepted, because a process announces the end of an election and then
// leaves. All three methods may be called from several goroutines simultaneously.
//
// # Packets
//
// A transport may lose packets only if the algorithm tolerates loss; see [Faults]. Otherwise the election does
// not end until Process.Reelect. From must be the process that sent the packet, as far as the transport can
// tell; drivers drop packets that do not come from a peer. A packet may arrive more than once: drivers drop
// duplicates by [Packet.Seq]. The driver's Config declares whether the packets of a link arrive in order.
//
// A transport may drop a packet for an absent process, or keep it until the process is there, but not for
// longer than the [Algorithm].Delay. Which is better depends on the algorithm:
//
//   - Without a Delay, no packet is too late: the receiver still waits for it in the same Term, and drops it in
//     a later Term. If peers may start later, the transport should keep packets, or connect before the process
//     runs, because the first messages of an election are not repeated.
//   - With a Delay, as for bully, a late packet has the effect of a false suspicion. The receiver may have
//     assumed that the sender is down, and then two processes lead until they hear from each other. The
//     transport should drop such a packet; the leader's next heartbeat makes up for it.
//
// Package transport/transporttest tests whether a transport meets these requirements.
type Transport interface {
	Send(ctx context.Context, p Packet) error
	Recv(ctx context.Context) (Packet, error)
	Close() error
}
