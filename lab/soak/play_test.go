package soak

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
)

// playDoing returns a run, at a time, of n processes that note what events they get after the beginning.
func playDoing(t *testing.T, n int, now time.Duration, got *[]string) *play {
	t.Helper()
	p := planDoing(t, n, func(e *election.Env, ev *election.Event) {
		if ev.Op != election.Init {
			*got = append(*got, fmt.Sprintf("%d %v %d", e.Self().ID, ev.Op, ev.Port))
		}
	})
	p.Initiators = []election.ID{}
	y, err := p.begin(t.Context(), nil)
	require.NoError(t, err)
	y.until(now)
	require.Equal(t, max(now, 1), y.Now())
	return y
}

// TestLatest: a run may go on for 100,000 units after its plan, or a thousand of its longest timers, within
// the times that there are.
func TestLatest(t *testing.T) {
	const end = 3 * unit
	for timer, want := range map[time.Duration]time.Duration{
		0: 100_003 * unit, 100 * unit: 100_003 * unit, 101 * unit: 101_003 * unit,
		math.MaxInt64 / 1000: math.MaxInt64, math.MaxInt64: math.MaxInt64,
	} {
		require.Equal(t, want, (&play{timer: timer}).latest(end), "%v", timer)
	}
	const last = time.Duration(math.MaxInt64)
	require.Equal(t, last, (&play{}).latest(last-100_000*unit))
	require.Equal(t, last, (&play{}).latest(last-unit))
	require.Equal(t, last-1, (&play{}).latest(last-100_000*unit-1))
}

// TestBeats: heartbeats are a hundred for each link in the time that a message may take, if there are any.
func TestBeats(t *testing.T) {
	var got []string
	for _, tt := range []struct {
		now, delay time.Duration
		beats      bool
		want       float64
	}{
		{3 * unit, unit, true, 1800}, {3*unit - 1, unit, true, 1200}, {3 * unit, 2 * unit, true, 600},
		{3 * unit, unit, false, 0}, {3 * unit, 0, true, 0}, {3 * unit, 1, true, 1800 * float64(unit)},
	} {
		y := playDoing(t, 3, tt.now, &got)
		y.Algorithm.Heartbeats, y.Algorithm.Delay = tt.beats, tt.delay
		require.Equal(t, tt.want, y.beats(), "%+v", tt)
	}
}

// TestPorts: the port behind which a process has another, where there is one.
func TestPorts(t *testing.T) {
	ring, err := topology.Ring(4, true)
	require.NoError(t, err)
	p := planOf(4, ring)
	y := &play{Plan: p}
	for to, want := range map[int]election.Port{1: election.Clockwise, 3: election.Counterclockwise} {
		port, ok := y.port(0, to)
		require.True(t, ok, "%d", to)
		require.Equal(t, want, port)
	}
	_, ok := y.port(0, 2)
	require.False(t, ok)
	p.Topology, err = topology.CompleteOf(p.IDs)
	require.NoError(t, err)
	for from := range 4 {
		for to := range 4 {
			port, ok := y.port(from, to)
			require.Equal(t, from != to, ok)
			if ok {
				q, _, _ := p.Topology.Link(from, port)
				require.Equal(t, to, q)
			}
		}
	}
}

// TestPrompted: a prompt reaches a process that is up, if what it reports is true: a crash once the last
// message has arrived, at once in the profile Chaos. A Start comes to a process without a leader, or
// with one that is down.
func TestPrompted(t *testing.T) {
	follower := func(of election.ID) participant {
		return participant{outcome: election.Outcome{Term: 1, Role: election.Follower,
			Leader: election.Rank{ID: of}}}
	}
	downSince := func(at time.Duration) participant { return participant{down: true, since: at} }
	const now = 5 * unit
	up, late, just := participant{}, downSince(now-unit), downSince(now-unit+1)
	suspicion, trust, begin := Prompt{To: 1, Of: 3}, Prompt{To: 1, Of: 3, Back: true}, Prompt{To: 1}
	for _, tt := range []struct {
		what    string
		to, of  participant
		prompt  Prompt
		profile Profile
		want    []string
	}{
		{"down for a delay", up, late, suspicion, Broad, []string{"1 suspect 1"}},
		{"down for less", up, just, suspicion, Broad, nil},
		{"down for less, in Chaos", up, just, suspicion, Chaos, []string{"1 suspect 1"}},
		{"up", up, up, suspicion, Chaos, nil},
		{"a receiver that is down", downSince(0), late, suspicion, Chaos, nil},
		{"back", up, up, trust, Broad, []string{"1 trust 1"}},
		{"not back", up, late, trust, Chaos, nil},
		{"a receiver of a return that is down", downSince(0), up, trust, Broad, nil},
		{"no leader", up, up, begin, Broad, []string{"1 start 0"}},
		{"a leader that is up", follower(3), up, begin, Chaos, nil},
		{"a leader that is down", follower(3), late, begin, Broad, []string{"1 start 0"}},
		{"a leader that is just down", follower(3), just, begin, Broad, nil},
		{"a leader that is no process", follower(9), late, begin, Broad, nil},
		{"a process that is down", downSince(0), late, begin, Chaos, nil},
	} {
		var got []string
		y := playDoing(t, 3, now, &got)
		y.is = []participant{tt.to, up, tt.of}
		y.profile = tt.profile
		y.prompt(tt.prompt)
		require.Equal(t, tt.want, got, tt.what)
		require.Equal(t, len(tt.want), y.posted, tt.what)
		y.wrong = &Violation{}
		y.prompt(tt.prompt)
		require.Equal(t, len(tt.want), y.posted, "the run is wrong already")
	}
}

// TestLastMessageUnderRandomDelays: the last message of a process may take the longest delay.
func TestLastMessageUnderRandomDelays(t *testing.T) {
	var got []string
	y := playDoing(t, 2, 5*unit, &got)
	y.Plan.Schedule, y.Plan.Delay = sim.RandomDelay, sim.Delay{Min: 1, Max: 3 * unit}
	for since, want := range map[time.Duration]bool{2 * unit: true, 2*unit + 1: false} {
		y.is[0] = participant{down: true, since: since}
		require.Equal(t, want, y.lastMessageArrived(0), "%v", since)
	}
}

// TestNoticed: where processes may crash, each that is up gets a report on its leader that is down, or
// is started if it has none. Chaos starts none once a process has a leader, and a detector of the plan
// has reported all.
func TestNoticed(t *testing.T) {
	follower := func(of election.ID) participant {
		return participant{outcome: election.Outcome{Term: 1, Role: election.Follower,
			Leader: election.Rank{ID: of}}}
	}
	up, down := participant{}, participant{down: true}
	crashes := election.Faults{Crash: election.StaysDown}
	reported, nudged := crashes, crashes
	reported.Reported, nudged.Nudged = true, true
	starts := []string{"1 start 0", "2 start 0", "3 start 0"}
	for _, tt := range []struct {
		what     string
		is       []participant
		faults   election.Faults
		profile  Profile
		sections int
		want     []string
	}{
		{"no leader", []participant{up, up, up}, crashes, Broad, 0, starts},
		{"no leader in Chaos", []participant{up, up, up}, crashes, Chaos, 0, starts},
		{"no crash is survived", []participant{up, up, up}, election.Faults{}, Broad, 0, nil},
		{"reported", []participant{up, up, up}, reported, Broad, 0, nil},
		{"sections", []participant{up, up, up}, nudged, Broad, 1, nil},
		{"one down", []participant{up, down, up}, crashes, Broad, 0, []string{"1 start 0", "3 start 0"}},
		{"one follows", []participant{up, up, follower(2)}, crashes, Broad, 0, starts[:2]},
		{"one follows in Chaos", []participant{up, up, follower(2)}, crashes, Chaos, 0, nil},
		{"one that is down followed", []participant{up, {down: true, outcome: follower(3).outcome}, up},
			crashes,
			Chaos, 0, []string{"1 start 0", "3 start 0"}},
		{"one follows in Chaos, nudged", []participant{up, up, follower(2)}, nudged, Chaos, 0, starts[:2]},
		{"a leader is down", []participant{follower(2), down, follower(3)}, crashes, Broad, 0,
			[]string{"1 suspect 0"}},
		{"a leader is down, reported", []participant{follower(2), down, follower(2)}, reported, Broad, 0,
			nil},
		{"all is well", []participant{follower(3), follower(3), follower(3)}, crashes, Broad, 0, nil},
	} {
		var got []string
		y := playDoing(t, 3, unit, &got)
		y.Algorithm.Faults, y.Algorithm.Sections = tt.faults, tt.sections
		y.is, y.profile = tt.is, tt.profile
		require.Equal(t, len(tt.want) > 0, y.notice(), tt.what)
		require.ElementsMatch(t, tt.want, got, tt.what)
		require.Equal(t, len(tt.want), y.posted, tt.what)
	}
}

// TestRunGoesOn: a run continues until it is wrong, or left.
func TestRunGoesOn(t *testing.T) {
	require.True(t, (&play{}).goesOn())
	require.False(t, (&play{left: true}).goesOn())
	require.False(t, (&play{wrong: &Violation{Property: verdict.Rests}}).goesOn())
}

// TestStepsAndBeats: a run without end is one that takes a step more than its limit and the heartbeats that
// there may have been.
func TestStepsAndBeats(t *testing.T) {
	for _, tt := range []struct {
		steps int // before one more
		beats bool
		ends  bool
	}{{9, false, false}, {10, false, true}, {209, true, false}, {210, true, true}} {
		p := planDoing(t, 2, func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Init && e.Self().ID == 1 {
				e.SetTimer(1, 3*unit/2, 3*unit/2) // in which there may be 100 beats of each of two links
			}
		})
		p.Initiators = []election.ID{}
		p.Algorithm.Delay, p.Algorithm.Heartbeats = unit, tt.beats
		y, err := p.begin(t.Context(), nil)
		require.NoError(t, err)
		y.steps, y.most = tt.steps, 10
		y.until(2 * unit)
		require.Equal(t, tt.steps+1, y.steps)
		require.Equal(t, tt.ends, y.wrong != nil, "%+v", tt)
		if tt.ends {
			require.Equal(t, verdict.Rests, y.wrong.Property)
			require.Equal(t, "it continues after 10 steps", y.wrong.Reason)
		}
	}
}

// TestPanicAtAPrompt: a Node that panics at a prompt makes the run fail.
func TestPanicAtAPrompt(t *testing.T) {
	p := planDoing(t, 2, func(_ *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			panic("no")
		}
	})
	p.Initiators, p.Prompts = []election.ID{}, []Prompt{{At: unit, To: 2}}
	require.Equal(t, &Violation{Property: verdict.Sound, Reason: "process 2: a node panicked: no", At: unit},
		p.Run(nil).Violation)
}
