package bully_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
)

// bareLoop runs the worst case with the least that can be done: the Nodes through their interface,
// one queue of values, nothing counted, one time-out by hand. It returns the time a message takes.
func bareLoop(b *testing.B, n int) time.Duration {
	type item struct {
		to   int
		port election.Port
		msg  election.Message
	}
	links, err := topology.Complete(n)
	require.NoError(b, err)
	in := scenario.Input{Algorithm: bully.Algorithms()[0], IDs: among(n)}
	require.NoError(b, in.Check())
	nodes := make([]election.Node, n)
	for p := range nodes {
		nodes[p] = in.Algorithm.New(election.Setup{Self: in.Self(p), Ports: n - 1})
	}
	env := election.NewEnv(&in, nil)
	queue := make([]item, 0, n*n)
	begin := time.Now()
	step := func(p int, ev *election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, ev)
		for i := range fx.Sends {
			to, back, _ := links.Link(p, fx.Sends[i].Port)
			queue = append(queue, item{to, back, fx.Sends[i].Msg})
		}
	}
	ev := &election.Event{Op: election.Start}
	step(0, ev)
	for head := 0; head < len(queue); head++ {
		if it := &queue[head]; it.to < n-1 { // the last one is down
			ev.Op, ev.Port, ev.Msg = election.Recv, it.port, it.msg
			step(it.to, ev)
		}
		if head == len(queue)-1 && head < n*n-n-1 {
			step(n-2, &election.Event{Op: election.Timeout})
		}
	}
	took := time.Since(begin)
	require.Len(b, queue, n*n-n)
	return took / time.Duration(n*n-n)
}

// BenchmarkWorstCase is the election of n^2-n messages, among a thousand: the smallest notices that
// the largest is down.
func BenchmarkWorstCase(b *testing.B) {
	const n = 1000
	var sum, ours, bare time.Duration
	runs := 0
	for b.Loop() {
		bare += bareLoop(b, n)
		r := run(b, scenario.Input{Algorithm: bully.Algorithms()[0], IDs: among(n), Crashed: []election.ID{n},
			Initiators: []election.ID{1}})
		require.EqualValues(b, n*n-n, r.Messages)
		ours += r.Wall / time.Duration(r.Messages)
		sum += r.Wall
		runs++
	}
	b.ReportMetric(float64(bare)/float64(runs), "bare-ns/msg")
	b.ReportMetric(float64(ours)/float64(runs), "sim-ns/msg")
	b.ReportMetric(float64(ours)/float64(bare), "ratio")
	b.ReportMetric(sum.Seconds()/float64(runs), "s/election")
}
