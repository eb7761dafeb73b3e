package local_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/channels"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/local"
	"github.com/go-election/election/nodetest"
)

// BenchmarkRing compares elections with the hand-written ring.
func BenchmarkRing(b *testing.B) {
	channels.Compare(b, func(ids []election.ID) uint64 {
		r, err := local.Elect(context.Background(), lcr.Participant(), ids...)
		require.NoError(b, err)
		return r.Messages
	}, 1e3, 1e4, 1e5)
}

// BenchmarkMillion is one election among a million goroutines, in random order.
func BenchmarkMillion(b *testing.B) {
	ids := nodetest.Random(1e6, 7)
	for b.Loop() {
		r, err := local.Elect(context.Background(), lcr.Participant(), ids...)
		require.NoError(b, err)
		b.ReportMetric(float64(r.Wall.Nanoseconds())/float64(r.Messages), "ns/msg")
	}
}
