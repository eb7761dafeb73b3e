package elector

import (
	"fmt"
	"sync"
	"time"

	"github.com/go-election/election/internal/wholefile"
)

// disk tests periodically whether the next vote can be stored. Otherwise a full disk would be noticed only when a
// vote is stored, and end the member.
type disk struct {
	try   func() error
	lease time.Duration // a test that takes longer counts as hanging

	mu    sync.Mutex
	began time.Time     // start of the last test; zero before the first
	done  chan struct{} // closed at its end
	err   error         // result of the last test that has ended
}

// Tests are at least diskPeriod apart; a probe waits for diskPatience for the result.
const (
	diskPeriod   = 5 * time.Second
	diskPatience = 100 * time.Millisecond
)

// newDisk returns the disk of a state file, nil if nothing is stored.
func newDisk(s *stateFile, lease time.Duration) *disk {
	if s.path == "" {
		return nil
	}
	return &disk{lease: lease, try: func() error { return wholefile.Try(s.path, s.room()) }}
}

// ill returns why no state can be stored, or "". If the disk hangs it does not wait for it, and leaves at most one
// goroutine that does.
func (d *disk) ill() string {
	if d == nil {
		return ""
	}
	began, done := d.begin()
	patience := time.NewTimer(diskPatience)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		if took := time.Since(began); took > d.lease {
			return fmt.Sprintf("the disk of Dir has not answered for %v", took.Round(time.Millisecond))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return fmt.Sprintf("Dir cannot be written, so the next vote will end this member: %v", d.err)
	}
	return ""
}

// begin starts a test if one is due. It returns when the last test was started, and a channel that is closed at its
// end.
func (d *disk) begin() (began time.Time, done <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done != nil {
		select {
		case <-d.done:
		default:
			return d.began, d.done
		}
	}
	if d.done == nil || time.Since(d.began) >= diskPeriod {
		ended := make(chan struct{})
		d.began, d.done = time.Now(), ended
		go func() {
			defer close(ended)
			err := d.try()
			d.mu.Lock()
			defer d.mu.Unlock()
			d.err = err
		}()
	}
	return d.began, d.done
}

// inFlight returns a channel that is closed when no test is in flight; nil if there was none.
func (d *disk) inFlight() <-chan struct{} {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done
}
