package fence_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector/fence"
)

// TestGuard: tokens may come again, and must not become smaller; writes come one at a time.
func TestGuard(t *testing.T) {
	var g fence.Guard
	for _, c := range []struct {
		token uint64
		stale bool
	}{{3, false}, {3, false}, {2, true}, {0, true}, {9, false}, {8, true}, {1<<64 - 1, false}, {9, true}} {
		err := g.Check(c.token)
		require.Equal(t, c.stale, errors.Is(err, fence.ErrStale), "%d: %v", c.token, err)
	}
	require.ErrorContains(t, g.Check(7), "7 is less than 18446744073709551615")

	var one fence.Guard
	var inside, calls atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				_ = one.Do(1, func() error {
					if inside.Add(1) > 1 {
						t.Error("two write at once")
					}
					calls.Add(1)
					inside.Add(-1)
					return nil
				})
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 800, calls.Load())
	broken := errors.New("broken")
	require.ErrorIs(t, one.Do(1, func() error { return broken }), broken)
}

// TestHandler: requests of an earlier leader do not get through.
func TestHandler(t *testing.T) {
	var g fence.Guard
	passed := 0
	h := fence.Handler(&g, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { passed++ }))
	for _, c := range []struct {
		header string
		code   int
	}{{"5", 200}, {"5", 200}, {"4", 412}, {"", 400}, {"-1", 400},
		{"5x", 400}, {"1a", 400}, {"10", 200}, {"9", 412}} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		if c.header != "" {
			r.Header.Set(fence.Header, c.header)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, c.code, w.Code, "%s: %s", c.header, w.Body)
	}
	require.Equal(t, 3, passed)
	require.NoError(t, g.Check(10), "the Guard has read 10 from the header")
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	fence.Set(r, 1<<53)
	require.Equal(t, "9007199254740992", r.Header.Get("Election-Token"))
}
