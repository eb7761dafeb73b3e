package bridge_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/page/bridge"
)

type challenge struct {
	ID, Package, Name, Hint, Property, Words string
	Par                                      int
	Scenario                                 json.RawMessage
	Budget                                   object
}

type judgement struct {
	Solved            bool
	Grade, Steps, Par int
	Property, Words   string
}

func attempt(t *testing.T, b *bridge.Bridge, id string, run any, hinted bool) (j judgement) {
	t.Helper()
	ask(t, b, "judge", object{"challenge": id, "scenario": run, "hinted": hinted}, &j)
	return j
}

func allChallenges(t *testing.T) (*bridge.Bridge, []challenge) {
	var b bridge.Bridge
	var all []challenge
	ask(t, &b, "challenges", object{}, &all)
	return &b, all
}

// with returns a scenario with other fields.
func with(t *testing.T, text json.RawMessage, other object) object {
	var fields object
	require.NoError(t, json.Unmarshal(text, &fields))
	maps.Copy(fields, other)
	return fields
}

// TestChallenges: each challenge is solved by the steps that the checker finds within its budget, which
// are no fewer than par, and not before any step. With par steps it is worth most.
func TestChallenges(t *testing.T) {
	b, all := allChallenges(t)
	packages := make(map[string]bool)
	for _, c := range all {
		require.NotEmpty(t, c.Hint, c.ID)
		if c.Property == "" {
			continue
		}
		packages[c.Package] = true
		j := attempt(t, b, c.ID, c.Scenario, false)
		require.Zero(t, j.Grade, "%s: %s", c.ID, j.Words)
		var found struct{ Counterexample json.RawMessage }
		ask(t, b, "check", object{"scenario": c.Scenario, "budget": c.Budget}, &found)
		run := found.Counterexample
		if j = attempt(t, b, c.ID, run, false); j.Steps > c.Par {
			require.Equal(t, 2, j.Grade, c.ID)
			ask(t, b, "shrink", object{"scenario": run, "property": c.Property}, &run)
			j = attempt(t, b, c.ID, run, false)
		}
		require.Equal(t, judgement{true, 3, c.Par, c.Par, c.Property, j.Words}, j, c.ID)
		require.NotEmpty(t, j.Words)
		if c.Property == "sound" { // a Node panics at the last step
			var less json.RawMessage
			ask(t, b, "shrink", object{"scenario": run, "property": c.Property}, &less)
			require.True(t, attempt(t, b, c.ID, less, false).Solved, c.ID)
		}
		require.Equal(t, 1, attempt(t, b, c.ID, run, true).Grade)
		for _, kind := range []string{"trace", "svg", "links", "mermaid", "log", "chrome", "shiviz"} {
			var f struct{ Text string }
			ask(t, b, "export", object{"kind": kind, "scenario": run}, &f)
			require.NotEmpty(t, f.Text, "%s of %s", kind, c.ID)
		}
	}
	require.GreaterOrEqual(t, len(packages), 9)
	for i, c := range all[1:] {
		before := all[i]
		require.True(t, c.Package != before.Package || c.Par >= before.Par, "%s comes late", c.ID)
	}
}

// TestChallengeByHand: acts solve a challenge as steps do, and more of them than par are worth less.
func TestChallengeByHand(t *testing.T) {
	b, all := allChallenges(t)
	at := slices.IndexFunc(all,
		func(c challenge) bool { return c.ID == "lcr-process-relayed-may-still-start" })
	c := all[at]
	start := func(after, id int) object { return object{"after": after, "do": "start", "process": id} }
	deliver := func(after, id int) object {
		return object{"after": after, "do": "deliver", "process": id, "port": 1}
	}
	acts := []object{start(2, 1), deliver(3, 2), deliver(4, 1), start(5, 2)}
	for n, grade := range []int{0, 0, 0, 0, 3} {
		j := attempt(t, b, c.ID, with(t, c.Scenario, object{"acts": acts[:n]}), false)
		require.Equal(t, grade, j.Grade, "%d acts: %s", n, j.Words)
	}
	longer := append(slices.Clone(acts), deliver(6, 2))
	j := attempt(t, b, c.ID, with(t, c.Scenario, object{"acts": longer}), false)
	require.Equal(t, 2, j.Grade, j.Words)
	require.Equal(t, []int{5, 4}, []int{j.Steps, j.Par})

	lost := []object{start(2, 1), {"after": 3, "do": "lose", "process": 2, "port": 1}}
	j = attempt(t, b, c.ID, with(t, c.Scenario, object{"acts": lost}), false)
	require.False(t, j.Solved)
	require.Contains(t, j.Words, "leaves the model of the algorithm at step 4: ")

	right := with(t, c.Scenario, object{"algorithm": "lcr", "variant": "initiators", "acts": acts})
	j = attempt(t, b, c.ID, right, false)
	require.False(t, j.Solved)
	require.Equal(t,
		"the run has another algorithm, other processes, starters, links or settings than the challenge",
		j.Words)
	j = attempt(t, b, c.ID, with(t, c.Scenario, object{"ids": []int{2, 1}, "acts": acts}), false)
	require.Contains(t, j.Words, "other processes")
	require.False(t, j.Solved)
	_, err := b.Call(t.Context(), "judge", []byte(`{"challenge": "none", "scenario": {}}`), nil)
	require.EqualError(t, err, `election: bad input: challenge: "none" is none`)
}

// TestChallengeBudget: faults that the algorithm survives count only as often as the challenge allows them.
func TestChallengeBudget(t *testing.T) {
	b, all := allChallenges(t)
	at := slices.IndexFunc(all,
		func(c challenge) bool { return c.ID == "bully-process-comes-back-keeps-silent" })
	c := all[at]
	require.EqualValues(t, 1, c.Budget["crashes"])
	crash := func(after, id int) object { return object{"after": after, "do": "crash", "process": id} }
	j := attempt(t, b, c.ID, with(t, c.Scenario, object{"acts": []object{crash(2, 1), crash(3, 2)}}), false)
	require.False(t, j.Solved)
	require.Equal(t, "crash: 2 in the run, the challenge allows 1", j.Words)

	// A process that has saved nothing comes back alike with its memory and without.
	at = slices.IndexFunc(all,
		func(c challenge) bool { return c.ID == "bully-restored-process-takes-itself" })
	require.EqualValues(t, 1, all[at].Budget["restarts"])
	require.Zero(t, all[at].Budget["recoveries"])
	for after, why := range map[int]string{2: "the run violates nothing yet",
		3: "return without memory: 1 in the run, the challenge allows 0"} {
		acts := []object{crash(after, 1), {"after": after + 1, "do": "recover", "process": 1}}
		if after == 3 {
			acts = append([]object{{"after": 2, "do": "start", "process": 1}}, acts...)
		}
		j = attempt(t, b, all[at].ID, with(t, all[at].Scenario, object{"acts": acts}), false)
		require.Equal(t, why, j.Words, "%d", after)
	}
}

// TestCostChallenges: the order that takes the most messages solves, and another does not.
func TestCostChallenges(t *testing.T) {
	b, all := allChallenges(t)
	n := 0
	for _, c := range all {
		if c.Property != "" {
			continue
		}
		n++
		j := attempt(t, b, c.ID, c.Scenario, false)
		require.False(t, j.Solved, c.ID)
		require.NotZero(t, j.Steps)
		require.NotContains(t, j.Words, "not ended")
		run := with(t, c.Scenario, object{"initiators": []int{1}})
		if c.ID != "worst-bully" {
			short := object{"algorithm": run["algorithm"].(string) + "/" + run["variant"].(string), "n": 5,
				"order": "worst"}
			run = with(t, asked(t, b, short), nil)
		}
		j = attempt(t, b, c.ID, run, false)
		require.Equal(t, judgement{true, 3, c.Par, c.Par, "", j.Words}, j, c.ID)
		var all forms
		of := object{"algorithm": run["algorithm"], "variant": run["variant"], "ns": []int{5}}
		ask(t, b, "theory", of, &all)
		worst := 0.0
		for _, f := range all.Messages {
			if slices.Contains(f.Names, "worst") {
				worst = *f.At[0]
			}
		}
		switch c.ID {
		case "worst-hs": // the closed form is a bound that no run need attain
			require.Less(t, c.Par, int(worst))
		case "worst-lcr":
			require.EqualValues(t, c.Par, worst)
		default: // n^2-n, if n is down and 1 starts
			require.Equal(t, 5*5-5, c.Par)
		}
		acts := []object{{"after": 6, "do": "crash", "process": election.ID(1)}}
		run["acts"] = acts
		require.False(t, attempt(t, b, c.ID, run, false).Solved, c.ID)
	}
	require.Equal(t, 3, n)
}

// TestAudited: a run in which a Node panics violates a property, as the checker has it.
func TestAudited(t *testing.T) {
	var b bridge.Bridge
	acts := []object{{"after": 2, "do": "start", "process": 2}}
	for after, to := range []int{1, 2, 1, 2, 1} {
		acts = append(acts, object{"after": after + 3, "do": "deliver", "process": to, "port": 1})
	}
	broken := func(variant string) string {
		run := object{"algorithm": "museum", "variant": variant, "ids": []int{1, 2}, "schedule": "hand",
			"acts": acts}
		var v struct{ Property string }
		ask(t, &b, "broken", object{"scenario": run}, &v)
		return v.Property
	}
	require.Empty(t, broken("lcr-start-not-guarded"))
	acts = slices.Insert(acts, 0, object{"after": 2, "do": "start", "process": 1},
		object{"after": 3, "do": "deliver", "process": 2, "port": 1})
	for i := 2; i < len(acts); i++ {
		acts[i]["after"] = i + 2
	}
	require.Equal(t, "sound", broken("lcr-start-not-guarded"))
}
