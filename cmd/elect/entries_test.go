package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEntries: who has entered a critical section is told, in order, by both drivers.
func TestEntries(t *testing.T) {
	r := elect(t, "", strings.Fields("sim mutex -n 3 --initiators 1,3 --param arbiter=2 --param critical_section=0.5")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "\n  entries   2: 1 at 2, 3 at 4.5\n")
	r = elect(t, "", strings.Fields("sim mutex/tokenring -n 3 --initiators 1 --crashed 1")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "\n  entries   none\n")
	require.NotContains(t, r.stdout, "leader", "nobody is to lead")
	r = elect(t, "", strings.Fields("sim mutex/tokenring -n 14")...)
	require.Regexp(t, `\n  entries   14: 1 at 0, 2 at 2, .*, 12 at 22, and 2 more\n`, r.stdout)
	require.NotContains(t, elect(t, "", "sim", "lcr", "-n", "3").stdout, "entries")

	for _, algorithm := range []string{"mutex", "mutex/ricartagrawala", "mutex/tokenring"} {
		r := elect(t, "", strings.Fields("run "+algorithm+" -n 4 --unit 5ms --json")...)
		require.Zero(t, r.code, r.stderr)
		var told struct {
			Order   []uint64     `json:"entry_order"`
			Entries [][2]float64 `json:"entries"`
		}
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &told))
		require.Len(t, told.Entries, 4, algorithm)
		for i, e := range told.Entries {
			require.EqualValues(t, told.Order[i], e[1])
			require.True(t, i == 0 || told.Entries[i-1][0] < e[0], "one after another: %v", told.Entries)
		}
		slices.Sort(told.Order)
		require.Equal(t, []uint64{1, 2, 3, 4}, told.Order, algorithm)
	}
	r = elect(t, "", strings.Fields("run mutex -n 3 --unit 5ms")...)
	require.Regexp(t, `\n  entries   3: \d at [0-9.]+, \d at [0-9.]+, \d at [0-9.]+\n`, r.stdout)
	require.NotContains(t, elect(t, "", "run", "lcr", "-n", "3", "--json").stdout, "entry_order")
}
