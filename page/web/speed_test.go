//go:build unix

package web

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// busy returns how long the page's thread has worked, in milliseconds of the processor.
func (p *tab) busy() float64 { return p.metric("TaskDuration") }

// used returns how long all threads of the page have worked, in milliseconds of the processor, some ten
// exactly.
func (p *tab) used() float64 { return p.metric("ProcessTime") }

// metric returns a time that the browser reports, in milliseconds.
func (p *tab) metric(name string) float64 {
	p.t.Helper()
	reply, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
	require.NoError(p.t, err)
	for _, m := range reply.Metrics {
		if m.Name == name {
			return m.Value * 1000
		}
	}
	p.t.Fatalf("the browser reports no %s", name)
	return 0
}

// measure lets the browser report times of the processor.
func (p *tab) measure() {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, performance.Enable, performance.EnableParams{
		TimeDomain: performance.EnableTimeDomainThreadTicks})
	require.NoError(p.t, err)
}

// unit is a piece of work that takes some milliseconds, by which others are measured: what a machine takes
// for all differs more between machines than what it takes for one of them in units of the other.
const unit = `
	const unit = () => {
		let sum = 0;
		for (let i = 0; i < 4e6; i++) sum = (sum * 31 + i) % 1000003;
		return sum;
	};`

// unitWorth is what a unit takes on the machine for which the bars are set, in milliseconds.
const unitWorth = 17.0

// limit returns how many units something may take whose bar is given in milliseconds: twice the bar. Units differ less
// from machine to machine than times, but a new version of a browser may take half as long again for the same page.
func limit(bar float64) float64 { return 2 * bar / unitWorth }

// unit returns what a unit takes now, in milliseconds: the machine may be faster or slower a second later.
func (p *tab) unit() float64 {
	p.t.Helper()
	p.script(nil, unit+`
		window.unit = unit;
		unit();
		await frame();`)
	before := p.busy()
	p.script(nil, `
		for (let i = 0; i < 6; i++) await new Promise((r) => requestAnimationFrame(() => r(window.unit())));`)
	return (p.busy() - before) / 6
}

// Frames and jumps take no longer than their limits.
func TestSpeed(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{measured: true}) // messages travel
	p.open(serve(t))
	p.measure()
	for _, c := range []struct {
		algorithm, order string
		n                int
		frame            float64
	}{
		{"lcr", "worst", 16, 4}, {"lcr", "worst", 64, 6}, {"lcr", "worst", 256, 8},
		{"bully", "random", 64, 12},
	} {
		t.Run(fmt.Sprint(c.algorithm, c.n), func(t *testing.T) {
			var b bridge.Bridge
			scenario, err := short(t, &b,
				map[string]any{"algorithm": c.algorithm, "n": c.n, "order": c.order})
			require.NoError(t, err)
			p.script(nil, fmt.Sprintf(`
				const { encode, store } = page;
				document.title = "";
				location.hash = await encode(%s, 0);
				while (!document.title) await settled();
				store.set({ playing: false });
				to(Math.floor(range.max / 3));
				await settled();`, scenario))
			frames := measured(limit(c.frame), func() float64 {
				one := p.unit()
				p.script(nil, `
					to(Math.floor(range.max / 3));
					await settled();
					press(" ");
					await frame();`)
				before := p.busy()
				var drawn float64
				p.script(&drawn, `
					const { state } = page.store, from = state.cursor;
					let frames = 0;
					for (; frames < 20; frames++) await new Promise((r) => requestAnimationFrame(r));
					return state.cursor > from && state.playing ? frames : 0;`)
				require.NotZero(t, drawn)
				defer p.script(nil, `press(" ");`)
				return (p.busy() - before) / drawn / one
			})
			bar, wholeBar := limit(30), limit(45)
			i := 0
			var jumps, whole []float64 // whole is with the library and the compositor
			jump := func() float64 {
				one, before, all := p.unit(), p.busy(), p.used()
				p.script(nil, fmt.Sprintf(`
					for (let i = %d; i < %d; i++) {
						to((i * 7919) %% range.max);
						await settled();
					}`, i, i+4))
				i += 4
				jumps = append(jumps, (p.busy()-before)/4/one)
				whole = append(whole, (p.used()-all)/4/one)
				return max(jumps[len(jumps)-1]/bar, whole[len(whole)-1]/wholeBar)
			}
			jump() // the browser compiles more of the library as it is used
			jumps, whole = nil, nil
			measured(1, jump)
			t.Logf("frame %.2f, jump %.2f, with the library and the compositor %.2f units; %.2f %.2f %.2f",
				middle(frames), middle(jumps), middle(whole), frames, jumps, whole)
			require.LessOrEqual(t, middle(frames), limit(c.frame))
			require.LessOrEqual(t, middle(jumps), bar)
			require.LessOrEqual(t, middle(whole), wholeBar)
		})
	}
}

// An act is drawn as a branch within its bar, with its panel open: the library's work counts, too.
func TestSpeedOfActs(t *testing.T) {
	const acts, bar = 6, 150
	p := newTab(t, look{still: true, measured: true})
	p.open(serve(t))
	p.measure()
	p.script(nil, `
		const n = document.querySelector(".size input[type=number]");
		n.value = 64;
		n.dispatchEvent(new Event("change"));
		while (document.querySelectorAll(".node").length !== 64) await frame();
		document.querySelector("#tab-acts").click();
		to(150);
		choose(9);
		await settled();`)
	before := p.used()
	p.script(nil, unit+`for (let i = 0; i < 20; i++) { unit(); await frame(); }`)
	one := (p.used() - before) / 20
	before = p.used()
	p.script(nil, fmt.Sprintf(`
		for (let k = 2; k < 2 + %d; k++) {
			press("p");
			while (document.querySelectorAll(".branch").length < k) await frame();
			await settled();
		}`, acts))
	act := (p.used() - before) / acts
	t.Logf("act %.2f of a unit of %.1f ms", act/one, one)
	require.LessOrEqual(t, act/one, limit(bar))
}
