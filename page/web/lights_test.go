package web

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
)

// The light of safety knows leases: it shows no leader whose lease has ended, though it pauses and does not
// know that yet, and is red when two leases are valid at one moment.
func TestLightOfLeases(t *testing.T) {
	t.Parallel()
	wrong, err := museum.Find(museum.Name, "lease-live-grant-replaced")
	require.NoError(t, err)
	var bad *scenario.Scenario
	for _, x := range museum.All() {
		if x.ID() == wrong.Variant {
			found, err := check.Run(t.Context(), x.Config)
			require.NoError(t, err)
			in := x.Config.Input
			in.Algorithm = wrong
			require.NoError(t, in.Check())
			bad, err = scenario.Of(&in)
			require.NoError(t, err)
			bad.Steps = found.Counterexample.Steps
		}
	}
	text, err := json.Marshal(bad)
	require.NoError(t, err)
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [2][][3]string
	p.script(&got, `
		const { encode } = page, got = [];
		const paused = { algorithm: "lease", ids: [1, 2, 3], clock_rates: [[1, 1.01]], until: 400,
			pause_at: [[3, 100, 200]] };
		for (const scenario of [paused, `+string(text)+`]) {
			document.title = "";
			location.hash = await encode(scenario, 0);
			while (!document.title) await settled();
			const seen = [], light = document.querySelector(".light");
			for (let k = 0; k <= range.max; k++) {
				to(k);
				seen.push([light.textContent, light.dataset.state, document.querySelector("select").value]);
			}
			got.push(seen);
		}
		return got;`)
	require.Equal(t, "lease", got[0][0][2])
	require.Equal(t, "museum/lease-live-grant-replaced", got[1][0][2], "the settings name another algorithm")
	leaders := make(map[string]bool)
	for _, seen := range got[0] {
		require.Equal(t, seen[0] == "no leader now", seen[1] == "none", "neither good nor bad: %s", seen)
		require.NotContains(t, seen[0], " and ")
		require.NotEqual(t, "bad", seen[1])
		leaders[seen[0]] = true
	}
	require.Subset(t, leaders, map[string]bool{"no leader now": true, "3 leads": true})
	require.GreaterOrEqual(t, len(leaders), 3, leaders)
	require.Equal(t, "gold", got[1][len(got[1])-2][1])
	last := got[1][len(got[1])-1]
	require.Equal(t, "bad", last[1])
	require.Contains(t, last[0], "while the lease of process")
}

// The lights know that several groups may each have a leader, and that processes which share a critical
// section want to enter it, not to elect.
func TestLightsOfGroupsAndSections(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [2][]string
	p.script(&got, `
		const { encode, call } = page, got = [];
		for (const algorithm of ["invitation", "mutex/tokenring"]) {
			const { json } = await call("scenario", { algorithm, n: 3 });
			document.title = "";
			location.hash = await encode(json, 0);
			while (!document.title) await settled();
			const seen = new Set();
			for (let k = 0; k <= range.max; k++) {
				to(k);
				seen.add(every(".light").map((l) => l.textContent + " " + l.dataset.state).join("; "));
			}
			got.push([...seen]);
		}
		return got;`)
	require.Contains(t, got[0], "1 and 2 and 3 lead gold; all 3 have decided good")
	require.Equal(t, "3 leads gold; all 3 have decided good", got[0][len(got[0])-1])
	require.Equal(t, []string{"the section is free good; none waiting for it good",
		"the section is free good; 1 waiting for it pending",
		"the section is free good; 2 waiting for it pending",
		"the section is free good; 3 waiting for it pending",
		"1 in the section gold; 2 waiting for it pending",
		"2 in the section gold; 1 waiting for it pending",
		"3 in the section gold; none waiting for it good"}, got[1])
}

// The light of safety names those of which the process itself is said to lead: not one that has crashed, nor
// one whose lease is over.
func TestLightsAndProcessesAgree(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct{ Wrong, Words []string }
	p.script(&got, `
		const { encode, call } = page, wrong = [], words = new Set();
		for (const sugar of [{ algorithm: "lease", ids: [1, 2, 3], clock_rates: [[1, 1.01]], until: 400,
			pause_at: [[3, 100, 200]] },
			{ algorithm: "bully/rules", ids: [1, 2, 3, 4], crash_at: [[4, 6]] }]) {
			const { json } = await call("scenario", sugar);
			document.title = "";
			location.hash = await encode(json, 0);
			while (!document.title) await settled();
			for (let k = 0; k <= range.max; k++) {
				to(k);
				await frame();
				const names = [];
				for (const node of every(".node")) {
					const [name, word] = node.getAttribute("aria-label").replace("process ", "").split(", ");
					words.add(word);
					if (word === "leads" && node.dataset.role !== "leader") wrong.push(k + ": " + word);
					if (word === "leads") names.push(name);
				}
				const light = document.querySelector(".light").textContent;
				const want = names.length ? names.join(" and ") : "no leader now";
				if (!light.startsWith(want)) wrong.push(k + ": " + light + ", " + want);
			}
		}
		return { wrong, words: [...words].sort() };`)
	require.Empty(t, got.Wrong)
	require.Subset(t, got.Words, []string{"leads", "led", "undecided"})
}

// The name of a leader above the picture in time is bold until its lease ends, though it pauses and does not
// know that.
func TestNameOfLeases(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lease", "ids": []int{1, 2, 3}, "until": 400,
		"pause_at": [][]float64{{3, 100, 200}}})
	var got struct{ Bold, Roles []bool }
	p.script(&got, `
		const { film } = page.store.state, got = { bold: [], roles: [] };
		const { fillText } = CanvasRenderingContext2D.prototype;
		let names;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
			if (text === "3" && this.canvas.closest(".time")) names = /bold|700/.test(this.font);
			fillText.call(this, text, ...more);
		};
		for (let k = 1; k <= film.length; k++) {
			if (film.at(k) < 50 || film.at(k) > 220) continue;
			to(k);
			await frame();
			got.bold.push(names);
			got.roles.push(film.roleOf(2, k) === 2);
		}
		CanvasRenderingContext2D.prototype.fillText = fillText;
		return got;`)
	require.Equal(t, got.Roles, got.Bold)
	require.Contains(t, got.Roles, true)
	require.Contains(t, got.Roles, false)
}

// What is inside the critical section stands out in the picture, and has it in its name. While links are cut,
// a red band stands beside the axis of time.
func TestSectionsAndCutsAreSeen(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "mutex/ricartagrawala", "n": 4, "seed": 3})
	var names []string
	p.script(&names, `
		const light = document.querySelector(".light"), found = new Set();
		for (let k = 0; k <= page.store.state.film.length; k++) {
			to(k);
			const inside = every(".node.inside").map((e) => e.getAttribute("aria-label"));
			const says = light.textContent.replace(/ in the section$/, "");
			found.add(inside.join().replace(says, "N"));
		}
		return [...found];`)
	require.Equal(t, []string{"", "process N, undecided, in the section"}, names)

	// Beside the line of a process in time there are two more while it is inside.
	var beside [2]int
	p.script(&beside, `
		const P = CanvasRenderingContext2D.prototype, { fillRect } = P, { film } = page.store.state;
		const pink = getComputedStyle(document.documentElement).getPropertyValue("--pink").trim();
		let found = 0, times = 0;
		P.fillRect = function (...a) {
			if (this.fillStyle === pink && a[2] === 2 && a[3] > 0) found++;
			fillRect.apply(this, a);
		};
		page.store.set({ paint: page.store.state.paint + 1 });
		await settled();
		P.fillRect = fillRect;
		const { sections } = film.head;
		sections.forEach(([step, , ...inside], i) => {
			if ((sections[i + 1]?.[0] ?? film.length) > step) times += inside.length;
		});
		return [found, 2 * times];`)
	require.NotZero(t, beside[1])
	require.Equal(t, beside[1], beside[0])

	p.ask(map[string]any{"algorithm": "lcr", "n": 4, "acts": []map[string]any{
		{"after": 9, "do": "cut", "groups": [][]int{{1}}}, {"after": 13, "do": "heal"}}})
	var got struct{ Bands, Wanted [][]float64 }
	p.script(&got, `
		const got = { bands: [] }, P = CanvasRenderingContext2D.prototype, { fillRect } = P;
		const { axis, film } = page.store.state;
		const red = getComputedStyle(document.documentElement).getPropertyValue("--red").trim();
		P.fillRect = function (x, y, w, h) {
			if (this.fillStyle === red && w === 4 && !this.canvas.isConnected) got.bands.push([y, h]);
			fillRect.call(this, x, y, w, h);
		};
		page.store.set({ paint: page.store.state.paint + 1 });
		await settled();
		P.fillRect = fillRect;
		const at = (what) => film.faults.filter((k) => film.what(k) === what).map((k) => axis.placeOf(k));
		const from = at("cut")[0], until = at("heal").at(-1);
		const unit = got.bands[0][1] / (until - from); // pixels
		got.wanted = [[48 + from * unit, (until - from) * unit], [unit]];
		return got;`)
	require.Len(t, got.Bands, 1)
	require.InDeltaSlice(t, got.Wanted[0], got.Bands[0], 1)
	require.Greater(t, got.Wanted[1][0], 3.0)
}

// The light of safety is red at the end of a counterexample, where the property does not hold any more, with
// the property in its words, and the step has the ring of what must not be: the picture is redder there.
func TestLightOfCounterexample(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Before, After [2]string
		Rings         [2]int
	}
	p.script(&got, `
		const { call, open, store } = page, got = { rings: [] };
		const scenario = (await call("scenario", { algorithm: "dkr", n: 3, order: "random", seed: 1 })).json;
		const { json } = await call("check", { scenario, budget: { any: true } });
		const light = document.querySelector(".light");
		const is = () => [light.dataset.state, light.textContent];
		const red = () => {
			const canvas = document.querySelector(".time canvas"), { width, height } = canvas;
			const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
			let n = 0;
			for (let i = 0; i < data.length; i += 4) {
				n += data[i] > 150 && data[i + 1] < 90 && data[i + 2] < 90;
			}
			return n;
		};
		await open(store, json.counterexample, { step: Infinity });
		await settled();
		got.after = is();
		got.rings.push(red());
		press("ArrowLeft");
		await settled();
		got.before = is();
		const { property, ...plain } = json.counterexample;
		await open(store, plain, { step: Infinity });
		await settled();
		got.rings.push(red());
		return got;`)
	require.Equal(t, [2]string{"bad", "violated: only the right process leads"}, got.After)
	require.NotEqual(t, "bad", got.Before[0])
	require.NotContains(t, got.Before[1], "violated")
	require.Greater(t, got.Rings[0], got.Rings[1]+30)
}
