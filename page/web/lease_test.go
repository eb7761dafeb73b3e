package web

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A vote that is lent is a thin bar in the picture in time, a timer that runs an arc around its process, and a planned
// partition a cut of links while it lasts. A lead ends with its lease, also if its process pauses.
func TestLeasesAreDrawn(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lease", "n": 3, "order": "sorted", "until": 200,
		"pause_at": [][]float64{{3, 20, 140}}, "partitions": []any{map[string]any{"from": 30, "until": 130,
			"groups": [][]int{{1}}}}})
	var got struct {
		Loans, Bars, Arcs int
		Ends              []float64
		Cut               []bool
	}
	p.script(&got, `
		const { store } = page, { film } = store.state, got = { loans: film.head.loans.length, cut: [] };
		const { arc, fillRect, stroke, setLineDash } = CanvasRenderingContext2D.prototype;
		let bars = 0, arcs = 0, dashed = false;
		CanvasRenderingContext2D.prototype.fillRect = function (x, y, w, h) {
			if (w <= 4 && h > 20 && this.globalAlpha > 0.8 && this.globalAlpha < 0.9) bars++;
			fillRect.call(this, x, y, w, h);
		};
		CanvasRenderingContext2D.prototype.arc = function (x, y, r, from, to, ...more) {
			if (this.canvas.closest(".stage") && Math.abs(from + Math.PI / 2) < 1e-9) arcs++;
			arc.call(this, x, y, r, from, to, ...more);
		};
		CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
			if (this.canvas.closest(".stage") && dash.length) dashed = true;
			setLineDash.call(this, dash);
		};
		store.set({ paint: store.state.paint + 1 });
		await settled();
		got.bars = bars;
		for (const at of [5, 104, 150]) {
			let k = 1;
			while (k < film.length && film.at(k) < at) k++;
			dashed = false;
			arcs = 0;
			to(k);
			await settled();
			got.cut.push(dashed);
			got.arcs = arcs;
		}
		got.ends = film.ends;
		return got;`)
	require.GreaterOrEqual(t, got.Loans, 3)
	require.GreaterOrEqual(t, got.Bars, 3)
	require.Positive(t, got.Arcs)
	require.Equal(t, []bool{false, true, false}, got.Cut)
	require.NotEmpty(t, got.Ends)
	require.Greater(t, got.Ends[0], 100.0)
	require.Less(t, got.Ends[0], 140.0)
}
