package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestLead: the program runs on one member, with a certificate each. When its member is asked to end,
// when the program ends by itself and when its member is killed, it ends there, and runs on the next
// with a larger token.
func TestLead(t *testing.T) {
	certificates := t.TempDir()
	for _, line := range []string{"cert ca --dir ", "cert member --group g a b c --dir "} {
		r := elect(t, "", strings.Fields(line+certificates)...)
		require.Zero(t, r.code, r.stderr)
	}
	list := ""
	for _, name := range []string{"a", "b", "c"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		list += fmt.Sprintf(" --member %s=%s", name, l.Addr())
		require.NoError(t, l.Close())
	}
	read, write, err := os.Pipe() // which all members and their programs hold open for as long as they live
	require.NoError(t, err)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer log.Close()
	members := make(map[string]*exec.Cmd)
	for _, name := range []string{"a", "b", "c"} {
		tls := strings.NewReplacer("DIR", certificates, "NAME", name).
			Replace(" --tls-cert DIR/NAME.pem --tls-key DIR/NAME.key.pem --tls-ca DIR/ca.pem")
		args := strings.Fields("lead --group g --lease 500ms --self " + name + list + tls + " --")
		args = append(args, "sh", "-c",
			`echo $ELECTION_SELF $ELECTION_TOKEN $ELECTION_GROUP $$; exec sleep 1000`)
		cmd := exec.Command(binary(t), args...)
		cmd.Stdout, cmd.Stderr = write, log
		require.NoError(t, cmd.Start())
		members[name] = cmd
	}
	require.NoError(t, write.Close())
	lines := bufio.NewScanner(read)
	last := 0
	next := func() (name string, program int) {
		var token int
		require.True(t, lines.Scan())
		_, err := fmt.Sscanf(lines.Text(), "%s %d g %d", &name, &token, &program)
		require.NoError(t, err, lines.Text())
		require.Greater(t, token, last)
		last = token
		return name, program
	}

	_, program := next()
	require.NoError(t, syscall.Kill(program, syscall.SIGKILL))
	second, _ := next()
	require.NoError(t, members[second].Process.Signal(syscall.SIGTERM))
	require.NoError(t, members[second].Wait(), "a hand-over is no failure")
	third, _ := next()
	require.NotEqual(t, second, third)
	for name, cmd := range members {
		if name != second {
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
		}
	}
	require.False(t, lines.Scan(), "no program outlives its member")
	require.NoError(t, read.Close())
}

// alone are the flags of a group of one.
const alone = "--self a --member a=127.0.0.1:0 --lease 20ms "

// TestLeadOnce: with --once, the exit status is that of the program.
func TestLeadOnce(t *testing.T) {
	for program, want := range map[string]struct {
		code int
		line string
	}{
		"true":                  {0, ""},
		"sh -c exit\t7":         {7, "elect: sh has ended: status 7\n"},
		"sh -c kill\t-9\t$$":    {137, "elect: sh has ended: killed by signal 9 (killed)\n"},
		"sh -c sleep\t1000&:\t": {0, ""},
	} {
		args := strings.Fields("lead --once " + alone + "-- " + strings.ReplaceAll(program, "\t", "~"))
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "~", " ")
		}
		r := elect(t, "", args...)
		require.Equal(t, want.code, r.code, r.stderr)
		require.True(t, strings.HasSuffix(r.stderr, want.line), r.stderr)
	}
	r := elect(t, "", append(strings.Fields("lead --once "+alone+"--"), "sh", "-c",
		"echo out; echo err >&2")...)
	require.Equal(t, "out\n", r.stdout)
	require.Contains(t, r.stderr, "err\n")
}

func TestBadLead(t *testing.T) {
	one := "lead --self a --member a=127.0.0.1:0 "
	refused{
		"lead":                     `--self is missing: the name of this member`,
		"lead --self a":            `--member is missing: all members, each as name=host:port`,
		"lead --self a true":       `unexpected argument "true": COMMAND stands behind --`,
		one + "true -- false":      `unexpected argument "true": COMMAND stands behind --`,
		one:                        `which program? It stands behind --, with its arguments`,
		one + "--":                 `which program? It stands behind --, with its arguments`,
		one + "-- no-such-program": `exec: "no-such-program": executable file not found in $PATH`,
		"lead --self b --member a=127.0.0.1:0 -- true": `Self: "b" is not among the Members a`,
		"lead --self a --member a -- true":             `--member: "a" is not name=host:port`,
		one + "--member a=127.0.0.1:1 -- true":         `--member: "a" is given twice`,
		one + "--lease 0s -- true":                     `--lease: 0s is not above 0`,
		one + "--drain 3 -- true":                      `--drain: "3" is not a time, as in 20ms or 1.5s`,
		one +
			"--tls-cert x -- true": `--tls-cert, --tls-key and --tls-ca belong together`,
		one + "--group= -- true":                            `Group: it has no name`,
		one + "--tls-cert x --tls-key x --tls-ca x -- true": `TLS: stat x: no such file or directory`,
		one + "--tls-cert x --tls-key x --tls-ca x --insecure-plaintext -- true": `--tls-cert and ` +
			`--insecure-plaintext exclude each other`,
	}.test(t)
	elect(t, "", strings.Fields("lead --self a --member a=10.0.0.1:1 -- true")...).requireLine(t,
		exit.StatusUsage,
		"members[12638187200555641996]: 10.0.0.1:1 is no loopback address, so there must be TLS, or "+
			"InsecurePlaintext")
}

func TestBadCert(t *testing.T) {
	refused{
		"cert member":             `which members? Their names are missing`,
		"cert member a/b":         `"a/b": a certificate can name letters, digits, and . - _ only`,
		"cert member --group= a":  `"": a certificate can name letters, digits, and . - _ only`,
		"cert member ca":          `"ca": a certificate can name letters, digits, and . - _ only`,
		"cert member --dir /no a": `open /no/ca.pem: no such file or directory; elect cert ca makes it`,
		"cert ca a":               `unexpected argument "a"`,
		"cert ca --life x":        `--life: "x" is not a time, as in 20ms or 1.5s`,
		"cert mebmer":             `unknown command "mebmer": did you mean member?`,
	}.test(t)
	dir := t.TempDir()
	require.Zero(t, elect(t, "", "cert", "ca", "--dir", dir).code)
	elect(t, "", "cert", "ca", "--dir", dir).requireLine(t, exit.StatusUsage,
		dir+"/ca.key.pem is there already")
	info, err := os.Stat(filepath.Join(dir, "ca.key.pem"))
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode())
	elect(t, "", "cert", "ca", "--dir", "/no/such").requireLine(t, exit.StatusFailed,
		"/no/such/ca.key.pem: it cannot be written: open /no/such/ca.key.pem.new: no such file or directory")
}
