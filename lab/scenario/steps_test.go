package scenario_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// everyStep holds every step, and every field, as it is written.
const everyStep = `{"algorithm": "ring", "ids": [1, 2, 3], "steps": [{"do": "start", "process": 2, "choices": [0, 2]}, ` +
	`{"do": "deliver", "process": 3, "port": 1, "nth": 2, "choices": [1], "at": 2.5}, {"do": "timeout", "process": 1, "timer": 255, "layer": 3}, ` +
	`{"do": "suspect", "process": 1, "port": 1, "at": 4}, {"do": "trust", "process": 1, "port": 1, "at": 4}, {"do": "crash", "process": 1, "at": 4}, {"do": "recover", "process": 1}, ` +
	`{"do": "restart", "process": 1}, {"do": "lose", "process": 3}, {"do": "duplicate", "process": 3, "nth": 2147483647}]}`

func TestSteps(t *testing.T) {
	s := one(t, everyStep)
	early, late := 5*scenario.Unit/2, 4*scenario.Unit
	require.Equal(t, []scenario.Step{
		{Do: observe.Start, Process: 2, Choices: []int{0, 2}},
		{Do: observe.Deliver, Process: 3, Port: 1, Nth: 2, Choices: []int{1}, At: &early},
		{Do: observe.Timeout, Process: 1, Timer: 255, Layer: 3},
		{Do: observe.Suspect, Process: 1, Port: 1, At: &late},
		{Do: observe.Trust, Process: 1, Port: 1, At: &late},
		{Do: observe.Crash, Process: 1, At: &late},
		{Do: observe.Recover, Process: 1},
		{Do: observe.Restart, Process: 1},
		{Do: observe.Lose, Process: 3},
		{Do: observe.Duplicate, Process: 3, Nth: math.MaxInt32},
	}, s.Steps)
	_, err := s.Input(find)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, s))
	require.Equal(t, everyStep+"\n", b.String())
	roundTrip(t, []*scenario.Scenario{s})

	none := one(t, `{"algorithm": "ring", "ids": [1], "steps": []}`)
	require.NotNil(t, none.Steps, "a list in which nothing happens is not one that is not given")
	roundTrip(t, []*scenario.Scenario{none, one(t,
		`{"steps": [{}, {"process": 1, "port": 0, "nth": 0, "timer": 0, "layer": 0, "choices": [], "at": 0}]}`)})
}

func TestStepsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"steps": {}}`:                     `scenario.steps: an object is not a list`,
		`{"steps": [[]]}`:                   `scenario.steps[0]: a list is not an object`,
		`{"steps": [{}, {"to": 1}]}`:        `scenario.steps[1].to: unknown field`,
		`{"steps": [{"do": "begin"}]}`:      `scenario.steps[0].do: "begin" is not a step (start, deliver, timeout, suspect, trust, crash, pause, resume, recover, restart, lose, duplicate, command, cut, heal)`,
		`{"steps": [{"process": 0}]}`:       `scenario.steps[0].process: 0 is not a valid id`,
		`{"steps": [{"port": -1}]}`:         `scenario.steps[0].port: -1 is not a port`,
		`{"steps": [{"port": 4294967296}]}`: `scenario.steps[0].port: 4294967296 is more than 4294967295`,
		`{"steps": [{"nth": 0.5}]}`:         `scenario.steps[0].nth: 0.5 is not a position`,
		`{"steps": [{"nth": 2147483648}]}`:  `scenario.steps[0].nth: 2147483648 is more than 2147483647`,
		`{"steps": [{"timer": 256}]}`:       `scenario.steps[0].timer: 256 is more than 255`,
		`{"steps": [{"layer": "a"}]}`:       `scenario.steps[0].layer: "a" is not a layer`,
		`{"steps": [{"choices": 1}]}`:       `scenario.steps[0].choices: 1 is not a list`,
		`{"steps": [{"choices": [0, -1]}]}`: `scenario.steps[0].choices[1]: -1 is not a choice`,
		`{"steps": [{"at": -1}]}`:           `scenario.steps[0].at: -1 is not a time`,
		`{"steps": [{"at": 1, "at": 1}]}`:   `scenario.steps[0].at: given twice`,
	} {
		_, err := scenario.Read(strings.NewReader(text))
		assert.ErrorIs(t, err, election.ErrInput)
		assert.EqualError(t, err, prefix+want)
	}
	step := func(text string) string { return `"steps": [{"do": "start", "process": 1}, {` + text + `}]` }
	const beside = `not allowed with steps, which contain all events`
	for text, want := range map[string]string{
		step(``):                            `steps[1].do: missing`,
		step(`"do": "crash"`):               `steps[1].process: missing`,
		step(`"process": 1`):                `steps[1].do: missing`,
		step(`"do": "crash", "process": 4`): `steps[1].process: 4 is not a process`,
		step(`"do": "deliver", "process": 3, "port": 2`):                   `steps[1].port: 3 has no port 2`,
		step(`"do": "deliver", "process": 3`):                              `steps[1].port: nothing arrives over port 0 on a one-way ring`,
		step(`"do": "lose", "process": 3`):                                 `steps[1].port: nothing arrives over port 0 on a one-way ring`,
		step(`"do": "suspect", "process": 3, "port": 2`):                   `steps[1].port: 3 has no port 2`,
		step(`"do": "start", "process": 3, "port": 1`):                     `steps[1].port: not a field of start`,
		step(`"do": "trust", "process": 3, "port": 2`):                     `steps[1].port: 3 has no port 2`,
		step(`"do": "suspect", "process": 3, "nth": 1`):                    `steps[1].nth: not a field of suspect`,
		step(`"do": "deliver", "process": 3, "port": 1, "timer": 1`):       `steps[1].timer: not a field of deliver`,
		step(`"do": "recover", "process": 3, "layer": 1`):                  `steps[1].layer: not a field of recover`,
		step(`"do": "crash", "process": 3, "choices": [0]`):                `steps[1].choices: not a field of crash`,
		step(`"do": "duplicate", "process": 3, "port": 1, "choices": [0]`): `steps[1].choices: not a field of duplicate`,
		`"steps": [{"do": "start", "process": 1, "at": 2.5}, ` +
			`{"do": "crash", "process": 1, "at": 2}]`: `steps[1].at: 2 is before the previous step, at 2.5`,
		`"steps": [], "initiators": [2], "start_times": [0]`: `start_times: ` + beside,
		`"steps": [], "crash_at": [[1, 0]]`:                  `crash_at: ` + beside,
		`"steps": [], "recover_at": [[1, 0]]`:                `recover_at: ` + beside,
		`"steps": [], "restart_at": [[1, 0]]`:                `restart_at: ` + beside,
		`"steps": [], "pause_at": [[1, 0, 1]]`:               `pause_at: ` + beside,
		`"steps": [], "loss": 0.1`:                           `loss: ` + beside,
		`"steps": [], "duplicate": 0.1`:                      `duplicate: ` + beside,
		`"steps": [], "reorder": 0.1`:                        `reorder: ` + beside,
		`"steps": [], "partitions": [{"groups": [[1]]}]`:     `partitions: ` + beside,
		`"steps": [], "schedule": "random"`:                  `schedule: random, ` + beside,
		`"steps": [], "fifo": false`:                         `fifo: ` + beside,
	} {
		_, err := one(t, `{"algorithm": "lcr", "ids": [1, 2, 3], `+text+`}`).Input(find)
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+want, text)
	}
}

// What no file can hold is refused too, and is not written.
func TestStepsNoFileHolds(t *testing.T) {
	before := -scenario.Unit
	for want, step := range map[string]scenario.Step{
		`steps[0].do: "send" is not a step (start, deliver, timeout, suspect, trust, crash, pause, resume, recover, restart, lose, duplicate, command, cut, heal)`: {Do: observe.Send, Process: 1},
		`steps[0].nth: -1 is less than 0`:        {Do: observe.Deliver, Process: 1, Port: 1, Nth: -1},
		`steps[0].choices[1]: -2 is less than 0`: {Do: observe.Start, Process: 1, Choices: []int{0, -2}},
		`steps[0].at: -1 is less than 0`:         {Do: observe.Start, Process: 1, At: &before},
	} {
		s := scenario.Scenario{Algorithm: "lcr", IDs: []election.ID{1}, Steps: []scenario.Step{step}}
		_, err := s.Input(find)
		assert.EqualError(t, err, prefix+want)
		assert.ErrorIs(t, scenario.Write(&bytes.Buffer{}, &s), election.ErrInput)
	}
}

func TestStepWhen(t *testing.T) {
	at := 3 * scenario.Unit
	require.Equal(t, at, (&scenario.Step{At: &at}).When(0))
	require.Equal(t, scenario.Unit, (&scenario.Step{}).When(0))
	require.Zero(t, (&scenario.Step{}).When(-scenario.Unit))
	end := time.Duration(math.MaxInt64)
	require.Equal(t, end, (&scenario.Step{}).When(end))
}

func TestExpectedOfSteps(t *testing.T) {
	in, err := one(t, `{"algorithm": "lcr", "variant": "initiators", "ids": [1, 2, 3]}`).Input(find)
	require.NoError(t, err)
	start := func(id election.ID) scenario.Step { return scenario.Step{Do: observe.Start, Process: id} }
	deliver := scenario.Step{Do: observe.Deliver, Process: 3, Port: 1}
	for _, c := range []struct {
		steps []scenario.Step
		want  election.ID
	}{
		{[]scenario.Step{start(1), start(2), deliver}, 2},
		{[]scenario.Step{start(1), deliver, start(2), start(1)}, 2},
		{[]scenario.Step{start(1), deliver, start(3)}, 0},
		{[]scenario.Step{start(1), {Do: observe.Crash, Process: 2}}, 0},
		{[]scenario.Step{deliver}, 0},
	} {
		must := in.ExpectedOf(c.steps)
		require.Equal(t, c.want, must.ID)
		require.Equal(t, c.want != 0, must.Rule != "")
	}
}

// TestStepsWithPlans: nothing else is planned beside steps.
func TestStepsWithPlans(t *testing.T) {
	for name, plan := range map[string]func(*scenario.Input){
		"start_times":   func(in *scenario.Input) { in.StartTimes = make([]time.Duration, 1) },
		"crash_at":      func(in *scenario.Input) { in.CrashAt = make([]scenario.At, 1) },
		"recover_at":    func(in *scenario.Input) { in.RecoverAt = make([]scenario.At, 1) },
		"restart_at":    func(in *scenario.Input) { in.RestartAt = make([]scenario.At, 1) },
		"suspect_after": func(in *scenario.Input) { in.SuspectAfter = 1 },
		"pause_at":      func(in *scenario.Input) { in.PauseAt = make([]scenario.Pause, 1) },
		"loss":          func(in *scenario.Input) { in.Faults.Loss = 0.5 },
		"duplicate":     func(in *scenario.Input) { in.Faults.Duplicate = 0.5 },
		"reorder":       func(in *scenario.Input) { in.Faults.Reorder = 0.5 },
		"partitions":    func(in *scenario.Input) { in.Faults.Partitions = make([]fault.Partition, 1) },
	} {
		var in scenario.Input
		plan(&in)
		require.NoError(t, in.CheckSteps(nil))
		require.EqualError(t, in.CheckSteps([]scenario.Step{}),
			prefix+name+": not allowed with steps, which contain all events")
	}
}

// TestLastStep: a step without a time comes a unit after the one before, as long as there is time.
func TestLastStep(t *testing.T) {
	s := &scenario.Step{}
	for before, want := range map[time.Duration]time.Duration{
		-scenario.Unit: 0, 5: 5 + scenario.Unit, math.MaxInt64 - scenario.Unit: math.MaxInt64,
		math.MaxInt64 - scenario.Unit + 1: math.MaxInt64 - scenario.Unit + 1, math.MaxInt64: math.MaxInt64,
	} {
		require.Equal(t, want, s.When(before))
	}
}
