package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/page/bridge"
)

// point is a place on the page.
type point [2]float64

// place evaluates a script that returns a place.
func (p *tab) place(script string) (at point) {
	p.t.Helper()
	p.script(&at, script)
	return at
}

// click clicks on a place with a button of the mouse.
func (p *tab) click(at point, button string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.MouseClickXY(at[0], at[1], chromedp.Button(button))))
}

// drag draws a line with the mouse.
func (p *tab) drag(line ...point) {
	p.t.Helper()
	event := func(what input.DispatchMouseEventType, at point) {
		require.NoError(p.t, chromedp.Do(p.ctx, chromedp.MouseEvent(what, at[0], at[1],
			chromedp.Button("left"))))
	}
	event(chromedp.MousePressed, line[0])
	for _, at := range line[1:] {
		event(chromedp.MouseMoved, at)
	}
	event(chromedp.MouseReleased, line[len(line)-1])
}

// key presses a key.
func (p *tab) key(key string) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.KeyEvent(key)))
}

// address returns the address when a second run is there and all is settled.
func (p *tab) address() (hash string) {
	p.t.Helper()
	p.script(&hash, `
		while (document.querySelectorAll(".branch").length < 2) await frame();
		await addressed();
		return location.hash;`)
	return hash
}

// What is done with the mouse and what is done with the keys is the same run: its address is the same.
func TestMouseAndKeysActAlike(t *testing.T) {
	t.Parallel()
	const node = `(p) => {
		const { left, top, width, height } = every(".node .shape")[p].getBoundingClientRect();
		return [left + width / 2, top + height / 2];
	}`
	item := func(words string) string {
		return fmt.Sprintf(`
			let found;
			while (!(found = [...document.querySelectorAll("[role=menuitem]")].find((e) =>
				e.checkVisibility() && e.textContent.startsWith(%q)))) await frame();
			const { left, top, width, height } = found.getBoundingClientRect();
			return [left + width / 2, top + height / 2];`, words)
	}
	focus := func(p *tab) {
		p.script(nil, `document.querySelector("[data-process='0']").focus();`)
		for range 3 {
			p.key(kb.ArrowDown)
		}
		p.key(kb.Enter)
	}
	for name, ways := range map[string][2]func(p *tab){
		"crash": {func(p *tab) {
			p.click(p.place(`return (`+node+`)(3);`), "right")
			p.click(p.place(item("Crash")), "left")
		}, func(p *tab) {
			focus(p)
			p.key("c")
		}},
		"drop": {func(p *tab) {
			p.click(p.place(`
				const { left, top } = page.scene.stage.getBoundingClientRect();
				const { x, y } = page.scene.tokens.find((token) => token.journey.from === 3);
				return [left + x, top + y];`), "left")
			p.click(p.place(item("Lose")), "left")
		}, func(p *tab) {
			p.script(nil, `
				document.querySelector("#tab-acts").click();
				await settled();
				const name = document.querySelectorAll(".node .name")[3].textContent;
				const says = new RegExp(" from " + name + "\\b");
				every(".next li").find((e) => says.test(e.querySelector(".does").children[1].textContent))
					.querySelector(".more-acts button").focus();`)
			p.key(kb.Enter)
		}},
		"cut": {func(p *tab) {
			at := p.place(`return (` + node + `)(3);`)
			p.drag(point{at[0] - 30, at[1] - 30}, point{at[0] + 30, at[1] - 30},
				point{at[0] + 30, at[1] + 30}, point{at[0] - 30, at[1] + 30})
			p.click(p.place(item("Cut off")), "left")
		}, func(p *tab) {
			focus(p)
			p.key("x")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t)
			var got [2]string
			for i, way := range ways {
				p := newTab(t, look{still: true})
				p.open(server)
				p.script(nil, `to(17); await settled();`)
				way(p)
				got[i] = p.address()
			}
			require.Equal(t, got[0], got[1])
			require.Greater(t, len(got[0]), 60)
		})
	}
}

// A group of many processes is drawn with the mouse, or its names are written: the run is the same.
func TestGroupsOfMany(t *testing.T) {
	t.Parallel()
	server := serve(t)
	ways := []func(p *tab){func(p *tab) {
		var line []point
		p.script(&line, `
			const { left, top } = page.scene.stage.getBoundingClientRect();
			const { cx, cy, big } = page.scene.placed;
			const at = (p, far) => [left + cx + far * big * Math.sin(p * Math.PI / 32),
				top + cy - far * big * Math.cos(p * Math.PI / 32)];
			const steps = Array.from({ length: 11 }, (_, i) => 9.5 + i);
			return [...steps.map((p) => at(p, 1.1)), ...steps.reverse().map((p) => at(p, 0.9))];`)
		p.drag(line...)
		p.click(p.place(`
			while (!document.querySelector(".popup button")?.checkVisibility()) await frame();
			const first = document.querySelector(".popup button");
			const { left, top, width, height } = first.getBoundingClientRect();
			return [left + width / 2, top + height / 2];`), "left")
	}, func(p *tab) {
		p.script(nil, `
			document.querySelector("#tab-acts").click();
			await settled();
			document.querySelector("#panel-acts input[type=text]").focus();`)
		for _, key := range "20, x, 11-19" + kb.Enter {
			p.key(string(key))
		}
		p.script(nil, `
			every("#panel-acts button").find((b) => b.textContent.startsWith("Cut off 10")).focus();`)
		p.key(kb.Enter)
	}}
	var got [2]string
	for i, way := range ways {
		p := newTab(t, look{still: true})
		p.open(server)
		p.script(nil, `
			await page.open(page.store, { algorithm: "lcr", ids: Array.from({ length: 64 },
				(_, p) => p + 1) });
			to(70);
			await settled();`)
		way(p)
		got[i] = p.address()
		var cut []string
		p.script(&cut, `return page.store.state.scenario.acts.map((a) => a.do + " " + a.groups.join());`)
		require.Equal(t, []string{"cut 11,12,13,14,15,16,17,18,19,20"}, cut)
	}
	require.Equal(t, got[0], got[1])
}

// acted adds acts to a scenario, at random steps, each after the one before.
func acted(t *testing.T, b *bridge.Bridge, text json.RawMessage, acts int) json.RawMessage {
	t.Helper()
	random, from := rand.New(rand.NewPCG(3, 5)), 0
	for try := 0; acts > 0 && try < 60; try++ {
		_, data := native(t, b, text)
		film, err := trace.ReadFilm(data)
		require.NoError(t, err)
		step := from + random.IntN(max(1, len(film.Steps.Do)-from))
		args, err := json.Marshal(map[string]any{"scenario": text, "step": step})
		require.NoError(t, err)
		reply, err := b.Call(t.Context(), "pending", args, nil)
		require.NoError(t, err)
		var next []struct{ Act map[string]any }
		require.NoError(t, json.Unmarshal(reply.JSON, &next))
		act := map[string]any{"do": "pause", "process": 1 + random.IntN(4)}
		switch kind := random.IntN(5); {
		case kind == 0:
			act["do"] = "crash"
		case kind == 1:
			act = map[string]any{"do": "cut", "groups": [][]int{{1}}, "one_way": true}
		case len(next) > 0:
			if act = next[random.IntN(len(next))].Act; act["do"] == "deliver" && kind < 4 {
				act["do"] = []string{"lose", "duplicate"}[random.IntN(2)]
			}
		}
		args, err = json.Marshal(map[string]any{"scenario": text, "step": step, "act": act})
		require.NoError(t, err)
		if reply, err = b.Call(t.Context(), "do", args, nil); err != nil {
			continue // not everything is possible at every step
		}
		var done struct{ Scenario json.RawMessage }
		require.NoError(t, json.Unmarshal(reply.JSON, &done))
		text, from = done.Scenario, step
		acts--
	}
	require.Zero(t, acts)
	return text
}

// After five acts, too, every algorithm makes the same run in the browser as here.
func TestActsAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	var b bridge.Bridge
	var runs []hashed
	for _, name := range algorithms(t, &b) {
		for _, setting := range settings {
			scenario := acted(t, &b, under(t, &b, name, setting), 5)
			head, _ := native(t, &b, scenario)
			runs = append(runs, hashed{scenario, head.Hash})
		}
	}
	require.Greater(t, len(runs), 120)
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.makes(runs)
}

// By hand nothing moves but what is chosen by its number, and each choice takes one unit of time.
func TestByHand(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Times    []float64
		Light    string
		Scenario json.RawMessage
		Hash     string
	}
	p.script(&got, `
		const n = document.querySelector(".size input[type=number]"), got = { times: [] };
		n.value = 3;
		n.dispatchEvent(new Event("change"));
		while (document.querySelectorAll(".node").length !== 3) await frame();
		document.querySelector("#tab-acts").click();
		await settled();
		const branches = () => document.querySelectorAll(".branch").length;
		document.querySelector("[role=switch]").click();
		while (branches() < 2) await frame();
		await settled();
		for (let k = 3; document.querySelector(".next li"); k++) {
			press(String(1 + k % 2 * (document.querySelectorAll(".next li").length > 1 ? 1 : 0)));
			while (branches() < k) await frame();
			await settled();
			got.times.push(Number(document.querySelector(".where").textContent.split("time ")[1]));
		}
		got.light = document.querySelector(".light").textContent;
		got.hash = document.querySelector("#hash").textContent;
		await addressed();
		got.scenario = (await page.decode(location.hash.slice(1))).scenario;
		return got;`)
	require.Greater(t, len(got.Times), 8)
	for i, at := range got.Times {
		require.InDelta(t, i+1, at, 0)
	}
	require.Equal(t, "3 leads", got.Light)
	var b bridge.Bridge
	head, _ := native(t, &b, got.Scenario)
	require.Equal(t, got.Hash, head.Hash)
	require.True(t, head.OK)
}

// By hand a run keeps what holds before it begins; going off shows the run from which it comes. A change of a
// setting keeps what no setting shows.
func TestByHandAndBack(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Crashed    []int
		Back, Runs bool
		Again      map[string]any
		Fewer      int
		Error      string
	}
	p.script(&got, `
		const { call, store } = page, got = {};
		const { json } = await call("scenario", { algorithm: "echo/extinction", n: 9, links: "grid:3x3",
			delay: "1-3", seed: 3, crashed: [5], crash_at: [[2, 4]], loss: 0.1,
			fifo: false, until: 30 });
		await page.open(store, json, { step: 0 });
		await addressed();
		const before = store.state.scenario, runs = () => store.state.branches.length;
		document.querySelector("#tab-acts").click();
		await settled();
		const hand = document.querySelector("[role=switch]");
		hand.click();
		while (runs() < 2) await frame();
		await settled();
		got.crashed = store.state.scenario.crashed ?? [];
		hand.click();
		while (store.state.scenario.schedule === "hand") await frame();
		await settled();
		got.back = store.state.scenario === before;
		got.runs = runs() === 2;
		const makes = async (change) => {
			const { scenario } = store.state;
			change();
			while (store.state.scenario === scenario && !store.state.error) await frame();
			await settled();
			got.error = store.state.error;
		};
		await makes(() => every("button.quiet").find((b) => b.textContent === "↻").click());
		got.again = store.state.scenario;
		await makes(() => {
			const n = document.querySelector(".size input[type=number]");
			n.value = 3;
			n.dispatchEvent(new Event("change"));
		});
		got.fewer = store.state.film.n;
		return got;`)
	require.Empty(t, got.Error)
	require.Equal(t, []int{5}, got.Crashed)
	require.True(t, got.Back, "going off shows the run that was there")
	require.True(t, got.Runs, "going off makes no run")
	for _, name := range []string{"crashed", "crash_at", "loss", "until", "delay"} {
		require.Contains(t, got.Again, name)
	}
	require.Equal(t, false, got.Again["fifo"])
	require.Len(t, got.Again["topology"].(map[string]any)["edges"], 12)
	require.Equal(t, 3, got.Fewer)
}

// doing lets a script act on a process by the button that begins with some words, perhaps after a step.
const doing = `
	const act = async (k, p, words) => {
		if (k >= 0) to(k);
		if (store.state.process !== p) choose(p);
		await settled();
		const before = every(".branch").length;
		const find = () => every("#panel-acts button:enabled").find((b) =>
			(b.getAttribute("aria-label") ?? b.textContent).startsWith(words));
		for (let waits = 0; !find(); waits++) {
			if (waits > 200) throw new Error(words + " is not offered");
			await frame();
		}
		find().click();
		while (every(".branch").length === before) {
			const error = document.querySelector("#error").textContent;
			if (error) throw new Error(words + ": " + error);
			await frame();
		}
		await settled();
		const { scenario } = store.state, outside = document.querySelector("#outside");
		got.acts.push(scenario.acts.at(-1));
		got.runs.push({ scenario, hash: document.querySelector("#hash").textContent });
		if (outside.hidden) return;
		got.said.push([outside.textContent, getComputedStyle(outside.querySelector("b")).color]);
	};`

// A run that is played stands still when the list of acts is opened, and its acts are offered. Of a run whose
// groups have leaders the title says so.
func TestActsStopTheRun(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	var got struct {
		Title   string
		Playing bool
		Note    bool
	}
	p.script(&got, `
		const { call, encode, store } = page;
		const { json } = await call("scenario", { algorithm: "invitation", n: 5 });
		document.title = "";
		location.hash = await encode(json, 0);
		while (!document.title) await settled();
		store.set({ playing: true });
		await settled();
		document.querySelector("#tab-acts").click();
		while (!every(".next .does").length) await frame();
		return { title: document.querySelector("main").textContent, playing: store.state.playing,
			note: document.querySelector("#panel-acts .note").checkVisibility() };`)
	require.Contains(t, got.Title, "elect one leader a group.")
	require.False(t, got.Playing)
	require.False(t, got.Note, "it is no record of real processes")
}

// Every act that the library knows is offered by a button, and carried out as it carries it out. What
// leaves the model of the algorithm is marked where it is offered, and said in red where it was done.
func TestEveryActIsOffered(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Acts []map[string]any
		Runs []hashed
		Said [][2]string
		Red  string
		List []string // of the runs, which do not stand beside what was pressed
	}
	p.script(&got, `
		const { call, encode, store } = page, got = { acts: [], runs: [], said: [] };`+doing+`
		const { json } = await call("scenario", { algorithm: "bully/rules", ids: [1, 2, 3, 4, 5],
			initiators: [1], crash_at: [[5, 0.5]] });
		document.title = "";
		location.hash = await encode(json, 0);
		while (!document.title) await settled();
		document.querySelector("#tab-acts").click();
		const probe = document.createElement("b");
		probe.style.color = "var(--red)";
		document.body.append(probe);
		got.red = getComputedStyle(probe).color;
		await act(7, 1, "Crash 2");
		await act(-1, 1, "2 comes back without its state");
		await act(-1, 2, "Crash 3");
		await act(-1, 2, "3 comes back with its saved state");
		await act(-1, 3, "Pause 4");
		await act(-1, 3, "Resume 4");
		await act(-1, 1, "Start at 2");
		const timer = every("#panel-acts .group button").find((b) => b.textContent.startsWith("Now "));
		await act(-1, 0, timer.firstChild.data.slice(4));
		await act(-1, 0, "4"); // it suspects
		await act(-1, 0, every(".next .does")[0].textContent);
		await act(-1, 0, "× Lose");
		await act(-1, 0, "×2 Duplicate");
		await act(-1, 0, "+1 Delay");
		await act(-1, 0, "Nothing from 1 arrives");
		await act(-1, 0, "Cut off 1");
		await act(-1, 0, "Heal");
		await act(-1, 0, "Nothing arrives at 1");
		got.list = store.state.branches.map((b) => b.title);
		return got;`)
	require.Contains(t, got.List, "1 suspects 4")
	does := make(map[string]bool)
	for _, a := range got.Acts {
		does[a["do"].(string)] = true
	}
	require.Len(t, does, 14)
	require.Equal(t, true, got.Acts[13]["one_way"])
	require.Nil(t, got.Acts[14]["one_way"])
	p.makes(got.Runs)
	// Bully bears no pauses: from there on the page says so.
	require.Equal(t, "pause", got.Acts[4]["do"])
	require.Len(t, got.Said, len(got.Acts)-4)
	for _, s := range got.Said {
		require.Contains(t, s[0], "Outside the model. Since step")
		require.Equal(t, got.Red, s[1])
	}
}

// A message that overtakes another one, where links keep the order, is marked where it is offered, in red,
// and says why.
func TestLeavesAreMarked(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Marked, Listed, Red int
		Why                 string
	}
	p.script(&got, `
		const { call, encode } = page, got = { marked: 0, listed: 0, red: 0 };
		const { json } = await call("scenario", { algorithm: "dkr", n: 4 });
		document.title = "";
		location.hash = await encode(json, 0);
		while (!document.title) await settled();
		document.querySelector("#tab-acts").click();
		const ink = getComputedStyle(document.body).color;
		for (let k = 0; k < 20; k++) {
			to(k);
			await settled();
			const next = (await call("pending", { scenario: json, step: k })).json;
			got.listed += next.filter((n) => n.outside).length;
			for (const item of every(".next .leaves .does")) {
				got.marked++;
				got.why = item.title;
				if (getComputedStyle(item).color !== ink) got.red++;
			}
		}
		return got;`)
	require.Positive(t, got.Listed)
	require.Equal(t, got.Listed, got.Marked)
	require.Equal(t, got.Listed, got.Red)
	require.Contains(t, got.Why, "order")
}
