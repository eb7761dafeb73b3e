package verdict_test

import (
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/verdict"
)

// Two processes have elected the larger, as they must; a third still follows itself.
func Example() {
	three := election.Rank{ID: 3}
	var beliefs verdict.Beliefs
	beliefs.Add(election.Outcome{Role: election.Follower, Leader: three}, true)
	beliefs.Add(election.Outcome{Role: election.Leader, Leader: three}, true)
	var r verdict.Result
	beliefs.Fill(&r)
	fmt.Printf("%q %v\n", r.Broken(verdict.Rightful{ID: 3, Rule: "largest"}), r.Err())
	fmt.Println(r.Broken(verdict.Rightful{ID: 4, Rule: "largest"}).Text())

	beliefs.Add(election.Outcome{Role: election.Leader, Leader: election.Rank{ID: 2}}, true)
	beliefs.Fill(&r)
	fmt.Printf("%q %v\n", r.Broken(verdict.Rightful{ID: 3, Rule: "largest"}), r.Err())
	// Output:
	// "" <nil>
	// the leader is the right process
	// "agreement" election: no leader that all agree on: 2 processes believe they lead
}
