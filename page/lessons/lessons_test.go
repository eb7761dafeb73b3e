package lessons_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/source"
	"github.com/go-election/election/page/lessons"
)

func all(t *testing.T) map[string]*lessons.Lesson {
	files, err := filepath.Glob("*.json")
	require.NoError(t, err)
	found := make(map[string]*lessons.Lesson)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found[strings.TrimSuffix(file, ".json")], err = lessons.Read(text)
		require.NoError(t, err, file)
	}
	return found
}

// TestClaims: each stop of each lesson is reached, and the run shows what its text claims.
func TestClaims(t *testing.T) {
	for name, l := range all(t) {
		require.NoError(t, l.Check(t.Context()), name)
	}
}

// TestLessons: each lesson is of an algorithm, with stops enough, rules that are there and questions whose answers
// the run shows.
func TestLessons(t *testing.T) {
	list := all(t)
	for name, l := range list {
		require.Contains(t, catalog.Names(), l.Package)
		file, _, _ := strings.Cut(name, "-") // behind it, what one of several lessons is about
		require.Equal(t, file, l.Package)
		require.True(t, len(l.Stops) >= 8 && len(l.Stops) <= 15, "%s: %d stops", name, len(l.Stops))
		of, err := source.Read(filepath.Join("..", "..", catalog.Folder(l.Package)))
		require.NoError(t, err)
		rules, questions, shown := 0, 0, 0
		for i, s := range l.Stops {
			if s.Rule != 0 {
				rules++
				require.True(t, slices.ContainsFunc(of.Rules,
					func(r source.Rule) bool { return r.Number == s.Rule }),
					"%s, stop %d: no rule %d", name, i, s.Rule)
			}
			if s.Question != nil {
				questions++
				shown += min(len(s.Question.Is), 1)
			}
		}
		require.GreaterOrEqual(t, rules, len(l.Stops)-4, name)
		require.True(t, questions >= 2 && questions <= 4 && shown > 0, "%s: %d questions", name, questions)
	}
}

// text returns a lesson of one stop, at step 16 of the lesson about lcr.
func text(stop string) []byte {
	return []byte(`{"title": "t", "package": "lcr", "about": "a", "scenario": {"algorithm": "lcr/participant",
		"ids": [5, 2, 4, 1, 3], "initiators": [2, 4], "crash_at": [[2, 30]]}, "stops": [` + stop + `]}`)
}

// TestClaimsThatFail: each kind of claim is compared with the run, and so is each kind of answer.
func TestClaimsThatFail(t *testing.T) {
	const stop = `{"step": 16, "text": "t", "highlight": {"processes": [5]}, "claim": {"do": "deliver",
		"process": 5, "kind": "election", "messages": 10, "leads": [5], "down": [],
		"follows": {"2": 0, "5": 5}}, "question": {"ask": "a", "choices": ["1", "5", "14", "13"],
		"why": "w", "is": "sent", "answer": 0}}`
	for _, c := range []struct{ is, other, err string }{
		{},
		{`"step": 16`, `"step": 17`, "claim.process: 2, not 5"},
		{`"step": 16`, `"step": 99`, "stops[0].step: 99, and the run has 22"},
		{`"deliver"`, `"start"`, "stops[0]: claim.do: deliver, not start"},
		{`"process": 5`, `"process": 4`, "claim.process: 5, not 4"},
		{`"election"`, `"elected"`, "claim.kind: election, not elected"},
		{`"messages": 10`, `"messages": 0`, "claim.messages: 10, not 0"},
		{`"leads": [5]`, `"leads": []`, "claim.leads: [5], not []"},
		{`"down": []`, `"down": [2]`, "claim.down: [], not [2]"},
		{`"2": 0`, `"2": 5`, "claim.follows: not 2: 5"},
		{`"2": 0`, `"9": 5`, "claim.follows: not 9: 5"},
		{`"processes": [5]`, `"processes": [6]`, "highlight: 6 is no process"},
		{`"answer": 0`, `"answer": 1`, `question.answer: "5", and the run shows 1`},
		{`"sent", "answer": 0`, `"leader", "answer": 1`, ""},
		{`"sent", "answer": 0`, `"leader", "answer": 0`, `question.answer: "1", and the run shows 5`},
		{`"sent", "answer": 0`, `"messages", "answer": 2`, ""},
		{`"sent", "answer": 0`, `"messages", "answer": 0`, `and the run shows 14`},
		{`"sent", "answer": 0`, `"time", "answer": 3`, ""},
		{`"sent", "answer": 0`, `"time", "answer": 2`, `and the run shows 13`},
		{`"sent"`, `"luck"`, `question.is: "luck" is not one of`},
	} {
		require.Contains(t, stop, c.is)
		l, err := lessons.Read(text(strings.Replace(stop, c.is, c.other, 1)))
		require.NoError(t, err)
		if err := l.Check(t.Context()); c.err == "" {
			require.NoError(t, err, c.other)
		} else {
			require.ErrorContains(t, err, c.err)
		}
	}
}

// TestRead: a lesson that is no lesson is an error that says why.
func TestRead(t *testing.T) {
	const question = `{"step": 1, "text": "t", "question": {"ask": "a", "choices": ["1"], "answer": 0, "why": "w"}}`
	for bad, why := range map[string]string{
		`[`:                            "lesson: ",
		`{}`:                           "lesson: a title, a package",
		string(text(``)):               "and stops are needed",
		string(text(`{"step": 1}`)):    "stops[0]: a text is needed",
		string(text(`{"rules": [1]}`)): `unknown field "rules"`,
		string(text(`{"step": 2, "text": "t"}, {"step": 1, "text": "t"}`)): "stops[1]: a text is needed, " +
			"and a step",
		string(text(question)): "stops[0].question: ",
	} {
		_, err := lessons.Read([]byte(bad))
		require.ErrorIs(t, err, election.ErrInput, bad)
		require.ErrorContains(t, err, why, bad)
	}
	l, err := lessons.Read([]byte(strings.Replace(string(text(`{"step": 1, "text": "t"}`)), "participant",
		"nothing", 1)))
	require.NoError(t, err)
	require.ErrorIs(t, l.Check(t.Context()), election.ErrInput)
}
