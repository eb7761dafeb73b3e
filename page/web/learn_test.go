package web

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/page/build"
)

// lesson is a lesson with all that a lesson can have.
const lesson = `[{"id": "lcr", "title": "Round", "package": "lcr", "about": "About it.",
	"scenario": {"algorithm": "lcr/participant", "ids": [5, 4, 1, 3, 2]}, "stops": [
	{"step": 0, "text": "Before.", "rule": 1},
	{"step": 7, "text": "Four starts.", "highlight": {"processes": [4, 1]}},
	{"step": 12, "text": "The second receipt."},
	{"step": 23, "text": "Five leads.", "question": {"ask": "Which leads?",
		"choices": ["4", "5"], "answer": 1, "why": "It is the largest."}},
	{"step": 26, "text": "Three follows."}]}]`

// walked is what a lesson shows at a stop.
type walked struct {
	Step, Lit int
	What, By  string
	Text      string
	Error     string
}

// walk goes through a lesson from its first stop to its last.
const walk = `
	document.querySelector("#tab-learn").click();
	const until = async (holds) => { let k; while (!(k = holds())) await frame();
		await settled();
		return k;
	};
	const lessons = await until(() => document.querySelectorAll(".lessons .does:not(.challenge)").length
		&& document.querySelectorAll(".lessons .does:not(.challenge)"));
	const seen = [];
	const walk = async (button) => {
		button.click();
		await until(() => document.querySelector(".stop"));
		for (;;) {
			await settled();
			const next = document.querySelector(".ends .strong");
			const before = document.querySelector(".stop").textContent;
			if (next.disabled) {
				document.querySelector(".choices button").click();
				await settled();
			}
			const log = document.querySelector("#panel-step .sentence").textContent;
			seen.push({ step: Number(range.value), lit: document.querySelectorAll(".node.lit").length,
				what: log, by: before, text: document.querySelector(".stop").textContent,
				error: document.querySelector("#error").textContent });
			if (next.textContent === "Done") return;
			next.click();
		}
	};`

// A lesson stops where it says, asks before it tells, and marks what it speaks of.
func TestLesson(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	server := httptest.NewServer(build.Handler(s.With("lessons.json", []byte(lesson))))
	t.Cleanup(server.Close)
	p := newTab(t, look{still: true})
	p.open(server.URL)
	var got []walked
	p.script(&got, walk+`await walk(lessons[0]); return seen;`)
	require.Len(t, got, 5)
	for i, want := range []walked{
		{Lit: 0, What: "Before the first step.", By: "", Text: "Before."},
		{Lit: 2, What: "4 starts", By: "", Text: "Four starts."},
		{Lit: 0, What: "receives election", By: "", Text: "The second receipt."},
		{Lit: 0, What: "it leads", By: "Which leads?", Text: "No. It is the largest.Five leads."},
		{Lit: 0, What: "decides: 5 leads", By: "", Text: "Three follows."},
	} {
		require.Contains(t, got[i].Text, want.Text)
		require.Contains(t, got[i].What, want.What, i)
		require.Contains(t, got[i].By, want.By)
		require.Equal(t, want.Lit, got[i].Lit, i)
		require.Empty(t, got[i].Error)
		if i > 0 {
			require.Greater(t, got[i].Step, got[i-1].Step)
		}
	}
	require.NotContains(t, got[3].By, "Five leads.")
}

// Where the lessons cannot be read, their panel says why, and has the challenges.
func TestNoLessons(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	server := httptest.NewServer(build.Handler(s.With("lessons.json", []byte("none"))))
	t.Cleanup(server.Close)
	p := newTab(t, look{still: true})
	p.open(server.URL)
	var got [2]string
	p.script(&got, `
		document.querySelector("#tab-learn").click();
		const panel = document.querySelector("#panel-learn");
		while (!panel.querySelector("[role=alert]")) await frame();
		return [panel.querySelector("[role=alert]").textContent,
			panel.querySelector(".challenge").textContent];`)
	require.Contains(t, got[0], "JSON")
	require.NotEmpty(t, got[1])
}

// Every stop of every lesson is reached. Lessons stand in the order of the list of algorithms.
func TestLessons(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	type one struct {
		Package string
		Stops   []struct{ Step int }
	}
	var all []one
	require.NoError(t, json.Unmarshal(s.File("lessons.json"), &all))
	require.GreaterOrEqual(t, len(all), 12)
	place := map[string]int{}
	for i, a := range catalog.All() {
		place[a.Name] = i
	}
	slices.SortStableFunc(all, func(a, b one) int { return place[a.Package] - place[b.Package] })
	require.Equal(t, "lcr", all[0].Package)
	if testing.Short() { // page/lessons compares the texts of all with their runs
		all = all[:2]
	}
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []walked
	p.script(&got, walk+`
		for (let i = 0; i < `+strconv.Itoa(len(all))+`; i++) {
			const list = await until(() => every(".lessons .does:not(.challenge)")[i]);
			await walk(list);
			document.querySelector(".ends .strong").click();
		}
		return seen;`)
	k := 0
	for _, one := range all {
		before := -1
		for _, stop := range one.Stops {
			require.Empty(t, got[k].Error)
			require.Greater(t, got[k].Step, before-1)
			require.Equal(t, stop.Step, got[k].Step)
			before = got[k].Step
			k++
		}
	}
	require.Len(t, got, k)
}
