//go:build unix

package sim_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/afekgafni"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/ghs"
	"github.com/go-election/election/hypercube"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lmw"
	"github.com/go-election/election/peterson"
	"github.com/go-election/election/treeelect"
	"github.com/go-election/election/yoyo"
)

var large = flag.Bool("large", false, "benchmark runs of a million processes and more too")

// bareOver is bareLoop over any links: the receiver and its port are looked up in the
// tables that the simulator uses too. first starts, or all do if there is no such process.
func bareOver(in *scenario.Input, first int) (int, time.Duration) {
	nodes := make([]election.Node, len(in.IDs))
	for p := range nodes {
		nodes[p] = in.Algorithm.New(in.Setup(p))
	}
	random := rand.New(rand.NewPCG(1, 1))
	env, links := election.NewEnv(in, random.IntN), in.Topology
	q := &bareQueue{buf: make([]bareItem, 1<<20)}
	var timers []int // the processes whose timers run out at the next instant
	begin := worked()
	step := func(p int, ev *election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, ev)
		for i := range fx.Sends {
			to, back, _ := links.Link(p, fx.Sends[i].Port)
			q.push(bareItem{to: uint32(to), port: back, msg: fx.Sends[i].Msg})
		}
		for range fx.Timers {
			timers = append(timers, p)
		}
	}
	ev := &election.Event{Op: election.Start}
	for p := range nodes {
		if first < 0 || p == first {
			step(p, ev)
		}
	}
	messages := 0
	for q.size+len(timers) > 0 {
		ev.Op = election.Recv
		due := timers
		timers = nil
		for range q.size { // the messages of the next instant, which come before its timers
			it := q.pop()
			messages++
			ev.Port, ev.Msg = it.port, it.msg
			step(int(it.to), ev)
		}
		for ev.Op = election.Timeout; len(due) > 0; due = due[1:] {
			step(due[0], ev)
		}
	}
	return messages, worked() - begin
}

// pairs measures elections over links against bareOver.
func pairs(b *testing.B, a *election.Algorithm, links topology.Topology, err error) {
	require.NoError(b, err)
	in := input(a, shuffled(links.Len()))
	in.Topology = links
	first := -1
	if a.SingleInitiator {
		first = 0
		in.Initiators = in.IDs[:1]
	}
	require.NoError(b, in.Check())
	// Of the algorithms with a benchmark, only the one with random numbers knows the size.
	inTurn(b, sim.Config{Input: in}, a.Knows != election.NetworkSize,
		func() (int, time.Duration) { return bareOver(&in, first) })
}

// BenchmarkEcho is one wave and its echo over a random graph. The next process is anywhere in memory.
func BenchmarkEcho(b *testing.B) {
	for _, bb := range []struct {
		name     string
		n, links int
	}{
		{"n=1e4", 1e4, 5e4},
		{"n=1e5", 1e5, 5e5},
		{"n=1e6", 1e6, 5e6},
	} {
		b.Run(bb.name, func(b *testing.B) {
			links, err := topology.RandomGraph(bb.n, bb.links, 1)
			pairs(b, echo.Implicit(), links, err)
		})
	}
}

// BenchmarkHypercube measures elections that all processes start.
func BenchmarkHypercube(b *testing.B) {
	for _, bb := range []struct {
		name      string
		dimension int
	}{
		{"d=14", 14},
		{"d=17", 17},
		{"d=20", 20},
	} {
		b.Run(bb.name, func(b *testing.B) {
			links, err := topology.Hypercube(bb.dimension)
			pairs(b, hypercube.Algorithm(), links, err)
		})
	}
}

// BenchmarkFloodmax is twelve rounds on a random graph, more than its diameter.
func BenchmarkFloodmax(b *testing.B) {
	for _, with := range []func(floodmax.Config) (*election.Algorithm, error){floodmax.Basic, floodmax.Change,
		floodmax.Alpha} {
		a, err := with(floodmax.Config{Rounds: 12})
		require.NoError(b, err)
		bySize(b, a.Variant+"/", func(b *testing.B, n int) {
			links, err := topology.RandomGraph(n, 5*n, 1)
			pairs(b, a, links, err)
		})
	}
}

// BenchmarkGHS is a spanning tree of a random graph whose links have random weights.
func BenchmarkGHS(b *testing.B) {
	bySize(b, "", func(b *testing.B, n int) {
		links, err := topology.RandomGraph(n, 5*n, 1)
		require.NoError(b, err)
		random := rand.New(rand.NewPCG(1, 2))
		pairs(b, ghs.Algorithm(), topology.WithWeights(links, func(int, int) uint64 {
			return 1 + random.Uint64N(1<<40)
		}), nil)
	})
}

// BenchmarkYoyo is a random graph.
func BenchmarkYoyo(b *testing.B) {
	bySize(b, "", func(b *testing.B, n int) {
		links, err := topology.RandomGraph(n, 5*n, 1)
		pairs(b, yoyo.Algorithm(), links, err)
	})
}

// BenchmarkAfekGafni is a complete graph on which all start: the largest captures all others.
func BenchmarkAfekGafni(b *testing.B) {
	for _, a := range afekgafni.Algorithms() {
		bySize(b, a.Variant+"/", func(b *testing.B, n int) { ownLinks(b, a, n) })
	}
}

// BenchmarkLMW is a complete graph with a sense of direction, on which all start.
func BenchmarkLMW(b *testing.B) {
	bySize(b, "", func(b *testing.B, n int) { ownLinks(b, lmw.Algorithm(), n) })
}

// BenchmarkPeterson is a one-way ring.
func BenchmarkPeterson(b *testing.B) {
	bySize(b, "", func(b *testing.B, n int) { ownLinks(b, peterson.Algorithm(), n) })
}

// ownLinks measures elections over the default links of an algorithm. A complete graph takes no memory for
// links, so it can have a million processes.
func ownLinks(b *testing.B, a *election.Algorithm, n int) {
	in := input(a, shuffled(n))
	require.NoError(b, in.Check())
	pairs(b, a, in.Topology, nil)
}

// BenchmarkItaiRodeh is a ring without IDs.
func BenchmarkItaiRodeh(b *testing.B) {
	bySize(b, "", func(b *testing.B, n int) {
		links, err := topology.Ring(n, true)
		pairs(b, itairodeh.Rounds(), links, err)
	})
}

// BenchmarkInvitation is a merge of all, each of which leads a group of its own.
func BenchmarkInvitation(b *testing.B) {
	bySize(b, "", func(b *testing.B, n int) {
		in := input(invitation.Algorithms()[0], shuffled(n))
		in.Initiators = []election.ID{election.ID(n)}
		require.NoError(b, in.Check())
		inTurn(b, sim.Config{Input: in}, true, func() (int, time.Duration) {
			messages, took := bareMerge(&in)
			require.Equal(b, 7*(n-1), messages)
			return messages, took
		})
	})
}

// bareMerge is bareOver for a merge. It keeps no timers: it fires two timers of the leader by hand. The
// timers of the other processes, which wait for READY, would all be stopped before they fire.
func bareMerge(in *scenario.Input) (int, time.Duration) {
	nodes := make([]election.Node, len(in.IDs))
	for p := range nodes {
		nodes[p] = in.Algorithm.New(in.Setup(p))
	}
	env, links, messages := election.NewEnv(in, nil), in.Topology, 0
	leader := slices.Index(in.IDs, in.Initiators[0])
	q := &bareQueue{buf: make([]bareItem, 1<<20)}
	begin := worked()
	step := func(p int, ev *election.Event) {
		fx := env.Begin(p)
		nodes[p].Step(env, ev)
		for i := range fx.Sends {
			to, back, _ := links.Link(p, fx.Sends[i].Port)
			q.push(bareItem{to: uint32(to), port: back, msg: fx.Sends[i].Msg})
		}
	}
	ev := &election.Event{Op: election.Init}
	for p := range nodes {
		step(p, ev)
	}
	for _, next := range []election.Event{
		{Op: election.Start},
		{Op: election.Timeout, Timer: 0}, // the wait for answers
		{Op: election.Timeout, Timer: 2}, // the wait for acceptance
	} {
		step(leader, &next)
		for ev.Op = election.Recv; q.size > 0; messages++ {
			it := q.pop()
			ev.Port, ev.Msg = it.port, it.msg
			step(int(it.to), ev)
		}
	}
	return messages, worked() - begin
}

// bySize runs a benchmark for 10^4 to 10^6 processes.
func bySize(b *testing.B, name string, run func(b *testing.B, n int)) {
	for e, n := range []int{1e4, 1e5, 1e6} {
		if n < 1e6 || *large {
			b.Run(fmt.Sprintf("%sn=1e%d", name, 4+e), func(b *testing.B) { run(b, n) })
		}
	}
}

// BenchmarkTree is an election on a random tree, by its root and by all processes.
func BenchmarkTree(b *testing.B) {
	for _, bb := range []struct {
		name string
		n    int
	}{
		{"n=1e4", 1e4},
		{"n=1e5", 1e5},
		{"n=1e6", 1e6},
		{"n=1e7", 1e7},
	} {
		if bb.n > 1e5 && !*large {
			continue
		}
		for _, a := range []*election.Algorithm{treeelect.Root(), treeelect.Saturation()} {
			b.Run(a.Variant+"/"+bb.name, func(b *testing.B) {
				links, err := topology.RandomTree(bb.n, 1)
				pairs(b, a, links, err)
			})
		}
	}
}
