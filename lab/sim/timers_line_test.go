package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestTimersInOrder: timers fire by time, and timers of the same time in the order of setting, whether they
// are in the line or in the heap. A timer that was stopped or set again does not fire.
func TestTimersInOrder(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 3))
		ts := timers{next: never}
		type set struct {
			at    time.Duration
			p     int
			timer uint8
		}
		var want []set // the running timers, in the order in which they were set
		now := time.Duration(0)
		for range 400 {
			p, name := random.IntN(5), uint8(random.IntN(2))
			same := func(s set) bool { return s.p == p && s.timer == name }
			switch random.IntN(4) {
			case 0:
				want = slices.DeleteFunc(want, same)
				require.NoError(t, ts.change(p, 5, now, &election.TimerChange{Timer: name, Stop: true}, nil,
					nil))
			case 1:
				if len(want) == 0 {
					require.Equal(t, never, ts.next)
					continue
				}
				first := slices.MinFunc(want, func(a, b set) int { return int(a.at - b.at) })
				require.Equal(t, first.at, ts.next)
				got := ts.pop()
				require.Equal(t, first, set{got.at, int(got.p), got.name})
				require.True(t, ts.expire(got.p, got.seq))
				want = slices.DeleteFunc(want, func(s set) bool { return s == first })
				now = first.at
			default:
				wait := time.Duration(random.IntN(3)) * 10
				want = append(slices.DeleteFunc(want, same), set{now + wait, p, name})
				require.NoError(t, ts.change(p, 5, now, &election.TimerChange{Timer: name, Min: wait,
					Max: wait},
					nil, nil))
			}
		}
		require.LessOrEqual(t, cap(ts.line), 256, "what has run out makes room")
		count := 0
		for _, x := range ts.all() {
			if ts.isRunning(x) {
				count++
				require.Equal(t, x.at, ts.due(x.seq))
			}
		}
		require.Equal(t, len(want), count)
	}
}
