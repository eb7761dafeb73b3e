package bridge

import (
	"context"
	"encoding/json"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/trace"
)

// mostSteps is the largest number of steps that one call describes.
const mostSteps = 10_000

// stretch is the arguments of a call about some steps of a run, inclusive.
type stretch struct {
	Scenario json.RawMessage `json:"scenario"`
	From     int             `json:"from"`
	To       int             `json:"to"`
	Wire     bool            `json:"wire"` // of words: with the fields of messages
}

// readStretch reads the arguments of a call about some steps.
func readStretch(args json.RawMessage) (stretch, error) {
	var s stretch
	if err := read(args, &s); err != nil {
		return s, err
	}
	if s.From < 1 || s.To < s.From || s.To-s.From >= mostSteps {
		return s, input.Errorf("from, to: steps %d to %d, they must be 1 at least, rising, and at most %d",
			s.From,
			s.To, mostSteps)
	}
	return s, nil
}

// words describes the events of some steps.
func (b *Bridge) words(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	in, err := readStretch(args)
	if err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	t, err := r.recorded(ctx)
	if err != nil {
		return Reply{}, err
	}
	if r.said == nil {
		r.said = trace.NewSentences(t)
	}
	if in.Wire {
		return written(r.said.Wire(in.From, in.To))
	}
	return written(r.said.Of(in.From, in.To))
}
