package clustercmd

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/cluster"
)

const second = time.Second

// afternoon is a run in which everything happens to leaders, at its tenth second.
func afternoon() *screen {
	event := func(at time.Duration, what, member string) cluster.Event {
		return cluster.Event{At: at, What: what, Member: member}
	}
	s := &screen{period: second, next: "Next in 2 s: SIGTERM to the leader", paint: plain,
		events: []cluster.Event{event(2*second, "kill", "b"), event(4*second, "restart", "b"),
			event(5*second, "stop", "c"), event(8*second, "cut", "a"),
			{At: 9 * second, What: "leads", Member: "b", Term: 459747880000009, After: "cut", Gap: second},
			event(9*second, "ends", "a")}}
	s.At = 10 * second
	s.Leases = []cluster.Lease{
		{Member: "b", Term: 1, From: second, Until: 3 * second},
		{Member: "c", Term: 2, From: 3 * second, Until: 6 * second, After: "kill", Gap: second},
		{Member: "a", Term: 4, From: 6 * second, Until: 9 * second, After: "stop", Gap: second},
		{Member: "b", Term: 9, From: 9 * second, Until: 10*second + 599*time.Millisecond, After: "cut", Gap: second},
	}
	for _, name := range []string{"a", "b", "c"} {
		s.Members = append(s.Members, cluster.MemberState{Name: name, Condition: cluster.Up, Leader: "b"})
	}
	return s
}

func plain(_, text string) string { return text }

// TestScreen: members are lines, their leases are bars, and below is how long it took to replace each leader.
func TestScreen(t *testing.T) {
	s := afternoon()
	want := `3 processes  lease 1 s  one leader at a time ✓

a ────────────────────────▇▇▇▇▇▇▇▇╱░░░┄┄┄┄┄                 cut off at 8.0 s
b ────▇▇▇▇✗░░░    ────────────────────▇▇▇▇▇                 leads, 599 ms left
c ────────────▇▇▇▇▇▇▇▇‖░░░·················                 frozen at 5.0 s
           1 s         1 s         1 s                      10.0 s

b leads in Term …000009, 1.0 s after cut
`
	require.Equal(t, strings.ReplaceAll(want, "1.0 s after", "1000 ms after")+s.next+"\n\n"+keyHelp+"\n", s.text(80))
	s.ended = true
	require.NotContains(t, s.text(80), s.next)

	// A narrow screen shows the last seconds.
	require.Contains(t, s.text(50), "\nb   ────────────────────▇▇▇▇▇ leads, 599 ms left\n")
}

// TestScreenFits: no line is wider than the terminal less a column, from 50 columns on, whatever happens.
func TestScreenFits(t *testing.T) {
	s := afternoon()
	fits := func() {
		for columns := 50; columns <= 200; columns += 5 {
			for line := range strings.Lines(s.text(columns)) {
				require.Less(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
			}
		}
	}
	fits()
	for at := time.Duration(0); at < 12*second; at += 50 * time.Millisecond {
		s.At = at
		fits()
	}
	// After an hour, and with an error that is long.
	s.At = 5000 * second
	s.events = append(s.events, cluster.Event{At: 4000 * second, What: "ended", Member: "b",
		Text: strings.Repeat("exit status 1 ", 20)})
	s.next = strings.Repeat("a is down ", 20)
	s.period = 750 * time.Millisecond
	for len(s.Members) < cluster.MostMembers {
		s.Members = append(s.Members, cluster.MemberState{})
	}
	fits()
}

// TestStatus: a status names the condition of a member and the rest of its lease.
func TestStatus(t *testing.T) {
	s := afternoon()
	for at, want := range map[time.Duration][3]string{
		500 * time.Millisecond:  {"no leader", "no leader", "no leader"},
		1500 * time.Millisecond: {"no leader", "leads, 1.5 s left", "no leader"},
		2500 * time.Millisecond: {"no leader", "killed, 500 ms left", "no leader"},
		3500 * time.Millisecond: {"no leader", "killed at 2.0 s", "leads, 2.5 s left"},
		5100 * time.Millisecond: {"no leader", "no leader", "frozen, 900 ms left"},
		8900 * time.Millisecond: {"cut, 100 ms left", "no leader", "frozen at 5.0 s"},
		9001 * time.Millisecond: {"cut off at 8.0 s", "leads, 1.6 s left", "frozen at 5.0 s"},
	} {
		s.At = at
		for i, l := range lanes(3, s.events, s.Leases) {
			require.Equal(t, want[i], s.status(&l, ""), "%s at %v", l.name, at)
			require.LessOrEqual(t, len(want[i]), statusWide)
		}
	}
}

// TestOneLease: in no column do two members have a lease, even if one begins within it.
func TestOneLease(t *testing.T) {
	s := afternoon()
	for shift := range 1000 {
		s.Leases[0].Until = 2*second + time.Duration(shift)*time.Millisecond
		s.Leases[1].From = s.Leases[0].Until
		var rows [3][]rune
		c := chart{first: 0, last: s.cell(s.At), screen: s}
		for i, l := range lanes(3, s.events, s.Leases) {
			rows[i] = []rune(c.row(&l))
		}
		for i := range rows[0] {
			valid := 0
			for _, row := range rows {
				if strings.ContainsRune(leadSign+lostSign, row[i]) {
					valid++
				}
			}
			require.LessOrEqual(t, valid, 1)
		}
	}
}

// TestVerdict: two leases that are valid at once are found while the cluster runs.
func TestVerdict(t *testing.T) {
	s := &screen{paint: func(colour, text string) string { return colour + " " + text }}
	require.Equal(t, "no leader yet", s.verdict())
	s.Leases = []cluster.Lease{{Member: "a", Term: 1, From: 0, Until: 5}}
	require.Equal(t, terminal.Green+" one leader at a time ✓", s.verdict())
	s.Leases = append(s.Leases, cluster.Lease{Member: "b", Term: 2, From: 4, Until: 9})
	require.Equal(t, terminal.Red+" two leaders ✗", s.verdict())
	s.Leases[1] = cluster.Lease{Member: "b", Term: 1, From: 6, Until: 9}
	require.Equal(t, terminal.Red+" a smaller Term ✗", s.verdict())
}
