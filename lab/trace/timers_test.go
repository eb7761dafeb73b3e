package trace_test

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
)

// unit is shorter than scenario.Unit.
const unit = scenario.Unit

func bullyOf(t *testing.T, c bully.Config) *election.Algorithm {
	t.Helper()
	a, err := bully.Rules(c)
	require.NoError(t, err)
	return a
}

// timed records a run of three processes in which the largest crashes, and gives its log.
func timed(t *testing.T, a *election.Algorithm) (*trace.Trace, string) {
	t.Helper()
	tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(3),
		CrashAt: []scenario.At{{ID: 3, Time: 5 * unit}}}, Until: 12 * unit})
	back, err := trace.Read(bytes.NewReader(written(t, tr)))
	require.NoError(t, err)
	require.Equal(t, tr.Header.Timers, back.Header.Timers)
	var log bytes.Buffer
	require.NoError(t, trace.WriteLog(&log, back))
	return back, log.String()
}

// TestTimerNames: a log names timers, those of each machine of a stack too, and a file holds the names.
func TestTimerNames(t *testing.T) {
	arbiter, err := mutex.Arbiter(mutex.Config{Sections: 2, Election: bullyOf(t, bully.Config{Delay: unit}),
		Delay:           unit,
		CriticalSection: unit})
	require.NoError(t, err)
	under, err := detect.Under(lcr.Participant(), detect.Deadline{Delay: unit})
	require.NoError(t, err)
	beating := bullyOf(t, bully.Config{Delay: unit, Heartbeat: 2 * unit})
	for _, c := range []struct {
		algorithm *election.Algorithm
		header    string
		log       []string
	}{
		{arbiter, `"timers":[{"0":"the wait for answers",`, []string{"sets the wait for answers to 3",
			"sets the grace of the arbiter to 2", "the time inside runs out"}},
		{arbiter, `"1":"the time inside, section 1,"`, nil},
		{under, `"timers":[{"0":"the interval of beats","1":"the wait for beats"}]`,
			[]string{"the wait for beats runs out"}},
		{beating, `"3":"the wait for a heartbeat"`, []string{"the wait for a heartbeat runs out",
			"sets the interval of heartbeats to 2"}},
		{lcr.Participant(), `"kinds":["election","elected"]}` + "\n", nil},
	} {
		tr, log := timed(t, c.algorithm)
		require.Contains(t, string(written(t, tr)), c.header)
		for _, want := range c.log {
			require.Contains(t, log, want, c.algorithm.Title())
		}
		require.NotRegexp(t, `timer \d`, log)
		tr.Header.Timers = nil
		var plain bytes.Buffer
		require.NoError(t, trace.WriteLog(&plain, tr))
		if len(c.log) > 0 {
			require.Regexp(t, `timer \d`, plain.String())
		}
	}
}

// TestHeartbeatsAreNoMoments: of timers that their own handler sets again a picture numbers none, unless more
// came of that, as where a detector suspects a process.
func TestHeartbeatsAreNoMoments(t *testing.T) {
	tr, log := timed(t, bullyOf(t, bully.Config{Delay: unit, Heartbeat: 2 * unit}))
	require.Contains(t, log, "the interval of heartbeats runs out")
	captions := captionsOf(t, tr)
	require.Contains(t, captions, "the wait for a heartbeat ends at 1 and 2")
	require.NotContains(t, captions, "the interval of heartbeats")

	under, err := detect.Under(lcr.Participant(), detect.Deadline{Delay: unit})
	require.NoError(t, err)
	tr, _ = timed(t, under)
	captions = captionsOf(t, tr)
	require.NotContains(t, captions, "the interval of beats")
	require.Contains(t, captions, "the wait for beats ends at 1 and 2")
}

// captionsOf returns what stands below a picture, in one line.
func captionsOf(t *testing.T, tr *trace.Trace) string {
	t.Helper()
	var texts []byte
	for _, e := range elements(t, drawn(t, tr, svgOf)) {
		if e.name == "text" {
			texts = append(append(texts, e.text...), ' ')
		}
	}
	return string(slices.Clone(texts))
}

// TestEndsAreInTime: the sign of a message that is lost at a process that is down stands near the time at
// which it would have arrived, also where several are lost at once and arrows of others are in the way.
func TestEndsAreInTime(t *testing.T) {
	in := scenario.Input{Algorithm: bullyOf(t, bully.Config{Delay: unit, Heartbeat: 2 * unit}),
		IDs: []election.ID{1, 2, 3, 4, 5}}
	in.CrashAt = []scenario.At{{ID: 5, Time: 9 * unit}}
	text := drawn(t, simulated(t, sim.Config{Input: in, Until: 20 * unit}), svgOf)
	tick := func(at string) float64 {
		found := regexp.MustCompile(`<text [^>]*y="([\d.]+)" [^>]*text-anchor="end"[^>]*>` + at + "<").
			FindStringSubmatch(text)
		require.NotNil(t, found, at)
		y, err := strconv.ParseFloat(found[1], 64)
		require.NoError(t, err)
		return y
	}
	sent, due := tick("13"), tick("14")
	lost := regexp.MustCompile(`lost: election[^<]*</title>\n<line [^>]*y2="([\d.]+)"`).
		FindAllStringSubmatch(text, -1)
	require.Len(t, lost, 4)
	for _, end := range lost {
		y, err := strconv.ParseFloat(end[1], 64)
		require.NoError(t, err)
		require.InDelta(t, due, y, 0.35*(due-sent))
	}
}
