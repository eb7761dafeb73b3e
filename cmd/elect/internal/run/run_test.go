package run

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
)

func TestSummaryOfDisagreement(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	j := &job.Job{Config: sim.Config{Input: in}}
	a := console.New(nil, nil, nil, nil)
	for want, r := range map[string]verdict.Result{
		"none, 2 processes believe they lead":                  {Claimants: 2},
		"none, 1 process believes it leads, and not all agree": {Claimants: 1},
		"2, all agree, but not all know that it has ended":     {Claimants: 1, Leader: 2, Agreed: true},
		"2, all agree": {Claimants: 1, Leader: 2, Agreed: true, Terminated: true},
	} {
		r.Live = 3
		o := &Outcome{Outcome: report.Outcome{Result: r}, Judge: j.Judge()}
		require.Equal(t, want, leaderLine(a, j, o))
		require.Error(t, WhyFailed(j, o))
	}
	require.EqualError(t, WhyFailed(j, &Outcome{
		Outcome: report.Outcome{Result: verdict.Result{Live: 3, Leader: 2, Claimants: 1, Agreed: true,
			Terminated: true}}, Judge: j.Judge(),
	}), "leader: process 2 leads, not 3, which is the largest of all")
}

func TestColour(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	a, j := console.New(nil, nil, nil, nil), &job.Job{Config: sim.Config{Input: in}}
	a.Colour = true
	right := &Outcome{Outcome: report.Outcome{Result: verdict.Result{Live: 3, Leader: 3, Claimants: 1,
		Agreed: true, Terminated: true}, Wall: time.Second}, Judge: j.Judge()}
	require.Contains(t, summary(a, j, right), "\x1b[1mlcr/max\x1b[0m")
	require.Contains(t, summary(a, j, right), "\x1b[32m3\x1b[0m, all agree")
	require.Contains(t, summary(a, j, &Outcome{Judge: j.Judge()}), "\x1b[31mnone\x1b[0m")
}
