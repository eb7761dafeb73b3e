package web

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/page/bridge"
)

// strides returns the steps at which each stride on stops, as the film has them.
func strides(f *trace.Film, process int) map[string][]int {
	all, end := make(map[string][]int), len(f.Steps.Do)
	for k := 1; k <= end; k++ {
		add := func(name string, is bool) {
			if is {
				all[name] = append(all[name], k)
			}
		}
		add("event", true)
		add("instant", k == end || f.Steps.At[k] != f.Steps.At[k-1])
		add("process", int(f.Steps.Process[k-1]) == process)
		switch observe.What(f.Steps.Do[k-1]) {
		case observe.Crash, observe.Pause, observe.Resume, observe.Recover, observe.Restart, observe.Lose,
			observe.Duplicate, observe.Cut, observe.Heal:
			add("fault", true)
		}
	}
	type belief struct {
		role   uint8
		leader uint64
	}
	now := make(map[uint16]belief)
	for i, k := range f.Changes.Step {
		p, is := f.Changes.Process[i], belief{f.Changes.Role[i], f.Changes.Leader[i]}
		if is.role != uint8(election.Undecided) && is != now[p] && !slices.Contains(all["decision"], int(k)) {
			all["decision"] = append(all["decision"], int(k))
		}
		now[p] = is
	}
	return all
}

// Each stride stops where the film has what it is named for, forward and backward, by the buttons and by the
// keys.
func TestStrides(t *testing.T) {
	t.Parallel()
	var b bridge.Bridge
	scenario, err := short(t, &b, map[string]any{"algorithm": "bully/rules", "ids": []int{1, 2, 3, 4, 5},
		"initiators": []int{1}, "crash_at": [][]float64{{5, 0.5}}, "pause_at": [][]float64{{2, 3, 4}},
		"recover_at": [][]float64{{5, 30}}})
	require.NoError(t, err)
	_, data := native(t, &b, scenario)
	film, err := trace.ReadFilm(data)
	require.NoError(t, err)
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got map[string][2][2][]int
	p.script(&got, fmt.Sprintf(`
		const keys = { event: ["ArrowRight", "ArrowLeft"],
			instant: ["ArrowRight", "ArrowLeft", { shiftKey: true }],
			decision: ["n", "N"], fault: ["f", "F"], process: [".", ","] };
		document.title = "";
		location.hash = await page.encode(%s, 0);
		while (!document.title) await settled();
		choose(2);
		const select = every(".controls label.choice").find((l) => l.textContent.startsWith("Step by"))
			.querySelector("select");
		const end = Number(range.max), got = {}, walk = (from, to, step) => {
			const seen = [];
			for (document.querySelector(from).click(); Number(range.value) !== to;) {
				step();
				seen.push(Number(range.value));
			}
			return seen;
		};
		for (const [name, [on, back, more]] of Object.entries(keys)) {
			select.value = name;
			select.dispatchEvent(new Event("change"));
			const click = (s) => () => document.querySelector(s).click();
			got[name] = [[walk(".first", end, click(".on")), walk(".last", 0, click(".back"))],
				[walk(".first", end, () => press(on, more)), walk(".last", 0, () => press(back, more))]];
		}
		return got;`, scenario))
	end := len(film.Steps.Do)
	for name, stops := range strides(film, 2) {
		require.Greater(t, len(stops), 2, name)
		on := stops
		if stops[len(stops)-1] != end {
			on = append(slices.Clone(stops), end)
		}
		back := slices.DeleteFunc(slices.Clone(stops), func(k int) bool { return k == end })
		slices.Reverse(back)
		back = append(back, 0)
		require.Equal(t, [2][2][]int{{on, back}, {on, back}}, got[name], name)
	}
	require.Len(t, got, 5)
}

// misled returns what is wrong with the steps to which the strides of a module lead, if anything is.
func misled(t *testing.T, p *tab, module string) string {
	t.Helper()
	var b bridge.Bridge
	scenario, err := short(t, &b, map[string]any{"algorithm": "bully/rules", "n": 4, "order": "sorted",
		"initiators": []int{1}, "crash_at": [][]float64{{4, 0.5}}, "pause_at": [][]float64{{2, 3, 4}}})
	require.NoError(t, err)
	_, data := native(t, &b, scenario)
	film, err := trace.ReadFilm(data)
	require.NoError(t, err)
	end := len(film.Steps.Do)
	for name, stops := range strides(film, 2) {
		var got [][2]int // from each step, on and back
		p.script(&got, fmt.Sprintf(`
			const { target } = await import(%q), { data } = await page.call("film", { scenario: %s });
			const film = new page.Film(data);
			const within = (k) => Math.max(0, Math.min(film.length, k));
			return Array.from({ length: film.length + 1 }, (_, k) => [1, -1].map((way) =>
				within(target(film, k, %q, way, 2))));`, module, scenario, name))
		require.Len(t, got, end+1)
		for k, to := range got {
			next, last := end, 0
			for _, stop := range slices.Backward(stops) {
				if stop > k {
					next = stop
				}
				if stop < k {
					last = max(last, stop)
				}
			}
			if to != [2]int{next, last} {
				return fmt.Sprintf("%s from %d: %v, not %d and %d", name, k, to, next, last)
			}
		}
	}
	return ""
}

// Each of these mistakes in stepping leads to another step than the film has.
func TestMistakesInStepsAreFound(t *testing.T) {
	t.Parallel()
	mistakes := []edit{
		{"run.js", "", ""},
		{"run.js", `return step + way;`, `return step + 2 * way;`},
		{"run.js", `way > 0 ? k <= step : k < step`, `way > 0 ? k < step : k < step`},
		{"run.js", `way > 0 ? k <= step : k < step`, `k <= step`},
		{"run.js", `list[i + 1] ?? film.length`, `list[i] ?? film.length`},
		{"run.js", `film.at(k + 1) === at`, `film.at(k) === at`},
		{"run.js", `way > 0 ? step + 1 : step;`, `step + 1;`},
		{"run.js", `stride === "fault" ? film.faults`, `stride === "fault" ? film.decisions`},
	}
	p := newTab(t, look{still: true})
	p.open(serve(t, mistakes...))
	for i, e := range mistakes {
		wrong := misled(t, p, fmt.Sprintf("./%d/run.js", i))
		require.Equal(t, i == 0, wrong == "", "%s: %s", e.new, wrong)
	}
}

// shown is what the panels and the log say of a step, by names, beside what the library says of it.
type shown struct{ Panel, Want map[string][]string }

// readPanels goes to steps of a run, at the borders of what the page keeps too, and reads what is shown.
const readPanels = `
	const { call, store } = page, { json: scenario } = await call("scenario", { algorithm: "hs", n: 12,
		order: "sorted" });
	await page.open(store, scenario);
	while (!store.state.doc) await frame();
	const { film, doc } = store.state, got = [], { packages } = doc;
	const blocks = new Map(Object.entries(packages).flatMap(([name, p]) => p.blocks.map((b) =>
		[b.id, { ...b, name, text: p.files[b.file].split("\n") }])));
	const lists = (all) => Object.fromEntries(Object.entries(all).map(([name, value]) =>
		[name, [].concat(value).sort()]));
	const texts = (selector) => every(selector).map((e) => e.textContent);
	const tab = (name) => document.querySelector("#tab-" + name).click();
	const ask = async (name, more) => (await call(name, { scenario, ...more })).json;
	const actor = (step) => film.head.ids[film.steps.process[step - 1]];
	const fields = async (step, process) =>
		(await ask("fields", { step, process }))[0].machines.flatMap((m) => m.fields);
	const changes = async (step, before) => {
		const old = await fields(before, actor(step));
		const changed = (await fields(step, actor(step))).filter((f, i) => f.value !== old[i].value);
		return changed.map((f) => f.name);
	};
	const steps = [60, 61, 120, 121, film.length]; // and one that comes of two
	for (let k = 21; steps.length < 6; k++) {
		if (String(await changes(k, k - 1)) !== String(await changes(k, k - 2))) steps.push(k);
	}
	for (const step of steps) {
		to(step - 1);
		await settled();
		to(step);
		const sentence = document.querySelector("#panel-step .sentence"), panel = { known: "" };
		await settled();
		const all = document.querySelector("#panel-step figure ~ button");
		if (all?.textContent.startsWith("Show all")) all.click();
		Object.assign(panel, { sentence: sentence.textContent, rules: texts("#panel-step .tag"),
			lines: texts("#panel-step .line.ran i"), changes: texts("#panel-step .changes dt"),
			state: texts("#panel-process .changed dt") });
		to(step - 1);
		await settled();
		to(step);
		panel.known = sentence.textContent; // before anything is asked
		tab("log");
		await settled();
		const now = document.querySelector(".log [aria-current]");
		panel.log = now.textContent;
		now.nextElementSibling?.querySelector("button").click();
		panel.next = String(store.state.step);
		tab("step");
		await settled();

		const [text] = await ask("words", { from: step, to: step });
		const [ids] = await ask("lines", { from: step, to: step });
		const ran = ids.map((id) => blocks.get(id)), lines = new Map();
		for (const b of ran) {
			for (let l = b.from; l <= b.to; l++) {
				if (/\S/.test(b.text[l - 1])) lines.set(b.file + b.func + l, l);
			}
		}
		got.push({ panel: lists(panel), want: lists({ known: text, sentence: text, log: step + text,
			next: String(Math.min(film.length, step + 1)), lines: [...lines.values()].map(String),
			rules: [...new Set(ran.flatMap((b) => (b.rules ?? []).map((n) => "rule " + n)))],
			changes: await changes(step, step - 1), state: await changes(step, step - 1) }) });
	}
	return got;`

// misshown returns what the page shows otherwise than the library says it, at some step.
func misshown(t *testing.T, address string) (wrong []string) {
	t.Helper()
	p := newTab(t, look{still: true})
	defer p.close()
	p.open(address)
	var got []shown
	p.script(&got, readPanels)
	require.Len(t, got, 6)
	differs := make(map[string]bool)
	for _, s := range got {
		require.NotEmpty(t, s.Want["lines"])
		for name := range s.Want {
			if !slices.Equal(s.Want[name], s.Panel[name]) {
				differs[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(differs))
}

// The panel of the step and the log show what the library says of each step, and each of these mistakes is
// found by that: each makes something wrong that none of the others does.
func TestMistakesInPanelsAreFound(t *testing.T) {
	t.Parallel()
	require.Empty(t, misshown(t, serve(t)))
	mistakes := map[string]edit{
		"lines":   {"step.js", `from: step, to: step })`, `from: step - 1, to: step - 1 })`},
		"changes": {"step.js", `machines(film, scenario, step - 1, p)`, `machines(film, scenario, step - 2, p)`},
		"state":   {"process.js", `[Math.max(0, step - 1), step]`, `[Math.max(0, step - 2), step]`},
		"known":   {"words.js", `(all[first + i] = text)`, `(all[first + i + 1] = text)`},
		"log":     {"log.js", `"data-step": from + i`, `"data-step": from + i + 1`},
	}
	wrong := misshown(t, written(t, slices.Collect(maps.Values(mistakes))...))
	for what := range mistakes {
		require.Contains(t, wrong, what)
	}
}

// Ten seconds of play say at most ten sentences to a screen reader, and the last one is that of the last
// step.
func TestVoice(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Said []float64
		Last string
		Want []string
	}
	p.script(&got, `
		while (!page.store.state.doc) await frame();
		press("End");
		await settled();
		const spoken = document.querySelector("#spoken"), { step, scenario } = page.store.state;
		const want = (await page.call("words", { scenario, from: step, to: step })).json;
		while (spoken.textContent !== want[0]) await frame(); // what the page has begun by the real clock
		let now = 1e9, timers = [];
		performance.now = () => now;
		window.setTimeout = (run, wait) => timers.push({ run, at: now + wait });
		window.clearTimeout = (id) => { if (timers[id - 1]) timers[id - 1].at = Infinity; };
		const said = [];
		new MutationObserver(() => said.push(now - 1e9)).observe(spoken,
			{ childList: true, characterData: true, subtree: true });
		for (let i = 0; i <= 100; i++, now += 100) {
			to(Math.floor((range.max * i) / 90));
			timers.forEach((timer) => {
				if (timer.at > now) return;
				timer.at = Infinity;
				timer.run();
			});
			await settled();
		}
		return { said, last: spoken.textContent, want };`)
	require.GreaterOrEqual(t, len(got.Said), 8)
	for i := 1; i < len(got.Said); i++ {
		require.GreaterOrEqual(t, got.Said[i]-got.Said[i-1], 1000.0)
	}
	require.Equal(t, got.Want[0], got.Last)
}

// past returns of each step, and of none before the first, what may have caused it: of each process the last
// of its steps that may have.
func past(f *trace.Film) [][]uint32 {
	n := len(f.Head.IDs)
	all, last := [][]uint32{make([]uint32, n)}, make([]uint32, n)
	for k := uint32(1); int(k) <= len(f.Steps.Do); k++ {
		p := f.Steps.Process[k-1]
		now := slices.Clone(all[last[p]])
		first := f.Steps.First[k-1]
		for i := first; i < first+f.Steps.Count[k-1]; i++ {
			do, link := observe.What(f.Events.Do[i]), f.Events.Link[i]
			if f.Events.Copy[i] >= 0 && do != observe.Duplicate {
				link = f.Events.Copy[i] // a copy comes from where the message was doubled
			}
			if link < 0 || do != observe.Deliver && do != observe.Lose {
				continue
			}
			for q, step := range all[f.Events.Step[link]] {
				now[q] = max(now[q], step)
			}
		}
		now[p], last[p] = k, k
		all = append(all, now)
	}
	return all
}

// The causal past of each step is what led to it, along processes and messages; a click on a step lights it.
func TestCausalPast(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var b bridge.Bridge
	for _, s := range filmed {
		scenario, film := readFilm(t, &b, s)
		var got [][]uint32
		p.script(&got, fmt.Sprintf(`
			const film = new page.Film((await page.call("film", { scenario: %s })).data);
			return Array.from({ length: film.length + 1 }, (_, k) => [...film.past(k)]);`, scenario))
		require.Equal(t, past(film), got, s)
	}
	var lit [2]int
	p.script(&lit, `
		to(9);
		press("l");
		const { film } = page.store.state, dim = every(".node.dim").length;
		return [dim, [...film.past(9)].filter((step) => step === 0).length];`)
	require.Positive(t, lit[0])
	require.Equal(t, lit[1], lit[0])
}

// While the run is played, the panel of the step shows rule and lines now and then, and of the same step as
// the panel of the process beside it.
func TestPanelsWhilePlaying(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	var got struct {
		Rules   []string
		Changes [][2]string
		Playing bool
	}
	p.script(&got, `
		const rules = new Set(), changes = new Map(), { state } = page.store;
		while (!state.doc || state.busy) await frame();
		if (!state.playing) press(" ");
		while (state.playing && rules.size < 3) {
			await frame();
			const rule = document.querySelector("#panel-step .rule");
			if (!state.playing || !rule || document.documentElement.dataset.calls !== "0") continue;
			const text = rule.textContent;
			await frame(); // the panels may be drawn in two frames
			if (!state.playing || document.documentElement.dataset.calls !== "0") continue;
			if (document.querySelector("#panel-step .rule")?.textContent !== text) continue;
			rules.add(text);
			const names = (selector) => every(selector).map((e) => e.textContent).join();
			const pair = [names("#panel-step .changes dt"), names("#panel-process .changed dt")];
			changes.set(pair.join("; "), pair);
		}
		return { rules: [...rules], changes: [...changes.values()], playing: state.playing };`)
	require.True(t, got.Playing, "the run ended with the rules %v", got.Rules)
	require.Len(t, got.Rules, 3)
	require.NotEmpty(t, got.Changes)
	for _, pair := range got.Changes {
		require.Equal(t, pair[0], pair[1])
	}
}

// A constant has its name in the panel of the process, also inside a list.
func TestConstantsHaveNames(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, `
		while (!page.store.state.doc) await frame(); // names come with the source
		const got = [];
		for (const algorithm of ["ghs", "mutex/ricartagrawala"]) {
			await page.open(page.store, (await page.call("scenario", { algorithm, n: 3 })).json);
			to(5);
			await settled();
			got.push(document.querySelector("#panel-process").textContent);
		}
		return got;`)
	require.Contains(t, got[0], "statefound")
	require.Contains(t, got[1], "phase waiting")
	require.NotContains(t, got[0]+got[1], "(2)")
}

// Above the scrubber each decision has a mark: a star if a process leads then. Faults have one of their own.
func TestMarks(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct{ Decisions, Stars, Faults, Green, Gold, Red int }
	p.script(&got, `
		const { encode, call, store } = page;
		const { json } = await call("scenario", { algorithm: "bully/rules", ids: [1, 2, 3, 4, 5],
			crash_at: [[5, 1]], pause_at: [[2, 3, 4]] });
		document.title = "";
		location.hash = await encode(json, 0);
		while (!document.title) await settled();
		const count = {}, { fillRect, fill } = CanvasRenderingContext2D.prototype;
		const style = getComputedStyle(document.documentElement);
		const colour = (name) => style.getPropertyValue("--" + name).trim();
		for (const [does, old] of [["fillRect", fillRect], ["fill", fill]]) {
			CanvasRenderingContext2D.prototype[does] = function (...more) {
				const key = does + this.fillStyle;
				if (this.canvas.closest(".scrubber")) count[key] = (count[key] ?? 0) + 1;
				old.apply(this, more);
			};
		}
		to(3);
		await settled();
		const { film } = store.state;
		return { decisions: film.decisions.length, stars: film.crowned.size,
			faults: film.faults.filter((k) => film.what(k) !== "lose").length,
			green: count["fillRect" + colour("green")], gold: count["fill" + colour("gold")],
			red: count["fillRect" + colour("red")] };`)
	require.Positive(t, got.Stars)
	require.Greater(t, got.Decisions, got.Stars)
	require.Equal(t, got.Decisions-got.Stars, got.Green)
	require.Equal(t, got.Stars, got.Gold)
	require.Positive(t, got.Faults)
	require.Equal(t, got.Faults, got.Red)
}
