package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// errMove reports that the peer continues on the next wire.
var errMove = errors.New("the peer has moved")

// read reads frames until an error.
func (c *conn) read() error {
	b := make([]byte, bufferSize)
	begin, end := 0, 0 // of what is not used yet
	for {
		n, err := c.in.nc.Read(b[end:])
		end += n
		if err != nil {
			return c.readError(err, end > begin)
		}
		used, err := c.frames(b[begin:end])
		begin += used
		if err == errMove {
			if begin != end {
				return fmt.Errorf("%w: something follows the last one", errFrame)
			}
			err = c.follow()
		}
		if err != nil {
			return err
		}
		// The space for the next frame begins at 0 as soon as that costs nothing or is needed.
		if begin == end || len(b)-begin < maxFrames {
			end = copy(b, b[begin:end])
			begin = 0
		}
		switch {
		case begin == end && len(b) > bufferSize:
			b = make([]byte, bufferSize)
		case end == len(b): // a large hello: no other frame is larger than what is left
			b = append(b[begin:end:end], make([]byte, maxFrame)...)
			begin, end = 0, end-begin
		}
		c.within(begin < end, used > 0)
	}
}

// follow moves to the next wire when it is there: the peer may move before this process has read its hello.
func (c *conn) follow() error {
	wait, stop := context.WithTimeout(context.Background(), c.net.config.Timeout/2)
	defer stop()
	for {
		c.mu.Lock()
		ready := c.next.nc != nil && c.in.nc != c.next.nc
		c.mu.Unlock()
		if ready {
			c.moved(&c.in)
			return nil
		}
		select {
		case <-c.renewed:
		case <-c.done:
			return c.reason()
		case <-wait.Done():
			return errors.New("the peer has moved to a connection that broke")
		}
	}
}

// within notes whether a frame has begun. Each frame has its own time: a busy peer may send for long without a read
// that ends with a frame.
func (c *conn) within(begun, used bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case begun && (used || c.begun.IsZero()):
		c.begun = time.Now()
	case !begun && !c.begun.IsZero():
		c.begun = time.Time{}
	default:
		return
	}
	c.setDeadline()
}

// setDeadline limits the time for the rest of a frame and for the answer to a ping. c.mu is held.
func (c *conn) setDeadline() {
	var at time.Time
	if c.awaiting {
		at = c.pinged.Add(c.net.config.Timeout)
	}
	if end := c.begun.Add(c.net.config.Timeout); !c.begun.IsZero() && (at.IsZero() || end.Before(at)) {
		at = end
	}
	_ = c.in.nc.SetReadDeadline(at)
}

// readError returns why a connection has ended. within reports whether a frame has begun.
func (c *conn) readError(err error, within bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		if c.awaiting && time.Since(c.pinged) >= c.net.config.Timeout || !within {
			return errSilent
		}
		return fmt.Errorf("%w: it has begun and did not end within %v", errFrame, c.net.config.Timeout)
	case within && errors.Is(err, io.EOF):
		return errors.New("the connection was cut within a frame")
	case errors.Is(err, io.EOF):
		return errGone
	}
	return err
}

// frames handles all complete frames, and returns how many bytes they have.
func (c *conn) frames(b []byte) (used int, err error) {
	for used < len(b) {
		r := reader{b: b[used:]}
		err := c.frame(&r)
		if err == nil {
			err = r.err
		}
		if err != nil && err != errMove {
			return used, err
		}
		if r.short {
			break
		}
		if used += r.at; err != nil {
			return used, err
		}
	}
	return used, nil
}

// frame handles a frame, if all of it is there.
func (c *conn) frame(r *reader) error {
	head := r.number()
	if !r.whole() {
		return nil
	}
	group, kind := head>>kindBits, head&(1<<kindBits-1)
	switch kind {
	case kindPacket:
		l, packet, err := c.peer.received(c, group, r)
		if l != nil {
			l.group.arrive(c, l.box, &packet)
		}
		return err
	case kindAnnounce:
		name, hello := r.text(MaxName), r.text(MaxHello)
		if !r.whole() {
			return nil
		}
		return c.peer.announced(c, string(name), announcement{group, append([]byte(nil), hello...)})
	case kindLeave:
		if name := r.text(MaxName); r.whole() {
			c.peer.closed(c, string(name))
		}
	case kindAnswer:
		if a := r.answer(); r.whole() {
			return c.peer.answered(c, group, a)
		}
	case kindPing:
		c.mu.Lock()
		c.pongDue = true // once, however often the peer asks
		c.mu.Unlock()
		c.notify()
	case kindPong:
		c.pong()
	case kindMove:
		return errMove
	case kindEnd:
		return errGone
	}
	return nil
}

// pong notes that the peer has answered.
func (c *conn) pong() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.awaiting {
		c.awaiting = false
		c.setDeadline()
	}
	for _, probe := range c.probes {
		close(probe)
	}
	c.probes = nil
}

// probe returns a channel that is closed when the peer answers.
func (c *conn) probe() <-chan struct{} {
	answered := make(chan struct{})
	c.mu.Lock()
	c.probes = append(c.probes, answered)
	c.pingDue = true
	c.mu.Unlock()
	c.notify()
	return answered
}

// announcement is a group that a peer has opened.
type announcement struct {
	number uint64
	hello  []byte
}

func appendAnnouncement(b []byte, name string, number uint64, hello []byte) []byte {
	return appendText(appendText(appendHead(b, kindAnnounce, number), name), hello)
}
