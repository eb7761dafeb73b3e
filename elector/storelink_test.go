package elector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/store"
)

// scripted is a Store whose calls a test carries out.
type scripted struct {
	get   func(ctx context.Context) ([]byte, string, error)
	put   func(ctx context.Context, value []byte, revision string) (string, error)
	watch func(ctx context.Context) iter.Seq[store.Event]
}

func (s *scripted) Get(ctx context.Context, _ string) ([]byte, string, error) { return s.get(ctx) }

func (s *scripted) Put(ctx context.Context, _ string, value []byte, revision string) (string, error) {
	return s.put(ctx, value, revision)
}

func (s *scripted) Watch(ctx context.Context, _ string) iter.Seq[store.Event] { return s.watch(ctx) }

// withLink runs a test with the link of member a, whose lease lasts for left.
func withLink(t *testing.T, s *scripted, left time.Duration, test func(t *testing.T, l *storeLink, text *bytes.Buffer)) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		c := Config{Group: "orders", Self: "a", Store: s, Times: Times{}.Complete()}
		l := newStoreLink(&c, slog.New(slog.NewTextHandler(&text, nil)))
		l.start(func(_ string, f func()) { f() }, func(uint64) time.Duration { return left },
			func() bool { return true })
		defer func() { require.NoError(t, l.Close()) }()
		test(t, l, &text)
	})
}

// ask sends a request.
func (l *storeLink) ask(t *testing.T, m election.Message) {
	require.NoError(t, l.Send(t.Context(), election.Packet{From: ID("a"), To: storeID, Msg: m}))
}

// answer returns the next answer, and how long it takes.
func (l *storeLink) answer(t *testing.T) (m election.Message, took time.Duration) {
	began := time.Now()
	p, err := l.Recv(t.Context())
	require.NoError(t, err)
	require.Equal(t, election.Packet{From: storeID, To: ID("a"), Msg: p.Msg}, p)
	return p.Msg, time.Since(began)
}

const recordOfB = `{"v":1,"term":7,"owner":"b","incarnation":"ff","lease":"750ms","next":"","beat":17}`

// TestStoreAnswers: each result of the store becomes one message, and a revision has one number.
func TestStoreAnswers(t *testing.T) {
	s := &scripted{}
	withLink(t, s, 0, func(t *testing.T, l *storeLink, _ *bytes.Buffer) {
		returns := func(value, revision string, err error) {
			s.get = func(context.Context) ([]byte, string, error) { return []byte(value), revision, err }
		}
		get := func(number uint32) election.Message {
			l.ask(t, storelease.Get(number))
			m, _ := l.answer(t)
			return m
		}
		b := storelease.Record{Term: 7, Owner: ID("b"), Incarnation: 255, Lease: 750 * time.Millisecond}
		returns("", "", fmt.Errorf("gone: %w", store.ErrAbsent))
		require.Equal(t, storelease.Answer(storelease.KindAbsent, 1, 0), get(1))
		returns(recordOfB, "x", nil)
		require.Equal(t, storelease.Value(2, 1, b), get(2))
		require.Equal(t, "b", l.name(ID("b")))
		returns(recordOfB, "y", nil)
		require.Equal(t, storelease.Value(3, 2, b), get(3))
		returns(recordOfB, "x", nil)
		require.Equal(t, storelease.Value(4, 1, b), get(4))
		returns(recordOfB, "", nil)
		require.Equal(t, storelease.Answer(storelease.KindOpen, 5, 0), get(5))
		returns("", "", errors.New("away"))
		require.Equal(t, storelease.Answer(storelease.KindOpen, 6, 0), get(6))

		own := storelease.Record{Term: 8, Owner: ID("a"), Incarnation: 1, Lease: time.Second}
		put := func(number, revision uint32, r storelease.Record) election.Message {
			l.ask(t, storelease.Put(number, revision, r))
			m, _ := l.answer(t)
			return m
		}
		var value, named string
		writes := func(revision string, err error) {
			s.put = func(_ context.Context, v []byte, r string) (string, error) {
				value, named = string(v), r
				return revision, err
			}
		}
		writes("z", nil)
		require.Equal(t, storelease.Answer(storelease.KindWritten, 7, 3), put(7, 2, own))
		require.Equal(t, "y", named)
		require.JSONEq(t, `{"v":1,"term":8,"owner":"a","incarnation":"0000000000000001","lease":"1s","next":"","beat":18}`,
			value)
		require.Empty(t, l.serves("b"))
		returns(strings.Replace(recordOfB, `"owner"`, `"address":"b:1","owner"`, 1), "z", nil)
		get(7)
		require.Equal(t, "b:1", l.serves("b"))
		writes("", fmt.Errorf("stale: %w", store.ErrConflict))
		require.Equal(t, storelease.Answer(storelease.KindConflict, 8, 0), put(8, 3, own))
		require.Contains(t, value, `"beat":19`, "no value is written twice")
		writes("", errors.New("away"))
		require.Equal(t, storelease.Answer(storelease.KindOpen, 9, 0), put(9, 0, own))
		require.Empty(t, named)
		writes("", nil)
		require.Equal(t, storelease.Answer(storelease.KindOpen, 10, 0), put(10, 3, own))
		l.know("c")
		writes("w", nil)
		require.Equal(t, storelease.Answer(storelease.KindWritten, 11, 4),
			put(11, 3, storelease.Record{Term: 8, Next: ID("c")}))
		require.Contains(t, value, `"owner":"","incarnation":"0000000000000000","lease":"0s","next":"c"`)
		// A member of an unknown name cannot be written as the owner, which would release the lease.
		value = ""
		require.Equal(t, storelease.Answer(storelease.KindOpen, 12, 0), put(12, 3, storelease.Record{Term: 8, Owner: 99}))
		require.Empty(t, value)
	})
}

// TestStoreDeadlines: the process gets an answer in time, whatever the store does, and a call ends with the lease.
func TestStoreDeadlines(t *testing.T) {
	times := Times{}.Complete()
	own := storelease.Record{Term: 8, Owner: ID("a"), Lease: time.Second}
	for _, tt := range []struct {
		name string
		m    election.Message
		left time.Duration
		want time.Duration
	}{
		{"read", storelease.Get(1), 0, 2 * times.Renew},
		{"renewal", storelease.Put(1, 0, own), 400 * time.Millisecond, 400 * time.Millisecond},
		{"new lease", storelease.Put(1, 0, own), 0, times.Lease},
		{"release", storelease.Put(1, 0, storelease.Record{Term: 8}), 0, 2 * times.Renew},
	} {
		for _, ignores := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/ignores=%v", tt.name, ignores), func(t *testing.T) {
				hang := func(ctx context.Context) error {
					<-ctx.Done()
					if ignores {
						time.Sleep(time.Second)
						return nil
					}
					return ctx.Err()
				}
				s := &scripted{
					get: func(ctx context.Context) ([]byte, string, error) { return nil, "", hang(ctx) },
					put: func(ctx context.Context, _ []byte, _ string) (string, error) { return "x", hang(ctx) },
				}
				withLink(t, s, tt.left, func(t *testing.T, l *storeLink, text *bytes.Buffer) {
					l.ask(t, tt.m)
					m, took := l.answer(t)
					require.Equal(t, storelease.Answer(storelease.KindOpen, 1, 0), m)
					require.LessOrEqual(t, took, tt.want)
					require.Greater(t, took, tt.want*99/100)
					time.Sleep(2 * time.Second)
					synctest.Wait()
					require.Contains(t, text.String(), "no answer within")
					require.Equal(t, 1, strings.Count(text.String(), "\n"), "one answer: %s", text)
				})
			})
		}
	}
}

// TestStoreHangs: calls that never return take up a bounded amount of memory, and Close does not wait for them forever.
func TestStoreHangs(t *testing.T) {
	release := make(chan struct{})
	var calls atomic.Int32
	s := &scripted{get: func(context.Context) ([]byte, string, error) {
		calls.Add(1)
		<-release
		return nil, "", nil
	}}
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		var text bytes.Buffer
		c := Config{Group: "orders", Self: "a", Store: s, Times: Times{}.Complete()}
		l := newStoreLink(&c, slog.New(slog.NewTextHandler(&text, nil)))
		l.start(func(_ string, f func()) { f() }, func(uint64) time.Duration { return 0 }, func() bool { return true })
		for number := range uint32(100) {
			l.ask(t, storelease.Get(number+1))
			m, took := l.answer(t)
			require.Equal(t, storelease.Answer(storelease.KindOpen, number+1, 0), m)
			require.LessOrEqual(t, took, 2*c.Times.Renew)
		}
		require.EqualValues(t, mostStoreCalls, calls.Load())
		began := time.Now()
		require.NoError(t, l.Close())
		require.Equal(t, 2*c.Times.Lease, time.Since(began))
		require.ErrorIs(t, l.Send(t.Context(), election.Packet{Msg: storelease.Get(1)}), election.ErrClosed)
		_, err := l.Recv(t.Context())
		require.ErrorIs(t, err, election.ErrClosed)
		require.Contains(t, text.String(), "must return when its context ends")
		close(release)
	})
}

// TestStoreCloses: a member that ends waits for what it writes, and cancels what it reads.
func TestStoreCloses(t *testing.T) {
	wrote := false
	s := &scripted{
		get: func(ctx context.Context) ([]byte, string, error) {
			<-ctx.Done()
			return nil, "", ctx.Err()
		},
		put: func(context.Context, []byte, string) (string, error) {
			time.Sleep(100 * time.Millisecond)
			wrote = true
			return "x", nil
		},
		watch: func(ctx context.Context) iter.Seq[store.Event] {
			return func(func(store.Event) bool) { <-ctx.Done() }
		},
	}
	withLink(t, s, 0, func(t *testing.T, l *storeLink, text *bytes.Buffer) {
		l.watch()
		l.ask(t, storelease.Get(1))
		l.ask(t, storelease.Put(2, 0, storelease.Record{Term: 8}))
		began := time.Now()
		require.NoError(t, l.Close())
		require.Equal(t, 100*time.Millisecond, time.Since(began))
		require.True(t, wrote)
		require.Empty(t, text.String(), "nothing has failed")
	})
}

// TestStoreWatch: events are passed on, with the value if there is one, and a watch that ends is begun again, ever
// later.
func TestStoreWatch(t *testing.T) {
	var begins []time.Duration
	began := time.Time{}
	events := []store.Event{{Value: []byte(recordOfB), Revision: "x"}, {}, {Value: []byte("?"), Revision: "y"}}
	s := &scripted{watch: func(context.Context) iter.Seq[store.Event] {
		begins = append(begins, time.Since(began))
		return func(yield func(store.Event) bool) {
			for _, e := range events {
				if !yield(e) {
					return
				}
			}
			events = nil
		}
	}}
	withLink(t, s, 0, func(t *testing.T, l *storeLink, text *bytes.Buffer) {
		began = time.Now()
		l.watch()
		m, _ := l.answer(t)
		require.Equal(t, storelease.Value(0, 1, storelease.Record{Term: 7, Owner: ID("b"), Incarnation: 255,
			Lease: 750 * time.Millisecond}), m)
		m, _ = l.answer(t)
		require.Equal(t, storelease.Answer(storelease.KindChanged, 0, 0), m)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Contains(t, text.String(), "something else uses the key")
		lease := Times{}.Complete().Lease
		require.InDelta(t, float64(time.Minute)/float64(lease)*4/3, float64(len(begins)), 15)
		require.Less(t, begins[1], 10*time.Millisecond)
	})
}

// TestStoreLog: failures are logged when they begin and end, and not each time.
func TestStoreLog(t *testing.T) {
	var err error
	value := recordOfB
	s := &scripted{get: func(context.Context) ([]byte, string, error) { return []byte(value), "x", err }}
	withLink(t, s, 0, func(t *testing.T, l *storeLink, text *bytes.Buffer) {
		ask := func(times int) string {
			for range times {
				l.ask(t, storelease.Get(1))
				l.answer(t)
				time.Sleep(100 * time.Millisecond)
			}
			synctest.Wait()
			defer text.Reset()
			return text.String()
		}
		require.Empty(t, ask(5))
		err = errors.New("away")
		logged := ask(20)
		require.Equal(t, 1, strings.Count(logged, "\n"), logged)
		require.Contains(t, logged, `level=WARN msg="a call of the store has failed: without the store no lease is renewed" `+
			`key=election/orders err=away`)
		err = nil
		logged = ask(20)
		require.Equal(t, 1, strings.Count(logged, "\n"), logged)
		require.Contains(t, logged, `msg="the store answers again" after=2`)
		for range 20 { // it fails and succeeds in turn
			err = errors.New("away")
			logged += ask(1)
			err = nil
			logged += ask(1)
		}
		require.Equal(t, 1, strings.Count(logged, "\n"), logged)
		value = "hello"
		logged = ask(20)
		require.Equal(t, 1, strings.Count(logged, "\n"), logged)
		require.Contains(t, logged, `level=ERROR msg="the record in the store is refused, so this member does not lead" `+
			`key=election/orders err="something else uses the key`)
		time.Sleep(quiet)
		err = errors.New("away")
		require.Contains(t, ask(20), "a call of the store has failed")
		err = nil
		logged = ask(20)
		require.Equal(t, 1, strings.Count(logged, "\n"), "the record is still refused: %s", logged)
		require.Contains(t, logged, `msg="the store answers again" after=2`)
	})
}

// TestStoreForgets: revisions and names are remembered as long as they matter, in bounded memory.
func TestStoreForgets(t *testing.T) {
	revision := 0
	s := &scripted{
		get: func(context.Context) ([]byte, string, error) {
			revision++
			return []byte(strings.Replace(recordOfB, `"b"`, fmt.Sprintf(`"b%d"`, revision), 1)), fmt.Sprint(revision), nil
		},
		put: func(context.Context, []byte, string) (string, error) { panic("not called") },
	}
	withLink(t, s, 0, func(t *testing.T, l *storeLink, _ *bytes.Buffer) {
		for number := range uint32(1000) {
			l.ask(t, storelease.Get(1))
			m, _ := l.answer(t)
			got, _ := storelease.Read(&m)
			require.Equal(t, number+1, got)
		}
		require.Len(t, l.revisions.numbers, mostRevisions)
		require.Len(t, l.revisions.order, mostRevisions)
		require.Len(t, l.owners.names, mostOwners)
		require.Len(t, l.owners.order, mostOwners)
		require.Equal(t, "a", l.name(ID("a")))
		require.Equal(t, "b1000", l.name(ID("b1000")))
		require.Contains(t, l.name(ID("b1")), "(ID ")
		// The revision is so old that it is not the current one.
		l.ask(t, storelease.Put(1, 1, storelease.Record{Term: 8, Owner: ID("a")}))
		m, _ := l.answer(t)
		require.Equal(t, storelease.Answer(storelease.KindConflict, 1, 0), m)
	})
}
