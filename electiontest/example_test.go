package electiontest_test

import (
	"slices"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
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

func Example_winner() {
	// An algorithm whose leader is none of the contract's Winners brings a rule of its own.
	largest := &election.Winner{Name: "largest", Of: func(all []election.Candidate) election.ID {
		byRank := func(a, b election.Candidate) int { return a.Rank.Compare(b.Rank) }
		return slices.MaxFunc(all, byRank).Rank.ID
	}}
	algorithm := lcr.Max()
	algorithm.Winner = largest
	testConformance := func(t *testing.T) {
		electiontest.Test(t, algorithm, electiontest.Options{Seeds: 100})
	}
	tests = append(tests, testing.InternalTest{Name: "Winner", F: testConformance})
	// Output:
}

// TestExamples runs what the examples show.
func TestExamples(t *testing.T) {
	tests = nil
	Example()
	Example_winner()
	for _, test := range tests {
		t.Run(test.Name, test.F)
	}
}
