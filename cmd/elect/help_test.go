package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/help"
)

// helps returns every line that help answers: of each command in short and in full, and of each topic.
func helps() (lines [][]string) {
	var of func(cmd *cobra.Command, path []string)
	of = func(cmd *cobra.Command, path []string) {
		lines = append(lines, append(path[:len(path):len(path)], "-h"),
			append(path[:len(path):len(path)], "--help"))
		for _, c := range cmd.Commands() {
			if c.Name() != "completion" && c.Name() != "help" {
				of(c, append(path[:len(path):len(path)], c.Name()))
			}
		}
	}
	of(rootCommand(console.New(catalog.All(), nil, io.Discard, io.Discard)), nil)
	for _, topic := range help.Topics {
		lines = append(lines, []string{"help", topic})
	}
	return lines
}

// TestHelpFits: help is as wide as COLUMNS says, up to 100, and its words are the same at any width.
func TestHelpFits(t *testing.T) {
	require.Greater(t, len(helps()), 30)
	for _, args := range helps() {
		words := ""
		for _, width := range []string{"60", "80", "300"} {
			t.Setenv("COLUMNS", width)
			r := elect(t, "", args...)
			require.Zero(t, r.code, r.stderr)
			most := map[string]int{"60": 60, "80": 80, "300": 100}[width]
			for line := range strings.Lines(r.stdout) {
				// A usage is not broken, nor is a word in quotes.
				fits := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) <= most
				require.True(t, fits || strings.HasPrefix(line, "  elect ") || strings.Contains(line, `\n'`),
					"%v at %s: %s", args, width, line)
			}
			now := strings.Join(strings.Fields(strings.ReplaceAll(r.stdout, "\\\n", "")), " ")
			if words != "" {
				require.Equal(t, words, now)
			}
			words = now
		}
	}
}

// TestShortHelp: -h is what the command is for, three examples and the flags that are used most, and names
// the groups of all; --help has all of them.
func TestShortHelp(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	short, long := elect(t, "", "sim", "-h").stdout, elect(t, "", "sim", "--help").stdout
	require.Equal(t, long, elect(t, "", "help", "sim").stdout)
	require.Zero(t, strings.Count(short, "(default"))
	require.Equal(t, 3, strings.Count(short, "\n  elect sim ")-1)
	require.True(t, strings.HasPrefix(short, "Simulate an election in virtual time.\n\nUsage:\n"))
	require.Contains(t, short, "\nFlags:\n  -n, --n N ")
	require.NotContains(t, short, "--ids 3,1,4 ")
	last := 0
	for _, heading := range []string{"the election:\n  -n, --n N", "the network:\n      --topology",
		"what goes wrong:\n      --crashed", "output:\n      --json"} {
		at := strings.Index(long, "\nFlags, "+heading)
		require.Greater(t, at, last, heading)
		last = at
	}
	for _, topic := range help.Topics {
		require.NotEmpty(t, elect(t, "", "help", topic).stdout)
		require.Contains(t, long, topic)
	}
	elect(t, "", "help", "topolgy").requireLine(t, 2, `unknown command "topolgy": did you mean topology?`)
}

// TestShortHelpFits: but for its list of commands, -h of each command fits a screen of 24 lines and 80
// columns. What it leaves out it counts.
func TestShortHelpFits(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	flag := regexp.MustCompile(`(?m)^  (-., |    )--\w`)
	flagsOf := func(text string) int {
		return len(flag.FindAllString(text[strings.Index(text, "\nFlags"):], -1))
	}
	others := regexp.MustCompile(`\nelect[a-z ]* --help says all(?:, with (\d+) more flags?)?[^.]*\.\n$`)
	for _, args := range helps() {
		if args[len(args)-1] != "-h" {
			continue
		}
		short := elect(t, "", args...).stdout
		said := others.FindStringSubmatch(short)
		require.NotNil(t, said, "%s", short)
		left, _ := strconv.Atoi(said[1]) // none is 0
		long := elect(t, "", append(args[:len(args)-1:len(args)-1], "--help")...).stdout
		require.Equal(t, flagsOf(long), flagsOf(short)+left, "%v", args)

		commands := regexp.MustCompile(`(?s)\nCommands:\n.*?\n\n`).ReplaceAllString(short, "\n")
		require.LessOrEqual(t, strings.Count(commands, "\n"), 24, "%v:\n%s", args, commands)
		for line := range strings.Lines(short + long) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 81, "%v: %s", args, line)
		}
	}
}

// TestEveryCommandHasHelp: each command has a file with a text and examples of its own, or its parent has.
func TestEveryCommandHasHelp(t *testing.T) {
	files, err := filepath.Glob("internal/help/*.txt")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, args := range helps() {
		name := strings.Join(args[:len(args)-1], "-")
		if args[0] == "help" {
			name = args[1]
		}
		if page := help.Read(name); page.Text != "" {
			used[name] = true
			if args[len(args)-1] != "-h" {
				require.Contains(t, elect(t, "", args...).stdout, strings.Fields(page.Text)[0])
			}
		}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		require.True(t, used[name] || name == "elect", "no command reads %s", file)
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
