package tcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// read reads frames until an error.
func (c *conn) read() error {
	b := make([]byte, bufferSize)
	begin, end := 0, 0 // of what is not used yet
	late := false      // a frame has begun, and has to end in time
	for {
		n, err := c.nc.Read(b[end:])
		end += n
		if err != nil {
			return c.readError(err, end > begin)
		}
		n, err = c.frames(b[begin:end])
		if err != nil {
			return err
		}
		begin += n
		// The space for the next frame begins at 0 as soon as that costs nothing or is needed.
		if begin == end || len(b)-begin < maxFrame {
			end = copy(b, b[begin:end])
			begin = 0
		}
		// Each frame has its own time: a busy peer may send for long without a read that ends with a frame.
		if within := begin < end; !c.dialled && (within != late || within && n > 0) {
			late = within
			deadline := time.Time{}
			if late {
				deadline = time.Now().Add(c.net.config.Timeout)
			}
			_ = c.nc.SetReadDeadline(deadline)
		}
	}
}

// readError says why a connection has ended.
func (c *conn) readError(err error, within bool) error {
	c.mu.Lock()
	ending := c.ending
	c.mu.Unlock()
	switch {
	case within && !c.dialled && !ending && errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: it has begun and did not end within %v", errFrame, c.net.config.Timeout)
	case within && errors.Is(err, io.EOF):
		return errors.New("the connection was cut within a frame")
	case errors.Is(err, io.EOF):
		return errGone
	}
	return err
}

// frames deals with all frames that are whole, and returns how many bytes they have.
func (c *conn) frames(b []byte) (used int, err error) {
	for used < len(b) {
		r := reader{b: b[used:]}
		if err := c.frame(&r); err != nil {
			return used, err
		}
		if r.short {
			break
		}
		used += r.at
	}
	return used, nil
}

// frame deals with a frame, if all of it is there.
func (c *conn) frame(r *reader) error {
	head := r.number()
	if r.short || r.err != nil {
		return r.err
	}
	group, kind := head>>kindBits, head&(1<<kindBits-1)
	switch kind {
	case kindPing:
		c.mu.Lock()
		c.pongDue = true // once, however often the peer asks
		c.mu.Unlock()
		c.notify()
		return nil
	case kindPong:
		return c.pong()
	}
	if c.dialled {
		return c.peer.answered(c, int(kind), group, r)
	}
	return c.sent(int(kind), group, r)
}

// pong notes that the peer has answered.
func (c *conn) pong() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.awaiting {
		c.awaiting = false
		if !c.ending {
			_ = c.nc.SetReadDeadline(time.Time{})
		}
	}
	for _, probe := range c.probes {
		close(probe)
	}
	c.probes = nil
	return nil
}

// probe returns a channel that is closed when the peer answers.
func (c *conn) probe() <-chan struct{} {
	answered := make(chan struct{})
	c.mu.Lock()
	c.probes = append(c.probes, answered)
	c.answers = appendHead(c.answers, kindPing, 0)
	c.mu.Unlock()
	c.notify()
	return answered
}

// sent deals with a frame of the side that has dialled.
func (c *conn) sent(kind int, group uint64, r *reader) error {
	switch kind {
	case kindPacket:
		s := c.streams[group]
		if s == nil {
			return fmt.Errorf("%w: a packet of group %d, which was not announced", errFrame, group)
		}
		r.packet(&s.last)
		if g := s.group.Load(); g != nil && !r.short && r.err == nil {
			p := s.last.packet(c.peer.id, c.net.config.Self)
			return g.arrive(s, &p)
		}
		return r.err
	case kindAnnounce:
		a := r.announcement()
		if r.short || r.err != nil {
			return r.err
		}
		return c.announced(group, &a)
	case kindLeave:
		s := c.streams[group]
		if s == nil {
			return fmt.Errorf("%w: group %d leaves, which was not announced", errFrame, group)
		}
		c.mu.Lock()
		delete(c.streams, group)
		c.mu.Unlock()
		if g := s.group.Load(); g != nil {
			g.part(s)
		}
		return nil
	}
	return fmt.Errorf("%w: kind %d from the side that has dialled", errFrame, kind)
}

// announced notes a group of the peer, and answers.
func (c *conn) announced(number uint64, a *announcement) error {
	s := &stream{conn: c, number: number, announcement: announcement{
		append([]byte(nil), a.name...), append([]byte(nil), a.hello...), a.reliable}}
	c.mu.Lock()
	c.streams[number] = s
	groups, wait := len(c.streams), c.drained
	if len(c.answers) > maxAnswers && wait == nil {
		wait = make(chan struct{})
		c.drained = wait
	}
	c.mu.Unlock()
	if groups > c.net.config.MaxGroups {
		return fmt.Errorf("%w: more than %d groups", errFrame, c.net.config.MaxGroups)
	}
	if g := c.net.group(string(s.name)); g != nil {
		g.meet(s)
	} else {
		c.answer(func(b []byte) []byte {
			if s.group.Load() != nil {
				return b // it has been opened meanwhile
			}
			return new(refusal).append(b, number)
		})
	}
	if wait != nil {
		// The peer asks faster than it reads. Go on when it has read, or the write has failed.
		select {
		case <-wait:
		case <-c.done:
		}
	}
	return nil
}

// strangers returns the streams of a group that it has not met.
func (c *conn) strangers(name string) (all []*stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if string(s.name) == name && !s.dead && s.group.Load() == nil {
			all = append(all, s)
		}
	}
	return all
}
