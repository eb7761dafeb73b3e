package verdict

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// TestChanged: a process may decide in a later Term again, even the same leader.
func TestChanged(t *testing.T) {
	follow := election.Outcome{Term: 1, Role: election.Follower, Leader: election.Rank{ID: 3}}
	lead := election.Outcome{Term: 1, Role: election.Leader, Leader: election.Rank{ID: 2}}
	later := lead
	later.Term = 2
	require.NoError(t, Changed(2, election.Outcome{Term: 1}, follow))
	require.NoError(t, Changed(2, follow, follow))
	require.NoError(t, Changed(2, follow, later))
	require.EqualError(t, Changed(2, follow, lead),
		"in Term 1 process 2 was follower of 3, and now is leader of 2")
}

// alone is what one process without links knows.
type alone struct{}

func (alone) Self(int) election.Rank                { return election.Rank{ID: 1} }
func (alone) Ports(int) int                         { return 0 }
func (alone) Peer(int, election.Port) election.Rank { return election.Rank{} }

// TestStarted: a process starts the election of the largest Term that it sends, or else decides in,
// unless that is the Term of the message that it handles.
func TestStarted(t *testing.T) {
	at := func(op election.Op, term uint64) *election.Event {
		return &election.Event{Op: op, Msg: election.Message{Kind: 1, Term: term}}
	}
	send := func(e *election.Env, kind uint8, term uint64) {
		e.Send(0, election.Message{Kind: kind, Term: term})
	}
	for name, c := range map[string]struct {
		ev   *election.Event
		do   func(e *election.Env)
		term uint64
		ok   bool
	}{
		"nothing": {at(election.Start, 0), func(*election.Env) {}, 0, false},
		"refused": {at(election.Start, 0), func(e *election.Env) {
			send(e, 1, 4)
			e.Refuse(errors.New("no"))
		}, 0, false},
		"sends": {at(election.Start, 0), func(e *election.Env) { e.Withdraw(3); send(e, 1, 4) }, 4,
			true},
		"decides":  {at(election.Start, 0), func(e *election.Env) { e.Withdraw(3) }, 3, true},
		"suspects": {at(election.Suspect, 0), func(e *election.Env) { send(e, 1, 4) }, 4, true},
		"comes back": {at(election.Rejoin, 0), func(e *election.Env) { send(e, 1, 2); send(e, 2, 4) }, 4,
			true},
		"waits":        {at(election.Timeout, 0), func(e *election.Env) { send(e, 1, 4) }, 0, false},
		"relays":       {at(election.Recv, 4), func(e *election.Env) { send(e, 1, 4) }, 4, false},
		"begins again": {at(election.Recv, 4), func(e *election.Env) { send(e, 1, 5) }, 5, true},
		"replies later": {at(election.Recv, 4), func(e *election.Env) { send(e, election.CatchUp, 5) }, 0,
			false},
		"is alone": {at(election.Recv, 4), func(e *election.Env) { e.Withdraw(5) }, 5, true},
	} {
		e := election.NewEnv(alone{}, nil)
		fx := e.Begin(0)
		c.do(e)
		term, ok := Started(&election.Algorithm{}, c.ev, fx)
		require.Equal(t, c.ok, ok, name)
		require.Equal(t, c.term, term, name)
	}
}

// speaker is a machine of a Stack that sends a message of a Term at each event.
type speaker uint64

func (n speaker) State(*election.State) {}

func (n speaker) Step(e *election.Env, ev *election.Event) {
	if n == 0 && ev.Op == election.Timeout {
		e.Raise(election.Event{Op: election.Suspect})
	}
	e.Send(0, election.Message{Kind: 1, Term: uint64(n)})
}

// TestStartedTwice: of two elections that a process begins in one step the later one counts, though it
// sends in the first alone.
func TestStartedTwice(t *testing.T) {
	e := election.NewEnv(alone{}, nil)
	fx := e.Begin(0)
	e.Send(0, election.Message{Kind: 1, Term: 4})
	e.Withdraw(5)
	term, ok := Started(&election.Algorithm{}, &election.Event{Op: election.Suspect}, fx)
	require.True(t, ok)
	require.EqualValues(t, 5, term)
}

// TestStartedAbove: with a failure detector below the election, its time-outs count as its reports, and its
// messages as those of no election.
func TestStartedAbove(t *testing.T) {
	above := &election.Algorithm{Below: 1}
	for _, c := range []struct {
		ev   election.Event
		term uint64
	}{
		{election.Event{Op: election.Timeout, Layer: 0}, 4},
		{election.Event{Op: election.Timeout, Layer: 1}, 0},
		{election.Event{Op: election.Recv}, 0},
		{election.Event{Op: election.Recv, Msg: election.Message{Layer: 1, Term: 3}}, 4},
		{election.Event{Op: election.Suspect}, 4},
	} {
		e := election.NewEnv(alone{}, nil)
		fx := e.Begin(0)
		election.Stack(speaker(0), speaker(4)).Step(e, &c.ev)
		term, ok := Started(above, &c.ev, fx)
		require.Equal(t, c.term > 0, ok)
		require.Equal(t, c.term, term)
	}
}

// TestDecisions: one process leads in a Term, as often as it likes, unless the algorithm is long-lived and knows no
// better; a group has a number that was never used, and no decision changes.
func TestDecisions(t *testing.T) {
	const crash, back, returned, apart = 101, 102, 103, 104 // in place of a leader
	type step struct{ process, leader, term uint64 }
	lead := func(p, term uint64) step { return step{p, p, term} }
	for name, c := range map[string]struct {
		a     election.Algorithm
		steps []step
		want  string // of the last step
	}{
		"again":            {election.Algorithm{}, []step{lead(3, 1), lead(3, 1), lead(2, 2)}, ""},
		"both":             {election.Algorithm{}, []step{lead(3, 1), lead(4, 1)}, "processes 3 and 4 both lead in Term 1"},
		"another leads":    {election.Algorithm{}, []step{{3, 3, 1}, {4, 3, 1}}, ""},
		"changed":          {election.Algorithm{}, []step{{3, 4, 1}, {3, 5, 1}}, "in Term 1 process 3 was follower of 4"},
		"after a crash":    {election.Algorithm{}, []step{lead(3, 1), {3, crash, 0}, lead(4, 1)}, "processes 3 and 4 both"},
		"elects no leader": {election.Algorithm{Elects: election.NoLeader}, []step{lead(3, 1), lead(4, 1)}, ""},
		"long-lived":       {election.Algorithm{Elects: election.Successors}, []step{lead(3, 1), lead(4, 1)}, "processes 3 and 4 both"},
		"taken over":       {election.Algorithm{Elects: election.Successors}, []step{lead(3, 1), {3, crash, 0}, lead(4, 1)}, ""},
		"back before": {election.Algorithm{Elects: election.Successors}, []step{lead(3, 1), {3, crash, 0}, {3, back, 0}, lead(4, 1)},
			"processes 3 and 4 both"},
		"after a return": {election.Algorithm{Elects: election.Successors}, []step{{1, returned, 0}, lead(3, 1), lead(4, 1)}, ""},
		"apart":          {election.Algorithm{Elects: election.Successors}, []step{{1, apart, 0}, lead(3, 1), lead(4, 1)}, "processes 3 and 4 both"},
		"apart, one after the other": {election.Algorithm{Elects: election.Successors}, []step{{1, apart, 0}, lead(3, 1), lead(3, 2),
			lead(4, 1)}, ""},
		"groups": {election.Algorithm{Elects: election.GroupLeaders}, []step{lead(3, 1), lead(4, 1), lead(3, 1)}, ""},
		"a group again": {election.Algorithm{Elects: election.GroupLeaders}, []step{lead(3, 2), {3, crash, 0}, {3, back, 0}, lead(3, 2)},
			"process 3 leads a group of Term 2, after a group of Term 2"},
	} {
		d := Decisions{Algorithm: &c.a}
		var err error
		for _, s := range c.steps {
			require.NoError(t, err, name)
			id := election.ID(s.process)
			switch s.leader {
			case crash:
				d.Crash(id)
			case back:
				d.Return(id)
			case returned:
				d.Returned = true
			case apart:
				d.Apart = true
			default:
				o := election.Outcome{Term: s.term, Role: election.Leader, Leader: election.Rank{ID: election.ID(s.leader)}}
				if s.leader != s.process {
					o.Role = election.Follower
				}
				_, err = d.Note(id, o, 0, 0)
			}
		}
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
	d := Decisions{Algorithm: &election.Algorithm{}}
	property, err := d.Note(3, election.Outcome{Role: election.Leader, Leader: election.Rank{ID: 4}}, 0, 0)
	require.Equal(t, OneLeader, property)
	require.EqualError(t, err, "process 3 leads, and names 4 as the leader")
}

// TestOutdated: a follower may be in an earlier Term than its leader, not in a later one.
func TestOutdated(t *testing.T) {
	leads := election.Outcome{Term: 3, Role: election.Leader, Leader: election.Rank{ID: 5}}
	for term := range uint64(4) {
		require.NoError(t, Outdated(leads, 2, election.Outcome{Term: term, Role: election.Follower}))
	}
	require.EqualError(t, Outdated(leads, 2, election.Outcome{Term: 4, Role: election.Follower}),
		"process 5 leads in Term 3, process 2 follows it in Term 4")
}
