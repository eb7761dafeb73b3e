package bridge

import (
	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// costChallenges ask for the runs that take the most messages.
func costChallenges() []*challenge {
	all := []*challenge{{
		ID: "worst-lcr", Package: "lcr", Name: "The most messages", Par: 20,
		Hint: "An ID travels until it meets a larger one. Choose the order of the IDs so that each goes " +
			"as far " +
			"as it can.",
		Scenario: &scenario.Scenario{Algorithm: "lcr", Variant: "participant"},
	}, {
		ID: "worst-hs", Package: "hs", Name: "The most messages", Par: 60,
		Hint: "A process that wins a phase doubles its reach. Choose the order of the IDs so that many " +
			"win the " +
			"first phase and many of these the next.",
		Scenario: &scenario.Scenario{Algorithm: "hs", Variant: "probe"},
	}, {
		ID: "worst-bully", Package: "bully", Name: "The most messages", Par: 20,
		Hint: "Process 5 is down, and one process begins. Each process asks all larger ones: " +
			"choose the one " +
			"that wakes the most.",
		Scenario: &scenario.Scenario{Algorithm: "bully", Variant: "rules", Initiators: []election.ID{4},
			Crashed: []election.ID{5}},
	}}
	for _, c := range all {
		c.Words, c.wins = "take as many messages as an election can take", winsByMessages
		c.Scenario.IDs, c.Scenario.Name = []election.ID{1, 2, 3, 4, 5}, c.Name
	}
	return all
}
