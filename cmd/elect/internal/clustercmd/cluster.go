// Package clustercmd is elect cluster: it starts members as processes and shows what becomes of them.
package clustercmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/cluster"
)

// options are the flags of elect cluster.
type options struct {
	config cluster.Config
	span   time.Duration // --for; 0 if it is not given
	script string
	svg    string
	asJSON bool
}

// New returns elect cluster.
func New(a *console.Console) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use: "cluster", Short: "Run members of a service as processes, and break them",
		Long: long, Example: examples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return exit.Failed(err)
			}
			o.config.Command = func() *exec.Cmd { return exec.Command(self, "cluster", "member") }
			return run(cmd.Context(), a, o)
		},
	}
	o.define(cmd)
	cmd.AddCommand(&cobra.Command{
		Use:    "member",
		Hidden: true, // elect cluster starts it
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			console.MayTake(cmd.Context(), 10*time.Second) // it hands over
			return exit.Classify(cluster.Member(cmd.Context(), a.Stdin, a.Stdout))
		},
	})
	return cmd
}

func (o *options) define(cmd *cobra.Command) {
	o.config.Members, o.config.Times.Lease = 5, elector.LAN().Lease
	fs := cmd.Flags()
	fs.SortFlags = false
	parse.Var(fs, &o.config.Members, "n", "N", "the number of members, whose names are a, b, c ...",
		parse.Between(1, cluster.MostMembers))
	parse.Var(fs, &o.config.Times.Lease, "lease", "time", "how long a leader leads unless it renews its lease",
		parse.Duration)
	parse.Folder(cmd, &o.config.Dir, "dir", "where members keep their Terms (default: they forget them when they end)")
	parse.File(cmd, &o.script, "script", "txt", "do the steps of this file, - for standard input")
	parse.Var(fs, &o.span, "for", "time", "end after this time (default when q is pressed)", parse.Duration)
	cmd.MarkFlagsMutuallyExclusive("script", "for")
	parse.File(cmd, &o.svg, "svg", "svg", "draw the run into this file, as a picture that moves")
	fs.BoolVar(&o.asJSON, "json", false, "one JSON object for each event, and one for the whole, each on a line")
}

// steps returns the script; nil if the terminal decides.
func (o *options) steps(a *console.Console) (cluster.Script, error) {
	if err := o.config.Times.Check(); err != nil { // the demonstration sleeps for twice as long
		return nil, exit.Reword(err, strings.NewReplacer("Times.", "", "Lease: ", "--lease: "))
	}
	if o.svg == files.Standard {
		return nil, input.Errorf("--svg -: the events are on standard output")
	} else if o.svg != "" {
		if err := files.CheckWritable("svg", o.svg); err != nil {
			return nil, err
		}
	}
	switch {
	case o.script != "":
		return readScript(a, o.script)
	case terminal.Is(a.Stdin) && a.Stdout.IsTerminal() && !o.asJSON:
		return nil, nil
	case o.span > 0:
		return cluster.Parse(strings.NewReader("sleep " + o.span.String()))
	case o.config.Members < cluster.LeastDemonstrated:
		return nil, input.Errorf("-n: %d members, at least %d are needed: the demonstration kills the "+
			"leader, and a majority must be left; --script and --for need one",
			o.config.Members, cluster.LeastDemonstrated)
	case o.svg != "":
		return cluster.Parse(strings.NewReader(cluster.Tour(2 * o.config.Times.Complete().Lease)))
	}
	return cluster.Parse(strings.NewReader(cluster.Demonstration(o.config.Times)))
}

func readScript(a *console.Console, name string) (script cluster.Script, err error) {
	var text []byte
	if name == files.Standard {
		text, err = io.ReadAll(a.Stdin)
	} else {
		text, err = os.ReadFile(name)
	}
	if err == nil {
		script, err = cluster.Parse(bytes.NewReader(text))
	}
	if err != nil {
		return nil, input.Errorf("--script %s: %s", name, input.Reason(err))
	}
	if len(script) == 0 {
		return nil, input.Errorf("--script %s: it has no steps", name)
	}
	return script, nil
}

// run runs a cluster to its end, and reports.
func run(ctx context.Context, a *console.Console, o *options) error {
	script, err := o.steps(a)
	if err != nil {
		return err
	}
	console.ReportsWhenInterrupted(ctx)
	events := &journal{}
	o.config.Observe = events.add
	if script != nil {
		show := o.show(a)
		o.config.Observe = func(e cluster.Event) {
			events.add(e)
			show(e)
		}
	}
	c, err := cluster.Start(ctx, o.config)
	if err != nil {
		return exit.Classify(err)
	}
	defer c.Close()
	if script == nil {
		err = o.interact(ctx, a, c, events)
	} else {
		err = c.Play(ctx, script)
	}
	summary := c.Close()
	if err := o.report(a, &summary, events.all()); err != nil {
		return exit.Failed(err)
	}
	if wrong := summary.Err(); err == nil && ctx.Err() == nil {
		err = wrong
	}
	return exit.Failed(err)
}

// interact shows the cluster on the terminal.
func (o *options) interact(ctx context.Context, a *console.Console, c *cluster.Cluster, events *journal) error {
	period := o.config.Times.Complete().Lease
	tour, err := cluster.Parse(strings.NewReader(cluster.Tour(max(4*period, 2500*time.Millisecond))))
	if err != nil {
		return err
	}
	s := &show{group: c, Console: a, journal: events, period: period, tour: tour}
	return s.interact(ctx, o.span)
}

// show returns what prints each event.
func (o *options) show(a *console.Console) func(cluster.Event) {
	if o.asJSON {
		lines := json.NewEncoder(a.Stdout)
		return func(e cluster.Event) { _ = lines.Encode(e) } // the console keeps the error
	}
	to := a.Log(a.Stdout)
	return func(e cluster.Event) { fmt.Fprintln(to, e) }
}

// report prints what has happened, and draws it.
func (o *options) report(a *console.Console, s *cluster.Summary, events []cluster.Event) (err error) {
	if o.asJSON {
		err = s.WriteJSON(a.Stdout)
	} else {
		_, err = io.WriteString(a.Log(a.Stdout), "\n"+s.Text())
	}
	if err != nil || o.svg == "" {
		return err
	}
	return files.WriteFigure(a, o.svg, (&record{*s, events}).svg())
}
