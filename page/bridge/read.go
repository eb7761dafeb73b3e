package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
)

// mostText bounds the files that a page is given, as the text of a call.
const mostText = 64 << 20

// replayed is the first step of a trace that the algorithm would not have made.
type replayed struct {
	Step  int    `json:"step"`
	Words string `json:"words"`
}

// read reads a file that a page is given: scenarios, or a trace. A trace comes back as a film, replayed; but
// one that the simulator repeats to the letter as its scenario, since the reader can interfere with that.
func (b *Bridge) read(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Text string   `json:"text"`
		More []string `json:"more"` // more scenarios, or the parts of a trace
	}
	if len(args) > mostText {
		return Reply{}, input.Errorf("text: %d bytes, at most %d can be read", len(args), mostText)
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	texts := append([]string{in.Text}, in.More...)
	// A trace whose first line is cut short is recognized, too, and yields an error about it.
	if header, ok := strings.CutPrefix(strings.TrimSpace(in.Text), "{"); ok &&
		strings.HasPrefix(strings.TrimSpace(header), `"trace"`) {
		return b.readTrace(ctx, texts)
	}
	var all []*scenario.Scenario
	for i, text := range texts {
		some, err := scenario.Read(strings.NewReader(text))
		if err != nil {
			if i > 0 {
				err = input.Errorf("file %d: %s", i+1, input.Reason(err))
			}
			return Reply{}, err
		}
		all = append(all, some...)
	}
	for i, s := range all {
		if _, err := newRun(s, usualEvents); err != nil {
			return Reply{}, input.Errorf("scenario %d: %s", i+1, input.Reason(err))
		}
	}
	return written(map[string]any{"kind": "scenarios", "scenarios": all})
}

// readTrace makes a film of a trace, and keeps it to be looked into.
func (b *Bridge) readTrace(ctx context.Context, texts []string) (Reply, error) {
	t, err := readTraces(texts)
	if err != nil {
		return Reply{}, err
	}
	if n := len(t.Header.Scenario.IDs); n > mostProcesses {
		return Reply{}, input.Errorf("ids: %d processes, at most %d can be shown", n, mostProcesses)
	}
	if s := repeated(ctx, t, texts[0]); s != nil {
		return written(map[string]any{"kind": "scenarios", "scenarios": []any{s}})
	}
	before := b.recorded
	if err := b.keep(t); err != nil {
		return Reply{}, err
	}
	f, d, err := b.recorded.refilm()
	if err != nil {
		b.recorded = before // it is still shown
		return Reply{}, err
	}
	var why *replayed
	if d != nil {
		why = &replayed{stepOf(t, d.Line), d.String()}
	}
	reply, err := b.recorded.filmed(f)
	if err != nil {
		return Reply{}, err
	}
	// The head, with two members more.
	more, err := json.Marshal(map[string]any{"kind": "trace", "replay": why})
	if err != nil {
		return Reply{}, err
	}
	reply.JSON = append(bytes.TrimSuffix(reply.JSON, []byte("}")), ',')
	reply.JSON = append(reply.JSON, more[1:]...)
	return reply, nil
}

// repeated returns the scenario of a trace if its run has this text as its trace, else nil.
func repeated(ctx context.Context, t *trace.Trace, text string) *scenario.Scenario {
	if t.Header.Driver != "sim" {
		return nil
	}
	in, err := t.Header.Input(find)
	if err != nil {
		return nil
	}
	links, err := scenario.Of(&in) // of which the header has a form of its own
	if err != nil {
		return nil
	}
	s := t.Header.Scenario
	s.Topology = links.Topology
	r, err := newRun(&s, usualEvents)
	if err != nil {
		return nil
	}
	again, err := r.recorded(ctx)
	var own strings.Builder
	if err != nil || trace.Write(&own, again) != nil || own.String() != text {
		return nil
	}
	return &s
}

// readTraces makes one trace of its parts.
func readTraces(texts []string) (*trace.Trace, error) {
	parts := make([]trace.Part, len(texts))
	for i, text := range texts {
		t, err := trace.Read(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		parts[i] = trace.Part{Name: "trace " + strconv.Itoa(i+1), Trace: t}
	}
	if len(parts) == 1 {
		return parts[0].Trace, nil
	}
	return trace.Merge(parts...)
}
