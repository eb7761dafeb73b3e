package k8sstore_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/go-election/election/adapters/k8sstore"
	"github.com/go-election/election/adapters/k8sstore/fakeapi"
)

// In a cluster, call InCluster instead of New.
func Example() {
	api := httptest.NewServer(fakeapi.New())
	defer api.Close()
	ctx, s := context.Background(), k8sstore.New(nil, api.URL, "default")
	created, _ := s.Put(ctx, "election/orders", []byte("first"), "")
	_, err := s.Put(ctx, "election/orders", []byte("second"), created)
	fmt.Println(err)
	_, err = s.Put(ctx, "election/orders", []byte("third"), created)
	fmt.Println(err)
	value, _, _ := s.Get(ctx, "election/orders")
	fmt.Println(string(value))
	// Output:
	// <nil>
	// store: another revision is stored: 00000000-0000-4000-8000-000000000001/2, not 00000000-0000-4000-8000-000000000001/1
	// second
}
