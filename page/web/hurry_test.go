package web

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is shown belongs to the run that is shown, also where two runs have the same hash, as those of two
// algorithms that do the same have, or none, as the traces of real processes.
func TestPanelsAreOfTheRunShown(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Hashes, Sources []string
		Twice, Once     [2][]string
	}
	p.script(&got, `
		const { call, open, store } = page, got = { hashes: [], sources: [] };
		for (const variant of ["participant", "initiators"]) {
			await open(store, { algorithm: "lcr", variant, ids: [1, 3, 2] }, { step: 5 });
			await settled();
			got.hashes.push(store.state.film.head.hash);
			got.sources.push(document.querySelector("#panel-step").textContent);
		}
		const drop = async (ids, step) => {
			const scenario = { algorithm: "lcr", variant: "max", ids }, files = new DataTransfer();
			const { text } = (await call("export", { kind: "trace", scenario })).json;
			// What the simulator repeats is no record.
			files.items.add(new File([text.replace('"sim"', '"local"')], "a.trace"));
			document.title = "";
			window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
			while (!document.title) await settled();
			to(step);
			await settled();
			return [...every(".log li").map((e) => e.textContent), ...every(".node").map((e) =>
				e.getAttribute("aria-label")), document.querySelector(".process").textContent];
		};
		document.querySelector("#tab-log").click();
		const ways = [[5, 4, 1, 3, 2], [3, 2, 5, 1, 4]];
		got.once = [];
		for (const ids of ways) {
			await open(store, { algorithm: "hs", ids: [1, 2] });
			got.once.push(await drop(ids, 3));
		}
		got.twice = [await drop(ways[0], 3), await drop(ways[1], 3)];
		return got;`)
	require.Equal(t, got.Hashes[0], got.Hashes[1])
	for i, variant := range []string{"participant", "initiators"} {
		require.Contains(t, got.Sources[i], "lcr/"+variant+".go")
	}
	require.Equal(t, got.Once, got.Twice)
	require.NotEqual(t, got.Once[0], got.Once[1])
}

// The scrubber has the keys of the page, and none of its own that mean something else. To move it while the
// run is played does not start the run again.
func TestScrubberInHands(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "n": 8})
	const box = `const { x, y, width, height } = document.querySelector(".scrubber").getBoundingClientRect();`
	left := p.place(box + `return [x + 2, y + height / 2];`)
	right := p.place(box + `return [x + width - 2, y + height / 2];`)
	p.click(left, "left")
	p.key(" ")
	p.script(nil, `
		page.store.set({ speed: 0.25 });
		while (!page.store.state.playing) await frame();`)
	p.drag(left, right)
	var steps [3]int
	p.script(&steps[0], `
		await settled();
		return page.store.state.playing ? -1 : page.store.state.film.length - page.store.state.step;`)
	require.Zero(t, steps[0], "it stays at the end")
	p.drag(right, left)
	const arrow = `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight",
			bubbles: true, cancelable: true, shiftKey: %t }));`
	p.script(&steps[1], fmt.Sprintf(arrow, true)+`
		await settled();
		return page.store.state.step;`)
	require.Equal(t, 16, steps[1], "an instant further, in which all eight begin and start")
	p.script(&steps[2], fmt.Sprintf(arrow, false)+`
		await settled();
		return page.store.state.step;`)
	require.Equal(t, 17, steps[2])
}

// Keys that are pressed faster than runs are made do what each says, after what the one before has done.
func TestFastKeys(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "ids": []int{4, 3, 1, 2}, "delay": "hand"})
	var got struct {
		Done    []string
		Dialogs int
	}
	p.script(&got, `
		for (let i = 0; i < 4; i++) press("1");
		while (every(".branch").length < 5) await settled();
		// A second click comes before what the first does is there: it is none of its own.
		document.querySelector("#tab-acts").click();
		await settled();
		const first = document.querySelector(".next .does");
		first.click();
		first.click();
		while (every(".branch").length < 6) await settled();
		await settled();
		press("S");
		press("S");
		while (!document.querySelector("dialog")) await settled();
		await settled();
		const dialogs = every("dialog").length;
		document.querySelector("dialog").close();
		return { done: page.store.state.branches.slice(1).map((b) => b.title), dialogs };`)
	require.Len(t, got.Done, 5)
	for i, who := range got.Done {
		require.NotContains(t, got.Done[:i], who)
	}
	require.Equal(t, 1, got.Dialogs)
}

// A list of what may happen next, and a menu, are of the present step: none is in use while steps pass.
func TestNothingOldIsOffered(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "n": 8})
	var got struct {
		Inert         []bool
		Menu, Playing bool
		Crashed       []string // what may come for a process that is down, and for one that is paused
		Paused        []string
	}
	p.script(&got, `
		document.querySelector("#tab-acts").click();
		await settled();
		const next = document.querySelector(".next"), got = { inert: [next.inert] };
		press(" ");
		got.inert.push(next.inert);
		document.querySelector("[data-process='2'] .shape").dispatchEvent(new MouseEvent("contextmenu", {
			bubbles: true, clientX: 200, clientY: 200, cancelable: true }));
		while (document.querySelector(".popup").hidden) await frame();
		await settled();
		got.menu = !document.querySelector(".popup").hidden;
		got.playing = page.store.state.playing;
		got.inert.push(next.inert);
		press("Escape");
		to(16);
		const said = (e, { disabled, title }) => e.textContent + (disabled ? "; " + title : "");
		const list = (words) => every(".next li").filter((e) => words.test(e.textContent)).map((e) =>
			said(e, e.querySelector("button")));
		const name = page.store.state.film.name(2);
		for (const [key, what] of [["p", "paused"], ["c", "crashed"]]) {
			const before = every(".branch").length;
			press(key);
			while (every(".branch").length === before) await settled();
			await settled();
			got[what] = list(new RegExp(name + " receives"));
		}
		return got;`)
	require.Equal(t, []bool{false, true, false}, got.Inert)
	require.True(t, got.Menu)
	require.False(t, got.Playing)
	require.NotEmpty(t, got.Paused)
	require.NotEmpty(t, got.Crashed)
	for _, words := range got.Paused {
		require.Regexp(t, `; it waits until \d resumes$`, words)
	}
	for _, words := range got.Crashed {
		require.Contains(t, words, ", which is lost: it is down")
	}
}

// A setting that is refused leaves those of the run that is shown; another number of processes leaves out who
// starts.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "n": 6, "initiators": []int{6}})
	var got struct {
		Errors     []string
		Algorithms []string
		Numbers    []int
		Starts     []string
	}
	p.script(&got, fmt.Sprintf(`
		const got = { errors: [], algorithms: [], numbers: [], starts: [] }, { store } = page;
		const note = async () => {
			await settled();
			got.errors.push(store.state.error);
			got.algorithms.push(every(".setup select")[0].value);
			got.numbers.push(Number(document.querySelector(".size [type=number]").value));
			got.starts.push(JSON.stringify(store.state.scenario.initiators ?? null));
		};
		const type = async (words, value) => {
			const one = every(".setup label.choice, .size").find((e) => e.textContent.startsWith(words));
			const input = one.querySelector("input[type=number]") ?? one.querySelector("select, input");
			input.value = value;
			input.dispatchEvent(new Event("change"));
			await note();
		};
		await note();
		await type("Order", "best");
		await type("Algorithm", "treeelect/root");
		await type("Processes", 4);
		await type("Who starts", %q);
		await type("Who starts", "2, 3");
		return got;`, "a"))
	require.Equal(t, []string{"[6]", "[6]", "[6]", "null", "null", "[2,3]"}, got.Starts)
	require.Equal(t, []int{6, 6, 6, 4, 4, 4}, got.Numbers)
	for i, err := range got.Errors {
		require.Equal(t, i == 2 || i == 4, err != "", "%d: %s", i, err)
		require.Equal(t, "lcr/participant", got.Algorithms[i])
	}
	require.Contains(t, got.Errors[4], `"a" is not an id`)
}

// A hint, also one that was read before, and a way that the checker finds leave one star of a challenge.
func TestHelpCostsStars(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, `
		const got = [], button = (words) => every("button").find((b) => b.textContent.startsWith(words));
		const grade = async (id, hint) => {
			document.querySelector("#tab-learn").click();
			while (!document.querySelector("[data-id=" + id + "]")) await frame();
			document.querySelector("[data-id=" + id + "]").click();
			while (!document.querySelector(".verdict b")) await frame();
			if (hint) {
				button("Show a hint").click();
				await settled();
				button("All lessons").click();
				return;
			}
			document.querySelector("#tab-prove").click();
			button("Try all").click();
			while (!button("Show how")) await frame();
			button("Show how").click();
			while (document.querySelector(".verdict").dataset.solved !== "true") await frame();
			got.push(document.querySelector(".verdict .stars").getAttribute("aria-label"));
			button("All lessons").click();
		};
		await grade("lcr-start-not-guarded");
		await grade("hs-probe-comes-home-from-both-sides", true);
		document.querySelector("#tab-learn").click();
		while (!document.querySelector("[data-id=hs-probe-comes-home-from-both-sides]")) await frame();
		document.querySelector("[data-id=hs-probe-comes-home-from-both-sides]").click();
		while (!document.querySelector(".verdict b")) await frame();
		await settled();
		got.push(document.querySelector(".lesson-head ~ .rule").hidden ? "forgotten" : "known");
		const { scenario } = page.store.state, { json } = await page.call("check", { scenario, budget: {} });
		await page.open(page.store, json.counterexample, { step: Infinity, parent: page.store.state.branch });
		while (document.querySelector(".verdict").dataset.solved !== "true") await frame();
		got.push(document.querySelector(".verdict .stars").getAttribute("aria-label"));
		return got;`)
	require.Equal(t, []string{"1 of 3 stars", "known", "1 of 3 stars"}, got)
}

// A film that takes long ends as soon as the reader wants another run, and what else was asked of the
// library is answered. A trace that was read before is still known.
func TestFilmThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Ended, Challenges, Fields int
		Shown                     [4]bool // the third, second and first run; and whether one ended too soon
		Algorithm, Error          string
	}
	p.script(&got, `
		const { call, open, store } = page, got = { ended: 0 };
		const scenario = { algorithm: "lcr", ids: [1, 3, 2] };
		await call("read", { text: (await call("export", { kind: "trace", scenario })).json.text
			.replace('"sim"', '"local"') });
		// The next worker is to know the one before.
		await call("read", { text: "none" }).catch(() => {});
		await call("read", { text: JSON.stringify(scenario) });
		const { json } = await call("scenario", { algorithm: "ghs", n: 400, links: "complete" });
		const end = Worker.prototype.terminate;
		Worker.prototype.terminate = function () { got.ended++; end.call(this); };
		const long = open(store, json), challenges = call("challenges");
		await frame();
		const soon = open(store, { algorithm: "lcr", ids: [1, 2] }), early = got.ended;
		const late = () => { // the page takes a second for over, however fast the film is made
			const now = performance.now.bind(performance), is = now();
			performance.now = () => is + 1100 + (now() - is);
		};
		await frame();
		late();
		const hs = await open(store, { algorithm: "hs", ids: [1, 2, 3] });
		got.shown = [hs, await soon, await long, early > 0];
		got.challenges = (await challenges).json.length;
		got.fields = (await call("fields", { step: 4, process: 3 })).json[0].machines.length;
		await settled();
		// A run of the list whose film was dropped is made again, and given up like any other.
		const gone = { id: 99, parent: -1, after: 0, title: "long", scenario: json, film: null, seen: 0,
			wrong: "" };
		store.set({ branches: [...store.state.branches, gone] });
		every(".branch .does").at(-1).click();
		await frame();
		late();
		await open(store, { algorithm: "hs", ids: [1, 2, 3] });
		await settled();
		got.algorithm = store.state.film.head.algorithm;
		got.error = store.state.error;
		return got;`)
	require.Equal(t, 2, got.Ended)
	require.Equal(t, [4]bool{true}, got.Shown)
	require.Positive(t, got.Challenges)
	require.Positive(t, got.Fields)
	require.Equal(t, "hs/probe", got.Algorithm)
	require.Empty(t, got.Error)
}
