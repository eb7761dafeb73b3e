// Package channels compares elections with a hand-written ring of goroutines and channels.
package channels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-election/election"
)

// Compare compares whole elections of lcr.Participant, built, run and counted, with the hand-written
// ring, in turn. elect returns the number of messages. ratio is the median over the pairs.
func Compare(b *testing.B, elect func(ids []election.ID) uint64, sizes ...int) {
	median := func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			ids := make([]election.ID, n)
			for i, v := range rand.New(rand.NewPCG(7, uint64(n))).Perm(n) {
				ids[i] = election.ID(v + 1)
			}
			var ratios, ours, theirs []float64
			// In turn, so that what slows the machine for a while slows both.
			for b.Loop() {
				begin := time.Now()
				messages := byHand(ids)
				theirs = append(theirs, float64(time.Since(begin))/float64(messages))
				begin = time.Now()
				if got := elect(ids); got != messages {
					b.Fatalf("%d messages, not %d", got, messages)
				}
				ours = append(ours, float64(time.Since(begin))/float64(messages))
				ratios = append(ratios, ours[len(ours)-1]/theirs[len(theirs)-1])
			}
			b.ReportMetric(median(theirs), "channels-ns/msg")
			b.ReportMetric(median(ours), "ns/msg")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// token is what the hand-written ring sends.
type token struct {
	id      uint64
	elected bool
}

// buffer is how many tokens a channel of the hand-written ring holds: 4 and 16 are about equally
// fast, 1 and 256 are slower.
const buffer = 16

// byHand is LCR as written in plain Go: a goroutine and a buffered channel for each process, and one counter
// for each. Its channels never fill up, since there are never more tokens in flight than processes, and each
// channel holds several. It returns the number of messages.
func byHand(ids []election.ID) uint64 {
	n := len(ids)
	links := make([]chan token, n)
	for i := range links {
		links[i] = make(chan token, buffer)
	}
	sent := make([]uint64, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { sent[i] = channelsProcess(uint64(ids[i]), links[i], links[(i+1)%n]) })
	}
	wg.Wait()
	var sum uint64
	for _, s := range sent {
		sum += s
	}
	return sum
}

func channelsProcess(me uint64, in <-chan token, out chan<- token) (sent uint64) {
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
