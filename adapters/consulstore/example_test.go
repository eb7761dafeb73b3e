package consulstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-election/election/adapters/consulstore"
	"github.com/go-election/election/store"
)

// It needs an agent of Consul.
func Example() {
	ctx, s := context.Background(), consulstore.New(nil, "http://127.0.0.1:8500", os.Getenv("CONSUL_HTTP_TOKEN"))
	value, revision, err := s.Get(ctx, "election/orders")
	switch {
	case errors.Is(err, store.ErrAbsent):
		fmt.Println("nobody has led yet")
	case err == nil:
		fmt.Printf("%s at %s\n", value, revision)
	}
}
