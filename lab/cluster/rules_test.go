package cluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
)

const second = time.Second

// stage is a cluster without processes: a test reports for its members, reads their orders, and sets the
// time.
type stage struct {
	*Cluster
	at     time.Duration // the time since the start of the cluster
	events []Event
	orders []string // to members, such as `a {"do":"isolate"}`
}

func newStage(names ...string) *stage {
	s := &stage{}
	const began = 7 * second
	clock := func() time.Duration { return began + s.at }
	s.Cluster = newCluster(Config{Times: elector.LAN(),
		Observe: func(e Event) { s.events = append(s.events, e) }},
		clock)
	for _, name := range names {
		s.members = append(s.members, &process{settings: &settings{Self: name}, state: Up,
			// No process has this number.
			program: executed{cmd: &exec.Cmd{Process: &os.Process{Pid: -1}}},
			stdin:   stdin{s, name}, ended: make(chan struct{})})
	}
	return s
}

// stdin is the input of a member.
type stdin struct {
	s    *stage
	name string
}

func (i stdin) Write(b []byte) (int, error) {
	i.s.orders = append(i.s.orders, i.name+" "+strings.TrimSpace(string(b)))
	return len(b), nil
}
func (stdin) Close() error { return nil }

// reports makes a member report a lease, in times since the start of the cluster.
func (s *stage) reports(kind, name string, term uint64, from, until time.Duration) {
	r := report{Kind: kind, Term: term, From: s.began + from}
	if until != 0 {
		r.Until = s.began + until
	}
	s.hear(s.named(name), r)
}

// follows makes a member report which leader it follows.
func (s *stage) follows(name, leader string, term uint64) {
	s.hear(s.named(name), report{Kind: kindStatus, Leader: leader, Term: term})
}

func (s *stage) taken() (events []Event) {
	events, s.events = s.events, nil
	return events
}

// TestLeases: a lease is noted once, and lasts longer with each renewal. The gap before the next one
// counts from the end of the last, or from what was done to its leader.
func TestLeases(t *testing.T) {
	s := newStage("a", "b", "c")
	s.at = 1 * second
	s.reports(kindEnd, "a", 1, second, 0)
	require.Empty(t, s.leases, "it ended before the member looked")
	s.reports(kindLease, "a", 1, second, 2*second)
	s.at = 2 * second
	s.reports(kindLease, "a", 1, second, 3*second)
	require.Equal(t, []*Lease{{Member: "a", Term: 1, From: second, Until: 3 * second}}, s.leases)
	s.reports(kindEnd, "a", 1, second, 2*second)
	require.Equal(t, []*Lease{{Member: "a", Term: 1, From: second, Until: 2 * second, ended: true}}, s.leases)
	s.at = 5 * second
	s.reports(kindLease, "b", 2, 4*second, 6*second)
	s.strike(t.Context(), doCut, s.named("b"))
	s.at = 8 * second
	s.reports(kindLease, "c", 3, 7*second, 9*second)
	s.reports(kindLease, "a", 3, 8*second, 9*second)
	require.Equal(t, []Event{
		{What: "leads", At: 1 * second, Member: "a", Term: 1},
		{What: "ends", At: 2 * second, Member: "a", Term: 1},
		{What: "leads", At: 5 * second, Member: "b", Term: 2, Gap: 2 * second},
		{What: "cut", At: 5 * second, Member: "b"},
		{What: "leads", At: 8 * second, Member: "c", Term: 3, After: "cut", Gap: 2 * second},
		// before the other ends: a gap is never negative
		{What: "leads", At: 8 * second, Member: "a", Term: 3},
	}, s.taken())
	require.Equal(t, []Lease{
		{Member: "a", Term: 1, From: 1 * second, Until: 2 * second, ended: true},
		{Member: "b", Term: 2, From: 4 * second, Until: 6 * second, Gap: 2 * second},
		{Member: "c", Term: 3, From: 7 * second, Until: 9 * second, After: "cut", Gap: 2 * second},
		{Member: "a", Term: 3, From: 8 * second, Until: 9 * second},
	}, s.Close().Leases)
	s.at = 9 * second
	s.reports(kindEnd, "a", 3, 8*second, 9*second)
	require.Empty(t, s.taken(), "after Close")
}

// TestFirstBlowCounts: what is done to a leader is noted with its time, once, while its lease is valid.
func TestFirstBlowCounts(t *testing.T) {
	s := newStage("a", "b")
	s.reports(kindLease, "a", 1, 0, 2*second)
	s.reports(kindLease, "b", 2, 2*second, 4*second)
	s.reports(kindEnd, "b", 2, 2*second, 4*second)
	s.reports(kindLease, "a", 3, 4*second, 6*second)
	a, b := s.named("a"), s.named("b")
	s.at = 2 * second
	s.note(doKill, b) // its lease has ended
	require.Empty(t, s.struck[2])
	s.note(doKill, a)
	require.Equal(t, map[uint64]blow{3: {doKill, 2 * second}}, s.struck, "the lease of Term 1 is over")
	s.at = 3 * second
	s.note(doCut, a)
	require.Equal(t, map[uint64]blow{3: {doKill, 2 * second}}, s.struck)

	s = newStage("a")
	s.reports(kindLease, "a", 1, 0, 2*second)
	s.named("a").state = Cut
	require.NoError(t, s.strike(t.Context(), doHeal, s.named("a")))
	require.Empty(t, s.struck, "healing ends no lease")
	s.named("a").state = Stopped
	require.Error(t, s.strike(t.Context(), doContinue, s.named("a")), "there is no process")
	require.Empty(t, s.struck, "nor does waking")
}

// TestHolds: what a script can wait for and expect.
func TestHolds(t *testing.T) {
	const unreachable = "no member leads that can be reached"
	for name, c := range map[string]struct {
		change func(*stage)
		want   map[string]string // the errors; empty for conditions that hold
	}{
		"no lease": {func(s *stage) { s.leases = nil }, map[string]string{"leader": unreachable,
			"no leader":  "",
			"one leader": "0 leases are valid", "agreement": unreachable, "b": unreachable}},
		"one lease": {func(*stage) {}, map[string]string{"leader": "", "no leader": "1 lease is valid",
			"one leader": "", "agreement": "", "b": "", "a": "b leads"}},
		"it is over": {func(s *stage) { s.at = 4 * second }, map[string]string{"leader": unreachable,
			"no leader": "", "one leader": "0 leases are valid"}},
		"it has ended": {func(s *stage) { s.reports(kindEnd, "b", 2, second, 4*second) },
			map[string]string{"leader": unreachable, "no leader": ""}},
		"its leader is cut off": {func(s *stage) { s.named("b").state = Cut },
			map[string]string{"leader": unreachable, "no leader": "1 lease is valid",
				"one leader": unreachable}},
		"its leader is about to end": {func(s *stage) { s.named("b").expected = true },
			map[string]string{"leader": unreachable, "no leader": "1 lease is valid"}},
		"two leases": {func(s *stage) { s.reports(kindLease, "a", 3, 2*second, 4*second) },
			map[string]string{"leader": "", "no leader": "2 leases are valid",
				"one leader": "2 leases are valid",
				"a":          "", "b": "a leads", "agreement": "a does not follow a"}},
		"another leader is followed": {func(s *stage) { s.follows("c", "a", 2) },
			map[string]string{"leader": "", "agreement": "c does not follow b"}},
		"another Term is followed": {func(s *stage) { s.follows("c", "b", 1) },
			map[string]string{"agreement": "c does not follow b"}},
		"by a member that is down": {func(s *stage) { s.follows("c", "a", 2); s.named("c").state = Down },
			map[string]string{"agreement": ""}},
	} {
		s := newStage("a", "b", "c")
		s.at = 3*second - 1
		s.reports(kindLease, "a", 1, 0, second)
		s.reports(kindLease, "b", 2, second, 4*second)
		for _, p := range s.members {
			s.follows(p.Self, "b", 2)
		}
		c.change(s)
		for what, want := range c.want {
			if err := s.holds(what); want == "" {
				require.NoError(t, err, "%s: %s", name, what)
			} else {
				require.EqualError(t, err, want, "%s: %s", name, what)
			}
		}
	}
}

// TestTargets: each step can be done to members in some conditions only. Of all it is done to those.
func TestTargets(t *testing.T) {
	conditions := map[string]Condition{"a": Up, "b": Stopped, "c": Cut, "d": Down}
	for do, want := range map[string]string{
		doKill: "abc", doTerm: "a", doStop: "a", doContinue: "b", doCut: "a", doHeal: "c", doRestart: "d",
	} {
		s := newStage("a", "b", "c", "d")
		for name, condition := range conditions {
			s.named(name).state = condition
		}
		all, err := s.targets(Step{Do: do, To: "all"})
		require.NoError(t, err)
		got := ""
		for _, p := range all {
			got += p.Self
		}
		require.Equal(t, want, got, do)
		for name, condition := range conditions {
			one, err := s.targets(Step{Do: do, To: name})
			if strings.Contains(want, name) || do == doRestart {
				require.NoError(t, err)
				require.Equal(t, []*process{s.named(name)}, one)
			} else {
				require.EqualError(t, err, name+" is "+string(condition), do)
			}
		}
		_, err = s.targets(Step{Do: do, To: "e"})
		require.EqualError(t, err, "there is no member e")
		_, err = s.targets(Step{Do: do, To: "leader"})
		require.EqualError(t, err, "no member leads that can be reached")
		s.reports(kindLease, "a", 1, 0, second)
		one, err := s.targets(Step{Do: do, To: "leader"})
		require.NoError(t, err)
		require.Equal(t, []*process{s.named("a")}, one)
	}
}

// TestIsolation: every member that runs learns which members are cut off, also one that is cut off or paused.
func TestIsolation(t *testing.T) {
	s := newStage("a", "b", "c", "d")
	s.named("c").state, s.named("d").state = Stopped, Down
	changed := s.changed
	require.NoError(t, s.Do(t.Context(), Step{Do: doCut, To: "b"}))
	require.Equal(t, Cut, s.named("b").state)
	<-changed
	cut := ` {"do":"isolate","number":0,"isolated":["b"]}`
	require.Equal(t, []string{"a" + cut, "b" + cut, "c" + cut}, s.orders)
	s.orders = nil
	require.NoError(t, s.Do(t.Context(), Step{Do: doHeal, To: "all"}))
	require.Equal(t, Up, s.named("b").state)
	healed := ` {"do":"isolate","number":0}`
	require.Equal(t, []string{"a" + healed, "b" + healed, "c" + healed}, s.orders)
	require.Equal(t, []Event{{What: doCut, Member: "b"}, {What: doHeal, Member: "b"}}, s.taken())
}

// TestAwait: a wait ends as soon as something changes, and 20 ms after the end of a lease that no member
// reports.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("a")
		began := time.Now()
		s.clock = func() time.Duration { return s.began + time.Since(began) }
		wait := func(ctx context.Context, what string) (time.Duration, error) {
			from := time.Now()
			err := s.Do(ctx, Step{Do: doWait, To: what})
			return time.Since(from), err
		}
		took, err := wait(t.Context(), "leader")
		require.EqualError(t, err, "cluster: waited 17.5s for leader", "10 s, and ten leases")
		require.Equal(t, 17500*time.Millisecond, took)

		time.AfterFunc(second+5*time.Millisecond, func() {
			s.reports(kindLease, "a", 1, time.Since(began), time.Since(began)+second)
		})
		took, err = wait(t.Context(), "leader")
		require.NoError(t, err)
		require.Equal(t, second+5*time.Millisecond, took)
		took, err = wait(t.Context(), "no leader")
		require.NoError(t, err)
		require.Equal(t, second, took)

		ctx, cancel := context.WithTimeoutCause(t.Context(), second, errors.New("enough"))
		defer cancel()
		took, err = wait(ctx, "leader")
		require.EqualError(t, err, "enough")
		require.Equal(t, second, took)
		require.EqualError(t, s.Do(ctx, Step{Do: doSleep, For: second}), "enough")
		from := time.Now()
		require.NoError(t, s.Do(t.Context(), Step{Do: doSleep, For: second}))
		require.Equal(t, second, time.Since(from))

		end := make(chan struct{})
		from = time.Now()
		require.EqualError(t, s.awaitEnd(t.Context(), end), "cluster: waited 17.5s for a member to end")
		require.Equal(t, 17500*time.Millisecond, time.Since(from))
		close(end)
		require.NoError(t, s.awaitEnd(t.Context(), end))

		time.AfterFunc(second, func() { s.Close() })
		took, err = wait(t.Context(), "leader")
		require.EqualError(t, err, "cluster: it is closed")
		require.Equal(t, second, took)
		_, err = wait(ctx, "leader")
		require.EqualError(t, err, "enough", "the end of the context is the reason, where both have ended")
		require.EqualError(t, s.start(s.named("a")), "cluster: it is closed")
		took, err = wait(t.Context(), "no leader")
		require.NoError(t, err, "what holds already needs no wait")
		require.Zero(t, took)
	})
}

// TestAwaitStart: a cluster has started when each member has reported. One that ends before is the
// error, and one that reports nothing for 30 s.
func TestAwaitStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, from := newStage("a", "b"), time.Now()
		s.follows("a", "", 0)
		require.EqualError(t, s.awaitStart(t.Context()), "cluster: waited 30s for all members to start")
		require.Equal(t, 30*second, time.Since(from))
		s.follows("b", "", 0)
		require.NoError(t, s.awaitStart(t.Context()))
		s.named("b").state, s.named("b").why = Down, "exit status 2"
		require.EqualError(t, s.awaitStart(t.Context()), "cluster: member b has ended: exit status 2")
	})
}

// TestHandOver: the leader gets a numbered order. A transfer takes until the successor has reported its
// lease.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("a", "b")
		hand := func(do, to string) <-chan error {
			ended := make(chan error, 1)
			go func() { ended <- s.Do(t.Context(), Step{Do: do, To: to}) }()
			synctest.Wait()
			return ended
		}
		require.EqualError(t, <-hand(doResign, ""), "no member leads that can be reached")
		s.reports(kindLease, "a", 1, 0, 10*second)
		require.EqualError(t, <-hand(doTransfer, "c"), "there is no member c")
		require.Empty(t, s.Cluster.orders)

		ended := hand(doResign, "")
		require.Equal(t, []string{`a {"do":"resign","number":1}`}, s.orders)
		require.Equal(t, map[uint64]blow{1: {doResign, 0}}, s.struck)
		s.hear(s.named("b"), report{Kind: kindDone, Number: 0}) // of another order
		synctest.Wait()
		require.Empty(t, ended)
		s.hear(s.named("a"), report{Kind: kindDone, Number: 1})
		require.NoError(t, <-ended)
		require.Empty(t, s.Cluster.orders)

		ended = hand(doTransfer, "b")
		require.Equal(t, `a {"do":"transfer","number":2,"to":"b"}`, s.orders[1])
		s.hear(s.named("a"), report{Kind: kindDone, Number: 2})
		synctest.Wait()
		require.Empty(t, ended)
		s.reports(kindEnd, "a", 1, 0, second)
		s.reports(kindLease, "b", 2, second, 10*second)
		require.NoError(t, <-ended)
		require.Equal(t, []Event{{What: "leads", Member: "a", Term: 1}, {What: doResign},
			{What: doTransfer, Member: "b"}, {What: "ends", Member: "a", Term: 1},
			{What: "leads", Member: "b", Term: 2, After: doResign, Gap: second}}, s.taken())

		ended = hand(doTransfer, "a")
		s.hear(s.named("b"), report{Kind: kindDone, Number: 3, Error: "a is down"})
		require.EqualError(t, <-ended, "a is down")
		ended = hand(doTransfer, "a")
		s.hear(s.named("b"), report{Kind: kindDone, Number: 4})
		require.EqualError(t, <-ended, "cluster: waited 17.5s for a to lead")
		ended = hand(doResign, "")
		close(s.named("b").ended)
		require.EqualError(t, <-ended, "b has ended")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		s.named("b").ended = nil
		require.EqualError(t, s.Do(ctx, Step{Do: doResign}), "enough")
	})
}

// TestPlayWaits: what is done to the leader waits until there is one; nothing else does.
func TestPlayWaits(t *testing.T) {
	for line, waits := range map[string]bool{
		"cut leader": true, "transfer a": true, "resign": true,
		"cut a": false, "cut all": false, "expect one leader": false, "expect leader a": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage("a")
			script, err := Parse(strings.NewReader("\n" + line))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 20*second)
			defer cancel()
			from := time.Now()
			err = s.Play(ctx, script)
			if waits {
				require.Equal(t, 17500*time.Millisecond, time.Since(from), line)
				require.EqualError(t, err,
					"line 2: "+line+": cluster: waited 17.5s for a leader that can be reached")
			} else {
				require.Zero(t, time.Since(from), line)
			}
		})
	}
}

// TestStartAnew: a member that starts again knows which others are cut off, and has reported nothing
// yet. What it had sent before still counts. When it has ended, all waits look again.
func TestStartAnew(t *testing.T) {
	s := newStage("a", "b", "c")
	s.config.Command = func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "RUN_AS=mute")
		return cmd
	}
	for _, p := range s.members {
		p.state, p.program = Down, nil
	}
	s.named("b").state, s.named("c").state = Cut, Stopped
	a := s.named("a")
	for at := range 3 {
		s.at = time.Duration(at) * second
		s.hear(a, report{Kind: kindStatus, Leader: "b", Packets: uint64(at), Bytes: 100})
	}
	a.expected = true
	require.NoError(t, s.start(a))
	require.Equal(t, Up, a.state)
	require.False(t, a.expected)
	require.Equal(t, []string{"b"}, a.Isolated)
	require.False(t, a.reported)
	require.Equal(t, report{}, a.latest)
	packets, bytes := a.traffic()
	require.Equal(t, [2]uint64{2, 100}, [2]uint64{packets, bytes})

	changed := s.changed
	require.NoError(t, a.program.do(doKill))
	<-changed
	<-a.ended
	require.Equal(t, Down, a.state)
	require.Equal(t, []Event{{What: "ended", At: 2 * second, Member: "a", Text: "signal: killed"}}, s.taken())

	require.NoError(t, s.start(a))
	a.expected = true
	require.NoError(t, a.stdin.Close())
	<-a.ended
	require.Empty(t, s.taken(), "it was expected")
	require.Equal(t, "exit status 0", a.why)
}
