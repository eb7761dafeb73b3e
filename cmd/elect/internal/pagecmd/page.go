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
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/page/build"
)

// New returns elect page.
func New(a *console.Console) *cobra.Command {
	f := &flags.Set{Catalog: a.Catalog}
	cmd := flags.Command("page", "Watch elections in a browser, step by step, and interfere",
		func(cmd *cobra.Command, args []string) error { return page(cmd.Context(), a, f, args) })
	f.Define(cmd, "page")
	return cmd
}

// page writes the page, or else serves it until ctx ends.
func page(ctx context.Context, a *console.Console, f *flags.Set, args []string) error {
	if err := flags.NoMore(args); err != nil {
		return err
	}
	name, text, err := opened(a, f)
	if err != nil {
		return err
	}
	writes, err := written(f)
	if err != nil {
		return err
	}
	var on net.Listener
	if !writes { // before the page is built, which may take a while
		if on, err = build.Listen(f.Text("addr")); err != nil {
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
		return write(ctx, a, f, site, name, text)
	}
	address := "http://" + on.Addr().String() + "/"
	if name != "" {
		address += "?open=" + name
	}
	if _, err := fmt.Fprintln(a.Stdout, address); err != nil {
		return err
	}
	if f.On("open") && ctx.Err() == nil {
		if err := build.Browser(address).Start(); err != nil {
			a.Complain("--open: " + err.Error()) // the address is there all the same
		}
	}
	return exit.Failed(build.Serve(ctx, on, site))
}

// opened returns what the page opens, and the name under which it is served.
func opened(a *console.Console, f *flags.Set) (name string, text []byte, err error) {
	for _, kind := range []struct {
		flag, name string
		check      func(io.Reader) error
	}{
		{"scenario", "open.json", func(r io.Reader) error { _, err := scenario.Read(r); return err }},
		{"trace", "open.ndjson", checkTrace},
	} {
		if !f.Given(kind.flag) {
			continue
		}
		if name != "" {
			return "", nil, input.Errorf("--scenario and --trace exclude each other")
		}
		name = kind.name
		if f.Text(kind.flag) == files.Standard {
			text, err = io.ReadAll(a.Stdin)
		} else if text, err = os.ReadFile(f.Text(kind.flag)); err != nil {
			err = err.(*os.PathError).Err // the line names the path already
		}
		if err == nil {
			err = kind.check(bytes.NewReader(text))
		}
		if err != nil {
			return "", nil, input.Errorf("--%s %s: %w", kind.flag, f.Text(kind.flag), err)
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
func written(f *flags.Set) (bool, error) {
	if !f.Given("out") && !f.Given("single") {
		return false, nil
	}
	for _, name := range []string{"addr", "open"} {
		if f.Given(name) {
			return false, input.Errorf("--%s: a page that is written is not served", name)
		}
	}
	for _, one := range [][2]string{{"out", "folder"}, {"single", "file"}} {
		if f.Given(one[0]) && f.Text(one[0]) == "" {
			return false, input.Errorf("--%s: no %s is given", one[0], one[1])
		}
	}
	switch list, err := os.ReadDir(f.Text("out")); {
	case len(list) > 0:
		return false, input.Errorf("--out %s: the folder is not empty: name a new one", f.Text("out"))
	case err != nil && !os.IsNotExist(err):
		return false, files.Unwritable("out", f.Text("out"), err)
	case files.Same(f.Text("out"), f.Text("single")):
		return false, input.Errorf("--single %s: --out has the same name", f.Text("single"))
	}
	if f.Given("single") {
		return true, files.CheckWritable("single", f.Text("single"))
	}
	return true, nil
}

// write writes the page as a folder, and as a file. The page opens a file with this name and text, if it has a
// name.
func write(ctx context.Context, a *console.Console, f *flags.Set, site *build.Site, name string,
	text []byte) error {
	if f.Given("out") {
		if err := site.WriteFolder(f.Text("out")); err != nil {
			return files.Unwritable("out", f.Text("out"), err)
		}
		if name != "" { // a file of its own opens it by itself
			fmt.Fprintf(a.Stderr, "elect: --out %s: index.html?open=%s shows it\n", f.Text("out"), name)
		}
	}
	if !f.Given("single") {
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
	return files.Write(a, "single", f.Text("single"), site.WriteSingle)
}

// Site returns the page. Tests put another function here, since a build takes longer than a test.
var Site = func(ctx context.Context, a *console.Console) (*build.Site, error) {
	return build.Own(ctx, func() {
		if a.Progress {
			fmt.Fprintln(a.Stderr, "elect: building the page, once for this version")
		}
	})
}
