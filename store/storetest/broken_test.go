package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// spoilt is a store in memory some methods of which are wrong.
type spoilt struct {
	*memstore.Store
	get   func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error)
	put   func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error)
	watch func(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event]
}

func (s *spoilt) Get(ctx context.Context, key string) ([]byte, string, error) {
	if s.get == nil {
		return s.Store.Get(ctx, key)
	}
	return s.get(s.Store, ctx, key)
}

func (s *spoilt) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	if s.put == nil {
		return s.Store.Put(ctx, key, value, revision)
	}
	return s.put(s.Store, ctx, key, value, revision)
}

func (s *spoilt) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	if s.watch == nil {
		return s.Store.Watch(ctx, key)
	}
	return s.watch(s.Store, ctx, key)
}

// in returns a function that opens a store, and its Options.
func in(s spoilt) (Open, Options) {
	s.Store = memstore.New()
	o := Options{Delete: func(_ context.Context, key string) error { s.Store.Delete(key); return nil }}
	return func(context.Context, string) (store.Store, func() error, error) { return &s, nil, nil }, o
}

// impatient is the patience with stores that make the suite wait.
const impatient = time.Second

// find checks one store, and compares the findings that are not Holds or NotTested. A property that holds gets much
// patience, as the machine may be slow.
func find(t *testing.T, open Open, o Options, want map[string]string, also ...string) {
	t.Helper()
	left := maps.Clone(want)
	for _, p := range properties() {
		text, wanted := left[p.name]
		delete(left, p.name)
		ignored := slices.Contains(also, p.name)
		o := o
		if o.Patience, o.brief = time.Minute, 50*time.Millisecond; wanted || ignored {
			o.Patience, o.brief = impatient, 0
		}
		f := p.find(t.Context(), open, o)
		switch {
		case wanted:
			require.Contains(t, string(f.Verdict)+": "+f.Text, text, f.Property)
		case ignored:
		default:
			require.Contains(t, []Verdict{Holds, NotTested}, f.Verdict, f)
		}
		if f.Verdict != Holds {
			require.NotEmpty(t, f.Text, f.Property)
		}
	}
	require.Empty(t, left, "properties that are not checked")
}

// overwrite writes whatever the revision is.
func overwrite(s *memstore.Store, ctx context.Context, key string, value []byte) (string, error) {
	for {
		_, now, _ := s.Get(ctx, key)
		if written, err := s.Put(ctx, key, value, now); !errors.Is(err, store.ErrConflict) {
			return written, err
		}
	}
}

type broken struct {
	name  string
	store spoilt
	want  map[string]string
	also  []string // properties that are not kept either
}

func brokenPuts() []broken {
	put := func(f func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error),
	) spoilt {
		return spoilt{put: f}
	}
	return []broken{
		{name: "nothing is wrong"},
		{
			name: "ignores the revision",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, _ string) (string, error) {
				return overwrite(s, ctx, key, value)
			}),
			want: map[string]string{
				"Absent":     "broken: Put succeeds with a revision, at a key without a value,",
				"Create":     "broken: Put succeeds with an empty revision, at a key with a value,",
				"Stale":      "broken: Put succeeds with an empty revision",
				"CreateOnce": "broken: 8 of 8 clients have created the same key",
				"Repeated":   "broken: Put succeeds with the revision of an equal, earlier value",
				"Deleted":    "broken: Put succeeds with a revision from before a deletion",
			},
			also: []string{"Increments"}, // in memory, clients may take turns
		},
		{
			name: "compares, and then writes",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				_, now, err := s.Get(ctx, key)
				switch {
				case ctx.Err() != nil:
					return "", ctx.Err()
				case now != revision || err != nil && revision != "":
					return "", store.ErrConflict
				}
				time.Sleep(10 * time.Millisecond)
				return overwrite(s, ctx, key, value)
			}),
			want: map[string]string{
				"CreateOnce": "clients have created the same key",
				"Increments": "two Puts with the same revision",
			},
		},
		{
			name: "overwrites when it creates",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				if revision == "" {
					return overwrite(s, ctx, key, value)
				}
				return s.Put(ctx, key, value, revision)
			}),
			want: map[string]string{
				"Create":     "broken: Put succeeds with an empty revision, at a key with a value,",
				"Stale":      "broken: Put succeeds with an empty revision, at a key with a value,",
				"CreateOnce": "broken: 8 of 8 clients have created the same key",
			},
		},
		{
			name: "creates when it is to replace",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				if _, _, err := s.Get(ctx, key); errors.Is(err, store.ErrAbsent) {
					revision = ""
				}
				return s.Put(ctx, key, value, revision)
			}),
			want: map[string]string{
				"Absent":  "broken: Put succeeds with a revision, at a key without a value,",
				"Deleted": "broken: Put succeeds with a revision from before a deletion",
			},
		},
		{
			name: "has an error of its own for a conflict",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				written, err := s.Put(ctx, key, value, revision)
				if errors.Is(err, store.ErrConflict) {
					err = errors.New("412 Precondition Failed")
				}
				return written, err
			}),
			want: map[string]string{
				"Absent": "without a value, returns an error that does not wrap store.ErrConflict: 412",
				"Create": "with a value, returns an error that does not wrap store.ErrConflict: 412",
				"Stale":  "with a value, returns an error that does not wrap store.ErrConflict: 412",
				"Keys":   "",
			},
			also: []string{"Repeated", "Deleted", "Keys"},
		},
		{
			name: "calls conflict what it has written",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				written, err := s.Put(ctx, key, value, revision)
				if bytes.Contains(value, []byte(`"beat":5,`)) {
					return "", store.ErrConflict
				}
				return written, err
			}),
			want: map[string]string{
				"Increments": "a Put that returned ErrConflict", // whose value another one may have replaced already
				"Cancel":     "the value of a Put that returned ErrConflict is stored",
			},
			also: []string{"CreateOnce", "Gets", "Keys", "Fresh", "Watch", "Leak"},
		},
		{
			name: "returns another revision",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				written, err := s.Put(ctx, key, value, strings.TrimPrefix(revision, "v"))
				return "v" + written, err
			}),
			want: map[string]string{
				"Create": "but ",
				"Stale":  "but ",
				"Fresh":  "not promised: Get may return an old value",
			},
			also: []string{"CreateOnce", "Keys", "Values", "Cancel", "Gets", "Watch"},
		},
		{
			name: "returns no revision",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				_, err := s.Put(ctx, key, value, revision)
				return "", err
			}),
			want: map[string]string{"Create": "broken: Put does not create a value at a new key: Put returns an empty revision"},
			also: []string{"Absent", "Stale", "CreateOnce", "Increments", "Gets", "Keys", "Values", "Cancel", "Watch", "Leak",
				"Fresh", "Repeated", "Deleted"},
		},
		{
			name: "gives up when many write",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				if bytes.Contains(value, []byte(`"beat":150,`)) { // only Increments counts that far
					return "", errors.New("overloaded")
				}
				return s.Put(ctx, key, value, revision)
			}),
			want: map[string]string{"Increments": "broken: no Put succeeds while several clients write; the last error: overl"},
			also: []string{"Gets"},
		},
		{
			name: "reports a conflict when its context ends, and writes",
			store: put(func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
				written, err := s.Put(context.WithoutCancel(ctx), key, value, revision)
				if ctx.Err() != nil {
					return "", store.ErrConflict
				}
				return written, err
			}),
			want: map[string]string{"Cancel": "broken: the value of a Put that returned ErrConflict is stored"},
		},
	}
}

func brokenGets() []broken {
	get := func(f func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error)) spoilt {
		return spoilt{get: f}
	}
	var mu sync.Mutex
	last := make(map[string]string)
	return []broken{
		{
			name: "has no error for an absent key",
			store: get(func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
				value, revision, err := s.Get(ctx, key)
				if errors.Is(err, store.ErrAbsent) {
					err = nil
				}
				return value, revision, err
			}),
			want: map[string]string{
				"Absent":  "broken: Get of a key without a value returns no error",
				"Deleted": "broken: Get of a key that was deleted does not return store.ErrAbsent, but: <nil>",
			},
		},
		{
			name: "has an error of its own for an absent key",
			store: get(func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
				value, revision, err := s.Get(ctx, key)
				if errors.Is(err, store.ErrAbsent) {
					err = errors.New("404 Not Found")
				}
				return value, revision, err
			}),
			want: map[string]string{
				"Absent":  "broken: Get of a key without a value returns an error that does not wrap store.ErrAbsent: 404",
				"Deleted": "broken: Get of a key that was deleted does not return store.ErrAbsent, but: 404",
			},
		},
		{
			name: "reads the value before the revision",
			store: get(func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
				value, _, err := s.Get(ctx, key)
				if err != nil {
					return nil, "", err
				}
				time.Sleep(100 * time.Microsecond)
				_, revision, err := s.Get(ctx, key)
				return value, revision, err
			}),
			want: map[string]string{"Gets": "they do not belong together"},
			also: []string{"Increments"},
		},
		{
			name: "fails when called concurrently",
			store: get(func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
				if !mu.TryLock() {
					return nil, "", errors.New("busy")
				}
				defer mu.Unlock()
				time.Sleep(100 * time.Microsecond)
				return s.Get(ctx, key)
			}),
			want: map[string]string{"Gets": "another one calls Get from 8 goroutines: busy"},
			also: []string{"Increments"},
		},
		{
			name: "returns old values",
			store: get(func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
				value, revision, err := s.Get(ctx, key)
				mu.Lock()
				defer mu.Unlock()
				if err != nil || last[key] == revision {
					return value, revision, err
				}
				before := last[key]
				last[key] = revision
				if before == "" {
					return nil, "", store.ErrAbsent
				}
				return nil, "", errors.New("out of date")
			}),
			want: map[string]string{"Fresh": "not promised: Get may return an old value"},
			also: []string{"Absent", "Increments", "Gets", "Cancel", "Create", "Fresh"},
		},
		{
			name: "never returns a new value",
			store: get(func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
				value, revision, err := s.Get(ctx, key)
				if err == nil && bytes.Contains(value, []byte(`"beat":2,`)) {
					return nil, "", store.ErrAbsent
				}
				return value, revision, err
			}),
			want: map[string]string{"Create": "broken: Get does not return a value that was written: "},
			also: []string{"CreateOnce", "Increments", "Gets", "Keys", "Cancel", "Fresh"},
		},
	}
}

func brokenContents() []broken {
	// mapped changes keys and values before they are stored.
	mapped := func(key func(string) string, value func([]byte) []byte) spoilt {
		return spoilt{
			get: func(s *memstore.Store, ctx context.Context, k string) ([]byte, string, error) {
				return s.Get(ctx, key(k))
			},
			put: func(s *memstore.Store, ctx context.Context, k string, v []byte, revision string) (string, error) {
				return s.Put(ctx, key(k), value(v), revision)
			},
			watch: func(s *memstore.Store, ctx context.Context, k string) iter.Seq[store.Event] {
				return s.Watch(ctx, key(k))
			},
		}
	}
	sameKey, same := func(k string) string { return k }, func(v []byte) []byte { return v }
	escaped := func(r rune) rune {
		if r == '/' {
			return '.'
		}
		return r
	}
	notText := func(v []byte) []byte { return []byte(strings.ToValidUTF8(string(v), "?")) }
	return []broken{
		{
			name: "ignores case", store: mapped(strings.ToLower, same),
			want: map[string]string{"Keys": `broken: the key "A" is taken for one of ["a"]`},
			also: []string{"Deleted"}, // as Delete knows the key by another name
		},
		{
			name:  "escapes ambiguously",
			store: mapped(func(k string) string { return strings.Map(escaped, k) }, same),
			want:  map[string]string{"Keys": "broken: the key "},
			also:  []string{"Deleted"},
		},
		{
			name:  "cuts long keys",
			store: mapped(func(k string) string { return k[:min(len(k), 130)] }, same),
			want:  map[string]string{"Keys": "broken: the key \"kkk"},
		},
		{
			name: "refuses keys",
			store: spoilt{put: func(s *memstore.Store, ctx context.Context, k string, v []byte, revision string) (string, error) {
				if strings.ContainsAny(k, "*>") {
					return "", errors.New("invalid subject")
				}
				return s.Put(ctx, k, v, revision)
			}},
			want: map[string]string{"Keys": `broken: Put does not accept the key "a*b": invalid subject`},
		},
		{
			name: "stores text only", store: mapped(sameKey, notText),
			want: map[string]string{"Values": "broken: bytes that are not UTF-8: Get returns"},
		},
		{
			name:  "cuts values",
			store: mapped(sameKey, func(v []byte) []byte { return v[:min(len(v), 1000)] }),
			want:  map[string]string{"Values": `broken: a value with the owner "long long`},
		},
		{
			name: "refuses large values",
			store: spoilt{put: func(s *memstore.Store, ctx context.Context, k string, v []byte, revision string) (string, error) {
				if len(v) > 50_000 {
					return "", errors.New("too large")
				}
				return s.Put(ctx, k, v, revision)
			}},
			want: map[string]string{"Values": "not promised: Put refuses 64 KiB, 1 MiB; package elector writes JSON of less"},
		},
	}
}

func brokenRevisions() []broken {
	sum := func(value []byte) string { return fmt.Sprintf("%x", sha256.Sum256(value)) }
	var mu sync.Mutex
	counts := make(map[string]int)
	current := make(map[string]string) // of the store: the revision that was given for it
	return []broken{
		{
			name: "has checksums",
			store: spoilt{
				get: func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
					value, _, err := s.Get(ctx, key)
					return value, sum(value), err
				},
				put: func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
					now, at, err := s.Get(ctx, key)
					switch {
					case ctx.Err() != nil:
						return "", ctx.Err()
					case revision != "" && (err != nil || sum(now) != revision):
						return "", store.ErrConflict
					}
					if revision == "" {
						at = ""
					}
					_, err = s.Put(ctx, key, value, at)
					return sum(value), err
				},
				watch: hints,
			},
			want: map[string]string{"Repeated": "not promised: a revision is a checksum of the value"},
		},
		{
			name: "counts from one again after a deletion",
			store: spoilt{
				get: func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
					mu.Lock()
					defer mu.Unlock()
					value, at, err := s.Get(ctx, key)
					return value, current[key+at], err
				},
				put: func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
					mu.Lock()
					defer mu.Unlock()
					_, at, err := s.Get(ctx, key)
					switch {
					case errors.Is(err, store.ErrAbsent):
						counts[key] = 0
					case err != nil:
						return "", err
					}
					if current[key+at] != revision {
						return "", store.ErrConflict
					}
					if at, err = s.Put(ctx, key, value, at); err != nil {
						return "", err
					}
					counts[key]++
					current[key+at] = fmt.Sprint(counts[key])
					return current[key+at], nil
				},
				watch: hints,
			},
			want: map[string]string{"Deleted": "not promised: after a deletion revisions start again"},
		},
		{
			name: "has the same revision for all",
			store: spoilt{
				get: func(s *memstore.Store, ctx context.Context, key string) ([]byte, string, error) {
					value, _, err := s.Get(ctx, key)
					return value, "1", err
				},
				put: func(s *memstore.Store, ctx context.Context, key string, value []byte, revision string) (string, error) {
					_, at, err := s.Get(ctx, key)
					if revision == "" {
						at = ""
					} else if err != nil {
						return "", store.ErrConflict
					}
					_, err = s.Put(ctx, key, value, at)
					return "1", err
				},
				watch: hints,
			},
			want: map[string]string{
				"Create":     `broken: two values have the revision "1"`,
				"Stale":      "after Puts that returned ErrConflict: Get returns",
				"Increments": "two Puts with the same revision \"1\" succeeded",
			},
			also: []string{"Gets", "Cancel", "Repeated", "Deleted", "Watch"},
		},
	}
}

// hints reports changes without values.
func hints(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		for range s.Watch(ctx, key) {
			if !yield(store.Event{}) {
				return
			}
		}
	}
}

func brokenWatches() []broken {
	watch := func(f func(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event]) spoilt {
		return spoilt{watch: f}
	}
	return []broken{
		{
			name: "reports nothing",
			store: watch(func(_ *memstore.Store, ctx context.Context, _ string) iter.Seq[store.Event] {
				return func(func(store.Event) bool) { <-ctx.Done() }
			}),
			want: map[string]string{"Watch": "broken: Watch does not report any of ", "Leak": "broken: Watch does not report"},
		},
		{
			name: "reports another value",
			store: watch(func(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event] {
				return func(yield func(store.Event) bool) {
					for e := range s.Watch(ctx, key) {
						if !yield(store.Event{Value: []byte("1"), Revision: e.Revision}) {
							return
						}
					}
				}
			}),
			want: map[string]string{"Watch": `broken: Watch reports "1" with the revision `},
		},
		{
			name: "reports another revision",
			store: watch(func(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event] {
				return func(yield func(store.Event) bool) {
					for e := range s.Watch(ctx, key) {
						if !yield(store.Event{Value: e.Value, Revision: "w" + e.Revision}) {
							return
						}
					}
				}
			}),
			want: map[string]string{"Watch": "which nobody wrote"},
		},
		{
			name: "does not end",
			store: watch(func(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event] {
				return func(yield func(store.Event) bool) {
					for e := range s.Watch(ctx, key) {
						if !yield(e) {
							return
						}
					}
					time.Sleep(2 * impatient)
				}
			}),
			want: map[string]string{
				"Watch": "broken: Watch does not end when its context ends",
				"Leak":  "broken: Watch does not end when its context ends",
			},
		},
		{
			name: "cannot be left",
			store: watch(func(s *memstore.Store, ctx context.Context, key string) iter.Seq[store.Event] {
				return func(yield func(store.Event) bool) {
					if ctx.Err() != nil {
						return
					}
					e := make(chan store.Event)
					inner, stop := context.WithCancel(ctx)
					defer stop()
					go func() {
						defer close(e)
						for event := range s.Watch(inner, key) {
							select {
							case e <- event:
							case <-inner.Done():
							}
						}
					}()
					for event := range e {
						if !yield(event) {
							<-ctx.Done()
							return
						}
					}
				}
			}),
			want: map[string]string{"Watch": "broken: a loop over Watch cannot be left after the first event"},
		},
	}
}

// TestBroken: each mistake is found, and explained by the property that it breaks.
func TestBroken(t *testing.T) {
	for _, some := range [][]broken{brokenPuts(), brokenGets(), brokenContents(), brokenRevisions(), brokenWatches()} {
		for _, b := range some {
			t.Run(b.name, func(t *testing.T) {
				open, o := in(b.store)
				find(t, open, o, b.want, b.also...)
			})
		}
	}
}

// TestBrokenRemotes: so are mistakes in how clients use a network.
func TestBrokenRemotes(t *testing.T) {
	var kept []*remote // else their connections are closed when they are collected
	gone := make(chan struct{})
	defer close(gone)
	const noWatch = "not promised: it has no Watch"
	for _, b := range []struct {
		name  string
		like  flaws
		want  map[string]string
		also  []string
		close func(c *remote) error // instead of the right one
	}{
		{name: "nothing is wrong"},
		{name: "sends a Put when it has connected again", like: flaws{keeps: true}},
		{
			name: "sends a request again", like: flaws{retries: true},
			want: map[string]string{"LostAnswer": "broken: Put returns ErrConflict although it was carried out: when the answer"},
		},
		{
			name: "ignores the context", like: flaws{deaf: true},
			want: map[string]string{
				"Deadline":  "broken: Get does not return when its context ends, while the server does not answer, not even 1s",
				"LateWrite": "broken: Put does not return when its context ends",
			},
		},
		{
			name: "takes an error for an absent value", like: flaws{broken: store.ErrAbsent},
			want: map[string]string{
				"Deadline":    "broken: Get returns ErrAbsent while the server does not answer",
				"Unreachable": "broken: Get returns ErrAbsent while the server cannot be reached",
				"Close":       "broken: Get returns ErrAbsent after the client was closed",
			},
		},
		{
			name: "takes an error for a conflict", like: flaws{broken: store.ErrConflict},
			want: map[string]string{
				"Deadline":    "broken: Put returns ErrConflict while the server does not answer",
				"LostAnswer":  "broken: Put returns ErrConflict although it was carried out",
				"LateWrite":   "broken: Put returned ErrConflict when its context ended, but was carried out later",
				"Unreachable": "broken: Put returns ErrConflict while the server cannot be reached",
				"Close":       "broken: Put returns ErrConflict after the client was closed",
			},
			also: []string{"Cancel"},
		},
		{
			name: "does not connect again", like: flaws{sticky: true},
			want: map[string]string{
				"Deadline":    "broken: the client does not recover after its connection was cut",
				"LostAnswer":  "broken: the client does not recover after its connection was cut",
				"LateWrite":   "broken: the client does not recover after its connection was cut",
				"Unreachable": "broken: the client does not recover after its connection was cut",
			},
		},
		{
			name: "compares, and then writes", like: flaws{blind: true},
			want: map[string]string{
				"CreateOnce": "clients have created the same key",
				"Increments": "two Puts with the same revision",
				"LateWrite":  "broken: a Put that arrived late has overwritten a later value",
			},
			also: []string{"Cancel"},
		},
		{
			name: "cannot be closed", close: func(c *remote) error { kept = append(kept, c); return nil },
			want: map[string]string{
				"Close": "broken: Get returns a value after the client was closed",
				"Leak":  "broken: 10 clients were used and closed, and 10 goroutines more are left",
			},
		},
		{
			name: "fails to close", close: func(c *remote) error { return errors.Join(c.close(), errors.New("it is stuck")) },
			want: map[string]string{
				"Close": "broken: closing the client: it is stuck", "Absent": "broken: closing the client: it is stuck",
				"Watch": "broken: closing the client: it is stuck",
			},
			also: []string{"Create", "Stale", "CreateOnce", "Increments", "Gets", "Keys", "Values", "Cancel", "Deadline",
				"LostAnswer", "LateWrite", "Unreachable", "Leak", "Fresh", "Repeated"},
		},
		{
			name: "leaves a goroutine", close: func(c *remote) error {
				go func() { <-gone }()
				return c.close()
			},
			want: map[string]string{"Leak": "broken: 10 clients were used and closed, and 1"},
		},
	} {
		t.Run(b.name, func(t *testing.T) {
			like := over(b.like)
			open := func(ctx context.Context, address string) (store.Store, func() error, error) {
				s, closeClient, err := like(ctx, address)
				if b.close != nil {
					closeClient = func() error { return b.close(s.(*remote)) }
				}
				return s, closeClient, err
			}
			want := map[string]string{"Watch": noWatch}
			maps.Copy(want, b.want)
			find(t, open, Options{Address: serve(t)}, want, b.also...)
		})
	}
}

// TestOpen: a store that cannot be opened, or that does not use the address that it gets, is no mistake of another kind.
func TestOpen(t *testing.T) {
	refused := errors.New("connection refused")
	fails := func(context.Context, string) (store.Store, func() error, error) { return nil, nil, refused }
	for f := range Check(t.Context(), fails, Options{Address: "127.0.0.1:1"}) {
		if f.Property == "Deleted" {
			require.Equal(t, NotTested, f.Verdict)
			continue
		}
		require.Equal(t, Finding{f.Property, Broken, "Open fails: connection refused"}, f)
	}
	address := serve(t)
	fixed := func(ctx context.Context, _ string) (store.Store, func() error, error) {
		return over(flaws{})(ctx, address)
	}
	for f := range Check(t.Context(), fixed, Options{Address: address}) {
		switch f.Property {
		case "Deadline", "LostAnswer", "LateWrite", "Unreachable":
			require.Equal(t, Finding{f.Property, NotTested, "the client does not connect to the address that it was given"}, f)
		}
	}
}

// TestCheckEnds: Check ends with its context.
func TestCheckEnds(t *testing.T) {
	open, o := in(spoilt{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var seen []string
	for f := range Check(ctx, open, o) {
		seen = append(seen, f.Property)
		stop()
	}
	require.Equal(t, []string{"Absent"}, seen)
}
