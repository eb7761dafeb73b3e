package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// everyCommand holds every field of wishes and commands, as it is written.
const everyCommand = `{"algorithm": "lease", "ids": [1, 2, 3], ` +
	`"wishes": [[1, 0, [1, 2]], [2, 0, [1, 2]], [3, 0, [1, 2, 3]], [2, 20, [1, 2, 3]]], ` +
	`"commands": [{"at": 25, "command": "change", "voters": [1, 2, 3]}, {"at": 25.5, "process": 2, "command": "take back"}], ` +
	`"acts": [{"after": 30, "do": "command", "command": "change", "voters": [1, 3]}, ` +
	`{"after": 31, "do": "command", "process": 1, "command": "complete"}, {"after": 32, "do": "crash", "process": 2}, ` +
	`{"after": 33, "do": "restart", "process": 2, "voters": [1]}]}`

func TestCommands(t *testing.T) {
	s := one(t, everyCommand)
	require.Equal(t, scenario.Step{Do: observe.Command, Command: "change", Voters: []election.ID{1, 3}}, s.Acts[0].Step)
	in, err := s.Input(catalog.Find)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, s))
	require.Equal(t, everyCommand+"\n", b.String())
	steps := one(t, `{"steps": [{"do": "command", "process": 1, "command": "take back"}, `+
		`{"do": "recover", "process": 1, "voters": [1]}]}`)
	roundTrip(t, []*scenario.Scenario{s, steps, one(t, `{"wishes": [], "commands": [{}]}`)})
	require.Equal(t, s.Wishes, in.Scenario().Wishes)
	require.Equal(t, s.Commands, in.Scenario().Commands)

	require.Equal(t, []election.ID{1, 2}, in.Wish(1, 20*scenario.Unit-1))
	require.Equal(t, []election.ID{1, 2, 3}, in.Wish(1, 20*scenario.Unit))
	require.Equal(t, []election.ID{1, 2}, in.Wish(0, 20*scenario.Unit))
	require.Len(t, in.WishCommands([]election.ID{1, 2}), 2)
	require.Empty(t, in.WishCommands(nil))
	in.Wishes = []scenario.Wish{{At: scenario.At{ID: 1, Time: 5}, Voters: []election.ID{3}}}
	require.Equal(t, []election.ID{3}, in.Wish(0, 0), "the first list holds from the beginning")
	require.Nil(t, in.Wish(1, 0))
}

func TestCommandsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`"wishes": [[1, 0]]`:                   `scenario.wishes[0]: a list of 2 is not a list [id, time, voters]`,
		`"wishes": [[1, 0, [0]]]`:              `scenario.wishes[0][2][0]: 0 is not a valid id`,
		`"commands": [{"voters": 1}]`:          `scenario.commands[0].voters: 1 is not a list`,
		`"commands": [{"do": "change"}]`:       `scenario.commands[0].do: unknown field`,
		`"commands": [{"at": -1}]`:             `scenario.commands[0].at: -1 is not a time`,
		`"acts": [{"command": 1}]`:             `scenario.acts[0].command: 1 is not a text`,
		`"wishes": [[4, 0, [1]]]`:              `wishes[0]: 4 is not a process`,
		`"wishes": [[1, 0, []]]`:               `wishes[0]: voters: at least one is required`,
		`"wishes": [[1, 0, [1, 4]]]`:           `wishes[0]: voters[1]: 4 is not a process`,
		`"wishes": [[1, 0, [2, 2]]]`:           `wishes[0]: voters[1]: 2 is listed twice`,
		`"wishes": [[1, 3, [2]], [1, 3, [1]]]`: `wishes[1]: 3 is not after the previous wish of 1, at 3`,
		`"wishes": [[1, 0, [1]]]`:              `wishes: process 2 has no wish; name the voters that it wants, as in [2, 0, [1]]`,
		`"commands": [{}]`: `commands[0].command: missing; lease has resign, renew, lapse, sit down, abandon, ` +
			`change, complete, take back`,
		`"commands": [{"command": "wish"}]`: `commands[0].command: lease has no command "wish", only resign, renew, ` +
			`lapse, sit down, abandon, change, complete, take back`,
		`"commands": [{"command": "resign", "process": 5}]`:  `commands[0].process: 5 is not a process`,
		`"commands": [{"command": "resign", "voters": [1]}]`: `commands[0].voters: "resign" takes no voters`,
		`"commands": [{"command": "resign", "at": 2}, {"command": "resign"}]`: `commands[1].at: 0 is before the ` +
			`previous command, at 2`,
		`"commands": [{"command": "change", "voters": [1]}]`: `commands[0].command: without wishes the voters never ` +
			`change; list the voters that each process wishes in "wishes"`,
		`"acts": [{"do": "command", "process": 1}]`: `acts[0].command: missing; lease has resign, renew, lapse, ` +
			`sit down, abandon, change, complete, take back`,
		`"acts": [{"do": "crash", "process": 1, "command": "renew"}]`: `acts[0].command: not a field of crash`,
		`"acts": [{"do": "crash", "process": 1, "voters": [1]}]`:      `acts[0].voters: not a field of crash`,
		`"acts": [{"do": "restart", "process": 1, "voters": [1]}]`: `acts[0].voters: without "wishes" of all ` +
			`processes the voters never change`,
		`"steps": [], "commands": [{"command": "renew"}]`: `commands: not allowed with steps, which contain all ` +
			`events`,
		`"wishes": [[1, 0, [1]], [2, 0, [1]], [3, 0, [1]]], "acts": [{"do": "restart", "process": 1, "voters": [9]}]`: `` +
			`acts[0].voters[0]: 9 is not a process`,
		`"wishes": [[1, 0, [1]], [2, 0, [1]], [3, 0, [1]]], "commands": [{"command": "change"}]`: `` +
			`commands[0].voters: at least one is required`,
	} {
		all, err := scenario.Read(strings.NewReader(`{"algorithm": "lease", "ids": [1, 2, 3], ` + text + `}`))
		if err == nil {
			_, err = all[0].Input(catalog.Find)
		}
		assert.ErrorIs(t, err, election.ErrInput, text)
		assert.EqualError(t, err, prefix+want, text)
	}
	_, err := one(t, `{"algorithm": "lcr", "ids": [1], "wishes": [[1, 0, [1]]]}`).Input(catalog.Find)
	require.EqualError(t, err, prefix+"wishes: the voters of lcr/participant never change; omit them")
	_, err = one(t, `{"algorithm": "lcr", "ids": [1], "commands": [{"command": "renew"}]}`).Input(catalog.Find)
	require.EqualError(t, err, prefix+"commands[0].command: lcr/participant has no commands")
	in := scenario.Input{Algorithm: twoWay(), IDs: []election.ID{1}, Commands: []scenario.Command{{Time: -1}}}
	require.EqualError(t, in.Check(), prefix+"commands[0].at: -0.000000001 is less than 0")
}
