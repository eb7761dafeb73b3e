package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-election/election/transport/tcp/certs"
)

// certCluster is the cluster name in the certificates of all members.
const certCluster = "chaos/group"

// authority writes certificates to files that members read, and replaces them before they expire.
type authority struct {
	dir      string
	life     time.Duration // zero: certificates outlast the group
	rotating sync.WaitGroup
	stop     context.CancelFunc

	mu      sync.Mutex
	ca      *certs.CA
	expires map[string]time.Time // by member
	lapsing map[string]bool      // members whose certificates are not replaced
	failed  error
}

// openAuthority makes certificates.
func openAuthority(dir string, life time.Duration, members []string) (*authority, error) {
	a := &authority{dir: dir, life: life, stop: func() {}, expires: make(map[string]time.Time),
		lapsing: make(map[string]bool)}
	for _, name := range members {
		a.expires[name] = time.Time{}
	}
	return a, errors.Join(os.Mkdir(dir, 0o700), a.replaceCA(), a.trustLatest(), a.issueAll())
}

// keep replaces certificates before they expire, until close. A member that starts meanwhile may read a certificate and
// the key of another one, and then ends.
func (a *authority) keep() {
	if a.life > 0 {
		ctx, stop := context.WithCancel(context.Background())
		a.stop = stop
		a.rotating.Go(func() { a.rotate(ctx) })
	}
}

// close stops the replacements, and returns the first error.
func (a *authority) close() error {
	a.stop()
	a.rotating.Wait()
	return a.failed
}

// rotate replaces certificates each quarter of their life.
func (a *authority) rotate(ctx context.Context) {
	tick := time.NewTicker(a.life / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := a.issueAll(); err != nil {
			a.mu.Lock()
			a.failed = errors.Join(a.failed, err)
			a.mu.Unlock()
			return
		}
	}
}

// issueAll makes new certificates, except for members whose certificates are to expire.
func (a *authority) issueAll() (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	life := a.life
	if life == 0 {
		life = 24 * time.Hour
	}
	for name := range a.expires {
		if a.lapsing[name] {
			continue
		}
		now := time.Now()
		cert, key, failed := a.ca.Issue(certCluster, name, now, life)
		a.expires[name] = now.Add(life).Truncate(time.Second) // certificates have a resolution of a second
		err = errors.Join(err, failed, a.write(name+".key.pem", key), a.write(name+".pem", cert))
	}
	return err
}

// write replaces a file atomically. A member that reads a certificate and the key of another one keeps the pair that
// it has.
func (a *authority) write(name string, text []byte) error {
	path := filepath.Join(a.dir, name)
	return errors.Join(os.WriteFile(path+".new", text, 0o600), os.Rename(path+".new", path))
}

// lapse stops replacing the certificate of a member, and returns when it expires.
func (a *authority) lapse(name string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lapsing[name] = true
	return a.expires[name]
}

// resume replaces all certificates again.
func (a *authority) resume() error {
	a.mu.Lock()
	clear(a.lapsing)
	a.mu.Unlock()
	return a.issueAll()
}

// replaceCA signs with a new key from now on. Members trust both authorities, if there was one before.
func (a *authority) replaceCA() error {
	ca, err := certs.NewCA("chaos", time.Now(), 24*time.Hour)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	roots := [][]byte{ca.Cert}
	if a.ca != nil {
		roots = append(roots, a.ca.Cert)
	}
	a.ca = ca
	return a.write("ca.pem", bytes.Join(roots, nil))
}

// trustLatest makes members trust the latest authority only.
func (a *authority) trustLatest() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.write("ca.pem", a.ca.Cert)
}

// shortLife is the lifetime of certificates that are replaced while members run.
const shortLife = 4 * time.Second

// certificates returns faults of certificates.
func certificates() []*fault {
	return []*fault{
		{name: fmt.Sprintf("replace certificates of %v each second", shortLife), tls: always, life: shortLife,
			survived: true, steady: true, do: func(t *trial) error {
				t.wait(2 * shortLife)
				return nil
			}},
		{name: "replace the authority, and all certificates", tls: always, life: shortLife, survived: true,
			steady: true, do: func(t *trial) error {
				err := errors.Join(t.authority.replaceCA(), t.authority.issueAll())
				t.wait(shortLife) // all connections are replaced
				err = errors.Join(err, t.authority.trustLatest())
				t.wait(shortLife)
				return err
			}},
		{name: "let the certificate of the leader expire", tls: always, life: shortLife, survived: true,
			short: true, most: 1, do: func(t *trial) error {
				return t.expire(t.leader, t.next)
			}},
		{name: "let the certificate of a follower expire", tls: always, life: shortLife, survived: true,
			steady: true, do: func(t *trial) error {
				return t.expire(t.others[0], func() error { return nil })
			}},
	}
}

// expire waits until the certificate of a member expires, for follows, and until the member follows no leader. Then
// it gives it a new one.
func (t *trial) expire(s *seat, follows func() error) error {
	end := t.authority.lapse(s.name)
	t.wait(time.Until(end))
	t.strike(s)
	err := errors.Join(follows(), t.await(t.ctx, 10*t.times.Lease, s.name+" to follow no leader",
		func() bool { return s.process.view.Leader == "" }))
	// Its peers close the connections, as soon as they get the processor.
	t.alone = append(t.alone, isolation{s.process.number, t.down[len(t.down)-1].from + 4*t.stalled()})
	err = errors.Join(err, t.authority.resume())
	t.heal()
	return err
}
