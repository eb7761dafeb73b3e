// Package pagecmd is elect page: it builds the page in which elections are watched, and serves or writes it.
package pagecmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/page/build"
)

// options are the flags of elect page.
type options struct {
	scenario, trace   string
	open              bool
	addr, out, single string
}

// New returns elect page.
func New(a *console.Console) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use: "page", Short: "Watch elections in a browser, step by step, and interfere",
		Long: long, Example: examples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return page(cmd.Context(), a, o) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	parse.File(cmd, &o.scenario, "scenario", "json", "open the first scenario of this file, - for standard input")
	parse.File(cmd, &o.trace, "trace", "ndjson", "open this recorded election, - for standard input")
	fs.BoolVar(&o.open, "open", false, "open it in the browser")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:0", "where it is served, on this machine only; port 0 is any that is free")
	parse.Folder(cmd, &o.out, "out", "write it into this folder, which must be empty")
	parse.File(cmd, &o.single, "single", "html", "write it as one file, - for standard output")
	parse.Exclude(cmd, "scenario", "trace")
	parse.Exclude(cmd, "out", "addr", "open") // a page that is written is not served
	parse.Exclude(cmd, "single", "addr", "open")
	return cmd
}

// page writes the page, or else serves it until ctx ends.
func page(ctx context.Context, a *console.Console, o *options) error {
	name, text, err := opened(a, o)
	if err != nil {
		return err
	}
	writes, err := written(o)
	if err != nil {
		return err
	}
	var on net.Listener
	if !writes { // before the page is built, which may take a while
		if on, err = build.Listen(o.addr); err != nil {
			return exit.Classify(fmt.Errorf("--addr %w", err))
		}
		defer on.Close()
	}
	site, err := Site(ctx, a)
	if err != nil {
		return exit.Classify(err)
	}
	if name != "" {
		site = site.With(name, text)
	}
	if writes {
		return write(ctx, a, o, site, name, text)
	}
	address := "http://" + on.Addr().String() + "/"
	if name != "" {
		address += "?open=" + name
	}
	if _, err := fmt.Fprintln(a.Stdout, address); err != nil {
		return err
	}
	if o.open && ctx.Err() == nil {
		if err := build.Browser(address).Start(); err != nil {
			a.Complain("--open: " + err.Error()) // the address is there all the same
		}
	}
	return exit.Failed(build.Serve(ctx, on, site))
}

// opened returns what the page opens, and the name under which it is served.
func opened(a *console.Console, o *options) (name string, text []byte, err error) {
	for _, kind := range []struct {
		flag, file, name string
		check            func(io.Reader) error
	}{
		{"scenario", o.scenario, "open.json", func(r io.Reader) error { _, err := scenario.Read(r); return err }},
		{"trace", o.trace, "open.ndjson", checkTrace},
	} {
		if kind.file == "" {
			continue
		}
		name = kind.name
		if kind.file == files.Standard {
			text, err = io.ReadAll(a.Stdin)
		} else if text, err = os.ReadFile(kind.file); err != nil {
			err = err.(*os.PathError).Err // the line names the path already
		}
		if err == nil {
			err = kind.check(bytes.NewReader(text))
		}
		if err != nil {
			return "", nil, input.Errorf("--%s %s: %w", kind.flag, kind.file, err)
		}
	}
	return name, text, nil
}

// checkTrace refuses a trace that the page cannot run: it would show another run without a word.
func checkTrace(r io.Reader) error {
	t, err := files.ReadTrace(r)
	if err != nil {
		return err
	}
	s := &t.Header.Scenario
	if _, err := museum.Find(s.Algorithm, s.Variant); err != nil { // as the page does
		return input.Errorf("%.60s is not in the catalog: the page cannot run it; elect trace FILE --svg "+
			"draws it", strings.TrimSuffix(s.Algorithm+"/"+s.Variant, "/"))
	}
	return nil
}

// written reports whether the page is written, and refuses what cannot be.
func written(o *options) (bool, error) {
	if o.out == "" && o.single == "" {
		return false, nil
	}
	switch list, err := os.ReadDir(o.out); {
	case len(list) > 0:
		return false, input.Errorf("--out %s: the folder is not empty: name a new one", o.out)
	case err != nil && !os.IsNotExist(err):
		return false, files.Unwritable("out", o.out, err)
	case files.Same(o.out, o.single):
		return false, input.Errorf("--single %s: --out has the same name", o.single)
	}
	if o.single != "" {
		return true, files.CheckWritable("single", o.single)
	}
	return true, nil
}

// write writes the page as a folder, and as a file. The page opens a file with this name and text, if it has a
// name.
func write(ctx context.Context, a *console.Console, o *options, site *build.Site, name string,
	text []byte) error {
	if o.out != "" {
		if err := site.WriteFolder(o.out); err != nil {
			return files.Unwritable("out", o.out, err)
		}
		if name != "" { // a file of its own opens it by itself
			fmt.Fprintf(a.Stderr, "elect: --out %s: index.html?open=%s shows it\n", o.out, name)
		}
	}
	if o.single == "" {
		return nil
	}
	if !site.IsPublished() {
		var err error
		if site, err = build.Published(ctx); err != nil {
			return exit.Classify(err)
		}
		if name != "" {
			site = site.With(name, text)
		}
	}
	return files.Write(a, "single", o.single, site.WriteSingle)
}

// Site returns the page. Tests put another function here, since a build takes longer than a test.
var Site = func(ctx context.Context, a *console.Console) (*build.Site, error) {
	return build.Own(ctx, func() {
		if a.Progress {
			fmt.Fprintln(a.Stderr, "elect: building the page, once for this version")
		}
	})
}
