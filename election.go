package election

import "context"

// Node is one participant of an election, a pure state machine: given the same state and the
// same event it does the same. It has no clock, no randomness, no goroutine and does no I/O;
// whatever it wants done it asks of the [Env]. It never blocks and never keeps e or ev. Package
// electiontest tries whether the Nodes of an algorithm keep to this.
type Node interface {
	// Step takes one event.
	Step(e *Env, ev *Event)
	// State visits every field that a Step may change, always in the same order. One visit
	// serves to save, to restore and to reset; see [State]. Fields that are set once, when the
	// Node is made, are not visited. A Node fresh from its constructor has the zero value in
	// every visited field; whatever must not begin at zero is set on [Init].
	State(s *State)
}

// Packet is a message on its way from one process to another.
type Packet struct {
	From, To ID
	Port     Port   // by which link it left, as the sender counts; on a ring two may lead to one process
	Depth    uint32 // how many messages long the longest chain of causes is that ends in this one
	Msg      Message

	// Incarnation is a random number that the sender draws when it starts, and Seq the number, from 1, of the
	// packet on its link since then. A receiver knows copies of a packet by them. A Seq of zero: the sender
	// numbers no packets, and every one counts as another.
	Incarnation, Seq uint64
}

// Transport carries packets for one process. It is what a user brings to run elections between
// services.
//
// # Calls
//
// Send may return before the packet arrives. It does not wait for the receiver, or two processes that send to
// each other may block for ever. An error of Send is the loss of that packet, which the driver logs and
// counts and never sends again; an error that wraps [ErrClosed] ends the process. Recv returns the next
// packet; one that returns an error has consumed nothing. Both return when ctx ends: a process that is closed
// ends the context, and waits until Send has returned. Close ends both, with an error that wraps [ErrClosed];
// it should not drop what Send has taken, since a process announces the end and leaves. All three may be
// called from several goroutines at once.
//
// # Packets
//
// A packet may be lost where the algorithm survives loss, see [Faults]. No other algorithm ends its election
// then, until Process.Reelect. From must be the process that sent the packet, as far as the transport can
// tell: a driver drops packets that do not come from a peer. A packet may arrive more than once: the driver
// drops copies, by [Packet.Seq]. In which order the packets of a link arrive, the driver's Config says.
//
// A packet for a process that is absent may be dropped, or be kept until that process is there, but not for
// longer than the algorithm's [Algorithm].Delay. Which is better depends on the algorithm:
//
//   - Without a Delay no packet comes too late: in its Term the receiver still waits for it, and in a later
//     Term it is dropped. A transport whose peers may come up later should keep packets, or connect
//     before the process runs, because the first messages of an election are not repeated.
//   - With a Delay, as for bully, a packet that comes later is like a false suspicion. Its receiver may have
//     taken the sender to be down, and then two processes lead until they hear of each other. A transport
//     should drop such a packet; a leader's heartbeats make good for it.
//
// Package transport/transporttest is a suite that tests whether a transport does all this.
type Transport interface {
	Send(ctx context.Context, p Packet) error
	Recv(ctx context.Context) (Packet, error)
	Close() error
}
