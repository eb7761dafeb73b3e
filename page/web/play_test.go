package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// ask opens the run of a short form, at its beginning.
func (p *tab) ask(sugar map[string]any) {
	p.t.Helper()
	var b bridge.Bridge
	scenario, err := short(p.t, &b, sugar)
	require.NoError(p.t, err)
	p.script(nil, fmt.Sprintf(`
		document.title = "";
		location.hash = await page.encode(%s, 0);
		while (!document.title) await settled();`, scenario))
}

// In the same time a run continues by as much more as the speed says, from a quarter to 32 times. The frames
// have a clock of the test's own.
func TestSpeedsOfPlay(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "n": 64, "order": "worst"})
	var got struct {
		Names []string
		Ways  []float64
	}
	p.script(&got, `
		let now = performance.now(), waiting = [];
		const real = requestAnimationFrame, clock = performance.now;
		window.requestAnimationFrame = (f) => waiting.push(f);
		performance.now = () => now;
		const pass = (ms) => {
			now += ms;
			for (const f of waiting.splice(0)) f(now);
		};
		const select = every("select").find((s) => [...s.options].some((o) => o.value === "32"));
		const got = { names: [], ways: [] };
		for (const option of select.options) {
			select.value = option.value;
			select.dispatchEvent(new Event("change"));
			to(0);
			press(" ");
			for (let i = 0; i < 10; i++) pass(20);
			got.ways.push(page.store.state.cursor / Number(option.value));
			got.names.push(option.textContent);
			press(" ");
			pass(20);
		}
		window.requestAnimationFrame = real;
		performance.now = clock;
		return got;`)
	require.Equal(t, []string{"1/4×", "1/2×", "1×", "2×", "4×", "8×", "16×", "32×"}, got.Names)
	require.Positive(t, got.Ways[0])
	for _, way := range got.Ways {
		require.InEpsilon(t, got.Ways[0], way, 1e-9)
	}
}

// The scrubber has a bar for each part of the run in which something happens, as high as there are steps, a
// star for each new leader, a mark for each fault and one where a lead ends.
func TestScrubber(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "bully/rules", "n": 5, "order": "sorted", "initiators": []int{1},
		"crash_at": [][]float64{{5, 0.5}}, "pause_at": [][]float64{{2, 3, 4}},
		"recover_at": [][]float64{{5, 30}}})
	var got struct{ Bars, Wanted, Stars, Crowned, Marks, Faults, Ends int }
	p.script(&got, `
		const canvas = document.querySelector(".scrubber canvas"), paint = canvas.getContext("2d");
		const rects = [], got = { stars: 0 };
		paint.fillRect = (x, y, w, h) => rects.push({ x, y, w, h });
		paint.fill = () => got.stars++; // one more is the place of the present step
		page.store.set({ paint: page.store.state.paint + 1 });
		await settled();
		const { film, axis } = page.store.state, { width, height } = canvas.getBoundingClientRect();
		const inner = width - 18, parts = Math.min(240, Math.round(inner / 5));
		const bins = new Array(parts).fill(0);
		for (let k = 1; k <= film.length; k++) {
			bins[Math.min(parts - 1, Math.floor((axis.places[k] / axis.end) * parts))]++;
		}
		const bars = rects.filter((r) => Math.abs(r.y + r.h - height + 12) < 1e-6);
		const most = Math.max(...bins), wanted = bins.filter((n) => n > 0);
		got.wanted = wanted.length;
		const tall = (i) => 2 + (wanted[i] / most) * (height - 26);
		got.bars = bars.filter((b, i) => Math.abs(b.h - tall(i)) < 1e-6).length;
		got.stars -= 1 + film.ends.length; // a mark for each lead that ends
		got.crowned = film.crowned.size;
		got.ends = film.ends.length;
		got.marks = rects.filter((r) => r.y === 1 && r.h === 9).length;
		got.faults = film.faults.filter((k) => film.what(k) !== "lose").length;
		return got;`)
	require.Greater(t, got.Wanted, 3)
	require.Equal(t, got.Wanted, got.Bars)
	require.Positive(t, got.Crowned)
	require.Equal(t, got.Crowned, got.Stars)
	require.Equal(t, 1, got.Ends)
	require.Equal(t, 4, got.Faults) // a crash, a return, a pause and its end
	require.Equal(t, got.Faults, got.Marks)
}

// Of the lines that ran those with a rule are shown; the rest comes at a press, and goes at the next.
func TestLinesThatRan(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "bully/rules", "n": 4})
	var got struct{ Some, All, Again int }
	p.script(&got, `
		const step = "#panel-step ", got = {};
		const button = () => document.querySelector(step + "figure ~ button");
		for (let k = 1; !button(); k++) {
			to(k);
			await settled();
		}
		got.some = every(step + "figure").length;
		button().click();
		got.all = every(step + "figure").length;
		button().click();
		got.again = every(step + "figure").length;
		return got;`)
	require.Positive(t, got.Some)
	require.Greater(t, got.All, got.Some)
	require.Equal(t, got.Some, got.Again)
}

// A click on a state in the graph of all of them opens a run that ends there.
func TestStateIsClicked(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr/participant", "n": 3})
	var got struct {
		Says, Leads string
		Moves       int
	}
	p.script(&got, prover+`
		button("Show all").click();
		await until(() => document.querySelector(".map canvas"));
		const canvas = document.querySelector(".map canvas"), words = document.querySelector(".map + .note");
		const { left, top, width, height } = canvas.getBoundingClientRect();
		const at = (name, x, y) => canvas.dispatchEvent(new PointerEvent(name,
			{ bubbles: true, clientX: left + x, clientY: top + y }));
		for (let y = height - 5; y > height / 2 && !canvas.style.cursor; y -= 5) {
			for (let x = 5; x < width && !canvas.style.cursor; x += 5) {
				at("pointermove", x, y);
				if (canvas.style.cursor) at("click", x, y);
			}
		}
		const says = words.textContent;
		await until(() => every(".branch").length === 2);
		const starts = 3, leads = every(".node[data-role=leader]").map((n) => n.textContent.trim());
		return { says, leads: leads.join(), moves: Number(range.max) - starts };`)
	require.Positive(t, got.Moves)
	require.Equal(t, "3", got.Leads)
	require.Contains(t, got.Says, fmt.Sprintf("After %d moves, 3 leads", got.Moves))
}

// Where the system gives the colours, nothing has the colour of what is below it, and roles differ in shape.
func TestForcedColours(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}})
	require.NoError(t, err)
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "bully/rules", "n": 5})
	var got struct {
		Forced bool
		Same   []string
		Shapes map[string][]string
	}
	p.script(&got, `
		const got = { forced: matchMedia("(forced-colors: active)").matches, same: [], shapes: {} };
		for (const k of [0, Math.floor(range.max / 2), Number(range.max)]) {
			to(k);
			await settled();
			const ground = getComputedStyle(document.body).backgroundColor;
			for (const node of every(".node")) {
				const shape = node.querySelector("path"), { fill, stroke } = getComputedStyle(shape);
				if (fill === ground && stroke === ground) got.same.push(k + " " + node.dataset.process);
				const name = getComputedStyle(node.querySelector(".name")).fill;
				if (name === fill) got.same.push("name " + k + " " + node.dataset.process);
				(got.shapes[node.dataset.role] ??= []).push(shape.getAttribute("d"));
			}
			document.querySelector(k ? "#tab-prove" : "#tab-step").click();
			await settled();
			for (const e of every("button, main label, #lights *, .panel p")) {
				const { color, backgroundColor, forcedColorAdjust } = getComputedStyle(e);
				// Behind letters the browser draws its own ground, unless the page keeps it from that.
				const behind = forcedColorAdjust === "none" ? backgroundColor : ground;
				if (e.checkVisibility() && color === behind) got.same.push(e.outerHTML);
			}
		}
		for (const role in got.shapes) got.shapes[role] = [...new Set(got.shapes[role])];
		return got;`)
	require.True(t, got.Forced)
	require.Empty(t, got.Same)
	require.Len(t, got.Shapes, 3)
	for role, shapes := range got.Shapes {
		require.Len(t, shapes, 1, role)
	}
	require.NotEqual(t, got.Shapes["leader"], got.Shapes["follower"])
	require.NotEqual(t, got.Shapes["undecided"], got.Shapes["follower"])
}

// A thousand processes have no labels in the picture but the leader, which acts last, and their names for
// those who cannot see it.
func TestThousand(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "n": 1024})
	var got struct{ Nodes, Labels, Named int }
	p.script(&got, `
		to(Number(range.max));
		await settled();
		return { nodes: every(".node").length,
			labels: every(".node .name").filter((e) => e.textContent && e.checkVisibility()).length,
			named: every(".node[aria-label]").length };`)
	require.Equal(t, 1024, got.Nodes)
	require.Equal(t, 1, got.Labels)
	require.Equal(t, 1024, got.Named)
	messages, _ := p.seen()
	require.Empty(t, messages)
}
