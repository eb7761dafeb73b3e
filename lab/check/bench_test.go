package check_test

import (
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The ring that all are measured on: 13 processes, IDs fall clockwise, links keep the order, the election
// proper.
const (
	benchSize   = 13
	benchStates = 2_674_440
)

// What the checker must reach with two processors, best of three.
const (
	leastStatesPerSecond = 350_000
	mostBytesPerState    = 64
)

// BenchmarkLCR checks the ring by the production Nodes.
func BenchmarkLCR(b *testing.B) {
	var best, bytes float64
	runs := 0
	for b.Loop() {
		r := holds(b, proper(falling(benchSize), false))
		require.Equal(b, uint64(benchStates), r.States)
		best = max(best, float64(r.States)/r.Wall.Seconds())
		bytes = max(bytes, float64(r.Bytes)/float64(r.States))
		runs++
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(best, "states/s")
	b.ReportMetric(bytes, "B/state")
	b.ReportMetric(float64(memory.HeapSys)/benchStates, "heap-B/state")
	if runs >= 3 && (best < leastStatesPerSecond || bytes > mostBytesPerState) {
		b.Errorf("%.0f states a second, at least %d are wanted; %.0f bytes a state, at most %d", best,
			leastStatesPerSecond, bytes, mostBytesPerState)
	}
}

// bare is the same ring written by hand: what is on each link, as a set of IDs, since they arrive in the
// order in which they stand on the ring; and whether a process leads.
type bare struct {
	on  [benchSize]uint16 // by link: bit i is ID i+1
	led bool
}

// BenchmarkBare visits the same states by a loop over that, with a map: a model, which checks nothing.
func BenchmarkBare(b *testing.B) {
	var best float64
	for b.Loop() {
		begin := time.Now()
		states := bareSearch()
		require.Equal(b, benchStates, states)
		best = max(best, float64(states)/time.Since(begin).Seconds())
	}
	b.ReportMetric(best, "states/s")
}

func bareSearch() int {
	var first bare
	for p := range benchSize { // process p has ID 13-p, and sends it to p+1
		first.on[p] = 1 << (benchSize - 1 - p)
	}
	seen := map[bare]struct{}{first: {}}
	queue := []bare{first}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for link, on := range state.on {
			if on == 0 {
				continue
			}
			next, to := state, (link+1)%benchSize
			id := nearest(on, link)
			next.on[link] &^= 1 << (id - 1)
			switch mine := benchSize - to; {
			case id > mine:
				next.on[to] |= 1 << (id - 1)
			case id == mine:
				next.led = true
			}
			if _, ok := seen[next]; !ok {
				seen[next] = struct{}{}
				queue = append(queue, next)
			}
		}
	}
	return len(seen)
}

// nearest returns the ID that is the first to arrive: that whose process is the nearest behind the link.
func nearest(on uint16, link int) int {
	own := benchSize - link // of the process that sends over this link
	if behind := on >> (own - 1); behind != 0 {
		return bits.TrailingZeros16(behind) + own // IDs rise against the direction of travel
	}
	return bits.TrailingZeros16(on) + 1
}

// stored is what SPIN prints of the states that it has visited, and how fast.
var (
	stored  = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)
	elapsed = regexp.MustCompile(`elapsed time ([\d.]+) seconds`)
)

// BenchmarkSPIN lets SPIN check a model of the same ring, where it is installed with a C compiler.
func BenchmarkSPIN(b *testing.B) {
	spin, err := exec.LookPath("spin")
	gcc, missing := exec.LookPath("gcc")
	if err != nil || missing != nil {
		b.Log("spin or gcc is not installed: nothing is compared")
		return
	}
	dir := b.TempDir()
	model, err := filepath.Abs(filepath.Join("testdata", "lcr.pml"))
	require.NoError(b, err)
	command(b, dir, spin, "-a", fmt.Sprintf("-DN=%d", benchSize), model)
	command(b, dir, gcc, "-O3", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=8000", "-o", "pan", "pan.c")
	var best float64
	for b.Loop() {
		out := command(b, dir, filepath.Join(dir, "pan"), "-m1000", "-w24")
		states := submatch(b, stored, out)
		// the first, before messages are sent, is not one of ours
		require.Equal(b, float64(benchStates), states-1)
		best = max(best, states/max(submatch(b, elapsed, out), 0.01))
	}
	b.ReportMetric(best, "states/s")
}

// command runs a program, and returns what it prints.
func command(b *testing.B, dir, name string, args ...string) string {
	b.Helper()
	c := exec.CommandContext(b.Context(), name, args...)
	c.Dir = dir
	c.Env = slices.Concat(os.Environ(), []string{"LC_ALL=C"})
	out, err := c.CombinedOutput()
	require.NoError(b, err, string(out))
	return string(out)
}

func submatch(b *testing.B, what *regexp.Regexp, in string) float64 {
	b.Helper()
	found := what.FindStringSubmatch(in)
	require.Len(b, found, 2, in)
	number, err := strconv.ParseFloat(found[1], 64)
	require.NoError(b, err)
	return number
}

// TestBareRing: the loop by hand counts the same states.
func TestBareRing(t *testing.T) {
	if *long {
		require.Equal(t, benchStates, bareSearch())
	}
}
