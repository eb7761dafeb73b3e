package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
	"github.com/go-election/election/page/build"
)

// snapshot is what a reader sees of a step, and what a screen reader does. The window of the picture in
// time is left out: it moves no further than it must, so it depends on where the reader comes from.
const snapshot = `
	const pixels = (canvas) => canvas.toDataURL();
	const parts = [".nodes", "#lights", ".where", "#panel-step", "#panel-process", "#panel-log", ".hud"];
	const snapshot = async () => {
		await settled();
		const all = parts.map((p) => document.querySelector(p).outerHTML);
		all.push(pixels(document.querySelector(".stage canvas:last-of-type")));
		all.push(pixels(document.querySelector(".scrubber canvas")), range.value);
		return all;
	};`

// Steps forth and back lead to the same page as a jump does.
func TestStepsLeadWhereJumpsDo(t *testing.T) {
	t.Parallel()
	const rounds, steps = 20, 10
	p := newTab(t, look{still: true})
	p.open(serve(t))
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"ArrowRight", "ArrowRight", "ArrowLeft", "n", "N", ".", ",", "f"}
	var walk [][]string
	for range rounds {
		var some []string
		for range steps {
			some = append(some, keys[random.IntN(len(keys))])
		}
		walk = append(walk, some)
	}
	asked, err := json.Marshal(walk)
	require.NoError(t, err)
	var different []string
	p.script(&different, snapshot+`
		const different = [], end = Number(range.max);
		document.querySelector("#tab-log").click();
		for (const keys of `+string(asked)+`) {
			to(Math.floor((end * (different.length + keys.length)) / 40));
			for (const key of keys) press(key);
			const walked = await snapshot(), k = range.value;
			to(Number(k) > end / 2 ? 0 : end);
			await settled();
			to(k);
			const jumped = await snapshot();
			walked.forEach((part, i) => {
				if (part !== jumped[i]) different.push(k + ": " + part + "\n" + jumped[i]);
			});
		}
		return different;`)
	require.Empty(t, different)
}

// A mistake in stepping is found by the keys, which must lead where they say.
func TestKeys(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got map[string]int
	p.script(&got, `
		const got = {}, end = Number(range.max);
		const after = (from, key, more) => { to(from); press(key, more); return Number(range.value); };
		got.right = after(10, "ArrowRight");
		got.left = after(10, "ArrowLeft");
		got.start = after(0, "ArrowLeft");
		got.last = after(end, "ArrowRight") - end;
		got.home = after(10, "Home");
		got.end = after(10, "End") - end;
		const says = () => document.querySelector(".light:first-child").textContent;
		to(0); press("n");
		got.decision = says().endsWith(" leads") ? 1 : 0;
		press("ArrowLeft");
		got.before = says().endsWith(" leads") ? 1 : 0;
		got.none = after(3, "f") - 3; // there is none
		return got;`)
	require.Equal(t, map[string]int{"right": 11, "left": 9, "start": 0, "last": 0, "home": 0, "end": 0,
		"decision": 1, "before": 0, "none": 0}, got)
}

// An address that the reader opens while the page is about to write its own is opened.
func TestAddressIsNotOverwritten(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var nodes int
	p.script(&nodes, `
		const { encode } = page, { call } = page;
		const { json } = await call("scenario", { algorithm: "hs", n: 5 });
		const address = await encode(json, 3), write = btoa;
		const over = new Promise((done) => {
			globalThis.btoa = (binary) => { // the last thing that the page does before it writes
				globalThis.btoa = write;
				location.hash = address;
				addEventListener("hashchange", done, { once: true }); // after the page's own listener
				return write(binary);
			};
		});
		to(17);
		await over;
		await settled();
		return document.querySelectorAll(".node").length;`)
	require.Equal(t, 5, nodes)
}

// An address leads to the run and the step from which it was taken, on another page too.
func TestAddress(t *testing.T) {
	t.Parallel()
	server := serve(t)
	p := newTab(t, look{still: true})
	p.open(server)
	var got [3]string
	state := `return [location.hash, document.querySelector("#hash").textContent, range.value];`
	p.script(&got, `
		to(17);
		await addressed();`+state)
	require.Equal(t, "17", got[2])
	other := newTab(t, look{still: true})
	other.open(server + "/" + got[0])
	var again [3]string
	other.script(&again, state)
	require.Equal(t, got, again)
	var b bridge.Bridge
	var scenario json.RawMessage
	other.script(&scenario,
		`return (await page.decode(location.hash.slice(1))).scenario;`)
	head, _ := native(t, &b, scenario)
	require.Equal(t, head.Hash, got[1])
	// An address that cannot be read says so, and shows the first run instead.
	for _, bad := range []string{"#x", "#!!!", "#" + url.QueryEscape("ü")} {
		other := newTab(t, look{still: true})
		other.open(server + "/" + bad)
		var says string
		other.script(&says, `return document.querySelector("[role=alert]").textContent;`)
		require.Contains(t, says, "cannot be read", bad)
	}
	// A step that is none is the beginning, and what would inflate to very much is not read.
	other = newTab(t, look{still: true})
	other.open(server + "/?step=x" + got[0])
	var odd struct{ At, Bomb string }
	other.script(&odd, `
		const { decode, encode } = page;
		const bomb = await encode({ name: "x".repeat(6e7) }, 0);
		return { at: range.value, bomb: await decode(bomb).then(() => "read", (error) => error.message) };`)
	require.Equal(t, "0", odd.At)
	require.Contains(t, odd.Bomb, "too long for an address")
}

// The address of a run of 30 acts is no longer than 1,500 characters.
func TestAddressIsShort(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var length int
	p.script(&length, `
		const { call } = page, { encode } = page;
		let scenario = { algorithm: "bully", ids: [4, 1, 5, 2, 3], schedule: "hand" };
		for (let i = 0; i < 30; i++) {
			const step = (await call("film", { scenario })).json.columns.steps.n;
			const { json } = await call("pending", { scenario, step });
			const { act } = json[(i * 7) % json.length];
			scenario = (await call("do", { scenario, step, act })).json.scenario;
		}
		if (scenario.acts.length !== 30) throw new Error(scenario.acts.length + " acts");
		return (await encode(scenario, 30)).length;`)
	require.LessOrEqual(t, length, 1500)
	t.Log(length)
}

// A trace that is dropped on the page is shown in its own words, and praised if it holds; the first step that the algorithm would
// not have made is where the page stands, and is named.
func TestTraces(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	const drop = `
		const { call } = page;
		const scenario = { algorithm: "lcr", variant: "max", ids: [2, 3, 1] };
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		const files = new DataTransfer();
		files.items.add(new File([EDIT(text)], "a.trace"));
		document.title = "";
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		while (!document.title) await settled();
		const shows = async (k) => {
			if (k) to(k);
			await settled();
			const text = (s) => document.querySelector(s).textContent;
			return [document.querySelectorAll(".node").length, Number(range.value) > 0, text(".sentence"),
				text(".outside")];
		};`
	var got [4]any
	p.script(&got, `const EDIT = (text) => text;`+drop+`return shows(4);`)
	const held = "The record holds. 21 of 21 steps are what the algorithm does."
	require.Equal(t, [4]any{float64(3), true, "2 starts; sends election 2 to 3", held}, got)
	p.script(&got, `const EDIT = (text) => text.replace('"role":"leader"', '"role":"follower"');`+drop+
		`return shows();`)
	require.Equal(t, float64(3), got[0])
	require.Equal(t, true, got[1])
	require.Equal(t, "The record differs. Since step 14: the algorithm does something else: "+
		"line 30, event 11 of process 3.", got[3])
	// Behind that step the states are not known.
	var state string
	p.script(&state, `
		to(range.max);
		await settled();
		return document.querySelector(".changes h2").textContent;`)
	require.Equal(t, "step: 21 comes after what the algorithm would not have done", state)
	// Its kinds of messages have a legend, no line is longer than its box, and no empty hash is named.
	var looks struct {
		Kinds string
		Cut   []string
		Hash  bool
	}
	p.script(&looks, `
		return { kinds: document.querySelector("#legend").textContent,
			cut: every(".outside").filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent),
			hash: document.querySelector(".hash").checkVisibility({ visibilityProperty: true }) };`)
	require.Equal(t, "EelectionLelected", looks.Kinds)
	require.Empty(t, looks.Cut)
	require.False(t, looks.Hash)

	// The events of real processes stand one below the other: on the clock they would be one line.
	var axis []string
	p.script(&axis, `const EDIT = (text) => text.replace('"driver":"sim"', '"driver":"local"');`+drop+`
		const [, , , said] = await shows();
		return [page.store.state.axis.scale, every(".side.end select").at(-1).value, said];`)
	require.Equal(t, []string{"steps", "steps", held}, axis)
}

// A page at work asks for nothing more, from here or elsewhere, and says nothing on the console.
func TestQuiet(t *testing.T) {
	t.Parallel()
	server := serve(t)
	p := newTab(t, look{})
	p.open(server)
	p.script(nil, `
		press("Home"); press(" "); while (range.value < 2) await frame(); press(" ");
		for (const tab of document.querySelectorAll("[role=tab]")) tab.click();
		press("End"); press("l"); press("Escape"); press("?");
		document.querySelector("dialog button").click();
		await settled();`)
	messages, requests := p.seen()
	require.Empty(t, messages)
	for _, r := range requests {
		require.True(t, strings.HasPrefix(r, server+"/") || strings.HasPrefix(r, "data:") ||
			strings.HasPrefix(r, "blob:"), r)
	}
	before := len(requests)
	p.script(nil, `for (let k = 0; k < 40; k++) press("ArrowRight"); await settled();`)
	_, requests = p.seen()
	require.Len(t, requests, before)
}

// A page that is loaded works on when its server has gone: it plays, proves, stops a check and begins
// another, teaches and saves.
func TestWithoutServer(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	text, err := s.Single()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(name, text, 0o644))
	server := httptest.NewServer(build.Handler(s))
	defer server.Close()
	for _, address := range []string{server.URL, "file://" + name} {
		p := newTab(t, look{still: true})
		p.open(address)
		p.script(nil, `
			while (!document.querySelector("#panel-step")) await frame();
			to(9);
			while (!document.querySelector(".code pre")) await frame(); // the sources are there
			if (location.protocol === "http:") {
				const address = new URL("lessons.json", location).href;
				while (!performance.getEntriesByName(address)[0]?.responseEnd) await frame();
			}`)
		server.Close()
		var got struct {
			Stopped, Sum, Lesson, Saved string
			Lessons                     int
		}
		p.script(&got, prover+`
			const got = {};
			allow("Crashes", 2); allow("Losses", 2); allow("Cuts", 2);
			button("Try all").click();
			while (!button("Stop")) await frame();
			button("Stop").click();
			await until(() => document.querySelector(".result").textContent === "Stopped.");
			for (const name of ["Crashes", "Losses", "Cuts"]) allow(name, 0);
			button("Try all").click();
			await until(() => document.querySelector(".verdicts"));
			got.sum = document.querySelector(".result .sum").textContent;
			document.querySelector("#tab-learn").click();
			await until(() => document.querySelector(".lessons .does"));
			got.lessons = every(".lessons .does:not(.challenge)").length;
			document.querySelector(".lessons .does").click();
			await until(() => document.querySelector(".stop"));
			got.lesson = document.querySelector(".stop").textContent;
			const saved = new Promise((done) => {
				HTMLAnchorElement.prototype.click = function () { done(this.download); };
			});
			press("S");
			await until(() => document.querySelector("dialog"));
			every("dialog button").find((b) => b.textContent === "Picture (SVG)").click();
			got.saved = await saved;
			return got;`)
		require.Contains(t, got.Sum, "In any order of messages, without faults: nothing goes wrong. 2,305 states")
		require.Greater(t, got.Lessons, 15)
		require.NotEmpty(t, got.Lesson)
		require.Regexp(t, `\.svg$`, got.Saved)
		messages, _ := p.seen()
		require.Empty(t, messages)
	}
}

// The page as one file works without a server and without any request.
func TestSingleFile(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	text, err := s.Single()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(name, text, 0o644))
	p := newTab(t, look{})
	p.open("file://" + name)
	messages, requests := p.seen()
	require.Empty(t, messages)
	for _, r := range requests {
		require.True(t, strings.HasPrefix(r, "file://"+name) || strings.HasPrefix(r, "data:") ||
			strings.HasPrefix(r, "blob:"), r)
	}
	var hash string
	p.script(&hash, `return document.querySelector("#hash").textContent;`)
	require.Regexp(t, "^[0-9a-f]{16}$", hash)
}

// A page inside another one shows a picture, one button and a link to the whole page, and reports its height.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for view, shown := range map[string][2]bool{"both": {true, true}, "ring": {true, false},
		"time": {false, true}} {
		p := newTab(t, look{still: true, width: 760, height: 420})
		p.open(server + "/?embed=1&view=" + view)
		var got struct {
			Ring, Time      bool
			Header, Buttons int
			Link, Words     string
			Way             float64
		}
		p.script(&got, `
			const shown = (s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility()).length;
			to(20);
			await settled();
			const { href: link, textContent: words } = document.querySelector(".whole");
			const { decode } = page;
			return { ring: shown(".stage") > 0, time: shown("div.time") > 0, header: shown("header"),
				buttons: shown("button"), words, link: link.split("#")[0],
				way: (await decode(link.split("#")[1])).step };`)
		require.Equal(t, shown, [2]bool{got.Ring, got.Time}, view)
		require.Zero(t, got.Header)
		require.Equal(t, 1, got.Buttons)
		require.Equal(t, server+"/", got.Link)
		require.Equal(t, "Open lcr/participant", got.Words)
		require.Equal(t, 20.0, got.Way)
	}
	first := newTab(t, look{})
	first.open(server + "/?embed=1&step=12") // of the first run, which stands still then
	var at string
	first.script(&at, `await settled(); return range.value;`)
	require.Equal(t, "12", at)
	p := newTab(t, look{still: true})
	p.open(server)
	var height float64
	var later float64
	p.script(&height, `
		const inside = document.createElement("iframe");
		const height = new Promise((r) => addEventListener("message", (e) => r(e.data.election.height)));
		inside.src = "?embed=1&view=ring";
		inside.height = 420;
		document.body.append(inside);
		return height;`)
	require.InDelta(t, 420, height, 8)
	p.script(&later, `
		const last = new Promise((r) => addEventListener("message", (e) => {
			if (e.data.election.height > 500) r(e.data.election.height);
		}));
		document.querySelector("iframe").height = 560;
		return last;`)
	require.InDelta(t, 560, later, 8)
	var least float64 // a frame in which nothing can be seen asks for more
	p.script(&least, `
		const last = new Promise((r) => addEventListener("message", (e) => {
			if (e.data.election.height < 500) r(e.data.election.height);
		}));
		document.querySelector("iframe").height = 100;
		return last;`)
	require.InDelta(t, 300, least, 8)
}

// With less motion a run that the reader makes does not move until the reader steps, and messages stand still between steps also when the
// run is played.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	for still, moves := range map[bool]bool{true: false, false: true} {
		p := newTab(t, look{still: still})
		p.open(serve(t))
		var moved, between bool
		p.script(&moved, `
			const frames = matchMedia("(prefers-reduced-motion: reduce)").matches ? 30 : Infinity;
			await page.open(page.store, page.store.state.scenario, { play: true });
			for (let k = 0; k < frames && Number(range.value) === 0; k++) await frame();
			return Number(range.value) > 0;`)
		require.Equal(t, moves, moved, "still: %v", still)
		p.script(&between, `
			const picture = () => document.querySelector(".stage canvas:last-of-type").toDataURL();
			const pictures = {};
			to(0);
			press(" ");
			for (let i = 0; i < 60; i++) {
				await frame();
				(pictures[range.value] ??= new Set()).add(picture());
			}
			// The picture follows the step by a frame, so that of the step before may be among them.
			return Object.values(pictures).some((all) => all.size > 2);`)
		require.Equal(t, moves, between, "still: %v", still)
	}
}

// The page has the same parts on a large screen and on a telephone, and nothing lies outside of it.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, l := range []look{{width: 1400, height: 860}, {width: 390, height: 844},
		{width: 1024, height: 700},
		{width: 390, height: 844, dark: true}, {width: 700, height: 430}} {
		t.Run(fmt.Sprintf("%dx%d dark %v", l.width, l.height, l.dark), func(t *testing.T) {
			p := newTab(t, l)
			p.open(serve(t))
			var got struct {
				Wide, Nodes, Tabs, Panels, Controls int
				Paper                               string
			}
			p.script(&got, `
				const all = (s) => [...document.querySelectorAll(s)];
				const shown = (s) => all(s).filter((e) => e.checkVisibility()).length;
				const { bottom, top } = document.querySelector(".transport").getBoundingClientRect();
				return { wide: document.documentElement.scrollWidth, nodes: shown(".node"),
					tabs: shown("[role=tab]"), panels: shown(".panel"),
					controls: top >= 0 && bottom <= innerHeight ? shown(".transport button") : 0,
					paper: getComputedStyle(document.querySelector(".scene")).backgroundColor };`)
			require.LessOrEqual(t, got.Wide, int(l.width))
			require.Equal(t, 8, got.Nodes)
			require.Equal(t, 5, got.Controls)
			if l.width > 900 {
				require.Equal(t, 3, got.Panels) // time, process, and the one in front
			} else {
				require.Equal(t, 1, got.Panels)
			}
			require.Equal(t, l.dark, got.Paper != "rgb(255, 255, 255)", got.Paper)
		})
	}
}
