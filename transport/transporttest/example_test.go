package transporttest_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/memory"
	"github.com/go-election/election/transport/transporttest"
)

// open opens the transports of processes on a network of their own.
func open(tb testing.TB, ids []election.ID) []election.Transport {
	net := memory.New()
	ends := make([]election.Transport, len(ids))
	for i, id := range ids {
		end, err := net.Endpoint(id)
		if err != nil {
			tb.Fatal(err)
		}
		ends[i] = end
	}
	return ends
}

// tests are what this test binary runs.
var tests []testing.InternalTest

func Example() {
	// In a test file this is a function: func TestMemory(t *testing.T).
	testMemory := func(t *testing.T) {
		transporttest.Test(t, open, transporttest.Options{Virtual: true})
	}
	tests = append(tests, testing.InternalTest{Name: "Memory", F: testMemory})
	// Output:
}
