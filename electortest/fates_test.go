package electortest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

var update = flag.Bool("update", false, "write testdata/fates.txt anew")

// idle is a service that takes no part: what happens to its members depends on the seed alone.
func idle(m *Member) error {
	<-m.Context.Done()
	return nil
}

// running calls f with a run of idle members, in a bubble. Nothing may be wrong.
func running(t *testing.T, c Config, seed uint64, f func(r *run)) {
	t.Helper()
	require.NoError(t, judged(t, c, seed, f))
}

// judged calls f with a run of idle members, in a bubble, and returns what is wrong.
func judged(t *testing.T, c Config, seed uint64, f func(r *run)) (wrong error) {
	t.Helper()
	require.NoError(t, c.complete())
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r, err := newRun(c, seed, dir, idle)
		require.NoError(t, err)
		for _, name := range r.order {
			r.comeBack(name)
		}
		f(r)
		r.stopAll()
		wrong = r.judge.error(seed)
		time.Sleep(time.Hour) // until all that is late has arrived
	})
	return wrong
}

// state says what a run is doing to its members.
func (r *run) state() string {
	var all []string
	for _, name := range r.order {
		m := r.up[name]
		if m == nil {
			continue
		}
		m.gate.mu.Lock()
		text := fmt.Sprintf("%s at %v", name, m.clock.read())
		if m.paused() {
			text += ", paused"
		}
		if m.gate.opened != nil {
			text += ", held"
		}
		m.gate.mu.Unlock()
		all = append(all, text)
	}
	r.network.mu.Lock()
	defer r.network.mu.Unlock()
	if r.network.cut != nil {
		var ways []string
		for w := range maps.Keys(*r.network.cut) {
			ways = append(ways, r.nameOf(w.from)+r.nameOf(w.to))
		}
		slices.Sort(ways)
		all = append(all, "cut "+strings.Join(ways, " "))
	}
	return strings.Join(all, "; ")
}

// nameOf returns the name of the member that has an ID.
func (r *run) nameOf(id election.ID) string {
	i := slices.IndexFunc(r.order, func(name string) bool { return elector.ID(name) == id })
	return r.order[i]
}

// finer are the digits of a time below the millisecond: whether a multiplication and an addition are rounded
// once or twice depends on the processor.
var finer = regexp.MustCompile(`(\.\d{1,3})\d*(m?s)`)

// TestFates pins what fates do to members, with a leader and without, and when it is mended.
func TestFates(t *testing.T) {
	const file = "testdata/fates.txt"
	b := new(strings.Builder)
	for _, members := range []int{1, 4} {
		running(t, Config{Members: members}, uint64(members), func(r *run) {
			for k := range 150 {
				if m := r.up[r.order[k%members]]; k%4 > 0 && m != nil {
					r.judge.holds(m, uint64(k), r.now()+1)
				}
				allFates[k%len(allFates)].do(r)
				fmt.Fprintf(b, "%v\n", r.state())
				require.True(t, r.wait(r.now()+r.leases(0.1, 5), nil))
			}
			fmt.Fprintln(b, strings.Join(r.judge.log, "\n"))
		})
	}
	got := finer.ReplaceAllString(b.String(), "$1$2")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./electortest -run TestFates -update writes it anew")
}
