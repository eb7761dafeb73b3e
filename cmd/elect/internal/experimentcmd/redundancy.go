package experimentcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/report"
)

// redundancy is elect experiment redundancy, as it was typed.
type redundancy struct {
	run          experiment.Redundancy
	model        experiment.Model
	svg          string
	bars, asJSON bool
}

// inAFigure is the default number of iterations of a figure of a distribution: fewer look like noise.
const inAFigure = 1000

// both is the value of --model for all models.
const both experiment.Model = "both"

func redundancyCommand(a *console.Console) *cobra.Command {
	r := &redundancy{run: experiment.Redundancy{N: 50, Iterations: 10}, model: both}
	cmd := &cobra.Command{
		Use: "redundancy", Short: "How many processes start an election when the coordinator crashes: figures 15 and 16",
		Long: longRedundancy, Example: examplesRedundancy, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.svg != "" && !r.bars && !cmd.Flags().Changed("iterations") {
				r.run.Iterations = inAFigure
			}
			return runRedundancy(a, cmd.Context(), r)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	parse.Var(fs, &r.run.N, "n", "N", "the number of processes",
		parse.Between(experiment.FewestProcesses, experiment.MostProcesses))
	parse.Var(fs, &r.run.Iterations, "iterations", "number", "the number of crashes; 1000 by default for --svg without --bars",
		parse.Between(1, experiment.MostIterations))
	parse.Choice(cmd, &r.model, "model", "the model of which processes notice a crash, and when: a, b or both",
		experiment.Instant, experiment.Skewed, both)
	fs.Uint64Var(&r.run.Seed, "seed", 0, "the number that determines every random choice")
	parse.File(cmd, &r.svg, "svg", "svg", "draw the figures into this file, - for standard output")
	fs.BoolVar(&r.bars, "bars", false, "draw each iteration in --svg, as the paper does, of at most 20")
	fs.BoolVar(&r.asJSON, "json", false, "one JSON object")
	return cmd
}

// check completes the run, and refuses output that cannot be.
func (r *redundancy) check() error {
	if r.model != both {
		r.run.Models = []experiment.Model{r.model}
	}
	switch {
	case r.svg == "":
		return nil
	case r.bars && r.run.Iterations > experiment.MostShown:
		return input.Errorf("--bars: %d iterations, at most %d are legible", r.run.Iterations,
			experiment.MostShown)
	case r.svg == files.Standard && r.asJSON:
		return input.Errorf("--json: standard output is taken by a file named -")
	}
	return files.CheckWritable("svg", r.svg) // before the measurements, which may take minutes
}

func runRedundancy(a *console.Console, ctx context.Context, r *redundancy) error {
	if err := r.check(); err != nil {
		return err
	}
	m := a.Meter()
	r.run.Progress = func(done, total int) { m.Count(done, total, "iterations") }
	series, err := r.run.Run(ctx)
	m.Clear()
	if err != nil {
		return exit.Classify(err)
	}
	if r.svg != "" {
		if err := files.WriteFigure(a, r.svg, figure.Redundancy(&r.run, series, r.bars)); err != nil {
			return err
		}
	}
	switch {
	case r.svg == files.Standard:
		return nil
	case r.asJSON:
		return report.RedundancyJSON(a.Stdout, &r.run, series)
	}
	return report.WriteRedundancy(a.Stdout, &r.run, series, marks(a))
}
