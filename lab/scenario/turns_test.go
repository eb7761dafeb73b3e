package scenario_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
)

func at(id election.ID, units float64) scenario.At {
	return scenario.At{ID: id, Time: time.Duration(units * float64(scenario.Unit))}
}

// TestTurns: no process crashes that is down, nor comes back that is up; at one instant crashes come first.
func TestTurns(t *testing.T) {
	for text, want := range map[string]string{
		`"crash_at": [[1, 2], [1, 4]], "recover_at": [[1, 3]], ` +
			`"restart_at": [[1, 4]]`: ``,
		`"crashed": [1], "recover_at": [[1, 0]]`:         ``,
		`"restart_at": [[2, 1], [1, 2]], "crashed": [2]`: `restart_at[1]: 1 is not down at 2`,
		`"recover_at": [[1, 1]], "crash_at": [[1, 1.5]]`: `recover_at[0]: 1 is not down at 1`,
		`"recover_at": [[1, 5]], "restart_at": [[1, 5]], ` +
			`"crash_at": [[1, 1]]`: `restart_at[0]: 1 is not down at 5`,
		`"crash_at": [[1, 3], [1, 2]]`:                         `crash_at[0]: 1 is already down at 3`,
		`"crash_at": [[1, 0]], "crashed": [1]`:                 `crash_at[0]: 1 is already down at 0`,
		`"crash_at": [[1, 2], [1, 4]], "recover_at": [[1, 4]]`: `crash_at[1]: 1 is already down at 4`,
		`"suspect_after": 2, "steps": []`:                      `suspect_after: not allowed with steps, which contain all events`,
	} {
		s := one(t, `{"algorithm": "lcr", "ids": [1, 2, 3], `+text+`}`)
		_, err := s.Input(func(string, string) (*election.Algorithm, error) { return lcr.Max(), nil })
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, prefix+want, text)
	}
}

// TestPrompts: a perfect failure detector reports crashes and returns; a process that returns gets what
// it missed.
func TestPrompts(t *testing.T) {
	prompts := func(in scenario.Input, after float64) (reports []string) {
		in.Algorithm, in.SuspectAfter = fake(election.Complete), at(0, after).Time
		require.NoError(t, in.Check())
		for _, w := range in.Prompts() {
			q, _, _ := in.Topology.Link(w.To, w.Port)
			reports = append(reports,
				fmt.Sprintf("%g: %v %d to %d", w.At.Seconds(), w.Op, in.IDs[q], in.IDs[w.To]))
		}
		return reports
	}
	three := []election.ID{1, 2, 3}
	crash := scenario.Input{IDs: three, Crashed: three[:1], CrashAt: []scenario.At{at(3, 4)},
		RecoverAt: []scenario.At{at(3, 9)}}
	require.Empty(t, prompts(crash, 0))
	require.Len(t, prompts(crash, 1e-9), 7, "the shortest time")
	require.Equal(t, []string{
		"2: suspect 1 to 2", "2: suspect 1 to 3", "6: suspect 3 to 1", "6: suspect 3 to 2",
		"11: suspect 1 to 3", "11: trust 3 to 1", "11: trust 3 to 2",
	}, prompts(crash, 2), "3 hears again of the process that was down before it came back")
	require.Equal(t, []string{"5: suspect 1 to 2", "5: suspect 1 to 3", "14: suspect 1 to 3"},
		prompts(crash, 5), "3 is back before anybody hears")
	again := scenario.Input{IDs: three[:2], CrashAt: []scenario.At{at(1, 1), at(1, 6)},
		RestartAt: []scenario.At{at(1, 5), at(1, 20)}}
	require.Equal(t, []string{"3: suspect 1 to 2", "8: suspect 1 to 2", "22: trust 1 to 2"},
		prompts(again, 2),
		"it is down when it should be trusted")
	again.CrashAt[1], again.RestartAt[1] = at(1, 7), at(1, 20)
	require.Equal(t, []string{"3: suspect 1 to 2", "9: suspect 1 to 2", "22: trust 1 to 2"},
		prompts(again, 2), "it crashes again at the moment in which it should be trusted")
	meet := scenario.Input{IDs: three[:2], CrashAt: []scenario.At{at(1, 4), at(2, 5)},
		RecoverAt: []scenario.At{at(2, 6)}}
	require.Equal(t, []string{"6: suspect 1 to 2"}, prompts(meet, 2),
		"2 is back at the moment of the report")
	meet.CrashAt, meet.RecoverAt = []scenario.At{at(1, 1), at(2, 2)}, []scenario.At{at(1, 8), at(2, 6)}
	require.Equal(t, []string{"3: suspect 1 to 2", "4: suspect 2 to 1", "8: trust 2 to 1",
		"10: trust 1 to 2"},
		prompts(meet, 2), "1 is back when 2 would hear again of its crash")
	far := scenario.Input{IDs: three[:2], CrashAt: []scenario.At{{ID: 1, Time: math.MaxInt64 - 1}}}
	require.Empty(t, prompts(far, 2), "there is no such time")

	in := scenario.Input{Algorithm: fake(election.Complete), IDs: three, SuspectAfter: -scenario.Unit}
	require.EqualError(t, in.Check(), prefix+"suspect_after: -1 is less than 0")
	for n, want := range map[int]string{
		2365: "", 2366: prefix + "suspect_after: more than 16777216 reports of the failure detector",
	} {
		many := scenario.Input{Algorithm: fake(election.Complete), IDs: make([]election.ID, n),
			SuspectAfter: 1}
		for i := range many.IDs {
			many.IDs[i] = election.ID(i + 1)
		}
		many.Crashed = many.IDs
		if err := many.Check(); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

// TestAbsences: when each process is down, in the order in which that begins.
func TestAbsences(t *testing.T) {
	in := scenario.Input{IDs: []election.ID{1, 2, 3}, Crashed: []election.ID{2, 3},
		CrashAt:   []scenario.At{at(1, 6), at(1, 1), at(2, 8)},
		RecoverAt: []scenario.At{at(1, 3), at(2, 2)}, RestartAt: []scenario.At{at(1, 9)}}
	unit := scenario.Unit
	require.Equal(t, []scenario.Absence{
		{2, 0, 2 * unit}, {3, 0, math.MaxInt64}, {1, unit, 3 * unit}, {1, 6 * unit, 9 * unit},
		{2, 8 * unit, math.MaxInt64},
	}, in.Absences())
}
