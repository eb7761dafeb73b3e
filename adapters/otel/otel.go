// Package otel reports members to OpenTelemetry: their metrics, and a span for each Term.
//
// # Usage
//
//	e, err := elector.New(config)
//	...
//	_, err = otel.Observe(provider.Meter("election"), e)
//	...
//	err = e.Run(ctx, otel.Lead(tracerProvider.Tracer("election"), e, work))
//
// # Metrics
//
// Observable instruments report the metrics that docs/metrics.md lists. They are read when a reader collects. The name of
// an instrument begins with "election." and lacks the unit and "_total", so that an exporter for Prometheus writes the
// names in that document: "election.leaderless", with the unit s, becomes election_leaderless_seconds_total. There are no
// observable histograms in OpenTelemetry, so each histogram becomes two counters, with the suffixes ".count" and ".sum".
//
// # Limitations
//
// Exporters receive a span when it has ended, so the Term of a leader that crashes is missing.
package otel

import (
	"context"
	"errors"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-election/election/elector"
)

// Observe makes a meter observe the metrics of members, until the Registration is unregistered.
func Observe(meter metric.Meter, members ...*elector.Elector) (metric.Registration, error) {
	instruments := make(map[string]metric.Float64Observable)
	var all []metric.Observable
	var failed error
	add := func(key, name, unit, help string, counts bool) {
		var o metric.Float64Observable
		var err error
		if counts {
			o, err = meter.Float64ObservableCounter(name, metric.WithUnit(unit), metric.WithDescription(help))
		} else {
			o, err = meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(help))
		}
		failed = errors.Join(failed, err)
		instruments[key] = o
		all = append(all, o)
	}
	for _, m := range elector.Metrics() {
		name, unit := instrument(m.Name)
		if m.Type != "histogram" {
			add(m.Name, name, unit, m.Help, m.Type == "counter")
			continue
		}
		add(m.Name+".count", name+".count", "", m.Help+" The number of them.", true)
		add(m.Name+".sum", name+".sum", unit, m.Help+" The sum.", true)
	}
	if failed != nil {
		return nil, failed
	}
	return meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		var stats []elector.Stats
		for _, e := range members {
			stats = append(stats, e.Stats())
		}
		for _, m := range elector.Metrics(stats...) {
			for _, s := range m.Samples {
				var labels []attribute.KeyValue
				for i, value := range s.Labels {
					labels = append(labels, attribute.String(m.Labels[i], value))
				}
				of := metric.WithAttributes(labels...)
				if s.Histogram == nil {
					o.ObserveFloat64(instruments[m.Name], s.Value, of)
					continue
				}
				o.ObserveFloat64(instruments[m.Name+".count"], float64(s.Histogram.Count()), of)
				o.ObserveFloat64(instruments[m.Name+".sum"], s.Histogram.Sum.Seconds(), of)
			}
		}
		return nil
	}, all...)
}

// instrument returns the name and the unit of an instrument for a metric.
func instrument(metric string) (name, unit string) {
	name = strings.TrimSuffix(strings.Replace(metric, "_", ".", 1), "_total")
	if of, ok := strings.CutSuffix(name, "_seconds"); ok {
		return of, "s"
	}
	if of, ok := strings.CutSuffix(name, "_bytes"); ok {
		return of, "By"
	}
	return name, ""
}

// ends are the causes with which the context of the work is canceled, by the names that Stats.TermEnds has for them.
var ends = []struct {
	cause  error
	reason string
	failed bool // the lease was lost
}{
	{elector.ErrDeposed, "deposed", true},
	{elector.ErrPaused, "paused", true},
	{elector.ErrUnreachable, "unreachable", true},
	{elector.ErrResigned, "resigned", false},
	{elector.ErrTransferred, "transferred", false},
	{elector.ErrNewTerm, "new_term", false},
}

// Lead returns work for [elector.Elector.Run] that does lead, in a span of its own for each Term. The span is in the
// context of lead, so spans of the work are its children. It begins when the member leads, has an event when the work is
// asked to stop, and ends when the work has returned. The attribute election.reason contains why the Term ended, as in
// Stats.TermEnds; the status is an error if the lease was lost or the work failed.
func Lead(tracer trace.Tracer, e *elector.Elector, lead func(context.Context, elector.Term) error) func(context.Context, elector.Term) error {
	of := e.Stats()
	return func(ctx context.Context, term elector.Term) error {
		// A root: the span in which the program was started may have ended long ago.
		ctx, span := tracer.Start(ctx, "election term", trace.WithNewRoot(), trace.WithAttributes(
			attribute.String("election.group", of.Group), attribute.String("election.member", of.Self),
			attribute.Int64("election.term", int64(term.Number))))
		defer span.End() // also records a panic
		defer context.AfterFunc(ctx, func() {
			span.AddEvent("the work is asked to stop", trace.WithAttributes(
				attribute.String("election.cause", context.Cause(ctx).Error())))
		})()
		err := lead(ctx, term)
		reason, failure := "returned", ""
		_, pause := errors.AsType[elector.Pause](err)
		switch {
		case ctx.Err() != nil:
			reason = "stopped"
			for _, end := range ends {
				if errors.Is(context.Cause(ctx), end.cause) {
					if reason = end.reason; end.failed {
						failure = end.cause.Error()
					}
				}
			}
		case err != nil && !pause:
			reason, failure = "failed", err.Error()
			span.RecordError(err)
		}
		span.SetAttributes(attribute.String("election.reason", reason))
		if failure != "" {
			span.SetStatus(codes.Error, failure)
		}
		return err
	}
}
