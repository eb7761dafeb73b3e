package k8s

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/go-election/election/adapters/k8sstore"
	"github.com/go-election/election/adapters/k8sstore/fakeapi"
	"github.com/go-election/election/elector"
)

func init() { klog.SetLogger(klog.Logger{}) } // discards what client-go logs

// group is all candidates for one Lease.
type group struct {
	t   *testing.T
	api http.Handler

	mu      sync.Mutex
	leaders map[*candidate]bool
	led     []string // kinds of the leaders, one after another
	members []*candidate
	started int
}

const (
	old  = "client-go"
	ours = "elector"
)

// candidate is one process.
type candidate struct {
	g          *group
	kind, name string
	link       *link
	stop       context.CancelFunc
	ended      chan struct{}
}

// leads records that a candidate leads, or no longer leads. No two candidates may lead at the same time.
func (c *candidate) leads(yes bool) {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	if !yes {
		delete(c.g.leaders, c)
		return
	}
	for other := range c.g.leaders {
		c.g.t.Errorf("%s leads, and %s still does", c.name, other.name)
	}
	c.g.leaders[c] = true
	c.g.led = append(c.g.led, c.kind)
}

// start starts a candidate. Each has a name of its own, as a pod.
func (g *group) start(kind string) {
	ctx, stop := context.WithCancel(g.t.Context())
	c := &candidate{g: g, kind: kind, name: fmt.Sprintf("%s-%d", kind, g.started), link: &link{server: g.api},
		stop: stop, ended: make(chan struct{})}
	g.started++
	g.members = append(g.members, c)
	run := c.runElector
	if kind == old {
		run = c.runClientGo
	}
	go func() {
		defer close(c.ended)
		if err := run(ctx); err != nil {
			g.t.Error(err)
		}
	}()
}

// runClientGo is a candidate of client-go with the default times of controllers.
func (c *candidate) runClientGo(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://api", Transport: c.link, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		return err
	}
	for ctx.Err() == nil { // a controller would exit and be started again
		e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &releasing{c, &resourcelock.LeaseLock{
				LeaseMeta: metav1.ObjectMeta{Name: "orders", Namespace: "default"}, Client: client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: c.name}}},
			LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) {
					if ctx.Err() == nil {
						c.leads(true)
					}
				},
				OnStoppedLeading: func() { c.leads(false) },
			},
		})
		if err != nil {
			return err
		}
		e.Run(ctx)
	}
	return nil
}

// releasing is a lock whose candidate has stopped its work before it releases. client-go itself releases first, and
// cancels the context of the work afterwards, see TestClientGoRelease.
type releasing struct {
	*candidate
	resourcelock.Interface
}

func (r *releasing) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if record.HolderIdentity == "" {
		r.leads(false)
	}
	return r.Interface.Update(ctx, record)
}

// runElector is a candidate of package elector.
func (c *candidate) runElector(ctx context.Context) error {
	e, err := elector.New(elector.Config{Group: "orders", Self: c.name, Times: elector.Times{Lease: 3 * time.Second},
		Store: k8sstore.New(&http.Client{Transport: c.link}, "http://api", "default")})
	if err != nil {
		return err
	}
	return e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
		c.leads(true)
		<-ctx.Done()
		c.leads(false)
		return nil
	})
}

// replace starts a candidate of the same kind for one that has ended.
func (g *group) replace(c *candidate) {
	g.members = slices.DeleteFunc(g.members, func(m *candidate) bool { return m == c })
	g.start(c.kind)
}

// end ends a candidate. Work of client-go has to return before its context ends, as its documentation requires; package
// elector waits for the work.
func (c *candidate) end() {
	if c.kind == old {
		c.leads(false)
	}
	c.stop()
	<-c.ended
}

// crash ends a candidate like a process that is killed: nothing that it does matters any more.
func (c *candidate) crash() {
	c.link.cut.Store(true)
	c.leads(false)
	c.stop()
	<-c.ended
}

// leader returns the candidate that leads, or nil.
func (g *group) leader() *candidate {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.leaders {
		return c
	}
	return nil
}

// await waits until a candidate leads, and returns it and how long that took.
func (g *group) await(most time.Duration) (c *candidate, took time.Duration) {
	for ; took <= most; took += 10 * time.Millisecond {
		if c := g.leader(); c != nil {
			return c, took
		}
		time.Sleep(10 * time.Millisecond)
	}
	g.t.Fatalf("no candidate leads after %v", most)
	return nil, 0
}

// inBubble runs a test in virtual time, and ends all candidates.
func inBubble(t *testing.T, test func(g *group)) {
	synctest.Test(t, func(t *testing.T) {
		g := &group{t: t, api: fakeapi.New(), leaders: make(map[*candidate]bool)}
		test(g)
		for _, c := range g.members {
			c.end()
		}
		time.Sleep(time.Minute) // for what client-go leaves running
	})
}

// TestHandover: each kind takes over from the other, after a planned end and after a crash, and not before the lease of
// the last leader has expired.
func TestHandover(t *testing.T) {
	for _, c := range []struct {
		from, to    string
		end         func(*candidate)
		least, most time.Duration
	}{
		{old, ours, (*candidate).end, 0, time.Second},
		{ours, old, (*candidate).end, 0, 5 * time.Second}, // client-go asks every 2 to 4.4 s
		// The lease of client-go as others see it is 16 s, and was renewed at most 2 s ago.
		{old, ours, (*candidate).crash, 14 * time.Second, 17 * time.Second},
		// client-go waits for 5 s after it has seen a change, at most 1.75 s before the crash.
		{ours, old, (*candidate).crash, 3 * time.Second, 14 * time.Second},
	} {
		inBubble(t, func(g *group) {
			g.start(c.from)
			first, _ := g.await(10 * time.Second)
			g.start(c.to)
			time.Sleep(time.Minute)
			if g.leader() != first {
				t.Errorf("%s: another candidate leads without need", c.from)
			}
			c.end(first)
			next, took := g.await(time.Minute)
			if next.kind != c.to || took < c.least || took > c.most {
				t.Errorf("from %s to %s: %s leads after %v, want %v to %v", c.from, c.to, next.name, took, c.least, c.most)
			}
			t.Logf("from %s to %s: %v", c.from, c.to, took)
		})
	}
}

// TestMixed: three candidates of each kind crash, end, are cut off and lose answers. No two of them ever lead at the
// same time, and leaders of both kinds follow each other.
func TestMixed(t *testing.T) {
	follows := make(map[[2]string]int)
	for seed := range uint64(10) {
		inBubble(t, func(g *group) {
			random := rand.New(rand.NewPCG(seed, 0))
			for range 3 {
				g.start(old)
				g.start(ours)
			}
			for range 60 {
				time.Sleep(time.Duration(random.IntN(20_000)) * time.Millisecond)
				c := g.leader()
				if c == nil || random.IntN(4) == 0 {
					c = g.members[random.IntN(len(g.members))]
				}
				switch random.IntN(5) {
				case 0:
					c.crash()
					g.replace(c)
				case 1:
					c.end()
					g.replace(c)
				case 2:
					c.link.cut.Store(true)
					time.Sleep(time.Duration(random.IntN(20_000)) * time.Millisecond)
					c.link.cut.Store(false)
				case 3:
					c.link.deaf.Store(true)
					time.Sleep(time.Duration(random.IntN(20_000)) * time.Millisecond)
					c.link.deaf.Store(false)
				case 4: // all of one kind, so that the other kind has to lead
					same := slices.DeleteFunc(slices.Clone(g.members), func(m *candidate) bool { return m.kind != c.kind })
					for _, other := range same {
						other.crash()
					}
					time.Sleep(time.Duration(random.IntN(60_000)) * time.Millisecond)
					for _, other := range same {
						g.replace(other)
					}
				}
			}
			for i := range g.led[1:] {
				follows[[2]string{g.led[i], g.led[i+1]}]++
			}
		})
	}
	t.Log(follows)
	for _, from := range []string{old, ours} {
		for _, to := range []string{old, ours} {
			if follows[[2]string{from, to}] == 0 {
				t.Errorf("no candidate of %s follows one of %s", to, from)
			}
		}
	}
}
