package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
)

// stepLog tells a run that is given step by step as a log: the number of a step before what it brings,
// and times only where there are any.
type stepLog struct {
	timed  bool
	down   []election.ID     // from the beginning
	begun  bool              // a step has been taken
	steps  int               // so many have been taken
	number map[string]string // of the step of an event, by the name of that
}

// newStepLog returns a log of steps of an input.
func newStepLog(in *scenario.Input, steps []scenario.Step) *stepLog {
	return &stepLog{
		timed:  slices.ContainsFunc(steps, func(s scenario.Step) bool { return s.At != nil && *s.At > 0 }),
		down:   in.Crashed,
		number: make(map[string]string),
	}
}

// note is told what a recorder has made of an occurrence.
func (l *stepLog) note(o *observe.Occurrence, events []trace.Event) {
	if !l.isStep(o) {
		return
	}
	l.begun = true
	l.steps++
	for i := range events {
		l.number[events[i].Ref().String()] = fmt.Sprintf("%d.", l.steps)
	}
}

// isStep reports whether an occurrence is a step: what processes do as they begin or come back is none.
func (l *stepLog) isStep(o *observe.Occurrence) bool {
	switch o.What {
	case observe.Stepped:
		return o.Event.Op != election.Init && o.Event.Op != election.Rejoin
	case observe.Crashed:
		return l.begun || !slices.Contains(l.down, o.Process)
	case observe.Recovered, observe.Restarted, observe.MessageLost, observe.MessageDuplicated:
		return true
	}
	return false
}

// write writes the log: that of package trace, with the numbers.
func (l *stepLog) write(w io.Writer, t *trace.Trace) error {
	var b bytes.Buffer
	if err := trace.WriteLog(&b, t); err != nil {
		return err
	}
	var out strings.Builder
	last := ""
	for i, line := range strings.SplitAfter(b.String(), "\n") {
		at, rest, ok := strings.Cut(strings.TrimLeft(line, " "), " ")
		if i == 0 || !ok { // the title, or the end
			out.WriteString(line)
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		label := l.number[name]
		switch {
		case at == "end":
			label = ""
		case label == last:
			label = ""
		default:
			last = label
		}
		switch {
		case l.timed:
			fmt.Fprintf(&out, "%5s%s", label, line)
		case at == "end":
			fmt.Fprintf(&out, "%5s %s", at, rest)
		default:
			fmt.Fprintf(&out, "%5s %s", label, rest)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
