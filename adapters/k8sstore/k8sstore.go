package k8sstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-election/election/adapters/k8sstore/internal/api"
	"github.com/go-election/election/store"
)

// Store keeps each value in a Lease. It implements [store.Watcher].
type Store struct {
	api         *api.Client
	leases      string // path of the URL
	mu          sync.Mutex
	seen        map[string]*object // by name: the last one read or written, because a PUT replaces everything
	renewed     time.Time          // the last renewTime written
	renewedWhen time.Time          // by the monotonic clock
}

// New returns a Store in a namespace. The client authenticates and trusts the server, whose URL is a base such as
// https://10.0.0.1:6443. If client is nil, http.DefaultClient.
func New(client *http.Client, server, namespace string) *Store {
	return newStore(api.New(client, server, namespace))
}

func newStore(c *api.Client) *Store {
	return &Store{api: c, seen: make(map[string]*object),
		leases: "/apis/coordination.k8s.io/v1/namespaces/" + url.PathEscape(c.Namespace) + "/leases"}
}

// InCluster returns a Store for a pod: with its service account, in its namespace.
func InCluster() (*Store, error) {
	c, err := api.InCluster(api.ServiceAccount)
	if err != nil {
		return nil, fmt.Errorf("k8sstore: %w", err)
	}
	return newStore(c), nil
}

// Get reads a Lease.
func (s *Store) Get(ctx context.Context, key string) ([]byte, string, error) {
	o, err := s.get(ctx, name(key))
	if err != nil {
		return nil, "", err
	}
	value, err := o.value()
	return value, o.revision(), err
}

func (s *Store) get(ctx context.Context, name string) (*object, error) {
	o, err := s.do(ctx, http.MethodGet, s.leases+"/"+name, nil)
	if api.IsReason(err, "NotFound") {
		return nil, fmt.Errorf("%w: %w", store.ErrAbsent, err)
	}
	return o, err
}

// Put creates or replaces a Lease.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	name, method := name(key), http.MethodPost
	to, old := s.leases, &object{Metadata: map[string]any{"name": name}}
	if revision != "" {
		s.mu.Lock()
		old = s.seen[name]
		s.mu.Unlock()
		if old == nil || old.revision() != revision {
			var err error
			if old, err = s.get(ctx, name); errors.Is(err, store.ErrAbsent) {
				return "", conflict(err)
			} else if err != nil {
				return "", err
			}
		}
		if now := old.revision(); now != revision {
			return "", conflict(fmt.Errorf("%s, not %s", now, revision))
		}
		method, to = http.MethodPut, s.leases+"/"+name
	}
	next, err := old.with(value, s.renewTime(old.Spec.RenewTime))
	if err != nil {
		return "", err
	}
	written, err := s.do(ctx, method, to, next)
	switch {
	case api.IsReason(err, "Conflict"), api.IsReason(err, "AlreadyExists"), method == http.MethodPut && api.IsReason(err, "NotFound"):
		return "", conflict(err)
	case err != nil:
		return "", err
	}
	return written.revision(), nil
}

func conflict(err error) error { return fmt.Errorf("%w: %w", store.ErrConflict, err) }

// renewTime returns the renewTime for a write. It is the time of day, but it increases even if the time of day is set back:
// it is later than the replaced renewTime, and grows at least as fast as the clock of the process.
func (s *Store) renewTime(replaced *microTime) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	next := now.Round(0)
	if !s.renewedWhen.IsZero() {
		next = later(next, s.renewed.Add(now.Sub(s.renewedWhen)))
	}
	if replaced != nil {
		next = later(next, replaced.Add(time.Microsecond))
	}
	s.renewed, s.renewedWhen = next, now
	return next
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Watch yields an Event for each change of a Lease.
func (s *Store) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		// Without a resourceVersion the first event is the present Lease, so that no change is missed.
		query := url.Values{"watch": {"true"}, "fieldSelector": {"metadata.name=" + name(key)}}
		r, err := s.api.Send(ctx, http.MethodGet, s.leases+"?"+query.Encode(), "", nil)
		if err != nil {
			return
		}
		defer r.Body.Close()
		for events := json.NewDecoder(r.Body); ; {
			var change struct {
				Type   string
				Object object
			}
			if events.Decode(&change) != nil {
				return
			}
			var e store.Event
			switch change.Type {
			case "ADDED", "MODIFIED":
				s.see(&change.Object)
				value, err := change.Object.value()
				if err != nil {
					return
				}
				e = store.Event{Value: value, Revision: change.Object.revision()}
			case "DELETED":
			default: // ERROR: the server has forgotten the changes that come next
				return
			}
			if !yield(e) {
				return
			}
		}
	}
}

// see keeps a Lease for the next Put.
func (s *Store) see(o *object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[o.name()] = o
}

// do sends a request, and returns the Lease of the answer. The body is nil or an *object.
func (s *Store) do(ctx context.Context, method, path string, body any) (*object, error) {
	var o object
	if err := s.api.Do(ctx, method, path, "application/json", body, &o); err != nil {
		return nil, fmt.Errorf("k8sstore: %w", err)
	}
	if o.revision() == "/" {
		return nil, fmt.Errorf("k8sstore: %s %s: the answer is not a Lease", method, path)
	}
	s.see(&o)
	return &o, nil
}
