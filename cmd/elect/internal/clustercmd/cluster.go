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
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/cluster"
)

// clusterFlags are those of elect cluster.
type clusterFlags struct {
	flags.Set
	config cluster.Config
	span   time.Duration // --for; 0 if it is not given
}

// New returns elect cluster.
func New(a *console.Console) *cobra.Command {
	f := &clusterFlags{}
	cmd := flags.Command("cluster", "Run members of a service as processes, and break them",
		func(cmd *cobra.Command, args []string) error {
			if err := flags.NoMore(args); err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return exit.Failed(err)
			}
			f.config.Command = func() *exec.Cmd { return exec.Command(self, "cluster", "member") }
			return run(cmd.Context(), a, f)
		})
	f.Define(cmd, "cluster")
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

// read reads the flags, and returns the script; nil if the terminal decides.
func (f *clusterFlags) read(a *console.Console) (script cluster.Script, err error) {
	f.config.Members, err = parse.Whole("-n", f.Text("n"), "members", 1, cluster.MostMembers)
	if err != nil {
		return nil, err
	}
	lease, err := parse.RealTime("--lease", f.Text("lease"))
	if err != nil {
		return nil, err
	}
	f.config.Times, f.config.Dir = elector.Times{Lease: lease}, f.Text("dir")
	if err := f.config.Times.Check(); err != nil { // the demonstration sleeps for twice as long
		return nil, exit.Reword(err, strings.NewReplacer("Times.", "", "Lease: ", "--lease: "))
	}
	if f.Given("for") {
		if f.span, err = parse.RealTime("--for", f.Text("for")); err != nil {
			return nil, err
		}
	}
	switch {
	case f.Given("script") && f.Given("for"):
		return nil, input.Errorf("--script and --for exclude each other")
	case f.Given("script"):
		return readScript(a, f.Text("script"))
	case terminal.Is(a.Stdin) && a.Stdout.IsTerminal() && !f.On("json"):
		return nil, nil
	case f.span > 0:
		return cluster.Parse(strings.NewReader("sleep " + f.span.String()))
	case f.config.Members < cluster.LeastDemonstrated:
		return nil, input.Errorf("-n: %d members, at least %d are needed: the demonstration kills the "+
			"leader, and a majority must be left; --script and --for need one",
			f.config.Members, cluster.LeastDemonstrated)
	}
	return cluster.Parse(strings.NewReader(cluster.Demonstration(f.config.Times)))
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
func run(ctx context.Context, a *console.Console, f *clusterFlags) error {
	script, err := f.read(a)
	if err != nil {
		return err
	}
	console.ReportsWhenInterrupted(ctx)
	if script != nil {
		f.config.Observe = f.show(a)
	}
	c, err := cluster.Start(ctx, f.config)
	if err != nil {
		return exit.Classify(err)
	}
	defer c.Close()
	if script == nil {
		err = interact(ctx, a, c, f.span)
	} else {
		err = c.Play(ctx, script)
	}
	summary := c.Close()
	if err := f.report(a, &summary); err != nil {
		return exit.Failed(err)
	}
	if wrong := summary.Err(); err == nil && ctx.Err() == nil {
		err = wrong
	}
	return exit.Failed(err)
}

// show returns what prints each event.
func (f *clusterFlags) show(a *console.Console) func(cluster.Event) {
	if f.On("json") {
		lines := json.NewEncoder(a.Stdout)
		return func(e cluster.Event) { _ = lines.Encode(e) } // the console keeps the error
	}
	return func(e cluster.Event) { fmt.Fprintln(a.Stdout, e) }
}

// report prints what has happened.
func (f *clusterFlags) report(a *console.Console, s *cluster.Summary) error {
	if f.On("json") {
		return s.WriteJSON(a.Stdout)
	}
	_, err := io.WriteString(a.Log(a.Stdout), "\n"+s.Text())
	return err
}
