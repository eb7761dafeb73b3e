package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What the reader does is done in turn: a key is for the process that was chosen as it was pressed, and a
// record that is dropped, or an address, comes in place of the run to which an act was still to be done.
func TestInTurn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Acts           []string
		Trace, Address string
		Branches       [2]int
		Hash, Own      string
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
	require.Equal(t, "hs/probe", got.Trace)
	require.Equal(t, "lcr/participant", got.Address)
	require.Equal(t, [2]int{1, 1}, got.Branches)
	require.Empty(t, got.Hash, "a record has no address")
	require.Equal(t, "kept", got.Own)
}
