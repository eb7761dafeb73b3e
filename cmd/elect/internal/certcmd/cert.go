// Package certcmd is elect cert: it makes certificates for the members of elect lead.
package certcmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/flags"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/cmd/elect/internal/suggest"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport/tcp/certs"
)

// New returns elect cert.
func New(a *console.Console) *cobra.Command {
	cmd := flags.Command("cert", "Make certificates for the members of elect lead",
		func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return suggest.UnknownCommand(cmd, args[0])
		})
	cmd.AddCommand(subcommand(a, "ca", "Make a certificate authority", authority),
		subcommand(a, "member NAME ...", "Make a certificate for each of these members", members))
	return cmd
}

func subcommand(a *console.Console, use, short string, do func(a *console.Console, f *flags.Set,
	life time.Duration, args []string) error) *cobra.Command {
	f := &flags.Set{}
	cmd := &cobra.Command{Use: use, Short: short,
		RunE: func(_ *cobra.Command, args []string) error {
			life, err := parse.RealTime("--life", f.Text("life"))
			if err != nil {
				return err
			}
			return do(a, f, life, args)
		}}
	name, _, _ := strings.Cut(use, " ")
	f.Define(cmd, "cert-"+name)
	return cmd
}

// authority writes the files of a new authority.
func authority(_ *console.Console, f *flags.Set, life time.Duration, args []string) error {
	if err := flags.NoMore(args); err != nil {
		return err
	}
	key := filepath.Join(f.Text("dir"), "ca.key.pem")
	if _, err := os.Lstat(key); err == nil {
		// Members would trust the new authority and show certificates of the old one.
		return input.Errorf("%s is there already", key)
	}
	ca, err := certs.NewCA("elect", time.Now(), life)
	if err != nil {
		return exit.Failed(err)
	}
	if err := os.MkdirAll(f.Text("dir"), 0o700); err != nil { // it holds the key of the authority
		return exit.Failed(fmt.Errorf("--dir: %w", err))
	}
	return write(f.Text("dir"), "ca", ca.Cert, ca.Key)
}

// members writes the files of members.
func members(a *console.Console, f *flags.Set, life time.Duration, names []string) error {
	if len(names) == 0 {
		return input.Errorf("which members? Their names are missing")
	}
	// All names, before the first file is written. Some file systems do not distinguish ca from CA.
	for i, name := range append([]string{f.Text("group")}, names...) {
		switch lower := strings.ToLower(name); {
		case !plain(name):
			return input.Errorf("%.60q: a certificate can name letters, digits, and . - _ only", name)
		case i > 0 && (lower == "ca" || strings.HasSuffix(lower, ".key")):
			return input.Errorf("%.60q: %s.pem would be the file of another key or certificate", name, name)
		}
	}
	dir := f.Text("dir")
	cert, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err != nil {
		return input.Errorf("%w; elect cert ca makes it", err)
	}
	key, err := os.ReadFile(filepath.Join(dir, "ca.key.pem"))
	if err != nil {
		return input.Errorf("%w", err)
	}
	ca, err := certs.ParseCA(cert, key)
	if err != nil {
		return err
	}
	now, end := time.Now(), ca.End()
	// A certificate is of no use once that of its authority has ended.
	if own := now.Add(life); own.Before(end) {
		end = own
	}
	var files []string
	for _, name := range names {
		cert, key, err := ca.Issue(f.Text("group"), name, now, life)
		if err != nil {
			return exit.Failed(err)
		}
		if err := write(dir, name, cert, key); err != nil {
			return err
		}
		files = append(files, filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key.pem"))
	}
	fmt.Fprintf(a.Log(a.Stdout), "%s: for group %s, until %s\n", strings.Join(files, " "), f.Text("group"),
		end.UTC().Format(time.DateTime+" MST"))
	return nil
}

// plain reports whether a name stands in a URI as it is, and in a name of a file.
func plain(name string) bool {
	letters := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("._-", r)
	}
	return name != "" && name[0] != '.' &&
		!strings.ContainsFunc(name, func(r rune) bool { return !letters(r) })
}

// write replaces the files of a certificate and its key. Each of them is whole at any time, and a member
// that finds the two of different makes uses the last that it has loaded.
func write(dir, name string, cert, key []byte) error {
	for _, file := range []struct {
		ending string
		mode   fs.FileMode
		text   []byte
	}{{".key.pem", 0o600, key}, {".pem", 0o644, cert}} {
		path := filepath.Join(dir, name+file.ending)
		err := os.WriteFile(path+".new", file.text, file.mode)
		if err == nil {
			err = os.Rename(path+".new", path)
		}
		if err != nil {
			return exit.Failed(fmt.Errorf("%s: it cannot be written: %w", path, err))
		}
	}
	return nil
}
