package soak

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// A run without end has a longer log than anybody reads: so many lines of it are written, and so many
// occurrences taken down for it.
const (
	longestLog    = 400
	longestRecord = 2000
)

// WriteLog runs the Plan and writes what happens in words; of a long run, how it begins.
func (p *Plan) WriteLog(w io.Writer) error {
	in := p.Input
	about := trace.About{Seed: p.Config.Seed, Schedule: p.Schedule, Params: p.Params()}
	recorder, err := trace.NewRecorder(&in, about)
	if err != nil {
		return err
	}
	steps := 0
	p.Run(func(o *observe.Occurrence) {
		if steps++; steps <= longestRecord {
			recorder.Observe(o)
		}
	})
	if err := recorder.Close(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := trace.WriteLog(&b, recorder.Trace()); err != nil {
		return err
	}
	lines := strings.SplitAfter(b.String(), "\n")
	rest := ""
	if len(lines) > longestLog {
		rest = fmt.Sprintf("and %s lines more\n", prose.Grouped(uint64(len(lines)-1-longestLog)))
		if steps > longestRecord {
			rest = fmt.Sprintf("and so on, %s steps in all\n", prose.Grouped(uint64(steps)))
		}
		lines = lines[:longestLog]
	}
	_, err = io.WriteString(w, strings.Join(lines, "")+rest)
	return err
}
