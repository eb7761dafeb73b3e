package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	v1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/store/memstore"
)

var watched = client.ObjectKey{Namespace: "shop", Name: "watched"}

// cluster is a fake client that all replicas share.
func cluster() client.Client {
	return fake.NewClientBuilder().WithObjects(&core.ConfigMap{ObjectMeta: v1.ObjectMeta{Namespace: watched.Namespace,
		Name: watched.Name, Labels: map[string]string{"watched": "yes"}}}).Build()
}

// token returns the token at the ConfigMap, zero if there is none.
func token(t *testing.T, c client.Client) uint64 {
	t.Helper()
	var m core.ConfigMap
	if err := c.Get(t.Context(), watched, &m); err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.ParseUint(m.Annotations[annotation], 10, 64)
	return n
}

// replica is one process of the controller, without a server.
type replica struct {
	stop    context.CancelFunc
	ended   chan error
	running atomic.Int32
}

func start(t *testing.T, name string, c client.Client, s *memstore.Store) *replica {
	t.Helper()
	e, err := elector.New(elector.Config{Group: "controller", Self: name, Store: s})
	if err != nil {
		t.Fatal(err)
	}
	o := options(elector.LAN())
	o.MapperProvider = func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
		m := meta.NewDefaultRESTMapper(nil)
		m.Add(core.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
		return m, nil
	}
	informers := &informertest.FakeInformers{Scheme: scheme.Scheme}
	o.NewCache = func(*rest.Config, cache.Options) (cache.Cache, error) { return informers, nil }
	o.NewClient = func(*rest.Config, client.Options) (client.Client, error) { return c, nil }
	r := &replica{ended: make(chan error, 1)}
	work := lead(&rest.Config{}, o, func(m manager.Manager, term elector.Term) error {
		if err := setup(m, term); err != nil {
			return err
		}
		return m.Add(manager.RunnableFunc(func(ctx context.Context) error { // what an informer would report
			r.running.Add(1)
			defer r.running.Add(-1)
			for {
				informer, err := informers.FakeInformerFor(ctx, &core.ConfigMap{})
				var seen core.ConfigMap
				if err == nil {
					err = c.Get(ctx, watched, &seen)
				}
				if err != nil && ctx.Err() == nil {
					return err
				}
				informer.Add(&seen)
				select {
				case <-ctx.Done():
					return nil
				case <-time.After(10 * time.Millisecond):
				}
			}
		}))
	})
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { r.ended <- e.Run(ctx, work) }()
	return r
}

func (r *replica) end(t *testing.T) {
	t.Helper()
	r.stop()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if n := r.running.Load(); n != 0 {
		t.Errorf("%d managers work after Run has returned", n)
	}
}

// TestManager: the manager of the leader reconciles, with its token. When the leader ends, its manager ends first, and
// the next leader reconciles with a larger token. A process can lead twice.
func TestManager(t *testing.T) {
	c, s := cluster(), memstore.New()
	last := uint64(0)
	await := func(of, not *replica) {
		t.Helper()
		for end := time.Now().Add(time.Minute); token(t, c) <= last; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nobody reconciles")
			}
		}
		last = token(t, c)
		if of.running.Load() != 1 || not != nil && not.running.Load() != 0 {
			t.Error("another manager works")
		}
	}
	a := start(t, "a", c, s)
	await(a, nil)
	b := start(t, "b", c, s)
	a.end(t)
	await(b, a)
	a = start(t, "a", c, s) // in this process, so the name of its controller is known already
	b.end(t)
	await(a, b)
	a.end(t)
}

// TestStale: a former leader does not change what a later one has written.
func TestStale(t *testing.T) {
	c := cluster()
	reconciled := func(number uint64) error {
		_, err := reconciler(c, elector.Term{Number: number}).Reconcile(t.Context(), reconcile.Request{NamespacedName: watched})
		return err
	}
	if err := reconciled(8); err != nil || token(t, c) != 8 {
		t.Fatal(token(t, c), err)
	}
	if err := reconciled(7); !errors.Is(err, reconcile.TerminalError(nil)) || token(t, c) != 8 {
		t.Error(token(t, c), err)
	}
	if err := reconciled(9); err != nil || token(t, c) != 9 {
		t.Error(token(t, c), err)
	}
}
