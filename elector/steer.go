package elector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/transport"
)

// regroup adapts what depends on the number of members, in the goroutine of the process.
func (e *Elector) regroup() {
	v := e.members.voters()
	e.roundTrips.enough = v.count() / 2
	if !v.self {
		e.roundTrips.enough = v.count()/2 + 1
	}
	ranks := make([]election.Rank, 0, len(v.others))
	for _, port := range v.others {
		ranks = append(ranks, e.peer(port))
	}
	e.attempts.among(&e.config, ranks)
	if e.Leader().Why != Starting { // otherwise the first leader comes with the members, most often in this step
		e.publish(func(before View) View { return before })
	}
}

// steer keeps the connections and the hello of this member up to date, and changes the members while it leads, until
// ctx ends.
func (e *Elector) steer(ctx context.Context) {
	m := e.members
	known := make(map[string]bool)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		m.mu.Lock()
		var fresh []string
		for name, h := range m.hellos {
			if !h.Observer && !known[name] {
				fresh = append(fresh, name)
				known[name] = true
			}
		}
		if m.lendFor() {
			m.tellLease(0)
		}
		lends, fades := m.lends, time.Duration(0)
		if m.former > 0 {
			fades = max(time.Until(m.fades), 1)
			timer.Reset(fades)
		}
		m.mu.Unlock()
		m.connect(e.config.Transport) // after lendFor: a shorter Lease may admit peers that were refused
		if m.leases && lends != m.loggedLease {
			m.log.Info("members: the longest Lease has changed", "lease", lends, "own", e.config.Times.Lease)
			m.loggedLease = lends
		}
		if m.leases {
			for _, name := range fresh {
				_ = e.process.AddPeer(e.config.rank(ID(name))) // fails only if the process has ended
			}
			if wait := e.decide(); wait > 0 && (fades == 0 || wait < fades) {
				timer.Reset(wait)
			}
		}
		select {
		case <-m.due:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// connect tells the transport the addresses of members, and the hello.
func (m *membership) connect(t election.Transport) {
	m.mu.Lock()
	wanted, own := m.wanted(), m.hello()
	var accept func(election.ID, []byte) error
	if m.reconsiders() {
		accept = m.accept // the transport then calls it again
	}
	m.mu.Unlock()
	if a, ok := t.(transport.Addressed); ok {
		for name, address := range wanted {
			if m.dialled[name] != address {
				m.try("address", name, a.SetAddress(ID(name), name, address))
			}
		}
		for name := range m.dialled {
			if _, ok := wanted[name]; !ok {
				m.try("address", name, a.SetAddress(ID(name), name, ""))
			}
		}
		m.dialled = wanted
	}
	if g, ok := t.(transport.Greeter); ok {
		if text := own.bytes(); string(text) != m.greeted || accept != nil {
			m.greeted = string(text)
			m.try("hello", own.Self, g.Greet(text, accept))
		}
	}
}

func (m *membership) try(what, name string, err error) {
	if err != nil && !errors.Is(err, election.ErrClosed) {
		m.log.Error("members: the transport refuses what it is told", "what", what, "peer", name, "err", err)
	}
}

// patience is how long lists may differ until that is logged as a warning.
const patience = 10 * time.Minute

// say logs what the members wait for: immediately, and as a warning after a while. A group that starts is usually
// unfounded for a moment, so that is only logged as a warning. say returns when to call it again, or zero.
func (m *membership) say(now time.Duration, text string, unfounded bool, while time.Duration) (again time.Duration) {
	if text != m.told {
		m.told, m.toldAt, m.warned = text, now, text == ""
		if text != "" && !unfounded {
			m.log.Info("members: " + text)
		}
	}
	if !unfounded {
		while = patience
	}
	switch at := m.toldAt + while; {
	case m.warned:
		return 0
	case now < at:
		return at
	}
	m.warned = true
	m.log.Warn("members: " + text)
	return 0
}

// decide has the policy decide about the members, if this member leads, and returns when to ask it again, or zero.
func (e *Elector) decide() time.Duration {
	m := e.members
	e.mu.Lock()
	until := e.until
	e.mu.Unlock()
	m.mu.Lock()
	v, s := m.judge(e.clock(), until)
	text, args := m.report()
	waits, unfounded := v.reason, m.unfounded()
	m.mu.Unlock()
	if text != "" {
		m.log.Info(text, args...)
	}
	again := v.again
	if v.move == stay && waits == "" {
		waits = unfounded
	}
	if next := m.say(s.now, waits, unfounded != "", 4*s.lease); again == 0 || next > 0 && next < again {
		again = next
	}
	if len(v.spend) > 0 {
		m.connect(e.config.Transport) // the others must know before the members change
	}
	// The commands fail only if the process has ended.
	switch v.move {
	case begin:
		for _, name := range v.list {
			_ = e.process.AddPeer(e.config.rank(ID(name)))
		}
		for i, name := range v.list {
			_ = e.process.Command(lease.Change(ID(name), i, len(v.list), v.called))
		}
	case complete:
		_ = e.process.Command(lease.Complete())
	case takeBack:
		_ = e.process.Command(lease.TakeBack())
	case resign:
		// The work must stop first. If it has not begun yet, try again.
		if t := e.leading(); t != nil && t.Number == s.term {
			t.stop(ErrResigned, 0)
		} else {
			again = s.now + e.leastStep()
		}
	}
	if again == 0 {
		return 0
	}
	return max(again-s.now, e.leastStep())
}

// judge asks the policy. The caller holds mu.
func (m *membership) judge(now, until time.Duration) (verdict, situation) {
	h := m.now
	s := situation{now: now, until: until - m.config.Times.Stop, lease: m.config.Times.Lease, term: h.Term(),
		old: h.old, new: h.new, called: h.Called, confirmed: h.Confirmed, begun: h.Begun, granted: h.granted,
		wishes: m.wishes()}
	for _, l := range m.spent {
		s.spent = append(s.spent, l.List)
	}
	c := m.call
	if !h.Leads || !h.Agreed {
		if m.call = nil; c != nil {
			c.done <- ErrNotLeader
		}
		m.plan = verdict{}
		m.look.Store(false)
		return verdict{}, s
	}
	var v verdict
	named := c != nil && h.Called && slices.Equal(h.new, c.list)
	switch {
	case c == nil:
		v = m.policy.judge(&s)
	case !c.begun && !named && !h.Joint:
		v = m.policy.call(&s, c.list)
		c.why, c.asked = v, c.asked || v.move == begin
	default:
		c.begun = c.begun || named
		if v = m.policy.judge(&s); c.begun && h.Confirmed && !h.Joint { // the change has ended, or is in effect already
			if m.call = nil; named {
				c.done <- nil
			} else {
				c.done <- fmt.Errorf("%w: the change was taken back", ErrNotReady)
			}
		}
	}
	switch gone := h.Confirmed && !h.Joint && !slices.Contains(h.new, m.config.Self); {
	case gone:
		v = verdict{move: resign, reason: "this leader is not a member any more"} // rule 21 of package lease
	case h.Step() == lease.LastStep && (h.Confirmed || h.Begun): // in its own Term
		v = verdict{move: resign, reason: "the members have changed too often in this Term"}
	}
	for _, hash := range v.spend {
		m.spend(hash)
	}
	m.plan = v
	// The process may ignore a change. Without a Watcher, grants show who is connected, and so which lists count.
	m.look.Store(v.watch || v.move == begin || m.up == nil)
	return v, s
}

// report returns what to log about a change of the members, or "". The caller holds mu.
func (m *membership) report() (text string, args []any) {
	now := m.now
	key := label(now.Configuration) + spaced(now.new) + spaced(now.old)
	if !now.Agreed || m.reported == key {
		return "", nil
	}
	m.reported = key
	args = []any{"label", label(now.Configuration)}
	if now.Joint {
		return "members: a change is in progress", append(args, "from", spaced(now.old), "to", spaced(now.new))
	}
	before := m.lastSet
	if m.lastSet = spaced(now.new); m.lastSet == before {
		return "", nil
	}
	return "members: agreed", append(args, "members", spaced(now.new), "role", m.role().String())
}
