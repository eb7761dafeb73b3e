package elector_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/tcp"
)

// put asks a member to change the members.
func put(ctx context.Context, e *elector.Elector, body string) (status int, text string) {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodPut, "/", strings.NewReader(body))
	e.MembersHandler().ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

// grown starts three members, and further processes that have the same list and wait to become members.
func grown(t *testing.T, test func(t *testing.T, g group, network *memory.Network)) {
	synctest.Test(t, func(t *testing.T) {
		network, members, g := memory.New(), map[string]string{"a": "", "b": "", "c": ""}, group{}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			g.launch(t, network, name, members, nil, nil)
		}
		defer func() {
			for _, m := range g {
				m.stop()
				<-m.ended
			}
		}()
		time.Sleep(5 * time.Second)
		test(t, g, network)
	})
}

// TestPutMembers: a request to the leader changes the members, and the answer is its state. Requests to other members
// name the leader.
func TestPutMembers(t *testing.T) {
	grown(t, func(t *testing.T, g group, _ *memory.Network) {
		const five = `{"a": "", "b": "", "c": "", "d": "", "e": ""}`
		m := g.leader(t)
		term := m.Leader().Term
		for _, other := range g {
			if other != m {
				status, text := put(t.Context(), other.Elector, five)
				require.Equal(t, http.StatusMisdirectedRequest, status)
				require.Equal(t, m.name+" leads: send the request to it", text)
			}
		}
		status, text := put(t.Context(), m.Elector, five)
		require.Equal(t, http.StatusOK, status, text)
		var s struct {
			Agreed struct {
				Members []string
				Called  bool
			}
			Term uint64
		}
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, s.Agreed.Members)
		require.True(t, s.Agreed.Called, "no list contains them")
		require.Equal(t, term, s.Term, "the leader stays")
		time.Sleep(time.Second)
		for _, other := range g {
			require.Equal(t, []string{"a", "b", "c", "d", "e"}, other.Members().Agreed)
		}
	})
}

// TestPutMembersFails: what cannot be done is refused, and the members stay.
func TestPutMembersFails(t *testing.T) {
	grown(t, func(t *testing.T, g group, _ *memory.Network) {
		m := g.leader(t)
		for body, want := range map[string]string{
			"":                  "the body is no JSON object of names and addresses: EOF",
			"[]":                "the body is no JSON object of names and addresses: json: ",
			`{"a": ""} {}`:      "the body is no JSON object of names and addresses: there is more behind it",
			"{}":                "members: the list is empty",
			`{"a": "", "": ""}`: `members: "" is not a name`,
			`{"a": "nowhere"}`:  `members: "a": address nowhere: missing port in address`,
			`{"a": "` + strings.Repeat("x", 70_000) + `"}`: "the body is no JSON object of names and addresses: http: " +
				"request body too large",
		} {
			status, text := put(t.Context(), m.Elector, body)
			require.Contains(t, text, want, body)
			require.Equal(t, http.StatusBadRequest, status)
		}
		began := time.Now()
		status, text := put(t.Context(), m.Elector, `{"a": "", "x": "", "y": ""}`)
		require.Equal(t, http.StatusConflict, status)
		require.Contains(t, text, "members do not answer: ")
		require.Regexp(t, `\bx or y\b|\bx and y\b|\bx, y\b`, text)
		require.Equal(t, 10*elector.LAN().Lease, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		answers := make(chan int, 1)
		go func() {
			status, _ := put(ctx, m.Elector, `{"a": "", "x": "", "y": ""}`)
			answers <- status
		}()
		synctest.Wait()
		status, text = put(t.Context(), m.Elector, `{"a": ""}`)
		require.Equal(t, http.StatusConflict, status)
		require.Equal(t, "the members are changing already", text)
		require.Equal(t, http.StatusConflict, <-answers)
		require.Equal(t, []string{"a", "b", "c"}, m.Members().Agreed)

		ask := func(method string, header http.Header) *httptest.ResponseRecorder {
			w, r := httptest.NewRecorder(), httptest.NewRequest(method, "/", strings.NewReader(`{"a": ""}`))
			r.Header = header
			m.MembersHandler().ServeHTTP(w, r)
			return w
		}
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			w := ask(method, nil)
			require.Equal(t, http.StatusMethodNotAllowed, w.Code)
			require.Equal(t, "PUT", w.Header().Get("Allow"))
		}
		w := ask(http.MethodPut, http.Header{"Origin": {"http://example.com"}})
		require.Equal(t, http.StatusForbidden, w.Code)
		require.Equal(t, []string{"a", "b", "c"}, m.Members().Agreed)

		for _, other := range g.others(m) {
			other.end(t)
		}
		time.Sleep(5 * time.Second)
		status, text = put(t.Context(), m.Elector, `{"a": ""}`)
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Equal(t, "there is no leader: try again later", text)
	})
}

// TestResolve: members whose lists contain names alone find each other by Resolve.
func TestResolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hub pipenet.Hub
		at := map[string]string{"a": "127.0.0.1:1", "b": "127.0.0.1:2", "c": "127.0.0.1:3"}
		g := start(t, three, func(c *elector.Config) {
			c.Listen = at[c.Self]
			c.Resolve = func(_ context.Context, name string) (string, error) { return at[name], nil }
			own := c.TCP()
			own.Listener, own.Dial = hub.Listen(at[c.Self]), hub.Dial
			n, err := tcp.New(own)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, n.Close()) })
			c.Network, c.Transport = n, nil
		})
		time.Sleep(5 * time.Second)
		require.Equal(t, three, g.leader(t).Members().Agreed)
	})
}
