package invitation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
)

// bareMerge runs a merge of all with the least that can be done: the Nodes through their interface, one
// queue of values, nothing counted, the three time-outs that run out by hand. It returns the time a
// message takes.
func bareMerge(b *testing.B, n int) time.Duration {
	type item struct {
		to   int
		port election.Port
		msg  election.Message
	}
	links, err := topology.Complete(n)
	require.NoError(b, err)
	in := scenario.Input{Algorithm: invitation.Algorithms()[0], IDs: upTo(n)}
	require.NoError(b, in.Check())
	env := election.NewEnv(&in, nil)
	nodes, queue := make([]election.Node, n), make([]item, 0, 7*n)
	step := func(p int, ev *election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, ev)
		for i := range fx.Sends {
			to, back, _ := links.Link(p, fx.Sends[i].Port)
			queue = append(queue, item{to, back, fx.Sends[i].Msg})
		}
	}
	begin := time.Now()
	for p := range nodes {
		nodes[p] = in.Algorithm.New(election.Setup{Self: in.Self(p), Ports: n - 1})
		step(p, &election.Event{Op: election.Init})
	}
	step(n-1, &election.Event{Op: election.Start})
	ev := &election.Event{Op: election.Recv}
	for head, timer := 0, uint8(0); head < len(queue) || timer <= 2; {
		if head == len(queue) { // the wait for answers, and that for acceptance
			step(n-1, &election.Event{Op: election.Timeout, Timer: timer})
			timer += 2
			continue
		}
		it := &queue[head]
		ev.Port, ev.Msg = it.port, it.msg
		head++
		step(it.to, ev)
	}
	took := time.Since(begin)
	require.Len(b, queue, 7*(n-1))
	return took / time.Duration(7*(n-1))
}

// BenchmarkMerge is a merge of a hundred thousand processes.
func BenchmarkMerge(b *testing.B) {
	const n = 100_000
	var ours, bare time.Duration
	runs := 0
	for b.Loop() {
		bare += bareMerge(b, n)
		in := scenario.Input{Algorithm: invitation.Algorithms()[0], IDs: upTo(n),
			Initiators: []election.ID{n}}
		r := run(b, sim.Config{Input: in})
		require.EqualValues(b, 7*(n-1), r.Messages)
		ours += r.Wall / time.Duration(r.Messages)
		runs++
	}
	b.ReportMetric(float64(bare)/float64(runs), "bare-ns/msg")
	b.ReportMetric(float64(ours)/float64(runs), "sim-ns/msg")
	b.ReportMetric(float64(ours)/float64(bare), "ratio")
}
