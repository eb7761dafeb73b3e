package election_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
)

// TestGuarantees keeps docs/guarantees.md up to date: its traces are the traces of these runs, and its table
// contains every algorithm.
func TestGuarantees(t *testing.T) {
	const page = "docs/guarantees.md"
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	want := string(b)
	for _, name := range append(catalog.Names(), "bully") {
		require.Contains(t, want, "`"+name, "the table lacks an algorithm")
	}
	_, err = bully.Rules(bully.Config{AliveTimeout: 2*sim.Unit - 1})
	want = section(t, want, "refused", "```text\n"+err.Error()+"\n```\n")
	want = section(t, want, "rounds", "```text\n"+tooFewRounds(t)+"```\n")
	for _, r := range outside(t) {
		want = section(t, want, r.name, "```text\n"+r.watched(t).String()+"```\n")
	}
	want = section(t, want, "groups", "```text\n"+groupsOf(t)+"```\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(b), "run: go test . -run TestGuarantees -update")
}

// groupsOf returns which leader each of five processes follows, and in which Term, every time that
// changes: the links between two groups of them are cut for a while.
func groupsOf(t *testing.T) string {
	t.Helper()
	const u = sim.Unit
	a, err := invitation.New(invitation.Config{Interval: 6 * u})
	require.NoError(t, err)
	s, err := sim.New(sim.Config{Until: 200 * u, Input: scenario.Input{Algorithm: a,
		IDs: []election.ID{1, 2, 3, 4, 5}, Faults: fault.Plan{Partitions: []fault.Partition{{From: 30 * u,
			Until: 90 * u, Groups: [][]election.ID{{1, 2}, {3, 4, 5}}}}}}})
	require.NoError(t, err)
	text, last := " time    1    2    3    4    5\n", ""
	for at := time.Duration(0); at <= 200; at++ {
		s.Extend(at*u + 1)
		require.NoError(t, s.Run(t.Context()))
		row := ""
		for p := range 5 {
			o := s.Outcome(p)
			cell := "-"
			if o.Role != election.Undecided {
				cell = fmt.Sprintf("%d/%d", o.Leader.ID, o.Term)
			}
			row += fmt.Sprintf("%5s", cell)
		}
		if row != last {
			text += fmt.Sprintf("%5d%s\n", at, row)
		}
		last = row
	}
	r := s.Result()
	require.True(t, r.Agreed, "whole again all are one group")
	return text
}

// outsideRun is a run in which bully has two leaders, simultaneously or in one Term.
type outsideRun struct {
	name    string
	config  sim.Config
	leaders int           // at the end
	from    time.Duration // when two lead for the first time, if ever
	to      time.Duration // when for the last time
	twice   uint64        // a Term in which office is taken twice, by one or by two
}

func outside(t *testing.T) []outsideRun {
	t.Helper()
	const u = sim.Unit
	one, two := []election.ID{1}, []election.ID{1, 2}
	plain, beats := bullyWith(t, bully.Config{}), bullyWith(t, bully.Config{Heartbeat: 2 * u})
	seldom := bullyWith(t, bully.Config{Heartbeat: 4 * u})
	halves := func(until time.Duration) fault.Plan {
		return fault.Plan{Partitions: []fault.Partition{{Until: until, Groups: [][]election.ID{{1}, {2}}}}}
	}
	at := func(id election.ID, units time.Duration) []scenario.At {
		return []scenario.At{{ID: id, Time: units * u}}
	}
	return []outsideRun{
		{"partition", sim.Config{Input: scenario.Input{Algorithm: plain, IDs: two, Faults: halves(0)}},
			2, 3 * u, never, 1},
		{"healed", sim.Config{Until: 7 * u, Input: scenario.Input{Algorithm: beats, IDs: two,
			Faults: halves(5 * u)}},
			1, 3 * u, 6 * u, 1},
		{"late", late(plain, two, 7*u/4), 1, 3 * u, 7 * u / 2, 1},
		{"short", sim.Config{Input: scenario.Input{Algorithm: tooShort(t, 7*u/4), IDs: two, Initiators: one}},
			1, 7 * u / 4, 2 * u, 1},
		{"paused", sim.Config{Until: 11 * u, Input: scenario.Input{Algorithm: beats, IDs: two,
			Initiators: two[1:],
			PauseAt:    []scenario.Pause{{ID: 2, From: 3 * u / 2, Until: 10 * u}}}},
			1, 8 * u, 11 * u, 2},
		{"forgotten", sim.Config{Input: scenario.Input{Algorithm: plain, IDs: one, CrashAt: at(1, 1),
			RecoverAt: at(1, 2)}},
			1, 0, 0, 1},
		{"returned", sim.Config{Until: 15 * u, Input: scenario.Input{Algorithm: seldom, IDs: two,
			Initiators: two[1:],
			CrashAt:    []scenario.At{{ID: 2, Time: 3 * u / 2}}, RecoverAt: at(2, 12)}},
			1, 12 * u, 14 * u, 1},
		{"twice", sim.Config{Until: 10 * u, Input: scenario.Input{Algorithm: beats, IDs: two,
			Initiators: two[1:],
			CrashAt:    []scenario.At{{ID: 2, Time: 3 * u / 2}}, RestartAt: at(2, 9)}},
			1, 9 * u, 9 * u, 2},
	}
}

const never = time.Duration(-1)

func bullyWith(t *testing.T, c bully.Config) *election.Algorithm {
	t.Helper()
	a, err := bully.Rules(c)
	require.NoError(t, err)
	return a
}

func tooShort(t *testing.T, alive time.Duration) *election.Algorithm {
	t.Helper()
	return bullyWith(t, bully.Config{AliveTimeout: alive, Unsafe: true})
}

// late returns a run in which every message takes a delay, whatever the algorithm reckons with.
func late(a *election.Algorithm, ids []election.ID, delay time.Duration) sim.Config {
	return sim.Config{Force: true, Schedule: sim.RandomDelay, Delay: sim.Delay{Min: delay, Max: delay},
		Input: scenario.Input{Algorithm: a, IDs: ids, Initiators: ids[:1]}}
}

// watched runs a run, and checks what is said of it.
func (r *outsideRun) watched(t *testing.T) trace {
	t.Helper()
	tr := watch(t, r.config)
	require.Equal(t, r.leaders, tr.leaders, r.name)
	if r.from == 0 {
		require.Empty(t, tr.two, r.name)
	} else {
		require.NotEmpty(t, tr.two, r.name)
		require.Equal(t, r.from, tr.two[0], r.name)
		if r.to != never {
			require.Equal(t, r.to, tr.two[len(tr.two)-1], r.name)
		}
	}
	require.Greater(t, tr.offices[r.twice], 1, "%s: Term %d", r.name, r.twice)
	return tr
}

// TestSilentAfterPartition: without heartbeats no process learns that a partition is over, so two processes
// lead forever. The original order does no better.
func TestSilentAfterPartition(t *testing.T) {
	for _, alg := range bully.Algorithms() {
		in := scenario.Input{Algorithm: alg, IDs: []election.ID{1, 2}}
		in.Faults.Partitions = []fault.Partition{{Until: 5 * sim.Unit, Groups: [][]election.ID{{1}}}}
		require.Equal(t, 2, watch(t, sim.Config{Input: in}).leaders, alg.Title())
	}
}

// TestLateHalting: in the original order two processes of which the larger starts have two leaders
// only if messages are later than that; but they elect again and again.
func TestLateHalting(t *testing.T) {
	const quarter = sim.Unit / 4
	for delay := 7 * quarter; delay < 20*quarter; delay += quarter {
		c := late(bully.Algorithms()[1], []election.ID{1, 2}, delay)
		c.Initiators, c.Until = []election.ID{2}, 100*sim.Unit
		tr := watch(t, c)
		require.Equal(t, delay >= 13*quarter, len(tr.two) > 0, delay)
		require.Greater(t, tr.lines[len(tr.lines)-1].at, 90*sim.Unit, delay)
	}
}

// TestKept: with its state a process leads in another Term than before its crash.
func TestKept(t *testing.T) {
	r := outside(t)[5]
	require.Equal(t, "forgotten", r.name)
	r.config.RecoverAt, r.config.RestartAt = nil, r.config.RecoverAt
	require.Equal(t, map[uint64]int{1: 1, 2: 1}, watch(t, r.config).offices)
}

// TestShortest: of all runs of up to three processes, with delays and time-outs in quarters of a unit, two
// processes lead simultaneously exactly if an answer can come too late. The runs on the page are therefore the
// shortest: with two processes, and the delay or time-out closest to the allowed one.
func TestShortest(t *testing.T) {
	const quarter = sim.Unit / 4
	plain := bullyWith(t, bully.Config{})
	for n := range 3 {
		ids := []election.ID{1, 2, 3}[:n+1]
		for starters := 1; starters < 1<<len(ids); starters++ {
			var initiators []election.ID
			for i, id := range ids {
				if starters>>i&1 == 1 {
					initiators = append(initiators, id)
				}
			}
			alone := slices.Contains(initiators, ids[n]) // the largest announces itself before it is asked
			for k := range time.Duration(12) {
				delay := (k + 1) * quarter
				c := late(plain, ids, delay)
				c.Initiators = initiators
				if two := len(watch(t, c).two) > 0; !alone {
					require.Equal(t, 2*delay > 3*sim.Unit, two, "%v start, delay %v", initiators, delay)
				} else if 2*delay <= 3*sim.Unit {
					require.False(t, two, "%v start, delay %v", initiators, delay)
				}
				c = sim.Config{Input: scenario.Input{Algorithm: tooShort(t, delay), IDs: ids,
					Initiators: initiators}}
				if two := len(watch(t, c).two) > 0; !alone {
					require.Equal(t, delay < 2*sim.Unit, two, "%v start, time-out %v", initiators, delay)
				} else if delay >= 2*sim.Unit {
					require.False(t, two, "%v start, time-out %v", initiators, delay)
				}
			}
		}
	}
}
