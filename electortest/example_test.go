package electortest_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/electortest"
)

// tests are what this test binary runs.
var tests []testing.InternalTest

// A service writes each second while it leads, and ends its work when a write is refused.
func Example() {
	// In a test file this is a function: func TestOrders(t *testing.T).
	testOrders := func(t *testing.T) {
		electortest.Test(t, electortest.Config{}, func(m *electortest.Member) error {
			return m.Run(func(ctx context.Context, term elector.Term) error {
				for ctx.Err() == nil && m.Write(term.Token()) == nil {
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
				}
				return nil
			})
		})
	}
	tests = append(tests, testing.InternalTest{Name: "Orders", F: testOrders})
	// Output:
}
