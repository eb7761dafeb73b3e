package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// pick chooses an algorithm in the settings.
const pick = `
	const pick = async (name) => {
		const select = document.querySelector("#setup select"), before = page.store.state.film;
		select.value = name;
		select.dispatchEvent(new Event("change"));
		while (page.store.state.film === before) await frame();
		await settled();
	};
`

// The menu of a process has at most six lines, and its last line leads to everything else that can be done.
func TestMenuIsShort(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Lines []int
		Acts  []string
		Panel []string
	}
	p.script(&got, pick+`
		const got = { lines: [], acts: [], panel: [] };
		await pick("bully/rules");
		to(20);
		await settled();
		const words = (e) => e.firstElementChild.textContent;
		document.querySelector("[data-process='2']").dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
		for (;;) {
			while (document.querySelector(".popup").hidden) await frame();
			const lines = every(".popup button");
			got.lines.push(lines.length);
			const more = lines.at(-1).getAttribute("aria-haspopup");
			got.acts.push(...(more ? lines.slice(0, -1) : lines).map(words));
			if (!more) break;
			if (!lines.includes(document.activeElement)) throw Error("the menu has no focus");
			lines.at(-1).click();
			await frame();
		}
		press("Escape");
		document.querySelector("#tab-acts").click();
		await settled();
		const name = page.store.state.film.name(2);
		got.panel = every("#panel-acts .group button.plain").map((e) => /^\d+$/.test(e.textContent)
			? name + " suspects " + e.textContent : e.firstChild.data).filter((words) => words !== "Heal all cuts");
		return got;`)
	require.Greater(t, len(got.Lines), 1)
	for _, n := range got.Lines {
		require.LessOrEqual(t, n, 6)
	}
	require.ElementsMatch(t, got.Panel, got.Acts)
}

// What a key does in vain is explained, and so is an act after which nothing happens. The explanation goes with the
// next step.
func TestActsInVain(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got map[string]string
	p.script(&got, pick+`
		const { store } = page, got = {}, notice = document.querySelector("#notice");
		const key = async (name) => {
			press(name);
			await settled();
			return notice.checkVisibility() ? notice.firstChild.data : "";
		};
		await pick("bully/rules");
		to(range.max);
		choose(0);
		await settled();
		const name = store.state.film.name(0);
		const said = async (keys) => {
			const all = [];
			for (const k of keys) all.push(await key(k));
			return all.join("|").replaceAll(name, "P");
		};
		got.heal = await said(["h"]);
		got.undo = await said(["u", "U"]);
		got.timer = await said(["t"]);
		got.up = await said(["r", "R"]);
		got.entry = await said(["9"]);
		got.cut = await said(["x"]);
		got.beats = notice.querySelector("button").textContent;
		got.again = await said(["x"]);
		got.mend = await said(["h", "h"]);
		got.crash = await said(["c", "c"]);
		to(3);
		await settled();
		got.gone = String(notice.hidden);
		to(range.max);
		await settled();
		await key("r");
		to(range.max);
		await key("x");
		notice.querySelector("button").click();
		while (!store.state.sugar.params?.heartbeat) await frame();
		await settled();
		got.run = store.state.film.head.kinds.join();
		return got;`)
	const rest = "Nothing happens after this: no message is in flight, and no timer runs."
	require.Equal(t, map[string]string{
		"heal": "No link is cut.", "undo": "There is nothing to undo.|There is nothing to redo.",
		"timer": "P has no running timer.", "up": "P is up: there is nothing to bring back.|P is up: there is nothing to bring back.",
		"entry": "There is no entry 9 in the list of what may happen next.",
		"cut":   rest, "beats": "Run with heartbeats", "again": "These links are cut already.",
		"mend":  rest + "|No link is cut.",
		"crash": rest + "|P has crashed already. R brings it back with its state, r without.",
		"gone":  "true", "run": got["run"],
	}, got)
	require.Contains(t, got["run"], "heartbeat")
	messages, _ := p.seen()
	require.Empty(t, messages)
}

// The faults that a reader allows belong to one algorithm: another begins without them.
func TestFaultsAreOfOneAlgorithm(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, prover+pick+`
		const faults = () => every(".counts select").map((e) => e.value).join("");
		const any = document.querySelector(".tick input"), got = [];
		allow("Crashes", 1); allow("Cuts", 2);
		any.click();
		await page.open(page.store, { algorithm: "lcr", variant: "participant", ids: [1, 2, 3] });
		await settled();
		got.push(faults() + any.checked);
		await pick("dkr");
		got.push(faults() + any.checked);
		return got;`)
	require.Equal(t, []string{"1000002true", "0000000false"}, got)
}

// The names of all tabs are whole, and the settings on one line, on each screen that is wide.
func TestTabsAreWhole(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for _, width := range []int64{901, 1000, 1151, 1200, 1251, 1300, 1361, 1401} {
		p := newTab(t, look{still: true, width: width, height: 800})
		p.open(server)
		var got struct{ Cut, High float64 }
		p.script(&got, `
			while (!document.querySelector(".more")) await frame();
			const tabs = document.querySelector(".tabs");
			return { cut: tabs.scrollWidth - tabs.clientWidth, high: document.querySelector("header").clientHeight };`)
		require.LessOrEqual(t, got.Cut, 0.0, width)
		require.Less(t, got.High, 90.0, width)
		p.close()
	}
}
