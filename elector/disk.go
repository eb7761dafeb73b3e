package elector

import (
	"fmt"
	"sync"
	"time"

	"github.com/go-election/election/internal/wholefile"
)

// disk tries now and then whether the next vote can be stored. Otherwise a full disk is noticed only at that vote,
// which ends the member.
type disk struct {
	try   func() error
	lease time.Duration // a disk that takes longer hangs

	mu    sync.Mutex
	began time.Time     // of the last try; zero before the first
	done  chan struct{} // closed when it has ended
	err   error         // of the last try that has ended
}

// A try has passed diskPeriod ago before the next one begins; a probe waits for diskPatience for its result.
const (
	diskPeriod   = 5 * time.Second
	diskPatience = 100 * time.Millisecond
)

// newDisk returns the disk of a store, nil if that keeps nothing.
func newDisk(s *store, lease time.Duration) *disk {
	if s.path == "" {
		return nil
	}
	return &disk{lease: lease, try: func() error { return wholefile.Try(s.path, s.room()) }}
}

// ill returns why no state can be stored, or nothing. It never waits for a disk that hangs, and leaves one goroutine
// at most waiting for that.
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
		return fmt.Sprintf("Dir takes no state, so the next vote will end this member: %v", d.err)
	}
	return ""
}

// begin begins a try if one is due, and returns when the last one has begun, and what is closed at its end.
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

// inFlight returns what is closed when no try is in flight; nil if there was none.
func (d *disk) inFlight() <-chan struct{} {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done
}
