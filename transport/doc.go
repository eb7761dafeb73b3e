// Package transport provides the wire format and optional interfaces for implementations of
// [election.Transport].
//
// # Usage
//
// Packets have one wire format for all algorithms, with [PacketSize] bytes each. A transport over UDP sends and
// receives them like this:
//
//	_, err := conn.WriteToUDPAddrPort(transport.AppendPacket(nil, p), peers[p.To])
//	...
//	n, from, err := conn.ReadFromUDPAddrPort(b)
//	p, err := transport.ParsePacket(b[:n])
//
// The directory examples/transport contains a complete transport. A transport may also implement optional
// interfaces. If packets arrive in a goroutine of the transport, implement [Pusher] to save each process a
// goroutine. If the transport has connections, implement [Watcher] to report which peers are up, and [Greeter]
// to exchange what members must agree on before any packet. If new peers may be added, implement [Addressed].
// If it serves a single process, implement [Owned].
//
// # Errors
//
// After a transport is closed, Send and Recv return errors that wrap [election.ErrClosed], including calls that
// were waiting, and the process ends. Any other error of Send means the loss of one packet; any other error of
// Recv ends the process. When ctx ends they may return any error.
//
// If a transport may reorder packets, as UDP does between machines, set Unordered in the Config of package
// process. If it may also lose packets that the algorithm needs, wrap it with package transport/reliable.
//
// A transport may deliver a packet more than once, for example because it retransmits without acknowledgements.
// The process drops duplicates by [election.Packet].Seq, so a transport must carry Seq and Incarnation like all
// other fields, or number packets itself, as package reliable does.
//
// # See also
//
// Package transport/tcp is a transport between machines, with TLS. Package transport/memory is a transport
// between goroutines. Package transport/reliable makes the links of any transport reliable. Package
// transport/transporttest tests implementations, and package transport/faults adds delays and failures to any
// transport.
package transport
