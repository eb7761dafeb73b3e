package lease_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lease"
)

// TestPriority: a candidate with a priority waits for the answers of all that are up before it claims,
// and lets one of a larger priority go first, once. Priorities in messages are larger by one: zero is
// none.
func TestPriority(t *testing.T) {
	asks := given("prefer 5", "start", "@40 turn")
	requireRules(t, []rule{
		{"it says so", nil, "prefer 5; start; @40 turn", "all:probe/0.7#1^6 +due20"},
		{"a majority is not all", asks, "@45 1:free/0#1; @46 2:free/0#1", ""},
		{"all have answered", asks, "@45 1:free/0#1; 2:free/0#1; 4:held/0#1; 5:free/0#1",
			"all:claim/1.7#2 -turn +due250"},
		{"one that is down is not waited for", asks, "suspect 5; @45 1:free/0#1; 2:free/0#1; 4:free/0#1",
			"all:claim/1.7#2 -turn +due250"},
		{"nor are slow ones for long", asks, "@45 1:free/0#1; 2:free/0#1; @60 due",
			"all:claim/1.7#2 -turn +due250"},
		{"a majority is late", asks, "@45 1:free/0#1; @60 due", "+due20"},
		{"a majority is late, and comes", asks, "@45 1:free/0#1; @60 due; @70 2:free/0#1",
			"all:claim/1.7#2 -turn +due250"},
		{"another time-out comes before", given("prefer 5", "4:leads/1.9", "start", "@240 turn",
			"@245 1:free/0#1", "2:free/0#1"), "@252 due", "+due8"},
		{"a majority comes before the timer", asks, "@45 1:free/0#1; @61 2:free/0#1",
			"all:claim/1.7#2 -turn +due250"},
		{"another goes first", asks, "@45 1:free/0#1; 2:free/0#1; 4:free/0#1^7; 5:free/0#1",
			"+turn80..90 -due"},
		{"an equal one does not", asks, "@45 1:free/0#1; 2:free/0#1; 4:free/0#1^6; 5:free/0#1",
			"all:claim/1.7#2 -turn +due250"},
		{"one that cannot serve does not", asks, "@45 1:free/0#1; 2:free/0#1; 4:free/0#1^1; 5:free/0#1",
			"all:claim/1.7#2 -turn +due250"},
		{"without a priority of its own it does not ask", nil,
			"start; @40 turn; @45 1:free/0#1^7; 2:free/0#1^7", "all:claim/1.7#2 -turn +due250"},
	})
	yields := then(asks, "@45 1:free/0#1", "2:free/0#1", "4:free/0#1^7", "5:free/0#1")
	requireRules(t, []rule{
		{"it leads", yields, "@50 4:claim/1.9#1; @125 turn", ""},
		{"it does not claim: this one goes on", yields, "@125 turn", "all:probe/0.7#2^6 +due20"},
		{"and lets none go first again", yields,
			"@125 turn; 1:free/0#2; 2:free/0#2; 4:free/0#2^7; 5:free/0#2", "all:claim/1.7#3 -turn +due250"},
		{"nor if it asks", yields, "4:probe/0.9#1^3", "4:free/0#1^6"},
		{"but in the next vacancy", yields,
			"4:leads/1.9; 4:release/1.9; @300 turn; 1:free/0#2; 2:free/0#2; " +
				"4:free/0#2^7; 5:free/0#2", "+turn80..90 -due"},
	})
}

// TestPriorityAnswers: what a voter says of its own priority, and that a candidate takes its turn at
// once when one asks that it goes before.
func TestPriorityAnswers(t *testing.T) {
	requireRules(t, []rule{
		{"it does not stand", nil, "prefer 5; 1:probe/0.9#1^3", "1:free/0#1"},
		{"it goes first", nil, "prefer 5; start; 1:probe/0.9#1^3",
			"1:free/0#1^6 all:probe/0.7#1^6 +due20"},
		{"before one without a priority too", nil, "prefer 5; start; 1:probe/0.9#1",
			"1:free/0#1^6 all:probe/0.7#1^6 +due20"},
		{"the other goes first", nil, "prefer 5; start; 1:probe/0.9#1^7", "1:free/0#1^6"},
		{"they are equal", nil, "prefer 5; start; 1:probe/0.9#1^6", "1:free/0#1^6"},
		{"it asks already", nil, "prefer 5; start; @40 turn; 1:probe/0.9#1^3", "1:free/0#1^6"},
		{"it grants", nil, "prefer 5; start; 1:claim/1.9#1", "1:granted/1.9#1^6! +due1000"},
		{"without a priority", nil, "start; 1:claim/1.9#1", "1:granted/1.9#1! +due1000"},
		{"it has resigned", leads, "prefer 5; @60 resign; 1:probe/0.9#1^3", "1:free/1#1"},
	})
}

// TestStanding: what a leader reads from a GRANTED.
func TestStanding(t *testing.T) {
	p := amid(t, config, 1, 2)
	for text, want := range map[string]uint64{"1:granted/1.7#2^6!": 5, "1:granted/1.7#2^1!": 0,
		"1:granted/1.7#2!": math.MaxUint64, "1:granted/1.7#2^6": math.MaxUint64,
		"1:free/1.7#2^6!": math.MaxUint64} {
		ev := p.event(t, text)
		priority, ok := lease.Standing(&ev.Msg)
		require.Equal(t, want != math.MaxUint64, ok, text)
		if ok {
			require.Equal(t, want, priority, text)
		}
	}
	require.Equal(t, lease.Prefer(math.MaxUint64-1), lease.Prefer(math.MaxUint64))
	require.NotEqual(t, lease.Prefer(math.MaxUint64-2), lease.Prefer(math.MaxUint64))
}

// TestPrefers: what a process reads of another candidate's having a priority.
func TestPrefers(t *testing.T) {
	p := amid(t, config, 1, 2)
	for text, want := range map[string][2]bool{"1:probe/0.7#2^1": {true, true},
		"1:probe/0.7#2":      {false, true},
		"1:granted/1.7#2^6!": {true, true}, "1:granted/1.7#2!": {false, true},
		"1:granted/1.7#2^6": {}, "1:free/1.7#2^6": {}, "1:handoff/1.7^6!": {}} {
		ev := p.event(t, text)
		has, ok := lease.Prefers(&ev.Msg)
		require.Equal(t, want, [2]bool{has, ok}, text)
	}
}
