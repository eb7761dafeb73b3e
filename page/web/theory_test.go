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
		return Promise.all([0, range.max].map(async (k) => {
			to(k);
			const pair = (e) => [e.textContent, e.nextElementSibling.textContent];
			return Object.fromEntries(every("#panel-theory dt").map(pair));
		}));`, scenario))
	require.Equal(t, "0", got[0]["messages so far"])
	require.Equal(t, map[string]string{"messages so far": fmt.Sprint(head.Messages), "best": "6n + 4*2^K - 8",
		"mean": "a sum, see package hs", "worst": "≤ 6n + sum(0<k<K) 4*2^k*floor(n/(2^(k-1)+1))",
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
