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
// what arrives, so that its peers need not wait. If the process ends before a peer has received its last
// acknowledgement, the peer waits in Close for Config.Linger.
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
//     receiver does not have. As long as there is no progress, it continues with one packet each time: eight times
//     after Config.Resend, then after longer times, up to 16 times Config.Resend.
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
// Rule 9 is the handshake, because no receiver knows the name that a sender has drawn, and it is also the answer
// to a restart of either end.
//
// Why no packet arrives twice at one receiver, or out of order: within a stream, rule 7 delivers each number once
// and in order. A sender leaves a stream only after the receiver has offered another name for it (rule 5), so the
// receiver neither was delivering this stream nor had offered its name last (rule 9). If the
// receiver had delivered a packet of it before, then another stream of this sender had replaced it by rule 8; but a
// sender begins another stream only after it has left the first. So this receiver had delivered nothing of the
// stream, and it never will, because each name is offered once.
//
// Why every packet arrives if enough transmissions do: the sender repeats its oldest packet (rule 3) until it is
// acknowledged (rule 7) or its stream renamed (rules 9 and 5). A late packet of a former stream may replace the offer
// that the sender is about to use, but each of these packets does so once.
//
// The tests visit every state of a small link whose network loses, repeats and reorders packets and whose ends
// restart.
//
// # Limitations
//
// The first packet of a link takes two round trips, one of them for the offer.
//
// The Transport relies on the inner transport for the sender of a packet and for its integrity. A hostile peer can
// make a process keep the state of 64 links, with Config.Queue and 64 packets each. It cannot disturb the links of
// others.
package reliable
