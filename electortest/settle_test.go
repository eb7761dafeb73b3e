package electortest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/transport/faults"
)

// TestLinks: links are late, lossy and double packets where Config.Faults says so, and calm in the end.
func TestLinks(t *testing.T) {
	late := make(map[time.Duration]bool)
	for _, of := range []Faults{Cuts, BadLinks} {
		running(t, Config{Faults: of, Times: elector.LAN()}, 7, func(r *run) {
			delay := r.Times.Delay
			for seed := range uint64(50) {
				rough, calm := r.links(seed)
				require.Equal(t, faults.Config{Seed: seed, Min: delay / 40, Max: delay / 4}, calm)
				want := faults.Config{Seed: seed, Min: time.Microsecond, Max: delay}
				if of == BadLinks {
					late[rough.Max] = true
					require.Less(t, rough.Plan.Loss, 0.1)
					want.Max = rough.Max
					want.Plan = fault.Plan{Loss: rough.Plan.Loss, Duplicate: 0.1, Reorder: 0.1}
				}
				require.Equal(t, want, rough)
			}
			if of == BadLinks {
				require.Equal(t, map[time.Duration]bool{delay: true, 4 * delay: true,
					r.Times.Lease / 8: true}, late)
			}
		})
	}
}

// TestDisturb: faults that the Config allows happen from time to time, as long as it says.
func TestDisturb(t *testing.T) {
	fourth := make(map[Faults]time.Duration)
	for of, words := range map[Faults][]string{
		Crashes: {"crashes"}, Pauses: {"is paused"}, Holds: {"wait for"}, Cuts: {"is cut"}, BadLinks: nil,
	} {
		running(t, Config{Faults: of, For: time.Minute}, 3, func(r *run) {
			r.disturb()
			require.Equal(t, time.Minute, r.now())
			happened := 0
			for _, line := range r.judge.log {
				switch {
				case strings.HasSuffix(line, " starts"), strings.HasSuffix(line, " goes on"):
				default:
					require.Contains(t, line, words[0])
					if happened++; happened == 4 { // after four times between 0.1 and 20 leases, by chance
						at, err := time.ParseDuration(strings.Fields(line)[0])
						require.NoError(t, err)
						fourth[of] = at.Round(10 * time.Millisecond)
					}
				}
			}
			if words == nil {
				require.Zero(t, happened)
			} else { // a fault each 6.7 leases on average, as far as a member is up and not paused
				require.InDelta(t, 60*time.Second/(67*r.Times.Lease/10), happened, 8)
			}
		})
	}
	require.Equal(t, map[Faults]time.Duration{Crashes: 32200 * time.Millisecond,
		Pauses: 21060 * time.Millisecond, Holds: 21060 * time.Millisecond, Cuts: 35880 * time.Millisecond},
		fourth)
}

// led lets the first member lead, and after its crash another, after a while; all that are up say so.
func led(r *run, after time.Duration, forgets bool, over <-chan struct{}) {
	r.judge.mu.Lock()
	leader, term := r.judge.members["a"], uint64(1)
	r.judge.mu.Unlock()
	var crashed time.Duration
	for {
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
		}
		r.judge.mu.Lock()
		switch next := r.judge.members["b"]; {
		case leader.Name == "b":
		case !leader.crashed:
			crashed = r.now()
		case r.now() >= crashed+after:
			leader, term = next, 2
		}
		for _, m := range r.judge.members {
			if term == 1 || m.Name != "a" || !forgets {
				m.last = elector.View{Leader: leader.Name, Term: term, Self: m == leader}
			}
		}
		r.judge.mu.Unlock()
		r.judge.holds(leader, term, r.now()+r.Times.Lease)
	}
}

// TestSettle: in the end everything is mended, and a leader that crashes has a successor in time.
func TestSettle(t *testing.T) {
	times := elector.LAN().Complete()
	least, most := times.FailOver(3)
	most += 20 * times.Delay
	const late = 3 * time.Millisecond
	for _, c := range []struct {
		name    string
		after   time.Duration
		forgets bool // the leader that has crashed names no other once it is back
		wrong   string
	}{
		{"soon", least + late, false, ""},
		{"late", most - late, false, ""},
		{"too soon", least - late, false, "after the crash of the leader a the next one leads "},
		{"too late", most + late, false, "after the crash of the leader a the next one leads "},
		{"never", time.Hour, false, fmt.Sprintf("within %v of the crash of the leader a no other leads",
			2*most)},
		{"soon, but for one", least + late, true,
			fmt.Sprintf("within %v of the return of the leader that had "+
				"crashed not all members agree", 2*most)},
	} {
		err := judged(t, Config{Times: times}, 1, func(r *run) {
			over := make(chan struct{})
			defer close(over)
			go led(r, c.after, c.forgets, over)
			mended := false
			r.mendIn(time.Hour, func() { mended = true })
			r.settle()
			require.True(t, mended, c.name)
			if c.wrong == "" {
				require.Contains(t, strings.Join(r.judge.log, "\n"), "  everything is mended\n")
				require.True(t, r.judge.calm, "from now on no lease may be lost")
				crashed, down := away(t, r.judge.log)
				require.Equal(t, 10*times.Lease, down)
				// 6.5 s of patience, and between two and six leases by chance
				require.Equal(t, 9780*time.Millisecond, crashed.Round(10*time.Millisecond))
			}
		})
		if c.wrong == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.wrong, c.name)
		}
	}
}

// away returns when a member has crashed, and for how long it was down.
func away(t *testing.T, log []string) (crashed, down time.Duration) {
	t.Helper()
	for _, line := range log {
		at, what, _ := strings.Cut(strings.TrimSpace(line), "  ")
		d, err := time.ParseDuration(at)
		require.NoError(t, err)
		switch {
		case what == "a crashes":
			crashed = d
		case what == "a starts" && crashed > 0:
			down = d - crashed
		}
	}
	return crashed, down
}

// TestUnsettled: without a leader, or without all members, the end of a run fails after some time.
func TestUnsettled(t *testing.T) {
	times := elector.LAN().Complete()
	_, most := times.FailOver(3)
	most = 2*most + 40*times.Delay
	err := judged(t, Config{Times: times}, 1, func(r *run) {
		r.settle()
		require.Equal(t, r.patience()+most, r.now())
	})
	require.ErrorContains(t, err,
		fmt.Sprintf("within %v of the end of all faults not all members agree on a leader: ", most))
	err = judged(t, Config{Times: times}, 1, func(r *run) {
		r.up["b"].stop()
		require.True(t, r.wait(time.Millisecond, nil))
		r.crash(r.up["a"], time.Hour)
		r.settle()
		require.True(t, r.allUp(), "both have come back")
	})
	require.ErrorContains(t, err, "not all members agree on a leader: ")
}

// TestAbsent: the end of a run waits two leases for members that have not come back.
func TestAbsent(t *testing.T) {
	times := elector.LAN().Complete()
	_, most := times.FailOver(3)
	err := judged(t, Config{Times: times}, 1, func(r *run) {
		m := r.up["b"]
		delete(r.up, "b") // and nothing lets it come back
		r.settle()
		require.Equal(t, r.patience()+2*times.Lease+2*most+40*times.Delay, r.now())
		m.stop()
		_ = m.gate.Close()
	})
	require.ErrorContains(t, err, "not all members agree on a leader: ")
}

// TestPausedAtTheEnd: a paused member resumes before it has to stop.
func TestPausedAtTheEnd(t *testing.T) {
	running(t, Config{}, 1, func(r *run) {
		m := r.up["b"]
		m.pause()
		r.stopAll()
		require.False(t, m.paused())
	})
}
