// Package certcmd is elect cert: it makes certificates for the members of elect lead.
package certcmd

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport/tcp/certs"
)

// options are the flags of elect cert ca and elect cert member.
type options struct {
	dir, group string
	hosts      []string
	life       time.Duration
}

// New returns elect cert.
func New(a *console.Console) *cobra.Command {
	cmd := &cobra.Command{Use: "cert", Short: "Make and show certificates for the members of elect lead",
		Long: long, Example: examples, Args: parse.Subcommand, RunE: parse.Help}
	cmd.AddCommand(authorityCommand(), memberCommand(a), showCommand(a))
	return cmd
}

func authorityCommand() *cobra.Command {
	o := &options{dir: ".", life: 10 * year}
	cmd := &cobra.Command{Use: "ca", Short: "Make a certificate authority", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return authority(o) }}
	parse.Folder(cmd, &o.dir, "dir", "where to write ca.pem and ca.key.pem; it is made if it is missing")
	parse.Var(cmd.Flags(), &o.life, "life", "time", "how long it is valid", parse.Duration)
	return cmd
}

func memberCommand(a *console.Console) *cobra.Command {
	o := &options{dir: ".", group: "lead", life: year}
	cmd := &cobra.Command{Use: "member NAME ...", Short: "Make a certificate for each of these members",
		RunE: func(_ *cobra.Command, args []string) error { return members(a, o, args) }}
	parse.Folder(cmd, &o.dir, "dir", "where ca.pem and ca.key.pem are, and where to write NAME.pem and NAME.key.pem")
	cmd.Flags().StringVar(&o.group, "group", o.group, "the name of the election")
	cmd.Flags().StringArrayVar(&o.hosts, "host", nil,
		"a DNS name or an IP address that the certificates contain, too; may be repeated")
	parse.Var(cmd.Flags(), &o.life, "life", "time", "how long the certificates are valid", parse.Duration)
	return cmd
}

const year = 365 * 24 * time.Hour

// authority writes the files of a new authority.
func authority(o *options) error {
	key := filepath.Join(o.dir, "ca.key.pem")
	if _, err := os.Lstat(key); err == nil {
		// Members would trust the new authority and show certificates of the old one.
		return input.Errorf("%s is there already", key)
	}
	ca, err := certs.NewCA("elect", time.Now(), o.life)
	if err != nil {
		return exit.Failed(err)
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil { // it holds the key of the authority
		return exit.Failed(fmt.Errorf("--dir: %w", err))
	}
	return write(o.dir, "ca", ca.Cert, ca.Key)
}

// members writes the files of members.
func members(a *console.Console, o *options, names []string) error {
	if len(names) == 0 {
		return input.Errorf("which members? Their names are missing")
	}
	// All names, before the first file is written. Some file systems do not distinguish ca from CA.
	for i, name := range append([]string{o.group}, names...) {
		switch lower := strings.ToLower(name); {
		case !plain(name):
			return input.Errorf("%.60q: a certificate can name letters, digits, and . - _ only", name)
		case i > 0 && (lower == "ca" || strings.HasSuffix(lower, ".key")):
			return input.Errorf("%.60q: %s.pem would be the file of another key or certificate", name, name)
		}
	}
	for _, host := range o.hosts {
		if net.ParseIP(host) == nil && !isHost(host) {
			return input.Errorf("--host: %.60q is neither a DNS name nor an IP address", host)
		}
	}
	cert, err := os.ReadFile(filepath.Join(o.dir, "ca.pem"))
	if err != nil {
		return input.Errorf("%w; elect cert ca makes it", err)
	}
	key, err := os.ReadFile(filepath.Join(o.dir, "ca.key.pem"))
	if err != nil {
		return input.Errorf("%w", err)
	}
	ca, err := certs.ParseCA(cert, key)
	if err != nil {
		return err
	}
	now, end := time.Now(), ca.End()
	// A certificate is of no use once the certificate of its authority has expired.
	if own := now.Add(o.life); own.Before(end) {
		end = own
	}
	var files []string
	for _, name := range names {
		cert, key, err := ca.Issue(o.group, name, now, o.life, o.hosts...)
		if err != nil {
			return exit.Failed(err)
		}
		if err := write(o.dir, name, cert, key); err != nil {
			return err
		}
		files = append(files, filepath.Join(o.dir, name+".pem"), filepath.Join(o.dir, name+".key.pem"))
	}
	fmt.Fprintf(a.Log(a.Stdout), "%s: for group %s, until %s\n", strings.Join(files, " "), o.group,
		stamp(end))
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

// isHost reports whether a text is a DNS name, whose first label may be a star.
func isHost(text string) bool {
	for label := range strings.SplitSeq(strings.TrimPrefix(text, "*."), ".") {
		if !plain(label) || len(label) > 63 {
			return false
		}
	}
	return len(text) <= 253
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
