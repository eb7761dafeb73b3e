package checkcmd

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// TestSometimes: what is to be at some time is seen, or in no state.
func TestSometimes(t *testing.T) {
	a, k := console.New(nil, nil, nil, nil), &checking{Config: &check.Config{},
		Result: &check.Result{Exhausted: true}}
	k.Algorithm = &election.Algorithm{}
	v := check.Verdict{Property: verdict.Leads, Kind: verdict.Sometimes, Known: true, Holds: true}
	require.Equal(t, "seen", holds(a, k, v))
	v.Holds = false
	require.Equal(t, "violated, seen in no state", holds(a, k, v))
	other := check.Verdict{Property: verdict.Ends, Known: true, Holds: true}
	open := check.Verdict{Property: verdict.NoChange}
	k.Result.Properties = []check.Verdict{other, open, v}
	require.Equal(t, []check.Verdict{v, other, open}, k.ViolatedFirst())
	require.Equal(t, []check.Verdict{other, open, v}, k.Result.Properties)
	require.EqualError(t, k.missing(), "violated: a process leads: in no state")
}

// TestCheckProgress: a check that takes a while shows its progress.
func TestCheckProgress(t *testing.T) { synctest.Test(t, checkProgress) }

func checkProgress(t *testing.T) {
	var b bytes.Buffer
	m := terminal.NewMeter(&b, time.Now().Add(-2*time.Second))
	showCheck(m, check.Progress{States: 1_500_000, Queue: 2000, Depth: 17})
	require.Regexp(t, `^\r1,500,000 states, 2,000 waiting, depth 17, 2 s, 750,000 a second\x1b\[K$`,
		b.String())
	early := terminal.NewMeter(&b, time.Now())
	b.Reset()
	showCheck(early, check.Progress{States: 1})
	require.Empty(t, b.String())
}

// TestBound: a bound is shown with its formula, and a bound that is not judged is not said to hold.
func TestBound(t *testing.T) {
	alg, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	k := &checking{Config: &check.Config{}, Result: &check.Result{Exhausted: true}}
	k.Algorithm = alg
	a := console.New(nil, nil, nil, nil)
	require.Equal(t, "not judged\n    worst case: n(n+1)/2 + n",
		holds(a, k, check.Verdict{Property: verdict.Bounded, Kind: verdict.Always}))
	k.Exhausted = false
	require.Equal(t, "not violated so "+
		"far", holds(a, k, check.Verdict{Property: verdict.Bounded, Kind: verdict.Always}))
	require.Equal(t, "9 messages, promised are at most 8 (worst case: n(n+1)/2 + n)",
		explained(verdict.Bounded, errors.New("9 messages, promised are at most 8"), alg))
	require.Equal(t, "two lead", explained(verdict.OneLeader, errors.New("two lead"), alg))
}
