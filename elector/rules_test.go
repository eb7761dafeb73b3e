package elector

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/transport/memory"
)

// idle returns a member that does not run.
func idle(t *testing.T) *Elector {
	endpoint, err := memory.New().Endpoint(ID("a"))
	require.NoError(t, err)
	e, err := New(Config{Group: "g", Self: "a", Members: map[string]string{"a": ""}, Transport: endpoint})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

// TestBest: the successor is the candidate with the largest priority, then Rank, among those heard in the last two
// Renew.
func TestBest(t *testing.T) {
	s := &standings{renew: 100, others: []standing{{rank: election.Rank{ID: 5}},
		{rank: election.Rank{ID: 9}}}}
	require.Zero(t, s.best(), "none has a priority")
	s.hear(0, 3, 1000)
	require.EqualValues(t, 5, s.best())
	s.hear(1, 3, 1000)
	require.EqualValues(t, 9, s.best(), "the larger Rank")
	s.hear(0, 3, 1000)
	require.EqualValues(t, 9, s.best(), "whichever was heard of last")
	s.hear(0, 4, 1000)
	require.EqualValues(t, 5, s.best())
	s.hear(1, 3, 1200)
	require.EqualValues(t, 5, s.best())
	s.hear(1, 3, 1201)
	require.EqualValues(t, 9, s.best(), "the other one was heard of more than two Renews ago")
	gone := &election.Event{Op: election.Suspect, Port: 1}
	s.hear(1, 3, 1201)
	s.observe(&observe.Occurrence{What: observe.Crash, Event: gone})
	require.EqualValues(t, 9, s.best())
	s.observe(&observe.Occurrence{What: observe.Step, At: 1201, Event: gone})
	require.Zero(t, s.best(), "it is gone")
	r := &observe.Occurrence{What: observe.Step, At: 1300, Event: &election.Event{Op: election.Recv, Port: 0}}
	s.observe(r)
	require.Zero(t, s.best(), "a message that names no priority")
	s.hear(0, 3, 1300)
	r.At = 1500
	s.observe(r)
	require.EqualValues(t, 5, s.best())
	r.At = 1501
	s.observe(r)
	require.Zero(t, s.best(), "the time goes on while none names a priority")
	c := Config{Self: "b", Members: named("a", "b", "c"), Preempt: 7, Times: Times{Renew: 8}}
	s = newStandings(&c, nil, nil, nil, nil)
	require.Equal(t, []time.Duration{7, 8}, []time.Duration{s.preempt, s.renew})
}

// TestAheadForPreempt: a member takes over whose priority has been larger for Preempt, and that was
// heard of every two Renews meanwhile.
func TestAheadForPreempt(t *testing.T) {
	const preempt, renew = 1000, 100
	for name, c := range map[string]struct {
		off      bool // no Preempt
		priority func(at int) uint64
		own      func(at int) uint64 // if nil, it is 3
		away     func(at int) bool
		want     []int // when the work is asked to stop
	}{
		"equal":   {priority: func(int) uint64 { return 3 }},
		"smaller": {priority: func(int) uint64 { return 2 }},
		"off":     {priority: func(int) uint64 { return 4 }, off: true},
		"larger":  {priority: func(int) uint64 { return 4 }, want: []int{1000, 2100}},
		"later": {priority: func(at int) uint64 { return uint64(3 + min(at/500, 1)) },
			want: []int{1500, 2600}},
		"equal for a moment": {priority: func(at int) uint64 {
			if at == 900 {
				return 3
			}
			return 4
		}, want: []int{2000}},
		"away for two Renews": {priority: func(int) uint64 { return 4 },
			away: func(at int) bool { return at == 500 }, want: []int{1000, 2100}},
		"away for three": {priority: func(int) uint64 { return 4 },
			away: func(at int) bool { return at == 500 || at == 600 }, want: []int{1700, 2800}},
		"the own is as large for a moment": {priority: func(int) uint64 { return 4 },
			own: func(at int) uint64 {
				if at == 850 {
					return 4
				}
				return 3
			}, want: []int{1900}},
		"the own changes, and stays smaller": {priority: func(int) uint64 { return 4 },
			own: func(at int) uint64 {
				return uint64(1 + at/50%3)
			}, want: []int{1000, 2100}},
	} {
		var asked []int
		now := 0
		s := &standings{renew: renew, preempt: preempt, own: 3, others: []standing{{rank: election.Rank{ID: 5}},
			{rank: election.Rank{ID: 9}}}}
		s.transfer = func(to election.ID) {
			require.EqualValues(t, 9, to)
			asked = append(asked, now)
		}
		if c.off {
			s.preempt = 0
		}
		for ; now < 3000; now += 50 {
			if c.own != nil {
				s.setOwn(c.own(now))
			}
			if now%renew == 0 && (c.away == nil || !c.away(now)) {
				s.hear(1, c.priority(now), time.Duration(now))
			}
		}
		require.Equal(t, c.want, asked, name)
	}
	asked := false
	s := &standings{renew: renew, preempt: 1, others: make([]standing, 1),
		transfer: func(election.ID) { asked = true }}
	s.hear(0, 1, 0)
	require.False(t, asked)
	s.hear(0, 1, 1)
	require.True(t, asked, "the shortest Preempt")
	idle(t).preempt(9) // a member that does not lead has nothing to hand over
}

// TestRoundTripWarning: a round trip that takes as long as Renew is logged once. An answer that comes
// sixteen rounds late is none.
func TestRoundTripWarning(t *testing.T) {
	a, err := lease.New(lease.Config{})
	require.NoError(t, err)
	var log strings.Builder
	c := Config{Members: named("a", "b"), Times: Times{Renew: 100, Lease: 10000}}
	r := newRoundTrips(a, &c, slog.New(slog.NewTextHandler(&log, nil)))
	claim := func(round uint32, at time.Duration) {
		m := election.Message{Kind: r.claims[0], Round: round}
		r.observe(&observe.Occurrence{What: observe.Step, At: at,
			Event:   &election.Event{Op: election.Timeout},
			Effects: &election.Effects{Sends: []election.Outgoing{{Msg: m}}}})
	}
	answer := func(round uint32, at time.Duration) {
		m := election.Message{Kind: r.answers[0], Round: round}
		r.observe(&observe.Occurrence{What: observe.Step, At: at, Effects: &election.Effects{},
			Event: &election.Event{Op: election.Recv, Msg: m}})
	}
	claim(1, 0)
	answer(1, 99)
	require.Empty(t, log.String())
	require.EqualValues(t, 99, r.typical())
	claim(2, 100)
	answer(2, 200)
	require.Equal(t, 1, strings.Count(log.String(), "took longer than Times.Renew"))
	claim(3, 200)
	answer(3, 1000)
	require.Equal(t, 1, strings.Count(log.String(), "\n"), "once in a minute")
	claim(4, 1000)
	claim(20, 1000)
	answer(4, 9000)
	require.EqualValues(t, 800, r.typical())
	answer(20, 1900)
	require.EqualValues(t, 900, r.typical())
}

// TestTimesComplete: what follows from Lease, and what is given stays.
func TestTimesComplete(t *testing.T) {
	const ms = time.Millisecond
	require.Equal(t, Times{750 * ms, 187500 * time.Microsecond, 187500 * time.Microsecond, 5 * time.Second,
		7500 * time.Microsecond, 0.001}, Times{}.Complete())
	given := Times{Lease: 1, Renew: 2, Stop: 3, Drain: 4, Delay: 5, Drift: 6}
	require.Equal(t, given, given.Complete())
	require.EqualValues(t, 1, Times{Lease: 99}.Complete().Delay)
	require.Equal(t, []time.Duration{750 * ms, 3 * time.Second, 10 * time.Second, 250 * ms, 300 * ms},
		[]time.Duration{LAN().Lease, Cloud().Lease, WAN().Lease, Suggest(5 * ms).Lease,
			Suggest(6 * ms).Lease})
	for _, c := range []struct {
		times Times
		ok    bool
	}{
		// Without a Drift: 9/8 of Renew, two Delay of 1 ms, and Stop take less than Lease.
		{Times{Lease: 100 * ms, Stop: 44*ms - 1, Renew: 48 * ms, Drift: -1}, true},
		{Times{Lease: 100 * ms, Stop: 44 * ms, Renew: 48 * ms, Drift: -1}, false},
		{Times{Lease: 100 * ms, Stop: 41750*time.Microsecond - 1, Renew: 50 * ms, Drift: -1}, true},
		{Times{Lease: 100 * ms, Stop: 41750 * time.Microsecond, Renew: 50 * ms, Drift: -1}, false},
		{Times{Lease: 100 * ms, Stop: 41690 * time.Microsecond, Renew: 50 * ms}, true},
		{Times{Lease: 100 * ms, Stop: 41700 * time.Microsecond, Renew: 50 * ms}, false},
		{Times{Lease: 100 * ms, Stop: 50*ms + 1, Renew: ms}, false},
		{Times{Lease: 100 * ms, Stop: ms, Renew: 50*ms + 1}, false},
		{Times{Lease: 100 * ms, Stop: -1}, false}, {Times{Lease: 100 * ms, Drain: -1}, false},
		{Times{Lease: ms}, true}, {Times{Lease: ms - 1}, false},
		{Times{Lease: 100 * ms, Stop: ms, Delay: 25 * ms}, true},
		{Times{Lease: 100 * ms, Stop: ms, Delay: 25*ms + 1}, false},
		{Times{Lease: 100 * ms, Stop: ms, Renew: 20 * ms, Delay: 20 * ms}, true},
		{Times{Lease: 100 * ms, Stop: ms, Renew: 20 * ms, Delay: 20*ms + 1}, false},
		{Times{Lease: 100 * ms, Delay: -1}, false},
	} {
		require.Equal(t, c.ok, c.times.Complete().check() == nil, "%+v", c.times)
	}
	l := Times{Lease: 800, Renew: 160, Delay: 3, Drift: 0.5}.lease(true)
	require.Equal(t, lease.Config{Lease: 800, Renew: 180, Delay: 3, Drift: 0.5, Durable: true,
		Cold: -1, Stays: true}, l)

	least, most := Times{Lease: time.Second, Delay: 10 * ms, Drift: 0.1}.FailOver(3)
	// A grant lasts for 1222.222223 ms of the voter's clock.
	require.InDelta(t, 1222.222223/1.1-250/0.9, float64(least)/1e6, 1e-3)
	require.InDelta(t, (1222.222223+3*2*10+6*10+12*10)/0.9, float64(most)/1e6, 1e-3)
}

// TestDelayBound: a Delay that leaves no time for a claim or a renewal is an error that contains its bound. The
// default Delay of a member with a Dir never exceeds it.
func TestDelayBound(t *testing.T) {
	c := Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"},
		Times: Times{Delay: time.Hour}}
	_, err := New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err,
		"Times.Delay: 1h0m0s is not between 0 and a quarter of a Lease of 750ms, which is 187.5ms")
	for lease, want := range map[time.Duration]time.Duration{
		time.Millisecond: 233999, 60 * time.Millisecond: 14040021,
		65 * time.Millisecond: DiskDelay, time.Second: DiskDelay, time.Minute: 600 * time.Millisecond,
	} {
		disk := Times{Lease: lease}.onDisk()
		require.Equal(t, want, disk.Delay, lease)
		require.NoError(t, disk.Complete().check(), lease)
	}
}

// TestExtremeTimes: FailOver and Suggest return no time that is negative or has overflowed: zeros for Times
// that New refuses, and for the largest ones the longest time that there is.
func TestExtremeTimes(t *testing.T) {
	const day = 24 * time.Hour
	for _, refused := range []Times{{Drift: 0.5}, {Drift: 1}, {Drift: 2}, {Drift: math.NaN()},
		{Drift: math.Inf(1)}, {Lease: -1}, {Lease: 27 * day}, {Lease: math.MaxInt64}, {Renew: -1},
		{Stop: -1}, {Delay: -1}, {Delay: time.Hour}, {Drain: -1}, {Renew: time.Hour},
		{Lease: math.MinInt64}} {
		require.ErrorIs(t, refused.Check(), election.ErrInput, "%+v", refused)
		least, most := refused.FailOver(3)
		require.Zero(t, least, "%+v", refused)
		require.Zero(t, most, "%+v", refused)
	}
	for _, members := range []int{0, -1, math.MinInt} {
		least, most := LAN().FailOver(members)
		require.Zero(t, least+most, members)
	}
	longest := Times{Lease: longestLease, Delay: longestLease / 10, Drift: 0.49}
	least, most := longest.FailOver(1)
	require.Greater(t, least, longestLease)
	require.Less(t, least, most)
	require.Less(t, most, time.Duration(math.MaxInt64))
	for _, members := range []int{1 << 16, math.MaxInt} {
		_, most = longest.FailOver(members)
		require.Equal(t, time.Duration(math.MaxInt64), most, members)
	}
	for _, trip := range []time.Duration{math.MinInt64, -1, 0, 1, day, 30 * day, math.MaxInt64} {
		times := Suggest(trip)
		require.NoError(t, times.Check(), trip)
		require.GreaterOrEqual(t, times.Lease, 250*time.Millisecond)
	}
	require.Equal(t, longestLease, Suggest(math.MaxInt64).Lease)
}

// TestReasons: each reason has a name, and a number that is none is shown.
func TestReasons(t *testing.T) {
	for r, want := range map[Reason]string{Starting: "starting", Elected: "elected", Hearsay: "hearsay",
		Vacant: "vacant", Lost: "lost", GivenUp: "given up", Ended: "ended", Ended + 1: "reason(7)"} {
		require.Equal(t, want, r.String())
	}
}

// TestNextBeat: all groups of a member renew at the same moments, Renew apart; two members may renew at different
// moments.
func TestNextBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beat := func(self string, renew time.Duration) time.Time {
			e := &Elector{leases: true, config: Config{Self: self, Times: Times{Renew: renew}}}
			return e.nextBeat()
		}
		const renew = 100 * time.Millisecond
		last := beat("a", renew)
		require.Greater(t, time.Until(last), time.Duration(0))
		require.LessOrEqual(t, time.Until(last), renew)
		require.NotEqual(t, last, beat("b", renew))
		for range 5 {
			time.Sleep(time.Until(last) - time.Nanosecond)
			require.True(t, last.Equal(beat("a", renew)))
			time.Sleep(time.Nanosecond)
			next := beat("a", renew)
			require.Equal(t, renew, next.Sub(last))
			last = next
		}
		e := &Elector{config: Config{Self: "a", Times: Times{Renew: renew}}}
		require.Equal(t, time.Duration(endless), time.Until(e.nextBeat()), "without leases there are none")
	})
}

// TestStoppedBeforeItBegan: work that was asked to stop before it began sees that immediately, with the cause.
func TestStoppedBeforeItBegan(t *testing.T) {
	e := idle(t)
	tenure := newTenure(e, 1)
	tenure.stop(ErrTransferred, 7)
	tenure.stop(ErrResigned, 8)
	var cause error
	require.NoError(t, tenure.serve(t.Context(), func(ctx context.Context, term Term) error {
		cause = context.Cause(ctx)
		return nil
	}))
	require.Equal(t, ErrTransferred, cause, "the first reason counts")
	to, why := tenure.reason()
	require.EqualValues(t, 7, to)
	require.Equal(t, ErrTransferred, why)
	<-tenure.done
	for err, want := range map[error]bool{nil: true, ErrResigned: true, ErrTransferred: true,
		ErrPaused:  false,
		ErrDeposed: false, ErrUnreachable: false, ErrNewTerm: false} {
		require.Equal(t, want, isPlanned(err), "%v", err)
	}
}

// TestLost: the work ends because another member leads, or because the lease was over before that was
// noticed.
func TestLost(t *testing.T) {
	e := idle(t)
	for want, views := range map[error][]View{
		ErrDeposed: {{Term: 2}, {Term: 2, Leader: "b"}},
		ErrPaused: {{Term: 1, Why: Lost}, {Term: 1, Leader: "a", Self: true},
			{Term: 2, Leader: "a", Self: true}},
	} {
		for _, v := range views {
			e.view = v
			require.Equal(t, want, newTenure(e, 1).lost(), "%+v", v)
		}
	}
	e.leases = false
	for want, views := range map[error][]View{ErrDeposed: {{Term: 1, Leader: "b"}},
		ErrNewTerm: {{Term: 2}, {Term: 2, Leader: "a", Self: true}}} {
		for _, v := range views {
			e.view = v
			require.Equal(t, want, newTenure(e, 1).lost(), "%+v", v)
		}
	}
}

// TestGiveUpWhileHanging: a member whose process does not react is rid of the lead when its lease is over.
func TestGiveUpWhileHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for onPurpose, why := range map[bool]Reason{true: GivenUp, false: Lost} {
			e := idle(t)
			e.view, e.until = View{Leader: "a", Term: 3, Self: true}, e.clock()+time.Second
			began := time.Now()
			e.giveUp(lease.SitDown(), onPurpose)
			require.Equal(t, time.Second, time.Since(began))
			require.Equal(t, View{Term: 3, Why: why}, e.view)
			e.view = View{Leader: "a", Term: 3, Self: true}
			e.giveUp(lease.Resign(2, 0), onPurpose)
			require.True(t, e.view.Self, "a Term before")
		}
	})
}

// TestWarnings: of the driver's log, warnings and what is worse are kept, with their attributes.
func TestWarnings(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(warnings{slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})})
	log = log.With("a", 1).WithGroup("g")
	log.Debug("one")
	log.Info("two")
	require.Empty(t, text.String())
	log.Warn("three", "b", 2)
	require.Contains(t, text.String(), "msg=three a=1 g.b=2")
	quiet := slog.New(warnings{slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelError})})
	text.Reset()
	quiet.Warn("four")
	require.Empty(t, text.String(), "the level of the caller's log holds too")
}

// TestAnnounce: a leader tells each observer that it leads, once in a Lease, one that has just come with the next
// renewal, and all of them when it leads no more. What it sends has numbers, so that copies are dropped.
func TestAnnounce(t *testing.T) {
	var sent []election.Packet
	c := Config{Self: "b", Observers: named("b", "o", "p"), Times: LAN().Complete()}
	o := newObservers(&c)
	o.send = func(p election.Packet) { sent = append(sent, p) }
	require.NotZero(t, o.incarnation)
	follower := election.Outcome{Role: election.Follower, Term: 6}
	leader := election.Outcome{Role: election.Leader, Term: 7}
	o.came(ID("p"))
	for renewal, out := range []election.Outcome{follower, leader, leader, leader, leader, leader, leader, leader,
		follower, follower} {
		if renewal == 6 {
			o.came(ID("o"))
			o.came(ID("x")) // no observer
		}
		o.hear(out, time.Duration(renewal)*c.Times.Renew)
	}
	var want []election.Packet
	for i, m := range []struct {
		election.Message
		to []string
	}{{lease.Leads(7), []string{"o", "p"}}, {lease.Leads(7), []string{"o", "p"}}, {lease.Leads(7), []string{"o"}},
		{lease.Left(7), []string{"o", "p"}}} {
		for _, to := range m.to {
			want = append(want, election.Packet{From: ID("b"), To: ID(to), Msg: m.Message,
				Incarnation: o.incarnation, Seq: uint64(i + 1)})
		}
	}
	require.Equal(t, want, sent)
}

// TestFollowed: an observer follows for two and a half leases, as far as package lease takes a time of that length.
func TestFollowed(t *testing.T) {
	for lease, want := range map[time.Duration]time.Duration{time.Second: 2500 * time.Millisecond,
		longestLease: longestLease, longestLease / 2: longestLease, 2 * longestLease: 2 * longestLease} {
		require.Equal(t, want, Times{Lease: lease}.followed())
	}
	for _, l := range []time.Duration{leastLease, time.Second, longestLease} {
		c := Config{Self: "o", Observers: named("o"), Times: preset(l).Complete()}
		_, err := c.algorithm(0)
		require.NoError(t, err)
	}
}

// TestVacantSince: a vacancy lasts from the end of the last leader, whatever else changes meanwhile.
func TestVacantSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := idle(t)
		show := func(v View) { e.publish(func(View) View { return v }) }
		show(View{Leader: "a", Term: 1, Why: Elected})
		time.Sleep(time.Second)
		since := e.clock()
		show(View{Term: 1, Why: Vacant})
		require.Equal(t, since, e.vacant)
		time.Sleep(time.Second)
		show(View{Term: 2, Why: Vacant})
		require.Equal(t, since, e.vacant)
	})
}

// TestTurns: each of a thousand groups has an order of its own, and each of five members is the first in about
// a fifth of them.
func TestTurns(t *testing.T) {
	names := []string{"m0", "m1", "m2", "m3", "m4"}
	first := make(map[election.ID]int)
	for i := range 1000 {
		c := Config{Group: fmt.Sprint("group ", i), Self: "m0", Members: named(names...)}
		ranks := c.ranks()
		require.Equal(t, ranks[0], c.rank(ID("m0")))
		first[slices.MaxFunc(ranks, election.Rank.Compare).ID]++
	}
	for _, name := range names {
		require.InDelta(t, 200, first[ID(name)], 50, name)
	}
	c := Config{Group: "g", Members: named("a"), Algorithm: new(election.Algorithm)}
	require.Equal(t, election.Rank{ID: ID("a")}, c.rank(ID("a")), "an algorithm of the caller compares IDs")
}
