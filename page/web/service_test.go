package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// serving is what the scripts of this file use: at goes to a time in seconds, told lists the events, newest first.
const serving = `
	const { store } = page;
	const at = async (seconds) => {
		const cursor = seconds * store.state.story.second;
		store.set({ cursor, step: store.state.axis.stepAt(cursor), playing: false });
		await settled();
	};
	const told = () => every(".events li span").map((e) => e.textContent);
	const click = async (selector) => {
		document.querySelector(selector).click();
		await settled();
	};
	const judge = () => document.querySelector(".judge").dataset.state + ": " + document.querySelector(".judge").textContent;
	while (!document.querySelector(".member") || document.documentElement.dataset.calls !== "0") await frame();
`

// A visitor first sees the service. The buttons act on its leader; the next leader and a refused write are told.
func TestServiceIsBroken(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t) + "/?")
	var got struct {
		Start, Killed, Next, Late, Again []string
		Judge, Says                      string
		Play                             bool
	}
	p.script(&got, serving+`
		const got = { play: document.querySelector(".start").checkVisibility() };
		got.start = every(".member b").map((e) => e.textContent);
		await at(1);
		await click("[data-does=crash]");
		await at(1.5);
		got.killed = told();
		got.says = document.querySelector(".says").textContent;
		await at(2.5);
		got.next = told();
		await click("[data-does=pause]");
		await at(4.5);
		await click(".mend[data-does=resume]");
		await at(5);
		got.late = told();
		await at(0.5);
		await at(5);
		got.again = told();
		got.judge = judge();
		return got;`)
	require.True(t, got.Play)
	require.Equal(t, []string{"1", "2", "3", "4", "5"}, got.Start)
	require.Equal(t, []string{"5 is killed", "5 leads with token 1"}, got.Killed)
	require.Regexp(t, `^Nobody leads\. 4 of 5 votes are still lent, for up to 0\.\d\d s`, got.Says)
	require.Regexp(t, `^4 leads with token \d+, 0\.\d\d s later$`, got.Next[0])
	require.Regexp(t, `^4 writes before it looks at its clock: token \d+ refused, \d+ was seen$`, got.Late[0])
	require.Equal(t, got.Late, got.Again, "forth and back")
	require.Equal(t, "good: No two leases at once", got.Judge)
	messages, _ := p.seen()
	require.Empty(t, messages)
}

// The same cut makes two leaders without leases, and none with them, by votes and by a store. The banner contains why.
func TestServiceIsCut(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t) + "/?")
	var got []string
	p.script(&got, serving+`
		const got = [];
		for (const i of [0, 1, 2]) {
			every(".kinds button")[i].click();
			await settled();
			await at(1.5);
			await click("[data-does=cut]");
			await at(2.4);
			got.push(judge());
		}
		return got;`)
	require.Len(t, got, 3)
	require.Equal(t, []string{"good: No two leases at once", "good: No two leases at once"}, got[:2])
	require.Regexp(t, `^bad: Two leaders since 2\.\d\d s: 5 and 4\. Why: 5 is cut off and cannot hear of 4\.$`, got[2])
}

// Two leaders are answered by the same cut with leases, which leaves one. Among many members, a cut works, too.
func TestServiceIsCutAgainWithLeases(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t) + "/?")
	var got []string
	p.script(&got, serving+`
		const got = [], same = document.querySelector(".same");
		every(".kinds button")[2].click();
		await settled();
		got.push(String(same.checkVisibility()));
		await at(1.5);
		await click("[data-does=cut]");
		await at(2.4);
		got.push(String(same.checkVisibility()));
		same.click();
		while (!store.state.story?.leases || !store.state.story.cuts.length || store.state.busy) await frame();
		await at(2.4);
		got.push(judge(), told().find((words) => words.includes("cut off")), String(same.checkVisibility()));
		return got;`)
	require.Equal(t, []string{"false", "true", "good: No two leases at once", "5 is cut off", "false"}, got)
	p.script(&got, serving+`
		const size = document.querySelector(".pitch select");
		size.append(new Option("", "130"));
		size.value = "130";
		size.dispatchEvent(new Event("change"));
		while (store.state.film.n !== 130 || store.state.busy) await frame();
		await settled();
		await at(0.5);
		await click("[data-does=cut]");
		return store.state.scenario.acts.map((act) => act.do);`)
	require.Equal(t, []string{"cut"}, got)
}

// Keys act on the leader, or on the chosen member. The address leads to the same view, and each view keeps its run.
func TestServiceByKeysAndAddress(t *testing.T) {
	t.Parallel()
	server := serve(t)
	p := newTab(t, look{still: true})
	p.open(server + "/?")
	var got struct {
		Killed, Both         []string
		Address, View, Title string
		Step                 int
	}
	p.script(&got, serving+`
		const got = {};
		await at(1);
		press("c");
		while (!store.state.story?.troubles.length) await frame();
		await settled();
		got.killed = told();
		every(".member")[0].click();
		await settled();
		press("c");
		while (store.state.story?.downs.length !== 2) await frame();
		await settled();
		got.both = told();
		await addressed();
		got.address = location.hash;
		got.step = store.state.step;
		every("#views button")[1].click();
		while (!document.querySelector(".node")?.checkVisibility()) await frame();
		await settled();
		got.title = store.state.film.head.algorithm;
		every("#views button")[0].click();
		while (!document.querySelector(".member").checkVisibility()) await frame();
		await settled();
		if (store.state.step !== got.step) throw Error("the service does not keep its step");
		got.view = store.state.film.head.algorithm;
		return got;`)
	require.Equal(t, "5 is killed", got.Killed[0])
	require.Equal(t, "1 is killed", got.Both[0])
	require.Equal(t, "lcr/participant", got.Title)
	require.Equal(t, "lease", got.View)

	p = newTab(t, look{still: true})
	p.open(server + "/" + got.Address)
	var there []any
	p.script(&there, serving+`return [store.state.view, store.state.step, store.state.scenario.acts.length];`)
	require.Equal(t, []any{"service", float64(got.Step), 2.0}, there)
}

// Nothing is wider than the screen of a phone, and each button is as large as a finger.
func TestServiceOnAPhone(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{320, 390} {
		p := newTab(t, look{still: true, width: width, height: 844})
		p.open(serve(t) + "/?")
		var wrong []string
		p.script(&wrong, serving+`
			await at(1);
			await click("[data-does=crash]");
			await at(2);
			return every("header *, main *, footer *").filter((e) => e.checkVisibility()
				&& (e.getBoundingClientRect().right > innerWidth + 0.5
					|| e.matches(".big") && e.getBoundingClientRect().height < 44)).map((e) => e.outerHTML.slice(0, 80));`)
		require.Empty(t, wrong, width)
	}
}

// The lesson about split brain reaches two leaders, of which the banner over the picture tells; the same cut with leases
// does not.
func TestSplitBrain(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Bully, Healed, Lease string
	}
	p.script(&got, `
		const got = {}, { call, encode, store } = page, all = await (await fetch("lessons.json")).json();
		const banner = document.querySelector("#two");
		const show = async (id, k) => {
			const { json } = await call("scenario", all.find((l) => l.id === id).scenario);
			await page.open(store, json, { step: k });
			await settled();
		};
		await show("bully-split", 40);
		got.bully = banner.checkVisibility({ visibilityProperty: true }) ? banner.textContent : "";
		to(64);
		await settled();
		got.healed = banner.checkVisibility({ visibilityProperty: true }) ? banner.textContent : "";
		await show("lease-split", 50);
		got.lease = banner.hidden ? "" : banner.textContent;
		return got;`)
	require.Equal(t, "Two leaders since step 29 at time 15: 3 and 2. Why: links are cut, and they do not hear of each other.",
		got.Bully)
	require.Empty(t, got.Healed)
	require.Empty(t, got.Lease)
}

// A counterexample of the checker shows its cut as one: the links, a band in the picture in time that names who is cut off,
// and why two lead, also when the cut is over.
func TestCutOfACounterexample(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Names      []string
		Cut, After string
	}
	p.script(&got, `
		const names = new Set(), { fillText } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
			names.add(text);
			fillText.call(this, text, ...more);
		};
		const { json } = await page.call("scenario", { algorithm: "bully", n: 3, order: "sorted" });
		const { json: found } = await page.callLong("check", { scenario: json, budget: { cuts: 1 } });
		await page.open(page.store, found.counterexample, { step: 1e9 });
		document.querySelector(".side.end .choice:last-child select").value = "steps";
		document.querySelector(".side.end .choice:last-child select").dispatchEvent(new Event("change"));
		await settled();
		await frame();
		const banner = document.querySelector("#two"), { film } = page.store.state, after = banner.textContent;
		to(film.faults.find((k) => film.what(k) === "heal") - 1);
		await settled();
		return { names: [...names].filter((text) => /cut off/.test(text)), cut: banner.textContent, after };`)
	require.Equal(t, []string{"3 cut off"}, got.Names)
	require.Contains(t, got.Cut, "Why: links are cut, and they do not hear of each other.")
	require.Contains(t, got.After, "Why: they were cut off, and have not heard of each other.")
}
