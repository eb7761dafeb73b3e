// Package leadcmd is elect lead: it runs a program on that member of a group that leads.
package leadcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/supervise"
	"github.com/go-election/election/transport/tcp"
)

// options are the flags of elect lead.
type options struct {
	config        elector.Config
	members       []string // each as name=host:port
	cert, key, ca string
	http, control string // addresses
	once          bool
}

// New returns elect lead.
func New(a *console.Console) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "lead --self NAME --member NAME=HOST:PORT ... -- COMMAND ARGS",
		Short: "Run a program on that member of a group that leads", Long: long, Example: examples,
		Args: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash > 0 || dash < 0 && len(args) > 0 {
				return input.Errorf("unexpected argument %.60q: COMMAND stands behind --", args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault), // files
		RunE:              func(cmd *cobra.Command, args []string) error { return lead(cmd.Context(), a, o, args) },
	}
	o.define(cmd)
	return cmd
}

func (o *options) define(cmd *cobra.Command) {
	fs, c := cmd.Flags(), &o.config
	fs.SortFlags = false
	lan := elector.LAN()
	c.Times = elector.Times{Lease: lan.Lease, Drain: lan.Drain}
	fs.StringVar(&c.Self, "self", "", "the name of this member")
	fs.StringArrayVar(&o.members, "member", nil, "a member and its address, as name=host:port; repeated for each")
	parse.Var(fs, &c.Resolve, "resolve", "dns", "look up the addresses of members, which --member may omit: "+
		"dns:DOMAIN:PORT or srv:SERVICE", readResolve)
	fs.StringVar(&c.Listen, "listen", "", "the address on which this member listens, unless it is its own")
	fs.StringVar(&c.Group, "group", "lead", "the name of the election, and of the cluster in certificates")
	parse.File(cmd, &o.cert, "tls-cert", "pem", "the certificate of this member, as elect cert makes it")
	parse.File(cmd, &o.key, "tls-key", "pem", "its key")
	parse.File(cmd, &o.ca, "tls-ca", "pem", "the certificates of the authorities that members trust")
	fs.BoolVar(&c.InsecurePlaintext, "insecure-plaintext", false, "talk without TLS, to any address")
	parse.Folder(cmd, &c.Dir, "dir", "where this member keeps its vote and the agreed members")
	parse.Var(fs, &c.Times.Lease, "lease", "time", "how long a leader leads unless it renews its lease", parse.Duration)
	parse.Var(fs, &c.Times.Drain, "drain", "time", "how long COMMAND may take to end when the lead is handed over",
		parse.Duration)
	parse.Var(fs, &o.http, "http", "address", "answer elect members and health checks by HTTP on this host:port", readAddress)
	parse.Var(fs, &o.control, "control", "address", "the same, and elect members set, on an address of this machine",
		readLoopback)
	fs.BoolVar(&o.once, "once", false, "end with COMMAND, and with its exit status")
	for _, name := range []string{"self", "member"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // there is no such flag
		}
	}
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key", "tls-ca")
	cmd.MarkFlagsMutuallyExclusive("tls-cert", "insecure-plaintext")
}

// elector returns the configuration of the member.
func (o *options) elector() (c elector.Config, err error) {
	c = o.config
	var bare, whole []string // names alone, and with addresses
	for _, m := range o.members {
		if c.Resolve != nil && m != "" && !strings.Contains(m, "=") {
			bare = append(bare, m)
		} else {
			whole = append(whole, m)
		}
	}
	if c.Members, err = elector.ParseMembers(whole...); err != nil {
		return c, input.Errorf("--member: %w", err)
	}
	for _, name := range bare {
		if _, again := c.Members[name]; again {
			return c, input.Errorf("--member: %.60q is given twice", name)
		}
		c.Members[name] = ""
	}
	if _, listed := c.Members[c.Self]; listed && c.Members[c.Self] == "" && c.Listen == "" {
		return c, input.Errorf("--listen: it is needed, since --member has no address for %.60q", c.Self)
	}
	if o.cert != "" {
		c.TLS = &tcp.TLS{Cluster: c.Group, Load: tcp.Files(o.cert, o.key, o.ca)}
	}
	return c, nil
}

// readResolve reads how addresses are looked up.
func readResolve(flag, text string) (func(context.Context, string) (string, error), error) {
	how, of, _ := strings.Cut(text, ":")
	switch {
	case how == "srv" && of != "":
		return tcp.SRV(of), nil
	case how == "dns":
		domain, service, err := net.SplitHostPort(of)
		port, wrong := strconv.ParseUint(service, 10, 16)
		if err == nil && domain != "" && wrong == nil && port > 0 {
			return tcp.DNS(domain, int(port)), nil
		}
	}
	return nil, input.Errorf("%s: %.60q is not dns:DOMAIN:PORT or srv:SERVICE, as in dns:orders:7946", flag, text)
}

// words are the flags for what errors of elector.New call the fields of its Config.
func words(group string) *strings.Replacer {
	return strings.NewReplacer("elector: ", "", "Group: ", "--group: ", "Self: ", "--self: ",
		"not among the Members ", "not one of the members in --member: ", "Members: ", "--member: ",
		"members: ", "--member: ", "members[", "--member[", "Listen: ", "--listen: ",
		"or set Listen", "or set --listen",
		"listener: ", "--listen: ", "Dir: ", "--dir: ", "Times.Lease: ", "--lease: ", "Lease: ", "--lease: ",
		"there must be TLS, or InsecurePlaintext", "there must be --tls-cert, --tls-key and --tls-ca, or "+
			"--insecure-plaintext", "is not of cluster "+group, "is not of --group "+group+
			": use the group for which elect cert made it")
}

// lead takes part until ctx ends.
func lead(ctx context.Context, a *console.Console, o *options, args []string) error {
	c, err := o.elector()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return input.Errorf("which program? It stands behind --, with its arguments")
	}
	// Now, and not when this member leads for the first time, perhaps days later.
	if _, err := exec.LookPath(args[0]); err != nil {
		return input.Errorf("%w", err)
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	doors, err := o.listen()
	if err != nil {
		return err
	}
	defer shut(doors)
	return run(ctx, &work{config: c, console: a, args: args, once: o.once, hangups: hangups, doors: doors})
}

// run takes part until ctx ends, or the program ends the command.
func run(ctx context.Context, w *work) error {
	c := w.config
	c.Log = slog.New(slog.NewTextHandler(w.console.Stderr, nil))
	e, err := elector.New(c)
	if err != nil {
		return exit.Reword(exit.Classify(err), words(c.Group))
	}
	console.MayTake(ctx, c.Times.Drain+c.Times.Lease+5*time.Second) // the program ends before
	defer serve(w.doors, e)()
	w.log = c.Log.With("group", c.Group, "member", c.Self)
	w.rest = supervise.Rest{Least: c.Times.Lease, Most: longestRest * c.Times.Lease}
	err = e.Run(ctx, w.do)
	if end, ok := errors.AsType[finished](err); ok {
		if end.Code == 0 {
			return nil
		}
		return exit.WithStatus(end.Code, err)
	}
	return exit.Failed(err)
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
	config  elector.Config
	log     *slog.Logger
	console *console.Console
	args    []string
	once    bool
	hangups <-chan os.Signal
	rest    supervise.Rest
	doors   []door
}

// do runs the program in one Term.
func (w *work) do(ctx context.Context, term elector.Term) error {
	for len(w.hangups) > 0 { // they came while the program did not run
		<-w.hangups
	}
	log := w.log.With("term", term.Number)
	log.Info("this member leads: the program runs", "program", w.args[0])
	p := supervise.Program{Args: w.args, Stdout: w.console.Stdout.Unchecked(), Stderr: w.console.Stderr,
		Env: []string{fmt.Sprintf("ELECTION_TOKEN=%d", term.Token()),
			fmt.Sprintf("ELECTION_TERM=%d", term.Number),
			"ELECTION_GROUP=" + w.config.Group, "ELECTION_SELF=" + w.config.Self},
		// It is asked to end a quarter of the lease before the lease ends, and killed after half of that.
		Drain: w.config.Times.Drain, Margin: w.config.Times.Lease / 8, Signals: w.hangups,
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
