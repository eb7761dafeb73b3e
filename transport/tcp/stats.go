package tcp

import (
	"net"
	"sync/atomic"
)

// Stats counts what has happened on a network since it was made.
type Stats struct {
	PacketsSent, PacketsReceived uint64
	BytesSent, BytesReceived     uint64 // on all connections, with what TLS adds
	Writes                       uint64 // each of them one TLS record
	Dropped                      uint64 // packets, as a queue was full
	Expired                      uint64 // packets that were older than Config.MaxAge
	Dials                        uint64 // attempts to connect
	Refused                      uint64 // connections of others, and groups of peers
	Duplicates                   uint64 // connections of a second process with the identity of a member
}

type counters struct {
	packetsOut, packetsIn, bytesOut, bytesIn, writes, dropped, expired, dials, refused,
	duplicates atomic.Uint64
}

// Stats returns what has happened so far.
func (n *Network) Stats() Stats {
	c := &n.stats
	return Stats{PacketsSent: c.packetsOut.Load(), PacketsReceived: c.packetsIn.Load(),
		BytesSent: c.bytesOut.Load(), BytesReceived: c.bytesIn.Load(), Writes: c.writes.Load(),
		Dropped: c.dropped.Load(), Expired: c.expired.Load(), Dials: c.dials.Load(),
		Refused: c.refused.Load(), Duplicates: c.duplicates.Load()}
}

// counted is a connection whose bytes are counted.
type counted struct {
	net.Conn
	c *counters
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.c.bytesIn.Add(uint64(n))
	return n, err
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.c.bytesOut.Add(uint64(n))
	return n, err
}
