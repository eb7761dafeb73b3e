//go:build unix

package web

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// samples is how often each thing is measured at first.
const samples = 5

// one returns what a unit takes now, as used measures.
func (p *tab) one() float64 {
	before := p.used()
	p.script(nil, unit+`for (let i = 0; i < 10; i++) { unit(); if (i % 5 === 4) await frame(); }`)
	return (p.used() - before) / 10
}

// measured takes samples, of which it returns all. Other work on the machine adds to a sample more than to
// its unit: where the median is over the bar, it takes twice as many more, and the median of all holds.
func measured(bar float64, sample func() float64) []float64 {
	var all []float64
	for len(all) < samples || len(all) < 3*samples && middle(all[:samples]) > bar {
		all = append(all, sample())
	}
	return all
}

// middle returns the median.
func middle(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

// The first picture is there within its bar, also of the page in one file. Each time the page comes from
// another address, so that the browser has none of it. All that the page's process has done until then
// counts.
func TestSpeedOfFirstPicture(t *testing.T) {
	t.Parallel()
	s, err := site()
	require.NoError(t, err)
	text, err := s.Single()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		address func() string
		bar     float64
	}{
		"by elect page":              {func() string { return written(t) }, 1200},
		"an algorithm by elect page": {func() string { return written(t) + "?view=run" }, 800},
		"over HTTP":                  {func() string { return serve(t) }, 1200},
		"an algorithm over HTTP":     {func() string { return serve(t) + "?view=run" }, 800},
		"one file": {func() string {
			file := filepath.Join(t.TempDir(), "page.html")
			require.NoError(t, os.WriteFile(file, text, 0o644))
			return "file://" + file
		}, 1200},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTab(t, look{still: true, measured: true})
			p.open(serve(t))
			p.measure()
			one := p.one()
			all := measured(limit(c.bar), func() float64 {
				p := newTab(t, look{measured: true})
				defer p.close() // it plays
				require.NoError(t, chromedp.Do(p.ctx, chromedp.Navigate(c.address())))
				p.measure()
				shows := ".member"
				if strings.HasPrefix(name, "an algorithm") {
					shows = ".node"
				}
				p.script(nil, fmt.Sprintf(`
					while (!document.querySelector("#hash").textContent || !document.querySelector(%q)) {
						await new Promise((r) => requestAnimationFrame(r));
					}`, shows))
				return p.used() / one
			})
			t.Logf("%.0f units, worth %.0f ms; all %.0f", middle(all), middle(all)*unitWorth, all)
			require.LessOrEqual(t, middle(all), limit(c.bar))
		})
	}
}

// Checks end within their bars. Where the panel of proofs is open, the first one takes little longer.
func TestSpeedOfChecks(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true, measured: true})
	p.open(serve(t))
	p.measure()
	p.script(nil, `document.querySelector("#tab-prove").click(); await settled();`)
	for _, c := range []struct {
		algorithm string
		n, each   int // each is how many are measured together
		bar       float64
	}{{"lcr", 4, 8, 30}, {"lcr", 5, 1, 250}, {"franklin", 4, 1, 600}} {
		t.Run(fmt.Sprint(c.algorithm, c.n), func(t *testing.T) {
			var b bridge.Bridge
			scenario, err := short(t, &b, map[string]any{"algorithm": c.algorithm, "n": c.n})
			require.NoError(t, err)
			check := func(each int) float64 {
				one, before := p.one(), p.used() // the machine may be slower now than a moment before
				p.script(nil, fmt.Sprintf(`
					const args = { scenario: %s, budget: {} };
					for (let i = 0; i < %d; i++) await page.callLong("check", args);`, scenario, each))
				return (p.used() - before) / float64(each) / one
			}
			first := check(1)
			check(c.each) // the browser compiles more of the library as it is used
			all := measured(limit(c.bar), func() float64 { return check(c.each) })
			t.Logf("%.2f units, worth %.0f ms, the first %.2f; all %.2f", middle(all), middle(all)*unitWorth,
				first, all)
			require.LessOrEqual(t, middle(all), limit(c.bar))
			require.LessOrEqual(t, first, 3*limit(c.bar))
		})
	}
}

// The film of a run is made within its bar, with the lines that ran in each step.
func TestSpeedOfFilms(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true, measured: true})
	p.open(serve(t))
	p.measure()
	for _, c := range []struct {
		n, each int // each is how many are measured together
		bar     float64
	}{{64, 8, 50}, {256, 2, 350}} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			one, i := p.one(), 0
			film := func() float64 {
				before := p.used()
				// The library keeps the run at hand: one of other processes is made again.
				p.script(nil, fmt.Sprintf(`
					const n = %d, each = %d, most = 10000;
					for (let i = %d * each, end = i + each; i < end; i++) {
						const ids = Array.from({ length: n }, (_, p) => n + i - p); // LCR's worst order
						const scenario = (await page.call("scenario", { algorithm: "lcr", ids })).json;
						const film = new page.Film((await page.call("film", { scenario })).data);
						if (film.head.messages !== n * (n + 1) / 2 + n) throw Error(film.head.result);
						for (let from = 1; from <= film.length; from += most) {
							const to = Math.min(film.length, from + most - 1);
							await page.call("lines", { scenario, from, to });
						}
					}`, c.n, c.each, i))
				i++
				return (p.used() - before) / float64(c.each) / one
			}
			film() // the browser compiles more of the library as it is used
			all := measured(limit(c.bar), film)
			t.Logf("%.2f units, worth %.0f ms; all %.2f", middle(all), middle(all)*unitWorth, all)
			require.LessOrEqual(t, middle(all), limit(c.bar))
		})
	}
}

// A simulation takes in the browser at most 4.5 times as long as in a program of this machine. No other test
// runs beside, as its work would be this program's, too.
func TestSpeedAgainstNative(t *testing.T) {
	const each = 8 // are measured together
	var b bridge.Bridge
	scenario, err := short(t, &b, map[string]any{"algorithm": "lcr", "n": 256, "order": "worst"})
	require.NoError(t, err)
	args := fmt.Sprintf(`{"scenario": %s}`, scenario)
	p := newTab(t, look{still: true, measured: true})
	p.open(serve(t))
	p.measure()
	times := func() float64 {
		before := worked(t)
		for range each {
			_, err := b.Call(t.Context(), "film", json.RawMessage(args), nil)
			require.NoError(t, err)
		}
		here := worked(t) - before
		before = p.used()
		p.script(nil, fmt.Sprintf(`for (let i = 0; i < %d; i++) await page.call("film", %s);`,
			each, args))
		return (p.used() - before) / here
	}
	times() // the browser compiles more of the library as it is used
	all := measured(4.5, times)
	t.Logf("%.2f times as long; all %.2f", middle(all), all)
	require.LessOrEqual(t, middle(all), 4.5)
}

// worked returns how long this program has worked, in milliseconds of the processor.
func worked(t *testing.T) float64 {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
