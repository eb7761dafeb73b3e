package k8s

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/go-election/election/adapters/k8sstore/fakeapi"
)

// TestClientGoFake: the fake clientset of client-go ignores resourceVersion. Two updates of the same version succeed,
// so a test of an election that uses it proves nothing.
func TestClientGoFake(t *testing.T) {
	leases := fake.NewClientset().CoordinationV1().Leases("default")
	created, err := leases.Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "orders"}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, holder := range []string{"a", "b"} {
		update := created.DeepCopy()
		update.Spec.HolderIdentity = &holder
		if _, err := leases.Update(t.Context(), update, metav1.UpdateOptions{}); err != nil {
			t.Fatalf("the update of %s is refused: %v", holder, err)
		}
	}
}

// alone is a candidate of client-go with its default times.
type alone struct {
	leads   bool // between OnStartedLeading, which returns after work, and OnStoppedLeading
	working bool
}

// stand runs a candidate until ctx ends. Its work needs some time to return.
func (c *alone) stand(ctx context.Context, t *testing.T, client kubernetes.Interface, name string, work time.Duration) {
	e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Name: "orders", Namespace: "default"},
			Client: client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: name}},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				c.leads, c.working = true, true
				<-ctx.Done()
				time.Sleep(work)
				c.working = false
			},
			OnStoppedLeading: func() { c.leads = false },
		},
	})
	if err != nil {
		t.Error(err)
		return
	}
	e.Run(ctx)
}

// twoCandidates runs a, which leads, and b. The function steps is called once a second until it returns false.
func twoCandidates(t *testing.T, work time.Duration, disturb func(stopA func(), api http.Handler),
	step func(a, b alone, since time.Duration) bool) {
	synctest.Test(t, func(t *testing.T) {
		api := fakeapi.New()
		client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://api", Transport: &link{server: api},
			ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ctxA, stopA := context.WithCancel(ctx)
		var a, b alone
		go a.stand(ctxA, t, client, "a", work)
		time.Sleep(time.Second)
		go b.stand(ctx, t, client, "b", work)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !a.leads || b.leads {
			t.Fatal("a does not lead")
		}
		disturb(stopA, api)
		for since := time.Duration(0); ; since += 100 * time.Millisecond {
			synctest.Wait()
			if !step(a, b, since) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		stop()
		time.Sleep(time.Minute)
	})
}

// TestClientGoDeleted: after somebody has deleted the Lease, another candidate may create it and lead immediately, and the
// former leader leads for about RenewDeadline more, although it sees the new holder.
func TestClientGoDeleted(t *testing.T) {
	both := time.Duration(0)
	for range 100 { // until b, whose times are random, is earlier than the next renewal of a
		twoCandidates(t, 0, func(_ func(), api http.Handler) {
			api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodDelete,
				"/apis/coordination.k8s.io/v1/namespaces/default/leases/orders", nil))
		}, func(a, b alone, since time.Duration) bool {
			if a.leads && b.leads {
				both += 100 * time.Millisecond
			}
			return since < 30*time.Second
		})
		if both > 0 {
			break
		}
	}
	if both < 5*time.Second {
		t.Fatalf("both lead for %v", both)
	}
	t.Logf("both lead for %v", both)
}

// TestClientGoRelease: with ReleaseOnCancel the Lease is released before the work has returned, and another candidate
// leads meanwhile.
func TestClientGoRelease(t *testing.T) {
	both := time.Duration(0)
	twoCandidates(t, 10*time.Second, func(stopA func(), _ http.Handler) { stopA() },
		func(a, b alone, since time.Duration) bool {
			if a.working && b.working {
				both += 100 * time.Millisecond
			}
			return since < 30*time.Second
		})
	if both < 5*time.Second {
		t.Fatalf("both work for %v", both)
	}
	t.Logf("both work for %v", both)
}
