package trace_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/observe"
)

// TestFlush: a writer that flushes after every event has a trace of all events so far, at any moment.
func TestFlush(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: numbered(3)}
	kept, err := trace.NewRecorder(&in, trace.About{})
	require.NoError(t, err)
	var text bytes.Buffer
	written, err := trace.NewWriter(&text, &in, trace.About{})
	require.NoError(t, err)
	require.Zero(t, text.Len())
	events := 0
	_, err = sim.Run(t.Context(), sim.Config{Input: in, Observe: func(o *observe.Occurrence) {
		kept.Observe(o)
		kept.Flush() // has nothing to write
		written.Observe(o)
		written.Flush()
		tr, err := trace.Read(bytes.NewReader(text.Bytes()))
		require.NoError(t, err)
		require.Equal(t, kept.Trace().Events, tr.Events)
		events = len(tr.Events)
	}})
	require.NoError(t, err)
	require.Greater(t, events, 10)
	size := text.Len()
	require.NoError(t, written.Close())
	require.Equal(t, size, text.Len())
}

// TestFlushFails: a failure is reported in the end.
func TestFlushFails(t *testing.T) {
	in := scenario.Input{Algorithm: lcr.Participant(), IDs: numbered(3)}
	r, err := trace.NewWriter(full{}, &in, trace.About{})
	require.NoError(t, err)
	r.Flush()
	r.Flush()
	require.ErrorIs(t, r.Close(), errFull)
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }
