package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/go-election/election/observe"
)

// chromeEvent is a line of the Trace Event Format, which chrome://tracing and ui.perfetto.dev read. Its times
// are microseconds.
type chromeEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	At       float64        `json:"ts"`
	Duration float64        `json:"dur,omitempty"`
	PID      int            `json:"pid"`
	TID      int            `json:"tid"`
	ID       int            `json:"id,omitempty"` // joins the two ends of a flow
	Binding  string         `json:"bp,omitempty"` // "e": to the slice around it
	Scope    string         `json:"s,omitempty"`  // of an instant
	Args     map[string]any `json:"args,omitempty"`
}

// chromeStep is how long a step is drawn, in microseconds; a unit of time is a million of them. Steps take
// no time, and a slice without length shows nothing.
const chromeStep = 10

// WriteChrome writes a trace in the Trace Event Format for ui.perfetto.dev: a track for each process, a slice
// for each step with its sentence, an arrow for each message, and a mark for each decision.
func WriteChrome(w io.Writer, t *Trace) error {
	t = grouped(t)
	s := newStory(t)
	b := bufio.NewWriter(w)
	fmt.Fprint(b, `{"displayTimeUnit": "ms", "traceEvents": [`)
	separator := "\n"
	var broken error
	put := func(e chromeEvent) {
		e.PID = 1
		line, err := json.Marshal(e)
		if err != nil && broken == nil {
			broken = err
		}
		fmt.Fprintf(b, "%s%s", separator, line)
		separator = ",\n"
	}
	put(chromeEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": s.title()}})
	for p := range t.Header.Scenario.IDs {
		put(chromeEvent{Name: "thread_name", Phase: "M", TID: p + 1,
			Args: map[string]any{"name": "process " + s.id(p)}})
	}
	sentences := NewSentences(t).Of(1, len(t.Events))
	step, at := 0, 0.0
	last := make([]float64, len(t.Header.Scenario.IDs)) // where the track of each process ends
	sends := make(map[Ref]int)
	for i := range t.Events {
		e := &t.Events[i]
		p := s.where[e.Process]
		if !e.Do.Effect() {
			// Steps of one instant stand behind each other, in their order.
			at = max(float64(e.At)/float64(time.Microsecond), last[p])
			last[p] = at + chromeStep
			put(chromeEvent{Name: s.said(e), Category: e.Do.String(), Phase: "X", At: at,
				Duration: chromeStep, TID: p + 1,
				Args: map[string]any{"step": step + 1, "words": sentences[step]}})
			step++
		}
		switch e.Do {
		case observe.Send:
			sends[e.Ref()] = i + 1
			put(chromeEvent{Name: s.messageText(&e.Message), Category: "message", Phase: "s", At: at,
				TID: p + 1, ID: i + 1})
		case observe.Deliver:
			if id := sends[e.From]; id > 0 {
				put(chromeEvent{Name: s.messageText(&e.Message), Category: "message", Phase: "f", At: at,
					TID: p + 1, ID: id, Binding: "e"})
			}
		case observe.Decide:
			if s.changed[i] {
				put(chromeEvent{Name: s.said(e), Category: "decide", Phase: "i", At: at, TID: p + 1,
					Scope: "t"})
			}
		}
	}
	fmt.Fprint(b, "\n]}\n")
	if broken != nil {
		return broken
	}
	return b.Flush()
}
