//go:build unix

package sim_test

import (
	"context"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

// bareItem is a message in the queue of the bare loop, with its receiver.
type bareItem struct {
	to   uint32
	port election.Port
	msg  election.Message
}

// bareQueue is a plain queue of values that doubles when full.
type bareQueue struct {
	buf        []bareItem
	head, size int
}

func (q *bareQueue) push(it bareItem) {
	if q.size == len(q.buf) {
		grown := make([]bareItem, 2*len(q.buf))
		n := copy(grown, q.buf[q.head:])
		copy(grown[n:], q.buf[:q.head])
		q.buf, q.head = grown, 0
	}
	q.buf[(q.head+q.size)&(len(q.buf)-1)] = it
	q.size++
}

func (q *bareQueue) pop() bareItem {
	it := q.buf[q.head]
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.size--
	return it
}

type bareView []election.ID

func (v bareView) Self(p int) election.Rank              { return election.Rank{ID: v[p]} }
func (v bareView) Ports(int) int                         { return 2 }
func (v bareView) Peer(int, election.Port) election.Rank { return election.Rank{} }

// bareLoop runs an algorithm on a one-way ring with the least that can be done: the Nodes
// through their interface, one queue of values, nothing counted. It returns the number of
// messages and the time of the processor that they took.
func bareLoop(a *election.Algorithm, ids []election.ID) (int, time.Duration) {
	nodes := make([]election.Node, len(ids))
	for p, id := range ids {
		nodes[p] = a.New(election.Setup{Self: election.Rank{ID: id}, Ports: 2})
	}
	env := election.NewEnv(bareView(ids), nil)
	q := &bareQueue{buf: make([]bareItem, 1<<20)}
	begin := worked()
	step := func(p int, ev *election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, ev)
		for i := range fx.Sends {
			to := p + 1
			if to == len(nodes) {
				to = 0
			}
			q.push(bareItem{to: uint32(to), port: election.Counterclockwise, msg: fx.Sends[i].Msg})
		}
	}
	ev := &election.Event{Op: election.Start}
	for p := range nodes {
		step(p, ev)
	}
	ev.Op = election.Recv
	messages := 0
	for q.size > 0 {
		it := q.pop()
		messages++
		ev.Port, ev.Msg = it.port, it.msg
		step(int(it.to), ev)
	}
	return messages, worked() - begin
}

// BenchmarkRing is LCR in random order.
func BenchmarkRing(b *testing.B) {
	for _, bb := range []struct {
		name     string
		n        int
		schedule sim.Schedule
	}{
		{"unit/n=1e4", 1e4, sim.UnitDelay},
		{"unit/n=1e5", 1e5, sim.UnitDelay},
		{"unit/n=1e6", 1e6, sim.UnitDelay},
		{"random/n=1e5", 1e5, sim.RandomDelay},
		{"random/n=1e6", 1e6, sim.RandomDelay},
	} {
		b.Run(bb.name, func(b *testing.B) {
			ids := shuffled(bb.n)
			in := input(lcr.Participant(), ids)
			require.NoError(b, in.Check())
			inTurn(b, sim.Config{Input: in, Schedule: bb.schedule, Seed: 1}, true,
				func() (int, time.Duration) { return bareLoop(lcr.Participant(), ids) })
		})
	}
}

// inTurn alternates between bare loops and whole simulated elections. It measures processor time, including
// garbage collection, since other programs may use the machine too. ratio is the median of the sim/bare
// pairs. B/process is the memory that the simulator allocates, including Nodes, but without links and IDs,
// which exist already. If exact, both must send the same number of messages.
func inTurn(b *testing.B, c sim.Config, exact bool, bareLoop func() (int, time.Duration)) {
	var ratios, ours, bare, bytes []float64
	for b.Loop() {
		runtime.GC()
		messages, d := bareLoop()
		bare = append(bare, float64(d.Nanoseconds())/float64(messages))
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := sim.New(c)
		require.NoError(b, err)
		begin := worked()
		require.NoError(b, s.Run(context.Background()))
		r := s.Result()
		took := worked() - begin
		runtime.ReadMemStats(&after)
		require.NoError(b, r.Err())
		if exact {
			require.Equal(b, uint64(messages), r.Messages)
		}
		ours = append(ours, float64(took.Nanoseconds())/float64(r.Messages))
		ratios = append(ratios, ours[len(ours)-1]/bare[len(bare)-1])
		bytes = append(bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(len(c.IDs)))
	}
	b.ReportMetric(median(bare), "bare-ns/msg")
	b.ReportMetric(median(ours), "sim-ns/msg")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(bytes), "B/process")
}

// worked returns how long the processor has worked for this program.
func worked() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
