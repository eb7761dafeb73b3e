package k8sstore

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election/adapters/k8sstore/fakeapi"
	"github.com/go-election/election/adapters/k8sstore/internal/api"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

func TestConformance(t *testing.T) {
	server := httptest.NewServer(fakeapi.New())
	defer server.Close()
	direct := New(server.Client(), server.URL, "default")
	storetest.Test(t, func(_ context.Context, address string) (store.Store, func() error, error) {
		return New(server.Client(), "http://"+address, "default"), nil, nil
	}, storetest.Options{Address: server.Listener.Addr().String(), Delete: func(ctx context.Context, key string) error {
		r, err := direct.api.Send(ctx, http.MethodDelete, direct.leases+"/"+name(key), "", nil)
		if api.IsReason(err, "NotFound") {
			return nil
		} else if err != nil {
			return err
		}
		return r.Body.Close()
	}})
}

// group is a Lease and the ways to write it.
type group struct {
	*testing.T
	*Store
}

const key = "election/orders"

func newGroup(t *testing.T) *group {
	api := httptest.NewServer(fakeapi.New())
	t.Cleanup(api.Close)
	return &group{t, New(api.Client(), api.URL, "default")}
}

// write stores a record, and returns the spec that others see.
func (g *group) write(value string) spec {
	g.Helper()
	_, revision, err := g.Get(g.Context(), key)
	if err != nil && !errors.Is(err, store.ErrAbsent) {
		g.Fatal(err)
	}
	if _, err := g.Put(g.Context(), key, []byte(value), revision); err != nil {
		g.Fatal(err)
	}
	return g.lease().Spec
}

func (g *group) lease() *object {
	g.Helper()
	o, err := g.get(g.Context(), "orders")
	if err != nil {
		g.Fatal(err)
	}
	return o
}

// clientGo writes the spec that client-go would write, with the metadata that it has read.
func (g *group) clientGo(holder string, seconds, transitions int32) {
	g.Helper()
	now := &microTime{time.Now().UTC()}
	o, err := g.get(g.Context(), "orders")
	method, to := http.MethodPut, g.leases+"/orders"
	if err != nil {
		method, to = http.MethodPost, g.leases
		o = &object{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Metadata: map[string]any{"name": "orders"}}
	}
	o.Spec = spec{&holder, &seconds, now, now, &transitions}
	if _, err := g.do(g.Context(), method, to, o); err != nil {
		g.Fatal(err)
	}
}

// read returns what the Lease means to package elector.
func (g *group) read() record {
	g.Helper()
	value, _, err := g.Get(g.Context(), key)
	if err != nil {
		g.Fatal(err)
	}
	r, ok := parse(value)
	if !ok {
		g.Fatalf("%s is no record", value)
	}
	return r
}

// TestSpec: others see the holder, the time that they must wait, and transitions as client-go counts them.
func TestSpec(t *testing.T) {
	g := newGroup(t)
	a1 := g.write(`{"v":1,"term":7,"owner":"a","incarnation":"f1","lease":"750ms","beat":1}`)
	a2 := g.write(`{"v":1,"term":7,"owner":"a","incarnation":"f1","lease":"750ms","beat":2}`)
	free := g.write(`{"v":1,"term":7,"owner":"","incarnation":"f1","lease":"750ms","next":"b","beat":3}`)
	b := g.write(`{"v":1,"term":8,"owner":"b","incarnation":"f2","lease":"15s","beat":4}`)
	again := g.write(`{"v":1,"term":9,"owner":"b","incarnation":"f3","lease":"15s","beat":5}`)
	for _, c := range []struct {
		spec
		holder               string
		seconds, transitions int64
		acquired             *microTime
	}{
		{a1, "a_f1", 2, 0, a1.RenewTime},
		{a2, "a_f1", 2, 0, a1.RenewTime},
		{free, "", 1, 0, free.RenewTime},
		{b, "b_f2", 17, 1, b.RenewTime},
		{again, "b_f3", 17, 2, again.RenewTime},
	} {
		p := c.plain()
		if p.holder != c.holder || p.seconds != c.seconds || p.transitions != c.transitions ||
			!c.AcquireTime.Equal(c.acquired.Time) {
			t.Errorf("%+v, want %+v", p, c)
		}
	}
	if !a2.RenewTime.After(a1.RenewTime.Time) {
		t.Error("a renewal does not change renewTime")
	}
}

// TestForeign: what client-go writes is read as a record, although annotations from before are still there.
func TestForeign(t *testing.T) {
	g := newGroup(t)
	check := func(owner string, term uint64, lease string) {
		t.Helper()
		r := g.read()
		if r.Owner != owner || r.Term != term || r.Lease != lease || r.Next != "" || r.Incarnation == "" {
			t.Errorf("%+v, want owner %q, term %d, lease %s", r, owner, term, lease)
		}
	}
	g.clientGo("old-1", 15, 0)
	check("old-1", 1, "16s")
	g.clientGo("", 1, 0)
	check("", 1, "2s")
	const mine = `{"v":1,"term":1000,"owner":"a","incarnation":"f1","lease":"750ms","next":"","beat":1}`
	g.write(mine)
	if value, _, err := g.Get(t.Context(), key); err != nil || string(value) != mine {
		t.Errorf("%s, %v", value, err)
	}
	check("a", 1000, "750ms")
	g.clientGo("old-2", 15, 2) // 1 after a took the Lease
	check("old-2", 1001, "16s")
	first := g.read()
	g.clientGo("old-2", 15, 2)
	check("old-2", 1001, "16s")
	g.clientGo("a", 15, 3)
	check("a", 1002, "16s")
	if again := g.read(); again.Incarnation == first.Incarnation || again.Incarnation == "f1" {
		t.Errorf("%+v has the incarnation of another holder", again)
	}
	g.clientGo(strings.Repeat("long", 100), 15, 4)
	if r := g.read(); len(r.Owner) > 255 {
		t.Errorf("%q is no name", r.Owner)
	}
}

// TestKeeps: a write keeps what others have put into the metadata.
func TestKeeps(t *testing.T) {
	g := newGroup(t)
	g.clientGo("old-1", 15, 0)
	o := g.lease()
	o.Metadata["labels"] = map[string]any{"team": "shop"}
	o.Metadata["annotations"] = map[string]any{"note": "text"}
	if _, err := g.do(t.Context(), http.MethodPut, g.leases+"/orders", o); err != nil {
		t.Fatal(err)
	}
	g.write(`{"v":1,"term":7,"owner":"a","incarnation":"f1","lease":"750ms","beat":1}`)
	o = g.lease()
	note, _ := o.annotation("note")
	if labels, _ := o.Metadata["labels"].(map[string]any); labels["team"] != "shop" || note != "text" {
		t.Errorf("%+v", o.Metadata)
	}
}

// TestDeleted: a write does not create a Lease again that was deleted, although a PUT does that.
func TestDeleted(t *testing.T) {
	g := newGroup(t)
	g.write(`{"v":1,"term":7,"owner":"a","incarnation":"f1","lease":"750ms","beat":1}`)
	old := g.lease()
	r, err := g.api.Send(t.Context(), http.MethodDelete, g.leases+"/orders", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	// The Store has the Lease in memory, and another one has not.
	for _, s := range []*Store{g.Store, newStore(g.api)} {
		if _, err := s.Put(t.Context(), key, []byte("next"), old.revision()); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%v, want a conflict", err)
		}
	}
	delete(old.Metadata, "uid")
	if _, err := g.do(t.Context(), http.MethodPut, g.leases+"/orders", old); err != nil {
		t.Errorf("%v; the emulator is to create a Lease, as an API server does", err)
	}
}

// TestRenewTime: renewTime advances by a second in each second, whatever the clock of this machine or of the last
// holder, so that client-go sees each renewal within a second.
func TestRenewTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, "http://api", "default")
		first := s.renewTime(nil)
		if !first.Equal(time.Now()) {
			t.Errorf("%v at %v", first, time.Now())
		}
		ahead := &microTime{first.Add(time.Hour)} // written by a machine whose clock is an hour ahead
		last := s.renewTime(ahead)
		if !last.After(ahead.Time) {
			t.Errorf("%v after %v", last, ahead)
		}
		for range 10 {
			time.Sleep(time.Second)
			now := s.renewTime(&microTime{last})
			if now.Sub(last) < time.Second {
				t.Errorf("%v after %v", now, last)
			}
			last = now
		}
	})
}

// TestNames: names that Kubernetes accepts are kept, and others are distinguished.
func TestNames(t *testing.T) {
	for group, want := range map[string]string{"orders": "orders", "orders.shop-1": "orders.shop-1",
		"Orders": "orders-0cf7107170ff417d9127ecbeabdaa40942eaf74a"} {
		if got := name("election/" + group); got != want {
			t.Errorf("%s: %s, want %s", group, got, want)
		}
	}
	seen := make(map[string]string)
	for _, key := range []string{"election/orders", "orders", "election/Orders", "election/orders/", "election/", "",
		"election/-", "election/" + name("election/Orders"), "election/" + name("election/-"), "election/日本",
		"election/" + strings.Repeat("a", 254), "election/" + strings.Repeat("a", 255)} {
		n := name(key)
		if other, ok := seen[n]; ok || len(n) > 253 || !validName.MatchString(n) {
			t.Errorf("%q: %s, as of %q", key, n, other)
		}
		seen[n] = key
	}
}

// TestProxy: what does not come from an API server is neither ErrAbsent nor ErrConflict.
func TestProxy(t *testing.T) {
	for _, code := range []int{http.StatusNotFound, http.StatusConflict, http.StatusOK} {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(`{"error": "no upstream"}`))
		}))
		s := New(proxy.Client(), proxy.URL, "default")
		_, _, got := s.Get(t.Context(), key)
		_, put := s.Put(t.Context(), key, nil, "")
		for _, err := range []error{got, put} {
			if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrAbsent) {
				t.Errorf("%d: %v", code, err)
			}
		}
		proxy.Close()
	}
}

// TestInCluster: a pod finds its server, namespace and certificate authority, and reads its token again.
func TestInCluster(t *testing.T) {
	fake := fakeapi.New()
	token := "one"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token || !strings.Contains(r.URL.Path, "/shop/") {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		fake.ServeHTTP(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	write("namespace", "shop\n")
	host, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	t.Setenv("KUBERNETES_SERVICE_HOST", host)
	t.Setenv("KUBERNETES_SERVICE_PORT", port)
	c, err := api.InCluster(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.HTTP.CloseIdleConnections()
	s := newStore(c)
	revision := ""
	for _, token = range []string{"one", "two"} {
		write("token", token+"\n")
		if revision, err = s.Put(t.Context(), key, []byte(token), revision); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := api.InCluster(dir); err == nil {
		t.Error("no error outside of a cluster")
	}
}

// TestJSON: a Lease has the fields of Kubernetes, and times with microseconds.
func TestJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	o, err := (&object{Metadata: map[string]any{"name": "orders"}}).with(
		[]byte(`{"v":1,"term":7,"owner":"a","incarnation":"f1","lease":"750ms","beat":1}`), at)
	if err != nil {
		t.Fatal(err)
	}
	delete(o.Metadata, "annotations")
	text, err := json.Marshal(o)
	const want = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"orders"},"spec":{` +
		`"holderIdentity":"a_f1","leaseDurationSeconds":2,"acquireTime":"2026-01-02T03:04:05.000006Z",` +
		`"renewTime":"2026-01-02T03:04:05.000006Z","leaseTransitions":0}}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}
