package soakcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
)

// showSoak draws the progress.
func showSoak(m *terminal.Meter, t soak.Tally) {
	m.Draw(func(seconds float64) string {
		return fmt.Sprintf("%s runs in %.0f s, %s a second", prose.Grouped(t.Runs), seconds,
			prose.Grouped(uint64(float64(t.Runs)/seconds)))
	})
}

// writeJSON writes the result as one object.
func (k *soaking) writeJSON(a *console.Console) error {
	stopped := ""
	if k.Stopped != nil {
		stopped = k.stopped()
	}
	form, err := report.NewSoak(k.Config, k.Result, stopped)
	if err != nil {
		return err
	}
	if f := form.Failure; f != nil {
		f.Reason, f.Replay = k.Failure.Violation.Reason, k.replay(f.Seed)
	}
	return report.Write(a.Stdout, form)
}

// reportSoak reports the result, and writes the smallest failing run.
func reportSoak(a *console.Console, k *soaking) error {
	if k.flags.JSON {
		if err := k.writeJSON(a); err != nil {
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
		return console.ReportUnwritten(a, files.NotWritten("no failure", k.flags.out),
			k.flags.JSON || k.flags.out == files.Standard)
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

// soakSummary returns the result as text.
func soakSummary(a *console.Console, k *soaking) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", a.Paint(terminal.Bold, k.title))
	to := a.Log(&b)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(to, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if k.Result.Runs > 0 {
		row("runs", "%s, seeds %d to %d", prose.Grouped(k.Result.Runs), k.Seed, k.Seed+k.Result.Runs-1)
	} else {
		row("runs", "none to its end")
	}
	if a.Verbose {
		row("speed", "%s runs a second, %s in all", prose.Grouped(uint64(report.RunsPerSecond(k.Result))),
			k.Wall.Round(10*time.Microsecond))
	}
	row("time", "%s units, simulated", prose.Grouped(uint64(k.Simulated/sim.Unit)))
	row("messages", "%s", prose.Grouped(k.Messages))
	if k.Crashes > 0 {
		row("crashes", "%s", prose.Grouped(k.Crashes))
	}
	row("hash", "%s", report.Hash(k.Hash))
	f := k.Failure
	if f == nil {
		row("failures", "%s", a.Paint(terminal.Green, "none"))
		return b.String()
	}
	row("violated", "%s", a.Paint(terminal.Red, f.Violation.Error()))
	row("seed", "%d, %s", f.Seed, f.Plan.Describe())
	fmt.Fprintf(&b, "  replay     %s\n", k.replay(f.Seed)) // in one line, to be pasted
	row("smallest", "%s", f.Smallest.Describe())
	row("", "violated: %s", f.Shrunk.Violation.Error())
	return b.String()
}

// soakLogs writes the log of the only run, and of the smallest failing run.
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

func soakLog(a *console.Console, name string, p *soak.Plan) error {
	fmt.Fprintf(a.Stdout, "\n%s: ", name)
	return p.WriteLog(a.Log(a.Stdout))
}
