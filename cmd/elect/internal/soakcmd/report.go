package soakcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// showSoak draws how far it is.
func showSoak(m *console.Meter, t soak.Tally) {
	m.Draw(func(seconds float64) string {
		return fmt.Sprintf("%s runs in %.0f s, %s a second", prose.Grouped(t.Runs), seconds, prose.Grouped(uint64(float64(t.Runs)/seconds)))
	})
}

// soakReport is the JSON form, its fields in this order.
type soakReport struct {
	Algorithm     string       `json:"algorithm"`
	Variant       string       `json:"variant"`
	Seed          uint64       `json:"seed"`
	Runs          uint64       `json:"runs"`
	Time          run.Units    `json:"simulated_time"`
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
	At       run.Units        `json:"at"`
	Replay   string           `json:"replay"`
	Smallest json.RawMessage  `json:"smallest"`
}

func (k *soaking) report() (soakReport, error) {
	r := soakReport{
		Algorithm: k.Algorithm.Name, Variant: k.Algorithm.Variant, Seed: k.Seed, Runs: k.Result.Runs, Time: run.Units(k.Simulated),
		Messages: k.Messages, Crashes: k.Crashes, Hash: run.Hash(k.Hash).String(), Seconds: k.Wall.Seconds(), RunsPerSecond: k.speed(),
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
		r.Failure = &soakFailure{Seed: f.Seed, Property: f.Violation.Property, Reason: exit.OneLine(f.Violation.Reason),
			At: run.Units(f.Violation.At), Replay: k.replay(f.Seed), Smallest: text}
	}
	return r, nil
}

func (k *soaking) speed() float64 {
	return prose.Rounded(float64(k.Result.Runs)/max(k.Wall.Seconds(), 1e-9), 0)
}

// tellSoak reports what came out, and writes what is left of a failure.
func tellSoak(a *console.Console, k *soaking) error {
	if k.flags.JSON {
		r, err := k.report()
		if err != nil {
			return exit.Failed(err)
		}
		line, err := json.Marshal(r)
		if err != nil {
			return exit.Failed(err)
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s\n", line); err != nil {
			return exit.Failed(err)
		}
	} else if k.flags.out != files.Standard {
		if _, err := fmt.Fprint(a.Stdout, soakSummary(a, k)); err != nil {
			return exit.Failed(err)
		}
		if err := soakLogs(a, k); err != nil {
			return exit.Failed(err)
		}
	}
	if k.Failure == nil {
		return console.TellUnwritten(a, files.NotWritten("no failure", k.flags.out), k.flags.JSON || k.flags.out == files.Standard)
	}
	if k.flags.out == "" {
		return nil
	}
	s, err := k.Failure.Smallest.Scenario()
	if err != nil {
		return exit.Failed(err)
	}
	return files.Write(a, "out", k.flags.out, func(w io.Writer) error { return scenario.Write(w, s) })
}

// soakSummary tells what came out, for people.
func soakSummary(a *console.Console, k *soaking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.Paint(console.Bold, k.title))
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
	row("hash", "%s", run.Hash(k.Hash))
	f := k.Failure
	if f == nil {
		row("failures", "%s", a.Paint(console.Green, "none"))
		return b.String()
	}
	row("violated", "%s", a.Paint(console.Red, exit.OneLine(f.Violation.Error())))
	row("seed", "%d, %s", f.Seed, f.Plan.Describe())
	row("replay", "%s", k.replay(f.Seed))
	row("smallest", "%s", f.Smallest.Describe())
	row("", "violated: %s", exit.OneLine(f.Shrunk.Violation.Error()))
	return b.String()
}

// soakLogs tells the log of the only run, and of what is left of a failure.
func soakLogs(a *console.Console, k *soaking) error {
	if k.Config.Runs == 1 && k.Stopped == nil {
		plan, err := k.Plan(k.Seed)
		if err != nil {
			return err
		}
		if err := soakLog(a, "seed "+fmt.Sprint(k.Seed), plan); err != nil {
			return err
		}
	}
	if k.Failure == nil {
		return nil
	}
	return soakLog(a, "smallest", k.Failure.Smallest)
}

// longestLog is how many lines of a log are told, and longestRecord how much is taken down for it: a
// run without end has many more.
const (
	longestLog    = 400
	longestRecord = 2000
)

func soakLog(a *console.Console, name string, p *soak.Plan) error {
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
	fmt.Fprintf(a.Stdout, "\n%s: ", name)
	for i, line := range lines {
		if i == longestLog && steps > longestRecord {
			fmt.Fprintf(a.Stdout, "and so on, %s steps in all\n", prose.Grouped(uint64(steps)))
			break
		}
		if i == longestLog {
			fmt.Fprintf(a.Stdout, "and %s lines more\n", prose.Grouped(uint64(len(lines)-1-i)))
			break
		}
		if _, err := fmt.Fprint(a.Stdout, line); err != nil {
			return err
		}
	}
	return nil
}
