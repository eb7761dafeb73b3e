package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/page/bridge"
)

// exercise is a challenge of the page.
type exercise struct {
	ID       string          `json:"id"`
	Property string          `json:"property"`
	Par      int             `json:"par"`
	Scenario json.RawMessage `json:"scenario"`
	Budget   json.RawMessage `json:"budget"`

	Run   json.RawMessage   `json:"run"`   // the solution; if empty, what the checker finds in the browser
	Right map[string]string `json:"right"` // the algorithm without the mistake
}

// tried is what the page says of a challenge.
type tried struct {
	ID, Before, After, Stars, Hinted, Mistake string
	Control                                   string // what the right algorithm violates by the same steps
	Allowed                                   bool   // the panel of proofs allows what the challenge does
}

// try plays a challenge as a reader does, who opens the checker's own run of it. After that the right
// algorithm takes the same steps.
const try = `
	const { call } = page, { encode } = page;
	document.querySelector("#tab-learn").click();
	const panel = document.querySelector("#panel-learn");
	const stars = () => panel.querySelector(".verdict .stars").getAttribute("aria-label");
	const verdict = (solved) => new Promise((said) => {
		const look = () => {
			const verdict = panel.querySelector(".verdict");
			if (verdict?.dataset.solved !== solved) return;
			watch.disconnect();
			said(verdict.textContent);
		};
		const watch = new MutationObserver(look);
		watch.observe(panel, { subtree: true, childList: true, attributeFilter: ["data-solved"] });
		look();
	});
	const play = async (c) => {
		const got = { id: c.id }, button = "[data-id=" + c.id + "]";
		while (!document.querySelector(button)) await frame();
		document.querySelector(button).click();
		got.before = await verdict("false");
		const labels = { crashes: "Crashes", restarts: "Restarts", recoveries: "Returns without state",
			pauses: "Pauses", losses: "Losses", duplicates: "Copies", cuts: "Cuts" };
		const shown = Object.fromEntries(every(".counts label").map((e) => [
			e.querySelector("span").textContent, Number(e.querySelector("select").value || NaN)]));
		got.allowed = document.querySelector(".tick input").checked === c.budget.any
			&& Object.entries(labels).every(([name, label]) => shown[label] === c.budget[name]);
		const check = () => call("check", { scenario: c.scenario, budget: c.budget });
		let run = c.run ?? (await check()).json.counterexample;
		if (run.steps?.length > c.par) {
			run = (await call("shrink", { scenario: run, property: c.property })).json;
		}
		location.hash = await encode(run, 1);
		got.after = await verdict("true");
		got.stars = stars();
		got.mistake = document.querySelector(".verdict .rule")?.textContent ?? "";
		every("#panel-learn button").find((b) => b.textContent === "Show a hint").click();
		while (stars() === got.stars) await frame();
		got.hinted = stars();
		const { name, note, expect, property, ...control } = { ...run, ...c.right };
		got.control = (await call("broken", { scenario: control })).json?.property ?? "";
		const { json } = await call("judge", { challenge: c.id, scenario: control });
		if (c.property && json.solved) got.control = "solved";
		document.querySelector(".lesson-head button").click();
		return got;
	};`

// exercises returns all challenges with what solves them.
func exercises(t *testing.T) (all []exercise) {
	t.Helper()
	var b bridge.Bridge
	reply, err := b.Call(t.Context(), "challenges", nil, nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(reply.JSON, &all))
	controls := make(map[string]map[string]string)
	for _, x := range museum.All() {
		a := x.Control.Algorithm
		controls[x.ID()] = map[string]string{"algorithm": a.Name, "variant": a.Variant}
	}
	for i := range all {
		c := &all[i]
		c.Right = controls[c.ID]
		switch c.ID {
		case "worst-lcr":
			c.Run, err = short(t, &b, map[string]any{"algorithm": "lcr/participant", "n": 5,
				"order": "worst"})
		case "worst-hs":
			c.Run, err = short(t, &b, map[string]any{"algorithm": "hs/probe", "n": 5, "order": "worst"})
		case "worst-bully":
			c.Run, err = short(t, &b, map[string]any{"algorithm": "bully/rules", "ids": []int{1, 2, 3, 4, 5},
				"initiators": []int{1}, "crashed": []int{5}})
		}
		require.NoError(t, err)
	}
	return all
}

// Every challenge is solved by the steps that the checker finds in the browser, not before any step, and the
// right algorithm violates nothing by the same steps.
func TestChallenges(t *testing.T) {
	t.Parallel()
	all := exercises(t)
	p := newTab(t, look{still: true})
	p.open(serve(t))
	asked, err := json.Marshal(all)
	require.NoError(t, err)
	var result struct {
		Got               []tried
		Solved, Summaries []string // the grades in the list, and what stands beside each package
	}
	p.script(&result, try+`
		const got = [], all = `+string(asked)+`;
		for (const c of all) got.push(await play(c));
		while (!document.querySelector("[data-id=" + all[0].id + "]")) await frame();
		return { got, solved: every(".challenge .stars").map((s) => s.ariaLabel ??
				s.getAttribute("aria-label")),
			summaries: every(".package summary small").map((s) => s.textContent) };`)
	got := result.Got
	require.Len(t, got, len(all))
	require.Equal(t, slices.Repeat([]string{"3 of 3 stars"}, len(all)), result.Solved)
	for _, words := range result.Summaries {
		solved, all, _ := strings.Cut(words, " / ")
		require.Equal(t, all, solved)
	}
	require.Greater(t, len(result.Summaries), 17)
	for i, c := range all {
		require.Equal(t, tried{ID: c.ID, Before: got[i].Before, After: got[i].After, Mistake: got[i].Mistake,
			Stars: "3 of 3 stars", Hinted: "1 of 3 stars", Allowed: true}, got[i])
		require.Contains(t, got[i].Before, "Not yet.", c.ID)
		require.Contains(t, got[i].After, "Solved.", c.ID)
		what := "step"
		if c.Property == "" {
			what = "message"
		}
		require.Contains(t, got[i].After, fmt.Sprintf("It took %s, and the best is %d.",
			prose.Plural(c.Par, what), c.Par))
		require.Equal(t, c.Property == "", got[i].Mistake == "", c.ID)
	}
}
