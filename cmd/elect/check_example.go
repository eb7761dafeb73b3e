package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/params"
)

// counterexample is a run to where a property does not hold, as the simulator tells it.
type counterexample struct {
	scenario *scenario.Scenario // nil if no file can say what the links are
	trace    *trace.Trace
	json     json.RawMessage
	broken   error // the simulator cannot follow, which it should
}

// example runs the counterexample in the simulator.
func (k *checking) example(ctx context.Context) error {
	x := &counterexample{}
	k.ran = x
	params := scenario.WithDelay(k.Config.Algorithm, k.flags.parameters)
	j := &job{params: params, Config: sim.Config{Input: k.Input, Steps: k.Counterexample.Steps}}
	var err error
	k.flags.files.number(j.Steps)
	if x.trace, _, err = retold(context.WithoutCancel(ctx), j); x.trace == nil {
		return err
	}
	if !errors.Is(err, observe.ErrPanic) && !errors.Is(err, observe.ErrPort) { // those may be what it is to show
		x.broken = err
	}
	t, reason := k.Counterexample, k.reason()
	members := []scenario.Member{{Name: "reason", Value: reason}}
	note := reason
	if t.Cycle < len(t.Steps) {
		members = append(members, scenario.Member{Name: "cycle", Value: t.Cycle})
		note += fmt.Sprintf("; the steps from number %d on repeat for ever", t.Cycle)
	}
	s, err := t.Scenario(&k.Input)
	if errors.Is(err, election.ErrInput) { // a log tells it all the same
		var cycle *int
		if t.Cycle < len(t.Steps) {
			cycle = &t.Cycle
		}
		x.json, err = json.Marshal(struct {
			Property verdict.Property `json:"property"`
			Reason   string           `json:"reason"`
			Cycle    *int             `json:"cycle,omitempty"`
		}{t.Property, reason, cycle})
		return err
	} else if err != nil {
		return err
	}
	s.Params, s.Note = params, note
	x.scenario = s
	x.json, err = s.MarshalWith(members...)
	return err
}

// retold runs given steps in the simulator, and returns all that happens. The error is that of the run, which
// may be what the steps are to show.
func retold(ctx context.Context, j *job) (*trace.Trace, *outcome, error) {
	about := trace.About{Params: j.params, Seed: j.Seed}
	if about.Params == nil { // configured all the same
		about.Params = map[string]params.Value{}
	}
	recorder, err := trace.NewRecorder(&j.Input, about)
	if err != nil {
		return nil, nil, err
	}
	other := j.Observe
	j.Observe = func(o *observe.Occurrence) {
		recorder.Observe(o)
		if other != nil {
			other(o)
		}
	}
	o, err := simulate(ctx, j, nil)
	if broken := recorder.Close(); broken != nil {
		return nil, nil, broken
	}
	return recorder.Trace(), o, err
}

// tellExample writes the counterexample wherever it is wanted.
func (a *app) tellExample(k *checking) error {
	f, t := k.flags, k.Counterexample
	if !f.json && !f.silent && f.files.log == "" {
		fmt.Fprintf(a.stdout, "\n%s, after %s: %s\n", a.paint(bold, t.Title()), prose.Plural(len(t.Steps), "step"), k.reason())
		if t.Cycle < len(t.Steps) {
			fmt.Fprintf(a.stdout, "the last %s repeat for ever\n", prose.Plural(len(t.Steps)-t.Cycle, "step"))
		}
		if err := f.files.writeLog(a.stdout, k.ran.trace); err != nil {
			return err
		}
	}
	if f.out != "" {
		if k.ran.scenario == nil {
			return usage("--out: no scenario can say where the links of this topology are")
		}
		if err := a.writeFile("out", f.out, func(w io.Writer) error { return scenario.Write(w, k.ran.scenario) }); err != nil {
			return err
		}
		if !f.json && !f.silent {
			fmt.Fprintf(a.stdout, "\n%s is written; after a correction, elect check --replay %s judges it\n", f.out, quoted(f.out))
		}
	}
	return f.files.write(a, k.ran.trace, false)
}

// replaySteps runs a counterexample and tells it.
func (a *app) replaySteps(f *checkFlags, args []string) error {
	if err := f.onlyReplay(args); err != nil {
		return err
	}
	s, err := f.single(a, "replay", f.replay)
	if err != nil {
		return err
	}
	if s.Steps == nil {
		return usage("--replay %s: it has no steps; elect sim --scenario runs it", f.replay)
	}
	j, err := f.scenarioJob(s)
	if err != nil {
		return fmt.Errorf("--replay %s: %w", f.replay, err)
	}
	j.name, j.label = s.Name, "--replay "+f.replay
	if err := f.outputs(len(j.IDs)); err != nil {
		return err
	}
	judge := check.NewJudge(j.Input, j.Steps, s.Property)
	j.Observe = judge.Observe
	f.files.number(j.Steps)
	t, o, err := retold(f.cmd.Context(), j)
	if t == nil || errors.Is(err, election.ErrInput) {
		return j.named(err)
	}
	if err := a.tellReplay(f, j, t, o); err != nil {
		return failed(err)
	}
	if err != nil {
		return judged(j.named(err))
	}
	return a.judgeReplay(f, s, o, j, judge)
}

// onlyReplay refuses what has no part in a replay.
func (f *checkFlags) onlyReplay(args []string) error {
	if len(args) > 0 {
		return usage("--replay says the algorithm itself: unexpected argument %q", args[0])
	}
	with := map[string]bool{"replay": true, "json": true, "trace": true, "svg": true, "mermaid": true, "log": true, "help": true}
	var other error
	f.cmd.Flags().Visit(func(flag *pflag.Flag) {
		name, why := flag.Name, "the steps say what happens"
		switch {
		case with[name] || other != nil:
			return
		case slices.Contains(inFile, name) || name == "scenario":
			why = "its file says the election"
		case name == "out":
			why = "its file is a scenario already"
		}
		other = usage("--replay and %s exclude each other: %s", dashed(name), why)
	})
	return other
}

// tellReplay tells what happens in a replay.
func (a *app) tellReplay(f *checkFlags, j *job, t *trace.Trace, o *outcome) error {
	switch {
	case f.json:
		if err := a.report(j, o, true, false); err != nil {
			return err
		}
	case !f.silent && f.files.log == "":
		if j.name != "" {
			fmt.Fprintf(a.stdout, "%s\n", a.paint(bold, j.name))
		}
		if err := f.files.writeLog(a.stdout, t); err != nil {
			return err
		}
	}
	return f.files.write(a, t, false)
}

// recorded reports whether a scenario says itself that it violates a property for this reason.
func recorded(s *scenario.Scenario, broken verdict.Property, reason string) bool {
	if s.Property != broken {
		return false
	}
	note := strings.TrimPrefix(oneLine(s.Note), broken.Text()+": ")
	rest, ok := strings.CutPrefix(note, reason)
	return ok && (rest == "" || strings.HasPrefix(rest, "; "))
}

// judgeReplay tells what a replay shows to be wrong, if anything is.
func (a *app) judgeReplay(f *checkFlags, s *scenario.Scenario, o *outcome, j *job, judge *check.Judge) error {
	broken, reason := judge.End()
	switch {
	case reason == nil && o.judge.Expects():
		if err := j.check(o); err != nil {
			return failed(j.named(err))
		}
	case reason != nil:
		text := explained(broken, reason, j.Algorithm)
		if recorded(s, broken, text) {
			text += ", as recorded"
		}
		return failed(j.named(errors.New(violated(broken, text))))
	}
	if f.json || f.silent {
		return nil
	}
	text := "not violated in these steps"
	if judge.Named() {
		text += ": " + s.Property.Text()
	}
	_, err := fmt.Fprintln(a.stdout, text)
	return err
}
