package consulstore

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-election/election/store"
)

// TestAnswers: only an answer of Consul itself is ErrAbsent or ErrConflict.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name             string
		status           int
		index, body      string
		absent, conflict bool
	}{
		{name: "a proxy", status: 404, body: "not found"},
		{name: "absent", status: 404, index: "7", absent: true},
		{name: "no leader", status: 500, index: "7", body: "No cluster leader"},
		{name: "stale", status: 409, conflict: true,
			body: `{"Errors":[{"OpIndex":0,"What":"failed to set key \"k\", index is stale"}]}`},
		{name: "no permission", status: 409, body: `{"Errors":[{"OpIndex":0,"What":"Permission denied"}]}`},
		{name: "nothing written", status: 200, body: `{"Results":[]}`},
		{name: "no JSON", status: 200, body: "true"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Consul-Token") != "secret" {
				t.Error("there is no token")
			}
			if c.index != "" {
				w.Header().Set("X-Consul-Index", c.index)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		s := New(nil, server.URL, "secret")
		if _, _, err := s.Get(t.Context(), "k"); err == nil || errors.Is(err, store.ErrAbsent) != c.absent {
			t.Errorf("%s: Get returns %v", c.name, err)
		}
		if _, err := s.Put(t.Context(), "k", nil, "6"); err == nil || errors.Is(err, store.ErrConflict) != c.conflict {
			t.Errorf("%s: Put returns %v", c.name, err)
		}
		server.Close()
	}
}

// TestWatchAgain: if the index goes back, the next query returns immediately instead of waiting for the old index.
func TestWatchAgain(t *testing.T) {
	asked := make(chan string, 10)
	answers := []string{"9", "3", "4"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Query().Get("index")
		if len(answers) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("X-Consul-Index", answers[0])
		w.WriteHeader(http.StatusNotFound)
		answers = answers[1:]
	}))
	defer server.Close()
	events := 0
	for e := range New(nil, server.URL, "").Watch(t.Context(), "k") {
		if events++; e.Revision != "" {
			t.Errorf("%+v", e)
		}
	}
	close(asked)
	var indexes []string
	for index := range asked {
		indexes = append(indexes, index)
	}
	if want := []string{"0", "9", "0", "4"}; events != 3 || len(indexes) != 4 || [4]string(indexes) != [4]string(want) {
		t.Errorf("%d events after the indexes %v, want %v", events, indexes, want)
	}
}
