package invitation_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/sim"
)

// single is process 3 among 1 to 5, step by step.
type single struct {
	alg  *election.Algorithm
	view table
	node election.Node
	env  *election.Env
}

// table is a View of process 0 among others.
type table []election.Rank

func (v table) Self(int) election.Rank                       { return v[0] }
func (v table) Ports(int) int                                { return len(v) - 1 }
func (v table) Peer(_ int, port election.Port) election.Rank { return v[port+1] }

// portOf returns the port that leads to a process.
func (v table) portOf(t *testing.T, id string) election.Port {
	for port := range len(v) - 1 {
		if fmt.Sprint(v[port+1].ID) == id {
			return election.Port(port)
		}
	}
	t.Fatalf("there is no process %s", id)
	return 0
}

// config has times that differ, so that a step shows which it has used.
var config = invitation.Config{AnswerTimeout: 3 * sim.Unit, AcceptTimeout: 5 * sim.Unit,
	PriorityWait: 9 * sim.Unit, Delay: sim.Unit}

func configured(t testing.TB, c invitation.Config) *election.Algorithm {
	a, err := invitation.New(c)
	require.NoError(t, err)
	return a
}

// alone makes process 3, not yet in any group.
func alone(t *testing.T, c invitation.Config) *single {
	p := &single{alg: configured(t, c), view: table{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}}
	p.env = election.NewEnv(p.view, nil)
	p.node = p.alg.New(election.Setup{Self: p.view[0], Ports: len(p.view) - 1})
	return p
}

var timerNames = []string{"answers", "larger", "acceptance", "ready", "look"}

// do takes an event in words: an Op with a process, the name of a timer that runs out, or a message. "4
// accept 3/2" is ACCEPT from 4 of group 2 of 3; "yes" follows a Flag, and "=1" is the Value.
func (p *single) do(t *testing.T, words string) string {
	w := strings.Fields(words)
	ev := election.Event{}
	for op := election.Init; op <= election.Trust; op++ {
		if op.String() == w[0] {
			ev.Op = op
		}
	}
	for timer, name := range timerNames {
		if name == w[0] {
			ev.Op, ev.Timer = election.Timeout, uint8(timer)
		}
	}
	switch {
	case ev.Op == 0:
		ev.Op, ev.Port = election.Recv, p.view.portOf(t, w[0])
		for kind, k := range p.alg.Kinds {
			if k.Name == w[1] {
				ev.Msg.Kind = uint8(kind + 1)
			}
		}
		require.NotZero(t, ev.Msg.Kind, words)
		_, err := fmt.Sscanf(w[2], "%d/%d", &ev.Msg.Rank.ID, &ev.Msg.Term)
		require.NoError(t, err)
		for _, more := range w[3:] {
			if more == "yes" {
				ev.Msg.Flags = 1
			} else {
				ev.Msg.Value, err = strconv.ParseUint(more[1:], 10, 64)
				require.NoError(t, err)
			}
		}
	case len(w) > 1:
		ev.Port = p.view.portOf(t, w[1])
	}
	return p.step(&ev)
}

// step takes an event and returns in words what it causes.
func (p *single) step(ev *election.Event) string {
	fx := p.env.Begin(0)
	p.node.Step(p.env, ev)
	var words []string
	if fx.Saved() {
		words = append(words, "save")
	}
	for _, out := range fx.Sends {
		word := fmt.Sprintf("%d:%s:%d/%d", p.view[out.Port+1].ID, p.alg.KindName(out.Msg.Kind),
			out.Msg.Rank.ID, out.Msg.Term)
		if out.Msg.Flags != 0 {
			word += ":yes"
		}
		if out.Msg.Value != 0 {
			word += fmt.Sprintf("=%d", out.Msg.Value)
		}
		words = append(words, word)
	}
	for _, change := range fx.Timers {
		// Stops are left out of the words: TestRest sees that no timer is left over.
		if !change.Stop {
			words = append(words, fmt.Sprintf("+%s%d", timerNames[change.Timer], change.Max/sim.Unit))
		}
	}
	if o := fx.Outcome; fx.Decided() {
		words = append(words, fmt.Sprintf("%v:%d/%d", o.Role, o.Leader.ID, o.Term))
	}
	if fx.Ended() {
		words = append(words, "done")
	}
	return strings.Join(words, " ")
}

// restart makes the Node again, of what it has now, and returns what its first event causes.
func (p *single) restart(t *testing.T) string {
	state := new(election.State).Append(nil, p.node)
	p.node = p.alg.New(election.Setup{Self: p.view[0], Ports: len(p.view) - 1})
	require.NoError(t, new(election.State).Restore(p.node, state))
	return p.do(t, "init")
}

// groups returns the leader of each process: the first of its group.
func groups(all ...[]election.ID) func(election.ID) election.ID {
	leaders := make(map[election.ID]election.ID)
	for _, group := range all {
		for _, id := range group {
			leaders[id] = group[0]
		}
	}
	return func(id election.ID) election.ID {
		if leader, ok := leaders[id]; ok {
			return leader
		}
		return id
	}
}

// The groups in which process 3 begins.
var (
	leading   = groups([]election.ID{3, 1})
	following = groups([]election.ID{5, 3, 2})
)

// ruleCase is a rule: the last of some steps of a process, which begins in a group, causes what want says.
type ruleCase struct {
	name   string
	leader func(election.ID) election.ID
	steps  []string
	want   string
}

// What several cases have in common.
const (
	ask      = "1:ayc:3/1 2:ayc:3/1 4:ayc:3/1 5:ayc:3/1 +answers3"
	invited  = "4 invitation 4/7"
	yes      = "4 accept_r 4/7 =2 yes"
	accepted = "4:accept:4/7=2 +ready8 undecided:0/7"
	saved    = "save " + accepted
	alone1   = "save leader:3/1 done"
	alone3   = "save leader:3/3 done"
	anew     = "save 1:ayc:3/2 2:ayc:3/2 4:ayc:3/2 5:ayc:3/2 +answers3 leader:3/2 done"
)

var (
	start   = []string{"start"}
	merging = []string{"start", "1 ayc_r 3/1 yes", "2 ayc_r 3/1 yes", "answers"}
	larger  = []string{"start", "2 ayc_r 3/1 yes", "5 ayc_r 3/1 yes", "answers"}
)

// after returns the steps of a list, and some more.
func after(list []string, more ...string) []string { return slices.Concat(list, more) }

// checks are the rules up to the merge.
var checks = []ruleCase{
	{"begin: alone", nil, nil, alone1},
	{"begin: with members", leading, nil, alone1},
	{"begin: as a member", following, nil, "save follower:5/1 done"},
	{"begin: a leader that follows another leads no group",
		func(id election.ID) election.ID { return id + 1 }, nil, alone1},

	{"1: a leader asks all others", nil, start, ask},
	{"1: and its members", leading, start, ask},
	{"1: once", nil, after(start, "start"), ""},
	{"2: yes, it leads", leading, []string{"4 ayc 4/7"}, "4:ayc_r:4/7:yes"},
	{"2: yes, while it checks", nil, after(start, "4 ayc 4/7"), "4:ayc_r:4/7:yes"},
	{"2: yes, while it waits for a larger one", nil, after(larger, "4 ayc 4/7"), "4:ayc_r:4/7:yes"},
	{"2: no, it follows", following, []string{"4 ayc 4/7"}, "4:ayc_r:4/7"},
	{"2: no, while it merges", nil, after(merging, "4 ayc 4/7"), "4:ayc_r:4/7"},
	{"2: no, it has accepted", nil, []string{invited, "1 ayc 1/2"}, "1:ayc_r:1/2"},
	{"3: not before all have said no", leading, after(start, "1 ayc_r 3/1", "2 ayc_r 3/1",
		"4 ayc_r 3/1"), ""},
	{"3: all have said no", leading, after(start, "1 ayc_r 3/1", "2 ayc_r 3/1", "4 ayc_r 3/1",
		"5 ayc_r 3/1", "answers"), ""},
	{"3: no yes in time", leading, after(start, "answers", "start"), ask},
	{"3: an answer too late", nil, after(start, "answers", "1 ayc_r 3/1 yes", "answers"), ""},
	{"3: not one of another group", nil, after(start, "1 ayc_r 3/9 yes", "answers"), ""},
	{"3: not one of another process", nil, after(start, "1 ayc_r 2/1 yes", "answers"), ""},
	{"3: of two answers the first", nil, after(start, "1 ayc_r 3/1", "1 ayc_r 3/1 yes", "answers"), ""},
	{"4: wait for a larger one, two places ahead", nil, larger, "+larger18"},
	{"4: wait for the largest", nil, after(start, "5 ayc_r 3/1 yes", "4 ayc_r 3/1 yes", "answers"),
		"+larger18"},
	{"4: wait for one place", nil, after(start, "4 ayc_r 3/1 yes", "answers"), "+larger9"},
	{"4: a start while it waits", nil, after(larger, "start"), ""},
	{"5: merge", nil, merging, "save 1:invitation:3/2=1 2:invitation:3/2=1 +acceptance5 undecided:0/2"},
	{"5: with its own members", leading, after(start, "2 ayc_r 3/1 yes", "answers"),
		"save 1:invitation:3/2=1 2:invitation:3/2=1 +acceptance5 undecided:0/2"},
	{"5: after the wait", nil, after(larger, "larger"),
		"save 2:invitation:3/2=1 5:invitation:3/2=1 +acceptance5 undecided:0/2"},
	{"5: no start while it merges", nil, after(merging, "start"), ""},
}

// mergers are the rules of a merge.
var mergers = []ruleCase{
	{"6: accept", nil, []string{invited}, saved},
	{"6: accept while it checks", nil, after(start, invited), saved},
	{"6: and check no more", nil, after(start, "5 ayc_r 3/1 yes", invited, "5 ayc_r 3/1 yes",
		"answers"), ""},
	{"6: accept while it waits for a larger one", nil, after(larger, invited), saved},
	{"6: forward to the members", leading, []string{invited}, "save 1:invitation:4/7=1 " + accepted},
	{"6: to the one that invites, too", groups([]election.ID{3, 1, 4}), []string{invited},
		"save 1:invitation:4/7=1 4:invitation:4/7=1 " + accepted},
	{"6: its leader accepts an invitation of its own", following, []string{"5 invitation 3/1 =1"},
		"save leader:3/2 done"},
	{"6: had accepted it before", following, []string{"5 invitation 3/1"}, ""},
	{"6: members are forwarded to once", leading, []string{invited, "4 accept_r 4/7 =2", "5 invitation 5/1"},
		"save 5:accept:5/1=4 +ready8 undecided:0/1"},
	{"6: a member accepts a forwarded one", following, []string{"5 invitation 4/7 =1"}, saved},
	{"6: a member accepts that of another", following, []string{invited}, saved},
	{"6: a member accepts while it asks its leader", following, after(start, invited), saved},
	{"6: not one to its own group", following, []string{"5 invitation 5/1"}, ""},
	{"6: not an older one of its leader", following, []string{"5 invitation 5/0"}, ""},
	{"6: a newer one of its leader", following, []string{"5 invitation 5/2 =1"},
		"save 5:accept:5/2=2 +ready8 undecided:0/2"},
	{"6: not while it merges", nil, after(merging, invited), ""},
	{"6: not while it waits for READY", nil, []string{invited, "5 invitation 5/1"}, ""},
	{"6: its leader forwards it while it waits for READY", nil, []string{invited, "4 invitation 5/1 =7"},
		"save 5:accept:5/1=3 +ready8 undecided:0/1"},
	{"6: its leader merges anew meanwhile", nil, []string{invited, yes, "4 invitation 4/9 =8"},
		"save 4:accept:4/9=3 +ready8 undecided:0/9"},
	{"6: its leader forwards it late", nil, []string{invited, "4 invitation 5/1 =6"}, ""},
	{"6: another forwards it meanwhile", nil, []string{invited, "1 invitation 5/1 =7"}, ""},
	{"6: its own comes back", nil, []string{"4 invitation 3/1"}, ""},
	{"6: of a process that is not there", nil, []string{"4 invitation 9/1"}, ""},

	{"7: count an ACCEPT", nil, after(merging, "2 accept 3/2"), "2:accept_r:3/2:yes"},
	{"7: of a process that was not invited, too", nil, after(merging, "4 accept 3/2"),
		"4:accept_r:3/2:yes"},
	{"7: not of another group", nil, after(merging, "2 accept 3/1"), "2:accept_r:3/1"},
	{"7: not of another leader", nil, after(merging, "2 accept 2/2"), "2:accept_r:2/2"},
	{"7: not too late", nil, after(merging, "2 accept 3/2", "acceptance", "1 accept 3/2"),
		"1:accept_r:3/2"},
	{"7: yes, wait for READY", nil, []string{invited, "4 accept_r 4/7 =2 yes"}, ""},
	{"7: no, recover", nil, []string{invited, "4 accept_r 4/7 =2"}, alone3},
	{"7: not of another", nil, []string{invited, "5 accept_r 4/7 =2"}, ""},
	{"7: not for another group", nil, []string{invited, "4 accept_r 4/6 =2"}, ""},
	{"7: no, after yes", nil, []string{invited, "4 accept_r 4/7 =2 yes", "4 accept_r 4/7 =2"}, ""},

	{"8: READY to all that have accepted", nil, after(merging, "2 accept 3/2", "1 accept 3/2",
		"acceptance"), "1:ready:3/2 2:ready:3/2 +answers3"},
	{"8: not to members of before", leading, after(start, "2 ayc_r 3/1 yes", "answers",
		"2 accept 3/2", "acceptance"), "2:ready:3/2 +answers3"},
	{"9: none has accepted, lead alone", nil, after(merging, "acceptance"), "leader:3/2 done"},
	{"9: follow", nil, []string{invited, yes, "4 ready 4/7"}, "4:ready_r:4/7:yes follower:4/7 done"},
	{"9: not before ACCEPT_R", nil, []string{invited, "4 ready 4/7"}, "4:ready_r:4/7"},
	{"7: an answer to an earlier ACCEPT", nil, []string{invited, "ready", invited, yes, "4 ready 4/7"},
		"4:ready_r:4/7"},
	{"7: the answer to the last one", nil, []string{invited, "ready", invited, "4 accept_r 4/7 =4 yes",
		"4 ready 4/7"}, "4:ready_r:4/7:yes follower:4/7 done"},
	{"9: not another group", nil, []string{invited, yes, "4 ready 4/6"}, "4:ready_r:4/6"},
	{"9: not of another process", nil, []string{invited, yes, "5 ready 4/7"}, "5:ready_r:4/7"},
	{"9: not once more", nil, []string{invited, yes, "4 ready 4/7", "4 ready 4/7"}, "4:ready_r:4/7"},
	{"9: not after it has recovered", nil, []string{invited, yes, "ready", "4 ready 4/7"}, "4:ready_r:4/7"},
	{"9: lead when all have replied", nil, after(merging, "2 accept 3/2", "1 accept 3/2", "acceptance",
		"1 ready_r 3/2 yes", "2 ready_r 3/2 yes"), "leader:3/2 done"},
	{"9: not before", nil, after(merging, "2 accept 3/2", "1 accept 3/2", "acceptance",
		"1 ready_r 3/2 yes"), ""},
	{"9: not for replies of before", nil, after(merging, "2 accept 3/2", "acceptance",
		"2 ready_r 3/1 yes"), ""},
	{"9: lead when the time ends", nil, after(merging, "2 accept 3/2", "acceptance", "answers"),
		"leader:3/2 done"},
	{"9: one that says no is no member", nil, after(merging, "2 accept 3/2", "acceptance",
		"2 ready_r 3/2", "2 ayt 3/2"), "2:ayt_r:3/2"},
	{"9: nor if it says so late", nil, after(merging, "2 accept 3/2", "acceptance", "answers",
		"2 ready_r 3/2", "2 ayt 3/2"), "2:ayt_r:3/2"},
	{"9: one that says yes is a member", nil, after(merging, "2 accept 3/2", "acceptance",
		"2 ready_r 3/2 yes", "2 ayt 3/2"), "2:ayt_r:3/2:yes"},
	{"9: and one that says nothing", nil, after(merging, "2 accept 3/2", "acceptance", "answers",
		"2 ayt 3/2"), "2:ayt_r:3/2:yes"},
}

// recoveries are the rules of processes that miss their leader.
var recoveries = []ruleCase{
	{"10: no READY in time", nil, []string{invited, "ready"}, alone3},
	{"11: ask the leader", following, start, "5:ayt:5/1 +answers3"},
	{"11: yes", leading, []string{"1 ayt 3/1"}, "1:ayt_r:3/1:yes"},
	{"11: no member", leading, []string{"2 ayt 3/1"}, "2:ayt_r:3/1"},
	{"11: another group", leading, []string{"1 ayt 3/2"}, "1:ayt_r:3/2"},
	{"11: another leader", following, []string{"2 ayt 5/1"}, "2:ayt_r:5/1"},
	{"11: it is there", following, after(start, "5 ayt_r 5/1 yes", "answers"), ""},
	{"11: it is not", following, after(start, "5 ayt_r 5/1"), anew},
	{"11: an answer of another", following, after(start, "2 ayt_r 5/1"), ""},
	{"11: about another group", following, after(start, "5 ayt_r 5/0"), ""},
	{"11: an answer that it does not wait for", following, []string{"5 ayt_r 5/1"}, ""},
	{"11: no answer", following, after(start, "answers"), anew},
	{"12: its leader is in a later group", following, []string{"5 ayc 5/2"},
		"save 5:ayc_r:5/2:yes leader:3/2 done"},
	{"12: not in an earlier one", following, []string{"5 ayc 5/1"}, "5:ayc_r:5/1"},
	{"12: also while it waits for READY", nil, []string{invited, "4 ayc 4/8"},
		"save 4:ayc_r:4/8:yes leader:3/3 done"},
	{"12: another process", following, []string{"4 ayc 4/8"}, "4:ayc_r:4/8"},
	{"13: suspect the leader", following, []string{"suspect 5"}, anew},
	{"13: another", following, []string{"suspect 2"}, ""},
	{"13: one that leads", nil, []string{"suspect 1"}, ""},
	{"13: trust changes nothing", following, []string{"trust 5"}, ""},
	{"13: while it waits for READY", nil, []string{invited, "suspect 4"},
		"save 1:ayc:3/3 2:ayc:3/3 4:ayc:3/3 5:ayc:3/3 +answers3 leader:3/3 done"},
	{"13: join, alone before", nil, []string{"rejoin"}, ask},
	{"13: join, not in a group of before", following, []string{"rejoin"}, anew},
}

// TestRules: each rule by itself.
func TestRules(t *testing.T) {
	for _, c := range slices.Concat(checks, mergers, recoveries) {
		t.Run(c.name, func(t *testing.T) {
			settings := config
			settings.Leader = c.leader
			p := alone(t, settings)
			got := p.do(t, "init")
			for _, step := range c.steps {
				got = p.do(t, step)
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestRestart: a process that comes back with its state leads a group that it has not led before.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		steps []string
		moves int
	}{{nil, 2}, {start, 2}, {[]string{invited}, 3}, {[]string{invited, yes, "4 ready 4/7"}, 3},
		{merging, 3}} {
		p := alone(t, config)
		p.do(t, "init")
		for _, step := range c.steps {
			p.do(t, step)
		}
		require.Equal(t, fmt.Sprintf("save leader:3/%d done", c.moves), p.restart(t))
		require.Equal(t, strings.ReplaceAll(ask, "/1", fmt.Sprintf("/%d", c.moves)), p.do(t, "rejoin"))
	}
}

// TestNoSuchPort: an invitation that comes by a port that is not there changes nothing but the group.
func TestNoSuchPort(t *testing.T) {
	p := alone(t, config)
	p.do(t, "init")
	require.Equal(t, "save 4:accept:4/7=2 +ready8 undecided:0/7",
		p.step(&election.Event{Op: election.Recv, Port: 4,
			Msg: election.Message{Kind: 3, Rank: election.Rank{ID: 4}, Term: 7}}))
}

// TestAloneWithInterval: a process that has no others looks again, too.
func TestAloneWithInterval(t *testing.T) {
	settings := config
	settings.Interval = 7 * sim.Unit
	p := alone(t, settings)
	p.view = p.view[:1]
	p.env = election.NewEnv(p.view, nil)
	require.Equal(t, "save +look7 leader:3/1 done", p.do(t, "init"))
	require.Equal(t, "+look7", p.do(t, "look"))
	require.Equal(t, "+look7", p.do(t, "look"))
}

// TestInterval: with an interval processes look again and again, whatever comes of it.
func TestInterval(t *testing.T) {
	settings := config
	settings.Interval, settings.Leader = 7*sim.Unit, following
	p := alone(t, settings)
	require.Equal(t, "save +look7 follower:5/1 done", p.do(t, "init"))
	require.Equal(t, "5:ayt:5/1 +answers3", p.do(t, "look"))
	require.Equal(t, "+look7", p.do(t, "5 ayt_r 5/1 yes"))
	p.do(t, "look")
	p.do(t, "look") // it is asking still
	require.Equal(t, "save 1:ayc:3/2 2:ayc:3/2 4:ayc:3/2 5:ayc:3/2 +look7 +answers3 leader:3/2 done",
		p.do(t, "answers"))
	require.Equal(t, "+look7", p.do(t, "answers"))
	require.Contains(t, p.do(t, "look"), "1:ayc:3/2 ")
	for _, from := range []string{"1", "2", "4"} {
		p.do(t, from+" ayc_r 3/2")
	}
	require.Equal(t, "+look7", p.do(t, "5 ayc_r 3/2"))
	p.do(t, "4 invitation 4/7")
	p.do(t, "4 accept_r 4/7 =3 yes")
	require.Equal(t, "4:ready_r:4/7:yes +look7 follower:4/7 done", p.do(t, "4 ready 4/7"))
}
