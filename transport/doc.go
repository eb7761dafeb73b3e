// Package transport is for those who write an [election.Transport] of their own.
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
// transport has anyway, it may be a [Pusher], and saves its processes a goroutine each.
//
// Package transport/transporttest tries whether a transport keeps the contract, package transport/faults
// gives it links that are slow and fail, and package transport/memory is one among goroutines.
package transport
