package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/svg"
	"github.com/go-election/election/lab/trace"
)

// file is something to be saved.
type file struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// format is how a run is written.
type format struct {
	ending, media string
	write         func(io.Writer, *trace.Trace) error
}

// formats are the kinds of an export of a run.
var formats = map[string]format{
	"trace":   {"ndjson", "application/x-ndjson", trace.Write},
	"svg":     {"svg", "image/svg+xml", trace.WriteSVG},
	"links":   {"links.svg", "image/svg+xml", trace.WriteLinks},
	"mermaid": {"mmd", "text/plain", trace.WriteMermaid},
	"log":     {"log", "text/plain", trace.WriteLog},
	"chrome":  {"trace.json", "application/json", trace.WriteChrome},
	"shiviz":  {"shiviz.log", "text/plain", trace.WriteShiViz},
}

// export writes a run as a file: as its scenario, its trace, or one of the forms that other programs show.
func (b *Bridge) export(ctx context.Context, args json.RawMessage, _ func(any)) (Reply, error) {
	var in struct {
		Kind     string          `json:"kind"`
		Scenario json.RawMessage `json:"scenario"`
		// Of a picture that is painted, such as a PNG: whether the page is dark. If nil, the picture is not
		// painted: it has no sheet, and follows the page on which it is shown.
		Dark *bool `json:"dark"`
	}
	if err := read(args, &in); err != nil {
		return Reply{}, err
	}
	r, err := b.open(in.Scenario, 0)
	if err != nil {
		return Reply{}, err
	}
	name := fileName(r.scenario)
	if in.Kind == "scenario" {
		var text bytes.Buffer
		if err := scenario.Write(&text, r.scenario); err != nil {
			return Reply{}, err
		}
		return written(file{name + ".json", "application/json", text.String()})
	}
	f, ok := formats[in.Kind]
	if !ok {
		return Reply{}, input.Errorf("kind: %.40q is not one of scenario, %s", in.Kind,
			strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	}
	t, err := r.recorded(ctx)
	if err != nil {
		return Reply{}, err
	}
	var text bytes.Buffer
	if err := f.write(&text, t); err != nil {
		return Reply{}, err
	}
	picture := text.String()
	if in.Dark != nil && f.media == "image/svg+xml" {
		if picture = svg.OnSheet(picture); *in.Dark {
			picture = svg.Dark(picture)
		}
	}
	return written(file{name + "." + f.ending, f.media, picture})
}
