package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCalendarSorts: whatever is pushed comes out by time, and in the order of pushing at one
// instant, as from a plain sorted list.
func TestCalendarSorts(t *testing.T) {
	for _, tt := range []struct {
		name    string
		horizon time.Duration
		burst   int  // entries at the beginning
		follow  int  // entries pushed for each popped, on average, in percent
		coarse  bool // few distinct times
		idle    bool // time passes without entries
	}{
		{"few", 2 * Unit, 3, 100, false, false},
		{"many", 2 * Unit, 20000, 90, false, false},
		{"many at few times", 2 * Unit, 5000, 90, true, false},
		{"one time", 1, 3000, 50, true, false},
		{"growing", Unit, 10, 140, false, false},
		{"far apart", 1e6 * Unit, 500, 99, false, false},
		{"with idle time", 2 * Unit, 40, 95, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := random{11}
			c := newCalendar(tt.horizon)
			var now time.Duration
			type pushed struct {
				at  time.Duration
				seq uint32
			}
			var want []pushed // sorted by time, stably
			var seq uint32
			push := func() {
				at := now + 1 + time.Duration(r.uintN(uint64(tt.horizon)))
				if tt.coarse {
					at = now + 1 + (at-now-1)/(tt.horizon/4+1)*(tt.horizon/4+1)
				}
				e := c.push(now, at)
				e.ev.At, e.to = at, seq
				i, _ := slices.BinarySearchFunc(want, at+1,
					func(e pushed, at time.Duration) int { return int(e.at - at) })
				want = slices.Insert(want, i, pushed{at, seq})
				seq++
			}
			for range tt.burst {
				push()
			}
			for step := 0; len(want) > 0 && step < 30000; step++ {
				if tt.idle && step%5 == 0 { // an event that is no message, between two messages
					now += (want[0].at - now) * 9 / 10
					push()
				}
				front := c.front()
				// require.Equal alone takes ten times as long
				if got := (pushed{front.ev.At, front.to}); got != want[0] {
					require.Equal(t, want[0], got, "step %d", step)
				}
				now = front.ev.At
				for quota := tt.follow; quota > 0; quota -= 100 {
					if int(r.uintN(100)) < quota {
						push()
					}
				}
				c.pop()
				if want = want[1:]; c.n != len(want) {
					require.Len(t, want, c.n, "step %d", step)
				}
			}
			if len(want) == 0 {
				require.Nil(t, c.front())
			}
		})
	}
}

func TestBitmapNext(t *testing.T) {
	r := random{5}
	for _, size := range []int{64, 128, 4096, 1 << 14} {
		b, set := newBitmap(size), make([]bool, size)
		for range 300 {
			i := int(r.uintN(uint64(size)))
			b.set(i)
			set[i] = true
			if j := int(r.uintN(uint64(size))); r.uintN(2) == 0 && j != i {
				b.unset(j)
				set[j] = false
			}
			from := int(r.uintN(uint64(size)))
			want := from
			for !set[want] {
				want = (want + 1) % size
			}
			require.Equal(t, want, b.next(from))
		}
	}
}

// TestDays: the ring of days gets more of them when they are crowded, as long as days can be shorter.
func TestDays(t *testing.T) {
	for _, tt := range []struct {
		horizon time.Duration
		entries int
		want    int
		shift   uint
	}{
		{1, 0, 64, 1}, {1, 1, 64, 1}, {1, 64*crowdedMean + 1, 128, 1},
		{Unit, 0, 64, 25}, {Unit, 64 * crowdedMean, 64, 25}, {Unit, 64*crowdedMean + 1, 128, 24},
		{Unit, 128 * crowdedMean, 128, 24}, {Unit, 128*crowdedMean + 1, 256, 23},
	} {
		c := newCalendar(tt.horizon)
		for range tt.entries {
			c.push(0, tt.horizon).ev.At = tt.horizon
		}
		require.Equal(t, tt.entries > 0, c.front() != nil)
		require.Equal(t, []any{tt.want, tt.shift}, []any{len(c.days), c.shift}, "%+v", tt)
		require.Equal(t, tt.entries, c.n)
	}
}
