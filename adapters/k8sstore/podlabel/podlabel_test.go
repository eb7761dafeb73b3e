package podlabel

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election/adapters/k8sstore/fakeapi"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store/memstore"
)

// cluster is an API server with the pods of a group, in a bubble of package synctest.
type cluster struct {
	*testing.T
	api    *fakeapi.Server
	store  *memstore.Store
	mu     sync.Mutex
	broken func(*http.Request) http.Handler // answers a request instead of api, unless it returns nil
	slow   time.Duration                    // before each answer
	most   int                              // pods that had the label at one time
}

var selector = map[string]string{"app": "orders", "go-election.github.io/leader": "orders"}

func newCluster(t *testing.T) *cluster {
	c := &cluster{T: t, api: fakeapi.New(), store: memstore.New()}
	for _, pod := range []string{"a", "b", "c"} {
		c.api.AddPod("shop", pod, map[string]string{"app": "orders"})
	}
	return c
}

// RoundTrip carries out a request without a socket, so that the time of the bubble passes.
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	slow, broken := c.slow, c.broken
	c.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	w, handler := httptest.NewRecorder(), http.Handler(c.api)
	if broken != nil {
		if h := broken(r); h != nil {
			handler = h
		}
	}
	handler.ServeHTTP(w, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = max(c.most, len(c.leaders()))
	return w.Result(), nil
}

func (c *cluster) set(slow time.Duration, broken func(*http.Request) http.Handler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slow, c.broken = slow, broken
}

// leaders returns the pods to which a Service sends requests.
func (c *cluster) leaders() []string { return c.api.Pods("shop", selector) }

// expect waits until the Service selects one pod.
func (c *cluster) expect(pod string, within time.Duration) {
	c.Helper()
	for end := time.Now().Add(within); ; time.Sleep(time.Millisecond) {
		if slices.Equal(c.leaders(), []string{pod}) {
			return
		}
		if time.Now().After(end) {
			c.Fatalf("%v have the label after %v, want %s", c.leaders(), within, pod)
		}
	}
}

func (c *cluster) label(pod string) *Label {
	c.Helper()
	l, err := New(&http.Client{Transport: c}, "http://api", "shop", "orders", pod)
	if err != nil {
		c.Fatal(err)
	}
	return l
}

// member is one that runs.
type member struct {
	*elector.Elector
	stop     context.CancelFunc
	ended    chan error
	led      atomic.Int32
	term     atomic.Pointer[elector.Term] // the last one
	overruns atomic.Int32
	link     *grouptest.Link
}

// start runs a member whose work ends with its context.
func (c *cluster) start(pod string, l *Label) *member {
	c.Helper()
	m := &member{ended: make(chan error, 1), link: &grouptest.Link{Watcher: c.store}}
	e, err := elector.New(elector.Config{Group: "orders", Self: pod, Store: m.link,
		Overrun: func(elector.Term) { m.overruns.Add(1) }})
	if err != nil {
		c.Fatal(err)
	}
	ctx, stop := context.WithCancel(c.Context())
	m.Elector, m.stop = e, stop
	go func() {
		m.ended <- e.Run(ctx, l.While(func(ctx context.Context, term elector.Term) error {
			m.term.Store(&term)
			m.led.Add(1)
			<-ctx.Done()
			return nil
		}))
	}()
	return m
}

// end stops members, and requires that none has worked for longer than it led.
func (c *cluster) end(members ...*member) {
	c.Helper()
	for _, m := range members {
		m.stop()
		if err := <-m.ended; err != nil {
			c.Error(err)
		}
		if m.overruns.Load() > 0 {
			c.Error("the work was late")
		}
	}
	time.Sleep(2 * removal) // for removals that are in progress
}

func bubble(t *testing.T, test func(*cluster)) {
	synctest.Test(t, func(t *testing.T) { test(newCluster(t)) })
}

// TestHandover: when the leader ends, its pod loses the label before another member leads.
func TestHandover(t *testing.T) {
	bubble(t, func(c *cluster) {
		a := c.start("a", c.label("a"))
		c.expect("a", time.Second)
		b := c.start("b", c.label("b"))
		time.Sleep(time.Minute)
		c.expect("a", 0)
		c.set(20*time.Millisecond, nil)
		a.stop()
		if err := <-a.ended; err != nil || slices.Contains(c.leaders(), "a") {
			c.Errorf("%v; %v have the label", err, c.leaders())
		}
		c.expect("b", time.Second)
		a.ended <- nil
		c.end(a, b)
		if c.most > 1 || len(c.leaders()) > 0 {
			c.Errorf("%d pods had the label at one time; now %v", c.most, c.leaders())
		}
	})
}

// TestLost: a leader that cannot renew its lease removes the label before the lease ends.
func TestLost(t *testing.T) {
	bubble(t, func(c *cluster) {
		a := c.start("a", c.label("a"))
		c.expect("a", time.Second)
		b := c.start("b", c.label("b"))
		time.Sleep(time.Second)
		var left []time.Duration
		c.set(10*time.Millisecond, func(r *http.Request) http.Handler {
			if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/a") {
				left = append(left, a.term.Load().Left())
			}
			return nil
		})
		a.link.Cut.Store(true)
		c.expect("b", 5*time.Second)
		c.end(a, b)
		if c.most > 1 {
			c.Errorf("%d pods had the label at one time", c.most)
		}
		if len(left) != 1 || left[0] < elector.LAN().Lease/8 {
			c.Errorf("the label was removed with %v of the lease left", left)
		}
	})
}

// TestCrash: the label of a pod whose process has crashed is removed by the process that starts in it, or by the
// next leader. Pods of other groups keep theirs.
func TestCrash(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.api.AddPod("shop", "a", selector)
		if err := c.label("a").Clear(c.Context()); err != nil || len(c.leaders()) > 0 {
			c.Errorf("%v; %v have the label", err, c.leaders())
		}
		c.api.AddPod("shop", "a", selector)
		other := map[string]string{"app": "users", "go-election.github.io/leader": "users"}
		c.api.AddPod("shop", "users-0", other)
		c.api.AddPod("bank", "a", selector)
		b := c.start("b", c.label("b"))
		c.expect("b", time.Second)
		c.api.AddPod("shop", "a", selector) // a request of a former leader that arrives late
		c.expect("b", refresh)
		c.api.AddPod("shop", "b", map[string]string{"app": "orders"})
		c.expect("b", refresh)
		if len(c.api.Pods("shop", other)) != 1 || len(c.api.Pods("bank", selector)) != 1 {
			c.Error("another group has lost its label")
		}
		c.end(b)
	})
}

// TestSlow: a slow API server delays the label, and neither the work nor the next leader. A label that cannot be
// removed in time is removed later.
func TestSlow(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.set(2*time.Second, nil)
		a := c.start("a", c.label("a"))
		time.Sleep(time.Second)
		if a.led.Load() != 1 || len(c.leaders()) > 0 {
			c.Errorf("led %d times; %v have the label", a.led.Load(), c.leaders())
		}
		c.expect("a", 5*time.Second)
		b := c.start("b", c.label("b"))
		time.Sleep(time.Second)
		c.set(time.Hour, nil) // each request hangs
		a.stop()
		if err := <-a.ended; err != nil {
			c.Error(err)
		}
		for before := time.Now(); b.led.Load() == 0; time.Sleep(time.Millisecond) {
			if time.Since(before) > time.Second {
				c.Fatal("the next leader waits for the label")
			}
		}
		if !slices.Equal(c.leaders(), []string{"a"}) {
			c.Errorf("%v have the label", c.leaders())
		}
		time.Sleep(10 * time.Second)
		c.set(0, nil)
		c.expect("b", 2*refresh)
		a.ended <- nil
		c.end(a, b)
	})
}

// TestAgain: a member that leads again ends the removal after its last Term.
func TestAgain(t *testing.T) {
	bubble(t, func(c *cluster) {
		a := c.start("a", c.label("a"))
		c.expect("a", time.Second)
		c.set(0, func(*http.Request) http.Handler { return http.NotFoundHandler() }) // a proxy
		if err := a.Resign(c.Context()); err != nil {
			c.Fatal(err)
		}
		for a.led.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
		c.set(0, nil)
		time.Sleep(refresh)
		for range 100 {
			time.Sleep(time.Second)
			c.expect("a", 0)
		}
		c.end(a)
	})
}

// TestConflict: a pod that changes between the list and the patch is compared again.
func TestConflict(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.api.AddPod("shop", "c", selector)
		conflicts := 0
		c.set(0, func(r *http.Request) http.Handler {
			if r.Method != http.MethodPatch || !strings.HasSuffix(r.URL.Path, "/c") || conflicts == 2 {
				return nil
			}
			conflicts++
			c.api.AddPod("shop", "c", selector) // it has another version now
			return c.api
		})
		a := c.start("a", c.label("a"))
		c.expect("a", 2*again+time.Second)
		if conflicts != 2 {
			c.Errorf("%d conflicts", conflicts)
		}
		c.end(a)
	})
}

// TestForbidden: an error names the right that is missing. It is logged once, and the work is done all the same.
func TestForbidden(t *testing.T) {
	for verb, method := range map[string]string{"list": http.MethodGet, "patch": http.MethodPatch} {
		bubble(t, func(c *cluster) {
			c.set(0, func(r *http.Request) http.Handler {
				if r.Method != method {
					return nil
				}
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.WriteHeader(http.StatusForbidden)
					fmt.Fprintf(w, `{"kind": "Status", "reason": "Forbidden", "message": "pods is forbidden: User \"orders\" `+
						`cannot %s resource \"pods\""}`, verb)
				})
			})
			l := c.label("a")
			want := "podlabel: the service account needs the verb " + verb + " for pods: " + method + " "
			if err := l.Clear(c.Context()); err == nil || !strings.HasPrefix(err.Error(), want) ||
				!strings.HasSuffix(err.Error(), `cannot `+verb+` resource "pods"`) {
				c.Error(err)
			}
			var log bytes.Buffer
			l.Log = slog.New(slog.NewTextHandler(&log, nil))
			a := c.start("a", l)
			time.Sleep(time.Minute)
			if n := strings.Count(log.String(), "level=WARN msg=\"the label of the leader is not as it should be\""); n != 1 ||
				a.led.Load() != 1 {
				c.Errorf("led %d times; logged %d times:\n%s", a.led.Load(), n, log.String())
			}
			c.end(a)
		})
	}
}

// TestNew: a group that cannot be a value is refused, with the beginning of its name, and so is a pod without a name.
func TestNew(t *testing.T) {
	for _, group := range []string{"", "-", "a b", "orders/", strings.Repeat("a", 64), "日本"} {
		if _, err := New(nil, "http://api", "shop", group, "a"); err == nil || len(err.Error()) > 120 {
			t.Errorf("%q: %v", group, err)
		}
	}
	for _, group := range []string{"a", "orders", "Orders_1.x", strings.Repeat("a", 63)} {
		if _, err := New(nil, "http://api", "shop", group, "a"); err != nil {
			t.Errorf("%q: %v", group, err)
		}
	}
	if _, err := New(nil, "http://api", "shop", "orders", ""); err == nil {
		t.Error("a pod without a name")
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := InCluster("orders", "a"); err == nil {
		t.Error("no error outside of a cluster")
	}
}
