// Package leadcmd is elect lead: it runs a program on that member of a group that leads.
package leadcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/stores"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/supervise"
)

// New returns elect lead.
func New(a *console.Console) *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use:   "lead --self NAME (--member NAME=HOST:PORT ... | --store URL) -- COMMAND ARGS",
		Short: "Run a program on the member of a group that leads", Long: long + stores.Forms("  ") + exits,
		Example: examples,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash > 0 || dash < 0 && len(args) > 0 {
				return input.Errorf("unexpected argument %.60q: COMMAND stands behind --", args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault), // files
		RunE:              func(cmd *cobra.Command, args []string) error { return lead(cmd.Context(), a, s, args) },
	}
	s.define(cmd)
	return cmd
}

// define defines the flags, which lead and not cobra reads: a setting may have another source.
func (s *settings) define(cmd *cobra.Command) {
	fs := cmd.Flags()
	s.flags = fs
	fs.SortFlags = false
	parse.File(cmd, &s.path, "config", "json", "read what no flag and no variable sets from this file")
	fs.String("self", "", "the name of this member")
	fs.StringArray("member", nil, "a member and its address, as name=host:port; repeated for each")
	fs.StringArray("observer", nil, "a process that follows the leader without a vote, in the same form")
	fs.String("store", "", "the URL of a store that keeps the lease instead of members")
	fs.String("resolve", "", "look up the addresses of members, which --member may omit: dns:DOMAIN:PORT or srv:SERVICE")
	fs.String("listen", "", "the address on which this member listens, unless it is its own")
	fs.String("advertise", "", "the address that other members report while this one leads, for clients of COMMAND")
	fs.String("group", "lead", "the name of the election")
	for _, file := range [][2]string{{"tls-cert", "the certificate of this member, as elect cert makes it"},
		{"tls-key", "its key"}, {"tls-ca", "the certificates of the authorities that members trust"}} {
		parse.File(cmd, new(string), file[0], "pem", file[1])
	}
	fs.String("tls-cluster", "", "the cluster in the certificates, if it is not the group")
	fs.Bool("insecure-plaintext", false, "talk without TLS, to any address")
	parse.Folder(cmd, new(string), "dir", "where this member keeps its vote and the agreed members")
	fs.String("times", "", "lan, cloud, wan, or how long a lease lasts; further times after commas, as in 750ms,drain=30s")
	fs.String("http", "", "answer elect members, elect status and health checks by HTTP on this host:port")
	fs.String("control", "", "the same, and elect members set, on an address of this machine")
	fs.Bool("once", false, "end with COMMAND, and with its exit status")
}

// lead takes part until ctx ends.
func lead(ctx context.Context, a *console.Console, s *settings, args []string) error {
	if len(args) == 0 {
		return input.Errorf("which program? It stands behind --, with its arguments")
	}
	w, err := s.work(a, args)
	if err != nil {
		return err
	}
	// Now, and not when this member leads for the first time, perhaps days later.
	if _, err := exec.LookPath(args[0]); err != nil {
		return input.Errorf("%w", err)
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	w.hangups = hangups
	if w.doors, err = s.listen(); err != nil {
		return err
	}
	defer shut(w.doors)
	return run(ctx, w)
}

// work returns what run needs.
func (s *settings) work(a *console.Console, args []string) (*work, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	c, err := elector.FromEnv(s.getenv)
	if err != nil {
		return nil, exit.Reword(err, s.words())
	}
	w := &work{settings: s, config: c, times: c.Times.Complete(), console: a, args: args}
	if text, where := s.find("store"); text != "" {
		u, err := stores.Parse(text)
		if err != nil {
			return nil, input.Errorf("%s: %w", where, err)
		}
		w.store = &u
	}
	if text, where := s.find("once"); text != "" {
		if w.once, err = strconv.ParseBool(text); err != nil {
			return nil, input.Errorf("%s: %.60q is neither true nor false", where, text)
		}
	}
	return w, nil
}

// run takes part until ctx ends, or the program ends the command.
func run(ctx context.Context, w *work) error {
	c := w.config
	c.Log = slog.New(slog.NewTextHandler(w.console.Stderr, nil))
	if w.store != nil {
		s, closeStore, err := w.store.Open(ctx)
		if err != nil {
			return exit.Classify(err)
		}
		if closeStore != nil {
			defer func() { _ = closeStore() }() // the lease was released, or expires
		}
		c.Store = s
	}
	e, err := elector.New(c)
	if err != nil {
		return exit.Reword(exit.Classify(err), w.settings.words())
	}
	console.MayTake(ctx, w.times.Drain+w.times.Lease+5*time.Second) // the program ends before
	defer serve(w.doors, e)()
	w.log = c.Log.With("group", c.Group, "member", c.Self)
	w.rest = supervise.Rest{Least: w.times.Lease, Most: longestRest * w.times.Lease}
	defer w.hangUp(e)()
	defer newNotifier().follow(ctx, e, func(err error) { w.log.Error("systemd is not told", "err", err) })()
	err = e.Run(ctx, w.do)
	if end, ok := errors.AsType[finished](err); ok {
		if end.Code == 0 {
			return nil
		}
		return exit.WithStatus(end.Code, err)
	}
	return exit.Failed(err)
}

// hangUp passes each SIGHUP to the program, after the settings have been read again, until stop is called.
func (w *work) hangUp(e *elector.Elector) (stop func()) {
	w.signals = make(chan os.Signal, 1)
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for {
			select {
			case <-done:
				return
			case s := <-w.hangups:
				w.reload(e)
				select {
				case w.signals <- s:
				default: // one waits already
				}
			}
		}
	})
	return func() {
		close(done)
		waiting.Wait()
	}
}

func (w *work) reload(e *elector.Elector) {
	if w.settings.path == "" {
		return
	}
	members, err := w.settings.reload(e)
	if err != nil {
		w.log.Error("the settings stay as they were", "err", w.settings.words().Replace(input.Reason(err)))
		return
	}
	w.log.Info("the settings are read again", "members", strings.Join(members, " "))
}

// finished is the end of a program that ends the command.
type finished struct {
	supervise.End
	name string
}

// Error returns how the program has ended.
func (f finished) Error() string { return fmt.Sprintf("%s has ended: %v", f.name, f.End) }

// work is the program, run again in each Term.
type work struct {
	settings *settings
	config   elector.Config
	times    elector.Times // of config, complete; elector.New has to see which of them are not set
	store    *stores.URL   // nil if there are members
	log      *slog.Logger
	console  *console.Console
	args     []string
	once     bool
	hangups  <-chan os.Signal // of this process
	signals  chan os.Signal   // for the program
	rest     supervise.Rest
	doors    []door
}

// do runs the program in one Term.
func (w *work) do(ctx context.Context, term elector.Term) error {
	for len(w.signals) > 0 { // they came while the program did not run
		<-w.signals
	}
	log := w.log.With("term", term.Number)
	log.Info("this member leads: the program runs", "program", w.args[0])
	p := supervise.Program{Args: w.args, Stdout: w.console.Stdout.Unchecked(), Stderr: w.console.Stderr,
		Env: []string{fmt.Sprintf("ELECTION_TOKEN=%d", term.Token()),
			fmt.Sprintf("ELECTION_TERM=%d", term.Number),
			"ELECTION_GROUP=" + w.config.Group, "ELECTION_SELF=" + w.config.Self},
		// It is asked to end a quarter of the lease before the lease ends, and killed after half of that.
		Drain: w.times.Drain, Margin: w.times.Lease / 8, Signals: w.signals,
		Killed: func() { log.Warn("the program is killed: it has not ended in time") }}
	began := time.Now()
	end := p.Run(ctx, term.Left)
	switch {
	case end.Asked:
		log.Info("the program has ended, as it was asked to", "end", end, "cause", context.Cause(ctx))
		return nil
	case w.once:
		return finished{end, w.args[0]}
	}
	pause := w.rest.After(time.Since(began))
	// Not "another member takes over": there may be none, or none that is up.
	log.Warn("the program has ended: this member gives up the lead", "end", end, "no candidate for", pause)
	return elector.Pause(pause)
}

// longestRest is the longest pause after a program that ends, in leases.
const longestRest = 32
