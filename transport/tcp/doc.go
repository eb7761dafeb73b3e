// Package tcp carries packets between the processes of a service, over TCP.
//
// # Usage
//
// Each process has one [Network], which knows the addresses of all members, and one [Group] for each election:
//
//	n, err := tcp.New(tcp.Config{Self: 1, Members: map[election.ID]string{
//		1: "10.0.0.1:7946", 2: "10.0.0.2:7946", 3: "10.0.0.3:7946"},
//		TLS: &tcp.TLS{Cluster: "orders", Load: tcp.Files("1.pem", "1.key.pem", "ca.pem")}})
//	...
//	g, err := n.Group("orders", tcp.GroupConfig{})
//	...
//	outcome, err := process.Run(ctx, process.Config{Transport: g, ...})
//
// A Group is an election.Transport, a transport.Pusher and a transport.Watcher. Two processes use one connection,
// which all groups share. Packets of different groups share writes.
//
// # Changing peers
//
// [Group.SetAddress] adds a peer, or changes the address of one, while the network is in use. The network dials a peer
// as long as its Config or an open group has an address for it. With Config.ID, a process that is in no list may
// connect, too, as a guest. A guest that a group has named with SetAddress is a peer like others. Guests that have left
// are forgotten when there is no room for new ones.
//
// [Group.Greet] changes what the members of a group tell each other before any packet, on open connections as well. It
// affects packets only while one of two processes refuses the other.
//
// With Config.Resolve, the addresses of peers are looked up by name before each attempt to connect. [DNS] and [SRV] ask
// name servers, so that a peer may move without a change of any configuration.
//
// # Guarantees
//
// Delivery is best effort. Send never waits. A full queue drops its oldest packet, and a packet that has waited for
// Config.MaxAge is dropped, so that no late message disturbs an election. Algorithms such as bully, which repeat
// their messages, want that. For algorithms that do not tolerate loss, wrap the Group with package
// transport/reliable.
//
// Each link delivers packets in order, and each packet at most once. Nothing is lost while a connection lasts, or
// when it is renewed. A connection that breaks loses the packets in flight, and so does a group that is closed.
//
// Either process of a pair may dial, and both do until they are connected, so it suffices if a firewall permits one
// direction. The process with the smaller ID decides which connection is used. A process that has restarted connects
// itself, so its peers need not notice.
//
// # Security
//
// With Config.TLS, both ends of a connection show a certificate, over TLS 1.3 only. Its URI, spiffe://cluster/name,
// contains the name of its holder. The hello that begins each connection contains the name and the ID of its sender.
// Both ends compare the name with the certificate, and both with their lists. A process that dials accepts only the
// process that it dials. A process that is dialled accepts a member only under its own ID, and refuses all names that
// are not in its lists. With Config.ID it accepts Config.MaxGuests further processes that have a certificate of the
// cluster, under the ID that Config.ID returns for the name in it. All packets of a connection count as sent by the
// holder of the certificate.
//
// Certificates and roots are loaded for each handshake. A connection is renewed before the certificate of its peer
// expires, and closed when it does. So files may be replaced at any time, without a restart. If an authority is
// removed from the roots, its holders take part until their connections are too old, see Config.MaxConnAge. Package
// certs makes certificates for tests.
//
// [TLS.Server] and [TLS.Client] configure the service's own servers and clients, for instance of HTTP or gRPC, with the
// same certificates and the same check.
//
// A process whose certificate is stolen can speak for one member. So can two processes with the same certificate:
// each peer refuses the younger one as long as the older one answers.
//
// Without TLS, every peer is believed to be the process that it claims to be. All addresses, including
// addresses of guests and addresses that are found later, must then be loopback addresses, unless Config.InsecurePlaintext is set.
//
// A peer that announces many groups or large hellos takes memory: MaxGroups times 4 kB at most, and a guest a quarter
// of that.
//
// # Limitations
//
// A packet takes at most Config.Delay, and the time for which its receiver is stopped. MaxAge counts in the queue of
// the sender. A packet in flight when the network fails may arrive up to 1.5 Timeout later, and up to 6 Timeout later
// at an observer. Then the connection is closed, and what the kernel still holds is dropped. The default Timeout of
// one second does not harm a lease. An algorithm whose rules rest on its own Delay, such as bully, needs a
// Config.Delay that is no larger.
//
// A host that opens connections without end gets a quarter of MaxHandshakes. Members behind the same address, or
// several such hosts, are not distinguished before they say hello.
//
// A connection that breaks is a suspicion, and does not prove that the peer has ended. A connection that stands does
// not prove that it is alive. If a machine vanishes, a peer that sends to it notices within 1.5 Timeout. A peer that
// does not send notices within half a minute or two, by TCP keep-alive. After an interruption, members connect again
// within about a second, observers within eight.
//
// A process makes eight connections at a time. If handshakes take long, it needs several times as long for many
// peers.
//
// On Linux 6.15 and later, a lost segment is retransmitted 25 ms after a round trip has passed. Older kernels and
// other systems wait for 200 ms at least. If an attempt to connect is not answered within 100 ms, another one starts
// in parallel.
//
// A lost segment holds up all groups of two processes. A peer whose receiver takes nothing holds up none: its queues
// fill, at both ends.
package tcp
