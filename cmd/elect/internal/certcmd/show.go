package certcmd

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/input"
)

func showCommand(a *console.Console) *cobra.Command {
	return &cobra.Command{Use: "show FILE ...", Short: "Show the certificates in these files", Long: longShow,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"pem"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE:              func(_ *cobra.Command, args []string) error { return show(a.Stdout, args, time.Now()) }}
}

// show prints the certificates in some files.
func show(to io.Writer, files []string, now time.Time) error {
	var b strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return input.Errorf("%w", err)
		}
		all, err := certificates(text)
		if err != nil {
			return input.Errorf("%s: %w", file, err)
		}
		for _, c := range all {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			describe(&b, file, c, now)
		}
	}
	_, err := io.WriteString(to, b.String())
	return exit.Failed(err)
}

// certificates returns the certificates of a PEM file.
func certificates(text []byte) (all []*x509.Certificate, err error) {
	keys := 0
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			keys++
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	switch {
	case len(all) == 0 && keys > 0:
		return nil, errors.New("there is no certificate in it, only a key: show the file of the certificate")
	case len(all) == 0:
		return nil, errors.New("there is no certificate in it")
	}
	return all, nil
}

// describe writes the lines about one certificate.
func describe(b *strings.Builder, file string, c *x509.Certificate, now time.Time) {
	line := func(word, text string) { fmt.Fprintf(b, "%-8s%s\n", word, text) }
	line("file", file)
	line("name", c.Subject.String())
	line("issuer", c.Issuer.String())
	for _, uri := range c.URIs {
		line("uri", uri.String())
	}
	for _, name := range c.DNSNames {
		line("dns", name)
	}
	for _, ip := range c.IPAddresses {
		line("ip", ip.String())
	}
	line("from", stamp(c.NotBefore))
	left := fmt.Sprintf("%d days left", int(c.NotAfter.Sub(now).Hours()/24))
	switch {
	case now.After(c.NotAfter):
		left = "expired"
	case now.Before(c.NotBefore):
		left = "not valid yet"
	}
	line("until", stamp(c.NotAfter)+", "+left)
	line("for", purpose(c))
}

func stamp(t time.Time) string { return t.UTC().Format(time.DateTime + " MST") }

// purpose returns what a certificate is good for, or why not for a member.
func purpose(c *x509.Certificate) string {
	if c.IsCA {
		return "an authority: --tls-ca"
	}
	if len(c.URIs) != 1 {
		return fmt.Sprintf("no member: a member has one uri, spiffe://GROUP/NAME, and not %d", len(c.URIs))
	}
	uri := c.URIs[0].String()
	path, ok := strings.CutPrefix(uri, "spiffe://")
	at := strings.LastIndexByte(path, '/')
	if !ok || at <= 0 || at == len(path)-1 {
		return "no member: the uri is not spiffe://GROUP/NAME"
	}
	for use, what := range map[x509.ExtKeyUsage]string{x509.ExtKeyUsageServerAuth: "servers", x509.ExtKeyUsageClientAuth: "clients"} {
		// Without usages it is good for everything.
		if len(c.ExtKeyUsage)+len(c.UnknownExtKeyUsage) > 0 &&
			!slices.Contains(c.ExtKeyUsage, use) && !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageAny) {
			return "no member: a member is a server and a client, and its extended key usage is not for " + what
		}
	}
	return fmt.Sprintf("elect lead --group %s --self %s", path[:at], path[at+1:])
}
