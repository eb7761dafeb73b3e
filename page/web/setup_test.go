package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A parameter that is a table is typed as on the command line, and Go says what is wrong with it; an
// address that has one fills the field. A run that cannot be encoded leaves the address as it is.
func TestTablesAreTyped(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Meaning, Error, Refused, Again, Address, Late string
		Groups                                        any
	}
	p.script(&got, `
		const { encode, call, store } = page, got = {};
		const made = async (change) => {
			const { film, error } = store.state;
			await change();
			while (store.state.film === film && store.state.error === error) await frame();
			await settled();
		};
		const field = (name) => every(".more .choice").find((c) => c.firstChild.textContent === name);
		const type = (name, text) => made(() => {
			const input = field(name).querySelector("input");
			input.value = text;
			input.dispatchEvent(new Event("change"));
		});
		while (!document.querySelector(".setup select")) await frame();
		const { json: first } = await call("scenario", { algorithm: "invitation", n: 5, order: "sorted" });
		await made(async () => { location.hash = await encode(first, 1); });
		got.meaning = field("groups").querySelector("small").textContent;
		await type("groups", "5:1/3, 4:2");
		got.groups = store.state.scenario.params.groups;
		await type("groups", "5:1/3,4:1");
		got.error = document.querySelector("#error").textContent;
		await type("groups", "5:1/x");
		got.refused = document.querySelector("#error").textContent;
		const { json: second } = await call("scenario", { algorithm: "invitation", n: 4, order: "sorted",
			params: { groups: "4:1/3" } });
		await made(async () => { location.hash = await encode(second, 1); });
		got.again = field("groups").querySelector("input").value;

		got.address = location.hash;
		window.CompressionStream = class { constructor() { throw new Error("full"); } };
		page.store.set({ step: 2 });
		const { dataset } = document.documentElement;
		got.late = dataset.address;
		await new Promise((on) => new MutationObserver(on).observe(document.documentElement,
			{ attributeFilter: ["data-address"] }));
		got.late += dataset.address + (location.hash === got.address);
		return got;`)
	require.NotEmpty(t, got.Meaning)
	require.Equal(t, map[string]any{"5": []any{1.0, 3.0}, "4": []any{2.0}}, got.Groups)
	require.Equal(t, "params.groups: 1 is twice in them", got.Error)
	require.Contains(t, got.Refused, `params.groups: "5:1/x" is not a table`)
	require.Equal(t, "4:1/3", got.Again)
	require.Equal(t, "latetrue", got.Late)
}

// Delays are chosen among usual ones, beside those of the run that is shown.
func TestDelays(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [][]string
	p.script(&got, `
		const { encode, call, store } = page, got = [];
		while (!document.querySelector(".setup select")) await frame();
		const select = () => every(".more .choice").find((c) => c.textContent.startsWith("Delays"))
			.querySelector("select");
		const shown = () => got.push([select().value, [...select().options].map((o) => o.value).join(" "),
			JSON.stringify([store.state.scenario.schedule, store.state.scenario.delay])]);
		for (const v of ["random", "1-3", "unit"]) {
			select().value = v;
			select().dispatchEvent(new Event("change"));
			await settled();
			shown();
		}
		const { json } = await call("scenario", { algorithm: "lcr", n: 4, delay: "2-5" });
		document.title = "";
		location.hash = await encode(json, 0);
		while (!document.title) await settled();
		shown();
		return got;`)
	require.Equal(t, [][]string{
		{"random", "unit random 1-3 1-10", `["random",null]`},
		{"1-3", "unit random 1-3 1-10", `["random",{"min":1,"max":3}]`},
		{"unit", "unit random 1-3 1-10", `["unit",null]`},
		{"2-5", "unit random 1-3 1-10 2-5", `["random",{"min":2,"max":5}]`},
	}, got)
}

// Links that say how many processes they have may say too many, also for a number of JavaScript.
func TestLinksOfTooMany(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, `
		const got = [];
		while (!document.querySelector(".setup select")) await frame();
		for (const links of ["hypercube:13", "hypercube:99"]) {
			const before = page.store.state.error;
			const input = every(".more .choice").find((c) => c.textContent.startsWith("Links"))
				.querySelector("input");
			input.value = links;
			input.dispatchEvent(new Event("change"));
			while (page.store.state.error === before) await frame();
			await settled();
			got.push(document.querySelector("#error").textContent);
		}
		return got;`)
	const wrong = " processes, it must be from 1 to 4096"
	require.Equal(t, []string{"n: 8192" + wrong, "n: 9007199254740992" + wrong}, got)
}
