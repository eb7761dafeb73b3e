package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
)

// changing returns a run in which the voters change.
func changing(t *testing.T) sim.Config {
	t.Helper()
	a, err := lease.New(lease.Config{Delay: sim.Unit, Lease: 20 * sim.Unit, Stagger: -1, Durable: true})
	require.NoError(t, err)
	two, three := numbered(2), numbered(3)
	return sim.Config{Until: 20 * sim.Unit, Input: scenario.Input{Algorithm: a, IDs: three, Initiators: two[:1],
		Wishes:   []scenario.Wish{{At: scenario.At{ID: 1}, Voters: two}, {At: scenario.At{ID: 2}, Voters: two}, {At: scenario.At{ID: 3}, Voters: three}},
		Commands: []scenario.Command{{Time: 15 * sim.Unit, Name: "change", Voters: three}, {Time: 15 * sim.Unit, Process: 3, Name: "resign"}}}}
}

// TestWordsOfVoters: commands and labels are said in words. A list of commands is one line, a label is a Term and a
// step, and a hash is left out.
func TestWordsOfVoters(t *testing.T) {
	tr := simulated(t, changing(t))
	back, err := trace.Read(bytes.NewReader(written(t, tr)))
	require.NoError(t, err)
	require.Equal(t, tr.Header.Commands, back.Header.Commands)
	log := logOf(t, back)
	for _, line := range []string{"is told: wish 1 and 2\n", "is told: wish 1, 2 and 3\n", "is told: resign\n",
		"is told: change 1, 2 and 3\n", "sends probe wish round 1 incarnation 1 to 2",
		"sends held wish round 1 to 1", "sends claim 1.0", "sends member 1 of 3 label 1.1 old new to 2",
		"sends refused wish round 3 unknown to 1"} {
		line = strings.Replace(line, "claim 1.0", "claim label 1.0 round 3 incarnation 1 renewal to 2", 1)
		require.Contains(t, log, line)
	}
	require.NotContains(t, log, "command")
	require.NotContains(t, log, "priority")
	require.Equal(t, 5, strings.Count(log, "is told"))
	var said []string
	for _, sentence := range trace.NewSentences(back).Of(1, 1000) {
		if strings.Contains(sentence, "told") {
			said = append(said, sentence)
		}
	}
	require.Equal(t, []string{"1 is told: wish 1 (1 of 2)", "1 is told: wish 1 and 2", "2 is told: wish 1 (1 of 2)",
		"2 is told: wish 1 and 2", "3 is told: wish 1 (1 of 3)", "3 is told: wish 2 (2 of 3)",
		"3 is told: wish 1, 2 and 3", "1 is told: change 1 (1 of 3)", "1 is told: change 2 (2 of 3)"}, said[:9])
	require.Contains(t, said[9], "1 is told: change 1, 2 and 3; sends 6 member messages to 2 and 3; sends claim label 1.1 ")

	difference, err := trace.Replay(back, func(string, string) (*election.Algorithm, error) { return changing(t).Algorithm, nil })
	require.NoError(t, err)
	require.Nil(t, difference)

	back.Header.Commands, back.Header.Names = nil, nil
	require.Contains(t, logOf(t, back), "takes command 9 1 round 3\n")
}

// TestStepsOfCommands: a list of commands is one step, and a wish belongs to the beginning.
func TestStepsOfCommands(t *testing.T) {
	c := changing(t)
	c.Commands, c.Until = nil, 0
	step := func(name string, voters ...election.ID) scenario.Step {
		return scenario.Step{Do: observe.Command, Process: 1, Command: name, Voters: voters}
	}
	c.Steps = []scenario.Step{step("change", 1, 2, 3), step("resign"), {Do: observe.Crash, Process: 2},
		{Do: observe.Recover, Process: 2, Voters: numbered(3)}, step("renew")}
	var log bytes.Buffer
	require.NoError(t, trace.WriteSteps(&log, simulated(t, c), false))
	var lines []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, ". ") || strings.Contains(line, "wish 1, 2 and 3") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	require.Equal(t, []string{"3.4 is told: wish 1, 2 and 3", "1. 1.6 is told: change 1, 2 and 3",
		"2. 1.7 is told: resign", "3. 2.4 crashes", "4. 2.5 comes back without its state",
		"2.9 is told: wish 1, 2 and 3", "5. 1.8 is told: renew"}, lines)
}
