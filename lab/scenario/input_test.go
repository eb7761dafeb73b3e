package scenario_test

import (
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mesh"
)

// fake returns an algorithm that is only its description.
func fake(shape election.Shape) *election.Algorithm {
	return &election.Algorithm{Name: "fake", Topology: shape, Winner: election.LargestOfAll,
		New: func(election.Setup) election.Node { return silent{} }}
}

type silent struct{}

func (silent) Step(*election.Env, *election.Event) {}
func (silent) State(*election.State)               {}

// twoWay returns an algorithm for two-way rings.
func twoWay() *election.Algorithm {
	a := fake(election.Ring)
	a.TwoWay = true
	return a
}

// single returns an algorithm that allows one initiator.
func single() *election.Algorithm {
	a := fake(election.Complete)
	a.SingleInitiator = true
	a.Winner = election.LargestOfInitiators
	return a
}

func must(t topology.Topology, err error) topology.Topology {
	if err != nil {
		panic(err)
	}
	return t
}

// refusedInput is an input that Check refuses, and why. Without an algorithm it is one for lcr.
type refusedInput struct {
	name string
	in   scenario.Input
	want string
}

func requireRefused(t *testing.T, all []refusedInput) {
	t.Helper()
	for _, c := range all {
		if c.in.Algorithm == nil && c.name != "no algorithm" {
			c.in.Algorithm = lcr.Participant()
		}
		err := c.in.Check()
		assert.ErrorIs(t, err, election.ErrInput, c.name)
		assert.EqualError(t, err, prefix+c.want, c.name)
	}
}

func TestCheckRefuses(t *testing.T) {
	three := []election.ID{5, 3, 4}
	star := must(topology.New(election.Tree, 3, [][2]int{{0, 1}, {0, 2}}))
	requireRefused(t, []refusedInput{
		{"no algorithm", scenario.Input{IDs: three}, "algorithm: missing"},
		{"no processes", scenario.Input{}, "ids: at least one process is required"},
		{"too many", scenario.Input{IDs: make([]election.ID, scenario.MaxProcesses+1)},
			"ids: 33554433 processes, at most 33554432 can be run"},
		{"ID zero", scenario.Input{IDs: []election.ID{1, 0, 2}}, "ids[1]: 0 is not a valid id"},
		{"duplicate", scenario.Input{IDs: []election.ID{9, 7, 8, 7}},
			"ids[3]: 7 is already the id of ids[1]"},
		{"duplicate that rises", scenario.Input{IDs: []election.ID{7, 7}},
			"ids[1]: 7 is already the id of ids[0]"},
		{"few priorities", scenario.Input{IDs: three, Priorities: []uint64{1, 2}}, "priorities: 2 for 3 ids"},
		{"no priorities", scenario.Input{IDs: three, Priorities: []uint64{}}, "priorities: 0 for 3 ids"},
		{"another shape", scenario.Input{IDs: three, Topology: must(topology.Complete(3))},
			"topology: lcr/participant needs a ring, not a complete graph"},
		{"a tree is no ring", scenario.Input{IDs: three, Topology: star},
			"topology: lcr/participant needs a ring, not a tree"},
		{"another size", scenario.Input{IDs: three, Topology: must(topology.Ring(4, true))},
			"topology: 4 processes for 3 ids"},
		{"one-way", scenario.Input{Algorithm: twoWay(), IDs: three, Topology: must(topology.Ring(3, true))},
			"topology: fake needs a two-way ring"},
		{"a graph is no tree", scenario.Input{Algorithm: fake(election.Tree), IDs: three,
			Topology: must(topology.New(election.Graph, 3, [][2]int{{0, 1}, {0, 2}}))},
			"topology: fake needs a tree, not a graph"},
		{"no mesh", scenario.Input{Algorithm: fake(election.Mesh), IDs: three},
			"topology: fake needs a mesh, and 3 processes do not form a mesh of at least 3 x 3"},
		{"no hypercube", scenario.Input{Algorithm: fake(election.Hypercube), IDs: three},
			"topology: fake needs a hypercube, whose processes are a power of two up to 2^25, not 3"},
		{"no root", scenario.Input{Algorithm: fromRoot(), IDs: three, Topology: star},
			"topology: fake needs a tree with a root"},
		{"start times", scenario.Input{IDs: three, StartTimes: make([]time.Duration, 2)},
			"start_times: 2 for 3 initiators"},
		{"start times of some", scenario.Input{IDs: three, Initiators: three[:1],
			StartTimes: make([]time.Duration, 2)},
			"start_times: 2 for 1 initiators"},
		{"start time", scenario.Input{IDs: three, StartTimes: []time.Duration{0, -1, 0}},
			"start_times[1]: -0.000000001 is less than 0"},
		{"a single initiator", scenario.Input{Algorithm: single(), IDs: three, Initiators: three[:2]},
			"initiators: fake allows one, not 2; by default the root of a tree starts, starts, or else " +
				"the first process"},
		{"start times of a single initiator", scenario.Input{Algorithm: single(), IDs: three,
			StartTimes: make([]time.Duration, 3)}, "start_times: 3 given, but fake allows one initiator"},
		{"initiator", scenario.Input{IDs: three, Initiators: []election.ID{3, 6}},
			"initiators[1]: 6 is not a process"},
		{"initiator again", scenario.Input{IDs: three, Initiators: []election.ID{3, 4, 3}},
			"initiators[2]: 3 is listed twice"},
	})
}

func TestCheckRefusesFaults(t *testing.T) {
	three := []election.ID{5, 3, 4}
	requireRefused(t, []refusedInput{
		{"crashed", scenario.Input{IDs: three, Crashed: []election.ID{6}}, "crashed[0]: 6 is not a process"},
		{"crashed again", scenario.Input{IDs: three, Crashed: []election.ID{4, 4}},
			"crashed[1]: 4 is listed twice"},
		{"crash", scenario.Input{IDs: three, CrashAt: []scenario.At{{ID: 3}, {ID: 6}}},
			"crash_at[1]: 6 is not a process"},
		{"crash time", scenario.Input{IDs: three, CrashAt: []scenario.At{{ID: 3, Time: -1}}},
			"crash_at[0]: -0.000000001 is less than 0"},
		{"recovery", scenario.Input{IDs: three, RecoverAt: []scenario.At{{ID: 6}}},
			"recover_at[0]: 6 is not a process"},
		{"restart", scenario.Input{IDs: three, RestartAt: []scenario.At{{ID: 6}}},
			"restart_at[0]: 6 is not a process"},
		{"pause", scenario.Input{IDs: three, PauseAt: []scenario.Pause{{ID: 3, Until: 1}, {ID: 6, Until: 1}}},
			"pause_at[1]: 6 is not a process"},
		{"pause time", scenario.Input{IDs: three, PauseAt: []scenario.Pause{{ID: 3, From: -1, Until: 1}}},
			"pause_at[0]: -0.000000001 is less than 0"},
		{"pause that ends", scenario.Input{IDs: three,
			PauseAt: []scenario.Pause{{ID: 3, From: time.Second, Until: time.Second}}},
			"pause_at[0]: 1 is not after the beginning of the pause, 1"},
		{"loss", scenario.Input{IDs: three, Faults: fault.Plan{Loss: 2}},
			"loss: 2 is not a probability, from 0 to 1"},
		{"partition", scenario.Input{IDs: three,
			Faults: fault.Plan{Partitions: []fault.Partition{{Groups: [][]election.ID{{6}}}}}},
			"partitions[0].groups[0][0]: 6 is not a process"},
		{"partition time", scenario.Input{IDs: three, Faults: fault.Plan{Partitions: []fault.Partition{
			{From: 5 * scenario.Unit, Until: 3 * scenario.Unit, Groups: [][]election.ID{{3}}}}}},
			"partitions[0].until: 3 is not after the beginning of the partition, 5"},
		{"recovery time", scenario.Input{IDs: three, RecoverAt: []scenario.At{{ID: 3, Time: -time.Second}}},
			"recover_at[0]: -1 is less than 0"},
	})
}

func TestCheckCompletes(t *testing.T) {
	ids := []election.ID{5, 3, 4}
	for _, c := range []struct {
		algorithm *election.Algorithm
		topology  topology.Topology
		shape     election.Shape
		oneWay    bool
		starts    int
	}{
		{lcr.Max(), nil, election.Ring, true, 3},
		{lcr.Max(), must(topology.Ring(3, false)), election.Ring, false, 3},
		{twoWay(), nil, election.Ring, false, 3},
		{single(), nil, election.Complete, false, 1},
		{fake(election.Graph), must(topology.New(election.Tree, 3, [][2]int{{0, 1}, {0, 2}})), election.Tree,
			false, 3},
	} {
		in := scenario.Input{Algorithm: c.algorithm, IDs: ids, Topology: c.topology}
		require.NoError(t, in.Check())
		require.Equal(t, c.shape, in.Topology.Shape())
		require.Equal(t, c.oneWay, in.Topology.OneWay())
		require.Equal(t, c.starts, in.Starts())
		require.NoError(t, in.Check(), "an input that was completed is complete")
	}
	in := scenario.Input{Algorithm: lcr.Max(), IDs: ids, Initiators: []election.ID{}, Crashed: ids,
		CrashAt:   []scenario.At{{ID: 3, Time: 1}, {ID: 3, Time: 3}},
		RecoverAt: []scenario.At{{ID: 3, Time: 2}}}
	require.NoError(t, in.Check())
	require.Zero(t, in.Starts())
}

// TestOnlyProcess: it is the root of the tree that it is.
func TestOnlyProcess(t *testing.T) {
	in := scenario.Input{Algorithm: fromRoot(), IDs: []election.ID{7},
		Topology: must(topology.New(election.Tree, 1, nil))}
	require.NoError(t, in.Check())
	require.Zero(t, in.Topology.(topology.Rooted).Root())
}

func TestInputIsAView(t *testing.T) {
	in := scenario.Input{Algorithm: fake(election.Complete), IDs: []election.ID{5, 3, 4},
		Priorities: []uint64{1, 2, 8}}
	require.NoError(t, in.Check())
	require.Equal(t, election.Rank{Priority: 2, ID: 3}, in.Self(1))
	require.Equal(t, 2, in.Ports(1))
	require.Equal(t, in.Self(2), in.Peer(1, 0), "in the order of the ids")
	require.Equal(t, in.Self(0), in.Peer(1, 1))
	require.Zero(t, in.Peer(1, 2), "no such port")
	require.Equal(t, cost.Widths{ID: 3, Priority: 4, N: 2, LogN: 2}, in.Widths())
	node := in.Node(0)
	require.Equal(t, silent{}, node.Node())

	in = scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{5, 3}}
	require.NoError(t, in.Check())
	require.Equal(t, election.Rank{ID: 3}, in.Self(1))
	require.Zero(t, in.Peer(1, 0), "on a ring a process knows only itself")
	require.Zero(t, in.Widths().Priority)
}

func TestExpected(t *testing.T) {
	ids := []election.ID{5, 3, 9, 4}
	late := []time.Duration{0, 1}
	corners := fake(election.Ring)
	corners.Winner = mesh.Algorithm().Winner
	for _, c := range []struct {
		name string
		in   scenario.Input
		want election.ID
	}{
		{"all", scenario.Input{Algorithm: lcr.Participant()}, 9},
		{"priorities", scenario.Input{Algorithm: lcr.Max(), Priorities: []uint64{1, 2, 0, 2}}, 4},
		{"some start", scenario.Input{Algorithm: lcr.Max(), Initiators: ids[:2], StartTimes: late}, 9},
		{"no initiators", scenario.Input{Algorithm: lcr.Max(), Initiators: []election.ID{}}, 0},
		{"initiators", scenario.Input{Algorithm: lcr.Initiators(), Initiators: ids[:2]}, 5},
		{"all are initiators", scenario.Input{Algorithm: lcr.Initiators()}, 9},
		{"late initiators", scenario.Input{Algorithm: lcr.Initiators(), Initiators: ids[:2],
			StartTimes: late}, 0},
		{"the first initiates", scenario.Input{Algorithm: single()}, 5},
		{"a chosen one initiates", scenario.Input{Algorithm: single(), Initiators: ids[1:2]}, 3},
		{"a crash", scenario.Input{Algorithm: lcr.Max(), Crashed: ids[:1]}, 0},
		{"a restart", scenario.Input{Algorithm: lcr.Max(), RestartAt: []scenario.At{{ID: 5}}}, 0},
		{"a pause", scenario.Input{Algorithm: lcr.Max(), PauseAt: []scenario.Pause{{ID: 5, Until: 1}}}, 0},
		{"a loss", scenario.Input{Algorithm: lcr.Max(), Faults: fault.Plan{Loss: 0.1}}, 0},
		{"a partition", scenario.Input{Algorithm: lcr.Max(),
			Faults: fault.Plan{Partitions: []fault.Partition{{Groups: [][]election.ID{{5}}}}}}, 0},
		{"corners", scenario.Input{Algorithm: corners}, 9},
	} {
		c.in.IDs = ids
		require.NoError(t, c.in.Check(), c.name)
		must := c.in.Expected()
		assert.Equal(t, c.want, must.ID, c.name)
		assert.Equal(t, c.want != 0, must.Rule != "", c.name)
	}
}

// TestElected: all must follow the process that must lead, where that is known.
func TestElected(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	require.NoError(t, in.Check())
	r := verdict.Result{Live: 3, Leader: 2, Claimants: 1, Agreed: true, Terminated: true}
	require.EqualError(t, in.Elected(&r), "process 2 leads, not 3, which is the largest of all")
	in.Crashed = []election.ID{3}
	require.NoError(t, in.Elected(&r), "the winner by the rule is down: any leader will do")
	in.Crashed, r.Leader = nil, 3
	require.NoError(t, in.Elected(&r))
	r.Terminated = false
	require.ErrorIs(t, in.Elected(&r), verdict.ErrNoLeader)
}

// TestExpectedUnchecked: an Input that was not checked is checked here; of one that is wrong, nothing is
// expected.
func TestExpectedUnchecked(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 3, 2}}
	require.Equal(t, election.ID(3), in.Expected().ID)
	require.Nil(t, in.Topology, "it is the caller's to complete")
	for _, bad := range []scenario.Input{{}, {Algorithm: lcr.Max()}, {IDs: in.IDs},
		{Algorithm: lcr.Max(), IDs: []election.ID{1, 1}}} {
		require.Zero(t, bad.Expected())
	}
}

// TestExpectedAfterCrashes: of those that are up in the end, if the algorithm survives what goes wrong.
func TestExpectedAfterCrashes(t *testing.T) {
	rules, ring := bully.Algorithms()[0], lcr.Max()
	over, err := ring.OverComplete()
	require.NoError(t, err)
	at := func(id election.ID) []scenario.At { return []scenario.At{{ID: id, Time: time.Second}} }
	later := func(id election.ID) []scenario.At { return []scenario.At{{ID: id, Time: 2 * time.Second}} }
	for name, c := range map[string]struct {
		in   scenario.Input
		want election.ID
	}{
		"down at first": {scenario.Input{Algorithm: rules, Crashed: []election.ID{4}}, 3},
		"crashes": {scenario.Input{Algorithm: rules, Crashed: []election.ID{4}, CrashAt: at(3)},
			2},
		"comes back":            {scenario.Input{Algorithm: rules, CrashAt: at(4), RecoverAt: later(4)}, 4},
		"comes back with state": {scenario.Input{Algorithm: rules, CrashAt: at(4), RestartAt: later(4)}, 4},
		"a ring does not end":   {scenario.Input{Algorithm: ring, CrashAt: at(1)}, 0},
		"without a detector":    {scenario.Input{Algorithm: over, CrashAt: at(4)}, 0},
		"with a detector":       {scenario.Input{Algorithm: over, CrashAt: at(4), SuspectAfter: 1}, 3},
		"links that lose":       {scenario.Input{Algorithm: rules, Faults: fault.Plan{Loss: 0.1}}, 0},
		"a pause": {scenario.Input{Algorithm: rules,
			PauseAt: []scenario.Pause{{ID: 4, Until: 1}}}, 0},
	} {
		c.in.IDs = []election.ID{1, 3, 2, 4}
		require.Equal(t, c.want, c.in.Expected().ID, name)
	}
}

// TestExpectedOfLateStarts: where the initiators compete, all must start at once for the winner to be known.
func TestExpectedOfLateStarts(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Initiators(), IDs: []election.ID{1, 3, 2}}
	require.Equal(t, election.ID(3), in.Expected().ID)
	in.StartTimes = make([]time.Duration, 3)
	require.Equal(t, election.ID(3), in.Expected().ID, "all at zero")
	in.StartTimes[1] = 1
	require.Zero(t, in.Expected())
}

// TestStartersAreACopy: to append to them does not change the IDs.
func TestStartersAreACopy(t *testing.T) {
	for _, a := range []*election.Algorithm{single(), fromRoot()} {
		in := scenario.Input{Algorithm: a, IDs: []election.ID{1, 2, 3}}
		require.NoError(t, in.Check())
		require.Equal(t, []election.ID{1, 9}, append(in.Starters(), 9))
		require.Equal(t, []election.ID{1, 2, 3}, in.IDs)
	}
}

// TestRanksAndWidths: the Ranks are those of all, and the Widths those of the largest.
func TestRanksAndWidths(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{5, 3}, Priorities: []uint64{0, 9}}
	require.NoError(t, in.Check())
	require.Equal(t, []election.Rank{{ID: 5}, {ID: 3, Priority: 9}}, in.Ranks())
	alone := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{5}}
	without := alone.Widths()
	alone.Priorities = []uint64{7}
	require.NotEqual(t, without, alone.Widths())
}

// TestDelays: which delays can be, and how long a message takes then.
func TestDelays(t *testing.T) {
	unit := scenario.Unit
	for delay, longest := range map[scenario.Delay]time.Duration{
		{Distribution: scenario.Exponential, Mean: 1}:    scenario.LongestMeans,
		{Distribution: scenario.Exponential, Mean: unit}: scenario.LongestMeans * unit,
		{Min: unit, Max: unit}:                           unit,
		{Max: 1}:                                         1,
		{Distribution: scenario.Uniform, Min: 1, Max: 2}: 2,
	} {
		require.Equal(t, longest, delay.Longest())
		s := scenario.Scenario{Algorithm: "lcr", IDs: []election.ID{1, 2}, Schedule: scenario.RandomDelay,
			Delay: &delay}
		_, err := s.Input(catalog.Find)
		require.NoError(t, err, "%+v", delay)
	}
}

// TestRefusedInFiles: more that no file can say.
func TestRefusedInFiles(t *testing.T) {
	for file, want := range map[string]string{
		`{"algorithm": "mutex", "variant": "tokenring", "ids": [1, 2], "expect": {"entry_order": [1, 3]}}`: "expect.entry_order[1]: 3 is not a process",
		`{"algorithm": "mutex", "variant": "tokenring", "ids": [1, 2], "expect": {"entries": [[1, 3]]}}`:   "expect.entries[0]: 3 is not a process",
		`{"algorithm": "mutex", "variant": "tokenring", "ids": [1, 2], "expect": {"entry_order": [2, 1]}}`: "",
		`{"algorithm": "mutex", "variant": "tokenring", "ids": [1, 2], "expect": {"entries": [[1, 2]]}}`:   "",
		`{"algorithm": "lcr", "ids": [1, 2], "partitions": [{"groups": [[1]], "until": 0}]}`:               "0 is too small; omit it if the partition",
		`{"algorithm": "treeelect", "ids": [1, 2, 3], "topology": {"kind": "tree", "parent": {"3": 1}}}`:   "1 and 2 have no parent, but a tree has one root",
	} {
		all, err := scenario.Read(strings.NewReader(file))
		if err == nil {
			_, err = all[0].Input(catalog.Find)
		}
		if want == "" {
			require.NoError(t, err, file)
		} else {
			require.ErrorContains(t, err, want, file)
		}
	}
	const third = (1<<bits.UintSize + 5) / 3 // three times that is five, if it overflows
	for _, l := range []scenario.Links{{Rows: third, Cols: 3}, {Rows: 3, Cols: third}} {
		l.Kind = election.Mesh
		s := scenario.Scenario{Algorithm: "mesh", IDs: []election.ID{1, 2, 3, 4, 5}, Topology: &l}
		_, err := s.Input(catalog.Find)
		require.ErrorContains(t, err, "does not have 5 processes")
	}
	two := must(topology.New(election.Tree, 2, [][2]int{{0, 1}}))
	requireRefused(t, []refusedInput{
		{"first zero", scenario.Input{IDs: []election.ID{0, 1}}, "ids[0]: 0 is not a valid id"},
		{"one start time", scenario.Input{IDs: []election.ID{1, 2, 3}, StartTimes: make([]time.Duration, 1)},
			"start_times: 1 for 3 initiators"},
		{"no root of two", scenario.Input{Algorithm: fromRoot(), IDs: []election.ID{1, 2}, Topology: two},
			"topology: fake needs a tree with a root"},
	})
}

// TestMostProcesses: an Input of as many processes as may be is refused for another reason only, here a
// missing ID. One more is too many.
func TestMostProcesses(t *testing.T) {
	// Memory that is not written to takes no room.
	in := scenario.Input{Algorithm: single(), IDs: make([]election.ID, scenario.MaxProcesses+1)}
	require.ErrorContains(t, in.Check(), "ids: 33554433 processes, at most 33554432 can be run")
	in.IDs = in.IDs[1:]
	require.ErrorContains(t, in.Check(), "ids[0]: 0 is not a valid id")
}
