package params_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// every has a target of every kind.
type every struct {
	time   time.Duration
	table  func(election.ID) time.Duration
	id     election.ID
	choice string
	wait   string
	waits  func(election.ID) time.Duration
	second bool
	yes    bool
	count  uint64
	small  uint32
	few    uint64
	leader func(election.ID) election.ID
}

func (e *every) rows() params.Table {
	return params.Table{
		{Name: "time", Role: params.DelayBound, Positive: "zero is no time", To: params.Time(&e.time)},
		{Name: "table", To: params.Times(&e.table)},
		{Name: "id", To: params.Process(&e.id)},
		{Name: "choice", To: params.Choice(&e.choice, "new", "old")},
		{Name: "wait", To: params.ChoiceOrTimes(&e.wait, &e.waits, "own", "rank")},
		{Name: "second", To: params.Either(&e.second, "first", "second")},
		{Name: "yes", To: params.Truth(&e.yes)},
		{Name: "count", To: params.Count(&e.count)},
		{Name: "small", Positive: "one at least", To: params.Count(&e.small)},
		{Name: "few", Most: 8, To: params.Count(&e.few)},
		{Name: "groups", To: params.Groups(&e.leader)},
		{Name: "elsewhere"},
	}
}

type values = map[string]params.Value

func read(v values) (every, *params.Given, error) {
	e := every{time: 7, id: 9, choice: "old", wait: "rank", yes: true, count: 3}
	g := params.New(v, time.Second, []election.ID{1, 2, math.MaxUint64})
	return e, g, e.rows().Read(g)
}

// TestRead: a value of every kind goes to its target; where none is given the target stays as it was.
func TestRead(t *testing.T) {
	got, g, err := read(nil)
	require.NoError(t, err)
	require.Equal(t, every{time: 7, id: 9, choice: "old", wait: "rank", yes: true, count: 3}, got)
	require.Equal(t, got.rows().Names(), g.Names())

	e := every{}
	byID := params.Value{ByID: map[uint64]float64{1: 2}}
	require.NoError(t, e.rows().Read(params.New(values{"time": {Number: 1.5}, "table": byID, "wait": byID,
		"id": {Text: "18446744073709551615"}, "choice": {Text: "new"}, "second": {Text: "second"},
		"yes":   {Number: 1},
		"count": {Number: 1 << 32}, "small": {Number: 1 << 32}, "few": {Number: 8},
		"groups":    {Lists: map[uint64][]uint64{2: {1}}},
		"elsewhere": {Text: "any"},
	}, time.Second, []election.ID{1, 2, math.MaxUint64})))
	for _, table := range []func(election.ID) time.Duration{e.table, e.waits} {
		require.Equal(t, 2*time.Second, table(1))
		require.Zero(t, table(2))
	}
	for id, leader := range map[election.ID]election.ID{1: 2, 2: 2, math.MaxUint64: math.MaxUint64} {
		require.Equal(t, leader, e.leader(id))
	}
	e.table, e.waits, e.leader = nil, nil, nil
	require.Equal(t, every{time: 1500 * time.Millisecond, id: math.MaxUint64, choice: "new", second: true,
		yes:   true,
		count: 1 << 32, small: math.MaxUint32, few: 8}, e)
	for text, want := range map[string]bool{"yes": true, "true": true, "no": false, "false": false} {
		require.NoError(t, e.rows().Read(params.New[uint64](values{"yes": {Text: text}}, time.Second, nil)))
		require.Equal(t, want, e.yes, text)
	}
	require.NoError(t, e.rows().Read(params.New[uint64](values{"time": {Number: 1e-12}}, time.Second, nil)))
	require.EqualValues(t, 1, e.time, "what is not zero does not become zero")
}

// TestRefused: the first value that is wrong is named, in the order of the table, then a name that has no
// row.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		values values
		want   string
	}{
		{values{"time": {Text: "soon"}}, `params.time: "soon" is not a time: a plain number of units`},
		{values{"time": {ByID: map[uint64]float64{1: 2}}},
			`params.time: a table of 1 numbers is not a time: a plain number of units`},
		{values{"time": {Number: math.NaN()}}, `params.time: NaN is not a time`},
		{values{"time": {Number: math.Inf(1)}}, `params.time: +Inf units is too long`},
		{values{"time": {Number: -1e-12}}, `params.time: -1e-12 is not a time`},
		{values{"time": {}}, `params.time: zero is no time`},
		{values{"table": {Number: 1}}, `params.table: 1 is not a table of times by process, as 1:3,2:3, or {"1": 3, "2": 3} in a file`},
		{values{"table": {ByID: map[uint64]float64{3: 1}}}, `params.table: 3 is not a process`},
		{values{"table": {ByID: map[uint64]float64{2: -1}}}, `params.table.2: -1 is not a time`},
		{values{"id": {Number: 3}}, `params.id: 3 is not a process`},
		{values{"id": {Number: 1.5}}, `params.id: 1.5 is not an id`},
		{values{"id": {}}, `params.id: 0 is not an id`},
		{values{"id": {Text: "one"}}, `params.id: "one" is not an id`},
		{values{"choice": {Text: "other"}}, `params.choice: "other" is not one of new, old`},
		{values{"wait": {Text: "long"}}, `params.wait: "long" is not one of own, rank`},
		{values{"wait": {Number: 1}}, `params.wait: 1 is not a table of times by process, as 1:3,2:3, or {"1": 3, "2": 3} in a file`},
		{values{"second": {Text: "third"}}, `params.second: "third" is not one of first, second`},
		{values{"yes": {Number: 2}}, `params.yes: 2 is neither yes nor no`},
		{values{"count": {Number: 1.5}}, `params.count: 1.5 is not a whole number from 0 to 2^32`},
		{values{"small": {}}, `params.small: one at least`},
		{values{"few": {Number: 9}}, `params.few: 9 is more than 8`},
		{values{"small": {}, "count": {Number: -1}}, `params.count: -1 is not a whole number from 0 to 2^32`},
		{values{"time": {Lists: map[uint64][]uint64{1: {}}}},
			`params.time: a table of 1 lists is not a time: a plain number of units`},
		{values{"count": {Lists: map[uint64][]uint64{}}}, `params.count: a table of 0 lists is not a whole number from 0 to 2^32`},
		{values{"id": {Lists: map[uint64][]uint64{1: {}}}}, `params.id: a table of 1 lists is not an id`},
		{values{"yes": {Lists: map[uint64][]uint64{1: {}}}}, `params.yes: a table of 1 lists is neither yes nor no`},
		{values{"table": {Lists: map[uint64][]uint64{1: {}}}}, `params.table: a table of 1 lists is not a table of times by process, as 1:3,2:3, or {"1": 3, "2": 3} in a file`},
		{values{"groups": {Number: 1}}, `params.groups: 1 is not a table of lists of processes by process, as 5:1/3,4:2, or {"5": [1, 3], "4": [2]} in a file`},
		{values{"groups": {Text: "1"}}, `params.groups: "1" is not a table of lists of processes by process, as 5:1/3,4:2, or {"5": [1, 3], "4": [2]} in a file`},
		{values{"groups": {ByID: map[uint64]float64{1: 2.5}}}, `params.groups: 2.5 is not an id`},
		{values{"groups": {ByID: map[uint64]float64{1: 3}}}, `params.groups: 3 is not a process`},
		{values{"groups": {Lists: map[uint64][]uint64{3: {1}}}}, `params.groups: 3 is not a process`},
		{values{"groups": {Lists: map[uint64][]uint64{1: {1}}}}, `params.groups: 1 is twice in them`},
		{values{"groups": {Lists: map[uint64][]uint64{1: {2}, 2: {}}}}, `params.groups: 2 is twice in them`},
		{values{"b": {}, "a": {}}, `params: "a" is not a parameter; there are ` +
			`time, table, id, choice, wait, second, yes, count, small, few, groups, elsewhere`},
	} {
		_, _, err := read(c.values)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: "+c.want)
	}
}

// TestTable: a table says which row has a role, what the times are, and sets nothing once it is a
// description.
func TestTable(t *testing.T) {
	e := every{time: 7}
	require.Equal(t, "time", e.rows().NameOf(params.DelayBound))
	require.Empty(t, e.rows().NameOf(params.MessageBudget))
	require.Equal(t, map[string]time.Duration{"time": 7}, maps.Collect(e.rows().Times()))

	require.NoError(t, e.rows().Described().Read(params.New[uint64](values{"time": {Number: 1}}, 1, nil)))
	require.EqualValues(t, 7, e.time)

	g := params.New[uint64](values{"time": {Number: 1}, "other": {}}, 1, nil)
	require.Error(t, e.rows().Read(g))
	require.NoError(t, e.rows().Read(g.For(e.rows())), "what is for another table")
	require.EqualValues(t, 1, e.time)
}

// TestKind: a description says what the value of each parameter is.
func TestKind(t *testing.T) {
	e := every{}
	var kinds []string
	for _, row := range e.rows().Described() {
		kinds = append(kinds, strings.Join(append([]string{row.To.Kind()}, row.To.Choices()...), " "))
	}
	require.Equal(t, []string{"time", "times", "process", "choice new old", "choice or times own rank",
		"choice first second", "truth", "count", "count", "count", "groups", ""}, kinds)
}

// TestDraw: the values that are drawn suit the parameters, each parameter has one in some draws and none in
// others, and every choice comes. What tools set, and what another table reads, has none.
func TestDraw(t *testing.T) {
	e := every{}
	ids := []election.ID{3, 1, math.MaxUint64}
	random := rand.New(rand.NewPCG(1, 2))
	drawn, texts := make(map[string]int), make(map[string]bool)
	const draws = 300
	for range draws {
		values := params.Draw(e.rows().Described(), ids, random.IntN)
		for name, v := range values {
			drawn[name]++
			texts[v.Text] = true
		}
		if values["small"].Number == 0 {
			delete(values, "small") // zero is drawn, and refused
		}
		require.NoError(t, e.rows().Read(params.New(values, time.Second, ids)))
	}
	for _, name := range e.rows().Names() {
		if name == "time" || name == "elsewhere" {
			require.Zero(t, drawn[name])
			continue
		}
		require.NotZero(t, drawn[name], name)
		require.NotEqual(t, draws, drawn[name], name)
	}
	for _, text := range []string{"new", "old", "own", "rank", "first", "second", "yes", "no"} {
		require.Contains(t, texts, text)
	}
}

// TestBadTables: rows that share a name or have no target are refused, not a panic, also where no value is
// given.
func TestBadTables(t *testing.T) {
	for name, to := range map[string]params.Target{
		"time": params.Time(nil), "times": params.Times[uint64](nil), "process": params.Process[uint64](nil),
		"count": params.Count[uint32](nil), "choice": params.Choice[string](nil, "a"),
		"either": params.Either(nil, "a", "b"), "truth": params.Truth(nil),
		"choice or times": params.ChoiceOrTimes(new(string), (*func(uint64) time.Duration)(nil), "a"),
		"times or choice": params.ChoiceOrTimes((*string)(nil), new(func(uint64) time.Duration), "a"),
	} {
		err := params.Table{{Name: "x", To: to}}.Read(params.New[uint64](nil, time.Second, nil))
		require.ErrorIs(t, err, input.Err, name)
		require.ErrorContains(t, err, "x: the target of its row is a nil pointer", name)
	}
	var d time.Duration
	twice := params.Table{{Name: "x", To: params.Time(&d)}, {Name: "y"}, {Name: "x"}}
	err := twice.Read(params.New[uint64](nil, time.Second, nil))
	require.EqualError(t, err, `election: bad input: params: two rows of the table are named "x"`)
}

// TestTyped: what is typed is the value that a file would hold, or an error that says where it is wrong.
func TestTyped(t *testing.T) {
	for text, want := range map[string]params.Value{
		"3": {Number: 3}, " 1e6 ": {Number: 1e6}, "-1": {Number: -1}, "1e999": {Number: math.Inf(1)},
		"all": {Text: "all"}, "NaN": {Text: "NaN"}, "18446744073709551615": {Text: "18446744073709551615"},
		"1:2.5, 3:4":  {ByID: map[uint64]float64{1: 2.5, 3: 4}},
		"5:1/ 3, 4:2": {Lists: map[uint64][]uint64{5: {1, 3}, 4: {2}}},
	} {
		got, err := params.Typed("--param x", text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	long := strings.Repeat("x", 5000)
	for text, want := range map[string]string{
		"":                ": a value is missing",
		"1:2,1:3":         "[1]: 1 is given twice",
		"1:2/3,1:2":       "[1]: 1 is given twice",
		"1:2/a":           `[0][1]: "a" is not a whole number`,
		"-1:2":            `[0]: "-1" is not a whole number`,
		"1:NaN":           `[0]: "NaN" is not a number`,
		"1:":              `[0]: "" is not a number`,
		"1:2,":            `[1]: "" is not a whole number`,
		"1:" + long:       `[0]: "` + long[:60] + `" is not a number`,
		"1:2/" + long:     `[0][1]: "` + long[:60] + `" is not a whole number`,
		long + ":" + long: `[0]: "` + long[:60] + `" is not a whole number`,
	} {
		_, err := params.Typed("--param x", text)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, "election: bad input: --param x"+want, text)
	}
}
