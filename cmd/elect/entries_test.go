package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestEntries: both drivers report the entries into critical sections, in order.
func TestEntries(t *testing.T) {
	r := elect(t, "", strings.Fields("sim mutex -n 3 --initiators 1,3 --param arbiter=2 --param "+
		"critical_section=0.5")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "\n  entries   2: 1 at 2, 3 at 4.5\n")
	r = elect(t, "", strings.Fields("sim mutex/tokenring -n 3 --initiators 1 --crashed 1")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "\n  entries   none\n")
	require.NotContains(t, r.stdout, "leader", "mutex/tokenring elects no leader")
	r = elect(t, "", strings.Fields("sim mutex/tokenring -n 14")...)
	require.Regexp(t, `\n  entries   14: 1 at 0, 2 at 2, .*\n {12}.*, 12 at 22, and 2 more\n`, r.stdout)
	require.NotContains(t, elect(t, "", "sim", "lcr", "-n", "3").stdout, "entries")

	for _, algorithm := range []string{"mutex", "mutex/ricartagrawala", "mutex/tokenring"} {
		r := elect(t, "", strings.Fields("run "+algorithm+" -n 4 --unit 5ms --json")...)
		require.Zero(t, r.code, r.stderr)
		var report struct {
			Order   []uint64     `json:"entry_order"`
			Entries [][2]float64 `json:"entries"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
		require.Len(t, report.Entries, 4, algorithm)
		for i, e := range report.Entries {
			require.EqualValues(t, report.Order[i], e[1])
			require.True(t, i == 0 || report.Entries[i-1][0] < e[0], "one after another: %v", report.Entries)
		}
		slices.Sort(report.Order)
		require.Equal(t, []uint64{1, 2, 3, 4}, report.Order, algorithm)
	}
	r = elect(t, "", strings.Fields("run mutex -n 3 --unit 5ms")...)
	require.Regexp(t, `\n  entries   3: \d at [0-9.]+, \d at [0-9.]+, \d at [0-9.]+\n`, r.stdout)
	require.NotContains(t, elect(t, "", "run", "lcr", "-n", "3", "--json").stdout, "entry_order")
}

// TestServed: a process that has asked and is up must be served. If that needs a report of a crash and there
// was none, the error explains it.
func TestServed(t *testing.T) {
	const untold = "; no failure detector has reported the crash: see --suspect-after"
	const beats = untold + " and --param heartbeat=2"
	ring := "sim mutex/tokenring --param bridge=true --param regenerate=5 -n 4 --crash-at 2@1.5 --until 100"
	for line, want := range map[string]string{
		"sim mutex/ricartagrawala -n 3 --crash-at 1@0.5": "processes 2 and 3 " +
			"asked and were never served" + untold,
		"sim mutex/ricartagrawala -n 9 --crash-at 1@0.5": "processes 2, 3, 4, " +
			"5, 6 and 3 more asked and were never served" + untold,
		"sim mutex/ricartagrawala -n 2 --crash-at 1@0.5": "process 2 asked and " +
			"was never served" + untold,
		"sim mutex/ricartagrawala -n 3 --loss 1": "processes 1, 2 and " +
			"3 asked and were never served",
		"sim mutex/ricartagrawala -n 3 --initiators 2,3 --start-times 1,9 --until 2": "process 2 asked and " +
			"was never served",
		ring: "processes 3 and 4 asked and were never served" + untold,
		"sim mutex --param election=lcr -n 5 --crash-at 5@7": "processes 1, 2, 3 and 4 " +
			"asked and were never served" + untold,
		"run mutex/ricartagrawala -n 3 --initiators 2 --crashed 1 --unit 5ms": "process 2 asked and was " +
			"never served" + untold,
		"sim bully -n 5 --crash-at 5@9": "no leader that all agree " +
			"on: all name 5, which does not lead" + beats,
	} {
		elect(t, "", strings.Fields(line)...).requireLine(t, exit.StatusFailed, want)
	}
	for _, line := range []string{
		ring + " --suspect-after 2",
		"sim mutex/arbiter --param election=lcr -n 5 --crash-at 5@9 --suspect-after 2",
		"sim mutex/arbiter --param election=hs -n 5 --crash-at 5@9 --restart-at 5@90 --suspect-after 2",
		"run mutex/arbiter --param election=lcr -n 5 --crash-at 5@9 --suspect-after 4 --unit 10ms",
		"sim bully -n 5 --crash-at 5@9 --suspect-after 2",
		"sim mutex/ricartagrawala -n 3 --initiators 1 --crash-at 1@0.5 --restart-at 1@9",
		"sim mutex/ricartagrawala -n 3 --initiators 1 --crash-at 1@1 --start-times 2",
	} {
		r := elect(t, "", strings.Fields(line)...)
		require.Zero(t, r.code, "%s: %s", line, r.stderr)
	}
	file := `{"algorithm": "mutex", "variant": "ricartagrawala", "ids": [1, 2, 3], "crash_at": [[1, 0.5]]`
	elect(t, file+"}", "sim", "--scenario", "-").requireLine(t, exit.StatusFailed,
		"--scenario -: processes 2 and 3 asked and were never served; no failure detector has reported the crash: see "+
			"suspect_after")
	r := elect(t, file+`, "expect": {"entry_order": []}}`, "sim", "--scenario", "-")
	require.Zero(t, r.code, r.stderr)
	file = `{"algorithm": "mutex", "ids": [1, 2, 3, 4, 5], "params": {"election": "lcr"}, "crash_at": [[5, ` +
		`9]], "suspect_after": 2}`
	one := elect(t, file, "sim", "--scenario", "-", "--json")
	two := elect(t, "", strings.Fields("sim mutex -n 5 --param election=lcr --crash-at 5@9 --suspect-after "+
		"2 --json")...)
	require.Zero(t, one.code, one.stderr)
	require.Equal(t, measured.ReplaceAllString(one.stdout, ""), measured.ReplaceAllString(two.stdout, ""))
}
