package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/cluster"
)

// TestJudgeWrites: a register that accepts what is older is found.
func TestJudgeWrites(t *testing.T) {
	require.NoError(t, judgeWrites([]operation{{Token: 1, Accepted: true}, {Token: 1, Accepted: true},
		{Token: 3, Accepted: true}, {Token: 2}}))
	require.ErrorIs(t, judgeWrites([]operation{{Token: 3, Accepted: true}, {Token: 2, Accepted: true}}),
		errTokens)
}

// TestJudgeChanges: a change where there may be none, work that is asked to stop, and too many changes are
// found.
func TestJudgeChanges(t *testing.T) {
	for name, c := range map[string]struct {
		fault   fault
		changes int
		stops   []stop
		want    error
	}{
		"steady":                     {fault{steady: true}, 0, nil, nil},
		"steady, a change":           {fault{steady: true}, 1, nil, errUnsteady},
		"steady, a stop":             {fault{steady: true}, 0, []stop{{"a", 1, "deposed"}}, errUnsteady},
		"one may change":             {fault{most: 1}, 1, []stop{{"a", 1, "deposed"}}, nil},
		"one may change, not two":    {fault{most: 1}, 2, nil, errFlapping},
		"one a lease, and one more":  {fault{}, 4, nil, nil},
		"more than one a lease":      {fault{}, 5, nil, errFlapping},
		"where two lead, all change": {fault{clash: true, steady: true}, 9, nil, nil},
	} {
		err := judgeChanges(&c.fault, c.changes, c.stops, 3500*time.Millisecond, time.Second)
		require.ErrorIs(t, err, c.want, name)
		require.Equal(t, c.want == nil, err == nil, name)
	}
}

// TestJudgeConfirmed: a Confirm that returns no error although a later leader had begun is found.
func TestJudgeConfirmed(t *testing.T) {
	leases := []cluster.Lease{{Term: 1, From: 0, Until: 5}, {Term: 2, From: 6, Until: 9}}
	require.NoError(t, judgeConfirmed([]cluster.Lease{{Term: 1, From: 4}, {Term: 1, From: 6},
		{Term: 2, From: 8}},
		leases))
	require.ErrorIs(t, judgeConfirmed([]cluster.Lease{{Term: 1, From: 7}}, leases), errConfirm)
}

// TestJudgeLate: leaders that come too late are an error of the cell in the end, unless that is rare.
func TestJudgeLate(t *testing.T) {
	c := find(t, "^kill -9 the leader, n=3, none$")[0]
	r := &result{cell: c, outcomes: make([]outcome, 20)}
	r.outcomes[0].Late, r.outcomes[1].Late, r.outcomes[2].Busy = true, true, true
	require.NoError(t, judgeLate([]*result{r, {cell: c}}))
	r.outcomes[3].Late = true
	err := judgeLate([]*result{{cell: c}, r})
	require.ErrorIs(t, err, errLate)
	require.EqualError(t, err, "kill -9 the leader, n=3, none: "+errLate.Error()+": in 3 of 20 trials")
}

// TestJudgeCost: a change that takes longer without a leader than the same restarts is found.
func TestJudgeCost(t *testing.T) {
	of := func(name string, vacant ...time.Duration) *result {
		r := &result{cell: find(t, "^"+name+", n=3, Dir$")[0]}
		for _, v := range vacant {
			r.outcomes = append(r.outcomes, outcome{Vacant: v})
		}
		return r
	}
	const name = "change the list, in any order"
	plain := of("restart one after another", 10, 20, 90)
	require.NoError(t, judgeCost([]*result{of(name, 1, 120, 900), plain}, 400))
	require.NoError(t, judgeCost([]*result{of(name, 1, 121, 900)}, 400), "nothing to compare with")
	require.ErrorIs(t, judgeCost([]*result{plain, of(name, 1, 121, 900)}, 400), errCostly)
}

// TestJudgeIsolated: a lease that a process renews although it reaches no majority is found.
func TestJudgeIsolated(t *testing.T) {
	alone := []isolation{{process: 1, at: 5}}
	of := func(process int, from, until time.Duration) []lease {
		return []lease{{cluster.Lease{From: from, Until: until}, process}}
	}
	require.NoError(t, judgeIsolated(of(1, 0, 15), alone, 10))
	require.NoError(t, judgeIsolated(of(2, 0, 99), alone, 10))
	require.NoError(t, judgeIsolated(of(1, 20, 99), alone, 10), "it has come back")
	require.ErrorIs(t, judgeIsolated(of(1, 0, 16), alone, 10), errZombie)
}

// TestJudgeStale: if the register does not refuse the last write of a stopped leader, after a write of a later
// leader, the error contains what the leader did instead.
func TestJudgeStale(t *testing.T) {
	h := &halt{process: 1, term: 7, from: 5}
	own := operation{Process: 1, Token: 7, Accepted: true, Call: 4}
	later := operation{Process: 2, Token: 8, Accepted: true, Call: 8}
	last := operation{Process: 1, Token: 7, Last: true, Call: 9}
	with := func(op operation, change func(*operation)) operation {
		change(&op)
		return op
	}
	require.NoError(t, judgeStale([]operation{own, later, last}, h))
	underway := operation{Process: 1, Token: 7, Call: 9}
	require.NoError(t, judgeStale([]operation{own, later, underway, last}, h),
		"it was stopped just before a write")
	accepted := with(last, func(op *operation) { op.Accepted = true })
	early := with(accepted, func(op *operation) { op.Call = 4 })
	for name, c := range map[string]struct {
		log  []operation
		want string
	}{
		"it never writes":  {[]operation{own, later}, "has made no last write"},
		"its work goes on": {[]operation{own, later, underway}, "has made no last write"},
		"accepted":         {[]operation{own, later, accepted}, "has accepted"},
		"before its end": {[]operation{own, early, later},
			"came at 4ns, before its stop at 5ns"},
		"before any later": {[]operation{own, accepted, later}, "no later leader had written"},
		"refused to all":   {[]operation{own, last}, "no later leader had written"},
		"of another member": {[]operation{own, later, with(last, func(op *operation) { op.Process = 3 })},
			"no last write"},
		"of another Term": {[]operation{own, later, with(last, func(op *operation) { op.Token = 6 })},
			"no last write"},
	} {
		err := judgeStale(c.log, h)
		require.ErrorIs(t, err, errNoStale, name)
		require.ErrorContains(t, err, c.want, name)
	}
	require.ErrorIs(t, judgeWrites([]operation{own, later, accepted}), errTokens)
	require.ErrorIs(t, judgeStale([]operation{own, later, last}, nil), errNoStale)
}

// TestJudgeRegister: histories that a fenced register cannot have are found.
func TestJudgeRegister(t *testing.T) {
	write := func(number uint32, token, value uint64, accepted bool, from, to time.Duration) operation {
		return operation{Process: 1, Number: number, Token: token, Value: value, Accepted: accepted,
			Call:   from,
			Return: to}
	}
	read := func(number uint32, value uint64, from, to time.Duration) operation {
		return operation{Process: 2, Number: number, Read: true, Value: value, Call: from, Return: to}
	}
	for name, c := range map[string]struct {
		history []operation
		want    error
	}{
		"one after another": {[]operation{write(1, 1, 7, true, 1, 2), read(2, 7, 3, 4)}, nil},
		"at once":           {[]operation{write(1, 1, 7, true, 1, 4), read(2, 0, 2, 3)}, nil},
		"lost":              {[]operation{write(1, 1, 7, true, 1, 2), read(2, 0, 3, 4)}, errRegister},
		"old and accepted": {[]operation{write(1, 2, 7, true, 1, 2), write(2, 1, 8, true, 3, 4)},
			errRegister},
		"old and refused": {[]operation{write(1, 2, 7, true, 1, 2), write(2, 1, 8, false, 3, 4)}, nil},
		"new and refused": {[]operation{write(1, 2, 7, true, 1, 2), write(2, 2, 8, false, 3, 4)},
			errRegister},
	} {
		require.ErrorIs(t, judgeRegister(c.history, c.history), c.want, name)
		require.Equal(t, c.want == nil, judgeRegister(c.history, c.history) == nil, name)
	}
	// The process has not got the answer, so the write may take effect late.
	log := []operation{read(2, 0, 3, 4), write(1, 1, 7, true, 1, 0)}
	require.NoError(t, judgeRegister(log[:1], log))
}

// TestRegister: the register that members talk to is the one of the model.
func TestRegister(t *testing.T) {
	path := filepath.Join(t.TempDir(), "register")
	r, err := serveRegister(path)
	require.NoError(t, err)
	c, err := dial(path)
	require.NoError(t, err)
	for i, op := range []operation{{Token: 2, Value: 5, Accepted: true}, {Token: 1, Value: 6},
		{Read: true, Value: 5}} {
		want := op
		op.Number, want.Number = uint32(i), uint32(i)
		op.Accepted = false
		if op.Read {
			op.Value = 0
		}
		require.NoError(t, c.do(&op))
		require.Equal(t, want, op)
	}
	c.close()
	require.NoError(t, r.close())
	require.Len(t, r.operations(), 3)
	require.NoError(t, judgeRegister(nil, r.operations()))
	_, err = dial(path)
	require.Error(t, err)
}

// TestVacant: the time without a leader leaves out the time for which one could not serve.
func TestVacant(t *testing.T) {
	served := without(span{2, 10}, 1, []outage{{1, 4, 6}, {2, 0, 20}, {1, 9, 99}})
	require.Equal(t, []span{{2, 4}, {6, 9}}, served)
	for _, c := range []struct {
		served       []span
		longest, sum time.Duration
	}{
		{nil, 10, 10},
		{served, 2, 5},
		{[]span{{5, 20}, {0, 3}}, 2, 2},
		{[]span{{0, 20}, {3, 4}}, 0, 0},
	} {
		longest, sum := vacant(c.served, 0, 10)
		require.Equal(t, []time.Duration{c.longest, c.sum}, []time.Duration{longest, sum}, "%v", c.served)
	}
}
