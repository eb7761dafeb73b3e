package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNarrowScreens: on a narrow page a list begins at its top, an answer is not hidden by the controls, a
// panel hangs on its tab, and what another page shows is higher than wide.
func TestNarrowScreens(t *testing.T) {
	t.Parallel()
	server := serve(t)
	p := newTab(t, look{still: true, width: 390, height: 844})
	p.open(server)
	var got struct{ Scrolled, Gap, Hidden, Empty float64 }
	p.script(&got, `
		const got = {}, of = (s) => document.querySelector(s).getBoundingClientRect();
		press("?");
		got.scrolled = document.querySelector("dialog").scrollTop;
		document.querySelector("dialog").close();
		document.querySelector("#tab-prove").click();
		await settled();
		got.gap = of("#panel-prove").top - of(".tabs").bottom;
		const button = (words) => [...document.querySelectorAll("#panel-prove button")].find((b) =>
			b.textContent.startsWith(words));
		button("Take 4").click();
		while (document.querySelectorAll(".node").length !== 4) await frame();
		await settled();
		got.empty = [...document.querySelectorAll("#panel-prove > .row")].filter((row) => !row.clientHeight
			&& row.checkVisibility()).length;
		button("Show all").click();
		while (!document.querySelector(".map")) await frame();
		await settled();
		got.hidden = of(".map").bottom - of(".controls").top;
		return got;`)
	require.Zero(t, got.Scrolled)
	require.Zero(t, got.Gap)
	require.Zero(t, got.Empty)
	require.LessOrEqual(t, got.Hidden, 0.0)

	// Nothing is wider than a screen of 320 points, on which a page of 1,280 is at 400 %, nor than a phone's.
	for _, width := range []int64{320, 390} {
		p = newTab(t, look{still: true, width: width, height: 568})
		p.open(server)
		var wide []string
		p.script(&wide, `
			const wide = [], scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX)
				&& e.getBoundingClientRect().right <= innerWidth || scrolls(e.parentElement));
			for (const tab of every("[role=tab]")) {
				tab.click();
				await settled();
				wide.push(...every("header *, main *, footer *").filter((e) => e.checkVisibility() &&
					e.getBoundingClientRect().right > innerWidth &&
					(e.matches("header *, main > *, footer *") || !scrolls(e.parentElement)))
					.map((e) => tab.textContent + ": " + e.outerHTML.slice(0, 80)));
			}
			return wide;`)
		require.Empty(t, wide, width)
	}

	p = newTab(t, look{still: true, width: 390, height: 300})
	p.open(server + "/?embed=1&view=both")
	var ring struct{ Width, Below, Cut float64 }
	p.script(&ring, `
		const of = (s) => document.querySelector(s).getBoundingClientRect();
		return { width: of(".stage").width, below: of("div.time").top - of(".stage").bottom,
			cut: of(".column").top - of("div.time").top };`)
	require.Greater(t, ring.Width, 300.0)
	require.Positive(t, ring.Below)
	require.LessOrEqual(t, ring.Cut, 0.0, "the names above the picture of time are cut")
}

// TestRaceIsNotBent: where the number of processes changes, or words get longer at the end, the words of all
// take their place before a picture is drawn. A circle stays one, and has room.
func TestRaceIsNotBent(t *testing.T) {
	t.Parallel()
	onScreens(t, `
		while (!document.querySelector(".setup select option")) await frame();
		[...document.querySelectorAll("#tools button")].find((b) => b.textContent === "Race").click();
		while (document.querySelectorAll(".card").length !== 3) await frame();
		await settled();
		const look = () => {
			const pictures = every(".net canvas");
			if (pictures.length !== 3) wrong.push(pictures.length + " pictures");
			for (const c of pictures) {
				const bent = Math.abs(c.width / c.height - c.clientWidth / c.clientHeight);
				if (bent > 0.02) wrong.push("bent by " + bent);
				const size = Math.min(c.clientWidth, c.clientHeight);
				if (size < 88) wrong.push("of size " + size);
			}
		};
		const before = document.querySelector(".card"), n = document.querySelector(".race input");
		n.value = 32;
		n.dispatchEvent(new Event("input"));
		while (document.querySelector(".card") === before) await frame();
		await settled();
		look();
		const clock = document.querySelector(".clock input");
		clock.value = 1000;
		clock.dispatchEvent(new Event("input"));
		await settled();
		look();`)
}

// TestVerdictStandsOut: what a check comes to is written as strongly as other text, and so is its reason.
func TestVerdictStandsOut(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var colours []string
	p.script(&colours, prover+`
		allow("Crashes", 1);
		button("Try all").click();
		await until(() => document.querySelector(".counter"));
		const of = (s) => getComputedStyle(document.querySelector(s)).color;
		return [of("body"), of(".result .sum"), of(".counter p")];`)
	require.Equal(t, colours[0], colours[1])
	require.Equal(t, colours[0], colours[2])
}
