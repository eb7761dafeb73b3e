package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-election/election/store"
)

// run is one test of a property.
type run struct {
	ctx     context.Context
	open    Open
	o       Options
	closers []func() error
	keys    []string
}

// client connects to the store until the test ends.
func (r *run) client() (store.Store, error) { return r.clientAt(r.o.Address) }

func (r *run) clientAt(address string) (store.Store, error) {
	ctx, stop := context.WithTimeout(r.ctx, r.o.Patience)
	defer stop()
	s, closeClient, err := r.open(ctx, address)
	if err != nil {
		return nil, fault("Open fails: %w", err)
	}
	if closeClient != nil {
		r.closers = append(r.closers, closeClient)
	}
	return s, nil
}

func (r *run) clients(n int) (all []store.Store, err error) {
	for range n {
		s, err := r.client()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// key returns a key that no other run has used.
func (r *run) key() string {
	key := "storetest/" + rand.Text()
	r.keys = append(r.keys, key)
	return key
}

// close removes what the run has written and closes its clients.
func (r *run) close() (err error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.ctx), r.o.Patience)
	defer stop()
	for _, key := range r.keys {
		if r.o.Delete != nil {
			err = errors.Join(err, r.o.Delete(ctx, key))
		}
	}
	for i := len(r.closers) - 1; i >= 0; i-- {
		if failed := r.within(r.closers[i]); failed != nil {
			err = errors.Join(err, fmt.Errorf("closing the client: %w", failed))
		}
	}
	return err
}

// record is a value like the ones that package elector writes.
type record struct {
	V           int    `json:"v"`
	Term        int64  `json:"term"`
	Owner       string `json:"owner"`
	Incarnation string `json:"incarnation"`
	Lease       string `json:"lease"`
	Next        string `json:"next"`
	Beat        int    `json:"beat"`
	Address     string `json:"address"`
}

// value returns a record as JSON. Term, owner and beat make values differ.
func value(term int64, owner string, beat int) []byte {
	text, err := json.Marshal(record{V: 1, Term: term, Owner: owner, Incarnation: "5eed5eed5eed5eed", Lease: "750ms",
		Beat: beat})
	if err != nil {
		panic(err) // a string and numbers
	}
	return text
}

var errStuck = errors.New("the call does not return")

// within calls f, which is given up if it takes too long.
func (r *run) within(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(r.o.Patience + r.o.Patience/2): // the context of f may end after Patience
		return errStuck
	}
}

func (r *run) get(s store.Store, key string) (value []byte, revision string, err error) {
	return r.getFor(r.o.Patience, s, key)
}

// getFor calls Get with a deadline.
func (r *run) getFor(d time.Duration, s store.Store, key string) (value []byte, revision string, err error) {
	ctx, stop := context.WithTimeout(r.ctx, d)
	defer stop()
	type answer struct {
		value    []byte
		revision string
	}
	got := make(chan answer, 1)
	err = r.within(func() error {
		value, revision, err := s.Get(ctx, key)
		got <- answer{value, revision}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	a := <-got
	return a.value, a.revision, nil
}

func (r *run) put(s store.Store, key string, value []byte, revision string) (written string, err error) {
	return r.putFor(r.o.Patience, s, key, value, revision)
}

// putFor calls Put with a deadline.
func (r *run) putFor(d time.Duration, s store.Store, key string, value []byte, revision string) (written string,
	err error,
) {
	ctx, stop := context.WithTimeout(r.ctx, d)
	defer stop()
	got := make(chan string, 1)
	err = r.within(func() error {
		written, err := s.Put(ctx, key, value, revision)
		got <- written
		return err
	})
	if err != nil {
		return "", err
	}
	if written = <-got; written == "" {
		return "", fault("Put returns an empty revision")
	}
	return written, nil
}

// create creates a value that nobody else writes.
func (r *run) create(s store.Store, key string, value []byte) (revision string, err error) {
	revision, err = r.put(s, key, value, "")
	if err != nil {
		return "", fault("Put does not create a value at a new key: %w", err)
	}
	return revision, nil
}

// update replaces a value that nobody else writes.
func (r *run) update(s store.Store, key string, value []byte, revision string) (written string, err error) {
	written, err = r.put(s, key, value, revision)
	if err != nil {
		return "", fault("Put does not replace a value at its revision: %w", err)
	}
	return written, nil
}

// until repeats f until it reports true, and is false if that takes too long.
func (r *run) until(f func() bool) bool {
	end := time.Now().Add(r.o.Patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if f() {
			return true
		}
		if r.ctx.Err() != nil || time.Now().After(end) {
			return false
		}
		time.Sleep(pause)
	}
}

// stored checks that a value and its revision are stored. Get may return an earlier value for some time.
func (r *run) stored(s store.Store, key string, want []byte, revision string) error {
	var got []byte
	var at string
	var err error
	ok := r.until(func() bool {
		got, at, err = r.get(s, key)
		return err == nil && at == revision
	})
	switch {
	case err != nil:
		return fault("Get does not return a value that was written: %w", err)
	case !ok:
		return fault("Get returns %.200q at revision %.80q, but %.200q was stored at revision %.80q", got, at, want,
			revision)
	case !bytes.Equal(got, want):
		return fault("Get returns %.200q at revision %.80q, but Put wrote %.200q there", got, at, want)
	}
	return nil
}

// conflict checks that Put was refused because of the revision.
func conflict(err error, what string, args ...any) error {
	what = fmt.Sprintf(what, args...)
	switch {
	case err == nil:
		return fault("Put succeeds %s", what)
	case !errors.Is(err, store.ErrConflict):
		return fault("Put %s returns an error that does not wrap store.ErrConflict: %w", what, err)
	}
	return nil
}
