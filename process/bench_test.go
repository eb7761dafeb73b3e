package process_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/internal/channels"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// BenchmarkRing compares elections over the transport in memory with the hand-written ring.
func BenchmarkRing(b *testing.B) {
	channels.Compare(b, func(ids []election.ID) (messages uint64) {
		ring, err := topology.Ring(len(ids), true)
		require.NoError(b, err)
		return electInMemory(b, lcr.Participant(), ring, ids)
	}, 100, 1e3, 1e4)
}

// BenchmarkCrowd: all of forty processes send to all others.
func BenchmarkCrowd(b *testing.B) {
	ids := nodetest.Random(40, 7)
	all, err := topology.Complete(len(ids))
	require.NoError(b, err)
	messages := uint64(0)
	for b.Loop() {
		messages += electInMemory(b, echo.Extinction(), all, ids)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(messages), "ns/msg")
}

// electInMemory runs one election and returns the number of messages.
func electInMemory(b *testing.B, a *election.Algorithm, t process.Topology, ids []election.ID) (
	messages uint64) {
	ranks := ranksOf(ids)
	net := memory.New()
	processes := make([]*process.Process, len(ids))
	var decided, running sync.WaitGroup
	for p, id := range ids {
		c := process.Config{Algorithm: a, Founding: true, Start: true}
		require.NoError(b, c.Place(t, ranks, p))
		var err error
		c.Transport, err = net.Endpoint(id)
		require.NoError(b, err)
		decided.Add(1)
		c.OnOutcome = func(o election.Outcome) {
			if o.Role != election.Undecided {
				decided.Done()
			}
		}
		processes[p], err = process.New(c)
		require.NoError(b, err)
	}
	for _, p := range processes {
		running.Go(func() { _ = p.Run(context.Background()) })
	}
	decided.Wait()
	for _, p := range processes {
		p.Close()
	}
	running.Wait()
	for _, p := range processes {
		messages += p.Stats().Sent
	}
	return messages
}
