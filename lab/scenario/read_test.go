package scenario_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/params"
)

// prefix is how errors about an input begin.
const prefix = "election: bad input: "

// What is refused, and in which words.
var (
	long  = strings.Repeat("7", 5000)
	shown = long[:40] + "..."
)

func TestReadMalformed(t *testing.T) {
	for _, table := range []map[string]string{notJSON, notScenarios, wrongTypes, wrongNumbers, wrongTimes,
		wrongParams} {
		for text, want := range table {
			_, err := scenario.Read(strings.NewReader(text))
			assert.ErrorIs(t, err, election.ErrInput, "%.100q", text)
			assert.EqualError(t, err, prefix+want, "%.100q", text)
		}
	}
}

// Texts that are not JSON: encoding/json finds the place.
var notJSON = map[string]string{
	``:                             `the input is empty`,
	" \n\t":                        `the input is empty`,
	"\xef\xbb\xbf":                 `the input is empty`,
	`{} {}`:                        `line 1, column 4: invalid character '{' after top-level value`,
	"[{}]\n\nx":                    `line 3, column 1: invalid character 'x' after top-level value`,
	`{`:                            `line 1, column 2: unexpected end of JSON input`,
	`{"ids": [1`:                   `line 1, column 11: unexpected end of JSON input`,
	`{"ids": [1,]}`:                `line 1, column 12: invalid character ']' looking for beginning of value`,
	`{seed: 1}`:                    `line 1, column 2: invalid character 's' looking for beginning of object key string`,
	`{"ids": [NaN]}`:               `line 1, column 10: invalid character 'N' looking for beginning of value`,
	`{"ids": [01]}`:                `line 1, column 11: invalid character '1' after array element`,
	`{"fifo": tru}`:                `line 1, column 13: invalid character '}' in literal true (expecting 'e')`,
	"{\"name\": \"é\x01\"}":        `line 1, column 12: invalid character '\x01' in string literal`,
	"{\"name\": \"é\xff\"}":        `line 1, column 12: invalid UTF-8`,
	`{"name": "\x"}`:               `line 1, column 12: invalid character 'x' in string escape code`,
	"{\n \"name\":\r\n\t\"é\", x}": `line 3, column 7: invalid character 'x' looking for beginning of object key string`,
	strings.Repeat("[", 1<<20):     `line 1, column 10001: invalid character '[' exceeded max depth`,
}

// JSON that is no scenario.
var notScenarios = map[string]string{
	`[]`:                          `the list is empty`,
	`12`:                          `12 is not a scenario or a list of them`,
	`null`:                        `null is not a scenario or a list of them`,
	`"a"`:                         `"a" is not a scenario or a list of them`,
	`[{}, 7]`:                     `scenario[1]: 7 is not an object`,
	`{"nmae": 1}`:                 `scenario.nmae: unknown field`,
	`{"Name": 1}`:                 `scenario.Name: unknown field`,
	`[{}, {"topology": {"n":1}}]`: `scenario[1].topology.n: unknown field`,
	`{"a b\n": 1}`:                `scenario["a b\n"]: unknown field`,
	`{"": 1}`:                     `scenario[""]: unknown field`,
	`{"` + long + `": 1}`:         `scenario["` + shown + `"]: unknown field`,
	`{"ids": [1], "ids": [1]}`:    `scenario.ids: given twice`,
	`{"ids": [1], "i\u0064s": 2}`: `scenario.ids: given twice`,
	`{"delay": {"x": 1}}`:         `scenario.delay.x: unknown field`,
	`{"expect": {"x": 1}}`:        `scenario.expect.x: unknown field`,
	`{"x": {"x": {"x": 1}}}`:      `scenario.x: unknown field`,
}

// Values of another type than their field.
var wrongTypes = map[string]string{
	`{"name": }`:                         `line 1, column 10: invalid character '}' looking for beginning of value`,
	`{"name": null}`:                     `scenario.name: null is not a text`,
	`{"name": 1}`:                        `scenario.name: 1 is not a text`,
	`{"name": ["a"]}`:                    `scenario.name: a list is not a text`,
	`{"algorithm": {}}`:                  `scenario.algorithm: an object is not a text`,
	`{"ids": null}`:                      `scenario.ids: null is not a list`,
	`{"ids": "1,2"}`:                     `scenario.ids: "1,2" is not a list`,
	`{"ids": {"1": 2}}`:                  `scenario.ids: an object is not a list`,
	`{"fifo": 1}`:                        `scenario.fifo: 1 is not true or false`,
	`{"fifo": null}`:                     `scenario.fifo: null is not true or false`,
	`{"any_schedule": "yes"}`:            `scenario.any_schedule: "yes" is not true or false`,
	`{"topology": "ring"}`:               `scenario.topology: "ring" is not an object`,
	`{"topology": null}`:                 `scenario.topology: null is not an object`,
	`{"expect": []}`:                     `scenario.expect: a list is not an object`,
	`{"expect": {"messages": null}}`:     `scenario.expect.messages: null is not a number of messages`,
	`{"expect": {"by_kind": null}}`:      `scenario.expect.by_kind: null is not an object`,
	`{"expect": {"by_kind": {"a": -1}}}`: `scenario.expect.by_kind.a: -1 is not a number of messages`,
	`{"expect": {"leader": "none"}}`:     `scenario.expect.leader: "none" is not an id`,
	`{"expect": {"leader": nil}}`:        `line 1, column 24: invalid character 'i' in literal null (expecting 'u')`,
	`{"schedule": 1}`:                    `scenario.schedule: 1 is not a schedule (unit, random, hand)`,
	`{"property": "one leader per Term"}`: `scenario.property: "one leader per Term" is not a property (sound, accepted, one-leader-a-term, right-leader, ` +
		`agreement-in-term, no-change, exclusive, tokens-increase, one-lease, terms-increase, voters-follow, groups-once, bounded, rests, agreement, agreement-in-groups, right-leader-at-end, terminated, ` +
		`served, ends, leads, enters)`,
	`{"schedule": "replay"}`:           `scenario.schedule: "replay" is not a schedule (unit, random, hand)`,
	`{"delay": {"distribution": "a"}}`: `scenario.delay.distribution: "a" is not a distribution (uniform, exponential)`,
	`[{}, {}, {"topology": {"kind": "rinng"}}]`: `scenario[2].topology.kind: "rinng" is not a topology ` +
		`(ring, complete, tree, graph, hypercube, mesh)`,
}

// Ids and other whole numbers that are none.
var wrongNumbers = map[string]string{
	`{"ids": [1, 2, 3, -1]}`:            `scenario.ids[3]: -1 is not an id`,
	`{"ids": [0]}`:                      `scenario.ids[0]: 0 is not a valid id`,
	`{"ids": ["0"]}`:                    `scenario.ids[0]: 0 is not a valid id`,
	`{"ids": [1.5]}`:                    `scenario.ids[0]: 1.5 is not an id`,
	`{"ids": [1e3]}`:                    `scenario.ids[0]: 1e3 is not an id`,
	`{"ids": [-0]}`:                     `scenario.ids[0]: -0 is not an id`,
	`{"ids": [""]}`:                     `scenario.ids[0]: "" is not an id`,
	`{"ids": ["007"]}`:                  `scenario.ids[0]: "007" is not an id`,
	`{"ids": [" 7"]}`:                   `scenario.ids[0]: " 7" is not an id`,
	`{"ids": ["alice\u2028"]}`:          `scenario.ids[0]: "alice\u2028" is not an id`,
	`{"ids": [true]}`:                   `scenario.ids[0]: true is not an id`,
	`{"ids": [[1]]}`:                    `scenario.ids[0]: a list is not an id`,
	`{"ids": [18446744073709551616]}`:   `scenario.ids[0]: 18446744073709551616 is larger than 18446744073709551615`,
	`{"ids": ["18446744073709551616"]}`: `scenario.ids[0]: 18446744073709551616 is larger than 18446744073709551615`,
	`{"ids": [` + long + `]}`: `scenario.ids[0]: ` + shown +
		` is larger than 18446744073709551615`,
	`{"ids": ["` + long + `x"]}`:           `scenario.ids[0]: "` + shown + `" is not an id`,
	`{"priorities": [-2]}`:                 `scenario.priorities[0]: -2 is not a priority`,
	`{"topology": {"weights": [3.5]}}`:     `scenario.topology.weights[0]: 3.5 is not a weight`,
	`{"expect": {"leaders": null}}`:        `scenario.expect.leaders: null is not a number of leaders`,
	`{"seed": 0.5}`:                        `scenario.seed: 0.5 is not a seed`,
	`{"initiators": [0]}`:                  `scenario.initiators[0]: 0 is not a valid id`,
	`{"initiators": null}`:                 `scenario.initiators: null is not a list`,
	`{"crashed": ["x"]}`:                   `scenario.crashed[0]: "x" is not an id`,
	`{"topology": {"edges": [[1]]}}`:       `scenario.topology.edges[0]: a list of 1 is not a pair of ids`,
	`{"topology": {"edges": [[1, 2, 3]]}}`: `scenario.topology.edges[0]: a list of more than 2 elements`,
	`{"topology": {"parent": {"x": 1}}}`:   `scenario.topology.parent.x: "x" is not an id`,
	`{"topology": {"parent": {"0": 1}}}`:   `scenario.topology.parent.0: "0" is not an id`,
	`{"topology": {"dimension": -1}}`:      `scenario.topology.dimension: -1 is not a dimension`,
	`{"topology": {"rows": 99999999}}`:     `scenario.topology.rows: 99999999 is more than 33554432`,
}

// Times that are none.
var wrongTimes = map[string]string{
	`{"start_times": [-1]}`:               `scenario.start_times[0]: -1 is not a time`,
	`{"start_times": [-1e-9]}`:            `scenario.start_times[0]: -1e-9 is not a time`,
	`{"start_times": ["1"]}`:              `scenario.start_times[0]: "1" is not a time`,
	`{"start_times": [1000000.1]}`:        `scenario.start_times[0]: 1000000.1 is longer than 1000000 units`,
	`{"start_times": [1e999]}`:            `scenario.start_times[0]: 1e999 is longer than 1000000 units`,
	`{"start_times": [-1e999]}`:           `scenario.start_times[0]: -1e999 is not a time`,
	`{"crash_at": [[1, null]]}`:           `scenario.crash_at[0][1]: null is not a time`,
	`{"crash_at": [1, 2]}`:                `scenario.crash_at[0]: 1 is not a list`,
	`{"suspect_after": 0}`:                `scenario.suspect_after: 0 is too small; omit it if no failure detector reports crashes`,
	`{"suspect_after": -1}`:               `scenario.suspect_after: -1 is not a time`,
	`{"recover_at": [[1, 0], []]}`:        `scenario.recover_at[1]: a list of 0 is not a pair [id, time]`,
	`{"restart_at": [[0, 1]]}`:            `scenario.restart_at[0][0]: 0 is not a valid id`,
	`{"pause_at": [[1, 2]]}`:              `scenario.pause_at[0]: a list of 2 is not a list [id, from, until]`,
	`{"pause_at": [[1, 2, "3"]]}`:         `scenario.pause_at[0][2]: "3" is not a time`,
	`{"pause_at": [[1, 2, 3, 4]]}`:        `scenario.pause_at[0]: a list of more than 3 elements`,
	`{"loss": 1.5}`:                       `scenario.loss: 1.5 is not a probability, from 0 to 1`,
	`{"duplicate": -0.1}`:                 `scenario.duplicate: -0.1 is not a probability`,
	`{"reorder": "often"}`:                `scenario.reorder: "often" is not a probability`,
	`{"loss": 0.1, "loss": 0.1}`:          `scenario.loss: given twice`,
	`{"partitions": {}}`:                  `scenario.partitions: an object is not a list`,
	`{"partitions": [[]]}`:                `scenario.partitions[0]: a list is not an object`,
	`{"partitions": [{"to": 1}]}`:         `scenario.partitions[0].to: unknown field`,
	`{"partitions": [{"from": -1}]}`:      `scenario.partitions[0].from: -1 is not a time`,
	`{"partitions": [{}, {"groups": 1}]}`: `scenario.partitions[1].groups: 1 is not a list`,
	`{"partitions": [{"groups": [[0]]}]}`: `scenario.partitions[0].groups[0][0]: 0 is not a valid id`,
	`{"partitions": [{"one_way": 1}]}`:    `scenario.partitions[0].one_way: 1 is not true or false`,
	`{"expect": {"entries": [[1, 0]]}}`:   `scenario.expect.entries[0][1]: 0 is not a valid id`,
	`{"expect": {"entry_order": [1, 0]}}`: `scenario.expect.entry_order[1]: 0 is not a valid id`,
}

// Parameters that can be none.
var wrongParams = map[string]string{
	`{"params": {"a": null}}`:              `scenario.params.a: null is not a parameter (a number, a text, numbers or lists by id)`,
	`{"params": {"a": 1.}}`:                `line 1, column 20: invalid character '}' after decimal point in numeric literal`,
	`{"params": {"a": ""}}`:                `scenario.params.a: "" is not a parameter`,
	`{"params": {"a": -1}}`:                `scenario.params.a: -1 is not a parameter (a number, a text, numbers or lists by id)`,
	`{"params": {"a": 9007199254740994}}`:  `scenario.params.a: 9007199254740994 is larger than 9007199254740992`,
	`{"params": {"a": 1e999}}`:             `scenario.params.a: 1e999 is larger than 9007199254740992`,
	`{"params": {"a": {"1": {"1": {}}}}}`:  `scenario.params.a.1: an object is not a number`,
	`{"params": {"a": {"1": 1, "2": []}}}`: `scenario.params.a.2: numbers and lists in one table`,
	`{"params": {"a": {"1": [], "2": 1}}}`: `scenario.params.a.2: numbers and lists in one table`,
	`{"params": {"a": {"1": [0]}}}`:        `scenario.params.a.1[0]: 0 is not a valid id`,
	`{"params": {"a": {"b": 1}}}`:          `scenario.params.a.b: "b" is not an id`,
	`{"params": {"a": {"1": 1, "1": 1}}}`:  `scenario.params.a.1: given twice`,
	`{"params": {` + names(257) + `}}`:     `scenario.params.k256: more than 256 fields`,
	`{"params": {"a": 1, "a": 1, "b": 1}}`: `scenario.params.a: given twice`,
}

// names returns n fields of an object.
func names(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"k%d": 1`, i))
	}
	return strings.Join(all, ",")
}

func TestReadFails(t *testing.T) {
	broken := errors.New("the disk is broken")
	_, err := scenario.Read(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, err, election.ErrInput)
	require.EqualError(t, err, prefix+"it cannot be read: the disk is broken")
}

func TestReadEverything(t *testing.T) {
	const text = "\xef\xbb\xbf" +
		`{"name": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é", "algorithm": "lcr", "variant": "max",
		"topology": {"kind": "ring", "bidirectional": true},
		"ids": [3, "1", 18446744073709551615, "18446744073709551614"], "priorities": [0, "7", 2, 3],
		"initiators": [], "start_times": [0, -0, 0.1, 1e6, 1e-400, 2.5E+0], "crashed": [3],
		"crash_at": [[1, 2.000000001]], "recover_at": [[1, 3]],
		"schedule": "random", "seed": "18446744073709551615",
		"delay": {"distribution": "uniform", "min": 1, "max": 2, "mean": 0},
		"fifo": false, "params": {"a": 1.5, "b": "all", "c": {"1": 2}, "d": {}, "e": 0.0000001,
		"f": {"1": [2, "3"], "7": []}},
		"any_schedule": true,
		"expect": {"leader": null, "messages": 0, "by_kind": {}, "time": 0.5, "entry_order": [],
		"entries": [[1, 2]]},
		"property": "no-change", "note": ""}`
	all, err := scenario.Read(strings.NewReader(text))
	require.NoError(t, err)
	yes, no := true, false
	zero, noID, half := uint64(0), election.ID(0), scenario.Unit/2
	want := &scenario.Scenario{
		Name: "\"\\/\b\f\n\r\té😀é", Algorithm: "lcr", Variant: "max",
		Topology: &scenario.Links{Kind: election.Ring, Bidirectional: &yes},
		IDs:      []election.ID{3, 1, 1<<64 - 1, 1<<64 - 2}, Priorities: []uint64{0, 7, 2, 3},
		Initiators: []election.ID{},
		StartTimes: []time.Duration{0, 0, scenario.Unit / 10, 1e6 * scenario.Unit, 0, 5 * scenario.Unit / 2},
		Crashed:    []election.ID{3},
		CrashAt:    []scenario.At{{ID: 1, Time: 2*scenario.Unit + 1}},
		RecoverAt:  []scenario.At{{ID: 1, Time: 3 * scenario.Unit}},
		Schedule:   "random", Seed: 1<<64 - 1,
		Delay: &scenario.Delay{Distribution: "uniform", Min: scenario.Unit, Max: 2 * scenario.Unit},
		FIFO:  &no, AnySchedule: true, Property: verdict.NoChange,
		Params: map[string]params.Value{
			"a": {Number: 1.5}, "b": {Text: "all"}, "c": {ByID: map[uint64]float64{1: 2}},
			"d": {ByID: map[uint64]float64{}}, "e": {Number: 1e-7},
			"f": {Lists: map[uint64][]uint64{1: {2, 3}, 7: {}}},
		},
		Expect: &scenario.Expect{
			Leader: &noID, Messages: &zero, ByKind: map[string]uint64{}, Time: &half,
			EntryOrder: []election.ID{}, Entries: []scenario.At{{ID: 2, Time: scenario.Unit}},
		},
	}
	require.Equal(t, []*scenario.Scenario{want}, all)
	roundTrip(t, all)
}

// roundTrip wants scenarios to be the same once written and read again, and to be written in the
// same way then.
func roundTrip(t *testing.T, all []*scenario.Scenario) {
	t.Helper()
	var first, second bytes.Buffer
	require.NoError(t, scenario.Write(&first, all...))
	again, err := scenario.Read(bytes.NewReader(first.Bytes()))
	require.NoError(t, err, "%.1000s", &first)
	require.Equal(t, all, again, "%.1000s", &first)
	require.NoError(t, scenario.Write(&second, again...))
	require.Equal(t, first.String(), second.String())
}

func TestReadFiles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/scenarios/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all, err := scenario.Read(bytes.NewReader(text))
		require.NoError(t, err, name)
		require.NotEmpty(t, all)
		roundTrip(t, all)
	}
}

// Reading takes memory in proportion to the text.
func TestReadLarge(t *testing.T) {
	const n = 1_000_000
	text := []byte(`{"algorithm": "lcr", "ids": [`)
	for i := range n {
		text = append(strconv.AppendInt(text, int64(i+1), 10), ',', ' ')
	}
	text = append(text[:len(text)-2], "]}"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, err := scenario.Read(bytes.NewReader(text))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, all[0].IDs, n)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(300*n))
}

func BenchmarkRead(b *testing.B) {
	text := []byte(`{"ids": [1`)
	for i := range 100_000 {
		text = strconv.AppendInt(append(text, ','), int64(i+2), 10)
	}
	text = append(text, "]}"...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := scenario.Read(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPropertiesAreDescribed: the description of the files names each property.
func TestPropertiesAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../../testdata/scenarios/README.md")
	require.NoError(t, err)
	for _, p := range verdict.Properties() {
		require.True(t, strings.Contains(string(text), "`"+string(p)+"`"),
			"add `%s` to the row `property` of testdata/scenarios/README.md", p)
	}
}

// TestLargestNumbers: whole numbers are exact up to 2^53, the largest number of a parameter; nothing is
// infinite.
func TestLargestNumbers(t *testing.T) {
	for number, ok := range map[string]bool{
		"9007199254740992": true, "9007199254740994": false, "1e400": false, "-1e400": false, "-0": true,
		"-1": false,
	} {
		_, err := scenario.Read(strings.NewReader(`{"params": {"a": ` + number + `}}`))
		require.Equal(t, ok, err == nil, number)
		_, err = scenario.Read(strings.NewReader(`{"until": ` + number + `}`))
		require.Equal(t, ok && number == "-0", err == nil, number)
	}
}

// TestUnmarshalAll: behind the scenario nothing may follow.
func TestUnmarshalAll(t *testing.T) {
	var s scenario.Scenario
	require.NoError(t, s.UnmarshalJSON([]byte(`{"name": "a"} `)))
	require.ErrorIs(t, s.UnmarshalJSON([]byte(`{"name": "a"} 1`)), election.ErrInput)
}
