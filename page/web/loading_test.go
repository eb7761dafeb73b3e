package web

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// held serves the page, whose program comes from another handler, once come is called.
func held(t *testing.T, program http.Handler) (address string, come func()) {
	t.Helper()
	s, err := site()
	require.NoError(t, err)
	coming := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/", build.Handler(s))
	mux.HandleFunc("/election.wasm", func(w http.ResponseWriter, r *http.Request) {
		<-coming
		program.ServeHTTP(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	come = sync.OnceFunc(func() { close(coming) })
	t.Cleanup(come) // before that: Close waits for the handler
	return server.URL, come
}

// Until the first run is there, its place says that the library is loading; if the library does not come, the
// page says that instead.
func TestLoading(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	for name, comes := range map[string]bool{"late": true, "never": false} {
		t.Run(name, func(t *testing.T) {
			var late atomic.Bool
			address, come := held(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !comes && !late.Load() {
					http.NotFound(w, r)
					return
				}
				build.Handler(s).ServeHTTP(w, r)
			}))
			p := newTab(t, look{still: true})
			require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate(address+"?view=run")))
			var before, after struct {
				Loading, Error string
				Inside         bool
			}
			const state = `
				const e = document.querySelector(".loading"), box = e.getBoundingClientRect();
				const picture = document.querySelector("#graph").getBoundingClientRect();
				return { loading: e.checkVisibility() ? e.textContent : "",
					error: document.querySelector("#error").textContent,
					inside: box.top > picture.top && box.bottom < picture.bottom };`
			p.script(&before, `while (!document.querySelector(".loading")) await frame();`+state)
			come()
			p.script(&after, `while (document.querySelector(".loading").checkVisibility()) await frame();`+state)
			require.Equal(t, "The library is loading …", before.Loading)
			require.True(t, before.Inside)
			require.Empty(t, before.Error)
			require.Empty(t, after.Loading)
			if comes {
				require.Empty(t, after.Error)
			} else {
				require.Contains(t, after.Error, "The library cannot be loaded. ")
				late.Store(true) // the next call tries again
				var algorithms int
				p.script(&algorithms, `return (await page.call("catalog")).json.length;`)
				require.Positive(t, algorithms)
			}
		})
	}
}
