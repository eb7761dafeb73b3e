// Package transport is for authors of an [election.Transport].
//
// # Usage
//
// Packets have one wire format for all algorithms, of [PacketSize] bytes each. What a transport over sockets
// sends and receives is then
//
//	_, err := conn.WriteToUDPAddrPort(transport.AppendPacket(nil, p), peers[p.To])
//	...
//	n, from, err := conn.ReadFromUDPAddrPort(b)
//	p, err := transport.ParsePacket(b[:n])
//
// The directory examples/transport holds the whole of it. Where packets arrive in a goroutine that the
// transport has anyway, it may be a [Pusher], and saves its processes a goroutine each. Where it has
// connections, it may be a [Watcher], and say which peers are up. One that serves a single process, as both
// do that are named below, is best [Owned].
//
// # Errors
//
// Once a transport is closed, Send and Recv return errors that wrap [election.ErrClosed], also those that
// were waiting, and the process ends. Any other error of Send is the loss of one packet; any other error of
// Recv ends the process. Which error they return when ctx ends does not matter.
//
// A transport that may deliver packets in another order than they were sent in, as UDP does between
// machines, sets Unordered in the Config of package process.
//
// A transport may deliver a packet more than once, as one that sends again without an acknowledgement
// does: the process drops copies by [election.Packet].Seq, so a transport carries that and Incarnation
// like all else.
//
// # See also
//
// Package transport/tcp is a transport between machines, with TLS; package transport/memory is one among
// goroutines. Package transport/transporttest tries whether a transport keeps the contract, and package
// transport/faults gives it links that are slow and fail.
package transport
