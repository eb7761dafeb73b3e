package election_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/scenario"
	"github.com/go-election/election/transport/memory"
)

// TestScenariosOverTransport: worked examples whose counts do not depend on the schedule, run by
// one Process each over the transport in memory, as services would over theirs.
func TestScenariosOverTransport(t *testing.T) {
	eachScenario(t, func(t *testing.T, s *scenario.Scenario, in scenario.Input) {
		if !s.AnySchedule {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		processes := overMemory(t, in)
		var running sync.WaitGroup
		for _, p := range processes {
			running.Go(func() {
				if err := p.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		for received(processes) < *s.Expect.Messages && ctx.Err() == nil {
			runtime.Gosched()
		}
		for _, p := range processes {
			p.Close()
		}
		running.Wait()
		r := verdict(processes)
		require.Equal(t, *s.Expect.Messages, received(processes))
		require.NoError(t, s.Expect.Compare(&r, nil))
	})
}

// overMemory makes a Process of every process of an input.
func overMemory(t *testing.T, in scenario.Input) []*election.Process {
	t.Helper()
	starts := make(map[election.ID]bool)
	for _, id := range in.Initiators {
		starts[id] = true
	}
	net := memory.New()
	processes := make([]*election.Process, len(in.IDs))
	for p, id := range in.IDs {
		end, err := net.Endpoint(id)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, end.Close()) })
		c := election.Config{
			Algorithm: in.Algorithm, Self: in.Self(p), OneWay: in.Topology.OneWay(), Transport: end,
			Start: in.Initiators == nil || starts[id],
		}
		for port := range election.Port(in.Topology.Ports(p)) {
			q, back, ok := in.Topology.Link(p, port)
			if !ok { // a one-way ring: from there messages come
				back = port ^ 1
			}
			c.Links = append(c.Links, election.Link{Peer: in.Self(q), Port: back})
		}
		processes[p], err = election.NewProcess(c)
		require.NoError(t, err)
	}
	return processes
}

func received(processes []*election.Process) (sum uint64) {
	for _, p := range processes {
		sum += p.Stats().Received
	}
	return sum
}

// verdict adds up what the processes have sent and believe.
func verdict(processes []*election.Process) (r election.Result) {
	var poll election.Poll
	kinds := make(map[string]uint64)
	for _, p := range processes {
		s := p.Stats()
		r.Messages += s.Sent
		for _, k := range s.ByKind {
			kinds[k.Kind] += k.Count
		}
		poll.Add(p.Outcome(), true)
	}
	for kind, n := range kinds {
		r.ByKind = append(r.ByKind, election.KindCount{Kind: kind, Count: n})
	}
	poll.Fill(&r)
	return r
}
