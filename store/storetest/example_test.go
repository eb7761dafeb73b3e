package storetest_test

import (
	"context"
	"fmt"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
	"github.com/go-election/election/store/storetest"
)

// Without package testing, Check reports what a store promises.
func ExampleCheck() {
	s := memstore.New()
	open := func(context.Context, string) (store.Store, func() error, error) { return s, nil, nil }
	for f := range storetest.Check(context.Background(), open, storetest.Options{}) {
		if f.Verdict == storetest.Broken || f.Verdict == storetest.NotPromised {
			fmt.Println(f.Property, f.Verdict, f.Text)
		}
	}
	// Output:
}
