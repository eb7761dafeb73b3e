package elector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/process"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

// shelf is a store that fails as a test wishes, for all members of a group.
type shelf struct {
	*memstore.Store
	delay time.Duration // each way

	mu      sync.Mutex
	away    bool            // no call is answered
	refuses bool            // each call fails immediately
	cut     map[string]bool // members that do not reach it
	fails   func(self string, put bool) fate
	gets    map[string]int // calls by member
	puts    map[string]int
	last    []byte // what was stored before
	lastRev string
}

// fate is what happens to one call.
type fate struct {
	late     time.Duration // it is carried out this much later, and the caller has given up by then
	lost     bool          // the answer is lost
	stale    bool          // the answer is what was stored before
	panics   bool
	deaf     bool // it ignores its context
	nonsense bool // it returns something that no member has written
}

var errAway = errors.New("the store is away")

func newShelf() *shelf {
	return &shelf{Store: memstore.New(), cut: make(map[string]bool), gets: make(map[string]int),
		puts: make(map[string]int)}
}

// access is the shelf as one member sees it.
type access struct {
	*shelf
	self string
}

// unwatched is a Store that reports no changes.
type unwatched struct{ store.Store }

// use makes a member use the shelf.
func (s *shelf) use(c *elector.Config) {
	c.Members, c.Transport, c.Store = nil, nil, &access{s, c.Self}
}

// poll is the same without Watch.
func (s *shelf) poll(c *elector.Config) {
	s.use(c)
	c.Store = unwatched{c.Store}
}

func (s *shelf) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// wait waits for one way.
func (s *shelf) wait() {
	s.mu.Lock()
	d := s.delay
	s.mu.Unlock()
	time.Sleep(d)
}

// calls returns how many calls there were.
func (s *shelf) calls() (gets, puts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.gets {
		gets += n
	}
	for _, n := range s.puts {
		puts += n
	}
	return gets, puts
}

// travel waits for one way, and decides what happens to the call.
func (a *access) travel(ctx context.Context, count map[string]int, put bool) (fate, error) {
	a.mu.Lock()
	count[a.self]++
	away, refuses, f := a.away || a.cut[a.self], a.refuses, fate{}
	if a.fails != nil {
		f = a.fails(a.self, put)
	}
	a.mu.Unlock()
	if f.panics {
		panic("broken store")
	}
	if refuses {
		return f, errAway
	}
	if away {
		<-ctx.Done()
		if f.deaf {
			time.Sleep(time.Minute)
		}
		return f, fmt.Errorf("%w: %w", errAway, ctx.Err())
	}
	a.wait()
	return f, nil
}

func (a *access) Get(ctx context.Context, key string) ([]byte, string, error) {
	f, err := a.travel(ctx, a.gets, false)
	if err != nil {
		return nil, "", err
	}
	value, revision, err := a.Store.Get(context.WithoutCancel(ctx), key)
	a.mu.Lock()
	if f.stale && a.lastRev != "" {
		value, revision, err = a.last, a.lastRev, nil
	}
	a.mu.Unlock()
	a.wait()
	switch {
	case f.nonsense:
		return []byte("hello"), "x", nil
	case f.lost:
		<-ctx.Done()
		return nil, "", ctx.Err()
	}
	return value, revision, err
}

func (a *access) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	f, err := a.travel(ctx, a.puts, true)
	if err != nil {
		return "", err
	}
	// The store carries out what it has received, although the caller may be gone.
	write := func() (string, error) {
		last, rev, _ := a.Store.Get(context.Background(), key)
		written, err := a.Store.Put(context.Background(), key, value, revision)
		if err == nil {
			a.set(func() { a.last, a.lastRev = last, rev })
		}
		return written, err
	}
	if f.late > 0 {
		time.AfterFunc(f.late, func() { _, _ = write() })
		<-ctx.Done()
		return "", ctx.Err()
	}
	written, err := write()
	a.wait()
	if f.lost {
		<-ctx.Done()
		return "", ctx.Err()
	}
	return written, err
}

func (a *access) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		for e := range a.Store.Watch(ctx, key) {
			a.wait()
			a.mu.Lock()
			away := a.away || a.refuses || a.cut[a.self]
			a.mu.Unlock()
			if away || !yield(e) { // the connection breaks
				return
			}
		}
	}
}

// stored returns the record.
func (s *shelf) stored(t *testing.T) (r struct {
	Term              uint64
	Owner, Next, Beat any
}) {
	value, _, err := s.Get(t.Context(), "election/g")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(value, &r))
	return r
}

// lan is the Lease of the tests.
var lan = elector.LAN().Lease

// inStore runs a test of three members with a store in virtual time, with and without Watch, once one of them leads.
func inStore(t *testing.T, change func(*elector.Config), test func(t *testing.T, s *shelf, g group, m *member)) {
	for _, watch := range []bool{true, false} {
		t.Run(fmt.Sprintf("watch=%v", watch), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				s.delay = time.Millisecond
				g := start(t, three, func(c *elector.Config) {
					if s.poll(c); watch {
						s.use(c)
					}
					if change != nil {
						change(c)
					}
				})
				time.Sleep(5 * time.Second)
				test(t, s, g, g.leader(t))
				s.set(func() { s.away, s.refuses, s.fails = false, false, nil })
			})
		})
	}
}

// withWatch reports whether the members of a test use Watch.
func withWatch(t *testing.T) bool { return strings.Contains(t.Name(), "watch=true") }

// crash makes a member vanish: nothing that it writes arrives any more.
func (s *shelf) crash(m *member) { s.set(func() { s.cut[m.name] = true }) }

// TestStoreLead: one member leads for as long as it runs, all others know it by name, and the methods of the Elector
// work as with members of its own.
func TestStoreLead(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		time.Sleep(10 * time.Minute)
		require.Same(t, m, g.leader(t))
		terms, causes := m.tenures()
		require.Len(t, terms, 1)
		require.Empty(t, causes)
		term := terms[0]
		for _, other := range g {
			require.Equal(t, elector.View{Leader: m.name, Term: term.Number, Self: other == m, Why: elector.Elected,
				Reachable: true}, other.Leader())
			v, err := other.Wait(t.Context())
			require.NoError(t, err)
			require.Equal(t, m.name, v.Leader)
			require.Equal(t, elector.Members{Role: elector.Member}, other.Members())
			require.ErrorIs(t, other.SetMembers(t.Context(), map[string]string{"a": ""}), errors.ErrUnsupported)
			require.ErrorIs(t, other.Wish(map[string]string{"a": ""}), errors.ErrUnsupported)
			require.Equal(t, http.StatusNotImplemented, answerOf(other.MembersHandler(), http.MethodPut, `{"a":""}`).Code)
			require.Equal(t, http.StatusOK, answerOf(other.Handler(), http.MethodGet, "").Code)
			require.Contains(t, answerOf(other.Handler(), http.MethodGet, "").Body.String(), `"store":true`)
			require.Equal(t, http.StatusOK, health(other).Code, health(other).Body)
		}
		require.Less(t, term.Token(), uint64(1)<<53, "JSON must hold it")
		require.True(t, term.Valid(lan/2))
		require.False(t, term.Valid(lan))
		_, before := s.calls()
		require.NoError(t, term.Confirm(t.Context()))
		_, after := s.calls()
		require.LessOrEqual(t, after-before, 2, "Confirm is one renewal")
		require.Equal(t, 2*time.Millisecond, m.RoundTrip())
		require.Equal(t, m.name, s.stored(t).Owner)
		require.Equal(t, term.Number, s.stored(t).Term)
	})
}

// answerOf returns what a handler answers.
func answerOf(h http.Handler, method, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "/", io.NopCloser(strings.NewReader(body))))
	return w
}

// TestStoreAtRest: a leader writes once in each Renew, and followers that watch read nothing.
func TestStoreAtRest(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		gets, puts := s.calls()
		time.Sleep(10 * time.Minute)
		moreGets, morePuts := s.calls()
		renewals := float64(10*time.Minute) / float64(elector.LAN().Renew)
		require.InDelta(t, renewals, float64(morePuts-puts), 1)
		if withWatch(t) {
			require.Equal(t, gets, moreGets, "a follower reads although it is told")
		} else {
			require.InDelta(t, 2*renewals, float64(moreGets-gets), renewals/2, "each follower polls once in each Renew")
		}
	})
}

// TestStoreFailOver: another member leads within 1.1 leases of the crash of the leader.
func TestStoreFailOver(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		for n := range 20 {
			time.Sleep(time.Duration(rand.Int64N(int64(10 * time.Second))))
			terms, _ := m.tenures()
			s.crash(m)
			began := time.Now()
			time.Sleep(lan) // its lease has expired
			most := 11 * lan / 10
			if !withWatch(t) {
				most += 2 * elector.LAN().Renew // the last renewal is seen later
			}
			var next *member
			for next == nil {
				for _, other := range g {
					if v := other.Leader(); v.Self {
						next = other
					}
				}
				time.Sleep(time.Millisecond)
			}
			require.NotSame(t, m, next)
			require.LessOrEqual(t, time.Since(began), most, "crash %d", n)
			after, _ := next.tenures()
			require.Greater(t, after[len(after)-1].Number, terms[len(terms)-1].Number)
			_, causes := m.tenures()
			require.ErrorIs(t, causes[len(causes)-1], elector.ErrUnreachable)
			s.set(func() { clear(s.cut) })
			m = next
		}
	})
}

// TestStoreHandOver: a planned handover takes at most three round trips of a store that is watched, and no longer
// than a poll otherwise.
func TestStoreHandOver(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, m, to *member)
		cause error
		named bool
	}{
		"resign": {cause: elector.ErrResigned,
			do: func(t *testing.T, m, _ *member) { require.NoError(t, m.Resign(t.Context())) }},
		"transfer": {cause: elector.ErrTransferred, named: true,
			do: func(t *testing.T, m, to *member) { require.NoError(t, m.Transfer(t.Context(), to.name)) }},
		"stop": {cause: context.Canceled, do: func(t *testing.T, m, _ *member) { m.end(t) }},
	} {
		t.Run(name, func(t *testing.T) {
			inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
				const roundTrip = 10 * time.Millisecond
				s.set(func() { s.delay = roundTrip / 2 })
				time.Sleep(time.Second)
				var to *member
				for _, other := range g {
					if other != m {
						to = other
					}
				}
				var led time.Duration
				var next *member
				began := time.Now()
				for _, other := range g {
					go func() {
						for v := range other.Watch(t.Context()) {
							if v.Self && other != m {
								led, next = time.Since(began), other
								return
							}
						}
					}()
				}
				c.do(t, m, to)
				time.Sleep(lan / 2)
				synctest.Wait()
				require.NotNil(t, next)
				most := 3 * roundTrip
				if !withWatch(t) {
					most += 9 * elector.LAN().Renew / 8
				}
				require.LessOrEqual(t, led, most)
				if c.named {
					require.Same(t, to, next)
				}
				before, causes := m.tenures()
				after, _ := next.tenures()
				require.Equal(t, []error{c.cause}, causes)
				require.Greater(t, after[0].Token(), before[0].Token())
				require.ErrorIs(t, before[0].Confirm(t.Context()), elector.ErrDeposed)
				require.ErrorIs(t, m.Resign(t.Context()), elector.ErrNotLeader)
				require.Error(t, next.Transfer(t.Context(), "\n"))
			})
		})
	}
}

// TestStoreStops: a member that ends while a renewal is in flight releases its lease when that is answered, even if it has
// resigned before. So does one that ends before it knows that it leads.
func TestStoreStops(t *testing.T) {
	const roundTrip = 50 * time.Millisecond
	// The first member whose write begins, after this call.
	writer := func(s *shelf, g group) *member {
		writes := make(chan string, 100)
		s.set(func() {
			s.delay = roundTrip / 2
			s.fails = func(self string, put bool) fate {
				if put {
					writes <- self
				}
				return fate{}
			}
		})
		name := <-writes
		s.set(func() { s.fails = nil })
		for _, m := range g {
			if m.name == name {
				return m
			}
		}
		return nil
	}
	released := func(t *testing.T, s *shelf, g group, m *member) {
		m.end(t)
		require.Empty(t, s.stored(t).Owner)
		time.Sleep(2*roundTrip + 2*elector.LAN().Renew)
		require.NotSame(t, m, g.leader(t))
	}
	t.Run("renews", func(t *testing.T) {
		inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
			require.Same(t, m, writer(s, g))
			released(t, s, g, m)
		})
	})
	t.Run("resigns", func(t *testing.T) {
		inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
			require.Same(t, m, writer(s, g))
			require.NoError(t, m.Resign(t.Context()))
			released(t, s, g, m)
		})
	})
	t.Run("claims", func(t *testing.T) {
		inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
			s.crash(m)
			time.Sleep(lan / 2) // it renews no more
			next := writer(s, g)
			require.NotSame(t, m, next)
			released(t, s, g, next)
		})
	})
	t.Run("has lost a race", func(t *testing.T) {
		inStore(t, nil, func(t *testing.T, _ *shelf, g group, m *member) {
			for _, other := range g.others(m) {
				began := time.Now()
				other.end(t)
				require.Less(t, time.Since(began), elector.LAN().Renew/2, "nothing to wait for")
			}
		})
	})
}

// TestStoreTransferToNobody: a lease that is given to a name that nobody has is taken by the others after a while.
func TestStoreTransferToNobody(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		require.ErrorIs(t, m.Transfer(t.Context(), "nobody"), elector.ErrNotTaken)
		require.Equal(t, "nobody", s.stored(t).Next)
		time.Sleep(lan)
		require.NotNil(t, g.leader(t))
	})
}

// TestStoreAway: a store that is away for less than a lease changes no leader. After a longer time the leader has
// stopped in time, and one leads within a lease of the return.
func TestStoreAway(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		t.Run(fmt.Sprintf("refuses=%v", refuses), func(t *testing.T) {
			text := &logs{}
			inStore(t, func(c *elector.Config) { c.Log = slog.New(slog.NewTextHandler(text, nil)) },
				func(t *testing.T, s *shelf, g group, m *member) {
					outage := func(d time.Duration) {
						s.set(func() { s.away, s.refuses = !refuses, refuses })
						time.Sleep(d)
						s.set(func() { s.away, s.refuses = false, false })
					}
					before, _ := m.tenures()
					for range 20 {
						outage(lan / 4) // less than Lease - Stop - 2 Renew
						time.Sleep(time.Duration(rand.Int64N(int64(lan))) + lan)
					}
					after, causes := m.tenures()
					require.Equal(t, before, after)
					require.Empty(t, causes)

					text.mu.Lock()
					text.b.Reset()
					text.mu.Unlock()
					gets, puts := s.calls()
					s.set(func() { s.away, s.refuses = !refuses, refuses })
					time.Sleep(lan)
					_, causes = m.tenures()
					require.Len(t, causes, 1)
					require.ErrorIs(t, causes[0], elector.ErrUnreachable)
					require.False(t, after[0].Valid(0))
					for _, other := range g {
						require.False(t, other.Leader().Self)
					}
					time.Sleep(time.Minute)
					moreGets, morePuts := s.calls()
					perRenew := float64(moreGets+morePuts-gets-puts) / float64(time.Minute+lan) * float64(elector.LAN().Renew)
					require.Less(t, perRenew, 7.0, "three members ask a store that is away too often")
					require.LessOrEqual(t, strings.Count(text.String(), "a call of the store has failed"), 3, text)
					why := "no answer within"
					if refuses {
						why = errAway.Error()
					}
					require.Regexp(t, "^there has been no leader for .*: a call of the store has failed: .*"+why,
						health(m).Body.String())
					s.set(func() { s.away, s.refuses = false, false })
					time.Sleep(lan)
					require.Equal(t, http.StatusOK, health(m).Code, health(m).Body)
					next := g.leader(t)
					terms, _ := next.tenures()
					require.Greater(t, terms[len(terms)-1].Number, before[0].Number)
				})
		})
	}
}

// TestStoreLoses: a leader stays although answers are lost, writes are carried out late, and reads are stale.
func TestStoreLoses(t *testing.T) {
	for name, f := range map[string]fate{"lost": {lost: true}, "late": {late: 100 * time.Millisecond},
		"stale": {stale: true}} {
		t.Run(name, func(t *testing.T) {
			inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
				calls := make(map[string]int)
				s.set(func() {
					s.fails = func(self string, _ bool) fate {
						if calls[self]++; calls[self]%4 == 0 {
							return f
						}
						return fate{}
					}
				})
				time.Sleep(3 * time.Minute)
				require.Same(t, m, g.leader(t))
				terms, causes := m.tenures()
				require.Len(t, terms, 1)
				require.Empty(t, causes)
			})
		})
	}
}

// TestStoreLate: the lease of a candidate that was too slow belongs to nobody, and the next one has a larger token.
func TestStoreLate(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		s.set(func() {
			s.fails = func(self string, put bool) fate {
				if put && self != m.name {
					return fate{late: 2 * lan}
				}
				return fate{}
			}
		})
		before, _ := m.tenures()
		s.crash(m)
		time.Sleep(20 * lan)
		for _, other := range g {
			require.False(t, other.Leader().Self, "it leads although its writes come too late")
		}
		s.set(func() { s.fails = nil })
		time.Sleep(5 * lan)
		terms, _ := g.leader(t).tenures()
		require.Greater(t, terms[0].Number, before[0].Number)
		s.set(func() { clear(s.cut) })
	})
}

// health returns what a member answers at /healthz.
func health(m *member) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	return w
}

// TestStoreTwins: of two processes with one name, only one leads at a time. The other one logs that once, and is not
// healthy.
func TestStoreTwins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, text := newShelf(), &logs{}
		use := func(c *elector.Config) {
			s.use(c)
			c.Log = slog.New(slog.NewTextHandler(text, nil))
		}
		twins := []group{start(t, []string{"a"}, use), start(t, []string{"a"}, use)}
		const warning = "another process runs as this member"
		leads := func() (n int) {
			synctest.Wait()
			for _, g := range twins {
				if g["a"].Leader().Self {
					n++
				}
			}
			return n
		}
		for range 100 {
			time.Sleep(10 * lan)
			require.Equal(t, 1, leads())
			for _, g := range twins {
				h := health(g["a"])
				if g["a"].Leader().Self {
					require.Equal(t, http.StatusOK, h.Code, h.Body)
				} else {
					require.Equal(t, http.StatusServiceUnavailable, h.Code)
					require.Contains(t, h.Body.String(), warning)
				}
			}
			for _, g := range twins {
				if g["a"].Leader().Self {
					require.NoError(t, g["a"].Resign(t.Context()))
					break
				}
			}
			require.LessOrEqual(t, leads(), 1)
		}
		require.Equal(t, 2, strings.Count(text.String(), warning), "once by each of them")
		require.Equal(t, 2, strings.Count(text.String(), "level=WARN msg=\""+warning), text)
	})
}

// TestStoreForgets: if the store loses its data, two members never lead at the same time, and tokens do not go back.
func TestStoreForgets(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		last := uint64(0)
		for range 20 {
			terms, _ := g.leader(t).tenures()
			require.GreaterOrEqual(t, terms[len(terms)-1].Number, last)
			last = terms[len(terms)-1].Number
			s.Delete("election/g")
			for range 400 {
				time.Sleep(lan / 100)
				synctest.Wait()
				leads := 0
				for _, other := range g {
					if other.Leader().Self {
						leads++
					}
				}
				require.LessOrEqual(t, leads, 1)
			}
		}
	})
}

// TestStoreRestarts: a member that restarts waits as any other does for the lease of the process before it, and one
// with a Dir has a larger token even if the store has lost its data and the clock of the machine went back.
func TestStoreRestarts(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		g := start(t, []string{"a"}, func(c *elector.Config) {
			s.use(c)
			c.Dir = dir
		})
		time.Sleep(5 * time.Second)
		m := g.leader(t)
		require.NoError(t, m.Advance(1<<52)) // larger than any that the clock yields
		time.Sleep(5 * time.Second)
		terms, _ := g.leader(t).tenures()
		last := terms[len(terms)-1]
		require.Greater(t, last.Token(), uint64(1)<<52)
		s.crash(m) // it does not release its lease
		began := time.Now()
		m.end(t)
		s.set(func() { clear(s.cut) })
		s.Delete("election/g")
		m = m.again()
		_, err := m.Wait(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(began), lan)
		time.Sleep(time.Second)
		terms, _ = m.tenures()
		require.Greater(t, terms[0].Number, last.Number)
	})
}

// TestStoreAdvance: later terms are larger than a token that was advanced to.
func TestStoreAdvance(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		token := m.Leader().Term + 1000
		require.NoError(t, m.Advance(token))
		time.Sleep(5 * lan)
		require.Greater(t, g.leader(t).Leader().Term, token)
	})
}

// TestStorePriority: the candidate with the largest priority takes a lease that has expired.
func TestStorePriority(t *testing.T) {
	of := map[string]uint64{"a": 10, "b": 1, "c": 2}
	inStore(t, func(c *elector.Config) {
		name := c.Self
		c.Priority = func() uint64 { return of[name] }
	}, func(t *testing.T, s *shelf, g group, m *member) {
		require.Equal(t, "a", m.name)
		for range 10 {
			s.crash(m)
			time.Sleep(3 * lan)
			if next := g.leader(t); withWatch(t) { // otherwise they see the last renewal at different moments
				require.Equal(t, "c", next.name)
			}
			s.set(func() { clear(s.cut) })
			require.NoError(t, g.leader(t).Transfer(t.Context(), "a"))
			time.Sleep(time.Second)
		}
	})
}

// TestStorePause: work that returns a Pause is not called again before, and another member leads meanwhile.
func TestStorePause(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		for _, other := range g {
			other.mu.Lock()
			other.lead = func(context.Context, elector.Term) error { return elector.Pause(time.Minute) }
			other.mu.Unlock()
		}
		require.NoError(t, m.Resign(t.Context()))
		time.Sleep(30 * time.Second)
		for _, other := range g {
			terms, _ := other.tenures()
			require.LessOrEqual(t, len(terms), 2)
		}
	})
}

// TestStoreServe: a process that serves follows the leader and never leads.
func TestStoreServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		var views []elector.View
		c := elector.Config{Group: "g", Self: "o", Observe: func(v elector.View) { views = append(views, v) }}
		s.use(&c)
		e, err := elector.New(c)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error)
		go func() { served <- e.Serve(ctx) }()
		time.Sleep(time.Minute)
		require.Empty(t, views)
		g := start(t, []string{"a"}, s.use)
		time.Sleep(time.Minute)
		require.Equal(t, "a", e.Leader().Leader)
		s.crash(g["a"])
		time.Sleep(time.Minute)
		require.Equal(t, elector.Vacant, e.Leader().Why)
		_, puts := s.calls()
		require.Zero(t, s.puts["o"], "of %d", puts)
		stop()
		require.NoError(t, <-served)
		s.set(func() { clear(s.cut) })
	})
}

// TestStorePanics: a Store that panics ends Run with an error, as a callback that panics does.
func TestStorePanics(t *testing.T) {
	for _, put := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			c := elector.Config{Group: "g", Self: "a"}
			s.use(&c)
			e, err := elector.New(c)
			require.NoError(t, err)
			asked := make(chan struct{})
			go func() {
				time.Sleep(5 * time.Second)
				s.set(func() { s.fails = func(_ string, p bool) fate { return fate{panics: p == put} } })
				if !put {
					s.Delete("election/g") // so that it reads
				}
				close(asked)
			}()
			err = e.Run(t.Context(), func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				return nil
			})
			<-asked
			require.ErrorIs(t, err, process.ErrCallback)
			require.ErrorContains(t, err, "Store: broken store")
		})
	}
}

// TestStoreDeaf: a Store that ignores its context neither keeps the work alive nor Run from returning.
func TestStoreDeaf(t *testing.T) {
	inStore(t, nil, func(t *testing.T, s *shelf, g group, m *member) {
		s.set(func() {
			s.away = true
			s.fails = func(string, bool) fate { return fate{deaf: true} }
		})
		time.Sleep(lan)
		_, causes := m.tenures()
		require.Len(t, causes, 1)
		require.ErrorIs(t, causes[0], elector.ErrUnreachable)
		began := time.Now()
		m.end(t)
		require.LessOrEqual(t, time.Since(began), 3*lan)
		s.set(func() { s.away, s.fails = false, nil })
		time.Sleep(2 * time.Minute)
	})
}

// TestStoreMisused: a value of something else is not overwritten. No member leads, and each logs why, once.
func TestStoreMisused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, text := newShelf(), &logs{}
		_, err := s.Put(t.Context(), "election/g", []byte("hello"), "")
		require.NoError(t, err)
		g := start(t, three, func(c *elector.Config) {
			s.use(c)
			c.Log = slog.New(slog.NewTextHandler(text, nil))
		})
		time.Sleep(time.Hour)
		for _, m := range g {
			require.Equal(t, elector.View{}, m.Leader())
			require.Contains(t, health(m).Body.String(), ": the record in the store is refused: something else uses the key")
		}
		_, puts := s.calls()
		require.Zero(t, puts)
		require.Equal(t, 3, strings.Count(text.String(), "something else uses the key"), text)
		require.Equal(t, 3, strings.Count(text.String(), "level=ERROR"), text)
		s.Delete("election/g")
		time.Sleep(3 * lan)
		g.leader(t)
	})
}

// TestStoreConfig: exactly one of Members and Store is set, and each field that has no effect with a Store is refused
// with a reason.
func TestStoreConfig(t *testing.T) {
	for want, change := range map[string]func(*elector.Config){
		"Members: the list is empty, and there is no Store": func(c *elector.Config) { c.Store = nil },
		"Store: it contains a nil pointer":                  func(c *elector.Config) { c.Store = (*memstore.Store)(nil) },
		"Group: it is empty":                                func(c *elector.Config) { c.Group = "" },
		"Self: \"\" is not a name":                          func(c *elector.Config) { c.Self = "" },
		"Members: it has no effect with a Store: a Store replaces them: set one of the two": func(c *elector.Config) {
			c.Members = map[string]string{"a": ""}
		},
		"Observers: it has no effect with a Store": func(c *elector.Config) { c.Observers = map[string]string{"o": ""} },
		"Listen: it has no effect with a Store":    func(c *elector.Config) { c.Listen = ":0" },
		"InsecurePlaintext: it has no effect":      func(c *elector.Config) { c.InsecurePlaintext = true },
		"Preempt: it has no effect with a Store": func(c *elector.Config) {
			c.Preempt, c.Priority = time.Second, func() uint64 { return 1 }
		},
		"Times.Lease": func(c *elector.Config) { c.Times.Lease = 1 },
	} {
		c := elector.Config{Group: "g", Self: "a", Store: memstore.New()}
		change(&c)
		_, err := elector.New(c)
		require.ErrorIs(t, err, election.ErrInput, want)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
	e, err := elector.New(elector.Config{Group: "g", Self: "a", Store: memstore.New()})
	require.NoError(t, err)
	require.NoError(t, e.Close())
}
