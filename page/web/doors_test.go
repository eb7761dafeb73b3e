package web

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// begun waits until the first picture of the service is there.
const begun = `
	while (!document.querySelector(".member") || document.documentElement.dataset.calls !== "0") await frame();
	const doors = document.querySelector("#doors"), shown = () => doors.checkVisibility();
	const enter = (way) => document.querySelector("[data-way=" + way + "]").click();
`

// Three cards stand above the first picture, which rests at its beginning. Each leads to what it names.
func TestDoors(t *testing.T) {
	t.Parallel()
	server := serve(t)
	in := func(way, then string, got any) {
		p := newTab(t, look{still: true})
		p.open(server + "/?")
		p.script(got, begun+`enter("`+way+`");`+then)
		messages, _ := p.seen()
		require.Empty(t, messages, way)
	}

	p := newTab(t, look{still: true})
	p.open(server + "/?")
	var first struct {
		Cards, Step float64
		Above, Play bool
	}
	p.script(&first, begun+`
		return { cards: every(".door").filter((e) => e.checkVisibility()).length, step: page.store.state.step,
			above: doors.getBoundingClientRect().bottom <= document.querySelector("#service").getBoundingClientRect().top,
			play: document.querySelector(".start").checkVisibility() };`)
	require.Equal(t, 3.0, first.Cards)
	require.Zero(t, first.Step)
	require.True(t, first.Above)
	require.True(t, first.Play)

	var lesson []any
	in("learn", `
		while (!document.querySelector(".stop")) await frame();
		await settled();
		const { film, view } = page.store.state;
		return [view, film.head.algorithm, document.querySelector(".ends small").textContent, shown()];`, &lesson)
	require.Equal(t, []any{"run", "lcr/participant", "Stop 1 of 12", false}, lesson)

	var service []any
	in("break", `
		while (!document.activeElement.matches(".big")) await frame();
		return [page.store.state.view, document.activeElement.querySelector("b").textContent, shown()];`, &service)
	require.Equal(t, []any{"service", "Kill 5", false}, service)

	// The focus is on the button again when there is another leader.
	in("break", `
		const focus = () => document.activeElement.querySelector?.("b")?.textContent ?? "";
		while (!document.activeElement.matches(".big")) await frame();
		document.activeElement.click();
		while (!page.store.state.story?.downs.length) await frame();
		await settled();
		const got = [document.activeElement.matches(".big")];
		to(range.max);
		while (!document.activeElement.matches(".big")) await frame();
		return [...got, focus()];`, &service)
	require.Equal(t, false, service[0])
	require.Regexp(t, `^Kill [1-4]$`, service[1])

	var race []any
	in("compare", `
		while (document.querySelectorAll(".race .card").length !== 3) await frame();
		return [page.store.state.view, document.querySelector(".race .card").dataset.name, page.store.state.playing];`, &race)
	require.Equal(t, []any{"run", "lcr/participant", false}, race)
}

// The service that a reader breaks runs, and its view is there again after the lesson.
func TestDoorsLeadBack(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t) + "/?")
	var got []any
	p.script(&got, begun+`
		const { store } = page, got = [];
		enter("break");
		while (!document.activeElement.matches(".big")) await frame();
		got.push(store.state.playing);
		store.set({ playing: false, doors: true });
		await settled();
		const { scenario } = store.state;
		enter("learn");
		while (!document.querySelector(".stop")) await frame();
		await settled();
		every("#views button")[0].click();
		while (!document.querySelector(".member").checkVisibility()) await frame();
		await settled();
		return [...got, store.state.scenario === scenario, shown()];`)
	require.Equal(t, []any{true, true, true}, got)
}

// Closed cards stay closed at the next visit, until the list of keys shows them again. An address of a run, and a run
// of an algorithm, come without them.
func TestDoorsAreClosed(t *testing.T) {
	t.Parallel()
	server := serve(t)
	p := newTab(t, look{still: true})
	p.open(server)
	var plain bool
	p.script(&plain, `return document.querySelector("#doors").checkVisibility();`)
	require.False(t, plain)
	var got []any
	p.open(server + "/?")
	p.script(&got, begun+`
		await addressed();
		const got = [shown(), location.hash];
		document.querySelector("#doors > button").click();
		got.push(shown());
		to(1);
		await addressed();
		got.push(location.hash !== "");
		return got;`)
	require.Equal(t, []any{true, "", false, true}, got)
	p.open(server + "/?again")
	p.script(&got, begun+`
		const got = [shown()];
		press("?");
		every("dialog button").find((b) => b.textContent === "Show the start cards").click();
		await settled();
		return [...got, shown(), Boolean(document.querySelector("dialog"))];`)
	require.Equal(t, []any{false, true, false}, got)
	var from string
	p.script(&from, `to(2); await addressed(); return location.hash;`)
	p.open(server + "/?more")
	p.script(&got, begun+`return [shown()];`)
	require.Equal(t, []any{true}, got)
	require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate("about:blank")))
	p.open(server + "/" + from)
	p.script(&got, begun+`return [shown()];`)
	require.Equal(t, []any{false}, got)
}

// A browser without storage shows the cards, closes them, and reports no error.
func TestDoorsWithoutStorage(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	added, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });`})
	require.NoError(t, err)
	t.Cleanup(func() { // other tests take the tab
		_, err := chromedp.Call(p.ctx, page.RemoveScriptToEvaluateOnNewDocument,
			page.RemoveScriptToEvaluateOnNewDocumentParams(added))
		require.NoError(t, err)
	})
	p.open(serve(t) + "/?")
	var got []any
	p.script(&got, begun+`
		const got = [shown()];
		document.querySelector("#doors > button").click();
		return [...got, shown()];`)
	require.Equal(t, []any{true, false}, got)
	messages, _ := p.seen()
	require.Empty(t, messages)
}

// The picture begins on the first screen of a phone, below the cards, and nothing is wider than the screen.
func TestDoorsOnAPhone(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{320, 390} {
		p := newTab(t, look{still: true, width: width, height: 844})
		p.open(serve(t) + "/?")
		var got struct {
			Free float64
			Wide []string
		}
		p.script(&got, begun+`
			await settled();
			const of = (s) => document.querySelector(s).getBoundingClientRect();
			return { free: of(".controls").top - of(".lanes").top, wide: every("header *, #doors *, main *, footer *")
				.filter((e) => e.checkVisibility() && (e.getBoundingClientRect().right > innerWidth + 0.5
					|| e.matches(".door") && e.getBoundingClientRect().height < 44)).map((e) => e.outerHTML.slice(0, 80)) };`)
		require.Greater(t, got.Free, 140.0, width)
		require.Empty(t, got.Wide, width)
	}
}
