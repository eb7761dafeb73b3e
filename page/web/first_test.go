package web

import (
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
	address, come := held(t, build.Handler(s))
	p := newTab(t, look{still: true})
	require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate(address+"/?step=1.5")))
	p.script(nil, `
		while (!document.querySelector(".loading")) await frame();
		await frame();
		const files = new DataTransfer();
		files.items.add(new File(["nothing"], "a.json"));
		window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));`)
	come()
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

// The first run of an algorithm waits for the reader, with a large button that plays it, whether the page begins with it
// or comes to it from the service.
func TestFirstRunWaits(t *testing.T) {
	t.Parallel()
	server := serve(t)
	for address, then := range map[string]string{"?view=run": "", "?": `every("#views button")[1].click();`} {
		p := newTab(t, look{})
		p.open(server + "/" + address)
		var got []any
		p.script(&got, then+`
			await settled();
			while (page.store.state.view !== "run" || document.documentElement.dataset.calls !== "0") await frame();
			await frame();
			const { state } = page.store, start = document.querySelector("#graph .start");
			const got = [state.film.head.algorithm, state.step, state.playing, start.checkVisibility()];
			start.click();
			await frame();
			got.push(state.playing, start.checkVisibility());
			while (state.step === 0) await frame();
			return got;`)
		require.Equal(t, []any{"lcr/participant", 0.0, false, true, true, false}, got, address)
	}
}

// A setting that is refused while the long run of an address is made takes that run's place, and makes none:
// the first run comes, by its own settings.
func TestFirstRunComesAfterARefusedSetting(t *testing.T) {
	t.Parallel()
	address := serve(t)
	p := newTab(t, look{still: true})
	p.open(address)
	var code string
	p.script(&code, `return page.encode({ algorithm: "bully", ids: Array.from({ length: 700 }, (_, i) => i + 1) }, 0);`)
	require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate("about:blank"),
		chromedp.Navigate(address+"/#"+code)))
	var got []any
	p.script(&got, asks+`
		while (!document.querySelector(".more")) await frame();
		await frame();
		late();
		const label = every(".more label").find((e) => e.textContent.startsWith("Links"));
		const links = label.querySelector("input");
		links.value = "nothing";
		links.dispatchEvent(new Event("change", { bubbles: true }));
		while (store.state.busy) await frame();
		await settled();
		const { error, film, sugar } = store.state;
		return [film && film.head.algorithm, error.slice(0, 7), sugar.links ?? "none"];`)
	require.Equal(t, []any{"lcr/participant", "links: ", "none"}, got)
}
