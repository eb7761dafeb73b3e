package tcp

import (
	"net"
	"syscall"
	"time"
)

// Options of a TCP socket that package syscall has no names for.
const (
	optThinLinear = 16 // TCP_THIN_LINEAR_TIMEOUTS
	optRTOMin     = 45 // TCP_RTO_MIN_US, since Linux 6.15
	optDelACKMax  = 46 // TCP_DELACK_MAX_US, likewise
)

// By default the kernel waits for at least 200 ms before it retransmits a segment, and twice as long each further
// time. In a network that loses a fifth of its packets, one segment of 25 is lost twice, which takes 600 ms. What follows
// the segment waits for it, so a lease of 750 ms is lost. Mostly a single segment is in flight, which no other
// mechanism repairs. The receiver acknowledges sooner than after the usual 40 ms, so that no segment is
// retransmitted in vain.
const (
	rtoMin    = 25 * time.Millisecond
	delACKMax = 10 * time.Millisecond
)

// quicken makes the kernel retransmit lost segments soon.
func quicken(nc net.Conn) {
	c, ok := nc.(syscall.Conn)
	if !ok {
		return // no socket
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return // it is closed
	}
	_ = raw.Control(func(fd uintptr) {
		// An older kernel refuses the last two, and retransmits as usual.
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, optThinLinear, 1)
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, optRTOMin, int(rtoMin.Microseconds()))
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, optDelACKMax, int(delACKMax.Microseconds()))
	})
}
