package elector_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// text returns metrics in the text format.
func text(t *testing.T, metrics ...elector.Metric) string {
	var b strings.Builder
	require.NoError(t, elector.WriteMetrics(&b, metrics...))
	return b.String()
}

// TestMetricsFormat: the text format escapes what it must, orders labels and samples, and counts buckets up.
func TestMetricsFormat(t *testing.T) {
	nasty := elector.Stats{Group: "a\"b\\c\nd\xff", Self: "ö", View: elector.View{Self: true, Term: 1<<53 - 1}}
	other := elector.Stats{Group: "A", Self: "x"}
	all := make(map[string]elector.Metric)
	for _, m := range elector.Metrics(nasty, other) {
		all[m.Name] = m
	}
	require.Equal(t, `# HELP election_is_leader Whether this member leads.
# TYPE election_is_leader gauge
election_is_leader{group="A",member="x"} 0
election_is_leader{group="a\"b\\c\nd�",member="ö"} 1
`, text(t, all["election_is_leader"]))
	require.Contains(t, text(t, all["election_term"]), "member=\"ö\"} 9.007199254740991e+15\n")
	require.Equal(t, "# HELP x a\\\\b\\nc\"\n# TYPE x gauge\nx 1\n",
		text(t, elector.Metric{Name: "x", Help: "a\\b\nc\"", Type: "gauge", Samples: []elector.Sample{{Value: 1}}}))
	require.Empty(t, text(t, all["election_store_errors_total"]))
	require.Equal(t, []string{"call", "group", "kind", "member"}, all["election_store_errors_total"].Labels)
	require.Equal(t, `# HELP leader_election_master_status Gauge of if the reporting system is master of the relevant `+
		`lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make `+
		`sure to group by name.
# TYPE leader_election_master_status gauge
leader_election_master_status{name="A"} 0
`, text(t, elector.MasterStatus(other)))
}

// TestMetricsOrder: metrics are in order, and their names tell what they are.
func TestMetricsOrder(t *testing.T) {
	var names []string
	for _, m := range elector.Metrics() {
		names = append(names, m.Name)
		require.Equal(t, m.Type == "counter", strings.HasSuffix(m.Name, "_total"), m.Name)
		require.Equal(t, m.Type == "histogram", strings.HasSuffix(m.Name, "_duration_seconds") && m.Type != "gauge", m.Name)
		require.True(t, strings.HasPrefix(m.Name, "election_"), m.Name)
		require.True(t, strings.HasSuffix(m.Help, "."), m.Name)
		require.True(t, slices.IsSorted(m.Labels), m.Name)
		require.Subset(t, m.Labels, []string{"group", "member"})
	}
	require.True(t, slices.IsSorted(names))
	require.Equal(t, slices.Compact(slices.Clone(names)), names)
	require.Greater(t, len(names), 30)
}

// TestHandlerMetrics: what a member with a Store and one with Members answer to Prometheus.
func TestHandlerMetrics(t *testing.T) {
	ask := func(m *member, path string) string {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", w.Header().Get("Content-Type"))
		return w.Body.String()
	}
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		body := ask(m, "/metrics")
		require.Equal(t, text(t, elector.Metrics(m.Stats())...), body)
		has := func(line string) { require.Contains(t, body, "\n"+line+"\n") }
		labels := fmt.Sprintf(`{group="g",member=%q}`, m.name)
		has("election_is_leader" + labels + " 1")
		has("election_leader_known" + labels + " 1")
		has("election_members" + labels + " 3")
		has("election_members_changing" + labels + " 0")
		has("election_lease_duration_seconds" + labels + " 0.75")
		has(fmt.Sprintf(`election_transitions_total{group="g",member=%q,reason="elected"} 1`, m.name))
		has(fmt.Sprintf(`election_transitions_total{group="g",member=%q,reason="given_up"} 0`, m.name))
		has(fmt.Sprintf(`election_renewals_total{group="g",member=%q,result="lost"} 0`, m.name))
		rounds := m.Stats().Rounds.Count()
		has(fmt.Sprintf(`election_round_trip_duration_seconds_bucket{group="g",member=%q,le="0.0005"} %d`, m.name, rounds))
		has(fmt.Sprintf(`election_round_trip_duration_seconds_bucket{group="g",member=%q,le="+Inf"} %d`, m.name, rounds))
		has("election_round_trip_duration_seconds_sum" + labels + " 0")
		has(fmt.Sprintf("election_round_trip_duration_seconds_count%s %d", labels, rounds))
		for _, other := range g {
			if other != m {
				has(fmt.Sprintf(`election_member_heard{group="g",member=%q,peer=%q} 1`, m.name, other.name))
				require.Contains(t, ask(other, "/metrics"), fmt.Sprintf(`election_is_leader{group="g",member=%q} 0`, other.name))
			}
		}
		require.NotContains(t, body, "election_store")
		require.NotContains(t, body, "election_network")
		require.NotContains(t, body, "leader_election_master_status")
		body = ask(m, "/metrics?master_status=1")
		has(`leader_election_master_status{name="g"} 1`)
	})
	inStore(t, nil, func(t *testing.T, _ *shelf, _ group, m *member) {
		body := ask(m, "/metrics")
		require.Contains(t, body, fmt.Sprintf(`election_store_errors_total{call="put",group="g",kind="timeout",member=%q} 0`,
			m.name))
		require.Contains(t, body, fmt.Sprintf(
			`election_store_call_duration_seconds_bucket{call="put",group="g",member=%q,le="0.001"} 0`, m.name))
		require.NotContains(t, body, "election_members")
	})
}

// TestMetricsGuide: docs/metrics.md has a row for each metric.
func TestMetricsGuide(t *testing.T) {
	const page = "../docs/metrics.md"
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	var table strings.Builder
	table.WriteString("| name | type | labels | |\n|---|---|---|---|\n")
	for _, m := range elector.Metrics() {
		labels := slices.DeleteFunc(slices.Clone(m.Labels), func(l string) bool { return l == "group" || l == "member" })
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", m.Name, m.Type, strings.Join(labels, ", "), m.Help)
	}
	want := generated(t, string(b), "metrics", table.String())
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
	}
	require.Equal(t, want, string(b), "run: go test ./elector -run TestMetricsGuide -update")
}
