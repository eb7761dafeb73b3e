package memstore_test

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
	"github.com/go-election/election/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	s := memstore.New()
	storetest.Test(t, func(context.Context, string) (store.Store, func() error, error) { return s, nil, nil },
		storetest.Options{Delete: func(_ context.Context, key string) error {
			s.Delete(key)
			return nil
		}})
}

// A loop over Watch gets each value that it is in time for.
func ExampleStore_Watch() {
	ctx, s := context.Background(), memstore.New()
	_, _ = s.Put(ctx, "color", []byte("red"), "")
	for e := range s.Watch(ctx, "color") {
		fmt.Println(string(e.Value))
		if string(e.Value) == "blue" {
			break
		}
		_, _ = s.Put(ctx, "color", []byte("blue"), e.Revision)
	}
	// Output:
	// red
	// blue
}
