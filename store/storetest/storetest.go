// Package storetest provides tests for implementations of [store.Store].
//
// Call Test with a function that connects to the store:
//
//	func TestConformance(t *testing.T) {
//		storetest.Test(t, func(ctx context.Context, address string) (store.Store, func() error, error) {
//			client, err := dial(ctx, address)
//			if err != nil {
//				return nil, nil, err
//			}
//			return New(client), client.Close, nil
//		}, storetest.Options{Address: "127.0.0.1:6379"})
//	}
//
// If the store is reached over TCP, set [Options].Address: the suite then puts a proxy in front of the server, which
// loses answers, delays writes and refuses connections. [Check] does the same without package testing, and
// elect store test URL prints what it finds.
//
// # Properties
//
// Each property is a subtest, which -run can select, with keys of its own:
//
//	Absent       Get returns ErrAbsent, and Put with a revision writes nothing
//	Create       a value can be created once; Get returns what Put wrote
//	Stale        Put with an earlier revision returns ErrConflict and writes nothing
//	CreateOnce   of 8 clients that create the same key, one succeeds
//	Increments   of 4 clients x 50 increments of a counter, none is lost
//	Gets         a value and a revision that Get returns belong together; Get may be called concurrently
//	Keys         keys with unusual characters are accepted and kept apart
//	Values       values of unusual content and size are returned as they were written, or refused
//	Cancel       a Put that is interrupted does not report ErrConflict if it is carried out, now or later
//	Deadline     Get and Put return when their context ends, while the server does not answer
//	LostAnswer   nor does a Put that is carried out, but whose answer is lost
//	LateWrite    nor does a Put that arrives after the client has given up; it does not overwrite a later value
//	Unreachable  while the server cannot be reached, Get does not return ErrAbsent, nor Put ErrConflict; later the same
//	             client reaches the server again
//	Watch        a store.Watcher reports changes, also after a lost connection, until the context ends
//	Close        after the client is closed, Get and Put fail
//	Leak         a client that is closed leaves no goroutine
//
// Three properties are useful, but a lease needs none of them. A store without them passes:
//
//	Fresh        Get returns what another client has written before
//	Repeated     a value that occurs twice has two revisions
//	Deleted      a revision from before a deletion is refused after it
//
// # Limitations
//
// No test finds what a store forgets when a server of it fails: read how the store replicates, and when it writes to
// disk. A test cannot distinguish what never happens from what is slow: [Options].Patience is how long the suite
// waits. A store that rarely violates a guarantee may pass, so run the suite more than once, under load, and with -race.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/go-election/election/store"
)

// Open connects to the store. Each call may return a client of its own; all of them reach the same values. The address
// is [Options].Address, or the address of a proxy in front of it. The suite calls closeClient, unless it is nil, when
// it no longer needs the client.
type Open func(ctx context.Context, address string) (s store.Store, closeClient func() error, err error)

// Options describe a store. The zero value is for a store without a network.
type Options struct {
	// Address is the host and port of the server. If empty, Deadline, LostAnswer, LateWrite and Unreachable are not
	// tested.
	Address string
	// Delete removes a key by other means than the store. If nil, Deleted is not tested, and the suite leaves its
	// keys behind. They begin with "storetest/".
	Delete func(ctx context.Context, key string) error
	// Patience is how long the suite waits for something to happen, such as an answer. If zero, ten seconds.
	Patience time.Duration

	// brief is how long a request gets that cannot succeed, and how long the suite waits for what must not happen.
	brief time.Duration
}

// Verdict is what a Finding says about a property.
type Verdict string

// Verdicts.
const (
	Holds       Verdict = "holds"
	NotPromised Verdict = "not promised" // the store works without the property
	NotTested   Verdict = "not tested"
	Broken      Verdict = "broken"
)

// Finding is the result of one test.
type Finding struct {
	Property string
	Verdict  Verdict
	// Text explains the verdict in a sentence. It may be empty if the property holds.
	Text string
}

// finding is a result that is not a violation.
type finding struct {
	verdict Verdict
	text    string
}

func (f *finding) Error() string { return f.text }

func notPromised(format string, args ...any) error {
	return &finding{NotPromised, fmt.Sprintf(format, args...)}
}

func notTested(format string, args ...any) error {
	return &finding{NotTested, fmt.Sprintf(format, args...)}
}

// fault returns a violation: a sentence, which may begin with the name of a method.
func fault(format string, args ...any) error { return fmt.Errorf(format, args...) }

func remark(format string, args ...any) error { return &finding{Holds, fmt.Sprintf(format, args...)} }

// property is one guarantee.
type property struct {
	name string
	test func(r *run) error
}

func properties() []property {
	return []property{
		{"Absent", absent},
		{"Create", create},
		{"Stale", stale},
		{"CreateOnce", createOnce},
		{"Increments", increments},
		{"Gets", gets},
		{"Keys", keys},
		{"Values", values},
		{"Cancel", cancels},
		{"Deadline", deadline},
		{"LostAnswer", lostAnswer},
		{"LateWrite", lateWrite},
		{"Unreachable", unreachable},
		{"Watch", watch},
		{"Close", closed},
		{"Leak", leak},
		{"Fresh", fresh},
		{"Repeated", repeated},
		{"Deleted", deleted},
	}
}

// Test tests each property in a subtest. What is not promised or not tested is logged.
func Test(t *testing.T, open Open, o Options) {
	t.Helper()
	for _, p := range properties() {
		t.Run(p.name, func(t *testing.T) {
			f := p.find(t.Context(), open, o)
			switch {
			case f.Verdict == Broken:
				t.Error(f.Text)
			case f.Text != "":
				t.Logf("%s: %s", f.Verdict, f.Text)
			}
		})
	}
}

// Check tests one property after another and yields the findings, until ctx ends.
func Check(ctx context.Context, open Open, o Options) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for _, p := range properties() {
			f := p.find(ctx, open, o)
			if ctx.Err() != nil || !yield(f) {
				return
			}
		}
	}
}

func (p *property) find(ctx context.Context, open Open, o Options) Finding {
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.brief == 0 {
		o.brief = 300 * time.Millisecond
	}
	r := &run{ctx: ctx, open: open, o: o}
	err := p.test(r)
	if failed := r.close(); failed != nil && (err == nil || isFinding(err)) {
		err = failed
	}
	f := Finding{Property: p.name, Verdict: Holds}
	if err != nil {
		f.Verdict, f.Text = Broken, err.Error()
		if other := (*finding)(nil); errors.As(err, &other) {
			f.Verdict = other.verdict
		}
	}
	return f
}

func isFinding(err error) bool { return errors.As(err, new(*finding)) }
