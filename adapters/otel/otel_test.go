package otel_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/go-election/election/adapters/otel"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

// work waits for the end of its context.
func work(ctx context.Context, _ elector.Term) error {
	<-ctx.Done()
	return nil
}

// run runs a member until stop is called.
func run(t *testing.T, e *elector.Elector, lead func(context.Context, elector.Term) error) (stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx, lead) }()
	return sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
}

func member(t *testing.T, name string, s store.Store) *elector.Elector {
	e, err := elector.New(elector.Config{Group: "orders", Self: name, Store: s})
	require.NoError(t, err)
	return e
}

// TestObserve: readers get the values of the metrics, with labels as attributes.
func TestObserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New()
		a, b := member(t, "a", s), member(t, "b", s)
		stopA := run(t, a, work)
		time.Sleep(5 * time.Second)
		stopB := run(t, b, work)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		reader := metric.NewManualReader()
		r, err := otel.Observe(metric.NewMeterProvider(metric.WithReader(reader)).Meter("election"), a, b)
		require.NoError(t, err)
		read := func() map[string]metricdata.Metrics {
			var all metricdata.ResourceMetrics
			require.NoError(t, reader.Collect(t.Context(), &all))
			found := make(map[string]metricdata.Metrics)
			for _, scope := range all.ScopeMetrics {
				for _, m := range scope.Metrics {
					found[m.Name] = m
				}
			}
			return found
		}
		found := read()
		leads := found["election.is_leader"].Data.(metricdata.Gauge[float64]).DataPoints
		require.Len(t, leads, 2)
		for _, p := range leads {
			name, _ := p.Attributes.Value("member")
			require.Equal(t, name.AsString() == "a", p.Value == 1)
			group, _ := p.Attributes.Value("group")
			require.Equal(t, "orders", group.AsString())
		}
		sum := func(name string) (total float64) {
			data := found[name].Data.(metricdata.Sum[float64])
			require.True(t, data.IsMonotonic, name)
			for _, p := range data.DataPoints {
				total += p.Value
			}
			return total
		}
		require.EqualValues(t, 1, sum("election.terms"))
		calls := a.Stats().Store.Get.Took.Count() + a.Stats().Store.Put.Took.Count() + b.Stats().Store.Get.Took.Count() +
			b.Stats().Store.Put.Took.Count()
		require.EqualValues(t, calls, sum("election.store_call_duration.count"))
		require.Equal(t, "s", found["election.store_call_duration.sum"].Unit)
		require.NoError(t, r.Unregister())
		require.Empty(t, read())
		require.NoError(t, stopA())
		require.NoError(t, stopB())
	})
}

// TestNames: the exporter for Prometheus writes the names of docs/metrics.md, so that alerts and dashboards fit.
func TestNames(t *testing.T) {
	registry := client.NewRegistry()
	e, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo())
	require.NoError(t, err)
	m := member(t, "a", memstore.New())
	defer func() { require.NoError(t, m.Close()) }()
	_, err = otel.Observe(metric.NewMeterProvider(metric.WithReader(e)).Meter("election"), m)
	require.NoError(t, err)
	families, err := registry.Gather()
	require.NoError(t, err)
	got, want := make(map[string]string), make(map[string]string)
	for _, f := range families {
		got[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	for _, m := range elector.Metrics(m.Stats()) {
		switch {
		case len(m.Samples) == 0:
		case m.Type == "histogram":
			name := strings.TrimSuffix(m.Name, "_seconds")
			want[name+"_count_total"], want[name+"_sum_seconds_total"] = "counter", "counter"
		default:
			want[m.Name] = m.Type
		}
	}
	require.Equal(t, want, got)
}

// TestLead: each Term is a span, with the reason of its end as Stats count it.
func TestLead(t *testing.T) {
	broken := errors.New("broken")
	for reason, c := range map[string]struct {
		lead func(context.Context, elector.Term) error
		end  func(t *testing.T, e *elector.Elector, s *flaky, stop func() error)
		fail string
	}{
		"resigned": {end: func(t *testing.T, e *elector.Elector, _ *flaky, _ func() error) {
			require.NoError(t, e.Resign(t.Context()))
		}},
		"transferred": {end: func(t *testing.T, e *elector.Elector, _ *flaky, _ func() error) {
			require.ErrorIs(t, e.Transfer(t.Context(), "b"), elector.ErrNotTaken)
		}},
		"stopped": {end: func(t *testing.T, _ *elector.Elector, _ *flaky, stop func() error) { require.NoError(t, stop()) }},
		"unreachable": {fail: elector.ErrUnreachable.Error(), end: func(_ *testing.T, _ *elector.Elector, s *flaky, _ func() error) {
			s.fail <- true
			time.Sleep(time.Second)
		}},
		"returned": {lead: func(context.Context, elector.Term) error {
			time.Sleep(time.Second)
			return elector.Pause(time.Hour)
		}},
		"failed": {fail: "broken", lead: func(context.Context, elector.Term) error {
			time.Sleep(time.Second)
			return broken
		}},
	} {
		t.Run(reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &flaky{Store: memstore.New(), fail: make(chan bool, 1)}
				e := member(t, "a", s)
				recorder := tracetest.NewSpanRecorder()
				tracer := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)).Tracer("election")
				lead := c.lead
				if lead == nil {
					lead = work
				}
				stop := run(t, e, otel.Lead(tracer, e, func(ctx context.Context, term elector.Term) error {
					_, child := tracer.Start(ctx, "child")
					child.End()
					return lead(ctx, term)
				}))
				time.Sleep(2 * time.Second)
				if c.end != nil {
					require.Len(t, recorder.Started(), 2)
					require.Len(t, recorder.Ended(), 1)
					c.end(t, e, s, stop)
				}
				synctest.Wait()
				require.GreaterOrEqual(t, len(recorder.Ended()), 2)
				child, span := recorder.Ended()[0], recorder.Ended()[1]
				require.Equal(t, span.SpanContext().SpanID(), child.Parent().SpanID())
				require.Equal(t, "election term", span.Name())
				attributes := make(map[attribute.Key]attribute.Value)
				for _, a := range span.Attributes() {
					attributes[a.Key] = a.Value
				}
				require.Equal(t, reason, attributes["election.reason"].AsString())
				require.Equal(t, "orders", attributes["election.group"].AsString())
				require.Equal(t, "a", attributes["election.member"].AsString())
				require.Positive(t, attributes["election.term"].AsInt64())
				if c.fail != "" {
					require.Equal(t, sdk.Status{Code: codes.Error, Description: c.fail}, span.Status())
				} else {
					require.Equal(t, codes.Unset, span.Status().Code)
				}
				require.EqualValues(t, 1, e.Stats().TermEnds[reason])
				if err := stop(); reason == "failed" {
					require.ErrorIs(t, err, broken)
				}
			})
		})
	}
}

// TestReasons: Lead knows each reason that Stats count.
func TestReasons(t *testing.T) {
	e := member(t, "a", memstore.New())
	defer func() { require.NoError(t, e.Close()) }()
	require.ElementsMatch(t, append(otel.Reasons(), "stopped", "returned", "failed"),
		slices.Collect(maps.Keys(e.Stats().TermEnds)))
}

// flaky is a store that fails from a moment on.
type flaky struct {
	store.Store
	fail chan bool // has one if it fails
}

func (f *flaky) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	if len(f.fail) > 0 {
		return "", errors.New("away")
	}
	return f.Store.Put(ctx, key, value, revision)
}
