package local_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/local"
)

// token is what the hand-written ring sends.
type token struct {
	id      uint64
	elected bool
}

// buffer is how many tokens a channel of the hand-written ring holds: 4 and 16 are about equally
// fast, 1 and 256 are slower.
const buffer = 16

// handWritten is LCR as one writes it in Go: a goroutine and a buffered channel for every
// process, nothing counted but one number each. Its channels cannot all be full: there are never
// more tokens under way than processes, and each channel holds several. It returns the number of
// messages.
func handWritten(ids []election.ID) uint64 {
	n := len(ids)
	links := make([]chan token, n)
	for i := range links {
		links[i] = make(chan token, buffer)
	}
	sent := make([]uint64, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { sent[i] = handWrittenProcess(uint64(ids[i]), links[i], links[(i+1)%n]) })
	}
	wg.Wait()
	var sum uint64
	for _, s := range sent {
		sum += s
	}
	return sum
}

func handWrittenProcess(me uint64, in <-chan token, out chan<- token) (sent uint64) {
	out <- token{id: me}
	sent++
	for m := range in {
		switch {
		case m.elected:
			if m.id != me {
				out <- m
				sent++
			}
			return sent
		case m.id == me:
			out <- token{id: me, elected: true}
			sent++
		case m.id > me:
			out <- m
			sent++
		}
	}
	return sent
}

func shuffled(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	r := rand.New(rand.NewPCG(7, 7))
	r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// BenchmarkRing compares whole elections, built, run and counted, with the hand-written ring, in
// turn. ratio is the median over the pairs.
func BenchmarkRing(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			ids := shuffled(n)
			var ratios, ours, theirs []float64
			for b.Loop() {
				begin := time.Now()
				messages := handWritten(ids)
				theirs = append(theirs, float64(time.Since(begin))/float64(messages))
				begin = time.Now()
				r, err := local.Elect(context.Background(), lcr.Participant(), ids...)
				ours = append(ours, float64(time.Since(begin))/float64(messages))
				require.NoError(b, err)
				require.Equal(b, messages, r.Messages)
				ratios = append(ratios, ours[len(ours)-1]/theirs[len(theirs)-1])
			}
			b.ReportMetric(median(theirs), "channels-ns/msg")
			b.ReportMetric(median(ours), "local-ns/msg")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkMillion is one election among a million goroutines, in random order.
func BenchmarkMillion(b *testing.B) {
	ids := shuffled(1e6)
	for b.Loop() {
		r, err := local.Elect(context.Background(), lcr.Participant(), ids...)
		require.NoError(b, err)
		b.ReportMetric(float64(r.Wall.Nanoseconds())/float64(r.Messages), "ns/msg")
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
