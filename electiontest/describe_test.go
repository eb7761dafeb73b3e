package electiontest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/params"
)

// linear is a bound of this many messages for each process.
func linear(each float64) cost.Bound {
	return cost.Bound{Formula: fmt.Sprintf("%gn", each),
		Count: func(n int) float64 { return each * float64(n) }}
}

// TestDescription: what a description must have, and what contradicts itself.
func TestDescription(t *testing.T) {
	for want, adjust := range map[string]func(a *election.Algorithm){
		"it has no Kinds of messages": func(a *election.Algorithm) { a.Kinds = nil },
		"its processes know a RootPort, but its Topology is a ring": func(a *election.Algorithm) {
			a.Knows = election.RootPort
		},
		"of Params and Configure there is one without the other": func(a *election.Algorithm) {
			a.Params = bully.Algorithms()[0].Params
		},
		`kind 2 has the name ""`:              func(a *election.Algorithm) { a.Kinds[1].Name = "" },
		`kind 1 has the name "catch_up"`:      func(a *election.Algorithm) { a.Kinds[0].Name = "catch_up" },
		"Worst has a Count without a Formula": func(a *election.Algorithm) { a.Worst.Formula = "" },
		"Mean of 1 processes is 3 messages, more than Worst, 2": func(a *election.Algorithm) {
			a.Best, a.Mean, a.Worst = cost.Bound{}, linear(3), linear(2)
		},
		"Best of 1 processes is 3 messages, more than Worst, 2": func(a *election.Algorithm) {
			a.Best, a.Mean, a.Worst = linear(3), cost.Bound{}, linear(2)
		},
		"Best of 1 processes is 3 messages, more than Mean, 2": func(a *election.Algorithm) {
			a.Best, a.Mean, a.Worst = linear(3), linear(2), cost.Bound{}
		},
		"Best of 64 processes is 65 messages, more than Worst, 64": func(a *election.Algorithm) {
			a.Best, a.Mean, a.Worst = linear(1), cost.Bound{}, linear(1)
			a.Best.Count = func(n int) float64 { return float64(n + n/64) }
		},
	} {
		a := spoil(lcr.Participant(), spoiling{adjust: adjust})
		require.Equal(t, want, says(t, "Description", a, Options{}))
	}
	for _, adjust := range []func(a *election.Algorithm){
		func(a *election.Algorithm) { a.Best, a.Mean, a.Worst = linear(2), linear(2), linear(2) },
		func(a *election.Algorithm) { // larger networks are not looked at
			a.Best, a.Mean, a.Worst = linear(1), cost.Bound{}, linear(1)
			a.Best.Count = func(n int) float64 { return float64(n + n/65) }
		},
		func(a *election.Algorithm) { // a formula alone is a description for people
			a.Best, a.Mean, a.Worst = cost.Bound{Formula: "n"}, cost.Bound{Formula: "n"}, cost.Bound{}
		},
	} {
		a := spoil(lcr.Participant(), spoiling{adjust: adjust})
		require.NoError(t, description(&trial{Options: Options{Processes: 3}, Algorithm: a}))
	}
}

// TestConfigures: Configure reads the parameters that Params describes, and without any it changes nothing.
func TestConfigures(t *testing.T) {
	type configure = func(p *params.Given) (*election.Algorithm, error)
	own := bully.Algorithms()[0]
	names := slices.Sorted(slices.Values(own.Params.Names()))
	require.NotEmpty(t, names)
	for want, other := range map[string]func(own configure) configure{
		"without parameters Configure returns an error: no way": func(configure) configure {
			return func(*params.Given) (*election.Algorithm, error) { return nil, fmt.Errorf("no way") }
		},
		"without any parameter Configure gives another with Delay 1s, not bully/rules with 1s": func(
			own configure) configure {
			return func(p *params.Given) (*election.Algorithm, error) {
				a, err := own(p)
				b := *a
				b.Name, b.Variant = "another", ""
				return &b, err
			}
		},
		"without any parameter Configure gives bully/rules with Delay 2s, not bully/rules with 1s": func(
			own configure) configure {
			return func(p *params.Given) (*election.Algorithm, error) {
				a, err := own(p)
				b := *a
				b.Delay = 2 * time.Second
				return &b, err
			}
		},
		fmt.Sprintf("the parameters that Configure reads are [], but Params lists %q", names): func(
			configure) configure {
			return func(*params.Given) (*election.Algorithm, error) { return own, nil }
		},
	} {
		a := *own
		a.Configure = other(own.Configure)
		require.EqualError(t, configures(&a), want)
	}
	require.NoError(t, configures(own))
}

// TestWithin: a run may take as many messages as the bounds, apart from rounding; it may take fewer than Best
// if Best is Loose or only some processes start.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		messages float64
		some     bool
		loose    bool
		want     string
	}{
		{messages: 6}, {messages: 12},
		{messages: 5, want: "[1 2 3] take 5 messages, fewer than Best: 6 (2n); seed 4, unit delays"},
		{messages: 5, loose: true},
		{messages: 5, some: true},
		{messages: 13,
			want: "[1 2 3] take 13 messages, more than Worst allows for: 12 (4n); seed 4, unit delays"},
		{messages: 13, some: true, want: "[1 2 3] take 13 messages, more than Worst allows for: 12 (4n); " +
			"[2] start, seed 4, unit delays"},
	} {
		a := *lcr.Participant()
		a.Best, a.Worst = linear(2), linear(4)
		a.Best.Loose = c.loose
		tr := &trial{Algorithm: &a}
		in, err := tr.input(upTo(3))
		require.NoError(t, err)
		in.Initiators = []election.ID{2}
		err = tr.within(&sim.Config{Input: in, Seed: 4}, c.messages, c.some)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
	random := sim.Config{Schedule: sim.RandomDelay}
	a := *lcr.Participant()
	a.Worst = linear(0)
	tr := &trial{Algorithm: &a}
	random.Input, _ = tr.input(upTo(1))
	require.ErrorContains(t, tr.within(&random, 1, false), "; seed 0, "+string(sim.RandomDelay)+" delays")
}

// TestAttained: the arrangement of a bound has all processes once, and takes exactly as many messages.
func TestAttained(t *testing.T) {
	arranged := func(count float64, places ...uint64) cost.Bound {
		return cost.Bound{Formula: "f", Count: func(int) float64 { return count },
			Arrange: func(int) []uint64 { return places }}
	}
	tr := &trial{Algorithm: lcr.Participant(), ctx: t.Context(), t: t}
	attains := func(b cost.Bound) error { return attained(tr, "Best", b, 3) }
	require.NoError(t, attains(arranged(8, 1, 2, 3)))
	require.EqualError(t, attains(arranged(9, 1, 2, 3)),
		"the arrangement of Best, [1 2 3], takes 8 messages, not 9 (f)")
	require.EqualError(t, attains(arranged(7, 1, 2, 3)),
		"the arrangement of Best, [1 2 3], takes 8 messages, not 7 (f)")
	for _, places := range [][]uint64{{1, 2}, {1, 2, 2}, {1, 2, 3, 4}, {0, 1, 2}} {
		require.EqualError(t, attains(arranged(8, places...)),
			fmt.Sprintf("Best.Arrange(3) is %v, not 1 to 3 in some order", places))
	}
	require.NoError(t, attains(arranged(9)), "there is none for this size")
	loose := arranged(9, 1, 2, 3)
	loose.Loose = true
	require.NoError(t, attains(loose))
	require.NoError(t, attains(cost.Bound{Count: loose.Count}))
	require.NoError(t, attains(cost.Bound{Arrange: loose.Arrange}))
}
