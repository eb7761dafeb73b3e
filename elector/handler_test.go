package elector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// get returns the answer of a member to a request.
func get(e *elector.Elector, path string) (status int, body string) {
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w.Code, strings.TrimSpace(w.Body.String())
}

// TestHandlerSaysJSON: a client that goes by the type of the answer can read it.
func TestHandlerSaysJSON(t *testing.T) {
	w := httptest.NewRecorder()
	alone(t, nil).Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.True(t, json.Valid(w.Body.Bytes()))
}

// TestHandler: the answers of the leader and of a follower, and of members that are not healthy.
func TestHandler(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		healthy := func(m *member, want string) {
			t.Helper()
			status, body := get(m.Elector, "/healthz")
			require.Equal(t, want, body)
			require.Equal(t, want == "", status == http.StatusOK)
		}
		for range 200 { // no moment between two renewals is ill
			time.Sleep(7 * time.Millisecond)
			for _, other := range g {
				healthy(other, "")
			}
		}
		for _, other := range g {
			status, body := get(other.Elector, "/")
			require.Equal(t, http.StatusOK, status)
			var s map[string]any
			require.NoError(t, json.Unmarshal([]byte(body), &s))
			left := s["lease_left_seconds"].(float64)
			require.Equal(t, other == m, left > 0.5 && left <= 0.75, left)
			delete(s, "lease_left_seconds")
			require.NotEmpty(t, s["version"])
			delete(s, "version")
			delete(s["agreed"].(map[string]any), "since")
			require.Equal(t, map[string]any{"group": "g", "self": other.name, "members": []any{"a", "b", "c"},
				"leader": m.name, "term": float64(m.Leader().Term), "leads": other == m, "why": "elected",
				"reachable": true, "role": "member", "lists": map[string]any{"a b c": []any{"a", "b", "c"}},
				"agreed": map[string]any{"label": fmt.Sprintf("%d.0", m.Leader().Term),
					"members": []any{"a", "b", "c"}},
				"round_trip_seconds": 0., "suggested_lease_seconds": 0., "healthy": true}, s)
			status, body = get(other.Elector, "/leader")
			require.Equal(t, other == m, status == http.StatusOK)
			require.Equal(t, m.name, body)
		}
		status, _ := get(m.Elector, "/else")
		require.Equal(t, http.StatusNotFound, status)

		m.network.cut(true)
		// Two renewals late, by when no Stop is due yet, whenever the last one was.
		time.Sleep(376 * time.Millisecond)
		_, body := get(m.Elector, "/healthz")
		require.Contains(t, body, "renewals are late: the lease lasts for another ")
		time.Sleep(time.Second)
		healthy(m, "") // it has lost its lease a moment ago, and may hear of the next leader yet
		time.Sleep(time.Second)
		_, body = get(m.Elector, "/healthz")
		require.Contains(t, body, "there has been no leader for 1.")
		healthy(g.leader(t), "")
		m.network.cut(false)
		time.Sleep(time.Second)
		healthy(m, "")
		m.end(t)
		healthy(m, "this member has left the election")
	})
}

// TestRenewalsAreLate: a leader is ill when more than two Renews have passed since the last renewal.
func TestRenewalsAreLate(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, _ group, m *member) {
		terms, _ := m.tenures()
		m.network.cut(true)
		times := elector.LAN()
		time.Sleep(terms[0].Left() - (times.Lease - 2*times.Renew))
		status, _ := get(m.Elector, "/healthz")
		require.Equal(t, http.StatusOK, status)
		time.Sleep(time.Nanosecond)
		status, body := get(m.Elector, "/healthz")
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Equal(t, "renewals are late: the lease lasts for another 374.999999ms of 750ms", body)
	})
}

// TestHandlerAtStart: a member that does not run is ill, and one that has just been started is not yet.
func TestHandlerAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, err := memory.New().Endpoint(elector.ID("a"))
		require.NoError(t, err)
		e, err := elector.New(elector.Config{Group: "g", Self: "a",
			Members:   map[string]string{"a": "", "b": ""},
			Transport: endpoint})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		requireIll := func(want string) {
			t.Helper()
			_, body := get(e, "/healthz")
			require.Equal(t, want, body)
		}
		requireIll("this member does not run yet")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- e.Serve(ctx) }()
		time.Sleep(1500 * time.Millisecond)
		requireIll("")
		time.Sleep(1500 * time.Millisecond)
		requireIll("")
		time.Sleep(time.Millisecond)
		requireIll("the group is not founded as far as this member knows: that needs all of a b, and b was never connected")
		stop()
		require.NoError(t, <-ended)
		requireIll("this member has left the election")
	})
}
