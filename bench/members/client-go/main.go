// Command client-go is a member over leaderelection of client-go, with the times that Kubernetes itself
// uses. Its lock is a Lease at the stand-in for an API server, see servers/lease.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/go-election/election/bench/internal/member"
)

func main() { member.Main(run) }

// stored is the Lease as the server keeps it.
type stored struct {
	Version int                               `json:"version"`
	Record  resourcelock.LeaderElectionRecord `json:"record"`
}

// lock is the Lease as client-go sees it.
type lock struct {
	identity, server string
	version          int
}

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

func (l *lock) do(ctx context.Context, method string, body *stored) (*stored, error) {
	var content io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(ctx, method, l.server, content)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		var s stored
		err := json.NewDecoder(answer.Body).Decode(&s)
		l.version = s.Version
		return &s, err
	case http.StatusNotFound:
		return nil, apierrors.NewNotFound(leases, "bench")
	case http.StatusConflict:
		return nil, apierrors.NewConflict(leases, "bench", errors.New("another version"))
	}
	return nil, errors.New(answer.Status)
}

func (l *lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	s, err := l.do(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(s.Record)
	return &s.Record, raw, err
}

func (l *lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	_, err := l.do(ctx, http.MethodPut, &stored{Record: r})
	return err
}

func (l *lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	_, err := l.do(ctx, http.MethodPut, &stored{Version: l.version, Record: r})
	return err
}

func (l *lock) RecordEvent(string) {}
func (l *lock) Identity() string   { return l.identity }
func (l *lock) Describe() string   { return "bench" }

// run leads whenever this member has the Lease. A member that gives it up on request stands again two retry
// periods later, when another one has it.
func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	const retry = 2 * time.Second
	for ctx.Err() == nil {
		term, end := context.WithCancel(ctx)
		e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock:            &lock{identity: member.Name(c.Self), server: c.Server},
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
