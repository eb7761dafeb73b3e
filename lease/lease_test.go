package lease_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/params"
)

// TestGrantTime: a grant by the fastest clock lasts at least as long as a lease by the slowest, rounded up
// to a nanosecond.
func TestGrantTime(t *testing.T) {
	for _, c := range []struct {
		lease time.Duration
		drift float64
		want  float64 // milliseconds
	}{
		{300, 0.001, 300.600601}, {300, 0.01, 306.060607}, {300, 0.1, 366.666667},
		{750, 0.001, 751.501502}, {750, 0.01, 765.151516}, {750, 0.1, 916.666667},
		{1000, 0.001, 1002.002003}, {1000, 0.01, 1020.202021}, {1000, 0.1, 1222.222223},
		{3000, 0.001, 3006.006007}, {3000, 0.01, 3060.606061}, {3000, 0.1, 3666.666667},
		{1000, 0, 1000},
	} {
		config := lease.Config{Lease: c.lease * time.Millisecond, Drift: c.drift}
		require.InDelta(t, c.want, ms(config.GrantTime()), 1e-7, "%+v", c)
		require.Equal(t, config.GrantTime(), config.Quarantine())
		config.LastGrant = time.Hour
		require.Equal(t, time.Hour, config.Quarantine(), "the Lease was longer before a restart")
	}
}

// TestTimes: a lease ends Lease after its claim was sent; a grant ends GrantTime after it was given.
func TestTimes(t *testing.T) {
	c := lease.Config{Lease: 750 * time.Millisecond, Delay: time.Millisecond, Eager: true, Stagger: -1}
	requireSteps(t, []steps{
		{"it claims", given("@10000 start", "turn"), "all:claim/1.7#1 -turn +due187.5"},
		{"the majority is back", given("@10000 start", "turn", "@10005 1:granted/1.7#1"),
			"all:leads/1.7 leader(3)/1 until 10750 done"},
		{"too late", given("@10000 start", "turn", "@10750 1:granted/1.7#1"),
			"all:release/1.7! +turn1..2 -due"},
		{"a voter", given("@10002 1:claim/1.9#1"), "1:granted/1.9#1 +due751.501502"},
		{"refuses until then", given("@10002 1:claim/1.9#1", "@10753.501501 2:claim/2.8#1"),
			"2:refused/2.1#1(1)"},
		{"and not from then on", given("@10002 1:claim/1.9#1", "@10753.501502 2:claim/2.8#1"),
			"2:granted/2.8#1 +due751.501502"},
		{"a voter that comes back", given("rejoin"), "+due751.501502"},
	}, c, 1, 2)
}

// TestSizes: a majority of four are three, of one is one.
func TestSizes(t *testing.T) {
	requireSteps(t, []steps{
		{"two of four are free", given("start", "@20 turn", "1:free/0#1"), ""},
		{"three of four", given("start", "@20 turn", "1:free/0#1", "2:free/0#1"),
			"all:claim/1.7#2 -turn +due250"},
		{"two of four grant", given("start", "@20 turn", "1:free/0#1", "2:free/0#1", "1:granted/1.7#2"), ""},
		{"three of four grant", given("start", "@20 turn", "1:free/0#1", "2:free/0#1", "1:granted/1.7#2",
			"2:granted/1.7#2"), "all:leads/1.7 leader(3)/1 until 1020 done"},
		{"one of four refuses", given("start", "@20 turn", "1:held/0#1"), ""},
		{"two of four refuse", given("start", "@20 turn", "1:held/0#1", "2:held/0#1"),
			"+turn30..40 -due"},
	}, config, 1, 2, 4)
	requireSteps(t, []steps{
		{"alone", given("start", "turn"), "-turn +due250 leader(3)/1 until 1000 done"},
		{"alone, renewed", given("start", "turn", "@250 due"), "+due250 leader(3)/1 until 1250"},
		{"alone, back", given("rejoin", "@1000 due"), ""},
		{"alone, back, it claims", given("rejoin", "@1000 due", "start"), "+turn0..10"},
		{"alone, resigned", given("start", "turn", "resign"), "+due1000 undecided(0)/1"},
	}, config)
	never := config
	never.Cold = -1
	requireSteps(t, []steps{{"alone, no other knows its Terms", given("rejoin", "@1000 due"),
		"+due250"}}, never)
}

// TestDurable: a voter saves each Term before its first grant, and remembers it after a return.
func TestDurable(t *testing.T) {
	c := config
	c.Durable = true
	requireSteps(t, []steps{
		{"a Term", given("1:claim/5.9#1"), "save 1:granted/5.9#1 +due1000"},
		{"the same again", given("1:claim/5.9#1", "1:claim/5.9#2"), "1:granted/5.9#2"},
		{"another Term", given("1:claim/5.9#1", "1:claim/6.9#2"), "save 1:granted/6.9#2"},
		{"its own", then(leads[:3], "@46 2:free/0#1"), "save all:claim/1.7#2 -turn +due250"},
		{"it is back, and silent", given("1:claim/5.9#1", "init", "rejoin", "1:claim/6.9#2"), ""},
		{"it remembers", given("1:claim/5.9#1", "init", "rejoin", "@1000 due"), ""},
		{"what it has granted", given("1:claim/5.9#1", "init", "rejoin", "@1000 due", "2:claim/5.8#1"),
			"2:refused/5#1"},
		{"it has granted nothing", given("rejoin", "@1000 due"), "all:read/0.7 +due250"},
		{"it saves what it has read", given("rejoin", "@1000 due", "1:memory/5.9(1)^7", "2:memory/5.9(1)^7",
			"4:memory/4.8(2)^7"), "save -due"},
	}, c, 1, 2, 4, 5)
}

// TestStagger: with no stagger a candidate waits after a failed attempt only.
func TestStagger(t *testing.T) {
	c := config
	c.Stagger = -1
	requireSteps(t, []steps{
		{"at once", given("start"), "+turn0"},
		{"after a failure", given("start", "turn", "1:held/0#1", "2:held/0#1", "4:held/0#1"),
			"+turn10..20 -due"},
	}, c, 1, 2, 4, 5)
	c.Eager = true
	requireSteps(t, []steps{{"without a question", given("start", "turn"), "all:claim/1.7#1 -turn +due250"}},
		c, 1,
		2, 4, 5)
}

// TestRefusedConfigs: times that cannot be. What is left out gets a default.
func TestRefusedConfigs(t *testing.T) {
	const most = time.Duration(math.MaxInt64) / 4096
	for want, c := range map[string]lease.Config{
		"Delay: -1ns is not between 1 ns and 625h29m59.813685247s":                 {Delay: -1},
		"Delay: 625h29m59.813685248s is not between 1 ns and 625h29m59.813685247s": {Delay: most + 1},
		"Lease: 1ns is not between 2 ns and 625h29m59.813685247s":                  {Lease: 1},
		"Lease: 625h29m59.813685248s is not between 2 ns and 625h29m59.813685247s": {Lease: most + 1},
		"Lease: 628h0m0s is not between 2 ns and 625h29m59.813685247s": {Lease: 628 * time.Hour,
			Delay: most + 1},
		"Renew: -1ns is not between 1 ns and a Lease of 750ms":            {Renew: -1},
		"Renew: 750.000001ms is not between 1 ns and a Lease of 750ms":    {Renew: 750_000_001},
		"Drift: 0.5 is not less than 0.5":                                 {Drift: 0.5},
		"Drift: NaN is not less than 0.5":                                 {Drift: math.NaN()},
		"Stagger: 625h29m59.813685248s is more than 625h29m59.813685247s": {Stagger: most + 1},
	} {
		_, err := lease.New(c)
		require.ErrorIs(t, err, election.ErrInput, want)
		require.Equal(t, want, input.Reason(err))
	}
	for _, c := range []lease.Config{{}, {Delay: 1}, {Delay: most}, {Lease: most, Stagger: most}, {Lease: 2},
		{Renew: 1}, {Renew: 750 * time.Millisecond}, {Drift: 0.499}, {Drift: math.Inf(-1)}} {
		_, err := lease.New(c)
		require.NoError(t, err, "%+v", c)
	}
}

// TestDefaults: what is left out follows from Delay, and renewals from Lease.
func TestDefaults(t *testing.T) {
	requireSteps(t, []steps{
		{"turn", given("start"), "+turn30..37.5"},
		{"questions", given("start", "@35 turn"), "all:probe/0.7#1 +due30"},
		{"renewals", given("start", "@35 turn", "4:free/0#1"), "all:claim/1.7#2 -turn +due187.5"},
		{"lease", given("start", "@35 turn", "4:free/0#1", "4:granted/1.7#2"),
			"all:leads/1.7 leader(3)/1 until 785 done"},
		{"grant", given("4:claim/1.9#1"), "4:granted/1.9#1 +due751.501502"},
		{"not yet cold", given("rejoin", "@751.501502 due", "4:memory/5.9(1)^7!",
			"@3006.006007 4:memory/5.9(1)^7!"), ""},
		{"cold", given("rejoin", "@751.501502 due", "4:memory/5.9(1)^7!", "@3006.006008 4:memory/5.9(1)^7!"),
			"-due"},
	}, lease.Config{}, 4, 5)
}

// TestShortest: times of a few nanoseconds.
func TestShortest(t *testing.T) {
	requireSteps(t, []steps{{"renewals", given("start", "turn"), "all:claim/1.7#1 -turn +due1e-06"}},
		lease.Config{Lease: 2, Stagger: -1, Eager: true}, 1, 2)
	requireSteps(t, []steps{{"stagger", given("start"), "+turn2e-06..10.000002"}},
		lease.Config{Stagger: 1, Delay: 10 * time.Millisecond}, 1, 2, 4, 5)
}

// TestParameters: what a file or a command line may give.
func TestParameters(t *testing.T) {
	a, err := lease.New(lease.Config{Drift: -1})
	require.NoError(t, err)
	for want, values := range map[string]map[string]params.Value{
		"7.5ms, 0":    nil,
		"2s, 0":       {"delay": {Number: 2}},
		"7.5ms, 0.01": {"drift": {Number: 10}},
		"1s, 0.001": {"drift": {Number: 1}, "delay": {Number: 1}, "lease": {Number: 4},
			"renew": {Number: 2}},
	} {
		b, err := scenario.Configure(a, values, nil, 0)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%v, %v", b.Delay, b.Faults.Drift))
	}
	for want, values := range map[string]map[string]params.Value{
		"params.drift: 1 is not less than 0.5":  {"drift": {Number: 1000}},
		"params.drift: 1 is not less than 0.5 ": {"drift": {Number: 5000}},
		"params.renew: 5 delays is not between 1 ns and a lease of 4 delays": {"delay": {Number: 1},
			"lease": {Number: 4},
			"renew": {Number: 5}},
	} {
		_, err := scenario.Configure(a, values, nil, 0)
		require.ErrorIs(t, err, election.ErrInput)
		require.Equal(t, strings.TrimSpace(want), input.Reason(err))
	}
}

// TestParametersOfZero: zero is not the default.
func TestParametersOfZero(t *testing.T) {
	b, err := scenario.Configure(lease.Algorithms()[0],
		map[string]params.Value{"drift": {Number: 0}, "stagger": {Number: 0}}, nil, 0)
	require.NoError(t, err)
	require.Zero(t, b.Faults.Drift)
	require.Equal(t, "+turn0", amidOf(t, b, 1, 2, 4, 5).do(t, "start"))
}

// TestDescription: what messages carry, and how many of n processes may be down.
func TestDescription(t *testing.T) {
	a := lease.Algorithms()[0]
	var bits []string
	for _, k := range a.Kinds {
		bits = append(bits, fmt.Sprint(k.Name, " ", k.Bits(cost.Widths{})))
	}
	require.Equal(t,
		"probe 160, free 96, held 160, claim 226, granted 161, refused 160, leads 64, release 193, "+
			"handoff 128, read 65, memory 225, "+
			"member 228, holds 129", strings.Join(bits, ", "))
	for n, down := range []int{1: 0, 2: 0, 3: 1, 4: 1, 5: 2, 6: 2, 7: 3} {
		require.Equal(t, down, a.Faults.Down(max(n, 1)))
	}
}

// TestMessages: an election among n takes 5(n-1) messages if one starts, and a renewal 2(n-1).
func TestMessages(t *testing.T) {
	for n := 1; n <= 9; n++ {
		in := scenario.Input{Algorithm: lease.Algorithms()[0]}
		for id := range n {
			in.IDs = append(in.IDs, election.ID(id+1))
		}
		in.Initiators = in.IDs[n-1:]
		for renewals := range 4 {
			r, err := sim.Run(t.Context(), sim.Config{Input: in,
				Until: time.Duration(20+25*renewals) * sim.Unit})
			require.NoError(t, err)
			require.EqualValues(t, (5+2*renewals)*(n-1), r.Messages, "%d processes, %d renewals", n, renewals)
			require.Equal(t, in.IDs[n-1], r.Leader)
		}
	}
}

// TestPack: a duration in a MEMORY is rounded up, by less than a ten-millionth.
func TestPack(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 2, 1<<26 - 1, 1 << 26, 1<<26 + 1, 1<<27 - 1, time.Second, 3 * time.Second,
		time.Hour + 1, 26 * 24 * time.Hour} {
		back := lease.Unpack(lease.Pack(d))
		require.GreaterOrEqual(t, back, d)
		require.LessOrEqual(t, back-d, d/10_000_000, d)
	}
	require.Equal(t, time.Duration(math.MaxInt64)/4096, lease.Unpack(math.MaxUint32), "of a process that lies")
}
