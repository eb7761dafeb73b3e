package soak

import (
	"io"

	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// longestLog is how many lines WriteLog writes of a long run.
const longestLog = 400

// WriteLog runs the Plan and writes what happens in words; of a long run, how it begins.
func (p *Plan) WriteLog(w io.Writer) error { return p.writeExcerpt(w, longestLog, trace.WriteLog) }

// WriteSteps is WriteLog with the steps numbered, and with a number of lines at most.
func (p *Plan) WriteSteps(w io.Writer, lines int) error {
	return p.writeExcerpt(w, lines, func(w io.Writer, t *trace.Trace) error {
		return trace.WriteSteps(w, t, true)
	})
}

func (p *Plan) writeExcerpt(w io.Writer, lines int, write func(io.Writer, *trace.Trace) error) error {
	in := p.Input
	about := trace.About{Seed: p.Config.Seed, Schedule: p.Schedule, Params: p.Params()}
	return trace.WriteExcerpt(w, &in, about, lines, func(o observe.Observer) { p.Run(o) }, write)
}
