package web

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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
			if (next.textContent === "Done" || next.dataset.lesson) return;
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

// Every stop of every lesson is reached, in the order of learning. Each lesson belongs to one course.
func TestLessons(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	type one struct {
		ID    string
		Stops []struct{ Step int }
	}
	var all []one
	require.NoError(t, json.Unmarshal(s.File("lessons.json"), &all))
	require.GreaterOrEqual(t, len(all), 12)
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Order []string
		Next  []string // lessons offered at the end of the lesson before
		Seen  []walked
	}
	p.script(&got, walk+`
		const got = { order: [], next: [], seen };
		for (let i = 0; i === 0 || i < got.order.length; i++) {
			await until(() => every(".lessons [data-lesson]")[i]);
			const buttons = every(".lessons [data-lesson]");
			got.order = buttons.map((b) => b.dataset.lesson);
			await walk(buttons[i]);
			got.next.push(document.querySelector(".ends [data-lesson]")?.dataset.lesson ?? "");
			every(".ends button").find((b) => b.textContent === "Done").click();
		}
		return got;`)
	require.Equal(t, []string{"lcr", "bully", "bully-split", "lease-split"}, got.Order[:4])
	require.Len(t, got.Order, len(all))
	require.Equal(t, append(got.Order[1:], ""), got.Next)
	k := 0
	for _, id := range got.Order {
		i := slices.IndexFunc(all, func(l one) bool { return l.ID == id })
		require.GreaterOrEqual(t, i, 0, id)
		before := -1
		for _, stop := range all[i].Stops {
			require.Empty(t, got.Seen[k].Error)
			require.Greater(t, got.Seen[k].Step, before-1)
			require.Equal(t, stop.Step, got.Seen[k].Step)
			before = got.Seen[k].Step
			k++
		}
		all = slices.Delete(all, i, i+1)
	}
	require.Empty(t, all)
	require.Len(t, got.Seen, k)
}

// Challenges are graded, and the easy ones of an algorithm come first.
func TestChallengesAreGraded(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [][]string
	p.script(&got, `
		document.querySelector("#tab-learn").click();
		while (!document.querySelector(".challenge")) await frame();
		return every(".package").map((e) => [...e.querySelectorAll("[data-level]")].map((l) => l.textContent));`)
	place := map[string]int{"easy": 0, "medium": 1, "hard": 2}
	count := make(map[string]int)
	for _, levels := range got {
		require.NotEmpty(t, levels)
		for _, l := range levels {
			require.Contains(t, place, l)
			count[l]++
		}
		require.True(t, slices.IsSortedFunc(levels, func(a, b string) int { return place[a] - place[b] }), levels)
	}
	require.Equal(t, "easy", got[0][0])
	for l := range place {
		require.Greater(t, count[l], 10, l)
	}
}
