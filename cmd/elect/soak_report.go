package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// soaked draws how far it is.
func (m *meter) soaked(t soak.Tally) {
	m.draw(func(seconds float64) string {
		return fmt.Sprintf("%s runs in %.0f s, %s a second", prose.Grouped(t.Runs), seconds, prose.Grouped(uint64(float64(t.Runs)/seconds)))
	})
}

// soakReport is the JSON form, its fields in this order.
type soakReport struct {
	Algorithm     string       `json:"algorithm"`
	Variant       string       `json:"variant"`
	Seed          uint64       `json:"seed"`
	Runs          uint64       `json:"runs"`
	Time          units        `json:"simulated_time"`
	Messages      uint64       `json:"messages"`
	Crashes       uint64       `json:"crashes"`
	Hash          string       `json:"hash"`
	Seconds       float64      `json:"seconds"`
	RunsPerSecond float64      `json:"runs_per_second"`
	Failure       *soakFailure `json:"failure"`
	Stopped       *string      `json:"stopped"`
}

// soakFailure is the JSON form of the first run that fails, and of what is left of it.
type soakFailure struct {
	Seed     uint64           `json:"seed"`
	Property verdict.Property `json:"property"`
	Reason   string           `json:"reason"`
	At       units            `json:"at"`
	Replay   string           `json:"replay"`
	Smallest json.RawMessage  `json:"smallest"`
}

func (k *soaking) report() (soakReport, error) {
	r := soakReport{
		Algorithm: k.Algorithm.Name, Variant: k.Algorithm.Variant, Seed: k.Seed, Runs: k.Result.Runs, Time: units(k.Simulated),
		Messages: k.Messages, Crashes: k.Crashes, Hash: hash(k.Hash).String(), Seconds: k.Wall.Seconds(), RunsPerSecond: k.speed(),
	}
	if k.Stopped != nil {
		text := k.stopped()
		r.Stopped = &text
	}
	if f := k.Failure; f != nil {
		s, err := f.Smallest.Scenario()
		if err != nil {
			return r, err
		}
		text, err := s.MarshalJSON()
		if err != nil {
			return r, err
		}
		r.Failure = &soakFailure{Seed: f.Seed, Property: f.Violation.Property, Reason: oneLine(f.Violation.Reason),
			At: units(f.Violation.At), Replay: k.replay(f.Seed), Smallest: text}
	}
	return r, nil
}

func (k *soaking) speed() float64 {
	return prose.Rounded(float64(k.Result.Runs)/max(k.Wall.Seconds(), 1e-9), 0)
}

// tellSoak reports what came out, and writes what is left of a failure.
func (a *app) tellSoak(k *soaking) error {
	if k.flags.json {
		r, err := k.report()
		if err != nil {
			return failed(err)
		}
		line, err := json.Marshal(r)
		if err != nil {
			return failed(err)
		}
		if _, err := fmt.Fprintf(a.stdout, "%s\n", line); err != nil {
			return failed(err)
		}
	} else if k.flags.out != standardStream {
		if _, err := fmt.Fprint(a.stdout, a.soakSummary(k)); err != nil {
			return failed(err)
		}
		if err := a.soakLogs(k); err != nil {
			return failed(err)
		}
	}
	if k.Failure == nil {
		return a.tellNone(notWritten("no failure", k.flags.out), k.flags.json || k.flags.out == standardStream)
	}
	if k.flags.out == "" {
		return nil
	}
	s, err := k.Failure.Smallest.Scenario()
	if err != nil {
		return failed(err)
	}
	return a.writeFile("out", k.flags.out, func(w io.Writer) error { return scenario.Write(w, s) })
}

// soakSummary tells what came out, for people.
func (a *app) soakSummary(k *soaking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.paint(bold, k.title))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if k.Result.Runs > 0 {
		row("runs", "%s, seeds %d to %d", prose.Grouped(k.Result.Runs), k.Seed, k.Seed+k.Result.Runs-1)
	} else {
		row("runs", "none to its end")
	}
	row("speed", "%s runs a second, %v in all", prose.Grouped(uint64(k.speed())), k.Wall.Round(max(1, k.Wall/1000)).Round(time.Microsecond))
	row("time", "%s units, simulated", prose.Grouped(uint64(k.Simulated/sim.Unit)))
	row("messages", "%s", prose.Grouped(k.Messages))
	if k.Crashes > 0 {
		row("crashes", "%s", prose.Grouped(k.Crashes))
	}
	row("hash", "%s", hash(k.Hash))
	f := k.Failure
	if f == nil {
		row("failures", "%s", a.paint(green, "none"))
		return b.String()
	}
	row("violated", "%s", a.paint(red, oneLine(f.Violation.Error())))
	row("seed", "%d, %s", f.Seed, f.Plan.Describe())
	row("replay", "%s", k.replay(f.Seed))
	row("smallest", "%s", f.Smallest.Describe())
	row("", "violated: %s", oneLine(f.Shrunk.Violation.Error()))
	return b.String()
}

// soakLogs tells the log of the only run, and of what is left of a failure.
func (a *app) soakLogs(k *soaking) error {
	if k.Config.Runs == 1 && k.Stopped == nil {
		plan, err := k.Plan(k.Seed)
		if err != nil {
			return err
		}
		if err := a.soakLog("seed "+fmt.Sprint(k.Seed), plan); err != nil {
			return err
		}
	}
	if k.Failure == nil {
		return nil
	}
	return a.soakLog("smallest", k.Failure.Smallest)
}

// longestLog is how many lines of a log are told, and longestRecord how much is taken down for it: a
// run without end has many more.
const (
	longestLog    = 400
	longestRecord = 2000
)

func (a *app) soakLog(name string, p *soak.Plan) error {
	in := p.Input
	recorder, err := trace.NewRecorder(&in, trace.About{Seed: p.Config.Seed, Schedule: p.Schedule, Params: p.Params()})
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
	fmt.Fprintf(a.stdout, "\n%s: ", name)
	for i, line := range lines {
		if i == longestLog && steps > longestRecord {
			fmt.Fprintf(a.stdout, "and so on, %s steps in all\n", prose.Grouped(uint64(steps)))
			break
		}
		if i == longestLog {
			fmt.Fprintf(a.stdout, "and %s lines more\n", prose.Grouped(uint64(len(lines)-1-i)))
			break
		}
		if _, err := fmt.Fprint(a.stdout, line); err != nil {
			return err
		}
	}
	return nil
}
