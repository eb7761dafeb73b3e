package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// alone are the flags of a group of one.
const alone = "--self a --member a=127.0.0.1:0 --times 20ms "

func notLoopback(address string) string {
	return `--control: "` + address + `" is not a loopback address such as 127.0.0.1:8081: anybody who can connect to it can change the members`
}

func notResolve(text string) string {
	return `--resolve: "` + text + `" is neither dns:DOMAIN:PORT nor srv:SERVICE, as in dns:orders:7946`
}

func TestBadLead(t *testing.T) {
	one := "lead --self a --member a=127.0.0.1:0 "
	refused{
		"lead -- true":             `--self: it is not set: it is the name of this member`,
		"lead --self a -- true":    `--member: it is not set: it is the members, as in a=10.0.0.1:7946,b=10.0.0.2:7946`,
		"lead --self a true":       `unexpected argument "true": COMMAND stands behind --`,
		one + "true -- false":      `unexpected argument "true": COMMAND stands behind --`,
		one:                        `which program? It stands behind --, with its arguments`,
		one + "--":                 `which program? It stands behind --, with its arguments`,
		one + "-- no-such-program": `exec: "no-such-program": executable file not found in $PATH`,
		"lead --self b --member a=127.0.0.1:0 -- true": `--self: "b" is not in --member, which has a; correct the name, or set --listen if this member is being removed`,
		"lead --self a --member a -- true":             `--member: "a" is not name=host:port`,
		one + "--member a=127.0.0.1:1 -- true":         `--member: "a" is given twice`,
		one + "--times 0s -- true":                     `--times: lease: 0s is not above 0`,
		one + "--times lan,drain=3 -- true":            `--times: drain: "3" is not a time; a time is written as in 750ms or 1.5s`,
		one + "--config /no -- true":                   `--config: open /no: no such file or directory`,
		one +
			"--tls-cert x -- true": `--tls-key: it is not set: TLS needs all of --tls-cert, --tls-key, --tls-ca`,
		one + "--listen nonsense -- true":                  `--listen: address nonsense: missing port in address`,
		one + "--listen :70000 -- true":                    `--listen: address 70000: invalid port`,
		one + "--http 8080 -- true":                        `--http: address 8080: missing port in address`,
		one + "--http :x/y -- true":                        `--http: lookup tcp/x/y: unknown port`,
		one + "--control 0.0.0.0:0 -- true":                notLoopback("0.0.0.0:0"),
		one + "--control :8081 -- true":                    notLoopback(":8081"),
		one + "--control example.org:8081 -- true":         notLoopback("example.org:8081"),
		one + "--resolve example.org -- true":              notResolve("example.org"),
		one + "--resolve dns:example.org -- true":          notResolve("dns:example.org"),
		one + "--resolve dns:example.org:0 -- true":        notResolve("dns:example.org:0"),
		one + "--resolve dns::7 -- true":                   notResolve("dns::7"),
		one + "--resolve srv: -- true":                     notResolve("srv:"),
		one + "--resolve srv:x --member a -- true":         `--member: "a" is given twice`,
		"lead --self a --member a --resolve srv:x -- true": `--listen: it is not set, and --member has no address for "a": set it to the address on which this member listens, as in :7946`,
		one + "--times 1000h -- true":                      `--times: Lease: 1000h0m0s is not between 2 ns and 625h29m59.813685247s`,
		one + "--member b=127.0.0.1:0 -- true": `--member[b]: address 127.0.0.1:0: no other member can ` +
			`connect to port 0`,
		"lead --self a --member a=127.0.0.1:1 --member b=127.0.0.1:1 -- true": `--member: a and b have the ` +
			`same address 127.0.0.1:1`,
		one + "--times 1us -- true":                         `--times: Lease: 1µs is less than 1ms`,
		one + "--group= -- true":                            `--group: it is not set: it is the name of the election`,
		one + "--tls-cert x --tls-key x --tls-ca x -- true": `TLS: stat x: no such file or directory`,
		one + "--tls-cert x --tls-key x --tls-ca x --insecure-plaintext -- true": `--insecure-plaintext: it is true ` +
			`although there are certificates: unset it or --tls-cert, --tls-key, --tls-ca`,
	}.test(t)
	elect(t, "", strings.Fields("lead --self a --member a=10.0.0.1:1 -- true")...).requireLine(t,
		exit.StatusUsage,
		`--tls-cert: it is not set, and "a" may be on another machine, at "10.0.0.1:1": set --tls-cert, --tls-key, --tls-ca, `+
			`or --insecure-plaintext=true if all processes that reach these addresses may be trusted`)
}

// TestLeadAddressInUse: an address or a folder that cannot be had is named by its flag; the usage is right.
func TestLeadAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	address := taken.Addr().String()
	r := elect(t, "", strings.Fields("lead "+alone+"--listen "+address+" -- true")...)
	require.Equal(t, exit.StatusFailed, r.code)
	require.Contains(t, r.stderr, "elect: --listen: listen tcp "+address+": ")
	for _, flag := range []string{"--http", "--control"} {
		r = elect(t, "", strings.Fields("lead "+alone+flag+" "+address+" -- true")...)
		require.Equal(t, exit.StatusFailed, r.code)
		require.Contains(t, r.stderr, "elect: "+flag+": listen tcp "+address+": ")
	}
	r = elect(t, "", strings.Fields("lead "+alone+"--dir /dev/null/none -- true")...)
	require.Equal(t, exit.StatusFailed, r.code)
	require.Contains(t, r.stderr, "elect: --dir: ")
}

// TestLeadLog: the log has the words of package elector, which docs/operations.md explains.
func TestLeadLog(t *testing.T) {
	r := elect(t, "", strings.Fields("lead --once --self a --member a=127.0.0.1:0 --times 1s -- true")...)
	require.Zero(t, r.code, r.stderr)
	said := regexp.MustCompile(`level=INFO msg=("[^"]*"|\S+) group=lead member=a (leader=\S+)?`).
		FindAllString(r.stderr, -1)
	said = slices.DeleteFunc(said, func(line string) bool { // at any time after the lead began
		return strings.Contains(line, `msg="members: agreed"`)
	})
	require.ElementsMatch(t, []string{
		`level=INFO msg=elected group=lead member=a leader=a`,
		`level=INFO msg="this member leads: the program runs" group=lead member=a `,
		`level=INFO msg="given up" group=lead member=a leader=""`,
		`level=INFO msg=ended group=lead member=a leader=""`,
	}, said)
}

// TestCertReport: what was written, for which group, and until when: a certificate ends with its authority.
func TestCertReport(t *testing.T) {
	dir := t.TempDir()
	const when = ` until (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC\n$`
	until := func(want, line string) time.Time {
		t.Helper()
		r := elect(t, "", strings.Fields(line+" --dir "+dir)...)
		require.Zero(t, r.code, r.stderr)
		require.Empty(t, r.stderr)
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(want, "DIR", regexp.QuoteMeta(dir)) + when)
		require.Regexp(t, pattern, r.stdout)
		at, err := time.Parse(time.DateTime, pattern.FindStringSubmatch(r.stdout)[1])
		require.NoError(t, err)
		return at
	}
	began := time.Now()
	require.Zero(t, elect(t, "", "cert", "ca", "--life", "2h", "--dir", dir).code)
	short := until("DIR/a.pem DIR/a.key.pem DIR/b.pem DIR/b.key.pem: for group lead,",
		"cert member --life 1h a b")
	require.InDelta(t, 3600, short.Sub(began).Seconds(), 600)
	long := until("DIR/a.pem DIR/a.key.pem: for group orders,", "cert member --group orders a")
	require.InDelta(t, 7200, long.Sub(began).Seconds(), 600)
	elect(t, "", strings.Fields(strings.ReplaceAll("lead --once --self a --member a=127.0.0.1:0 --tls-cert "+
		"DIR/a.pem --tls-key DIR/a.key.pem --tls-ca DIR/ca.pem -- true", "DIR", dir))...).requireLine(t,
		exit.StatusUsage,
		"TLS: the own certificate: spiffe://orders/a is not of --group lead: use the group for which "+
			"elect cert made it")
}

// TestLeadExamplesEnd: if the program of an example in the help ends immediately, the member ends with it.
func TestLeadExamplesEnd(t *testing.T) {
	found := 0
	short := regexp.MustCompile(` -- (env|printenv)\b`)
	for _, page := range [][]string{{"--help"}, {"cert", "--help"}, {"lead", "--help"}} {
		text := strings.ReplaceAll(elect(t, "", page...).stdout, "\\\n", "")
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "  elect lead ") && short.MatchString(line) {
				require.Contains(t, line, " --once ")
				found++
			}
		}
	}
	require.Equal(t, 3, found)
}

// TestLeadOfTwoAuthorities: a member whose own roots refuse its certificate does not start, and the error
// names both files.
func TestLeadOfTwoAuthorities(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		require.Zero(t, elect(t, "", "cert", "ca", "--dir", dir).code)
		require.Zero(t, elect(t, "", "cert", "member", "--dir", dir, "a").code)
	}
	tls := strings.NewReplacer("ONE", one, "TWO", two).Replace(
		"--tls-cert ONE/a.pem --tls-key ONE/a.key.pem --tls-ca TWO/ca.pem -- true")
	r := elect(t, "", strings.Fields("lead "+alone+tls)...)
	require.Equal(t, exit.StatusUsage, r.code)
	require.Contains(t, r.stderr, "elect: TLS: the certificate in "+one+
		`/a.pem is signed by authority "CN=elect", `+
		"whose certificate is not in "+two+
		"/ca.pem: use a certificate of an authority in it, or add that authority: ")
	require.Equal(t, 1, strings.Count(r.stderr, "\n"))
}

func TestBadCert(t *testing.T) {
	refused{
		"cert member":              `which members? Their names are missing`,
		"cert member a/b":          `"a/b": a certificate can name letters, digits, and . - _ only`,
		"cert member --group= a":   `"": a certificate can name letters, digits, and . - _ only`,
		"cert member a ca":         `"ca": ca.pem would be the file of another key or certificate`,
		"cert member CA":           `"CA": CA.pem would be the file of another key or certificate`,
		"cert member ca.key":       `"ca.key": ca.key.pem would be the file of another key or certificate`,
		"cert member --dir /no a":  `open /no/ca.pem: no such file or directory; elect cert ca makes it`,
		"cert member --host=a/b a": `--host: "a/b" is neither a DNS name nor an IP address`,
		"cert member --host= a":    `--host: "" is neither a DNS name nor an IP address`,
		"cert show":                `requires at least 1 arg(s), only received 0`,
		"cert show /no":            `open /no: no such file or directory`,
		"cert ca a":                `unknown command "a" for "elect cert ca"`,
		"cert ca --life x":         `--life: "x" is not a time, as in 20ms or 1.5s`,
		"cert mebmer":              `unknown command "mebmer": did you mean member?`,
	}.test(t)
	dir := t.TempDir()
	require.Zero(t, elect(t, "", "cert", "ca", "--dir", dir).code)
	elect(t, "", "cert", "ca", "--dir", dir).requireLine(t, exit.StatusUsage,
		dir+"/ca.key.pem is there already")
	info, err := os.Stat(filepath.Join(dir, "ca.key.pem"))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode())
	require.NoError(t, os.WriteFile(dir+"/file", nil, 0o600))
	elect(t, "", "cert", "ca", "--dir", dir+"/file/c").requireLine(t, exit.StatusFailed,
		"--dir: mkdir "+dir+"/file: not a directory")
}

// TestCertMakesDir: elect cert ca makes its folder, which only its owner may read.
func TestCertMakesDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "c")
	require.Zero(t, elect(t, "", "cert", "ca", "--dir", dir).code)
	require.FileExists(t, filepath.Join(dir, "ca.pem"))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.ModeDir|0o700, info.Mode())
	require.Zero(t, elect(t, "", "cert", "member", "a", "--dir", dir).code)
}

// TestLeadHelp: the help describes which programs elect lead cannot end, and what to do about them.
func TestLeadHelp(t *testing.T) {
	text := strings.Join(strings.Fields(elect(t, "", "help", "lead").stdout), " ")
	for _, want := range []string{
		"its whole process group receive SIGTERM",
		"leaves the process group, for instance with setsid, this process receives neither signal",
		"KillMode=mixed",
		"If SIGSTOP stops only elect lead, COMMAND continues until SIGCONT",
		"freeze the control group of both", "refuse a token that is smaller",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "all that it has started")
}
