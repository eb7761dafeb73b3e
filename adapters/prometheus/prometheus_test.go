package prometheus_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/adapters/prometheus"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store/memstore"
	"github.com/go-election/election/transport/memory"
)

// scrape returns what a registry contains, in the text format.
func scrape(t *testing.T, r client.Gatherer) string {
	families, err := r.Gather()
	require.NoError(t, err)
	var b bytes.Buffer
	for _, f := range families {
		_, err := expfmt.MetricFamilyToText(&b, f)
		require.NoError(t, err)
	}
	return b.String()
}

// written returns what the handler of a member would write.
func written(t *testing.T, metrics ...elector.Metric) string {
	var b strings.Builder
	require.NoError(t, elector.WriteMetrics(&b, metrics...))
	return b.String()
}

// run runs members until the test ends.
func run(t *testing.T, members ...*elector.Elector) {
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	for _, e := range members {
		go func() {
			ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				return nil
			})
		}()
	}
	t.Cleanup(func() {
		stop()
		for range members {
			require.NoError(t, <-ended)
		}
	})
}

// TestCollector: the registry of client_golang writes the same bytes as the handler of the members, with names to which
// promlint does not object.
func TestCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network, all := memory.New(), make([]*elector.Elector, 0, 5)
		add := func(c elector.Config) {
			e, err := elector.New(c)
			require.NoError(t, err)
			all = append(all, e)
		}
		for _, name := range []string{"a", "b", "c"} {
			endpoint, err := network.Endpoint(elector.ID(name))
			require.NoError(t, err)
			add(elector.Config{Group: "orders \"\\\n", Self: name, Members: map[string]string{"a": "", "b": "", "c": ""},
				Transport: endpoint})
		}
		s := memstore.New()
		for _, name := range []string{"a", "ä"} {
			add(elector.Config{Group: "stock", Self: name, Store: s})
		}
		run(t, all...)
		time.Sleep(5 * time.Second)
		synctest.Wait()

		collector, r := prometheus.New(all[:4]...), client.NewPedanticRegistry()
		collector.Add(all[4])
		r.MustRegister(collector, prometheus.NewMasterStatus(all[0], all[3]))
		var stats []elector.Stats
		leaders := 0.
		for _, e := range all {
			stats = append(stats, e.Stats())
		}
		metrics := elector.Metrics(stats...)
		for _, m := range metrics {
			for _, s := range m.Samples {
				if m.Name == "election_is_leader" {
					leaders += s.Value
				}
			}
		}
		require.EqualValues(t, 2, leaders)
		text := written(t, append(metrics, elector.MasterStatus(stats[0], stats[3]))...)
		require.Equal(t, text, scrape(t, r))
		require.Contains(t, text, "election_store_call_duration_seconds_bucket{")
		require.Contains(t, text, "leader_election_master_status{")
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		require.NoError(t, err)
		require.Empty(t, problems)

		for _, e := range all[1:] {
			collector.Remove(e)
		}
		require.Equal(t, written(t, append(elector.Metrics(stats[0]), elector.MasterStatus(stats[0], stats[3]))...), scrape(t, r))
	})
}

// TestOneCollector: a registry refuses a second Collector, so that no series occurs twice.
func TestOneCollector(t *testing.T) {
	r := client.NewPedanticRegistry()
	require.NoError(t, r.Register(prometheus.New()))
	require.ErrorAs(t, r.Register(prometheus.New()), &client.AlreadyRegisteredError{})
}
