package detect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestOwnPause: a process that was paused suspects no other because of silence during the pause, whatever event
// comes first afterwards, and extends its deadlines by the duration of the pause; it suspects a real crash
// afterwards.
func TestOwnPause(t *testing.T) {
	for name, d := range all() {
		for _, pause := range []time.Duration{300 * ms, 10 * time.Second, 10 * time.Minute} {
			for _, first := range []string{"beat", "watch", "backlog"} {
				b := newBench(t, d, 1)
				b.init(0)
				last := 2000 * ms
				for at := time.Duration(0); at <= last; at += 100 * ms {
					require.Empty(t, b.until(at))
					require.Empty(t, b.beat(at, 0, uint64(at/(100*ms)+1)))
				}
				before := b.machine.peers[0].until
				back := 2100*ms + pause
				switch first {
				case "beat":
					delete(b.timers, timerBeat)
					require.Empty(t, b.step(election.Event{Op: election.Timeout, At: back, Timer: timerBeat}))
				case "watch":
					delete(b.timers, timerWatch)
					require.Empty(t, b.step(election.Event{Op: election.Timeout, At: back,
						Timer: timerWatch}))
				default: // the delayed beats arrive simultaneously
					history := b.machine.peers[0].history.sum
					for at := last + 100*ms; at < back; at += 100 * ms {
						require.Empty(t, b.beat(back, 0, uint64(at/(100*ms)+1)))
					}
					require.Equal(t, history, b.machine.peers[0].history.sum, "%s: they show nothing", name)
					continue
				}
				until := max(before+pause, back+100*ms)
				require.Equal(t, suspect(until, 0), b.until(back+time.Minute), "%s, %v, %s", name, pause,
					first)
			}
		}
	}
}

// TestLateTimer: up to two intervals late, a timer is just late.
func TestLateTimer(t *testing.T) {
	b := newBench(t, Deadline{}, 1)
	b.init(0)
	b.step(election.Event{Op: election.Timeout, At: 300 * ms, Timer: timerBeat})
	require.Equal(t, 950*ms, b.machine.peers[0].until)
	b.init(0)
	b.step(election.Event{Op: election.Timeout, At: 301 * ms, Timer: timerBeat})
	require.Equal(t, 1151*ms, b.machine.peers[0].until)
}

// TestCalm: for an interval after a pause of its own a process neither learns nor judges; at its end it does.
func TestCalm(t *testing.T) {
	b := newBench(t, Phi{}, 1)
	b.init(0)
	b.beat(0, 0, 1)
	require.Len(t, b.machine.peers[0].history.samples, 2)
	b.step(election.Event{Op: election.Timeout, At: 400 * ms, Timer: timerBeat})
	b.beat(500*ms-1, 0, 5)
	require.Len(t, b.machine.peers[0].history.samples, 2)
	b.beat(500*ms, 0, 6)
	require.Len(t, b.machine.peers[0].history.samples, 3)

	b = newBench(t, Deadline{Timeout: 150 * ms}, 1)
	b.init(0)
	b.step(election.Event{Op: election.Timeout, At: 301 * ms, Timer: timerBeat})
	require.Equal(t, 351*ms, b.machine.peers[0].until)
	require.Equal(t, suspect(401*ms, 0), b.until(time.Second))
}

// TestReturnInPause: a process has come back while this one was paused. Its beats wait, so that they say
// nothing of the schedule, but it is up: it gets an interval and the margin.
func TestReturnInPause(t *testing.T) {
	b := newBench(t, Chen{}, 1)
	b.init(0)
	b.beat(0, 0, 2)
	for at := 100 * ms; at < 2*time.Second; at += 100 * ms {
		require.Empty(t, b.until(at))
		require.Empty(t, b.beat(at, 0, uint64(at/(100*ms))+2))
	}
	back := 30 * time.Second
	require.Empty(t, b.beat(back, 0, 50))
	require.Equal(t, back+950*ms, b.machine.peers[0].until)
	b.machine.peers[0].until += time.Hour
	until := b.machine.peers[0].until
	require.Empty(t, b.beat(back, 0, 51))
	require.Equal(t, until, b.machine.peers[0].until, "never less than it had")
	require.EqualValues(t, 21, b.machine.peers[0].newest)
}

// TestInitForgets: after an Init a machine is like a new one, even if the clock has gone back or is below zero.
func TestInitForgets(t *testing.T) {
	for name, d := range all() {
		for _, at := range []time.Duration{-time.Hour, 0, time.Hour} {
			b, fresh := newBench(t, d, 2), newBench(t, d, 2)
			b.init(time.Minute)
			b.beat(time.Minute, 0, 1)
			b.beat(time.Hour, 0, 2)
			b.init(at)
			fresh.init(at)
			require.Equal(t, new(election.State).Append(nil, fresh.machine),
				new(election.State).Append(nil, b.machine), name)
			require.Equal(t, append(suspect(at+b.machine.plan.first, 0),
				suspect(at+b.machine.plan.first, 1)...), b.until(at+time.Minute), name)
		}
	}
}

// TestTimerAtZero: a timer that runs out when the clock shows zero runs as any other.
func TestTimerAtZero(t *testing.T) {
	b := newBench(t, Deadline{}, 2)
	b.init(-950 * ms)
	b.beat(-900*ms, 0, 1)
	require.Equal(t, suspect(0, 1), b.until(0))
}

// TestTimerStays: a beat sets no timer unless the deadline comes sooner.
func TestTimerStays(t *testing.T) {
	b := newBench(t, Deadline{}, 1)
	b.init(0)
	set := b.set
	b.beat(0, 0, 1)
	require.Equal(t, b.timers[timerWatch], b.machine.peers[0].until)
	b.beat(50*ms, 0, 1)
	require.Equal(t, set, b.set)
}
