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
	"github.com/go-election/election/cmd/elect/internal/help"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
)

// runRedundancy is elect experiment redundancy, as it was typed.
type redundancy struct {
	n, iterations, seed, model, svg string
	json                            bool
	run                             experiment.Redundancy
}

// models are the values of --model.
var models = []string{string(experiment.Instant), string(experiment.Skewed), "both"}

func redundancyCommand(a *console.Console) *cobra.Command {
	r := &redundancy{}
	cmd := &cobra.Command{
		Use:     "redundancy",
		Short:   "How many start an election when the coordinator crashes: figures 15 and 16",
		Long:    help.Long("experiment-redundancy"),
		Example: help.Example("experiment-redundancy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRedundancy(a, cmd.Context(), r, args, cmd.Flags().Changed("svg"))
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	flags.Text(fs, &r.n, "n", "N", "50", "so many processes")
	flags.Text(fs, &r.iterations, "iterations", "number", "10", "so many crashes")
	flags.Text(fs, &r.model, "model", "model", "both", "who notices and when: a, b or both")
	flags.Text(fs, &r.seed, "seed", "number", "0", "what is left to chance is drawn from this number (default 0)")
	flags.Text(fs, &r.svg, "svg", "file", "", "draw the figures into this file, - for standard output")
	fs.BoolVar(&r.json, "json", false, "one JSON object")
	f := &job.Flags{Cmd: cmd}
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	f.Suggest("model", func([]string) []cobra.Completion { return models })
	for _, free := range []string{"n", "iterations", "seed"} {
		f.Suggest(free, func([]string) []cobra.Completion { return nil })
	}
	flags.Files(cmd, "svg", "svg")
	return cmd
}

// parse reads the flags.
func (r *redundancy) parse(args []string, svg bool) (err error) {
	if err := flags.NoMore(args); err != nil {
		return err
	}
	if r.run.N, err = parse.Whole("-n", r.n, "processes", experiment.FewestProcesses, experiment.MostProcesses); err != nil {
		return err
	}
	if r.run.Iterations, err = parse.Whole("--iterations", r.iterations, "iterations", 1, experiment.MostIterations); err != nil {
		return err
	}
	if !slices.Contains(models, r.model) { // too short to guess what was meant
		return input.Errorf("--model: %q is not one of %s", r.model, strings.Join(models, ", "))
	}
	if r.model != "both" {
		r.run.Models = []experiment.Model{experiment.Model(r.model)}
	}
	if r.run.Seed, err = parse.Number("--seed", r.seed); err != nil || !svg {
		return err
	}
	switch {
	case r.svg == "":
		return input.Errorf("--svg: no file is given")
	case r.svg == files.Standard && r.json:
		return input.Errorf("--json: standard output is taken by a file named -")
	}
	return files.CheckWritable("svg", r.svg) // better now than in the end
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
		if err := files.WriteFigure(a, r.svg, figure.Redundancy(&r.run, series)); err != nil {
			return err
		}
	}
	if svg && r.svg == files.Standard {
		return nil
	}
	if r.json {
		return r.run.WriteJSON(a.Stdout, series)
	}
	return r.run.WriteText(a.Stdout, series, marks(a))
}
