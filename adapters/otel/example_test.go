package otel_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/metric"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/go-election/election/adapters/otel"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store/memstore"
)

// A member reports its metrics to a meter, and each of its Terms as a span.
func Example() {
	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: memstore.New()})
	if err != nil {
		panic(err)
	}
	meters := metric.NewMeterProvider() // with a reader and an exporter
	spans := tracetest.NewSpanRecorder()
	tracers := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	if _, err := otel.Observe(meters.Meter("election"), e); err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	err = e.Run(ctx, otel.Lead(tracers.Tracer("election"), e, func(context.Context, elector.Term) error {
		stop()
		return nil
	}))
	if err != nil {
		panic(err)
	}
	for _, span := range spans.Ended() {
		fmt.Println(span.Name())
	}
	// Output: election term
}
