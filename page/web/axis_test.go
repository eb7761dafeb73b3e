package web

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// By the clock a unit of time is a unit of the axis, but for a wait of more than three, which is cut to
// one. The steps of an instant keep their order, and a third of a unit at most.
func TestAxis(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	type tick struct{ Place, At float64 }
	var got struct {
		Places, Steps []float64
		Gaps          []struct{ From, To, Units float64 }
		Ticks         []tick
		Step          []int
		Time          []float64
	}
	p.script(&got, `
		const Axis = page.store.state.axis.constructor;
		const at = [0, 0, 0, 1, 1, 2.5, 20, 20, 20.2];
		const film = { length: at.length, at: (k) => (k > 0 ? at[k - 1] : 0) };
		const axis = new Axis(film, "time");
		return { places: [...axis.places], steps: [...new Axis(film, "steps").places], gaps: axis.gaps,
			ticks: axis.ticks(1), step: [0, 0.15, 0.5, 1, 3, 4].map((x) => axis.stepAt(x)),
			time: [0, 0.5, 1, 1.75, 2.5, 3.5].map((x) => axis.timeAt(x)) };`)
	require.InDeltaSlice(t, []float64{0, 0, 0.1, 0.2, 1, 1.15, 2.5, 3.5, 3.53, 3.7}, got.Places, 1e-9)
	require.Equal(t, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got.Steps)
	require.Len(t, got.Gaps, 1)
	require.InDelta(t, 17.5, got.Gaps[0].Units, 1e-9)
	require.Equal(t, []tick{{0, 0}, {1, 1}, {1 + 1.0, 2}, {3.5, 20}}, got.Ticks)
	require.Equal(t, []int{1, 2, 3, 4, 6, 9}, got.Step)
	require.InDeltaSlice(t, []float64{0, 0.5, 1, 1.75, 2.5, 20}, got.Time, 1e-9)
}

// The picture in time is stretched and shrunk by the wheel and by keys, around the present.
func TestZoom(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	p.ask(map[string]any{"algorithm": "lcr", "n": 8})
	var got struct{ Zoom, Ends []float64 }
	p.script(&got, `
		const { store } = page, canvas = document.querySelector("canvas[tabindex]"), zoom = [], ends = [];
		const wheel = (deltaY) => canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, ctrlKey: true }));
		to(30);
		for (const turn of [() => press("+"), () => press("-"), () => wheel(-300), () => wheel(300)]) {
			turn();
			zoom.push(store.state.zoom);
		}
		for (const key of ["+", "-"]) {
			for (let i = 0; i < 20; i++) press(key);
			ends.push(store.state.zoom);
		}
		return { zoom, ends };`)
	require.InDeltaSlice(t, []float64{1.25, 1, math.E, 1}, got.Zoom, 1e-9)
	require.Equal(t, []float64{8, 0.1}, got.Ends)
}
