package web

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// The panel of theory has the messages up to the present step beside the closed forms, and the bits and
// the time of the whole run.
func TestTheory(t *testing.T) {
	t.Parallel()
	var b bridge.Bridge
	scenario, err := short(t, &b, map[string]any{"algorithm": "hs/probe", "n": 8, "order": "random",
		"seed": 3})
	require.NoError(t, err)
	head, _ := native(t, &b, scenario)
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [2]map[string]string
	p.script(&got, fmt.Sprintf(`
		document.title = "";
		location.hash = await page.encode(%s, 0);
		while (!document.title) await settled();
		document.querySelector("#tab-theory").click();
		const got = [], pair = (e) => [e.textContent, e.nextElementSibling.textContent];
		for (const k of [0, range.max]) {
			to(k);
			await settled();
			got.push(Object.fromEntries(every("#panel-theory dt").map(pair)));
		}
		return got;`, scenario))
	require.Equal(t, "0", got[0]["messages so far"])
	require.Equal(t, map[string]string{"messages so far": fmt.Sprint(head.Messages), "best": "72 = 6n + 4*2^K - 8",
		"mean": "88.0762 = a sum, see package hs", "worst": "≤ 112 = 6n + sum(0<k<K) 4*2^k*floor(n/(2^(k-1)+1))",
		"bits in all": fmt.Sprint(head.Bits), "time in all": fmt.Sprintf("%v units", head.Time)},
		got[1])
	require.Positive(t, head.Bits)
	var plots []string
	p.script(&plots, `
		await settled();
		const shown = every("#panel-theory figure").filter((f) => f.checkVisibility());
		return shown.map((f) => f.textContent.split(" ")[0]);`)
	require.Equal(t, []string{"Messages", "Bits", "Time"}, plots)
}

// The value of a formula that counts links is shown on the links for which it is known, not on others.
func TestTheoryOfOtherLinks(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []string
	p.script(&got, `
		document.querySelector("#tab-theory").click();
		const got = [];
		for (const links of [undefined, "star"]) {
			const { json } = await page.call("scenario", { algorithm: "echo/implicit", n: 6, links });
			await page.open(page.store, json);
			await settled();
			got.push(every("#panel-theory dt").find((e) => e.textContent === "worst").nextElementSibling.textContent);
		}
		return got;`)
	require.Regexp(t, `^\d+ = M \+ n-1, M ports in all$`, got[0])
	require.Equal(t, "M + n-1, M ports in all", got[1])
}
