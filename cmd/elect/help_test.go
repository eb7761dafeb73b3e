package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
)

// TestHelp: every command and topic explains itself, in full by -h as by --help and by elect help.
func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "completion" || cmd.Name() == "help" {
			return
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		help := elect(t, "", append([]string{"help"}, path...)...)
		require.Zero(t, help.code, help.stderr)
		require.Equal(t, help, elect(t, "", append(path, "-h")...))
		require.Equal(t, help, elect(t, "", append(path, "--help")...))
		require.NotEmpty(t, cmd.Short, path)
		if cmd.Long != "" {
			require.True(t, strings.HasPrefix(help.stdout, cmd.Long), help.stdout)
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	root := rootCommand(console.New(catalog.All(), nil, io.Discard, io.Discard))
	visit(root)
	require.Contains(t, elect(t, "", "help", "topology").stdout, "circulant:1,5")
	elect(t, "", "help", "sima").requireLine(t, 2, `unknown command "sima": did you mean sim?`)
	t.Setenv("COLUMNS", "60")
	for line := range strings.Lines(elect(t, "", "sim", "--help").stdout) {
		if strings.HasPrefix(line, "      ") { // flags
			require.LessOrEqual(t, len(line), 61, line)
		}
	}
}

// TestColours: --color and the environment decide whether output and errors have colours.
func TestColours(t *testing.T) {
	red := "\x1b[31melect:\x1b[0m "
	for _, c := range []struct {
		env, flag string
		want      bool
	}{
		{"", "auto", false}, {"", "always", true}, {"", "never", false},
		{"CLICOLOR_FORCE=1", "auto", true}, {"CLICOLOR_FORCE=0", "auto", false},
		{"CLICOLOR_FORCE=1", "never", false}, {"CLICOLOR_FORCE=1 NO_COLOR=1", "auto", false},
		{"NO_COLOR=1", "always", true},
	} {
		for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE"} {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
		for set := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(set, "=")
			t.Setenv(name, value)
		}
		r := elect(t, "", "sim", "lcr", "-n", "3", "--color", c.flag)
		require.Equal(t, c.want, strings.Contains(r.stdout, "\x1b[32m3\x1b[0m, all agree"), "%+v", c)
		require.Equal(t, c.want, strings.Contains(r.stdout, "\x1b[2m(unit schedule, seed 0)"), "%+v", c)
		r = elect(t, "", "--color", c.flag, "sim", "lrc", "-n", "3")
		require.Equal(t, c.want, strings.HasPrefix(r.stderr, red), "%+v", c)
		require.Contains(t, elect(t, "", "sim", "-h", "--color", c.flag).stdout, "Usage:")
	}
	elect(t, "", "sim", "lcr", "--color", "red").requireLine(t, 2,
		`--color: "red" is not one of auto, always, never`)
}
