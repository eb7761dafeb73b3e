package modbully_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/params"
)

// The variants, short.
const (
	base, convenience = modbully.Base, modbully.Convenience
	number, grant     = modbully.Number, modbully.Grant
)

// led is where all follow this process at first.
func led(by election.ID) modbully.Config { return modbully.Config{Coordinator: by} }

// waitsFor is led, with a wait of units for every process.
func waitsFor(by election.ID, units int) modbully.Config {
	c := led(by)
	c.Waits = func(election.ID) time.Duration { return time.Duration(units) * unit }
	return c
}

// TestFirstDecision: the coordinator that all know leads at once, the others follow, and that is that.
func TestFirstDecision(t *testing.T) {
	for _, v := range variants {
		requireStories(t, []story{
			{name: "itself", v: v, c: led(5), of: 5, want: "leader(5)/0 done"},
			{name: "another", v: v, c: led(5), of: 3, want: "follower(5)/0 done"},
			{name: "no coordinator", v: v, of: 3, want: ""},
		})
	}
}

// TestLeaderSpeaksOfItsOwnTerm: what a leader says repeatedly is of the Term in which it leads, though it has
// heard of a later one.
func TestLeaderSpeaksOfItsOwnTerm(t *testing.T) {
	refresh, heartbeat := led(4), led(4)
	refresh.Refresh, heartbeat.Heartbeat = 9*unit, 2*unit
	requireStories(t, []story{
		{name: "refresh", v: convenience, c: refresh, of: 3, events: given("suspect 4", "1:pcrp/1",
			"2:pcrp/1", "5:echo/5", "refresh"),
			want: "1:refresh/1 2:refresh/1 +refresh9 +answers4"},
		{name: "heartbeat", v: base, c: heartbeat, of: 3, events: given("suspect 4", "5:accept/5", "phase"),
			want: "1:heartbeat/1 2:heartbeat/1 4:heartbeat/1 5:heartbeat/1 +phase2"},
	})
}

// TestWhoIsAnswered: only a leader that is followed gets an answer to its announcement, in the Term of that.
func TestWhoIsAnswered(t *testing.T) {
	requireStories(t, []story{
		{name: "oneself", v: convenience, c: led(4), of: 3, events: given("suspect 4", "5:refresh/1(3)"),
			want: ""},
		{name: "oneself", v: number, c: led(4), of: 3, events: given("suspect 4", "5:coordinator/1(3)"),
			want: ""},
		{name: "smaller", v: convenience, c: led(5), of: 3, events: given("2:coordinator_pcrq/7"),
			want: "save 5:election/8 +phase3 undecided(0)/8"},
		{name: "smaller", v: number, c: led(5), of: 3, events: given("2:coordinator/7"), want: "save 5:election/8 +phase3 undecided(0)/8"},
		{name: "larger", v: number, c: led(4), of: 3, events: given("5:coordinator/7"),
			want: "save 5:reply/7 follower(5)/7 done"},
		{name: "of an earlier Term", v: number, of: 3, events: given("1:enquiry/9", "5:coordinator/7"),
			want: "5:reply/7 follower(5)/7 done"},
		{name: "of an earlier Term", v: convenience, of: 3,
			events: given("1:enquiry/9", "5:coordinator_pcrq/7"), want: "5:pcrp/7 follower(5)/7 done"},
	})
}

// TestFollowingCancels: a process that begins to follow another gives up its announcement and its refresh. It
// also stops guessing that the larger ones are up.
func TestFollowingCancels(t *testing.T) {
	refresh := led(4)
	refresh.Refresh = 9 * unit
	literal := led(4)
	literal.LiteralReset = true
	toldTwice := given("suspect 4", "1:reply/1", "5:coordinator/2", "5:coordinator/2")
	requireStories(t, []story{
		{name: "announcement", v: number, c: led(4), of: 3, events: toldTwice[:3], want: "save 5:reply/2 -answers follower(5)/2 done"},
		{name: "nothing is left to cancel", v: number, c: led(4), of: 3, events: toldTwice,
			want: "5:reply/2"},
		{name: "nothing is left to wait for", v: number, c: led(4), of: 3,
			events: append(toldTwice[:3:3], "answers"), want: ""},
		{name: "literally there is no such time", v: number, c: literal, of: 3, events: toldTwice[:3],
			want: "save 5:reply/2 follower(5)/2 done"},
		{name: "refresh", v: convenience, c: refresh, of: 3, events: given("suspect 4",
			"5:coordinator_pcrq/2"),
			want: "save 5:pcrp/2 -answers -refresh follower(5)/2 done"},
		{name: "only smaller ones hear of it", v: base, of: 3, events: given("rejoin", "phase",
			"5:coordinator/1", "2:election/2"),
			want: "save 2:accept/2 1:coordinator/2 2:coordinator/2 leader(3)/2 done"},
	})
}

// TestCaughtUp: a later Term is saved, and a leader of it is waited for, also if it is larger by its priority
// alone.
func TestCaughtUp(t *testing.T) {
	for _, v := range variants {
		requireStories(t, []story{
			{name: "Term", v: v, c: led(5), of: 3, events: given("4:catchup/7(0)"), want: "save"},
			{name: "leader", v: v, c: led(5), first: 9, of: 3, events: given("suspect 5", "1:catchup/1"),
				want: "+phase6"},
		})
	}
}

// TestAskingWhoLeads: a process that has come back follows no leader until it gets an answer.
func TestAskingWhoLeads(t *testing.T) {
	for _, v := range variants {
		requireStories(t, []story{{name: "back", v: v, of: 3, events: given("rejoin"),
			want: "1:enquiry/0 2:enquiry/0 4:enquiry/0 5:enquiry/0 +phase3 undecided(0)/0"}})
	}
}

// TestWhoIsSuspected: a Start suspects the coordinator of the parameters until there has been an election.
// Later it suspects no process, and a leader announces itself.
func TestWhoIsSuspected(t *testing.T) {
	requireStories(t, []story{
		{name: "coordinator", v: base, c: led(4), of: 3, events: given("start"),
			want: "save 1:coordinator/1 2:coordinator/1 leader(3)/1 done"},
		{name: "coordinator, while a smaller one leads", v: base, c: led(1), first: 9, of: 3,
			events: given("5:coordinator/1", "start"), want: "save 5:election/2 +phase3 undecided(0)/2"},
		{name: "coordinator, which leads again", v: base, c: led(5), of: 3,
			events: given("5:coordinator/1", "start"), want: "save 5:election/2 +phase3 undecided(0)/2"},
		{name: "leader", v: base, c: led(4), of: 3, events: given("5:coordinator/1", "start"),
			want: "save 5:election/2 +phase3 undecided(0)/2"},
		{name: "a leader starts", v: base, c: led(4), of: 3, events: given("suspect 4", "start"),
			want: "save 4:leader/2 5:leader/2 1:coordinator/2 2:coordinator/2 leader(3)/2 done"},
		{name: "announcement goes on", v: number, c: led(4), of: 3, events: given("suspect 4", "start"),
			want: ""},
		{name: "announcement is over", v: number, c: led(4), of: 3,
			events: given("suspect 4", "1:reply/1", "2:reply/1", "start"),
			want:   "save 4:leader/2 5:leader/2 1:coordinator/2 2:coordinator/2 +answers4 leader(3)/2"},
	})
}

// TestWaitingStepByStep: how long a process waits after a Suspect, and what ends the wait.
func TestWaitingStepByStep(t *testing.T) {
	rank, paper := led(5), led(5)
	rank.Wait, paper.Wait = modbully.WaitRank, modbully.WaitPaper
	for _, v := range variants {
		requireStories(t, []story{
			{name: "for each between", v: v, c: rank, of: 1, events: given("suspect 5"), want: "+phase15"},
			{name: "trusted: another", v: v, c: waitsFor(5, 1), of: 3, events: given("suspect 5", "trust 2"),
				want: ""},
			{name: "trusted: the leader", v: v, c: waitsFor(5, 1), of: 3,
				events: given("suspect 5", "trust 5"), want: "-phase"},
		})
	}
	handedOut := given("4:coordinator_pcrq/7", "4:mpc/7.2", "5:mpc/7.3", "4:mpc/6.4", "suspect 4")
	requireStories(t, []story{
		{name: "the leader alone hands it out, in its Term", v: convenience, c: paper, of: 3, events: handedOut, want: "+phase2"},
		{name: "a timer that is over is not stopped", v: base, c: waitsFor(5, 1), of: 4,
			events: given("suspect 5", "phase"),
			want:   "save 1:coordinator/1 2:coordinator/1 3:coordinator/1 leader(4)/1 done"},
		{name: "asked to take over", v: number, c: waitsFor(5, 1), of: 3,
			events: given("4:coordinator/7", "suspect 4", "2:election/7"),
			want:   "save 2:accept/7 1:coordinator/8 2:coordinator/8 -phase +answers4 leader(3)/8"},
	})
}

// TestWatching: a process that has sent OK hears of the coordinator in time, or elects. Until then it names
// the leader that it knows.
func TestWatching(t *testing.T) {
	watching := given("4:coordinator/7", "1:election/8")
	requireStories(t, []story{
		{name: "OK", v: grant, of: 3, events: watching, want: "save 1:ok/8 +phase6"},
		{name: "in vain", v: grant, of: 3, events: append(watching[:2:2], "phase"),
			want: "save 4:election/9 5:election/9 +phase3 undecided(0)/9"},
		{name: "an earlier GRANT", v: grant, of: 3, events: append(watching[:2:2], "1:grant/7"),
			want: "1:catchup/7(4)"},
	})
}

// TestLeaderCameBack: a leader that came back before this process missed it hears of an election that was
// held without it. A leader that was not away is taken to be down, as its asker says.
func TestLeaderCameBack(t *testing.T) {
	back := given("5:coordinator/7", "5:enquiry/0", "5:coordinator/8")
	requireStories(t, []story{
		{name: "granted", v: grant, of: 3, events: append(back[:3:3], "1:grant/9"),
			want: "save 4:leader/9 5:leader/9 1:coordinator/9 2:coordinator/9 leader(3)/9 done"},
		{name: "asked", v: base, of: 3, events: append(back[:3:3], "1:election/9"),
			want: "save 1:accept/9 4:leader/9 5:leader/9 1:coordinator/9 2:coordinator/9 leader(3)/9 done"},
		{name: "another leads since", v: base, of: 3,
			events: append(back[:3:3], "4:coordinator/9", "1:election/10"),
			want:   "save 1:accept/10 1:coordinator/10 2:coordinator/10 leader(3)/10 done"},
		{name: "missed since", v: base, of: 3, events: append(back[:3:3], "suspect 5", "suspect 4"),
			want: "1:coordinator/9 2:coordinator/9 -phase leader(3)/9 done"},
		{name: "was not away", v: base, of: 3, events: append(back[:1:1], "1:election/9"),
			want: "save 1:accept/9 1:coordinator/9 2:coordinator/9 leader(3)/9 done"},
	})
}

// TestSuspected: a process that is suspected or gone is neither asked nor waited for, until it is trusted,
// joins or is heard.
func TestSuspected(t *testing.T) {
	const wins = "save 1:coordinator/1 2:coordinator/1 leader(3)/1 done"
	const asks4, asks5 = "save 4:election/1 +phase3 undecided(0)/1", "save 5:election/1 +phase3 undecided(0)/1"
	requireStories(t, []story{
		{name: "not asked", v: base, of: 3, events: given("suspect 5", "start"), want: asks4},
		{name: "gone: not asked", v: grant, of: 3, events: given("suspect 4", "start"), want: asks5},
		{name: "all of them", v: grant, of: 3, events: given("suspect 4", "suspect 5", "start"), want: wins},
		{name: "trusted: asked", v: base, of: 3, events: given("suspect 5", "trust 5", "start"), want: asks5},
		{name: "joins: asked", v: base, of: 3, events: given("suspect 5", "trust 5", "start"), want: asks5},
		{name: "heard: asked", v: base, of: 3, events: given("suspect 5", "5:enquiry/0", "start"),
			want: asks5},
		{name: "suspected before a crash: asked", v: base, of: 3,
			events: given("4:coordinator/1", "suspect 5", "restored", "init", "start"),
			want:   "save 5:election/2 +phase3 undecided(0)/2"},
		{name: "no slot for it", v: base, c: modbully.Config{Wait: modbully.WaitRank}, of: 3,
			events: given("suspect 5", "start"), want: "+phase5"},
		{name: "grant: not waited for", v: grant, of: 3, events: given("start", "suspect 5"), want: ""},
		{name: "grant: none is waited for", v: grant, of: 3,
			events: given("start", "4:ok/1", "suspect 5", "suspect 4"),
			want:   "1:coordinator/1 2:coordinator/1 -phase leader(3)/1 done"},
		{name: "grant: the largest that said OK", v: grant, of: 3,
			events: given("start", "4:ok/1", "5:ok/1", "suspect 5", "phase"), want: "4:election/1 +phase3"},
		{name: "PCRP: not waited for", v: convenience, of: 3,
			events: given("suspect 4", "suspect 5", "suspect 1", "start",
				"2:pcrp/1"), want: "2:mpc/1 -answers done"},
		{name: "PCRP: comes all the same", v: convenience, of: 3,
			events: given("suspect 4", "suspect 5", "suspect 1", "start", "1:pcrp/1", "2:pcrp/1"),
			want:   "1:mpc/1 2:mpc/1 -answers done"},
		{name: "REPLY: not waited for any longer", v: number, of: 3,
			events: given("suspect 4", "suspect 5", "start", "2:reply/1", "suspect 1"), want: "-answers done"},
		{name: "REPLY: has come", v: number, of: 3,
			events: given("suspect 4", "suspect 5", "start", "2:reply/1", "suspect 2"), want: ""},
		{name: "REPLY: the literal count waits for all", v: number, c: modbully.Config{LiteralReset: true}, of: 3,
			events: given("suspect 4", "suspect 5", "start", "2:reply/1", "suspect 1"), want: ""},
	})
}

// TestAskedOnes: a candidate that accepts late is waited for, and one that is trusted again gets the full
// time. Others do not matter.
func TestAskedOnes(t *testing.T) {
	for _, v := range variants[:3] {
		requireStories(t, []story{
			{name: "late", v: v, c: led(5), of: 1, events: given("suspect 5", "phase", "4:accept/1"),
				want: "+phase6"},
			{name: "late, and in vain", v: v, c: led(5), of: 1,
				events: given("suspect 5", "phase", "4:accept/1", "phase"),
				want:   "save 3:election/2 +phase3 undecided(0)/2"},
			{name: "another is down", v: v, c: led(5), of: 1, events: given("suspect 5", "suspect 2"),
				want: ""},
			{name: "trusted", v: v, c: led(5), of: 1, events: given("suspect 5", "suspect 4", "trust 4"),
				want: "4:election/1 +phase3"},
		})
	}
	requireStories(t, []story{{name: "trusted", v: grant, c: led(5), of: 1,
		events: given("suspect 5", "trust 4"), want: "4:election/1 +phase3"}})
}

// TestTimesAreKept: the longest time so far, when ECHO left and how far the leader is are part of the state.
func TestTimesAreKept(t *testing.T) {
	echo, paper := modbully.Config{Echo: true}, modbully.Config{Wait: modbully.WaitPaper}
	measure := given("rejoin", "5:leader/1 at 10", "restored", "5:echo_reply/1 at 16", "restored",
		"5:refresh/1")
	requireStories(t, []story{
		{name: "longest", v: convenience, c: led(4), of: 3, events: given("suspect 4", "1:pcrp/1.9",
			"restored", "2:pcrp/1.3"),
			want: "1:mpc/1.9 2:mpc/1.9 -answers done"},
		{name: "far", v: convenience, c: echo, of: 3, events: measure, want: "5:pcrp/1.3"},
		{name: "a founder measures", v: convenience, c: echo, of: 3, events: given("5:coordinator_pcrq/1"),
			want: "save 5:pcrp/1 5:echo/1 follower(5)/1 done"},
		{name: "a founder measures, the coordinator of the parameters", v: convenience,
			c: modbully.Config{Echo: true,
				Coordinator: 5}, of: 3, events: given("init"), want: "5:echo/0 follower(5)/0 done"},
		{name: "a founder measures once", v: convenience, c: echo, of: 3,
			events: given("5:coordinator_pcrq/1 at 1", "5:echo_reply/1 at 7", "restored",
				"4:coordinator_pcrq/2"),
			want: "save 4:pcrp/2.3 follower(4)/2 done"},
		{name: "the leader adds the MPC", v: convenience, c: led(4), of: 3,
			events: given("suspect 4", "1:pcrp/1.9", "2:pcrp/1.3", "1:echo/1"), want: "1:echo_reply/1.9"},
		{name: "the MPC is waited for", v: convenience, c: paper, of: 3,
			events: given("rejoin", "5:leader/1", "5:echo_reply/1.9", "suspect 5"), want: "+phase9"},
		{name: "the MPC of another leader", v: convenience, c: paper, of: 3,
			events: given("rejoin", "5:leader/2", "5:echo_reply/1.9", "4:echo_reply/2.9", "suspect 5"),
			want:   "save 4:election/3 +phase3 undecided(0)/3"},
		{name: "no MPC where it is not used", v: convenience, of: 3, events: given("rejoin", "5:leader/1"),
			want: "save -phase follower(5)/1 done"},
	})
}

// TestConfigured: every parameter that is given counts, and takes the place of what was set before.
func TestConfigured(t *testing.T) {
	table := params.Value{ByID: map[uint64]float64{3: 2}}
	values := func(name string, v params.Value) map[string]params.Value {
		return map[string]params.Value{name: v}
	}
	text := func(s string) params.Value { return params.Value{Text: s} }
	own, literal, refresh := led(5), led(4), led(5)
	own.Wait, literal.LiteralReset, refresh.Refresh = modbully.WaitOwn, true, 9*unit
	suspect, takeOver := given("suspect 5"), given("suspect 4")
	const announced = "save 1:coordinator/1 2:coordinator/1 "
	requireStories(t, []story{
		{name: "pending", v: convenience, params: values("pending", table), of: 3,
			events: given("5:coordinator_pcrq/1"),
			want:   "save 5:pcrp/1.2 follower(5)/1 done"},
		{name: "pending, none", v: convenience, c: modbully.Config{Pending: waitsFor(5, 7).Waits},
			params: values("echo", text("no")), of: 3,
			events: given("5:coordinator_pcrq/1"), want: "save 5:pcrp/1.7 follower(5)/1 done"},
		{name: "table", v: base, c: led(5), params: values("wait", table), of: 3, events: suspect,
			want: "+phase2"},
		{name: "table for policy", v: base, c: own, params: values("wait", table), of: 3, events: suspect,
			want: "+phase2"},
		{name: "policy", v: base, c: led(5), params: values("wait", text("rank")), of: 3, events: suspect,
			want: "+phase5"},
		{name: "policy for table", v: base, c: waitsFor(5, 7), params: values("wait", text("rank")), of: 3,
			events: suspect, want: "+phase5"},
		{name: "table as before", v: base, c: waitsFor(5, 7), params: values("echo", text("no")), of: 3,
			events: suspect, want: "+phase7"},
		{name: "safe", v: number, c: led(4), params: values("echo", text("no")), of: 3, events: takeOver,
			want: announced + "+answers4 leader(3)/1"},
		{name: "literal", v: number, c: led(4), params: values("reset", text("literal")), of: 3,
			events: takeOver, want: announced + "leader(3)/1"},
		{name: "literal as before", v: number, c: literal, params: values("echo", text("no")), of: 3,
			events: takeOver, want: announced + "leader(3)/1"},
		{name: "safe again", v: number, c: literal, params: values("reset", text("safe")), of: 3,
			events: takeOver,
			want:   announced + "+answers4 leader(3)/1"},
		{name: "refresh", v: convenience, c: refresh, of: 5, want: "+refresh9 leader(5)/0 done"},
		{name: "no refresh", v: base, c: refresh, of: 5, want: "leader(5)/0 done"},
		{name: "no refresh", v: number, c: refresh, of: 5, want: "leader(5)/0 done"},
		{name: "no refresh", v: grant, c: refresh, of: 5, want: "leader(5)/0 done"},
	})
}

// TestRestless: with a heartbeat, however short, there is never silence; without one, and without refreshes,
// there is.
func TestRestless(t *testing.T) {
	for _, v := range variants {
		require.True(t, build(t, v, modbully.Config{Delay: 99, Heartbeat: 1}).NeverQuiesces)
		require.False(t, build(t, v, modbully.Config{}).NeverQuiesces)
	}
}

// looked counts how often one process looks at its peers, which are 1..Ports.
type looked struct {
	t     *testing.T
	ports int
	looks int
}

func (l *looked) Self(int) election.Rank { return election.Rank{ID: election.ID(l.ports + 1)} }
func (l *looked) Ports(int) int          { return l.ports }
func (l *looked) Peer(_ int, port election.Port) election.Rank {
	require.Less(l.t, int(port), l.ports, "there is no such port")
	l.looks++
	return election.Rank{ID: election.ID(port + 1), Priority: uint64(port)}
}

// TestFewLooks: the first coordinator is found in as many looks as it takes to halve the ports, and one
// that is not among them is looked for at every port, and nowhere else.
func TestFewLooks(t *testing.T) {
	for _, ports := range []int{0, 1, 7, 255} {
		for id := election.ID(1); id <= election.ID(ports+3); id++ {
			view := &looked{t: t, ports: ports}
			node := build(t, base, led(id)).New(election.Setup{Self: view.Self(0), Ports: ports})
			env := election.NewEnv(view, nil)
			fx := env.Begin(0)
			node.Step(env, &election.Event{Op: election.Init})
			require.Equal(t, id, fx.Outcome.Leader.ID)
			most := 1 // the look at what was found
			for left := ports; left > 0; left /= 2 {
				most++
			}
			if id > election.ID(ports+1) { // there is no such process
				most += ports
			}
			require.LessOrEqual(t, view.looks, most, "%d among %d", id, ports)
		}
	}
}
