package s3store_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/go-election/election/adapters/s3store"
	"github.com/go-election/election/store"
)

func Example() {
	server := httptest.NewServer(gofakes3.New(s3mem.New(), gofakes3.WithAutoBucket(true)).Server())
	defer server.Close()
	keys := func(context.Context) (s3store.Credentials, error) {
		return s3store.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
	}
	s, err := s3store.New(s3store.Config{Bucket: server.URL + "/bucket", Credentials: keys})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	created, _ := s.Put(ctx, "election/orders", []byte("first"), "")
	_, err = s.Put(ctx, "election/orders", []byte("second"), created)
	fmt.Println(err)
	_, err = s.Put(ctx, "election/orders", []byte("third"), created)
	fmt.Println(errors.Is(err, store.ErrConflict))
	value, _, _ := s.Get(ctx, "election/orders")
	fmt.Println(string(value))
	// Output:
	// <nil>
	// true
	// second
}
