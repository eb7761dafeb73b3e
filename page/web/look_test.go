package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// looks is what the tests of the picture's geometry share. shown opens a run at a part of its steps, and
// written collects the texts that a canvas holds, with their boxes.
const looks = `
	const shown = async (sugar, part) => {
		const { json } = await page.call("scenario", sugar);
		await page.open(page.store, json, { step: (film) => Math.round(film.length * part) });
		await settled();
	};
	const box = (selector) => document.querySelector(selector).getBoundingClientRect();
	const written = async (selector) => {
		const all = [], P = CanvasRenderingContext2D.prototype, { fillText } = P;
		P.fillText = function (text, x, y, ...more) {
			const { width } = this.measureText(text), high = parseFloat(/([\d.]+)px/.exec(this.font)[1]);
			const left = x - { left: 0, center: width / 2, right: width }[this.textAlign];
			if (this.canvas.matches(selector)) {
				all.push({ text, left, right: left + width, top: y - high * 0.4, bottom: y + high * 0.4 });
			}
			return fillText.call(this, text, x, y, ...more);
		};
		page.store.set({ paint: page.store.state.paint + 1 });
		await settled();
		P.fillText = fillText;
		return all;
	};
	const meet = (a, b, by = 0) => a.left < b.right - by && b.left < a.right - by && a.top < b.bottom - by
		&& b.top < a.bottom - by;
`

// screens are a large screen and a telephone.
var screens = []look{{still: true, width: 1400, height: 860}, {still: true, width: 390, height: 844}}

// onScreens runs a test of the page on each screen. It returns what is found wrong, line by line.
func onScreens(t *testing.T, body string) {
	t.Helper()
	for _, l := range screens {
		t.Run(fmt.Sprint(l.width), func(t *testing.T) {
			p := newTab(t, l)
			p.open(serve(t))
			var wrong []string
			p.script(&wrong, looks+`const wrong = [];`+body+`return wrong;`)
			require.Empty(t, strings.Join(wrong[:min(len(wrong), 12)], "\n"))
		})
	}
}

// The number of messages covers no process, and no process lies outside of the picture.
func TestProcessesAreInSight(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		for (const [algorithm, ...sizes] of [["mesh", 9, 64, 256], ["hypercube", 8, 64],
			["treeelect", 8], ["bully", 3, 8, 12], ["yoyo", 8, 64], ["lcr", 3, 8]]) {
			for (const n of sizes) {
				await shown({ algorithm, n, seed: 4 }, 1);
				const hud = box(".hud"), stage = box(".stage");
				for (const node of every(".node .shape")) {
					const at = node.getBoundingClientRect(), name = algorithm + " " + n;
					if (meet(at, hud, 1)) wrong.push(name + ": a process is under the number of messages");
					if (at.left < stage.left || at.right > stage.right || at.top < stage.top
						|| at.bottom > stage.bottom) wrong.push(name + ": a process is outside");
				}
				// Where not all names have room, the leader and the process that acts have theirs.
				const small = document.querySelector(".small"), { film, step } = page.store.state;
				const seen = every(".node .name").filter((e) => e.checkVisibility());
				for (const e of small ? seen : []) {
					const { top, bottom } = e.getBoundingClientRect();
					if (top < stage.top || bottom > stage.bottom) wrong.push(n + ": a name is cut off");
				}
				const names = seen.map((e) => e.textContent), last = film.name(film.processOf(step));
				const right = small ? names.includes(last) && names.length < 3 : names.length === n;
				if (!right) wrong.push(n + ": names " + names);
			}
		}`)
}

// Messages that go together over a link are seen side by side, and what they carry is written where nothing
// else is.
func TestMessagesAreInSight(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		const labels = [];
		for (const [algorithm, n] of [["mesh", 9], ["lcr", 8], ["ghs", 8], ["hypercube", 8], ["yoyo", 8]]) {
			for (let part = 0; part < 1; part += 0.15) {
				await shown({ algorithm, n, seed: 4 }, part);
				const { tokens, placed } = page.scene, name = algorithm + " " + page.store.state.step + ": ";
				tokens.forEach((a, i) => tokens.slice(0, i).forEach((b) => {
					const together = a.journey.from === b.journey.from && a.journey.to === b.journey.to;
					if (!together || Math.hypot(a.x - b.x, a.y - b.y) >= 14) return;
					wrong.push(name + "one token is on another");
				}));
				const all = (await written(".stage canvas")).filter(({ text }) => /\d/.test(text));
				labels.push(...all);
				all.forEach((a, i) => {
					if (all.slice(0, i).some((b) => meet(a, b))) wrong.push(name + a.text + " is on a text");
					const near = ({ x, y }, r) =>
						meet(a, { left: x - r, right: x + r, top: y - r, bottom: y + r });
					if (placed.points.some((p) => near(p, placed.radius * 0.7))) wrong.push(name + a.text
						+ " is on a process");
					if (tokens.some((token) => near(token, 4))) wrong.push(name + a.text + " is on a token");
				});
			}
		}
		if (labels.length < 60) wrong.push("only " + labels.length + " labels");`)
}

// All links of a network are drawn, but for those of a complete one, of which they would make a disc.
func TestLinksAreInSight(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		for (const [algorithm, n, drawn, graph] of [["hypercube", 256, true], ["yoyo", 256, true],
			["bully", 64, false], ["floodmax", 16, true, "grid:4x4"]]) {
			await shown({ algorithm, n, seed: 4, links: graph }, 0);
			const canvas = document.querySelector(".stage canvas"), g = canvas.getContext("2d");
			const { points } = page.scene.placed, { width, height } = box(".stage");
			const ratio = canvas.width / width;
			// A run may need more or fewer lines of words above its picture than the one before.
			const same = Math.abs(canvas.height / ratio - height) < 1;
			if (!same) wrong.push(algorithm + ": another height");
			const long = ([p, , q]) => Math.hypot(points[p].x - points[q].x, points[p].y - points[q].y) > 8;
			const links = page.store.state.film.head.links.filter(long);
			let seen = 0;
			for (const [p, , q] of links) {
				const middle = (name) => (points[p][name] + points[q][name]) / 2 * ratio - 1;
				if (g.getImageData(middle("x"), middle("y"), 3, 3).data.some((v) => v > 0)) seen++;
			}
			if (drawn === seen > links.length * 0.95) continue;
			wrong.push(algorithm + ": " + seen + " of " + links.length);
		}`)
}

// The picture in time shows the present where the controls leave it free, is as high as there is room
// for, and its names are whole.
func TestTimeIsInSight(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		const present = async () => {
			const P = CanvasRenderingContext2D.prototype, { lineTo } = P;
			let y = NaN;
			P.lineTo = function (a, b) {
				if (this.canvas.matches("div.time canvas") && this.lineWidth === 1.5 && b !== 34.5) y = b;
				return lineTo.call(this, a, b);
			};
			page.store.set({ paint: page.store.state.paint + 1 });
			await settled();
			P.lineTo = lineTo;
			return y;
		};
		for (const [algorithm, n] of [["bully", 8], ["bully", 64], ["ghs", 8], ["lease", 8], ["lcr", 64]]) {
			for (const part of [0.5, 1]) {
				await shown({ algorithm, n, seed: 4 }, part);
				const room = box("div.time"), name = algorithm + " " + n + " at " + part + ": ";
				const free = Math.max(94, Math.min(room.bottom, box(".controls").top) - room.top);
				const y = await present();
				if (!(y > 34 && y < free)) wrong.push(name + "the present is at " + y + " of " + free);
				const ends = innerWidth > 900 && part === 1;
				if (ends && !(y > 0.6 * room.height)) wrong.push(name + "ends at " + y);
				for (const { text, left, right } of await written("div.time canvas")) {
					if (left < 0 || right > room.width) wrong.push(name + text + " is cut");
				}
			}
		}`)
}

// The controls stay where they are while the run continues, and the number of processes is whole.
func TestControlsStay(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		const field = document.querySelector(".size input[type=number]");
		for (const [algorithm, n] of [["lease", 8], ["bully", 64], ["bully", 128]]) {
			await shown({ algorithm, n, seed: 4 }, 0);
			const places = () => [".controls", ".transport", ".side.end", ".pinned"].map((s) => {
				const { left, top, height } = box(s);
				return s === ".pinned" && innerWidth < 900 ? 0 : [left, top, height].join();
			}).join(" ");
			const first = places();
			for (const part of [0.3, 0.51, 0.97, 1]) {
				to(Math.round(range.max * part));
				await settled();
				if (places() === first) continue;
				wrong.push(algorithm + " " + n + ": " + first + " becomes " + places());
			}
			const { right, bottom } = box(".side.end");
			if (right > innerWidth || bottom > innerHeight) wrong.push(n + ": the controls reach " + right);
			const where = document.querySelector(".where").getBoundingClientRect();
			if (where.right > box(".side.end").left) wrong.push(n + ": the step is under the choices");
		}
		field.value = 1024;
		if (field.scrollWidth > field.clientWidth) wrong.push("the field cuts 1024");`)
}

// The picture of the network stays where it is when a run leaves the model of its algorithm.
func TestPictureStays(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		const scenario = { algorithm: "hs", n: 8, seed: 4, acts: [{ after: 26, do: "cut", groups: [[2]] }] };
		await shown(scenario, 0);
		const places = () => JSON.stringify([box(".graph"), box(".tabs")]), first = places();
		const says = () => document.querySelector("#outside").checkVisibility({ visibilityProperty: true });
		if (says()) wrong.push("it has not left the model yet");
		to(range.max);
		await settled();
		if (!says()) wrong.push("it has left the model");
		if (places() !== first) wrong.push(first + " becomes " + places());`)
}

// Of two runs side by side, what happens at one time stands at one height.
func TestRunsStandAlike(t *testing.T) {
	t.Parallel()
	p := newTab(t, screens[0])
	p.open(serve(t))
	var wrong []string
	p.script(&wrong, looks+`
		const wrong = [];
		await shown({ algorithm: "hs", n: 8, seed: 4 }, 0.5);
		const { scenario } = page.store.state;
		const acts = [{ after: 30, do: "crash", process: Number(scenario.ids[2]) }];
		await page.open(page.store, { ...scenario, acts },
			{ step: 30, parent: 1, after: 30, title: "crash" });
		page.store.set({ compare: 1 });
		for (const step of [0, 40, 56]) {
			to(step);
			await settled();
			if (!box(".compare").width) wrong.push("there is no other run");
			const apart = box(".compare canvas").top - box("div.time canvas").top;
			if (apart) wrong.push("the pictures begin " + apart + " apart");
			const [one, other] = ["div.time canvas", ".compare canvas"].map((selector) => {
				const g = document.querySelector(selector).getContext("2d");
				return [...Array(300).keys()].filter((y) => // the figures of the axis
					g.getImageData(20, 36 + y, 17, 1).data.some((v) => v < 160)).join();
			});
			if (!one || one !== other) wrong.push("at " + step + " figures at " + one + " and " + other);
		}
		return wrong;`)
	require.Empty(t, wrong)
}

// What did not lead to the step that is lit is dim, and so is what it carries.
func TestCausesAreLit(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		await shown({ algorithm: "hs", n: 8, seed: 4 }, 0.5);
		const labels = async () =>
			(await written(".stage canvas")).filter(({ text }) => /\d/.test(text)).length;
		const all = await labels();
		press("l");
		await settled();
		const lit = page.scene.tokens.filter((token) => token.lit).length;
		if (all !== page.scene.tokens.length || await labels() !== lit || lit === all) wrong.push("of " + all
			+ " labels " + lit + " are lit, and drawn " + await labels());`)
}

// All tabs are on the screen, and the present entry of the log is seen above the controls.
func TestPanelsAreInSight(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		for (const tab of every("[role=tab]").filter((tab) => tab.checkVisibility())) {
			const { left, right } = tab.getBoundingClientRect(), room = box(".tabs");
			if (left < room.left || right > room.right) wrong.push(tab.textContent + " is outside");
		}
		await shown({ algorithm: "ghs", n: 64, seed: 4 }, 0);
		document.querySelector("#tab-log").click();
		for (const part of [0.1, 0.3, 0.31, 0.5, 1, 0.2]) {
			to(Math.round(range.max * part));
			await settled();
			const { top, bottom } = box(".log [aria-current]");
			// A panel is scrolled by whole pixels.
			const below = innerWidth > 900 ? box(".bodies").bottom : innerHeight;
			const end = Math.min(box(".controls").top, below);
			if (top < 0 || bottom > end + 0.5) wrong.push("at " + part + ": " + bottom + " of " + end);
		}`)
}

// A page between a telephone and a large screen has three columns from 901 pixels on, and one of 200 per cent
// has a picture in which processes can be told apart.
func TestScreensBetween(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{width: 1024, height: 700}, {width: 920, height: 700},
		{width: 700, height: 430}} {
		p := newTab(t, look{width: l.width, height: l.height, still: true})
		p.open(serve(t))
		var got struct{ Wide, Aside, Shape, Header, Choices, Tabs float64 }
		p.script(&got, looks+`
			await shown({ algorithm: "hs", n: 8, seed: 4 }, 0.5);
			return { wide: document.documentElement.scrollWidth, aside: box(".bodies").height,
				shape: box(".node .shape").width, header: box("header").height,
				choices: box(".side.end").height,
				tabs: document.querySelector(".tabs").scrollWidth - box(".tabs").width };`)
		require.LessOrEqual(t, got.Wide, float64(l.width))
		require.Greater(t, got.Shape, 28.0, l.width)
		require.LessOrEqual(t, got.Choices, 36.0, l.width)
		require.LessOrEqual(t, got.Tabs, 1.0, l.width)
		if l.width > 900 {
			require.Greater(t, got.Aside, 200.0, l.width)
			require.LessOrEqual(t, got.Header, 75.0, l.width)
		}
	}
}

// The words of the plot of messages lie beside each other.
func TestPlotIsLegible(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		document.querySelector("#tab-theory").click();
		for (const n of [3, 8, 64, 256, 1024]) {
			await shown({ algorithm: "lcr", n, seed: 4 }, 0);
			for (const figure of ["figure:nth-of-type(1)", "figure:nth-of-type(2)"]) {
				const all = await written("#panel-theory > " + figure + " canvas");
				if (all.length < 5) wrong.push("only " + all.length + " words in " + figure);
				all.forEach((a, i) => all.slice(0, i).filter((b) => meet(a, b)).forEach((b) => wrong.push(
					n + ": " + a.text + " is on " + b.text)));
			}
		}`)
}

// Each setting has its name beside it, on a telephone too, where that of a setting at the top is for screen
// readers.
func TestSettingsHaveNames(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		await shown({ algorithm: "lease", n: 8, seed: 4 }, 0);
		document.querySelector(".menu summary").click();
		await settled();
		const names = every(".more .choice > span");
		if (names.length < 5) wrong.push("only " + names.length + " settings");
		for (const name of names) {
			const { height } = name.getBoundingClientRect(), clip = getComputedStyle(name).clipPath;
			if (height < 11 || clip !== "none") wrong.push(name.textContent + " is not seen");
		}`)
}

// No text is smaller than 11 pixels, but for the letters in signs and the names in processes.
func TestTextIsLegible(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		for (const tab of every("[role=tab]")) {
			tab.click();
			await shown({ algorithm: "ghs", n: 8, seed: 4 }, 0.5);
			const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			for (let text; (text = texts.nextNode());) {
				const element = text.parentElement, size = parseFloat(getComputedStyle(element).fontSize);
				if (!text.data.trim() || !element.checkVisibility()) continue;
				if (size === 0 || size >= 11 || element.matches(".letter, .name")) continue;
				wrong.push(tab.textContent + ": " + text.data + " has " + size);
			}
		}`)
}

// The lines of Go that ran stand where the reader sees them without scrolling.
func TestLinesAreInSight(t *testing.T) {
	t.Parallel()
	p := newTab(t, screens[0])
	p.open(serve(t))
	var wrong []string
	p.script(&wrong, looks+`
		const wrong = [];
		for (const [algorithm, n] of [["lcr", 8], ["hs", 8], ["bully", 8], ["echo", 8], ["mesh", 9]]) {
			await shown({ algorithm, n, seed: 4 }, 0.5);
			while (!document.querySelector(".line.ran")) await settled();
			const line = box(".line.ran"), room = box(".bodies");
			if (line.bottom > room.bottom) wrong.push(algorithm + ": " + line.bottom + " of " + room.bottom);
		}
		return wrong;`)
	require.Empty(t, wrong)
}

// Entries of a list begin below each other, with a key before them or without, and say nothing twice. The
// name of a field is not broken, and one button begins below the other.
func TestPanelsAreAligned(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		const aligned = (selector) => {
			const lefts = new Set(every(selector).map((e) => e.getBoundingClientRect().left));
			if (lefts.size !== 1) wrong.push(selector + " begin at " + [...lefts]);
		};
		document.querySelector("#tab-acts").click();
		await shown({ algorithm: "hs", n: 8, seed: 4 }, 0.3);
		while (every(".next li").length < 10) await frame();
		aligned(".next .does > :nth-child(2)");
		for (const e of every(".next .does")) {
			const words = e.children[1].textContent.match(/(round|value|term|flags) [0-9]+/g) ?? [];
			if (new Set(words).size < words.length) wrong.push("says twice " + e.textContent);
		}
		document.querySelector("#tab-step").click();
		await shown({ algorithm: "hs", n: 8, seed: 4 }, 0.5);
		while (!document.querySelector(".code > button")) await frame();
		aligned(".causes button, .code > button");
		document.querySelector("#tab-process")?.click();
		await shown({ algorithm: "lease", n: 8, seed: 4 }, 0.5);
		while (!every(".field dt").length) await frame();
		for (const dt of every(".field dt")) {
			const range = document.createRange();
			range.selectNodeContents(dt);
			if (range.getClientRects().length > 1) wrong.push("broken: " + dt.textContent);
		}`)
}

// A number of five digits in the log covers no word, and no name above a second run covers another.
func TestLargeRunsAreLegible(t *testing.T) {
	t.Parallel()
	p := newTab(t, screens[0])
	p.open(serve(t))
	var wrong []string
	p.script(&wrong, looks+`
		const wrong = [];
		document.querySelector("#tab-log").click();
		await shown({ algorithm: "hs", n: 1024, seed: 4 }, 0.9);
		while (!document.querySelector(".log [aria-current]")) await frame();
		for (const e of every(".log .number")) {
			if (e.scrollWidth > e.clientWidth) wrong.push(e.textContent + " is wider than its room");
		}
		const { json } = await page.call("scenario", { algorithm: "lcr", n: 256, seed: 4 });
		await page.open(page.store, json, { step: 9 });
		await page.open(page.store, json, { step: 9, parent: 1, after: 0, title: "the other" });
		page.store.set({ compare: 1 });
		await settled();
		const above = (await written(".compare canvas")).filter((n) => n.bottom < 34);
		const names = [...new Map(above.map((n) => [n.text, n])).values()].sort((a, b) => a.left - b.left);
		if (names.length < 2) wrong.push(names.length + " names");
		names.forEach((n, i) => {
			const before = names[i - 1];
			if (before && n.left < before.right + 2) wrong.push(before.text + " and " + n.text);
		});
		return wrong;`)
	require.Empty(t, wrong)
}

// The signs of messages touch no other sign, and no arrow that is drawn later covers one.
func TestSignsAreApart(t *testing.T) {
	t.Parallel()
	p := newTab(t, screens[0])
	p.open(serve(t))
	var wrong []string
	p.script(&wrong, looks+`
		const wrong = [], P = CanvasRenderingContext2D.prototype, { setLineDash } = P;
		// What is done and what is to come are drawn aside, and shown as one.
		const inTime = ({ canvas }) => !canvas.isConnected;
		for (const sugar of [{ algorithm: "bully", n: 8 }, { algorithm: "treeelect", n: 64 }]) {
			await shown(sugar, 1);
			let signs = 0, arrows = 0;
			P.setLineDash = function (dash) { // of an arrow
				if (signs && inTime(this)) arrows++;
				return setLineDash.call(this, dash);
			};
			const { fillText } = P, at = [];
			P.fillText = function (text, x, y, ...more) {
				if (inTime(this) && this.font.includes(" 8.5px")) {
					signs++;
					if (at.some(([a, b]) => Math.hypot(a - x, b - y) < 12)) wrong.push(text + " touches");
					at.push([x, y]);
				}
				return fillText.call(this, text, x, y, ...more);
			};
			page.store.set({ paint: page.store.state.paint + 1 });
			await settled();
			[P.setLineDash, P.fillText] = [setLineDash, fillText];
			if (signs < 20) wrong.push(sugar.algorithm + " has " + signs + " signs");
			if (arrows) wrong.push(sugar.algorithm + ": " + arrows + " arrows over signs");
		}
		return wrong;`)
	require.Empty(t, wrong)
}

// The text of a stop of a lesson is in sight as the reader comes to it, on a telephone too.
func TestLessonsAreInSight(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		document.querySelector("#tab-learn").click();
		while (!document.querySelector(".lessons .does")) await frame();
		document.querySelector(".lessons .does").click();
		while (!document.querySelector(".stop")) await frame();
		for (let i = 1; i < 4; i++) {
			window.scrollTo(0, 0);
			document.querySelector(".next-stop").click();
			await settled();
			const stop = box(".stop");
			const seen = stop.top >= 0 && stop.bottom <= box(".controls").top;
			if (!seen) wrong.push("stop " + (i + 1) + " is not seen");
		}`)
}
