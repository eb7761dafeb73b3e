package nodetest_test

import (
	"fmt"
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/nodetest"
)

// A test of an algorithm has a row for each rule, and simulates whole elections.
func Example() {
	me := election.Rank{ID: 5}
	larger := election.Message{Kind: 1, Rank: election.Rank{ID: 9}}
	test := func(t *testing.T) {
		nodetest.Rules(t, lcr.Max(), me, []nodetest.Rule{
			{Name: "a larger Rank is passed on", When: nodetest.From(election.Counterclockwise, larger),
				Sends: []election.Outgoing{nodetest.To(election.Clockwise, larger)}},
		})
		r := nodetest.Elect(t, nodetest.Ring(lcr.Max(), []election.ID{3, 1, 2}))
		fmt.Println("leader", r.Leader, "after", r.Messages, "messages")
	}
	fmt.Println(testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "TestRing", F: test}}))
	// Output:
	// leader 3 after 15 messages
	// true
}
