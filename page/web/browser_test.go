package web

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
	"github.com/go-election/election/page/pack"
)

// required is set where a machine without a browser is a fault, as in continuous integration.
const required = "ELECTION_BROWSER"

// browserName returns the program of the browser; a test that needs one ends here where there is none.
func browserName(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes some seconds: run without -short")
	}
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(required) != "" {
		t.Fatal("there is no Chromium, and " + required + " requires one")
	}
	t.Skip("there is no Chromium on this machine: the page is not tested in a browser")
	return ""
}

// site is the page as published, packed once.
var site = sync.OnceValues(func() (*build.Site, error) {
	s, err := committed()
	if err != nil {
		return nil, err
	}
	return pack.Pack(s)
})

// committed is the page with its modules as committed, built once.
var committed = sync.OnceValues(func() (*build.Site, error) {
	ctx := context.Background()
	source, err := build.Find(ctx)
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return source.Site(ctx, build.Config{Cache: filepath.Join(cache, "election", "page")})
})

// edit is a mistake in a module of the page.
type edit struct{ file, old, new string }

// serve serves the published page and returns its address. The folders /0, /1 ... contain the modules as
// committed, each with one of the edits.
func serve(t *testing.T, edits ...edit) string {
	t.Helper()
	s, err := site()
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/", build.Handler(s))
	for i, e := range edits {
		s, err := committed()
		require.NoError(t, err)
		text := string(s.File(e.file))
		require.Contains(t, text, e.old)
		changed := s.With(e.file, []byte(strings.Replace(text, e.old, e.new, 1)))
		folder := fmt.Sprintf("/%d/", i)
		mux.Handle(folder, http.StripPrefix(strings.TrimSuffix(folder, "/"), build.Handler(changed)))
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// look is how a page is looked at.
type look struct {
	width, height int64
	dark, still   bool
	patience      time.Duration // that a test has; if zero, five minutes
	measured      bool          // by tests of speed
}

// tab is a page in the browser.
type tab struct {
	t     *testing.T
	ctx   context.Context
	close func() // at the end of the test, if not before

	mu       sync.Mutex
	errors   []string // of the console
	requests []string // that were made
}

// browser is the browser of all tests.
var browser struct {
	once sync.Once
	ctx  context.Context
	err  error
	end  func()

	mu   sync.Mutex
	left []context.Context // tabs that tests have left
}

func TestMain(m *testing.M) {
	flag.Parse()
	// A page waits for frames most of the time.
	if n := runtime.GOMAXPROCS(0); flag.Lookup("test.parallel").Value.String() == strconv.Itoa(n) {
		_ = flag.Set("test.parallel", strconv.Itoa(2*n))
	}
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
}

// start starts the browser for the first test.
func start(program string) error {
	browser.once.Do(func() {
		ctx, stop := chromedp.NewExecAllocator(context.Background(), append(
			chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)...)
		ctx, cancel := chromedp.NewContext(ctx)
		browser.ctx, browser.err = ctx, chromedp.Do(ctx)
		browser.end = func() {
			cancel()
			stop()
		}
	})
	return browser.err
}

// take returns an empty tab, in which the page takes two thirds of the time if a test has left it. What is
// measured has a tab of its own.
func take(measured bool) (context.Context, error) {
	browser.mu.Lock()
	if n := len(browser.left); n > 0 && !measured {
		ctx := browser.left[n-1]
		browser.left = browser.left[:n-1]
		browser.mu.Unlock()
		return ctx, nil
	}
	browser.mu.Unlock()
	ctx, cancel := chromedp.NewContext(browser.ctx)
	// The tab lives as long as the context of what is done first in it, which can have no time limit so.
	limit, done := context.WithTimeout(browser.ctx, time.Minute)
	defer done()
	defer context.AfterFunc(limit, cancel)()
	return ctx, chromedp.Do(ctx)
}

// leave empties a tab, so that nothing of its test continues, and keeps it for others. It closes a tab that had
// to be its test's own, that does not answer, or whose test failed: a dialog may be open in it.
func leave(t *testing.T, tab context.Context, measured bool) {
	ctx, cancel := context.WithTimeout(tab, 10*time.Second)
	defer cancel()
	if measured || t.Failed() || chromedp.Do(ctx, chromedp.Navigate("about:blank")) != nil {
		_ = chromedp.Cancel(tab)
		return
	}
	browser.mu.Lock()
	defer browser.mu.Unlock()
	browser.left = append(browser.left, tab)
}

// newTab opens an empty page.
func newTab(t *testing.T, l look) *tab {
	t.Helper()
	program := browserName(t)
	_, _ = site() // whose building must not take of the time of the first test; serve says what failed
	require.NoError(t, start(program))
	whole, err := take(l.measured)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(whole, cmp.Or(l.patience, 5*time.Minute))
	p := &tab{t: t, ctx: ctx, close: sync.OnceFunc(func() {
		cancel()
		leave(t, whole, l.measured)
	})}
	t.Cleanup(p.close)
	scheme, motion := "light", "no-preference"
	if l.dark {
		scheme = "dark"
	}
	if l.still {
		motion = "reduce"
	}
	if l.width == 0 {
		l.width, l.height = 1400, 860
	}
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: motion}}})
	require.NoError(t, err)
	// All of the page is laid out, and a corner of it painted, which takes a seventh of the time less.
	part := func(p *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
		if !l.measured {
			p.Viewport = &page.Viewport{Width: 8, Height: 8, Scale: 1}
		}
	}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(l.width, l.height, part)))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	p.watch()
	return p
}

// watch takes down what goes wrong and what is loaded.
func (p *tab) watch() {
	messages := chromedp.Console(p.ctx)
	requests := chromedp.Events(p.ctx, network.RequestWillBeSent)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.errors = append(p.errors, m.String())
			p.mu.Unlock()
		}
	}()
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.requests = append(p.requests, r.Request.URL)
			p.mu.Unlock()
		}
	}()
}

// seen returns what the console said, and what was loaded.
func (p *tab) seen() (messages, requests []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.errors...), append([]string(nil), p.requests...)
}

// open loads an address, and waits until its run is shown: the first run of an algorithm if the address names none.
func (p *tab) open(address string) {
	p.t.Helper()
	if !strings.ContainsAny(address, "?#") {
		address += "?view=run"
	}
	require.NoError(p.t, chromedp.Do(p.ctx, chromedp.Navigate(address)))
	p.script(nil, `
		const there = () => document.getElementById("hash")?.textContent;
		while (!there() || document.documentElement.dataset.calls !== "0") await frame();`)
}

// script runs the body of an asynchronous function in the page, and reads what it returns into result.
func (p *tab) script(result any, body string) {
	p.t.Helper()
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](
		"(async () => JSON.stringify(await (async () => {"+tools+body+"})() ?? null))()",
		chromedp.EvalAwaitPromise))
	require.NoError(p.t, err)
	if result != nil {
		require.NoError(p.t, json.Unmarshal([]byte(text), result), text)
	}
}

// tools are what the scripts of all tests use. page has what the page exports; settled waits until nothing
// is asked of the library and all is drawn; addressed waits until the address leads there too; press presses
// a key; to goes to a step as the scrubber does.
const tools = `
	const app = document.querySelector("[src='app.js']") && await import("./app.js"); // not in one file
	const page = app && { ...app, get Film() { return app.store.state.film.constructor; } };
	const frame = () => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
	const settled = async () => {
		do {
			await frame();
		} while (document.documentElement.dataset.calls !== "0");
	};
	const addressed = async () => {
		await settled();
		while (document.documentElement.dataset.address === "late") await frame();
	};
	const press = (key, more = {}) => document.body.dispatchEvent(
		new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
	const every = (selector) => [...document.querySelectorAll(selector)];
	const choose = (p) => document.querySelector("[data-process='" + p + "']").dispatchEvent(
		new MouseEvent("click", { bubbles: true }));
	const range = document.querySelector(".scrubber input");
	const to = (k) => { range.value = k; range.dispatchEvent(new Event("input")); };
`
