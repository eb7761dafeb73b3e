package bridge

import (
	"encoding/json"
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

var long = flag.Bool("long", false, "solve every challenge")

// TestChallengesByAct: the checker's steps solve each challenge also as acts, which a unit parts, and no
// acts solve none.
func TestChallengesByAct(t *testing.T) {
	for i, x := range museum.All() {
		if x.NoExercise() != "" || !*long && i%4 > 0 {
			continue
		}
		c, err := challengeOf(&x)
		require.NoError(t, err, x.ID())
		var b Bridge
		text, err := c.Scenario.MarshalJSON()
		require.NoError(t, err)
		a, err := b.ask(t.Context(), &question{Scenario: text, Budget: c.Budget})
		require.NoError(t, err, x.ID())
		found, err := check.Run(t.Context(), a.Config)
		require.NoError(t, err, x.ID())
		steps := found.Counterexample.Steps
		for n, solved := range map[int]bool{len(steps): true, 0: false} {
			j, err := c.judge(t.Context(), &b, byAct(t, a.with(steps[:n])))
			require.NoError(t, err, x.ID())
			require.Equal(t, solved, j.Solved, "%s, %d steps: %s", x.ID(), n, j.Words)
			require.LessOrEqual(t, j.Steps, n, x.ID())
		}
		j, err := c.judge(t.Context(), &b, byDoing(t, &b, byAct(t, a.with(steps)).scenario))
		require.NoError(t, err, x.ID())
		require.True(t, j.Solved, "%s, one act after another: %s", x.ID(), j.Words)
	}
}

// byDoing returns the run whose acts a reader of the page does, each at the end of the run before it.
func byDoing(t *testing.T, b *Bridge, s *scenario.Scenario) *run {
	acts, bare := s.Acts, *s
	bare.Acts = nil
	r, err := newRun(&bare, usualEvents)
	require.NoError(t, err)
	for _, act := range acts {
		steps, err := r.steps(t.Context())
		require.NoError(t, err)
		one := bare
		one.Acts = []scenario.Act{act}
		var fields struct{ Acts []json.RawMessage }
		require.NoError(t, json.Unmarshal(marshaled(t, &one), &fields))
		args, err := json.Marshal(map[string]any{"scenario": json.RawMessage(marshaled(t, r.scenario)),
			"step": steps, "act": fields.Acts[0]})
		require.NoError(t, err)
		reply, err := b.Call(t.Context(), "do", args, nil)
		require.NoError(t, err, string(args))
		var done struct{ Scenario json.RawMessage }
		require.NoError(t, json.Unmarshal(reply.JSON, &done))
		r, err = b.open(done.Scenario, usualEvents)
		require.NoError(t, err)
	}
	return r
}

func marshaled(t *testing.T, s *scenario.Scenario) []byte {
	text, err := s.MarshalJSON()
	require.NoError(t, err)
	return text
}

// TestChallengesByCaller: a run in which a caller or a failure detector repeats itself is not a run without
// end, even if it returns to an earlier state. A Start may show other mistakes; a failure detector that is
// wrong shows none.
func TestChallengesByCaller(t *testing.T) {
	least, judged, links := 700, 0, 0
	if !*long {
		least = 150
	}
	for i, x := range museum.All() {
		if x.NoExercise() != "" || !*long && i%4 > 0 {
			continue
		}
		c, err := challengeOf(&x)
		require.NoError(t, err)
		r, err := newRun(c.Scenario, usualEvents)
		require.NoError(t, err)
		for p, id := range c.Scenario.IDs {
			steps := []scenario.Step{{Do: observe.Start, Process: id}}
			if p == 0 {
				steps = append(steps, scenario.Step{Do: observe.Heal})
			}
			for port := range election.Port(r.config.Topology.Ports(p)) {
				steps = append(steps, scenario.Step{Do: observe.Suspect, Process: id, Port: port},
					scenario.Step{Do: observe.Trust, Process: id, Port: port})
			}
			for _, step := range steps {
				j, err := judgeAgain(t, c, step)
				if err != nil { // it is refused, as a Start of a process that is down
					require.ErrorIs(t, err, election.ErrInput)
					continue
				}
				judged++
				if step.Port > 0 {
					links++
				}
				wrong := j.Property == verdict.Ends || step.Do != observe.Start
				require.False(t, j.Solved && wrong, "%s: %+v", x.ID(), step)
			}
		}
	}
	require.GreaterOrEqual(t, judged, least)
	require.GreaterOrEqual(t, links, least/4, "links besides the first")
}

// judgeAgain judges a challenge whose solution is one act, eight times.
func judgeAgain(t *testing.T, c *challenge, step scenario.Step) (*judgement, error) {
	s := *c.Scenario
	s.Schedule = scenario.Hand
	for k := range uint64(8) {
		s.Acts = append(s.Acts, scenario.Act{After: uint64(len(s.IDs)) + k, Step: step})
	}
	r, err := newRun(&s, usualEvents)
	if err != nil {
		return nil, err
	}
	return c.judge(t.Context(), new(Bridge), r)
}

// byAct returns the run in which a hand does the steps of a scenario.
func byAct(t *testing.T, s *scenario.Scenario) *run {
	r, err := newRun(s, usualEvents)
	require.NoError(t, err)
	acted := *s
	require.NoError(t, handed(&acted, r, usualEvents))
	acted.Property, acted.Note, acted.Name = "", "", ""
	r, err = newRun(&acted, usualEvents)
	require.NoError(t, err)
	return r
}

// TestOneRunOfAScenario: calls about the scenario of a film use the run of the film, even if the film has
// changed the scenario.
func TestOneRunOfAScenario(t *testing.T) {
	for _, text := range []string{
		`{"algorithm": "lease", "ids": [1, 2, 3]}`, // which ends at a time that is not given
		`{"algorithm": "lcr", "ids": [1, 3, 2], "property": "one-leader-a-term", "note": "a false claim"}`,
	} {
		var b Bridge
		film, err := b.Call(t.Context(), "film", []byte(`{"scenario": `+text+`}`), nil)
		require.NoError(t, err)
		var head struct{ Scenario json.RawMessage }
		require.NoError(t, json.Unmarshal(film.JSON, &head))
		require.NotEqual(t, text, string(head.Scenario))
		_, err = b.Call(t.Context(), "words",
			[]byte(`{"scenario": `+string(head.Scenario)+`, "from": 1, "to": 1}`), nil)
		require.NoError(t, err)
		require.Len(t, b.runs, 1)
	}
}
