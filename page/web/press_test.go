package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnyPress: whatever a reader presses, in any order and without waiting, the page answers. What cannot be
// is said in the line for errors; nothing goes wrong in the page itself.
func TestAnyPress(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{})
	p.open(serve(t))
	var wrong []string
	p.script(&wrong, `
		let x = 7920;
		const any = (list) => list[(x = (x * 48271) % 2147483647) % list.length];
		const wrong = [];
		const keys = [..."nNfFcprsxhuUltm123+-?.,", " ", "ArrowRight", "ArrowLeft", "Home", "End", "Escape"];
		addEventListener("error", (e) => wrong.push(e.message));
		addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
		for (let i = 0; i < 400; i++) {
			if (any([true, false])) press(any(keys));
			else {
				const e = any(every("button, select, input[type=checkbox], .node").filter((e) => e.checkVisibility()
					&& !e.disabled && (!e.closest("dialog") || e.closest("form"))));
				if (e.tagName === "SELECT") {
					e.selectedIndex = any([...e.options].map((_, i) => i));
					e.dispatchEvent(new Event("change", { bubbles: true }));
				} else {
					const way = { bubbles: true, cancelable: true };
					e.dispatchEvent(new MouseEvent(any(["click", "click", "contextmenu"]), way));
				}
			}
			if (any([true, false, false, false])) await frame();
		}
		await settled();
		return wrong;`)
	require.Empty(t, wrong)
	messages, _ := p.seen()
	require.Empty(t, messages)
}
