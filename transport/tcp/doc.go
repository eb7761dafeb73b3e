// Package tcp carries packets between the processes of a service, over TCP.
//
// # Usage
//
// Each process has one [Network], which knows the addresses of all members, and one [Group] for each
// election:
//
//	n, err := tcp.New(tcp.Config{Self: 1, Members: map[election.ID]string{
//		1: "10.0.0.1:7946", 2: "10.0.0.2:7946", 3: "10.0.0.3:7946"},
//		TLS: &tcp.TLS{Cluster: "orders", Load: tcp.Files("1.pem", "1.key.pem", "ca.pem")}})
//	...
//	g, err := n.Group("orders", tcp.GroupConfig{})
//	...
//	outcome, err := process.Run(ctx, process.Config{Transport: g, ...})
//
// A Group is an election.Transport, a transport.Pusher and a transport.Watcher. All groups of a process share
// its connections, and their packets share writes.
//
// # What is promised
//
// There are two kinds of groups. By default Send never waits. A queue that is full drops its oldest
// packet, and a packet that has waited for Config.MaxAge is dropped, so that no late message disturbs an
// election. That is what algorithms want that survive loss and repeat their messages, such as bully. In
// a Reliable group no packet is lost as long as both processes live, however often their connection
// breaks; Send waits while a queue is full.
//
// In both, each link keeps the order, and each packet arrives at most once. A new connection continues where
// the last one broke: the acceptor says how many packets have arrived. What was written to a process
// that has ended is not sent to its successor. A peer that has come back is reached by the first packet.
//
// # Security
//
// With Config.TLS both ends of a connection show a certificate, over TLS 1.3 only. Its URI,
// spiffe://cluster/name, contains the name of its holder, which Config.Names compares with those of the
// members: no function maps names to IDs. A dialler accepts only the member that it dials. An acceptor
// accepts a member only under its own ID, and no process whose name is not a member's. Whatever arrives
// over a connection is from that member; the peer has no say in it.
// Certificates and roots are loaded anew for each handshake, and a connection ends with the certificate
// of its peer, after another one has replaced it. So files may be replaced at any time, without a
// restart. A peer whose authority is withdrawn from the roots takes part until its connections are too
// old, see Config.MaxConnAge. Package certs makes certificates for trying out.
//
// A process whose certificate is stolen can speak for one member. So can two processes with one
// certificate: the younger is refused by each peer as long as the older one answers.
//
// Without TLS a peer is believed to be the member that it claims to be. So all addresses must be
// loopback ones, unless Config.InsecurePlaintext allows for others.
//
// # Limitations
//
// A packet of a group that is not reliable takes at most Config.Delay, and the time for which its receiver is
// stopped. MaxAge counts in the queue of the sender. A packet in flight when the network fails may arrive up to
// 1.5 Timeout later, and up to 6 Timeout later at an observer. Then the connection is closed, and what the kernel
// still holds is dropped. The default Timeout of two seconds does not harm a lease. An algorithm whose rules rest on
// its own Delay, such as bully, needs a Config.Delay that is no larger.
//
// A host that opens connections without end gets a quarter of MaxHandshakes. Members behind the same
// address, or several such hosts, are not told apart before they say hello.
//
// A connection that breaks is a suspicion, and no proof that the peer has ended; one that
// stands is no proof that it lives. If a machine vanishes without a word, a peer that sends to it notices
// within 1.5 Timeout, and one that does not within half a minute, by TCP keep-alive. After an interruption,
// members connect again within about a second, observers within eight.
//
// A process makes eight connections to members at a time, and eight to observers. If handshakes take long, it needs
// several times as long for many peers.
//
// On Linux 6.15 and later, a lost segment is retransmitted 25 ms after a round trip has passed. Older kernels and
// other systems wait for 200 ms at least. If an attempt to connect is not answered within 100 ms, another one starts
// in parallel.
//
// All groups of two processes share one connection in each direction, so a lost segment holds up all of
// them. A peer whose receiver takes nothing holds up none: its queues fill, at both ends.
package tcp
