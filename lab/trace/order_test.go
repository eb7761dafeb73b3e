package trace_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// heard returns a trace of real time, in the order in which goroutines were heard.
func heard(t *testing.T) *trace.Trace {
	t.Helper()
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(3)}})
	tr.Header.Driver = "local"
	for i := range tr.Events { // some microseconds after each other
		e := &tr.Events[i]
		if e.At == 0 && e.Do != observe.Init {
			e.At = time.Duration(e.Process) * 190 * time.Microsecond
		} else if e.At > 0 {
			e.At = time.Millisecond + e.At/1000 + time.Duration(e.Process)*20*time.Microsecond
		}
	}
	// one process after another, up to the first receipt
	slices.SortStableFunc(tr.Events, func(a, b trace.Event) int {
		if a.At >= time.Millisecond || b.At >= time.Millisecond {
			return int(a.At/time.Millisecond) - int(b.At/time.Millisecond)
		}
		return int(b.Process) - int(a.Process)
	})
	return tr
}

// times returns the times of the lines of a log, and the names of their events.
func times(t *testing.T, text string) (at, refs []string) {
	t.Helper()
	for line := range strings.Lines(text[strings.Index(text, "\n")+1:]) {
		words := strings.Fields(line)
		at, refs = append(at, words[0]), append(refs, words[1])
	}
	return at, refs
}

// TestByTime: where time is real, the log goes forward and its times can be distinguished, and those of the
// picture are the same.
func TestByTime(t *testing.T) {
	tr := heard(t)
	require.False(t, slices.IsSortedFunc(tr.Events, func(a, b trace.Event) int { return int(a.At - b.At) }))
	before := slices.Clone(tr.Events)
	text := drawn(t, tr, trace.WriteLog)
	require.Equal(t, before, tr.Events, "the trace stays as it is")
	at, refs := times(t, text)
	require.Len(t, at, len(tr.Events))
	last, place := -1.0, map[string]int{}
	for i := range at {
		x, err := strconv.ParseFloat(at[i], 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, x, last, text)
		last, place[refs[i]] = x, i
	}
	different := map[time.Duration]bool{}
	for i := range tr.Events {
		e := &tr.Events[i]
		different[e.At] = true
		if e.From != (trace.Ref{}) {
			require.Less(t, place[e.From.String()], place[e.Ref().String()], text)
		}
		if e.Seq > 1 {
			require.Less(t, place[trace.Ref{Process: e.Process, Seq: e.Seq - 1}.String()],
				place[e.Ref().String()], text)
		}
	}
	shown := slices.Compact(slices.Clone(at))
	require.Len(t, shown, len(different), "times that differ look different")
	// The axis of a picture is to scale: equal times are equally far apart.
	var rows, places []float64
	axis := regexp.MustCompile(`y="([\d.]+)" font-size="\d+" text-anchor="end" fill="#333333">([\d.]+)<`)
	for _, m := range axis.FindAllStringSubmatch(drawn(t, tr, svgOf), -1) {
		y, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		x, err := strconv.ParseFloat(m[2], 64)
		require.NoError(t, err)
		rows, places = append(rows, x), append(places, y)
	}
	require.Greater(t, len(rows), 2)
	for i := range rows[2:] {
		require.InEpsilon(t, rows[1]-rows[0], rows[i+2]-rows[i+1], 1e-6, "ticks are evenly apart")
		require.InEpsilon(t, places[1]-places[0], places[i+2]-places[i+1], 1e-3)
	}
}

// TestCausalBeforeTime: a clock that is behind does not let anything arrive before it was sent.
func TestCausalBeforeTime(t *testing.T) {
	tr := heard(t)
	for i := range tr.Events {
		if e := &tr.Events[i]; e.Process == 2 {
			e.At /= 1000
		}
	}
	_, refs := times(t, drawn(t, tr, trace.WriteLog))
	for i := range tr.Events {
		if e := &tr.Events[i]; e.From != (trace.Ref{}) {
			require.Less(t, slices.Index(refs, e.From.String()), slices.Index(refs, e.Ref().String()))
		}
	}
	require.NotContains(t, structure(t, drawn(t, tr, svgOf)), " UP ")
}

// TestVirtualTimes stay short, however they are drawn.
func TestVirtualTimes(t *testing.T) {
	a, err := catalog.Find("hs", "")
	require.NoError(t, err)
	for seed := range uint64(5) {
		in := scenario.Input{Algorithm: a, IDs: numbered(8)}
		c := sim.Config{Input: in, Schedule: sim.RandomDelay, Seed: seed}
		at, _ := times(t, drawn(t, simulated(t, c), trace.WriteLog))
		for _, x := range at {
			require.Regexp(t, `^\d+(\.\d{1,3})?$`, x)
		}
	}
}

// TestLegend: it says what the end of an arrow means that has not arrived, where there is one, and a crash
// has another shape.
func TestLegend(t *testing.T) {
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: numbered(5), Initiators: []election.ID{2}}
	whole := structure(t, drawn(t, simulated(t, sim.Config{Input: in}), svgOf))
	require.NotContains(t, whole, `text "lost"`)
	require.NotContains(t, whole, `text "not arrived"`)
	in.CrashAt = []scenario.At{{ID: 5, Time: scenario.Unit / 2}}
	tr := simulated(t, sim.Config{Input: in})
	lost := slices.IndexFunc(tr.Events, func(e trace.Event) bool { return e.Do == observe.Lose })
	tr.Events = tr.Events[:lost+1]
	some := structure(t, drawn(t, tr, svgOf))
	require.Contains(t, some, `text "lost"`)
	require.Contains(t, some, `text "not arrived"`)
	require.Contains(t, some, `mark "5: crashes": polygon #B3261E line #FFFFFF line #FFFFFF`)
	require.Regexp(t, `message "2 to 5, lost: election 2": line \S+ from 2 down to 5 line \S+ line \S+\n`,
		some)
}

// TestLabels: a label lies on no other arrow, however many there are, and on its own one.
func TestLabels(t *testing.T) {
	a, err := catalog.Find("bully", "")
	require.NoError(t, err)
	type arrow struct{ x1, y1, x2, y2 float64 }
	var arrows []arrow
	labels := 0
	run := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(8)}})
	for _, e := range elements(t, drawn(t, run, svgOf)) {
		if e.name == "line" && e.attr["stroke-width"] == "1.8" {
			arrows = append(arrows, arrow{
				e.number(t, "x1"), e.number(t, "y1"), e.number(t, "x2"), e.number(t, "y2"),
			})
		}
		if e.attr["class"] != "label" {
			continue
		}
		labels++
		x, y, on := e.number(t, "x"), e.number(t, "y")-0.35*e.number(t, "font-size"), 0
		for _, a := range arrows {
			part := (x - a.x1) / (a.x2 - a.x1)
			if part > 0 && part < 1 && max(a.y1+(a.y2-a.y1)*part-y, y-a.y1-(a.y2-a.y1)*part) < 5 {
				on++
			}
		}
		require.Equal(t, 1, on, "label %s at %v, %v", e.text, x, y)
	}
	require.Len(t, arrows, 70)
	require.Greater(t, labels, 10)
}
