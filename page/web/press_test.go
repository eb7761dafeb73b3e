package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnyPress: whatever a reader presses, drops and opens, in any order and without waiting, the page
// answers. What cannot be is said in the line for errors; nothing goes wrong in the page itself. Once it is
// at rest, all of it is about one run, which the library repeats.
func TestAnyPress(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	var wrong []string
	p.script(&wrong, `
		let x = 7920, done = [];
		const any = (list) => list[(x = (x * 48271) % 2147483647) % list.length];
		const wrong = [];
		const keys = [..."nNfFcprsxhuUltm123+-?.,", " ", "ArrowRight", "ArrowLeft", "Home", "End", "Escape"];
		addEventListener("error", (e) => wrong.push(e.message));
		addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
		const { call, decode, encode, store } = page, scenario = { algorithm: "lcr", ids: [3, 1, 2] };
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		const address = await encode(scenario, 2);
		const drop = (text) => {
			const files = new DataTransfer();
			files.items.add(new File([text], "a.trace"));
			window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		};
		const others = [() => drop(text.replace('"sim"', '"local"')), () => drop("nothing"),
			() => (location.hash = address)];
		const atRest = async () => {
			await settled();
			store.set({ playing: false });
			await addressed();
			const { branch, branches, busy, film, process, scenario, step } = store.state;
			const shown = branches.find((b) => b.id === branch), hash = location.hash.slice(1);
			const expect = (so, what) => so || wrong.push(what + " after " + done.join());
			expect(!busy, "it is busy");
			expect(shown.film === film && shown.scenario === scenario, "another run is shown");
			expect(branches.every((b) => b.parent < 0 || branches.some((a) => a.id === b.parent)),
				"no parent");
			expect(step >= 0 && step <= film.length && process < film.n, "no such step or process");
			expect(document.querySelector("#setup select").selectedOptions[0].textContent.split("/")[0]
				=== film.head.algorithm.split("/")[0], "other settings");
			expect(scenario || !hash, "an address of a record");
			if (!scenario) return;
			const again = new film.constructor((await call("film", { scenario })).data);
			expect(again.head.hash === document.getElementById("hash").textContent, "another hash");
			const of = hash && await decode(hash); // a run of many acts has none
			expect(!hash || of.step === step && JSON.stringify(of.scenario) === JSON.stringify(scenario),
				"another address");
		};
		for (let i = 1; i <= 500; i++) {
			if (any([true, false])) press(done[done.length] = any(keys));
			else if (!any([...Array(8).keys()])) any(others)(done.push("other"));
			else {
				const e = any(every("button, select, input[type=checkbox], .node").filter((e) =>
					e.checkVisibility() && !e.disabled && (!e.closest("dialog") || e.closest("form"))));
				done.push((e.textContent || e.tagName).slice(0, 20));
				if (e.tagName === "SELECT") {
					e.selectedIndex = any([...e.options].map((_, i) => i));
					e.dispatchEvent(new Event("change", { bubbles: true }));
				} else {
					const way = { bubbles: true, cancelable: true };
					e.dispatchEvent(new MouseEvent(any(["click", "click", "contextmenu"]), way));
				}
			}
			if (any([true, false, false, false])) await frame();
			if (i % 20) continue;
			await atRest();
			done = [];
		}
		return wrong;`)
	require.Empty(t, wrong)
	messages, _ := p.seen()
	require.Empty(t, messages)
}
