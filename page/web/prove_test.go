package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// prover are what the scripts about proofs use: button finds a button by its words, until waits.
const prover = `
	const button = (words) => [...document.querySelectorAll("#panel-prove button")].find((b) =>
		b.textContent.startsWith(words));
	const until = async (holds) => { while (!holds()) await frame(); await settled(); };
	const allow = (name, n) => {
		const select = [...document.querySelectorAll(".counts label")].find((l) =>
			l.textContent.startsWith(name)).querySelector("select");
		select.value = n;
		select.dispatchEvent(new Event("change"));
	};
	document.querySelector("#tab-prove").click();
	if (button("Take 4").checkVisibility()) {
		button("Take 4").click();
		await until(() => document.querySelectorAll(".node").length === 4);
	}`

// A check in the browser says what it says here, and its counterexample opens as a branch that goes wrong.
func TestProof(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Right, Wrong, Error string
		Axis                string
		Outside             string // of the run that shows how
		Branches, Runs      int
		Scenario            json.RawMessage
	}
	p.script(&got, prover+`
		const got = {}, { decode } = page;
		const shown = async () => {
			await addressed();
			return (await decode(location.hash.slice(1))).scenario;
		};
		button("Try all").click();
		await until(() => document.querySelector(".verdicts"));
		got.right = document.querySelector(".result").textContent;
		allow("Crashes", 1);
		button("Try all").click();
		await until(() => document.querySelector(".counter"));
		got.wrong = document.querySelector(".result").textContent;
		button("Show how").click();
		await until(() => document.querySelectorAll(".branch").length === 2);
		got.scenario = await shown();
		got.axis = page.store.state.axis.scale;
		got.outside = document.querySelector("#outside").textContent;
		button("Make it shorter").click();
		await until(() => button("It is as short as it can be")?.disabled);
		got.runs = document.querySelectorAll(".branch").length;
		got.error = document.querySelector("#error").textContent;
		got.branches = document.querySelectorAll(".branch .wrong").length;
		return got;`)
	require.Contains(t, got.Right, "In any order of messages, without faults: nothing goes wrong. 2,305 states")
	require.NotContains(t, got.Right, "fails:")
	require.Contains(t, got.Wrong, "In any order of messages, with up to 1 crash: it can go wrong.")
	require.Contains(t, got.Wrong, "promises nothing if processes crash")
	require.Regexp(t, `^Outside the model. Since step \d+: lcr/participant promises nothing if`, got.Outside)
	require.Empty(t, got.Error)
	require.Equal(t, "steps", got.Axis, "most of them have the same time")
	require.Equal(t, 1, got.Branches)
	require.Equal(t, 2, got.Runs, "what cannot be shortened makes no run")
	var b bridge.Bridge
	head, _ := native(t, &b, got.Scenario)
	require.False(t, head.OK)
	require.NotEmpty(t, head.Scenario.Steps)
}

// A check that is stopped while its worker still starts ends with it: none continues that nobody sees.
func TestProofStoppedAtOnce(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct{ Asked, Ended int }
	p.script(&got, prover+`
		const got = { asked: 0, ended: 0 }, { postMessage, terminate } = Worker.prototype;
		Worker.prototype.postMessage = function (message) {
			if (message.name === "check") got.asked++;
			postMessage.call(this, message);
		};
		Worker.prototype.terminate = function () {
			got.ended++;
			terminate.call(this);
		};
		for (const words of ["Try all", "Stop", "Try all", "Stop", "Try all"]) button(words).click();
		await until(() => document.querySelector(".verdicts"));
		return got;`)
	require.Equal(t, 1, got.Asked)
	require.Equal(t, 2, got.Ended)
}

// What a challenge allows in a proof goes with it: faults, and, where time counts, how long the proof goes
// on, which no control shows.
func TestProofAfterAChallenge(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var asked []any
	p.script(&asked, prover+`
		const got = [], { postMessage } = Worker.prototype;
		Worker.prototype.postMessage = function (message) {
			if (message.name === "check") got.push(JSON.parse(message.args).budget.until ?? 0);
			postMessage.call(this, message);
		};
		const ask = async () => {
			got.length = 0; // also of the check by which the worker gets warm
			document.querySelector("#tab-prove").click();
			button("Try all").click();
			await until(() => document.querySelector("#panel-prove .sum"));
		};
		document.querySelector("#tab-learn").click();
		await until(() => document.querySelector("[data-id^=lease-live]"));
		document.querySelector("[data-id^=lease-live]").click();
		await until(() => page.store.state.scenario.algorithm === "museum");
		await ask();
		const all = [...got];
		await page.open(page.store, { algorithm: "lcr", variant: "participant", ids: [1, 2, 3] });
		await settled();
		await ask();
		const faults = () => every(".counts select").filter((s) => s.value !== "0").length;
		document.querySelector("#tab-learn").click();
		document.querySelector(".lesson-head button").click();
		await until(() => document.querySelector("[data-id^=bully-process-comes-back]"));
		document.querySelector("[data-id^=bully-process-comes-back]").click();
		await until(() => page.store.state.scenario.algorithm === "museum");
		const allowed = faults();
		await page.open(page.store, { algorithm: "lcr", variant: "participant", ids: [1, 2, 3] });
		return [...all, ...got, allowed, faults()];`)
	require.Equal(t, []any{1.000000001, 0.0, 2.0, 0.0}, asked)
}

// What was found goes when the reader goes to another run, and so does what is still being looked for: it
// would be taken for the run that is shown, and its way would hang below that.
func TestProofOfAnotherRun(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Named, Mapped, Error string
		Left                 []string
		Runs                 []int
	}
	p.script(&got, prover+`
		const got = { left: [], runs: [] }, select = document.querySelector(".setup select");
		const result = document.querySelector(".result"), states = document.querySelector(".states");
		const other = async (name) => {
			select.value = name;
			select.dispatchEvent(new Event("change"));
			await settled();
			got.left.push(result.textContent + states.textContent);
			got.runs.push(document.querySelectorAll(".branch").length);
		};
		allow("Crashes", 1);
		button("Try all").click();
		await until(() => document.querySelector(".counter"));
		got.named = result.querySelector(".note").textContent;
		await other("dkr");
		allow("Losses", 2); allow("Cuts", 2);
		button("Try all").click();
		while (!button("Stop")) await frame();
		await other("lcr/participant");
		button("Take 4").click();
		await until(() => document.querySelectorAll(".node").length === 4);
		for (const name of ["Crashes", "Losses", "Cuts"]) allow(name, 0);
		button("Show all").click();
		await until(() => document.querySelector(".map"));
		got.mapped = result.textContent;
		states.querySelector(":scope > .row:last-child button").click();
		await other("franklin");
		got.error = document.querySelector("#error").textContent;
		return got;`)
	require.Equal(t, "lcr/participant, 4 processes", got.Named)
	require.Equal(t, "lcr/participant, 4 processes", got.Mapped)
	require.Equal(t, []string{"", "", ""}, got.Left)
	require.Equal(t, []int{1, 1, 1}, got.Runs)
	require.Empty(t, got.Error)
}

// Of several scenarios that were dropped together each is a run of its own: what was found of one goes when
// another is shown.
func TestProofOfDroppedRuns(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct{ Found, Left string }
	p.script(&got, `
		const files = new DataTransfer(), got = {};
		const all = [{ algorithm: "lcr", ids: [2, 3, 1] }, { algorithm: "hs", ids: [1, 2] }];
		files.items.add(new File([JSON.stringify(all)], "a.json"));
		document.title = "";
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		while (!document.title) await settled();`+prover+`
		const result = document.querySelector(".result");
		button("Try all").click();
		await until(() => document.querySelector(".verdicts"));
		got.found = result.textContent;
		every(".tree .does")[1].click();
		await until(() => page.store.state.film.n === 2);
		got.left = result.textContent;
		return got;`)
	require.Contains(t, got.Found, "lcr/participant, 3 processes")
	require.Empty(t, got.Left)
}

// A graph that has gone is painted no more.
func TestGoneStatesRest(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr/participant", "n": 3})
	var painted []int
	p.script(&painted, prover+`
		const painted = [], gone = new Set(), { stroke } = CanvasRenderingContext2D.prototype;
		for (let i = 0; i < 3; i++) {
			button("Show all").click();
			const drawn = () => document.querySelector(".map canvas");
			await until(() => drawn() && !gone.has(drawn()));
			gone.add(drawn());
		}
		let seen = new Set();
		CanvasRenderingContext2D.prototype.stroke = function (...more) {
			if (gone.has(this.canvas)) seen.add(this.canvas);
			stroke.apply(this, more);
		};
		const { store } = page;
		store.set({ paint: store.state.paint + 1 });
		await settled();
		painted.push(gone.size, seen.size);
		CanvasRenderingContext2D.prototype.stroke = stroke;
		return painted;`)
	require.Equal(t, []int{3, 1}, painted)
}

// From a step on a check tries what can happen then: the crash that the run has had already counts.
func TestProofFromHere(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [2]string
	p.script(&got, prover+`
		const got = [];
		for (const crash of [false, true]) {
			to(4);
			await settled();
			if (crash) {
				choose(2);
				press("c");
				await until(() => document.querySelectorAll(".branch").length === 2);
			}
			button("Can it").click();
			await until(() => document.querySelector(".verdicts"));
			got.push(document.querySelector(".result .sum").textContent);
		}
		return got;`)
	require.Contains(t, got[0], "From step 4 on, in any order of messages, without more faults: nothing goes wrong.")
	require.Contains(t, got[1], "From step 5 on, in any order of messages, without more faults: it can go wrong.")
}

// The graph has all states; a click on one leads to it. A check that takes long can be stopped, and another
// one begun.
func TestStates(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Says, Stopped, Ends string
		Light               string
		Fails               int
		Key                 []string
		Keyed               []int // moves to the states to which keys lead
		Under, Steps        int   // of the state below the pointer, and of the run that a click opens
	}
	p.script(&got, prover+`
		const got = {};
		allow("Crashes", 2); allow("Losses", 2); allow("Cuts", 2);
		button("Try all").click();
		while (!button("Stop")) await frame();
		got.stopped = "";
		button("Stop").click();
		await until(() => document.querySelector(".result").textContent === "Stopped.");
		got.stopped = document.querySelector(".result").textContent;
		for (const name of ["Crashes", "Losses", "Cuts"]) allow(name, 0);
		button("Show all").click();
		await until(() => document.querySelector(".map"));
		got.says = document.querySelector(".states .note").textContent;
		got.key = [...document.querySelectorAll(".states .row span")].map((s) =>
			s.textContent + " " + s.firstChild.style.color);
		const end = document.querySelector(".states .row button");
		got.ends = end.textContent;
		end.click();
		await until(() => document.querySelectorAll(".branch").length === 2);
		got.light = document.querySelector(".light").textContent;
		const canvas = document.querySelector(".map canvas"), box = canvas.getBoundingClientRect();
		const at = (type, y) => canvas.dispatchEvent(new MouseEvent(type, { clientX: box.x + box.width / 2,
			clientY: box.y + y }));
		let y = box.height / 2;
		while (at("pointermove", y) && !canvas.style.cursor) y++;
		// The arrow keys lead from state to state, too: there, on and back again.
		const says = document.querySelector(".states .note").textContent;
		const keyed = [];
		for (const key of ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"]) {
			canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
			const now = document.querySelector(".states .note").textContent;
			keyed.push(Number(/^After ([0-9]+) move/.exec(now)[1]));
		}
		got.keyed = keyed;
		got.under = Number(/^After ([0-9]+) moves/.exec(says)[1]);
		at("click", y);
		await until(() => document.querySelectorAll(".branch").length === 3);
		await addressed();
		got.steps = (await page.decode(location.hash.slice(1))).scenario.steps.length;
		got.fails = every(".branch .wrong").length;
		return got;`)
	require.Zero(t, got.Fails, "a part of a run has not failed")
	require.Equal(t, []string{"━ 3 var(--blue)", "━ 1 var(--orange)", "━ 4 var(--green)",
		"━ 2 var(--pink)"}, got.Key)
	require.Positive(t, got.Under)
	require.Equal(t, got.Under, got.Steps)
	below := got.Under + 1
	require.Equal(t, []int{below, below, below, got.Under}, got.Keyed)
	require.Equal(t, "Stopped.", got.Stopped)
	require.Contains(t, got.Says, "2,305 states, 4,110 moves")
	require.Contains(t, got.Ends, "4 leads")
	require.Equal(t, "4 leads", got.Light)
}

// A check that has visited as many states as it may can go on to more, of the run and the faults that it was
// asked of, whatever is chosen since.
func TestProofGoesOn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		First  string
		Beyond int
	}
	p.script(&got, prover+`
		const got = {}, result = document.querySelector(".result");
		document.querySelector(".setup [type=number]").value = 8;
		document.querySelector(".setup [type=number]").dispatchEvent(new Event("change"));
		await until(() => document.querySelectorAll(".node").length === 8);
		await settled();
		button("Try all").click();
		await until(() => button("Try up to"));
		got.first = result.textContent;
		allow("Losses", 1);
		button("Try up to 3,000,000 states").click();
		const visited = () => Number(/^([0-9,]+) states/.exec(result.textContent)?.[1].replaceAll(",", ""));
		while (!(visited() > 310000)) await frame();
		got.beyond = visited();
		button("Stop").click();
		await until(() => result.textContent === "Stopped.");
		return got;`)
	require.Contains(t, got.First, "not every state was visited")
	require.NotContains(t, got.First, "fails:", "a loss would be")
	require.Greater(t, got.Beyond, 310_000)
	require.Less(t, got.Beyond, 3_000_000)
}

// Each fault that can be allowed is tried, beside crashes: as many states are visited as by the same check
// elsewhere, or it says why there is none.
func TestProofOfEachFault(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Scenario json.RawMessage
		States   map[string]string
	}
	p.script(&got, prover+`
		const n = document.querySelector(".size input[type=number]"), states = {};
		n.value = 2;
		n.dispatchEvent(new Event("change"));
		await until(() => document.querySelectorAll(".node").length === 2);
		for (const name of every(".counts label span").map((s) => s.textContent)) {
			allow("Crashes", 1);
			allow(name, 1);
			document.querySelector(".result").replaceChildren();
			button("Try all").click();
			await until(() => document.querySelector(".result .sum, .result .wrong"));
			const text = document.querySelector(".result .sum, .result .wrong").textContent;
			states[name] = / ([0-9]+) states/.exec(text)?.[1] ?? text;
			allow(name, 0);
		}
		return { scenario: page.store.state.scenario, states };`)
	var b bridge.Bridge
	want := make(map[string]string)
	for name, fault := range map[string]string{"Crashes": "crashes", "Restarts": "restarts",
		"Returns without state": "recoveries", "Pauses": "pauses", "Losses": "losses", "Copies": "duplicates",
		"Cuts": "cuts"} {
		args, err := json.Marshal(map[string]any{"scenario": got.Scenario,
			"budget": map[string]int{"crashes": 1, fault: 1}})
		require.NoError(t, err)
		reply, err := b.Call(t.Context(), "check", args, nil)
		if name == "Pauses" {
			require.ErrorContains(t, err, "time is not modelled")
			want[name] = strings.TrimPrefix(err.Error(), "election: bad input: ")
			continue
		}
		require.NoError(t, err)
		var found struct{ States int }
		require.NoError(t, json.Unmarshal(reply.JSON, &found))
		want[name] = fmt.Sprint(found.States)
	}
	require.Equal(t, want, got.States)
}
