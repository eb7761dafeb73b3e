package web

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// written serves the page with its modules, its style and its document as committed, except for mistakes.
func written(t *testing.T, mistakes ...edit) string {
	t.Helper()
	page, err := committed()
	require.NoError(t, err)
	for _, e := range mistakes {
		text := string(page.File(e.file))
		require.Contains(t, text, e.old)
		page = page.With(e.file, []byte(strings.Replace(text, e.old, e.new, 1)))
	}
	server := httptest.NewServer(build.Handler(page))
	t.Cleanup(server.Close)
	return server.URL
}

// The modules as committed, which elect page serves, show the same, do the same and lead to the same addresses
// as the published script.
func TestModulesAsWritten(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	var pages [2][]string
	for i, address := range []string{serve(t), written(t)} {
		p.open(address)
		p.script(&pages[i], `
			const { call, open, store } = page, got = [];
			const take = async () => {
				await addressed();
				const parts = ".where, #explain, #lights, #hash, #command, #panel-step, #panel-log, " +
					"#panel-acts, #panel-process";
				got.push(location.hash, document.querySelector(".nodes").outerHTML);
				got.push(...every(parts).map((e) => e.textContent));
				got.push(...every(".stage canvas, .time canvas, .scrubber canvas").map((c) => c.toDataURL()));
			};
			for (const run of [{ algorithm: "bully", n: 5 }, { algorithm: "hs", n: 9, seed: 3 }]) {
				const { json } = await call("scenario", run);
				await open(store, json, { step: (film) => Math.round(film.length / 2) });
				for (const name of ["acts", "log", "step"]) document.querySelector("#tab-" + name).click();
				await take();
				choose(store.state.process < 3 ? 3 : 1);
				const before = store.state.branches.length;
				press("c");
				while (store.state.branches.length === before) await frame();
				await take();
				press("End");
				await take();
			}
			return got;`)
	}
	require.Greater(t, len(pages[0]), 80)
	require.Len(t, pages[1], len(pages[0]))
	for i, text := range pages[0] {
		require.Equal(t, text, pages[1][i], "%d", i)
	}
	messages, requests := p.seen()
	require.Empty(t, messages)
	require.Greater(t, len(requests), 40) // each module is asked for
}
