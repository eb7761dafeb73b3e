package store_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

// A Put whose revision is not the current one writes nothing. Any other error leaves the outcome open: call Get.
func Example() {
	ctx := context.Background()
	var s store.Store = memstore.New()
	created, err := s.Put(ctx, "color", []byte("red"), "")
	fmt.Println(err)
	_, err = s.Put(ctx, "color", []byte("blue"), created)
	fmt.Println(err)
	switch _, err = s.Put(ctx, "color", []byte("green"), created); {
	case errors.Is(err, store.ErrConflict):
		fmt.Println("somebody else was faster")
	case err != nil:
		fmt.Println("it is written, or not, or will be")
	}
	value, _, _ := s.Get(ctx, "color")
	fmt.Println(string(value))
	// Output:
	// <nil>
	// <nil>
	// somebody else was faster
	// blue
}
