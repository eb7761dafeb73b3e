package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// asks are what scripts of these tests use besides tools: pick chooses an algorithm, drop drops a text as a
// file, late lets what is being made take long, state says what is shown once the page is at rest.
const asks = `
	const { call, encode, open, store } = page;
	const pick = (name) => {
		const select = document.querySelector("#setup select");
		select.value = name;
		select.dispatchEvent(new Event("change", { bubbles: true }));
	};
	const drop = (text) => {
		const files = new DataTransfer();
		files.items.add(new File([text], "a.json"));
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
	};
	const late = () => { // the page takes a second for over
		const now = performance.now.bind(performance), is = now();
		performance.now = () => is + 1100 + (now() - is);
	};
	const button = (words) => every("button").find((b) => b.textContent.startsWith(words));
	const state = async () => {
		for (let i = 0; i < 3; i++) await addressed();
		const { branches, busy, error, film, sugar } = store.state;
		return [film.head.algorithm, branches.length, busy, error, sugar.algorithm].join();
	};
`

// A wish that shows nothing leaves the page at rest, with the run that was wished for before it, or with the
// one that was shown: what is done to a run that has gone, an address without a run, and a counterexample
// that cannot be shorter.
func TestWishesThatShowNothing(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		const got = [], { json: made } = await call("scenario", { algorithm: "itairodeh/rounds", n: 3 });
		const graph = (await call("graph", { scenario: made, budget: {} })).json;
		const path = (await call("path", { scenario: made, budget: {}, state: graph.ends[0].state })).json;
		await open(store, path, { step: Infinity });
		choose(0);
		press("x");
		got.push(await state());
		pick("hs/probe");
		press("x");
		got.push(await state());

		pick("franklin");
		location.hash = "";
		await frame();
		got.push(await state());
		got.push(location.hash ? "an address" : "no address");

		const [challenge] = (await call("challenges")).json;
		await open(store, challenge.scenario, {});
		document.querySelector("#tab-prove").click();
		button("Try all").click();
		while (!button("Make it shorter")) await frame();
		pick("bully/rules");
		button("Make it shorter").click();
		got.push(await state());
		return got;`)
	require.Len(t, got, 5)
	require.Contains(t, got[0], "itairodeh/rounds,1,false,steps[0]: ")
	require.Equal(t, "hs/probe,1,false,,hs/probe", got[1])
	require.Equal(t, "franklin,1,false,,franklin", got[2])
	require.Equal(t, "an address", got[3], "of the run that is shown")
	require.Equal(t, "bully/rules,1,false,,bully/rules", got[4])
}

// What the reader has done to a run stays if a file cannot be read. It is done to that run only: not to one
// that is dropped before its turn comes, nor to a record, which cannot be changed.
func TestActsBesideFiles(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		const got = [], bully = (await call("scenario", { algorithm: "bully", n: 6 })).json;
		const large = (await call("scenario", { algorithm: "bully", n: 48 })).json;
		for (const late of [0, 1, 2]) { // before the film of the act is asked for, and while it is made
			await open(store, large, { step: 8 });
			if (store.state.process !== 5) choose(5);
			press("c");
			for (let i = 0; i < late; i++) await frame();
			drop("nothing");
			got.push(await state());
		}
		// Settings that cannot be are not those of an act before them; a click on the list comes after it.
		await open(store, large, { step: 8 });
		press("c");
		const links = every(".more input")[0];
		links.value = "nothing";
		links.dispatchEvent(new Event("change"));
		got.push(await state(), String(store.state.sugar.links));
		press("r");
		every(".branch .does")[0].click();
		got.push(await state(), String(store.state.branch));

		const scenario = { algorithm: "lcr", ids: [3, 1, 2] };
		drop(JSON.stringify(scenario));
		press("x");
		press("c");
		got.push(await state());

		await open(store, bully, { step: 8 });
		document.querySelector("#tab-acts").click();
		await settled();
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		drop(text.replace('"sim"', '"local"'));
		document.querySelector("[role=switch]").click();
		got.push(await state());
		return got;`)
	require.Len(t, got, 9)
	for _, state := range got[:3] {
		require.Contains(t, state, "bully/rules,2,false,a.json: ")
	}
	require.Regexp(t, `^bully/rules,2,false,.*"nothing" is`, got[3])
	require.Equal(t, "undefined", got[4])
	require.Regexp(t, "^bully/rules,3,false", got[5])
	require.Equal(t, "1", got[6])
	require.Equal(t, "lcr/participant,1,false,,lcr/participant", got[7])
	require.Equal(t, "lcr/participant,1,false,,lcr/participant", got[8])
}

// A challenge comes after the acts that are on their way, and is not taken over by one that waits. A menu is
// not opened on a run that has come meanwhile.
func TestRunsInTurn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		const got = [], large = (await call("scenario", { algorithm: "bully", n: 48 })).json;
		document.querySelector("#tab-learn").click();
		while (!document.querySelector(".challenge")) await frame();
		await open(store, large, { step: 8 });
		choose(5);
		press("c");
		press("x");
		while (!store.state.busy) await frame();
		document.querySelector(".challenge").click();
		while (!document.querySelector(".verdict b")) await frame();
		got.push((await state()).split("/")[0], document.querySelector(".lesson-head h2").textContent);
		got.push((await call("challenges")).json[0].name);

		await open(store, large, { step: 8 });
		await settled();
		open(store, { algorithm: "lcr", ids: [1, 2, 3] });
		document.querySelector("[data-process='40'] .shape").dispatchEvent(new MouseEvent("contextmenu", {
			bubbles: true, clientX: 200, clientY: 200, cancelable: true }));
		got.push(await state(), document.querySelector(".popup").hidden ? "no menu" : "a menu");
		return got;`)
	require.Len(t, got, 5)
	require.Equal(t, "museum", got[0])
	require.Equal(t, got[2], got[1])
	require.Equal(t, "lcr/participant,1,false,,lcr/participant", got[3])
	require.Equal(t, "no menu", got[4])
}

// An address that the reader opens is the one that comes, and stays, also while acts on a long run take their
// time. What was asked for before its # has no say in later ones.
func TestAddressesInTurn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t) + "?step=5")
	var got []string
	p.script(&got, asks+`
		const got = [String(store.state.step)];
		to(7);
		await addressed();
		got.push(location.search);
		const { json } = await call("scenario", { algorithm: "lcr", n: 500, order: "worst" });
		await open(store, json, { step: 600 });
		choose(3);
		const address = await encode({ algorithm: "hs", ids: [1, 2, 3] }, 2);
		await addressed();
		press("ArrowRight");
		press("c");
		location.hash = address;
		await frame();
		got.push(await state(), location.hash === "#" + address ? "kept" : location.hash.slice(0, 40));
		return got;`)
	require.Equal(t, []string{"5", "", "hs/probe,1,false,,hs/probe", "kept"}, got)
}

// A group belongs to one of several runs of a file. A challenge that is begun again allows what it did.
// A run has as many processes as its network can have, and says so. A dropped run is not behind a dialog.
func TestWhatBelongsToARun(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Groups, Allowed []string
		Sized           string
		Dialogs         []int
	}
	p.script(&got, asks+`
		const got = { groups: [], allowed: [], dialogs: [] };
		drop(JSON.stringify([{ algorithm: "bully", ids: [1, 2, 3, 4, 5] },
			{ algorithm: "lcr", ids: [3, 1, 2] }]));
		await state();
		document.querySelector("#tab-acts").click();
		await settled();
		const chips = () => every(".chips [aria-pressed=true]").map((e) => e.textContent).join();
		for (const chip of every(".chips .chip").slice(1, 4)) chip.click();
		got.groups.push(chips());
		every(".branch .does")[1].click();
		await state();
		got.groups.push(store.state.film.head.algorithm, chips());

		document.querySelector("#tab-learn").click();
		// The first that allows a fault.
		const { id } = (await call("challenges")).json.find((c) => c.budget?.crashes);
		const name = "[data-id=" + id + "]";
		while (!document.querySelector(name)) await frame();
		document.querySelector(name).click();
		const budget = () => JSON.stringify(store.state.budget);
		while (!document.querySelector(".verdict b")) await frame();
		got.allowed.push(budget());
		await open(store, { algorithm: "lcr", ids: [3, 1, 2] });
		got.allowed.push(budget());
		button("Begin again").click();
		await state();
		got.allowed.push(budget());

		await open(store, { algorithm: "lcr", ids: [1, 2, 3, 4, 5, 6, 7] });
		pick("mesh");
		await settled();
		const size = document.querySelector(".size [type=number]");
		size.value = 7;
		size.dispatchEvent(new Event("change"));
		await settled();
		got.sized = store.state.film.n + ": " + store.state.error;
		press("S");
		while (!document.querySelector("dialog")) await frame();
		got.dialogs.push(every("dialog").length);
		drop("nothing");
		await state();
		got.dialogs.push(every("dialog").length);
		return got;`)
	require.Equal(t, []string{"2,3,4", "lcr/participant", ""}, got.Groups)
	require.Len(t, got.Allowed, 3)
	require.Equal(t, "{}", got.Allowed[1])
	require.NotEqual(t, "{}", got.Allowed[0])
	require.Equal(t, got.Allowed[0], got.Allowed[2])
	require.Regexp(t, `^9: .*\b7\b`, got.Sized)
	require.Equal(t, []int{1, 0}, got.Dialogs)
}

// The menu of a process chooses it, so that its keys mean this process. A second click is none of its own.
func TestKeysOfTheMenu(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		const bully = (await call("scenario", { algorithm: "bully", n: 4 })).json, got = [];
		await open(store, bully, { step: 8 });
		document.querySelector("[data-process='2'] .shape").dispatchEvent(new MouseEvent("contextmenu", {
			bubbles: true, clientX: 200, clientY: 200, cancelable: true }));
		while (document.querySelector(".popup").hidden) await frame();
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "c", bubbles: true,
			cancelable: true }));
		while (store.state.branches.length < 2) await frame();
		got.push(await state(), store.state.scenario.acts.map((a) => a.do + " " + a.process).join());
		document.querySelector("#tab-acts").click();
		choose(1);
		await settled();
		const crash = button("Crash 2");
		crash.click();
		crash.click();
		while (store.state.branches.length < 3) await frame();
		got.push(await state());
		return got;`)
	require.Equal(t, []string{"bully/rules,2,false,,bully/rules", "crash 3",
		"bully/rules,3,false,,bully/rules"}, got)
}

// What is done while another run is on its way does not keep that run.
func TestRunsGivenUp(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		const got = [], args = { algorithm: "ghs", n: 400, links: "complete" };
		const { json: long } = await call("scenario", args);
		const given = open(store, long);
		await frame();
		press("u");
		await frame();
		late();
		await open(store, { algorithm: "hs", ids: [1, 2, 3] });
		got.push(await given ? "shown" : "given up", await state());
		return got;`)
	require.Equal(t, []string{"given up", "hs/probe,1,false,,hs/probe"}, got)
}

// A race does not end the film of an act.
func TestRaceBesideAnAct(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got string
	p.script(&got, asks+`
		const large = (await call("scenario", { algorithm: "bully", n: 128 })).json;
		await open(store, large, { step: 8 });
		await settled();
		choose(5);
		press("c");
		while (!store.state.busy) await frame();
		await frame();
		late();
		button("Race").click();
		return await state();`)
	require.Equal(t, "bully/rules,2,false,,bully/rules", got)
}

// A menu that is opened while the run is played stops it: it is for the step that was seen.
func TestMenuOfARunThatIsPlayed(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		await open(store, (await call("scenario", { algorithm: "bully", n: 48, delay: "random" })).json);
		press(" ");
		for (let i = 0; i < 5; i++) await frame();
		const got = [store.state.playing ? "played" : "at rest"], popup = document.querySelector(".popup");
		document.querySelector("[data-process='3'] .shape").dispatchEvent(new MouseEvent("contextmenu", {
			bubbles: true, clientX: 200, clientY: 200, cancelable: true }));
		await settled();
		got.push(store.state.playing ? "played" : "at rest", popup.hidden ? "no menu" : "a menu");
		return got;`)
	require.Equal(t, []string{"played", "at rest", "a menu"}, got)
}

// An address that cannot be read gives way to that of the run that is shown. By hand no message can be
// delayed.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, asks+`
		const count = (li) => li.querySelectorAll(".more-acts button").length;
		const acts = () => [...new Set(every(".next li").map(count))];
		await open(store, { algorithm: "lcr", ids: [3, 1, 2] }, { step: 6 });
		await addressed();
		const own = location.hash;
		location.hash = "nothing";
		await frame();
		await state();
		const got = [location.hash === own ? "its own" : location.hash];
		document.querySelector("#tab-acts").click();
		await settled();
		got.push(acts().join());
		document.querySelector("[role=switch]").click();
		await state();
		press("1");
		await state();
		got.push(acts().sort().join());
		return got;`)
	require.Equal(t, []string{"its own", "3", "0,2"}, got)
}

// A setting that waits for an act keeps the one before it, and a setting that is refused is taken back, also
// where a record is shown.
func TestSettingsInTurn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Waited         []string
		Refused, Again string
		Params         []int // fields of the run shown, and of an algorithm that has none
	}
	p.script(&got, asks+`
		const got = { waited: [] }, change = (e, value) => {
			e.value = value;
			e.dispatchEvent(new Event("change", { bubbles: true }));
		};
		const large = (await call("scenario", { algorithm: "bully", n: 64 })).json;
		let waits = "";
		store.on(["branches", "busy"], ({ branches, busy }) => {
			if (branches.length < 2 || waits !== (busy ? "made" : "shown")) return;
			waits = "";
			change(every("#setup select").find((e) => e.querySelector("[value=sorted]")), "sorted");
		});
		// The second setting comes as the act is shown, or as the run of the first one is made.
		for (const when of ["shown", "made"]) {
			await open(store, large, { step: 64 });
			store.set({ process: -1 });
			choose(5);
			waits = when;
			press("c");
			change(document.querySelector(".size [type=number]"), 7);
			while (waits) await frame();
			await state();
			got.waited.push(store.state.film.head.ids.join());
		}

		const scenario = { algorithm: "lcr", ids: [3, 1, 2] };
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		drop(text.replace('"sim"', '"local"'));
		await state();
		const links = every(".more label").find((e) => e.textContent.startsWith("Links"));
		change(links.querySelector("input"), "nothing");
		got.refused = await state();
		pick("franklin");
		got.again = await state();
		pick("itairodeh/rounds");
		await state();
		const params = () => every(".more small").length;
		got.params = [params()];
		await open(store, (await call("challenges")).json[0].scenario);
		got.params.push(params());
		return got;`)
	require.Equal(t, []string{"1,2,3,4,5,6,7", "1,2,3,4,5,6,7"}, got.Waited)
	require.Contains(t, got.Refused, "lcr/participant,1,false,links: ")
	require.Equal(t, "franklin,1,false,,franklin", got.Again)
	require.Equal(t, []int{2, 0}, got.Params)
}

// An address that is opened closes a dialog about the run before it, and a lesson does not go on with a run
// that the reader has opened meanwhile.
func TestNothingOfTheRunBefore(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Dialogs     int
		Stop, Shown string
	}
	p.script(&got, asks+`
		press("S");
		while (!document.querySelector("dialog")) await frame();
		location.hash = await encode({ algorithm: "lcr", ids: [3, 1, 2] }, 2);
		await frame();
		await state();
		const got = { dialogs: every("dialog").length };

		document.querySelector("#tab-learn").click();
		while (!document.querySelector(".lessons .does")) await frame();
		document.querySelector(".lessons .does").click();
		while (!document.querySelector(".next-stop")) await frame();
		choose(0);
		press("c");
		await state();
		document.querySelector(".next-stop").click();
		await open(store, { algorithm: "hs", ids: [1, 2, 3] });
		got.shown = await state();
		got.stop = document.querySelector("#panel-learn progress").ariaLabel;
		return got;`)
	require.Zero(t, got.Dialogs)
	require.Regexp(t, "^Stop 1 of ", got.Stop)
	require.Equal(t, "hs/probe,1,false,,hs/probe", got.Shown)
}
