package monitoring

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/go-election/election/elector"
)

// known returns the labels of each series that members may have.
func known() map[string][]string {
	series := make(map[string][]string)
	for _, m := range elector.Metrics() {
		if m.Type != "histogram" {
			series[m.Name] = m.Labels
			continue
		}
		series[m.Name+"_count"], series[m.Name+"_sum"] = m.Labels, m.Labels
		series[m.Name+"_bucket"] = append([]string{"le"}, m.Labels...)
	}
	return series
}

// requireKnown checks that a query parses, and that each series and label in it exists. It returns the series.
func requireKnown(t *testing.T, query string) (names []string) {
	t.Helper()
	for variable, value := range map[string]string{"$__rate_interval": "5m", "$__interval": "5m", "$group": ".*"} {
		query = strings.ReplaceAll(query, variable, value)
	}
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	require.NoError(t, err, query)
	series, all := known(), []string{}
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			require.Contains(t, series, s.Name, query)
			names, all = append(names, s.Name), append(all, series[s.Name]...)
			for _, m := range s.LabelMatchers {
				require.True(t, m.Name == model.MetricNameLabel || slices.Contains(series[s.Name], m.Name), "%s in %s", m.Name, query)
			}
		}
		return nil
	})
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.AggregateExpr:
			require.Subset(t, all, n.Grouping, query)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				require.Subset(t, all, n.VectorMatching.MatchingLabels, query)
			}
		}
		return nil
	})
	require.NotEmpty(t, names, query)
	return names
}

// TestAlerts: alerts use metrics that exist, and each has a severity, and labels in its texts that its query has.
func TestAlerts(t *testing.T) {
	b, err := os.ReadFile("alerts.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(b, &file))
	require.Len(t, file.Groups, 1)
	tests, err := os.ReadFile("alerts_test.yaml")
	require.NoError(t, err)
	require.Greater(t, len(file.Groups[0].Rules), 10)
	for _, r := range file.Groups[0].Rules {
		names := requireKnown(t, r.Expr)
		require.Contains(t, []string{"critical", "warning"}, r.Labels["severity"], r.Alert)
		require.NotEmpty(t, r.Annotations["description"], r.Alert)
		for _, found := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(r.Annotations["summary"], -1) {
			require.Contains(t, known()[names[0]], found[1], r.Alert)
		}
		require.Contains(t, string(tests), "alertname: "+r.Alert+"}", "it is tested that %s is not raised", r.Alert)
	}
	// The series of the tests exist, too.
	for _, found := range regexp.MustCompile(`series: '([^']*)'`).FindAllStringSubmatch(string(tests), -1) {
		requireKnown(t, found[1])
	}
}

// TestDashboard: the panels use metrics that exist, and do not overlap.
func TestDashboard(t *testing.T) {
	b, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var file struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Annotations struct{ List []struct{ Expr string } }
		Templating  struct{ List []struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(b, &file))
	require.Greater(t, len(file.Panels), 15)
	taken := make(map[[2]int]string)
	for i, p := range file.Panels {
		require.Equal(t, i+1, p.ID)
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			requireKnown(t, target.Expr)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				require.Empty(t, taken[at], p.Title)
				taken[at] = p.Title
				require.Less(t, at[0], 24, p.Title)
			}
		}
	}
	for _, a := range file.Annotations.List {
		requireKnown(t, a.Expr)
	}
	require.Len(t, file.Templating.List, 2)
	require.Contains(t, string(b), "label_values(election_is_leader, group)")
}

// TestQueries: the queries of docs/metrics.md use metrics that exist.
func TestQueries(t *testing.T) {
	b, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(b), "| question | query |\n|---|---|\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	require.Greater(t, len(rows), 5)
	for _, row := range rows {
		_, query, ok := strings.Cut(row, "| `")
		require.True(t, ok, row)
		query, _, _ = strings.Cut(query, "`")
		requireKnown(t, query)
	}
}
