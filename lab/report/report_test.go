package report_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// TestValues: what not every reader of JSON keeps exact is text, and times are exact.
func TestValues(t *testing.T) {
	for value, want := range map[json.Marshaler]string{
		report.Number(0): "0", report.Number(1 << 53): "9007199254740992", report.Number(1<<53 +
			1): `"9007199254740993"`,
		report.Units(12 * sim.Unit): "12", report.Units(sim.Unit / 2): "0.5", report.Units(1): "0.000000001",
		report.Units(0):  "0",
		report.Units(-1): "-0.000000001", report.Units(-sim.Unit / 2): "-0.5",
		report.Units(-3 * sim.Unit): "-3",
		report.Units(math.MinInt64): "-9223372036.854775808",
		report.Units(math.MaxInt64): "9223372036.854775807",
		report.Hash(0):              `"0000000000000000"`, report.Hash(0xabc): `"0000000000000abc"`,
	} {
		got, err := json.Marshal(value)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}

// TestLeaderInWords: the words begin with the leader, if there is one.
func TestLeaderInWords(t *testing.T) {
	all := verdict.Result{Live: 3, Leader: 2, Agreed: true}
	known, ended, grouped := all, all, all
	known.Claimants, ended.Claimants, ended.Terminated = 1, 1, true
	grouped.Claimants, grouped.Groups, grouped.Grouped = 2, true, true
	for want, r := range map[string]verdict.Result{
		"none|, no process is up":                               {},
		"none|, 2 processes believe they lead":                  {Live: 3, Claimants: 2},
		"none|, 1 process believes it leads, and not all agree": {Live: 3, Claimants: 1},
		"2|, all agree":                                         ended,
		"2|, all agree, but not all know that it has ended":     known,
		"2| is what all say, but it does not lead":              all,
		"2 leaders|, each of a group in which all agree":        grouped,
	} {
		leader, known := (&report.Outcome{Result: r}).LeaderInWords()
		require.Equal(t, want, leader+"|"+known)
	}
}

// TestCountsInWords: messages are counted by kind, and only the first entries are listed.
func TestCountsInWords(t *testing.T) {
	var o report.Outcome
	require.Equal(t, "0", o.MessagesInWords())
	require.Equal(t, "none", o.EntriesInWords())
	o.Messages, o.ByKind = 1003, []observe.KindCount{{Kind: "probe", Count: 1000}, {Kind: "reply", Count: 3}}
	require.Equal(t, "1,003 = 1,000 probe + 3 reply", o.MessagesInWords())
	for range 14 {
		o.Entries = append(o.Entries, verdict.Entry{ID: 4, At: sim.Unit / 2})
	}
	o.Entries[0].Section = 1
	require.Equal(t, "14: 4 into 1 at 0.5, "+strings.Repeat("4 at 0.5, ", 11)+"and 2 more",
		o.EntriesInWords())
}
