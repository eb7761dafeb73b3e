package electortest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

// bench is a judge with members whose clocks are right, at a time that a test sets.
type bench struct {
	*judge
	at   time.Duration
	a, b *Member
}

func newBench() *bench {
	b := &bench{}
	b.judge = &judge{now: func() time.Duration { return b.at }, failed: make(chan struct{}),
		members: make(map[string]*Member)}
	b.a, b.b = b.member("a"), b.member("b")
	return b
}

func (b *bench) member(name string) *Member {
	m := &Member{Name: name, judge: b.judge, clock: &clock{now: b.judge.now, rate: 1},
		wall: &gate{}, ended: make(chan struct{})}
	b.enters(m)
	return m
}

// TestLeases: which leases are wrong, of one member after the other and of two at a time.
func TestLeases(t *testing.T) {
	type hold struct {
		at, end time.Duration
		name    string
		term    uint64
	}
	for want, holds := range map[string][]hold{
		"": {{0, 10, "a", 1}, {5, 15, "a", 1}, {15, 25, "b", 2}, {24, 30, "b", 2}, {30, 40, "b", 3},
			{33, 43, "b", 4}},
		"two leases are valid: that of a in Term 1 until 10ns, and that of b in Term 2 until 19ns": {
			{0, 10, "a", 1}, {9, 19, "b", 2}},
		"a has renewed its lease of Term 1, which had ended at 10ns": {{0, 10, "a", 1}, {10, 20, "a", 1}},
		"b leads in Term 1, after a leader in Term 1":                {{0, 10, "a", 1}, {10, 20, "b", 1}},
		"b leads in Term 1, after a leader in Term 2":                {{0, 10, "a", 2}, {10, 20, "b", 1}},
		"a leads in Term 2, after a leader in Term 3": {{0, 10, "a", 3}, {10, 20, "a", 2},
			{20, 30, "a", 3}},
	} {
		b := newBench()
		members := map[string]*Member{"a": b.a, "b": b.b}
		for _, h := range holds {
			b.at = h.at
			b.holds(members[h.name], h.term, h.end)
		}
		require.Equal(t, want, b.wrong)
	}

	b := newBench()
	b.holds(b.a, 1, 10)
	b.leaves(b.a, true, "crashes")
	b.holds(b.a, 5, 99)
	b.holds(b.b, 2, 10)
	require.Empty(t, b.wrong, "what a member holds after its crash does not count")
	require.EqualValues(t, 2, b.top)
}

// TestLeader: the leader is the member whose lease is valid, and all agree once each names it.
func TestLeader(t *testing.T) {
	b := newBench()
	m, _ := b.leader()
	require.Nil(t, m)
	require.False(t, b.agree())
	require.Zero(t, b.ledSince(0))
	b.at = 3
	b.holds(b.b, 4, 10)
	b.at = 5
	b.holds(b.b, 4, 12)
	m, held := b.leader()
	require.Same(t, b.b, m)
	require.Equal(t, lease{term: 4, begin: 3, end: 12}, held)
	require.EqualValues(t, 3, b.ledSince(3))
	require.Zero(t, b.ledSince(4))

	good := elector.View{Leader: "b", Term: 4}
	own := elector.View{Leader: "b", Term: 4, Self: true}
	for _, c := range []struct {
		a, b elector.View
		want bool
	}{
		{good, own, true}, {good, good, false}, {own, own, false},
		{elector.View{Leader: "a", Term: 4}, own, false}, {elector.View{Leader: "b", Term: 3}, own, false},
		{elector.View{}, own, false},
	} {
		b.a.last, b.b.last = c.a, c.b
		require.Equal(t, c.want, b.agree(), "%+v", c)
	}
	b.at = 12
	b.a.last, b.b.last = good, own
	m, _ = b.leader()
	require.Nil(t, m, "its lease has ended")
	require.False(t, b.agree())
	for _, word := range []string{"a: {Leader:b Term:4 Self:false Why:", "b: {Leader:b Term:4 Self:true Why:",
		", "} {
		require.Contains(t, b.views(), word)
	}
	b.at = 5
	b.leaves(b.b, false, "returns")
	m, _ = b.leader()
	require.Nil(t, m, "it has returned")
	again := b.member("b")
	b.leaves(b.b, false, "returns")
	require.Same(t, again, b.members["b"], "a later one of its name is another member")
}

// TestSees: a lease ends when its member reports it. If nothing fails no lease is lost.
func TestSees(t *testing.T) {
	lost := elector.View{Why: elector.Lost, Term: 1}
	for _, c := range []struct {
		name  string
		view  elector.View
		calm  bool
		at    time.Duration
		ended bool
		wrong bool
	}{
		{"loses", lost, false, 5, true, false},
		{"loses where nothing fails", lost, true, 5, true, true},
		{"gives up where nothing fails", elector.View{Why: elector.Vacant}, true, 5, true, false},
		{"leads", elector.View{Self: true, Why: elector.Lost}, true, 5, false, false},
		{"has led before", lost, true, 10, false, false},
	} {
		b := newBench()
		b.holds(b.a, 1, 10)
		b.at = c.at
		if c.calm {
			b.expectCalm()
		}
		b.sees(b.a, c.view)
		want := time.Duration(10)
		if c.ended {
			want = c.at
			require.Contains(t, b.log[len(b.log)-1-number(c.wrong)], "a leads no more: ", c.name)
		}
		require.Equal(t, want, b.a.lease.end, c.name)
		require.Equal(t, c.wrong, b.wrong != "", c.name)
		if c.wrong {
			require.Equal(t, "a loses its lease of Term 1 although nothing fails", b.wrong)
		}
	}
	b := newBench()
	b.holds(b.a, 1, 10)
	b.leaves(b.a, true, "crashes")
	b.expectCalm()
	b.sees(b.a, lost)
	require.Empty(t, b.wrong)
	require.EqualValues(t, 10, b.a.lease.end)
}

func number(one bool) int {
	if one {
		return 1
	}
	return 0
}

// TestWrites: which writes are accepted, which are refused, and which are wrong.
func TestWrites(t *testing.T) {
	b := newBench()
	b.holds(b.a, 3, 10)
	require.NoError(t, b.write(b.a, 3))
	require.NoError(t, b.write(b.a, 3))
	b.at = 10
	b.holds(b.b, 5, 20)
	require.NoError(t, b.write(b.a, 3), "nothing with a larger token was written")
	require.NoError(t, b.write(b.b, 5))
	err := b.write(b.a, 3)
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, ": 3 is less than 5")
	require.Contains(t, b.log[len(b.log)-1], "a write of a with token 3 is refused")
	require.NoError(t, b.write(b.b, 0), "a write without a token, of the leader")
	require.Empty(t, b.wrong)
	require.NoError(t, b.write(b.a, 0))
	require.Equal(t, "a, whose Term is 3, writes after a leader of Term 5: its write had no token to refuse",
		b.wrong)

	b = newBench()
	b.holds(b.a, 3, 10)
	require.NoError(t, b.write(b.a, 0))
	require.NoError(t, b.write(b.b, 0))
	require.Equal(t, "b, whose Term is 0, writes after a leader of Term 3: its write had no token to refuse",
		b.wrong)

	b = newBench()
	b.holds(b.a, 3, 10)
	_ = b.write(b.a, 4)
	require.Equal(t, "a writes with token 4, but no leader has had a Term larger than 3", b.wrong)
	b.leaves(b.a, true, "crashes")
	require.ErrorIs(t, b.write(b.a, 9), ErrCrashed)
}

// TestOverruns: work that continues after its lease is a violation, unless the member has crashed or a pause
// explains it.
func TestOverruns(t *testing.T) {
	times := elector.Times{Drain: 5, Lease: 10}
	for _, c := range []struct {
		name     string
		at, woke time.Duration
		paused   bool
		crashed  bool
		wrong    bool
	}{
		{"was never paused", 50, 0, false, false, true},
		{"was never paused, and the run has just begun", 5, 0, false, false, true},
		{"has crashed", 50, 0, false, true, false},
		{"is paused", 50, 0, true, false, false},
		{"woke lately", 50, 25, false, false, false},
		{"woke long ago", 50, 24, false, false, true},
	} {
		b := newBench()
		if c.woke > 0 {
			b.at = c.woke
			b.wakes(b.a)
		}
		b.at = c.at
		if c.paused {
			b.a.pause()
		}
		b.a.crashed = c.crashed
		b.overruns(b.a, elector.Term{Number: 7}, times)
		require.Equal(t, c.wrong, b.wrong != "", c.name)
		if c.wrong {
			require.Equal(t,
				"the work of a in Term 7 has not returned although its context and its lease have "+
					"ended", b.wrong)
		}
	}
}

// TestReport: a failure says what was wrong first, and the last thirty lines before.
func TestReport(t *testing.T) {
	b := newBench()
	b.fails("it is wrong")
	require.Contains(t, b.error(3).Error(), "what had happened:\n           0s  a starts\n           0s  b starts\n")
	b = newBench()
	require.NoError(t, b.error(3))
	for i := range 40 {
		b.at = time.Duration(i) * time.Second
		b.notes("line %d", i)
	}
	b.fails("it is %s", "wrong")
	b.fails("it is worse")
	<-b.failed
	lines := strings.Split(b.error(3).Error(), "\n")
	require.Equal(t, "seed 3: it is wrong", lines[0])
	require.Equal(t, "what had happened:", lines[1])
	require.Len(t, lines, 2+30)
	require.Equal(t, fmt.Sprintf("%13v  line 11", 11*time.Second), lines[2])
	require.Equal(t, fmt.Sprintf("%13v  WRONG: it is wrong", 39*time.Second), lines[31])
}

// TestWorkTwice: the judge sees work that begins before other work has returned.
func TestWorkTwice(t *testing.T) {
	b := newBench()
	b.begins(b.a, elector.Term{Number: 1})
	b.begins(b.b, elector.Term{Number: 1})
	b.returns(b.a)
	b.begins(b.a, elector.Term{Number: 2})
	require.Empty(t, b.wrong)
	b.begins(b.a, elector.Term{Number: 3})
	require.Equal(t, "the work of a in Term 3 begins before that of an earlier Term has returned", b.wrong)
	b = newBench()
	b.begins(b.a, elector.Term{Number: 1})
	b.leaves(b.a, true, "crashes")
	b.begins(b.a, elector.Term{Number: 2})
	require.Empty(t, b.wrong, "what a member does after its crash does not count")
}
