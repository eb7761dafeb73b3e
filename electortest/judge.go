package electortest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/elector"
)

// lease is what a member holds, or has held last, in virtual time.
type lease struct {
	term       uint64
	begin, end time.Duration
}

// judge sees all that the members do.
type judge struct {
	now func() time.Duration

	mu      sync.Mutex
	log     []string
	wrong   string             // the first thing that was wrong
	failed  chan struct{}      // closed then
	members map[string]*Member // those that live
	top     uint64             // the largest Term in which a member has led
	began   time.Duration      // when that did
	largest uint64             // the largest token that was accepted
	written uint64             // the largest Term of an accepted write
	calm    bool               // nothing fails any more
	over    bool               // all members should have returned long ago
}

// note adds a line to the log. The caller holds mu.
func (j *judge) note(format string, args ...any) {
	j.log = append(j.log, fmt.Sprintf("%13v  ", j.now())+fmt.Sprintf(format, args...))
}

// notes adds a line to the log.
func (j *judge) notes(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.note(format, args...)
}

// fail says what is wrong. The caller holds mu.
func (j *judge) fail(format string, args ...any) {
	if j.wrong == "" {
		j.wrong = fmt.Sprintf(format, args...)
		j.note("WRONG: %s", j.wrong)
		close(j.failed)
	}
}

func (j *judge) fails(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail(format, args...)
}

// shown is how much of the log a failure shows.
const shown = 30

// error returns what was wrong, and what had happened before.
func (j *judge) error(seed uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.wrong == "" {
		return nil
	}
	log := j.log[max(len(j.log)-shown, 0):]
	return fmt.Errorf("seed %d: %s\nwhat had happened:\n%s", seed, j.wrong, strings.Join(log, "\n"))
}

// enters notes a new member.
func (j *judge) enters(m *Member) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.members[m.Name] = m
	j.note("%s starts", m.Name)
}

// leaves notes that a member has crashed, or ended.
func (j *judge) leaves(m *Member, crashed bool, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m.crashed = crashed
	if j.members[m.Name] == m {
		delete(j.members, m.Name)
	}
	j.note("%s %s", m.Name, why)
}

// renewed notes a lease, which begins or lasts longer.
func (j *judge) renewed(m *Member, term elector.Term) {
	// Left is by the clock, which may be stopped or started in between.
	shows, left := m.clock.read(), term.Left()
	for again := m.clock.read(); again != shows; again = m.clock.read() {
		shows, left = again, term.Left()
	}
	if left > 0 {
		j.holds(m, term.Number, m.clock.when(shows+left))
	}
}

// holds notes that a member holds the lease of a Term until some time.
func (j *judge) holds(m *Member, term uint64, end time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if m.crashed {
		return
	}
	now := j.now()
	for _, other := range j.members {
		if other != m && other.lease.end > now {
			j.fail("two leases are valid: that of %s in Term %d until %v, and that of %s in Term %d until %v",
				other.Name, other.lease.term, other.lease.end, m.Name, term, end)
		}
	}
	switch {
	case m.lease.term == term && m.lease.end <= now:
		j.fail("%s has renewed its lease of Term %d, which had ended at %v", m.Name, term, m.lease.end)
	case m.lease.term != term:
		if term <= j.top {
			j.fail("%s leads in Term %d, after a leader in Term %d", m.Name, term, j.top)
		}
		j.note("%s leads in Term %d until %v", m.Name, term, end)
		j.top, j.began = max(j.top, term), now
		m.lease.begin = now
	}
	m.lease.term, m.lease.end = term, end
}

// sees notes a View of a member.
func (j *judge) sees(m *Member, v elector.View) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now := j.now(); !m.crashed && !v.Self && m.lease.end > now {
		j.note("%s leads no more: %v", m.Name, v.Why)
		m.lease.end = now
		if j.calm && v.Why == elector.Lost {
			j.fail("%s loses its lease of Term %d although nothing fails", m.Name, v.Term)
		}
	}
}

// expectCalm notes that no lease is lost any more.
func (j *judge) expectCalm() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calm = true
}

// begins notes that work begins.
func (j *judge) begins(m *Member, term elector.Term) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if m.works++; m.works > 1 && !m.crashed {
		j.fail("the work of %s in Term %d begins before that of an earlier Term has returned", m.Name,
			term.Number)
	}
}

func (j *judge) returns(m *Member) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m.works--
}

// overruns notes that work goes on although its lease has ended. A pause explains it.
func (j *judge) overruns(m *Member, term elector.Term, times elector.Times) {
	paused := m.paused()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !m.crashed && !paused && (m.woke == 0 || j.now() > m.woke+times.Drain+2*times.Lease) {
		j.fail("the work of %s in Term %d has not returned although its context and its lease have ended",
			m.Name, term.Number)
	}
}

// wakes notes the end of a pause.
func (j *judge) wakes(m *Member) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m.woke = j.now()
}

// ends lets all writes fail: some work heeds the error of a write, and not its context.
func (j *judge) ends() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
}

// write accepts a write, or refuses it.
func (j *judge) write(m *Member, token uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	term := token
	switch {
	case m.crashed || j.over:
		return ErrCrashed
	case token == 0:
		term = m.lease.term
	case token > j.top:
		j.fail("%s writes with token %d, but no leader has had a Term larger than %d", m.Name, token, j.top)
	case token < j.largest:
		j.note("a write of %s with token %d is refused", m.Name, token)
		return fmt.Errorf("%w: %d is less than %d", ErrRefused, token, j.largest)
	}
	if term < j.written {
		j.fail("%s, whose Term is %d, writes after a leader of Term %d: its write had no token to refuse",
			m.Name, term, j.written)
	}
	j.written, j.largest = max(j.written, term), max(j.largest, token)
	return nil
}

// leader returns the member whose lease is valid, or nil.
func (j *judge) leader() (*Member, lease) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.members {
		if m.lease.end > j.now() {
			return m, m.lease
		}
	}
	return nil, lease{}
}

// ledSince returns when the last member began to lead in a Term larger than this; zero if none did.
func (j *judge) ledSince(term uint64) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.top > term {
		return j.began
	}
	return 0
}

// agree reports whether all members name the leader.
func (j *judge) agree() bool {
	leader, held := j.leader()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.members {
		v := m.last
		if leader == nil || v.Leader != leader.Name || v.Term != held.term || v.Self != (m == leader) {
			return false
		}
	}
	return leader != nil
}

// views returns what each member says about the leader.
func (j *judge) views() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []string
	for _, m := range j.members {
		all = append(all, fmt.Sprintf("%s: %+v", m.Name, m.last))
	}
	return strings.Join(all, ", ")
}
