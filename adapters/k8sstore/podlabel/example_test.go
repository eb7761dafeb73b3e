package podlabel_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/go-election/election/adapters/k8sstore/fakeapi"
	"github.com/go-election/election/adapters/k8sstore/podlabel"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store/memstore"
)

// In a cluster, call InCluster instead of New.
func Example() {
	api := fakeapi.New()
	server := httptest.NewServer(api)
	defer server.Close()
	api.AddPod("default", "orders-0", map[string]string{"app": "orders"})

	l, _ := podlabel.New(nil, server.URL, "default", "orders", "orders-0")
	e, _ := elector.New(elector.Config{Group: "orders", Self: "orders-0", Store: memstore.New()})
	ctx, stop := context.WithCancel(context.Background())
	selected := func() []string {
		return api.Pods("default", map[string]string{"app": "orders", "go-election.github.io/leader": "orders"})
	}
	err := e.Run(ctx, l.While(func(ctx context.Context, _ elector.Term) error {
		for len(selected()) == 0 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println("leads:", selected())
		stop()
		<-ctx.Done()
		return nil
	}))
	for len(selected()) > 0 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("has led:", selected(), err)
	// Output:
	// leads: [orders-0]
	// has led: [] <nil>
}
