package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// saving lets links save into a list in place of a folder.
const saving = `
	const saved = [], blobs = new Map(), { createObjectURL } = URL;
	URL.createObjectURL = (blob) => {
		const address = createObjectURL(blob);
		blobs.set(address, blob);
		return address;
	};
	HTMLAnchorElement.prototype.click = function () {
		saved.push({ name: this.download, blob: blobs.get(this.href) });
	};
	const save = async (words) => {
		const before = saved.length;
		every("dialog button").find((b) => b.textContent === words).click();
		while (saved.length === before) await frame();
		return saved[before];
	};`

// Each kind of file that the page saves is what the library exports; the picture in pixels is twice as large
// as the drawn one.
func TestSaves(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{"Scenario (JSON)": "scenario", "Trace (JSON lines)": "trace",
		"Picture (SVG)": "svg", "Mermaid": "mermaid", "Log in words": "log", "Chrome trace": "chrome",
		"ShiViz log": "shiviz", "Network (SVG)": "links"}
	names, err := json.Marshal(kinds)
	require.NoError(t, err)
	for _, dark := range []bool{false, true} {
		p := newTab(t, look{still: true, dark: dark})
		p.open(serve(t))
		var got struct {
			Scenario json.RawMessage
			Files    map[string]struct{ Name, Text string }
			Buttons  int
			PNG, SVG [2]float64
			Corner   [4]int // of the PNG: red, green, blue and how much they cover
			Name     string
		}
		p.script(&got, saving+fmt.Sprintf(`
			press("S");
			while (!document.querySelector("dialog")) await frame();
			const got = { files: {}, scenario: page.store.state.scenario,
				buttons: every("dialog .wrap button").length };
			for (const [words, kind] of Object.entries(%s)) {
				const { name, blob } = await save(words);
				got.files[kind] = { name, text: await blob.text() };
			}
			const image = new Image();
			image.src = createObjectURL(saved.find(({ name }) => /(?<!links).svg$/.test(name)).blob);
			await image.decode();
			got.svg = [image.naturalWidth, image.naturalHeight];
			const { name, blob } = await save("Picture (PNG)");
			const painted = await createImageBitmap(blob), { width, height } = painted;
			const g = new OffscreenCanvas(1, 1).getContext("2d");
			g.drawImage(painted, -4, -4); // not the edge
			const png = [width, height];
			return { ...got, name, png, corner: [...g.getImageData(0, 0, 1, 1).data] };`, names))
		require.Equal(t, len(kinds)+1, got.Buttons)
		var b bridge.Bridge
		for _, kind := range kinds {
			args, err := json.Marshal(map[string]any{"kind": kind, "scenario": got.Scenario})
			require.NoError(t, err)
			reply, err := b.Call(t.Context(), "export", args, nil)
			require.NoError(t, err)
			var want struct{ Name, Text string }
			require.NoError(t, json.Unmarshal(reply.JSON, &want))
			require.Equal(t, want, got.Files[kind], kind)
		}
		require.Positive(t, got.SVG[0])
		require.Equal(t, [2]float64{2 * got.SVG[0], 2 * got.SVG[1]}, got.PNG)
		require.Regexp(t, `\.png$`, got.Name)
		require.Equal(t, 255, got.Corner[3], "it has a ground of its own")
		require.Equal(t, dark, got.Corner[0] < 128, got.Corner)
	}
}

// A run that is too long for an address keeps none, says so, and is saved as a file that opens it again.
func TestLongRunIsAFile(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Hashes            []any
		Opened            bool // the address from which a long run was opened stays
		Says, Hash, Again string
	}
	p.script(&got, saving+`
		await addressed();
		const before = location.hash, got = {}, { scenario } = page.store.state;
		const digits = (_, i) => ((i * 7919 + 13) ** 3 % 1e9).toString(36);
		const name = Array.from({ length: 900 }, digits).join("");
		await page.open(page.store, { ...scenario, name, seed: 77 }, { step: 5 });
		await addressed();
		await frame();
		got.hashes = [before.length > 9, location.hash];
		history.replaceState(null, "", "#" + await page.encode(page.store.state.scenario, 5));
		window.dispatchEvent(new HashChangeEvent("hashchange"));
		await addressed();
		to(7);
		await addressed();
		await frame();
		got.opened = location.hash.length > 4096;
		press("S");
		while (!document.querySelector("dialog")) await frame();
		got.says = document.querySelector("dialog .note").textContent;
		got.hash = document.querySelector("#hash").textContent;
		const files = new DataTransfer();
		files.items.add(new File([(await save("Scenario (JSON)")).blob], "a.json"));
		document.querySelector("dialog").close();
		document.title = "";
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		while (!document.title) await settled();
		got.again = document.querySelector("#hash").textContent;
		return got;`)
	require.Equal(t, []any{true, ""}, got.Hashes, "no other run's address stays")
	require.True(t, got.Opened)
	require.Contains(t, got.Says, "too long for an address")
	require.Equal(t, got.Hash, got.Again)
}

// The traces that processes have written apart are dropped together, and become one run.
func TestTracesApart(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Nodes, Steps int
		Result       string
		Error        string
		Saves        []string // the forms in which it can be saved
		Log          string
	}
	p.script(&got, saving+`
		const { call } = page;
		const scenario = { algorithm: "lcr", variant: "max", ids: [2, 3, 1] };
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		const [header, ...lines] = text.trim().split("\n"), files = new DataTransfer();
		for (const id of [1, 2, 3]) {
			// A process knows its own sendings only.
			const own = lines.map(JSON.parse).filter((line) => line.process === id)
				.map(({ from, ...line }) => JSON.stringify(line));
			files.items.add(new File([[header, ...own].join("\n") + "\n"], id + ".trace"));
		}
		document.title = "";
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		while (!document.title && !document.querySelector("#error").textContent) await settled();
		press("S");
		while (!document.querySelector("dialog")) await frame();
		const saves = every("dialog .row .plain").map((b) => b.textContent);
		const log = await (await save("Log in words")).blob.text();
		return { nodes: every(".node").length, steps: Number(range.max), saves, log,
			result: document.querySelector("#result").textContent,
			error: document.querySelector("#error").textContent };`)
	require.Empty(t, got.Error)
	require.Equal(t, 3, got.Nodes)
	require.Equal(t, []string{"Trace (JSON lines)", "Picture (SVG)", "Picture (PNG)", "Network (SVG)",
		"Mermaid", "Log in words", "Chrome trace", "ShiViz log"}, got.Saves)
	require.Contains(t, got.Log, "decides: 3 leads")
	require.Contains(t, got.Result, "3 leads")
	require.Greater(t, got.Steps, 10)
}

// All scenarios that are dropped together are in the list of runs: the first is shown, each of the others
// when the reader goes there, with its own settings.
func TestScenariosDropped(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Titles, Algorithms, Sugars []string
		Wrong                      []bool
		Seed, Mean                 int
		Error                      string
	}
	p.script(&got, `
		const files = new DataTransfer();
		const delay = { distribution: "exponential", mean: 2 };
		const all = [{ algorithm: "lcr", ids: [2, 3, 1] },
			{ algorithm: "hs", name: "two", ids: [1, 2], expect: { leader: 1 } },
			{ algorithm: "echo", ids: [1, 2, 3], schedule: "random", delay }];
		files.items.add(new File([JSON.stringify(all[0])], "a.json"));
		files.items.add(new File([JSON.stringify(all.slice(1))], "b.json"));
		document.title = "";
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		while (!document.title && !document.querySelector("#error").textContent) await settled();
		const titles = every(".tree .does span").map((e) => e.textContent);
		const got = { titles, algorithms: [], sugars: [], wrong: [] }, { store } = page;
		for (let i = 0; i < 3; i++) {
			every(".tree .does")[i].click();
			await settled();
			got.algorithms.push(store.state.film.head.algorithm);
			got.sugars.push(store.state.sugar.algorithm);
			got.wrong.push(!!every(".branch")[i].querySelector(".wrong"));
		}
		const again = every("button").find((b) => b.textContent === "↻");
		const before = store.state.scenario;
		again.click();
		while (store.state.scenario === before && !store.state.error) await settled();
		const { error, scenario } = store.state;
		return { ...got, error, mean: scenario.delay.mean, seed: scenario.seed };`)
	require.Empty(t, got.Error)
	require.Len(t, got.Titles, 3)
	require.Equal(t, []string{"lcr/participant", "hs/probe", "echo/implicit"}, got.Algorithms)
	require.Equal(t, got.Algorithms, got.Sugars)
	require.Equal(t, []bool{false, true, false}, got.Wrong)
	// A delay with a mean goes over to the next run.
	require.Positive(t, got.Seed)
	require.Equal(t, 2, got.Mean)
}
