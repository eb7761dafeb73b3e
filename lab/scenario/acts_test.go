package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// everyAct holds every act, and every field, as it is written.
const everyAct = `{"algorithm": "ring", "ids": [1, 2, 3], "schedule": "hand", "acts": [{"do": "start", "process": 2}, ` +
	`{"do": "deliver", "process": 3, "port": 1, "nth": 2}, {"after": 4, "do": "timeout", "process": 1, "timer": 2, "layer": 3}, ` +
	`{"after": 4, "do": "suspect", "process": 1, "port": 1}, {"after": 4, "do": "trust", "process": 1, "port": 1}, ` +
	`{"after": 5, "do": "crash", "process": 1}, {"after": 6, "do": "recover", "process": 1}, {"after": 7, "do": "restart", "process": 1}, ` +
	`{"after": 8, "do": "pause", "process": 1}, {"after": 8, "do": "resume", "process": 1}, ` +
	`{"after": 9, "do": "lose", "process": 3, "port": 1}, {"after": 9, "do": "duplicate", "process": 3, "port": 1}, ` +
	`{"after": 9, "do": "delay", "process": 3, "port": 1, "by": -1.5}, {"after": 9, "do": "delay", "process": 3, "port": 1, "by": 2}, ` +
	`{"after": 10, "do": "cut", "groups": [[1, 2], [3]], "one_way": true}, {"after": 9007199254740991, "do": "heal"}]}`

func TestActs(t *testing.T) {
	s := one(t, everyAct)
	require.Len(t, s.Acts, 16)
	require.Equal(t, scenario.Hand, s.Schedule)
	require.Equal(t, scenario.Act{After: 9, Step: scenario.Step{Do: observe.Delay, Process: 3, Port: 1,
		By: -3 * scenario.Unit / 2}}, s.Acts[12])
	require.Equal(t, scenario.Act{After: 10, Step: scenario.Step{Do: observe.Cut, OneWay: true,
		Groups: [][]election.ID{{1, 2}, {3}}}}, s.Acts[14])
	_, err := s.Input(find)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, s))
	require.Equal(t, everyAct+"\n", b.String())
	roundTrip(t, []*scenario.Scenario{s, one(t, `{"acts": []}`), one(t, `{"acts": [{}, {"groups": []}]}`)})
}

func TestActsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"acts": 1}`:                         `scenario.acts: 1 is not a list`,
		`{"acts": [{"at": 1}]}`:               `scenario.acts[0].at: unknown field`,
		`{"acts": [{"choices": []}]}`:         `scenario.acts[0].choices: unknown field`,
		`{"acts": [{"after": -1}]}`:           `scenario.acts[0].after: -1 is not a number of occurrences`,
		`{"acts": [{"by": "a"}]}`:             `scenario.acts[0].by: "a" is not a time`,
		`{"acts": [{"by": -1e7}]}`:            `scenario.acts[0].by: -1e+07 is longer than 1000000 units`,
		`{"acts": [{"by": 1e7}]}`:             `scenario.acts[0].by: 1e7 is longer than 1000000 units`,
		`{"acts": [{"one_way": 0}]}`:          `scenario.acts[0].one_way: 0 is not true or false`,
		`{"acts": [{"do": "send"}]}`:          `scenario.acts[0].do: "send" is not a step (start, deliver, timeout, suspect, trust, crash, pause, resume, recover, restart, lose, duplicate, command, cut, heal, delay)`,
		`{"steps": [{"after": 1}]}`:           `scenario.steps[0].after: unknown field`,
		`{"steps": [{"by": 1}]}`:              `scenario.steps[0].by: unknown field`,
		`{"steps": [{"do": "delay"}]}`:        `scenario.steps[0].do: "delay" is not a step (start, deliver, timeout, suspect, trust, crash, pause, resume, recover, restart, lose, duplicate, command, cut, heal)`,
		`{"acts": [{"do": "heal", "do": 1}]}`: `scenario.acts[0].do: given twice`,
	} {
		_, err := scenario.Read(strings.NewReader(text))
		assert.ErrorIs(t, err, election.ErrInput)
		assert.EqualError(t, err, prefix+want)
	}
	act := func(text string) string {
		return `"acts": [{"do": "start", "process": 1, "after": 3}, {` + text +
			`}]`
	}
	const hand = `: not allowed with the schedule hand, which runs only acts`
	for text, want := range map[string]string{
		act(``):                                               `acts[1].do: missing`,
		act(`"after": 2, "do": "heal"`):                       `acts[1].after: 2 is less than 3, the value of the previous act`,
		act(`"do": "crash"`):                                  `acts[1].process: missing`,
		act(`"do": "crash", "process": 4`):                    `acts[1].process: 4 is not a process`,
		act(`"do": "delay", "process": 3, "port": 1`):         `acts[1].by: missing`,
		act(`"do": "delay", "process": 3, "by": 1`):           `acts[1].port: nothing arrives over port 0 on a one-way ring`,
		act(`"do": "lose", "process": 3, "port": 1, "by": 1`): `acts[1].by: not a field of lose`,
		act(`"do": "heal", "process": 3`):                     `acts[1].process: not a field of heal`,
		act(`"do": "cut", "process": 3, "groups": [[1]]`):     `acts[1].process: not a field of cut`,
		act(`"do": "cut"`):                                    `acts[1].groups: at least one group is needed`,
		act(`"do": "cut", "groups": [[1], []]`):               `acts[1].groups[1]: it is empty`,
		act(`"do": "cut", "groups": [[1, 9]]`):                `acts[1].groups[0][1]: 9 is not a process`,
		act(`"do": "cut", "groups": [[1], [2, 1]]`):           `acts[1].groups[1][1]: 1 is already in groups[0]`,
		act(`"do": "crash", "process": 1, "groups": [[1]]`):   `acts[1].groups: not a field of crash`,
		act(`"do": "heal", "one_way": true`):                  `acts[1].one_way: not a field of heal`,
		act(`"do": "heal", "port": 1`):                        `acts[1].port: not a field of heal`,
		act(`"do": "heal"`) +
			`, "steps": []`: `acts: not allowed with steps, which contain all events`,
		`"schedule": "hand", "steps": []`:                           `schedule: hand, not allowed with steps, which contain all events`,
		`"schedule": "hand", "loss": 0.5`:                           `loss` + hand,
		`"schedule": "hand", "crash_at": [[1, 2]]`:                  `crash_at` + hand,
		`"schedule": "hand", "initiators": [2], "start_times": [1]`: `start_times` + hand,
		`"schedule": "hand", "delay": {"max": 1}`:                   `delay: every message takes one unit, unless the schedule is random`,
	} {
		_, err := one(t, `{"algorithm": "lcr", "ids": [1, 2, 3], `+text+`}`).Input(find)
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+want, text)
	}
}
