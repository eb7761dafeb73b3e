package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Undo leads back to the run before the act, at the step after which they differ, and redo to the act.
func TestUndo(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [4]string
	var first string
	p.script(&got, `
		const hash = () => document.querySelector("#hash").textContent + " " + range.value, got = [];
		to(17);
		await settled();
		got.push(hash());
		choose(3);
		press("p");
		while (document.querySelectorAll(".branch").length < 2) await frame();
		await settled();
		got.push(hash());
		press("u"); await settled(); got.push(hash());
		press("U"); await settled(); got.push(hash());
		return got;`)
	require.Equal(t, got[0], got[2])
	require.Equal(t, got[1], got[3])
	require.NotEqual(t, got[0], got[1])
	// Beside the run with the act stands the other one, with their first difference.
	p.script(&first, `
		document.querySelector(".branch [aria-pressed]").click();
		while (!document.querySelector(".compare .first").textContent) await frame();
		return document.querySelector(".compare .first").textContent;`)
	require.Contains(t, first, "First difference, step 18")
}

// Of a hundred runs the page keeps the films of those that the reader has seen last. It makes another one
// again when the reader goes back to it: the same one.
func TestManyBranches(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Branches, Films, After     int
		First, Again, Beside, Diff string
	}
	p.script(&got, `
		const hash = () => document.querySelector("#hash").textContent;
		const { store, open } = page, got = {};
		const { scenario } = store.state, films = () => store.state.branches.filter((b) => b.film).length;
		got.first = hash();
		for (let k = 1; k < 100; k++) {
			await open(store, { ...scenario, seed: k }, { parent: 1, after: 1, step: 1 });
		}
		document.querySelector("#tab-acts").click();
		await settled();
		got.branches = every(".branch").length;
		got.films = films();
		every(".branch .does")[0].click();
		while (hash() !== got.first) await frame();
		await settled();
		got.again = hash();
		every(".branch [aria-pressed]")[40].click();
		while (!document.querySelector(".compare .first").textContent) await frame();
		await settled();
		got.diff = document.querySelector(".compare .first").textContent;
		got.beside = store.state.branches.find((b) => b.id === store.state.compare).film ? "film" : "none";
		got.after = films();
		return got;`)
	require.Equal(t, 100, got.Branches)
	require.Equal(t, 13, got.Films)
	require.LessOrEqual(t, got.After, 14)
	require.Equal(t, got.First, got.Again)
	require.Equal(t, "film", got.Beside)
	require.NotEmpty(t, got.Diff)
	// One that cannot be made again says why, and nothing stands beside the run.
	var failed [2]any
	p.script(&failed, `
		const { store } = page;
		const gone = { id: 999, parent: 1, after: 0, title: "gone", scenario: { algorithm: "none", ids: [1] },
			film: null, seen: 0, wrong: "" };
		store.set({ branches: [...store.state.branches, gone], compare: 999 });
		while (!store.state.error) await frame();
		return [store.state.compare, store.state.error];`)
	require.Equal(t, 0.0, failed[0])
	require.Contains(t, failed[1], "none")
}
