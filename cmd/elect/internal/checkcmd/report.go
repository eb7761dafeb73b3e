package checkcmd

import (
	"fmt"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/report"
)

func (k *checking) perState() float64 { return float64(k.Bytes) / max(float64(k.States), 1) }

// reportCheck reports a check, and its counterexample.
func reportCheck(a *console.Console, k *checking) error {
	f := k.flags
	switch {
	case f.JSON:
		stopped := ""
		if k.Stopped != nil {
			stopped = k.stopped().Error()
		}
		form := report.NewCheck(k.Config, k.Result, f.network, stopped)
		if k.ran != nil {
			form.Counterexample = k.ran.form
		}
		if err := report.Write(a.Stdout, form); err != nil {
			return err
		}
	case !f.Silent:
		if _, err := fmt.Fprint(a.Stdout, checkSummary(a, k)); err != nil {
			return err
		}
	}
	if k.ran == nil {
		return console.ReportUnwritten(a, f.unwritten("no counterexample"), f.JSON || f.Silent)
	}
	return writeExample(a, k)
}

// unwritten names the files that are not written, if any.
func (o *options) unwritten(why string) string {
	names := []string{o.out}
	for _, file := range o.Files.All() {
		names = append(names, *file.Name)
	}
	return files.NotWritten(why, names...)
}

// showCheck draws the progress of a check.
func showCheck(m *terminal.Meter, p check.Progress) {
	m.Draw(func(seconds float64) string {
		return fmt.Sprintf("%s states, %s waiting, depth %s, %.0f s, %s a second",
			prose.Grouped(p.States), prose.Grouped(p.Queue), prose.Grouped(uint64(p.Depth)),
			seconds, prose.Grouped(uint64(float64(p.States)/seconds)))
	})
}
