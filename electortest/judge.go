package electortest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/elector"
)

// lease is the current or last lease of a member, in virtual time.
type lease struct {
	term       uint64
	begin, end time.Duration
}

// judge observes everything that the members do.
type judge struct {
	now func() time.Duration

	mu      sync.Mutex
	log     []string
	wrong   string             // first violation
	failed  chan struct{}      // closed after the first violation
	members map[string]*Member // live members
	top     uint64             // largest Term in which a member has led
	began   time.Duration      // when that Term began
	largest uint64             // largest token accepted
	written uint64             // largest Term of an accepted write
	calm    bool               // all faults have stopped
	over    bool               // all members should have returned long ago
	chain   chain
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

// fail records a violation. The caller holds mu.
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

// shown is the number of log entries in a failure.
const shown = 30

// error returns the first violation and the preceding log.
func (j *judge) error(seed uint64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.wrong == "" {
		return nil
	}
	log := j.log[max(len(j.log)-shown, 0):]
	return fmt.Errorf("seed %d: %s\nwhat had happened:\n%s", seed, j.wrong, strings.Join(log, "\n"))
}

// enters records a new member.
func (j *judge) enters(m *Member) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.members[m.Name] = m
	j.note("%s starts", m.Name)
}

// leaves records that a member has crashed or ended.
func (j *judge) leaves(m *Member, crashed bool, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m.crashed = crashed
	if j.members[m.Name] == m {
		delete(j.members, m.Name)
	}
	j.note("%s %s", m.Name, why)
}

// renewed records a new or extended lease.
func (j *judge) renewed(m *Member, term elector.Term) {
	// Left depends on the clock, which may be stopped or started in between.
	shows, left := m.clock.read(), term.Left()
	for again := m.clock.read(); again != shows; again = m.clock.read() {
		shows, left = again, term.Left()
	}
	if left > 0 {
		j.holds(m, term.Number, m.clock.when(shows+left))
		j.asks(m, j.renews)
	}
}

// holds records that a member holds the lease of a Term until the given time.
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

// sees records a View of a member.
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

// expectCalm records that no lease may be lost any more.
func (j *judge) expectCalm() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.calm = true
}

// begins records that the work begins.
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

// overruns records that the work continues although its lease has ended, which is a violation unless a pause
// explains it.
func (j *judge) overruns(m *Member, term elector.Term, times elector.Times) {
	paused := m.paused()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !m.crashed && !paused && (m.woke == 0 || j.now() > m.woke+times.Drain+2*times.Lease) {
		j.fail("the work of %s in Term %d has not returned although its context and its lease have ended",
			m.Name, term.Number)
	}
}

// wakes records the end of a pause.
func (j *judge) wakes(m *Member) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m.woke = j.now()
}

// ends makes all writes fail: some work reacts to the error of a write but not to its context.
func (j *judge) ends() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
}

// write accepts or refuses a write.
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

// ledSince returns when the last member began to lead in a Term larger than the given one, or zero if none did.
func (j *judge) ledSince(term uint64) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.top > term {
		return j.began
	}
	return 0
}

// agree reports whether all members agree on the leader.
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

// views returns the View of each member as text.
func (j *judge) views() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []string
	for _, m := range j.members {
		all = append(all, fmt.Sprintf("%s: %+v", m.Name, m.last))
	}
	return strings.Join(all, ", ")
}
