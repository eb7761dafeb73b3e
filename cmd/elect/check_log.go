package main

import (
	"io"
	"slices"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
)

// stepLog writes the log of a run that is given step by step, with times only where there are any.
type stepLog struct{ timed bool }

func newStepLog(steps []scenario.Step) *stepLog {
	return &stepLog{slices.ContainsFunc(steps, func(s scenario.Step) bool { return s.At != nil && *s.At > 0 })}
}

func (l *stepLog) write(w io.Writer, t *trace.Trace) error { return trace.WriteSteps(w, t, l.timed) }
