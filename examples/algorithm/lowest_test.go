package main

import (
	"testing"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/lab/scenario"
)

// TestConformance: it keeps all that its description promises, and elects the smallest.
func TestConformance(t *testing.T) {
	electiontest.Test(t, algorithm(), electiontest.Options{
		Leader: func(in *scenario.Input, _ []election.ID) election.ID {
			smallest := in.Self(0)
			for p := range in.IDs {
				if r := in.Self(p); r.Less(smallest) {
					smallest = r
				}
			}
			return smallest.ID
		},
	})
}
