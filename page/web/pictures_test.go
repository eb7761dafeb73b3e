package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// readPictures compares what is drawn of a run, and counted beside it, with the moments of its film, and
// returns what differs. Strokes and rectangles are taken down as the page draws them.
const readPictures = `
	const { open, scene, store } = page, bad = [], strokes = [], rects = [];
	const proto = CanvasRenderingContext2D.prototype, of = (name) => proto[name];
	const [beginPath, moveTo, lineTo, stroke, fillRect] =
		["beginPath", "moveTo", "lineTo", "stroke", "fillRect"].map(of);
	proto.beginPath = function () { this.way = []; beginPath.call(this); };
	proto.moveTo = function (...p) { this.way?.push(p); moveTo.apply(this, p); };
	proto.lineTo = function (...p) { this.way?.push(p); lineTo.apply(this, p); };
	proto.stroke = function () {
		strokes.push({ way: this.way ?? [], style: this.strokeStyle, canvas: this.canvas });
		stroke.call(this);
	};
	proto.fillRect = function (...r) {
		rects.push({ r, style: this.fillStyle, canvas: this.canvas });
		fillRect.apply(this, r);
	};
	const equal = (what, k, got, want) => {
		if (String(got) !== String(want)) bad.push(what + ", step " + k + ": " + got + ", not " + want);
	};
	const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
	await open(store, SCENARIO, { step: 0 });
	const axis = every(".side.end select").at(-1);
	axis.value = "steps";
	axis.dispatchEvent(new Event("change", { bubbles: true }));
	document.querySelector("#tab-theory").click();
	await settled();
	const { film } = store.state, place = (k) => store.state.axis.placeOf(k), end = store.state.axis.end;

	// The lines of the processes are all that is upright in the picture in time, which is kept.
	strokes.length = rects.length = 0;
	store.set({ paint: store.state.paint + 1 });
	await settled();
	const upright = ([[x, from], [other, to]]) => Math.abs(x - other) < 0.01 && to > from;
	const kept = strokes.filter(({ way, canvas }) => !canvas.isConnected && way.length === 2);
	const lines = kept.filter(({ way }) => upright(way))
		.map(({ way: [[x, from], [, to]], style }) => ({ x, from, to, style }));
	const columns = [...new Set(lines.map((l) => l.x))].sort((a, b) => a - b);
	equal("columns", 0, columns.length, film.n);
	const top = Math.min(...lines.map((l) => l.from)), bottom = Math.max(...lines.map((l) => l.to));
	for (const { x, from, to, style } of lines) {
		for (const y of [from + 0.1, to - 0.1]) {
			const k = store.state.axis.stepAt(((y - top) / (bottom - top)) * end);
			const [role, status] = MOMENTS[k].is[columns.indexOf(x)];
			equal("line of process " + columns.indexOf(x), k, style,
				colour(status === 1 ? "red" : role === 2 ? "gold" : role === 1 ? "greenfill" : "link"));
		}
	}

	// The scrubber has a mark at each decision but for those of leaders, which have a star.
	const bar = rects.filter(({ canvas }) => canvas.closest(".scrubber"));
	const { r: [pad, , inner] } = bar.find(({ r, style }) => r[3] === 2 && style === colour("faint"));
	const want = [];
	for (let k = 1; k < MOMENTS.length; k++) {
		const new_ = MOMENTS[k].is.filter(([role, , , leader], p) => role > 0 &&
			(role !== MOMENTS[k - 1].is[p][0] || leader !== MOMENTS[k - 1].is[p][3]));
		const crowned = MOMENTS[k].is.some(([role], p) => role === 2 && MOMENTS[k - 1].is[p][0] !== 2);
		if (new_.length && !crowned) want.push((pad + (place(k) / end) * inner - 1).toFixed(1));
	}
	const marks = bar.filter(({ r }) => r[2] === 2 && r[3] === 4).map(({ r }) => r[0].toFixed(1));
	equal("marks of the scrubber", 0, marks, want);

	const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
	let tokens = 0, lit = 0;
	for (let k = 0; k < MOMENTS.length; k += 2) {
		to(k);
		await settled();
		const m = MOMENTS[k], up = m.is.filter(([, status]) => status !== 1).length;
		const decided = k ? m.is.filter(([, status], p) => status !== 1 && m.role[p] > 0).length : 0;
		equal("liveness", k, document.querySelectorAll(".light")[1].textContent, decided === up
			? "all " + up + " have decided" : decided + " of " + up + " have decided");
		equal("messages so far", k, document.querySelector("#panel-theory dd")?.textContent, m.out);
		for (const { journey: j, x, y } of scene.tokens) {
			const part = (place(k) - place(j.begin)) / (place(j.end) - place(j.begin));
			const { points } = scene.placed;
			const near = far({ x, y }, points[j.from]) < far({ x, y }, points[j.to]);
			if (part > 0.35 && part < 0.65) continue;
			tokens++;
			equal("a message from " + j.from + " to " + j.to, k, near, part < 0.5);
		}
	}
	equal("tokens", 0, tokens > 20, true);

	// What a step receives has led to it.
	const received = film.journeys.filter((j) => !j.lost && j.end <= film.length && j.end > j.begin);
	for (const j of received.slice(0, 8)) {
		to(j.begin);
		store.set({ cause: j.end });
		await settled();
		lit++;
		equal("the message that a step receives", j.end,
			scene.tokens.find((token) => token.journey === j)?.lit, true);
	}
	store.set({ cause: 0 });
	equal("receipts", 0, lit, 8);
	return bad;`

// misdrawn returns what the pictures of a run show otherwise than its film has it, nothing if all is right.
func misdrawn(t *testing.T, p *tab) []string {
	t.Helper()
	var b bridge.Bridge
	scenario, film := readFilm(t, &b, `{"algorithm": "bully", "ids": [1, 2, 3, 4, 5], "initiators": [1],
		"crash_at": [[5, 0.5]], "recover_at": [[5, 30]]}`)
	all, err := json.Marshal(moments(film))
	require.NoError(t, err)
	var got []string
	p.script(&got, fmt.Sprintf("const SCENARIO = %s, MOMENTS = %s;", scenario, all)+readPictures)
	return got
}

// The pictures show what the film has, and each of these mistakes is found by that. All are in one page but
// one, which would be taken for another one there.
func TestMistakesInPicturesAreFound(t *testing.T) {
	t.Parallel()
	mistakes := map[string]edit{
		"a message from": {"tokens.js", `underWay(l, journey.from, journey.to, part)`,
			`underWay(l, journey.to, journey.from, part)`},
		"the message that": {"tokens.js", `journey.end <= past[`, `journey.end < past[`},
		"line of process":  {"timedraw.js", `[role, status, until] =`, `[status, role, until] =`},
		"marks of": {"controls.js", `if (!film.crowned.has(k)) g.fillRect(x(axis.placeOf(k))`,
			`if (!film.crowned.has(k)) g.fillRect(x(axis.placeOf(k - 1))`},
		"messages so far": {"theory.js", `t.figure(film.sent[step])`,
			`t.figure(film.sent[Math.max(0, step - 1)])`},
		"liveness": {"lights.js", `decided === up`, `decided >= up - 1`},
	}
	find := func(address string) string {
		p := newTab(t, look{still: true})
		defer p.close()
		p.open(address)
		return strings.Join(misdrawn(t, p), "\n")
	}
	require.Empty(t, find(serve(t)))
	found := find(written(t, slices.Collect(maps.Values(mistakes))...))
	for what := range mistakes {
		require.Regexp(t, "(?m)^"+what, found)
	}
	late := edit{"timedraw.js", `yOf(f, axis.placeOf(c.step[list[i]])) : end`,
		`yOf(f, axis.placeOf(c.step[list[i]] - 1)) : end`}
	require.Regexp(t, `(?m)^line of process`, find(written(t, late)))
}
