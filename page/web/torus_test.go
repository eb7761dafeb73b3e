package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A message over a link that leads around a torus leaves the picture on one side and comes in on the other:
// it passes over no process between the two.
func TestTorus(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "echo", "n": 25, "links": "torus:5x5"})
	var got struct {
		Words         string
		Seen, Covered int
	}
	p.script(&got, `
		const { scene, store } = page, got = { words: document.getElementById("explain").textContent, seen: 0,
			covered: 0 };
		for (let k = 0; k <= store.state.film.length; k++) {
			to(k);
			await frame();
			const { points, radius } = scene.placed;
			for (const { journey: { from, to }, x, y } of scene.tokens) {
				got.seen++;
				const over = (at, p) => p !== from && p !== to && Math.hypot(at.x - x, at.y - y) < radius;
				if (points.some(over)) got.covered++;
			}
		}
		return got;`)
	require.Contains(t, got.Words, "25 processes in a torus")
	require.Greater(t, got.Seen, 100)
	require.Zero(t, got.Covered)
}
