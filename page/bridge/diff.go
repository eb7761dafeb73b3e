package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/trace"
)

// difference is the place at which two runs diverge.
type difference struct {
	Step  int    `json:"step"` // the first one that they do not have in common
	Words string `json:"words"`
}

// diff finds the first difference of two runs; null if both are the same in their causal order.
func (b *Bridge) diff(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		A json.RawMessage `json:"a"`
		B json.RawMessage `json:"b"`
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	var traces [2]*trace.Trace
	for i, text := range []json.RawMessage{in.A, in.B} {
		r, err := b.open(text, 0)
		if err != nil {
			return Reply{}, input.At([]string{"a", "b"}[i], err)
		}
		if traces[i], err = r.recorded(ctx); err != nil {
			return Reply{}, err
		}
	}
	all := trace.Diff(traces[0], traces[1])
	if len(all) == 0 {
		return Reply{JSON: []byte("null")}, nil
	}
	d := &all[0]
	if d.Ref == (trace.Ref{}) {
		return written(difference{Words: fmt.Sprintf("they are different elections: %.200s, and %.200s",
			d.Want,
			d.Have)})
	}
	step := parting(traces[0], traces[1])
	return written(difference{step, fmt.Sprintf("%s here, %s in the other run", said(traces[0], step),
		said(traces[1], step))})
}

// parting returns the first step that two runs do not have in common. Runs that part at an act are the same,
// line by line, until then.
func parting(a, b *trace.Trace) int {
	step := 0
	for i := range max(len(a.Events), len(b.Events)) {
		same := i < len(a.Events) && i < len(b.Events)
		if i < len(a.Events) && !a.Events[i].Do.Effect() || i < len(b.Events) && !b.Events[i].Do.Effect() {
			step++
		}
		if !same || !a.Events[i].Equal(&b.Events[i]) {
			break
		}
	}
	return step
}

// said describes the events of a step.
func said(t *trace.Trace, step int) string {
	if all := trace.NewSentences(t).Of(step, step); len(all) > 0 {
		return all[0]
	}
	return "nothing more happens"
}

// stepOf returns the step of which a line of a trace is a part; behind the end it is the last one.
func stepOf(t *trace.Trace, line int) (step int) {
	for i := range t.Events[:min(line-trace.Line(0)+1, len(t.Events))] {
		if !t.Events[i].Do.Effect() {
			step++
		}
	}
	return step
}
