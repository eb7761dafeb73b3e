package tcp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
)

const (
	// firstPause and lastPause are the first and the longest pause between two attempts to connect.
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
	// leastPause is the shortest time between the beginnings of two attempts.
	leastPause = 5 * time.Millisecond
	// attempts is how many attempts to connect may be in progress. If many processes of one machine start together,
	// more attempts would slow each other down until all of them take longer than Timeout, again and again.
	attempts = 8
)

// peer is another process.
type peer struct {
	net      *Network
	id       election.ID
	name     string
	observes bool // it dials, and is not dialled
	context  context.Context
	wanted   chan struct{} // has one if the next attempt is to begin soon: something is to be sent, or there is an address
	book     book

	mu      sync.Mutex
	conn    *conn                   // in use, or nil
	last    uint64                  // the peer's serial of the last connection in use
	lanes   map[uint64]*lane        // by the number of the group
	dirty   []*lane                 // that have something to write
	leaving []string                // groups that were closed before the peer was told
	theirs  map[string]announcement // the groups that the peer has opened, by name
	hellos  int                     // the bytes of their hellos
	absent  bool                    // the last attempt to connect has failed, or there may be none
	began   time.Duration           // when the present attempt did
	cancel  context.CancelCauseFunc // of the present attempt
	trouble string                  // the last one that was logged
	hidden  bool                    // the last attempt has hung; used by the goroutine that dials only
}

// called returns the name of the peer.
func (p *peer) called() string { return p.name }

// signal puts one into a channel that has room for one, unless it is full.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// current returns the connection in use, or nil.
func (p *peer) current() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil || p.conn.reason() != nil {
		return nil
	}
	return p.conn
}

// adopt makes c the connection in use. It returns errBusy if a later one is in use, or one that the peer has accepted
// and does not know to be in use yet.
func (p *peer) adopt(c *conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.conn; old != nil && old.reason() == nil {
		if old.serial > c.serial || p.decides() && !c.dialled && old.dialled && c.said.last != old.serial {
			return errBusy
		}
		old.close(errReplaced)
	}
	if p.cancel != nil {
		p.cancel(errBusy)
	}
	if p.trouble != "" {
		p.net.log.Info("connected", "peer", p.called())
	}
	p.reset()
	p.conn, p.last, p.absent, p.trouble = c, c.said.serial, false, ""
	for _, l := range p.lanes {
		p.mark(l)
	}
	return nil
}

// lost notes that a connection has ended.
func (p *peer) lost(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != c {
		return
	}
	p.conn = nil
	_, dialled := p.dialable()
	p.absent = !dialled
	p.reset()
	for _, l := range p.lanes {
		if l.queue.size > 0 {
			p.mark(l)
		}
	}
}

// reset forgets what was said on the last connection. p.mu is held, as in all methods below that have a lane.
func (p *peer) reset() {
	p.leaving, p.theirs, p.hellos = nil, make(map[string]announcement), 0
	for _, l := range p.lanes {
		l.announced, l.accepted, l.theirs, l.welcome, l.reply = nil, false, 0, false, nil
		p.setUp(l)
	}
}

// setUp reports to watchers whether packets can reach a group of the peer.
func (p *peer) setUp(l *lane) {
	if up := l.open(); l.up.Swap(up) != up {
		l.group.watch.changed(l)
	}
}

// send puts a packet into a lane.
func (p *peer) send(l *lane, packet *election.Packet) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case l.closing:
		return l.group.gone()
	case l.ended: // the peer was forgotten
		return nil
	}
	l.put(packet, p.net.now())
	if l.joined {
		p.mark(l)
	}
	return nil
}

// mark makes the writer look at a lane. Without a connection, one is made soon.
func (p *peer) mark(l *lane) {
	if !l.dirty {
		l.dirty = true
		p.dirty = append(p.dirty, l)
	}
	if p.conn == nil {
		signal(p.wanted)
		return
	}
	p.conn.notify()
	if l.queue.size > p.net.config.Queue/2 {
		signal(p.conn.urgent) // or the queue may be full before Linger is over
	}
}

// open adds the lane of a new group. A guest gets one if it has announced the group.
func (p *peer) open(g *Group) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := g.to(p.id)
	if _, ok := p.theirs[g.name]; l == nil && ok {
		l = p.laneOf(g)
	}
	if l != nil {
		p.attach(l)
	}
}

// join adds a new lane.
func (p *peer) join(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.attach(l)
}

// laneOf returns the lane of a group, which is made if there is none. It returns nil if the group is closed.
func (p *peer) laneOf(g *Group) *lane {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	return g.lane(p)
}

// attach adds a lane, unless that was done before.
func (p *peer) attach(l *lane) {
	if l.joined || l.ended {
		return
	}
	l.joined = true
	p.lanes[l.number] = l
	p.mark(l)
	if a, ok := p.theirs[l.group.name]; ok {
		p.meet(l, a)
	}
}

// greet makes the writer announce a group whose hello has changed, and judges the hello of the peer again.
func (p *peer) greet(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil || !l.joined { // it is announced when there is a connection
		return
	}
	p.mark(l)
	if a, ok := p.theirs[l.group.name]; ok && l.judged != l.group.greeting.Load() {
		p.judge(l, a, false)
	}
}

// leave closes a lane: what waits is written first, if the peer takes it.
func (p *peer) leave(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.closing = true
	switch {
	case l.ended:
	case !l.joined:
		l.ended = true
		close(l.gone)
	case p.absent || l.away || l.queue.size == 0 && l.announced == nil:
		p.cut(l)
	default:
		p.mark(l)
	}
}

// cut ends a lane immediately.
func (p *peer) cut(l *lane) {
	if !l.joined {
		return
	}
	if p.conn != nil && l.announced != nil {
		p.leaving = append(p.leaving, l.group.name)
		p.conn.notify()
	}
	p.remove(l)
	p.dirty = slices.DeleteFunc(p.dirty, func(o *lane) bool { return o == l })
	close(l.gone)
}

// remove removes a lane for good.
func (p *peer) remove(l *lane) {
	delete(p.lanes, l.number)
	l.joined, l.ended = false, true
}

// drop ends a lane whose packets are not written in time.
func (p *peer) drop(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut(l)
}

// collect appends what the lanes have to write, as much as fits into one write.
func (p *peer) collect(c *conn, b []byte) (_ []byte, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != c {
		return b, false
	}
	for ; len(p.leaving) > 0; p.leaving = p.leaving[1:] {
		if len(b) > bufferSize-maxFrames {
			return b, true
		}
		b = appendText(appendHead(b, kindLeave, 0), p.leaving[0])
	}
	now, done := p.net.now(), 0
	// The space of the list is used again, so that a packet costs no allocation.
	defer func() { p.dirty = slices.Delete(p.dirty, 0, done) }()
	for ; done < len(p.dirty); done++ {
		l, size := p.dirty[done], maxFrames
		// Read it with p.mu: a packet that was sent after Greet is in the queue only if this finds the new hello.
		own := l.group.greeting.Load()
		if l.announced != own {
			size += len(own.hello)
		}
		if len(b) > max(0, bufferSize-size) { // a large hello may need more than a buffer, and then has one of its own
			return b, true
		}
		if l.announced != own {
			b = appendAnnouncement(b, l.group.name, l.number, own.hello)
			l.announced = own
		}
		if l.reply != nil {
			b = l.reply.append(appendHead(b, kindAnswer, p.theirs[l.group.name].number))
			l.reply = nil
		}
		if l.open() {
			whole := false
			if b, whole = l.take(b, now); !whole {
				return b, true
			}
		}
		l.dirty = false
		if l.closing && (l.queue.size == 0 || l.away) {
			b = appendText(appendHead(b, kindLeave, 0), l.group.name)
			p.remove(l)
			c.left = append(c.left, l)
		}
	}
	return b, false
}

// received decodes a packet for a group of this process, and returns its lane, or nil if the group is closed.
func (p *peer) received(c *conn, group uint64, r *reader) (l *lane, packet election.Packet, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l = p.lanes[group]
	switch {
	case p.conn != c:
		return nil, packet, errReplaced
	case group > p.net.last.Load():
		return nil, packet, fmt.Errorf("%w: a packet for group %d, which was not announced", errFrame, group)
	case l == nil || l.theirs == 0:
		r.packet(nil)
		return nil, packet, nil
	}
	if l.judged != l.group.greeting.Load() { // a call of Greet has returned, and greet has not run yet
		p.judge(l, p.theirs[l.group.name], false)
	}
	// While the peer is refused, its packets are dropped, but not skipped: each of them is coded as what has changed
	// since the one before.
	if r.packet(&l.in); !r.whole() || !l.welcome {
		return nil, packet, nil
	}
	return l, l.in.packet(p.id, p.net.config.Self), nil
}

// announced notes that the peer has opened a group, or has changed its hello.
func (p *peer) announced(c *conn, name string, a announcement) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != c {
		return errReplaced
	}
	p.hellos += len(a.hello) - len(p.theirs[name].hello)
	p.theirs[name] = a
	if most := p.net.config.MaxGroups; len(p.theirs) > most {
		return fmt.Errorf("%w: more than %d groups", errFrame, most)
	}
	if most := p.maxHellos(); p.hellos > most {
		return fmt.Errorf("%w: hellos of more than %d bytes", errFrame, most)
	}
	if l := p.lane(name); l != nil {
		p.meet(l, a)
	} else if g := p.net.group(name); g != nil {
		if l = p.laneOf(g); l != nil {
			p.attach(l)
		}
	}
	return nil
}

// maxHellos returns how many bytes the hellos of the peer may have together, which are kept since a group may be opened
// later.
func (p *peer) maxHellos() int {
	each := 4096
	p.net.mu.Lock()
	if p.book.guest() {
		each /= 4
	}
	p.net.mu.Unlock()
	return max(MaxHello, each*p.net.config.MaxGroups)
}

// lane returns the lane of the open group with this name, or nil.
func (p *peer) lane(name string) *lane {
	if g := p.net.group(name); g != nil {
		return p.lanes[g.number]
	}
	return nil
}

// meet judges a group that both processes have opened.
func (p *peer) meet(l *lane, a announcement) {
	if l.theirs != a.number { // not only its hello has changed
		l.theirs, l.in, l.out = a.number, vector{}, vector{}
		l.box.conn.Store(p.conn)
	}
	l.away = false
	p.judge(l, a, true)
}

// judge judges the hello of the peer. The peer gets the answer if it waits for one or the answer has changed.
func (p *peer) judge(l *lane, a announcement, waits bool) {
	own, before := l.group.greeting.Load(), l.welcome
	err := own.judge(p.id, a.hello)
	if l.judged, l.welcome = own, err == nil; waits || l.welcome != before {
		reply := answerTo(err)
		l.reply = &reply
	}
	if err != nil {
		p.refuse(l, err)
	}
	p.up(l)
}

// closed notes that the peer has closed a group.
func (p *peer) closed(c *conn, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != c {
		return
	}
	p.hellos -= len(p.theirs[name].hello)
	delete(p.theirs, name)
	if l := p.lane(name); l != nil {
		l.accepted, l.theirs, l.welcome, l.reply = false, 0, false, nil
		p.part(l)
	}
}

// answered notes that the peer accepts or refuses a group of this process.
func (p *peer) answered(c *conn, group uint64, a answer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[group]
	switch {
	case p.conn != c:
		return errReplaced
	case group > p.net.last.Load() || l != nil && l.announced == nil:
		return fmt.Errorf("%w: group %d was not announced", errFrame, group)
	case l == nil: // it is closed
		return nil
	}
	l.accepted = a.verdict == accepted
	if !l.accepted {
		p.refuse(l, fmt.Errorf("process %s: %s", p.called(), a.reason))
	}
	p.up(l)
	return nil
}

// up makes the writer begin to send over a lane, if it is open.
func (p *peer) up(l *lane) {
	if l.open() {
		l.away = false
		p.net.admitGroup(l.group, p.id)
	}
	if p.setUp(l); l.joined { // it may have been cut
		p.mark(l)
	}
}

// refuse logs that one of the two processes refuses the group of the other.
func (p *peer) refuse(l *lane, err error) {
	p.net.refuseGroup(l.group, p.id, err, p.theirs[l.group.name].hello)
	p.part(l)
}

// part ends the use of a lane until the peer opens its group again, or the process that refuses the other accepts it.
func (p *peer) part(l *lane) {
	l.away = true
	if p.setUp(l); l.closing {
		p.cut(l)
	}
}

// failed notes that an attempt to connect has failed. It is logged unless it is the same trouble as before.
func (p *peer) failed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		return
	}
	p.absent = true
	for _, l := range p.lanes {
		if l.closing { // nothing waits for it
			p.cut(l)
		}
	}
	last := p.trouble
	if p.trouble = kindOf(err); p.trouble != last && p.net.first(fmt.Sprintf("no connection %d %s", p.id, p.trouble)) {
		address, _ := p.dialable()
		p.net.log.Warn("no connection", "peer", p.called(), "address", address, "err", err)
	}
}

// kindOf returns the text of an error without the ports, which differ each time.
func kindOf(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + " " + op.Err.Error()
	}
	return err.Error()
}

// run dials the peer whenever there is an address and no connection, until ctx ends.
func (p *peer) run(ctx context.Context) {
	pause, longest := firstPause, lastPause
	if p.net.config.observes() {
		// A hundred observers that cannot connect, as the members are too busy for their handshakes, must not keep
		// the members busy.
		longest *= 8
	}
	for {
		most := longest
		if c := p.current(); c != nil {
			began := p.net.now()
			p.keep(ctx, c)
			if p.net.now()-began > lastPause {
				pause = firstPause
			}
			most = lastPause / 8 // the peer is there, but may close each connection soon
		} else if _, ok := p.dialable(); !ok {
			select {
			case <-p.wanted: // maybe there is an address now
				continue
			case <-ctx.Done():
				return
			}
		} else if err := p.connect(ctx, nil); err == nil {
			continue
		} else if ctx.Err() == nil && !errors.Is(err, errBusy) {
			p.failed(err)
		}
		pause = min(pause, most)
		// Many members that have lost one peer at the same time should not dial it at the same time.
		if !p.rest(ctx, pause/2+rand.N(pause/2+1)) {
			return
		}
		pause = min(2*pause, longest)
	}
}

// rest waits until the next attempt to connect is due: after a pause, or an eighth of it if something is to be sent.
// It returns false if ctx has ended.
func (p *peer) rest(ctx context.Context, pause time.Duration) bool {
	p.mu.Lock()
	since := p.net.now() - p.began
	p.mu.Unlock()
	// No timers: the race detector of Go 1.26 crashes when two goroutines of one synctest bubble read timers that ran
	// out before (golang/go#78156), and these may have.
	longest, stop := context.WithTimeout(ctx, pause)
	defer stop()
	soon, stop := context.WithTimeout(ctx, max(pause/8, leastPause-since))
	defer stop()
	<-soon.Done()
	select {
	case <-p.wanted:
	case <-longest.Done():
	}
	return ctx.Err() == nil
}

// connect makes a connection, or renews the old one.
func (p *peer) connect(ctx context.Context, old *conn) error {
	if !p.use() {
		return errEnded
	}
	defer p.unuse()
	// An attempt that hangs, since the machine of the peer is gone, must not keep others waiting.
	if !p.hidden {
		select {
		case p.net.turns <- struct{}{}:
			defer func() { <-p.net.turns }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	ctx, stop := context.WithTimeout(ctx, p.net.config.Timeout)
	defer stop()
	own := p.net.hello(p.id)
	nc, err := p.dial(ctx, &own, old)
	if p.hidden = err != nil && ctx.Err() != nil; err != nil {
		return err
	}
	quicken(nc)
	raw := counted{nc, &p.net.stats}
	done := context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Now()) })
	c, err := p.sayHello(raw, &own, old)
	if err == nil && old == nil {
		err = p.settle(ctx, c.said.incarnation)
	}
	if !done() && err == nil {
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
	case old != nil:
		err = old.renew(c.in)
	default:
		if err = p.adopt(c); err == nil {
			p.use()
			p.net.running.Go(func() {
				defer p.unuse()
				c.run()
			})
		}
	}
	if err != nil {
		_ = raw.Close()
	}
	return err
}

// dial opens a connection for this hello, unless the peer opens one first.
func (p *peer) dial(ctx context.Context, own *hello, old *conn) (net.Conn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p.mu.Lock()
	if p.conn != old { // it has done so
		p.mu.Unlock()
		return nil, errBusy
	}
	p.began, p.cancel, own.last = p.net.now(), cancel, p.last
	p.mu.Unlock()
	p.net.stats.dials.Add(1)
	address, err := p.resolve(ctx)
	var nc net.Conn
	if err == nil {
		nc, err = p.net.config.Dial(ctx, address)
	}
	p.mu.Lock()
	p.cancel = nil
	p.mu.Unlock()
	if err != nil && context.Cause(ctx) == errBusy {
		err = errBusy
	}
	return nc, err
}

// keep waits until a connection has ended. It renews one that was dialled here in time.
func (p *peer) keep(ctx context.Context, c *conn) {
	if !c.dialled {
		<-c.done
		return
	}
	for age := c.age(); ; {
		renew, stop := context.WithTimeout(ctx, age) // no timer, as in rest
		select {
		case <-c.done:
			stop()
			return
		case <-renew.Done():
			stop()
		}
		if ctx.Err() != nil {
			<-c.done
			return
		}
		age = lastPause
		if _, ok := p.dialable(); !ok {
			continue
		}
		switch err := p.connect(ctx, c); {
		case err == nil:
			age = c.age()
		case c.reason() == nil && ctx.Err() == nil:
			p.net.log.Warn("the connection is not renewed", "peer", p.called(), "err", err)
		}
	}
}
