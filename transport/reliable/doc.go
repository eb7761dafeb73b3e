// Package reliable makes the links of a transport reliable. The inner transport may lose, duplicate, delay or
// reorder packets, as UDP does; over a reliable Transport each packet of a link arrives exactly once and in the
// order in which it was sent.
//
// # Usage
//
// Wrap the transport of every process. Both ends of a link must be reliable:
//
//	t, err := reliable.New(inner, reliable.Config{Self: 1})
//	...
//	outcome, err := process.Run(ctx, process.Config{Transport: t, ...})
//	...
//	err = t.Close() // closes inner, too
//
// Use it for algorithms that do not tolerate loss, such as those for rings; see [election.Faults]. An algorithm
// with a Delay, such as bully, repeats its messages, and a late message harms it: give it the inner transport.
//
// # Guarantees
//
// A link leads from a port of one process to another process. While both processes run, every packet for which
// Send returned nil arrives once and in order, as soon as some of its transmissions arrive. Send never waits. It
// returns an error that wraps [ErrFull], and the packet is lost, if the receiver is absent or slow and
// Config.Queue packets wait for it. The process sees such an error like any other loss.
//
// If the receiver restarts, packets that it had not acknowledged are sent to its successor, followed by later
// ones. A packet that the former process received shortly before its end may therefore arrive a second time, at
// the successor. No packet arrives twice at the same process. If the sender restarts, the packets that it had
// not yet sent, or that were lost, are gone. No packet of the former process arrives after one of the successor.
//
// Close waits until all packets are acknowledged, for at most Config.Linger. Meanwhile it acknowledges and drops
// what arrives, so that two processes that end together do not wait for each other.
//
// The Transport numbers packets itself: Incarnation and Seq of a packet that Recv returns are the name of its
// stream and its number there, see below. They replace the numbers that the sender gave to Send.
//
// # Protocol
//
// The sender of a link numbers its packets from 1 (Packet.Seq) in a stream that has a random name
// (Packet.Incarnation). Control packets have Seq 0 and a kind in Msg.Kind: an acknowledgement (ack) or an offer.
// The rules of the sender:
//
//  1. It begins a stream with a name that it draws itself.
//  2. It sends packets of its stream in order, at most 64 further than the receiver has acknowledged in order.
//  3. If none of these is acknowledged in order within Config.Resend, it sends all of them again that the
//     receiver does not have. If there is still no progress, it sends one of them again, after twice the time,
//     and so on up to 16 times Config.Resend.
//  4. On an ack of its stream it forgets the packets that the ack counts, and notes the further ones that the
//     receiver has.
//  5. On an offer for its stream it takes the offered name, and sends all packets that are not acknowledged again,
//     numbered from 1.
//  6. It ignores acks and offers for other streams.
//
// The receiver delivers the packets of one stream, whose name it has offered:
//
//  7. It keeps a packet of this stream, if it is one of the next 64, and delivers what is next while there is
//     room for it. It answers with an ack, which counts the packets that are delivered and lists the further ones
//     that it keeps.
//  8. If the packet has the name that it has offered last, this stream replaces the former one, and begins with
//     number 1. Rule 7 follows.
//  9. It does not deliver a packet of any other stream. It answers with an offer of another name for that stream:
//     a new random name, or the same one again if it offered that for this stream last.
//
// Rule 9 is the handshake, since no receiver knows the name that a sender has drawn, and the answer to a restart
// of either end.
//
// Why no packet is delivered twice by one receiver, or out of order: within a stream, rule 7 delivers each number
// once, in order. The sender moves a packet to another stream by rule 5 only, if the receiver offers a name for the
// old stream, so the old stream was neither the receiver's current one nor the one that it had offered last. If
// the receiver had offered the name of the old stream, then that offer was replaced before it was used, or the
// stream had been current and was replaced by rule 8. In the second case a packet of a later stream had arrived,
// which the sender begins only after it has left the old one. So nothing of the old stream was delivered, unless
// by a former receiver, and nothing of it will be, since names are used once.
//
// Why every packet arrives if enough transmissions do: the sender repeats the oldest packet (rule 3) until it is
// acknowledged (rule 7) or renamed (rule 9). A late packet of an old stream may replace the offer that the sender is
// about to use, but each late packet does so once.
//
// The tests visit every state of a sender and a receiver with three packets, in which the network loses, repeats
// and reorders everything and both ends restart.
//
// # Limitations
//
// The first packet on a link takes two round trips: one for the offer, one for itself. A process whose last ack
// is lost and which has then ended leaves its peer to wait for Config.Linger.
//
// A peer can make a process keep the state of 64 links, some 100 packets each at the default Queue more than it
// has room for. The Transport believes the From of the inner transport.
package reliable
