package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// What is opened before the first run is there comes in its place, but if that cannot be read, the first run
// comes all the same: at the step that the address asks for, rounded off.
func TestFirstRunComes(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	dropped := make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/", build.Handler(s))
	mux.HandleFunc("/election.wasm", func(w http.ResponseWriter, r *http.Request) {
		<-dropped
		build.Handler(s).ServeHTTP(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := newTab(t, look{still: true})
	require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate(server.URL+"/?step=1.5")))
	p.script(nil, `
		while (!document.querySelector(".loading")) await frame();
		await frame();
		const files = new DataTransfer();
		files.items.add(new File(["nothing"], "a.json"));
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));`)
	close(dropped)
	var got struct {
		Algorithm, Error string
		Step             float64
		Busy             bool
	}
	p.script(&got, `
		const { state } = page.store;
		while (!state.film) await frame();
		await addressed();
		const { busy, error, film, step } = state;
		return { algorithm: film.head.algorithm, busy, error, step };`)
	require.Equal(t, "lcr/participant", got.Algorithm)
	require.Contains(t, got.Error, "a.json: ")
	require.Equal(t, 1.0, got.Step)
	require.False(t, got.Busy)
	messages, _ := p.seen()
	require.Empty(t, messages)
}
