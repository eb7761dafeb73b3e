package experimentcmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
)

// redundancy is elect experiment redundancy, as it was typed.
type redundancy struct {
	flags.Set
	run experiment.Redundancy
}

// models are the values of --model.
var models = []string{string(experiment.Instant), string(experiment.Skewed), "both"}

func redundancyCommand(a *console.Console) *cobra.Command {
	r := &redundancy{}
	cmd := flags.Command("redundancy",
		"How many start an election when the coordinator crashes: figures 15 and 16",
		func(cmd *cobra.Command, args []string) error {
			return runRedundancy(a, cmd.Context(), r, args, cmd.Flags().Changed("svg"))
		})
	r.Define(cmd, "experiment-redundancy")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

// parse reads the flags.
func (r *redundancy) parse(args []string, svg bool) (err error) {
	if err := flags.NoMore(args); err != nil {
		return err
	}
	if r.run.N, err = parse.Whole("-n", r.Text("n"), "processes", experiment.FewestProcesses,
		experiment.MostProcesses); err != nil {
		return err
	}
	if r.run.Iterations, err = parse.Whole("--iterations", r.Text("iterations"), "iterations", 1,
		experiment.MostIterations); err != nil {
		return err
	}
	if !slices.Contains(models, r.Text("model")) { // too short for a suggestion
		return input.Errorf("--model: %.60q is not one of %s", r.Text("model"), strings.Join(models, ", "))
	}
	if r.Text("model") != "both" {
		r.run.Models = []experiment.Model{experiment.Model(r.Text("model"))}
	}
	if r.run.Seed, err = parse.Number("--seed", r.Text("seed")); err != nil || !svg {
		return err
	}
	switch {
	case r.Text("svg") == "":
		return input.Errorf("--svg: no file is given")
	case r.On("bars") && r.run.Iterations > experiment.MostShown:
		return input.Errorf("--bars: %d iterations, at most %d are legible", r.run.Iterations,
			experiment.MostShown)
	case r.Text("svg") == files.Standard && r.On("json"):
		return input.Errorf("--json: standard output is taken by a file named -")
	}
	return files.CheckWritable("svg", r.Text("svg")) // before the measurements, which may take minutes
}

func runRedundancy(a *console.Console, ctx context.Context, r *redundancy, args []string, svg bool) error {
	if err := r.parse(args, svg); err != nil {
		return err
	}
	m := a.Meter()
	r.run.Progress = func(done, total int) { m.Count(done, total, "iterations") }
	series, err := r.run.Run(ctx)
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	if svg {
		if err := files.WriteFigure(a, r.Text("svg"),
			figure.Redundancy(&r.run, series, r.On("bars"))); err != nil {
			return err
		}
	}
	if svg && r.Text("svg") == files.Standard {
		return nil
	}
	if r.On("json") {
		return r.run.WriteJSON(a.Stdout, series)
	}
	return r.run.WriteText(a.Stdout, series, marks(a))
}
