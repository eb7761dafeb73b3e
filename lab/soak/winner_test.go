package soak_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

// TestWrongRules: soak and the checker judge alike by rules that name no process, name a process that takes
// no part, or panic: every leader is wrong.
func TestWrongRules(t *testing.T) {
	for want, of := range map[string]func([]election.Candidate) election.ID{
		"leads, but no process is the one of these": func([]election.Candidate) election.ID { return 0 },
		"names 99, which is not a candidate":        func([]election.Candidate) election.ID { return 99 },
		`the Winner "one of these" panics: boo`:     func([]election.Candidate) election.ID { panic("boo") },
	} {
		a := *lcr.Max()
		a.Winner = &election.Winner{Name: "one of these", Of: of}
		r, err := soak.Run(t.Context(), soak.Config{Algorithm: &a, Runs: 10})
		require.NoError(t, err)
		require.NotNil(t, r.Failure, want)
		require.Equal(t, verdict.RightAtEnd, r.Failure.Violation.Property)
		require.Contains(t, r.Failure.Violation.Reason, want)

		checked, err := check.Run(t.Context(), check.Config{
			Input: scenario.Input{Algorithm: &a, IDs: []election.ID{1, 2}}})
		require.NoError(t, err)
		require.ErrorContains(t, checked.Err(), want)
		require.ErrorContains(t, checked.Err(), verdict.RightLeader.Text())
	}
}
