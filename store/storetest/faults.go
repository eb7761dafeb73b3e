package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/go-election/election/store"
)

func cancels(r *run) error {
	all, err := r.clients(2)
	if err != nil {
		return err
	}
	key := r.key()
	began := time.Now()
	if _, err := r.create(all[0], key, value(1, "a", 0)); err != nil {
		return err
	}
	usual := max(time.Since(began), time.Millisecond)
	refused := make(map[string]bool)
	interrupted := 0
	for beat := 1; beat <= 60; beat++ {
		was, revision, err := r.get(all[1], key)
		switch {
		case err != nil:
			return fault("Get, after a Put that was interrupted: %w", err)
		case refused[string(was)]:
			return fmt.Errorf("the value of a Put that returned ErrConflict is stored: %.200q", was)
		}
		v := value(1, "a", beat)
		deadline := rand.N(2 * usual)
		if beat%10 == 0 {
			deadline = 0
		}
		written, err := r.putFor(deadline, all[0], key, v, revision)
		switch {
		case err == nil:
			if err := r.stored(all[1], key, v, written); err != nil {
				return err
			}
		case errors.Is(err, errStuck):
			return fault("Put whose context has ended: %w", err)
		case errors.Is(err, store.ErrConflict):
			refused[string(v)] = true
		default:
			interrupted++
		}
	}
	if len(refused) > interrupted {
		return fault("Put returns ErrConflict although nobody else writes and the revision is the current one (%d times; "+
			"%d Puts returned another error, and may have been carried out late)", len(refused), interrupted)
	}
	canceled, stop := context.WithCancel(r.ctx)
	stop()
	if err := r.within(func() error { _, _, err := all[0].Get(canceled, key); return err }); errors.Is(err, errStuck) {
		return fault("Get whose context has ended: %w", err)
	}
	return nil
}

// proxied connects two clients: one through a proxy, which fails, and one to the server itself.
func (r *run) proxied() (p *proxy, through, direct store.Store, err error) {
	if r.o.Address == "" {
		return nil, nil, nil, notTested("there is no server whose connections can be cut")
	}
	if p, err = newProxy(r.ctx, r.o.Address); err != nil {
		return nil, nil, nil, err
	}
	r.closers = append(r.closers, p.close)
	if direct, err = r.client(); err != nil {
		return nil, nil, nil, err
	}
	if through, err = r.clientAt(p.address()); err != nil {
		return nil, nil, nil, fmt.Errorf("with the address of a proxy: %w", err)
	}
	repair := p.repair
	r.closers = append(r.closers, func() error { repair(); return nil }) // before the clients are closed
	key := r.key()
	if _, err := r.create(through, key, value(1, "a", 0)); err != nil {
		return nil, nil, nil, fmt.Errorf("through a proxy: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.requests.passed == 0 {
		return nil, nil, nil, notTested("the client does not connect to the address that it was given")
	}
	return p, through, direct, nil
}

func deadline(r *run) error {
	p, s, _, err := r.proxied()
	if err != nil {
		return err
	}
	key := r.key()
	revision, err := r.create(s, key, value(1, "a", 0))
	if err != nil {
		return err
	}
	for _, cut := range []bool{false, true} { // within a request, and before the connection
		p.set(freely, flow{})
		if cut {
			p.cut(false)
		}
		_, _, err = r.getFor(r.o.brief, s, key)
		switch {
		case errors.Is(err, errStuck):
			return fault("Get does not return when its context ends, while the server does not answer, not even %v "+
				"later", r.o.Patience)
		case errors.Is(err, store.ErrAbsent):
			return fault("Get returns ErrAbsent while the server does not answer: %w", err)
		}
		_, err = r.putFor(r.o.brief, s, key, value(1, "a", 1), revision)
		switch {
		case errors.Is(err, errStuck):
			return fault("Put does not return when its context ends, while the server does not answer, not even %v "+
				"later", r.o.Patience)
		case errors.Is(err, store.ErrConflict):
			return fault("Put returns ErrConflict while the server does not answer: %w", err)
		case err == nil:
			return fault("Put succeeds while the server does not answer")
		}
		p.repair()
		if err := r.recovers(s, key); err != nil {
			return err
		}
		if _, revision, err = r.get(s, key); err != nil {
			return err
		}
	}
	return nil
}

// recovers checks that a client reaches its server again. A Get that is sent on the connection that was cut may wait
// until its context ends, so there is time for several.
func (r *run) recovers(s store.Store, key string) (err error) {
	if !r.until(func() bool { _, _, err = r.getFor(r.o.Patience/10, s, key); return err == nil }) {
		return fmt.Errorf("the client does not recover after its connection was cut: %w", err)
	}
	return nil
}

// lostAnswer interrupts a Put after each of the first answers of the server.
func lostAnswer(r *run) error {
	p, through, direct, err := r.proxied()
	if err != nil {
		return err
	}
	lost := 0
	const tries = 8
	for try := range tries {
		key, v := r.key(), value(1, "a", 1)
		before, err := r.create(through, key, value(1, "a", 0))
		if err != nil {
			return err
		}
		p.set(freely, flow{pass: try / 2, drop: true})
		type result struct {
			written string
			err     error
		}
		done := make(chan result, 1)
		go func() {
			written, err := r.put(through, key, v, before)
			done <- result{written, err}
		}()
		carriedOut := func() bool {
			got, _, err := r.get(direct, key)
			return err == nil && bytes.Equal(got, v)
		}
		for end := time.Now().Add(r.o.brief); !carriedOut() && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		p.replace() // a client that tries again reaches the server
		var got result
		select {
		case got = <-done:
		case <-time.After(2 * r.o.Patience):
			return fault("Put does not return after its connection was cut")
		}
		switch {
		case got.err == nil:
			if err := r.stored(direct, key, v, got.written); err != nil {
				return err
			}
		case errors.Is(got.err, errStuck):
			return fault("Put, after its connection was cut: %w", got.err)
		case errors.Is(got.err, store.ErrConflict):
			time.Sleep(r.o.brief)
			if carriedOut() {
				return fault("Put returns ErrConflict although it was carried out: when the answer is lost, the " +
					"client sends the request again and gets a conflict with itself. Turn off its retries")
			}
		case carriedOut():
			lost++
		}
		if err := r.recovers(through, key); err != nil {
			return err
		}
	}
	if lost == 0 {
		return remark("in none of %d tries a Put without an answer was carried out", tries)
	}
	return nil
}

// lateWrite delays a Put until its client has given up.
func lateWrite(r *run) error {
	p, through, direct, err := r.proxied()
	if err != nil {
		return err
	}
	for try := range 10 {
		// Without a Put that competes, the late one is carried out if the client has sent it.
		competes, pass := try >= 2, try
		if competes {
			pass = (try - 2) / 2
		}
		key, late, other := r.key(), value(1, "a", 1), value(2, "b", 1)
		before, err := r.create(through, key, value(1, "a", 0))
		if err != nil {
			return err
		}
		p.set(flow{pass: pass}, freely)
		written, err := r.putFor(r.o.brief, through, key, late, before)
		switch {
		case errors.Is(err, errStuck):
			return fault("Put does not return when its context ends")
		case err == nil:
			if err := r.stored(direct, key, late, written); err != nil {
				return err
			}
		}
		refused := errors.Is(err, store.ErrConflict)
		if try%2 == 1 || !competes {
			p.repair() // now the Puts race
		}
		err = store.ErrConflict
		if competes {
			written, err = r.put(direct, key, other, before)
		}
		p.repair()
		if errors.Is(err, errStuck) {
			return fmt.Errorf("another client, while a Put is delayed: %w", err)
		}
		won := err == nil // any other error leaves the outcome open, such as a serialization failure
		time.Sleep(r.o.brief)
		got, _, err := r.get(direct, key)
		switch {
		case err != nil:
			return err
		case won && bytes.Equal(got, late):
			return errors.New("a Put that arrived late has overwritten a later value: two Puts with the same revision " +
				"succeeded")
		case refused && bytes.Equal(got, late):
			return fault("Put returned ErrConflict when its context ended, but was carried out later")
		case won:
			if err := r.stored(direct, key, other, written); err != nil {
				return err
			}
		}
		if err := r.recovers(through, key); err != nil {
			return err
		}
	}
	return nil
}

func unreachable(r *run) error {
	p, s, direct, err := r.proxied()
	if err != nil {
		return err
	}
	key := r.key()
	revision, err := r.create(s, key, value(1, "a", 0))
	if err != nil {
		return err
	}
	for range 3 {
		p.cut(true)
		switch _, _, err := r.getFor(r.o.brief, s, key); {
		case errors.Is(err, store.ErrAbsent):
			return fault("Get returns ErrAbsent while the server cannot be reached: %w", err)
		case err == nil:
			return fault("Get returns a value while the server cannot be reached")
		}
		switch _, err = r.putFor(r.o.brief, s, key, value(1, "a", 1), revision); {
		case errors.Is(err, store.ErrConflict):
			return fault("Put returns ErrConflict while the server cannot be reached: %w", err)
		case err == nil:
			return fault("Put succeeds while the server cannot be reached")
		}
		p.repair()
		if err := r.recovers(s, key); err != nil {
			return err
		}
	}
	// One of the Puts may have been carried out late: the client may have kept it.
	got, _, err := r.get(direct, key)
	if err == nil && bytes.Equal(got, value(1, "a", 1)) {
		return nil
	}
	return r.stored(direct, key, value(1, "a", 0), revision)
}
