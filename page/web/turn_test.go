package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the reader does is done in turn: a key is for the process that was chosen as it was pressed, and a
// record that is dropped, or an address, comes in place of the run to which an act was still to be done.
// An act is done after the step that was shown, however fast the reader continues.
func TestInTurn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Acts           []string
		Trace, Address string
		Branches       [2]int
		Hash, Own      string
		After          []int
	}
	p.script(&got, `
		const { call, encode, open, store } = page, got = { branches: [] };
		const { json } = await call("scenario", { algorithm: "bully", n: 6 });
		const begin = async () => {
			await open(store, json, { step: 8 });
			await settled();
			choose(1);
		};
		await begin();
		press("c");
		choose(3);
		press("c");
		choose(4);
		while (store.state.branches.length < 3) await frame();
		await settled();
		got.acts = store.state.scenario.acts.map((a) => a.do + " " + a.process);

		await begin();
		press("c");
		press("End");
		while (store.state.branches.length < 2) await frame();
		await settled();
		got.after = store.state.scenario.acts.map((a) => a.after);

		await begin();
		const scenario = { algorithm: "hs", ids: [1, 2] };
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		while (!location.hash) await frame();
		press("c");
		const files = new DataTransfer();
		files.items.add(new File([text.replace('"sim"', '"local"')], "a.trace"));
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		await addressed();
		got.trace = store.state.film.head.algorithm;
		got.branches.push(store.state.branches.length);
		got.hash = location.hash;

		await begin();
		const address = await encode({ algorithm: "lcr", ids: [3, 1, 2] }, 2);
		press("c");
		location.hash = address;
		await frame();
		await addressed();
		got.address = store.state.film.head.algorithm;
		got.branches.push(store.state.branches.length);
		got.own = location.hash === "#" + address ? "kept" : location.hash;
		return got;`)
	require.Equal(t, []string{"crash 2", "crash 4"}, got.Acts)
	require.Equal(t, []int{8}, got.After)
	require.Equal(t, "hs/probe", got.Trace)
	require.Equal(t, "lcr/participant", got.Address)
	require.Equal(t, [2]int{1, 1}, got.Branches)
	require.Empty(t, got.Hash, "a record has no address")
	require.Equal(t, "kept", got.Own)
}

// What cannot be read in place of a run that is still being made leaves the page as it was before that: at
// rest, with the settings of the run that is shown. What a run falsely says of itself goes no further. The
// address of a long run, which stands while that is shown, does not become one that cannot be read.
func TestRefusedInTurn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Busy     []bool
		Sugar    []string
		Errors   []string
		Property string
		Long     [3]bool
	}
	p.script(&got, `
		const { decode, encode, open, store } = page, got = { busy: [], sugar: [], errors: [], long: [] };
		const slow = every("select")[0];
		for (const work of [() => { location.hash = "nothing"; }, () => {
			const files = new DataTransfer();
			files.items.add(new File(["nothing"], "a.json"));
			window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		}]) {
			slow.value = "hs/probe";
			slow.dispatchEvent(new Event("change", { bubbles: true }));
			work();
			while (!store.state.error) await frame();
			await settled();
			got.busy.push(store.state.busy);
			got.sugar.push(store.state.sugar.algorithm);
			got.errors.push(store.state.error);
		}
		await open(store, { algorithm: "lcr", ids: [1, 3, 2], property: "one-leader-a-term", note: "two" });
		await addressed();
		got.property = (await decode(location.hash.slice(1))).scenario.property ?? "";

		const ids = Array.from({ length: 900 }, (_, i) => String(((i + 1) * 7919) % 1000003));
		const run = { algorithm: "lcr", variant: "max", ids: ids.map(Number), initiators: [7919] };
		const text = await encode(run, 0);
		const long = () => location.hash.slice(1) === text;
		document.title = "";
		location.hash = text;
		while (!document.title) await settled();
		to(1);
		await addressed();
		got.long.push(text.length > 4096, long());
		location.hash = "nothing";
		while (!store.state.error) await frame();
		to(2);
		await addressed();
		got.long.push(location.hash === "");
		return got;`)
	require.Equal(t, []bool{false, false}, got.Busy)
	require.Equal(t, []string{"lcr", "lcr"}, got.Sugar, "those of the first run")
	require.Len(t, got.Errors, 2)
	require.Contains(t, got.Errors[0], "cannot be read")
	require.Contains(t, got.Errors[1], "a.json: ")
	require.Empty(t, got.Property)
	require.Equal(t, [3]bool{true, true, true}, got.Long)
}

// Undo is of what was done just before, also while that is on its way, and so is what a key says after the
// switch to a run by hand. What the reader wants last is shown, also if a lesson's run would be there later.
func TestLastWish(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Undone, Hand []any
		Shown        string
	}
	p.script(&got, `
		const { call, open, store } = page, got = {};
		const tab = (name) => document.querySelector("#tab-" + name).click();
		const { json } = await call("scenario", { algorithm: "bully", n: 5 });
		await open(store, json, { step: 8 });
		choose(1);
		press("c");
		await settled();
		press("r");
		press("u");
		while (store.state.branches.length < 3) await frame();
		await settled();
		const { acts } = store.state.scenario;
		got.undone = [store.state.branch, store.state.step, acts.map((a) => a.do).join()];

		await open(store, json, {});
		tab("acts");
		await settled();
		document.querySelector("[role=switch]").click();
		press("1");
		while (store.state.branches.length < 3) await frame();
		await settled();
		got.hand = [store.state.scenario.schedule, store.state.scenario.acts.length];

		tab("learn");
		while (!document.querySelector(".lessons .does:not(.challenge)")) await frame();
		await settled();
		document.querySelector(".lessons .does:not(.challenge)").click();
		const other = document.querySelector("#setup select");
		other.value = "hs/probe";
		other.dispatchEvent(new Event("change", { bubbles: true }));
		await settled();
		await frame();
		await settled();
		got.shown = store.state.film.head.algorithm + (document.querySelector(".stop") ? " in a lesson" : "");
		return got;`)
	require.Equal(t, []any{2., 9., "crash"}, got.Undone)
	require.Equal(t, []any{"hand", 1.}, got.Hand)
	require.Equal(t, "hs/probe", got.Shown)
}

// A group that is cut off together belongs to its run, and has the processes whose ids were written, also
// where those are beyond the numbers of a browser.
func TestGroupOfRun(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Group [2]string // of two runs with as many processes
		Large []string
	}
	p.script(&got, `
		const { open, store } = page, got = {};
		await open(store, { algorithm: "bully", ids: [1, 2, 3, 4, 5] }, { step: 8 });
		document.querySelector("#tab-acts").click();
		await settled();
		const chips = () => every(".chips [aria-pressed=true]").map((e) => e.textContent).join();
		for (const chip of every(".chips .chip").slice(1, 3)) chip.click();
		got.group = [chips()];
		await open(store, { algorithm: "lcr", ids: [5, 1, 4, 2, 3] }, { step: 3 });
		await settled();
		got.group.push(chips());

		const large = Array.from({ length: 33 }, (_, i) => String(2n ** 60n + BigInt(i)));
		await open(store, { algorithm: "lcr", ids: large }, { step: 40 });
		await settled();
		const field = document.querySelector("#panel-acts [type=text]");
		field.value = large[3];
		field.dispatchEvent(new Event("change"));
		got.large = every("#panel-acts .group button").filter((b) => b.textContent.includes(large[3]))
			.map((b) => b.textContent);
		return got;`)
	require.Equal(t, "2,3", got.Group[0])
	require.Empty(t, got.Group[1], "another run has other processes")
	require.Len(t, got.Large, 3)
}
