package electiontest_test

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
)

// tests are what this test binary runs.
var tests []testing.InternalTest

func Example() {
	// In a test file this is a function: func TestConformance(t *testing.T).
	testConformance := func(t *testing.T) {
		electiontest.Test(t, lcr.Participant(), electiontest.Options{})
	}
	tests = append(tests, testing.InternalTest{Name: "LCR", F: testConformance})
	// Output:
}

func Example_leader() {
	// An algorithm whose leader is none of the contract's Winners says who it must be.
	first := func(in *scenario.Input, initiators []election.ID) election.ID {
		return lcrElects(in)
	}
	testConformance := func(t *testing.T) {
		electiontest.Test(t, lcr.Max(), electiontest.Options{Leader: first, Seeds: 100})
	}
	tests = append(tests, testing.InternalTest{Name: "Leader", F: testConformance})
	// Output:
}

// lcrElects returns the largest.
func lcrElects(in *scenario.Input) election.ID {
	var best election.Rank
	for p := range in.IDs {
		if r := in.Self(p); best.Less(r) {
			best = r
		}
	}
	return best.ID
}

// TestExamples runs what the examples show.
func TestExamples(t *testing.T) {
	tests = nil
	Example()
	Example_leader()
	for _, test := range tests {
		t.Run(test.Name, test.F)
	}
}
