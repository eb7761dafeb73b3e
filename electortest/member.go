package electortest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-election/election/elector"
)

// Errors of Write.
var (
	ErrRefused = errors.New("electortest: a larger token was used before")
	ErrCrashed = errors.New("electortest: the member has crashed")
)

// Member is one member of the group, from its start until it crashes or stops. A later Member may have the same
// name.
type Member struct {
	Name    string
	Elector *elector.Elector
	Context context.Context // ends when the member has to stop, and after its crash

	judge   *judge
	wall    wall
	gate    *gate // the wall, unless there is a Store
	clock   *clock
	stop    context.CancelFunc
	dir     string
	started time.Duration
	ended   chan struct{} // closed when the service has returned

	asked   sync.Mutex // held while the judge asks for the members; locked before the locks of the judge
	mu      sync.Mutex
	resumed chan struct{} // not nil while the member is paused; closed when it resumes

	// The following fields belong to the judge.
	crashed bool
	lease   lease
	works   int           // calls of the work that have not returned
	woke    time.Duration // end of the last pause
	last    elector.View  // last View that Watch yielded
	label   uint64        // of the agreed members, when it sent a packet
	rounds  int           // renewals of its lease since
}

// wall is what separates a member from everything else.
type wall interface {
	hold() // nothing passes from now on
	open() // everything passes, and what was held, too
	Close() error
}

// Run runs the Elector until Context ends. It reports to the judge when work begins and returns.
func (m *Member) Run(lead func(context.Context, elector.Term) error) error {
	return m.Elector.Run(m.Context, func(ctx context.Context, term elector.Term) error {
		m.judge.begins(m, term)
		defer m.judge.returns(m)
		return lead(ctx, term)
	})
}

// Write writes to a register that all members share. The register refuses a token smaller than the largest one
// it has accepted; the error is then ErrRefused. A zero token means a write without a token, which is not
// refused. While the member is paused Write blocks. If the member has crashed, or should have stopped long ago,
// the error is ErrCrashed.
func (m *Member) Write(token uint64) error {
	for {
		m.mu.Lock()
		resumed := m.resumed
		m.mu.Unlock()
		if resumed == nil {
			return m.judge.write(m, token)
		}
		<-resumed
	}
}

// pause pauses the member.
func (m *Member) pause() {
	m.mu.Lock()
	m.resumed = make(chan struct{})
	m.mu.Unlock()
	m.wall.hold()
	m.clock.pause(true)
}

// resume continues the member. It starts the clock before any held packet reaches the member.
func (m *Member) resume() {
	m.judge.wakes(m)
	m.clock.pause(false)
	m.wall.open()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resumed != nil {
		close(m.resumed)
		m.resumed = nil
	}
}

func (m *Member) paused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.resumed != nil
}

// watch records the Views that Watch yields.
func (m *Member) watch() {
	for v := range m.Elector.Watch(context.Background()) {
		m.judge.mu.Lock()
		m.last = v
		m.judge.mu.Unlock()
	}
}
