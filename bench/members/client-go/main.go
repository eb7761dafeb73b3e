// Command client-go is a member over leaderelection of client-go, with the times that Kubernetes itself
// uses. Its lock is a Lease at the emulator of an API server, see servers/lease.
package main

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/go-election/election/bench/internal/member"
)

func main() { member.Main(run) }

// counted counts requests.
type counted struct{ http.RoundTripper }

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		member.Read()
		return c.RoundTripper.RoundTrip(r)
	}
	defer member.Write()()
	return c.RoundTripper.RoundTrip(r)
}

// run leads whenever this member has the Lease. A member that gives it up on request stands again two retry
// periods later, when another one has it.
func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	const retry = 2 * time.Second
	client, err := kubernetes.NewForConfig(&rest.Config{Host: c.Server,
		WrapTransport: func(next http.RoundTripper) http.RoundTripper { return counted{next} },
		ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		return err
	}
	lease := metav1.ObjectMeta{Name: "bench", Namespace: "default"}
	for ctx.Err() == nil {
		term, end := context.WithCancel(ctx)
		e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{LeaseMeta: lease, Client: client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: member.Name(c.Self)}},
			LeaseDuration:   15 * time.Second,
			RenewDeadline:   10 * time.Second,
			RetryPeriod:     retry,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { member.Leads(true) },
				OnStoppedLeading: func() { member.Leads(false) },
			},
		})
		if err != nil {
			end()
			return err
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.Run(term)
		}()
		select {
		case <-ended:
		case <-requests:
			end()
			<-ended
			time.Sleep(2 * retry)
		}
		end()
	}
	return nil
}
