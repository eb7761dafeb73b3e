package trace_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestExcerpt: the first lines are those of the whole log, and the rest is counted.
func TestExcerpt(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Max(), IDs: []election.ID{1, 2, 3}}
	excerpt := func(pauses, lines int) (text []string, rest string) {
		var b strings.Builder
		run := func(o observe.Observer) {
			for range pauses {
				o(&observe.Occurrence{What: observe.Pause, Process: 2})
			}
		}
		require.NoError(t, trace.WriteExcerpt(&b, &in, trace.About{}, lines, run, trace.WriteLog))
		text = strings.SplitAfter(b.String(), "\n")
		require.Empty(t, text[len(text)-1])
		return text[:len(text)-1], text[len(text)-2]
	}
	whole, _ := excerpt(9, 10) // the title and nine lines
	require.Len(t, whole, 10)
	some, rest := excerpt(9, 4)
	require.Equal(t, whole[:4], some[:4])
	require.Equal(t, "and 6 lines more\n", rest)
	_, rest = excerpt(20, 4)
	require.Equal(t, "and 17 lines more\n", rest)
	_, rest = excerpt(1021, 4)
	require.Equal(t, "and so on, 1,021 steps in all\n", rest)
}
