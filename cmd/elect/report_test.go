package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// measured is what differs from run to run.
var measured = regexp.MustCompile(`"wall_ns":\d+,"ns_per_message":[0-9.]+`)

// hashOf returns the trace hash in a line of JSON.
func hashOf(t *testing.T, line string) string {
	t.Helper()
	var r struct {
		TraceHash string `json:"trace_hash"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &r))
	require.Regexp(t, "^[0-9a-f]{16}$", r.TraceHash)
	return r.TraceHash
}

func TestJSON(t *testing.T) {
	r := elect(t, "", strings.Fields("sim lcr --ids 3,1,4,8,5,2 --seed 18446744073709551615 --json")...)
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, measured, r.stdout)
	require.Equal(t,
		`{"algorithm":"lcr","variant":"participant","n":6,"seed":"18446744073709551615","schedule":"unit",`+
			`"leader":8,"leaders":1,"agreed":true,"terminated":true,"messages":22,"by_kind":{"election":16,"elected":6},`+
			`"bits":88,"time":12,"chain":12,"trace_hash":"`+hashOf(t, r.stdout)+`",M}`+"\n",
		measured.ReplaceAllString(r.stdout, "M"))

	r = elect(t, "", strings.Fields("run dkr --ids 9007199254740993 --json")...)
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, `{"algorithm":"dkr","variant":"","n":1,"seed":0,"schedule":"goroutines",`+
		`"leader":"9007199254740993","leaders":1,"agreed":true,"terminated":true,"messages":2,"by_kind":{"first":1,"elected":1},`+
		`"bits":108,"time":null,"chain":2,"trace_hash":null,M}`+"\n",
		measured.ReplaceAllString(r.stdout, "M"))
}

// TestJSONEntries: the entries into critical sections, with their times, of algorithms that have one.
func TestJSONEntries(t *testing.T) {
	r := elect(t, "", strings.Fields("sim mutex -n 3 --initiators 1,3 --param arbiter=2 --param "+
		"critical_section=0.5 --json")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `,"entry_order":[1,3],"entries":[[2,1],[4.5,3]]}`)
	r = elect(t, "", strings.Fields("sim mutex/tokenring -n 3 --initiators 1 --crashed 1 --json")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"leader":null,`)
	require.Contains(t, r.stdout, `,"entry_order":[],"entries":[]}`)
}

func TestSummary(t *testing.T) {
	r := elect(t, "", strings.Fields("sim lcr --ids 3,1,4,8,5,2 --seed 7 -v")...)
	require.Zero(t, r.code, r.stderr)
	text := regexp.MustCompile(`(trace     )[0-9a-f]{16}`).ReplaceAllString(r.stdout, "${1}T")
	text = regexp.MustCompile(`[0-9.]+ ns a message, [0-9.]+[nµm]?s in all`).ReplaceAllString(text, "S")
	require.Equal(t, `lcr/participant, 6 processes, one-way ring
  leader    8, all agree
  messages  22 = 16 election + 6 elected
  bits      88
  chain     12
  time      12 units (unit schedule, seed 7)
  trace     T
  best      17    129.4 % of it  2n-1 + n
  mean      20.7  106.3 % of it  n*H(n) + n
  worst     27    81.5 % of it   n(n+1)/2 + n
  speed     S
`, text)

	r = elect(t, "", strings.Fields("run hs -n 1 --initiators none --verbose")...)
	text = regexp.MustCompile(`[0-9.]+ ns a message, [0-9.]+[nµm]?s in all`).ReplaceAllString(r.stdout, "S")
	require.Equal(t, `hs/probe, 1 process, two-way ring
  leader    none, no process believes it leads
  messages  0
  bits      0
  chain     0
  speed     S
`, text)

	// Without -v there is no speed. Times are rounded for people, and exact in JSON.
	r = elect(t, "", strings.Fields("sim hs -n 8 --schedule random --seed 3")...)
	require.NotContains(t, r.stdout, "speed")
	require.Contains(t, r.stdout, "\n  time      30.27 units (random schedule, seed 3)\n")
	require.Contains(t,
		elect(t, "", strings.Fields("sim hs -n 8 --schedule random --seed 3 --json")...).stdout,
		`"time":30.27019084,`)
}

// TestBoundsOfLinks: the output includes closed forms that depend on the links, and closed forms for a single
// initiator.
func TestBoundsOfLinks(t *testing.T) {
	for line, want := range map[string]string{
		"echo -n 8 --topology complete": `best      63  reached  M \+ n-1, M ports in all`,
		"echo -n 9 --topology grid:3x3": `worst     32  reached  M \+ n-1, M ports in all`,
		"echo/nok -n 9 --topology random:12": `mean      40  reached  2M - n\+1, M ports in ` +
			`all`,
		"echo/extinction -n 5 --topology ring": `worst ≤   54  [\d.]+ % of it  k\*M \+ n-1 if k start`,
		"treeelect/graph -n 9 --topology random:12": `best      56  reached  M \+ 4\(n-1\), M ports ` +
			`in all`,
		"treeelect/root -n 7":                              `worst     24  reached  4\(n-1\)`,
		"echo -n 9 --topology random:12 --schedule random": `worst     32  reached  M \+ n-1, M ports in all`,
	} {
		r := elect(t, "", append([]string{"sim"}, strings.Fields(line)...)...)
		require.Zero(t, r.code, r.stderr)
		require.Regexp(t, `(?m)^  `+want+`$`, r.stdout, line)
	}
	r := elect(t, "", strings.Fields("sim echo/extinction -n 5 --initiators 2")...)
	require.NotContains(t, r.stdout, "worst")
}
