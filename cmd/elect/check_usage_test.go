package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestBadChecks(t *testing.T) {
	cases := refused{}
	for line, want := range map[string]string{
		"lcr":         `the number of processes is missing: set -n or --ids`,
		"lrc -n 3":    `unknown algorithm "lrc": did you mean lcr?`,
		"nosuch -n 3": `unknown algorithm "nosuch": there are ` + strings.Join(catalog.Names(), ", "),
		"h -n 3": `unknown algorithm "h": there are ` +
			strings.Join(catalog.Names(), ", "),
		"frank -n 3":                                    `unknown algorithm "frank": did you mean franklin?`,
		"lcr -n 0":                                      `-n: 0 is not between 1 and 1024`,
		"lcr -n 1e9":                                    `-n: 1e9 is not between 1 and 1024`,
		"bully -n 70":                                   `topology: 4830 ends of links, at most 4096 can be checked`,
		"lcr --ids 1,1":                                 `ids[1]: 1 is already the id of ids[0]`,
		"lcr -n 3 --initiators 4":                       `initiators[0]: 4 is not a process`,
		"lcr -n 3 --crashed 4":                          `crashed[0]: 4 is not a process`,
		"lcr -n 3 --network fif":                        `--network: "fif" is not one of fifo, unordered, lossy, duplicating: did you mean fifo?`,
		"lcr -n 3 --network foo":                        `--network: "foo" is not one of fifo, unordered, lossy, duplicating`,
		"lcr -n 3 --network fifo --losses 1":            `--network fifo: its links neither lose nor copy, so that there is no --losses or --duplicates`,
		"lcr -n 3 --network fifo --losses unlimited":    `--network fifo: its links neither lose nor copy, so that there is no --losses or --duplicates`,
		"lcr -n 3 --network lossy --losses 0":           `--network lossy: --losses 0 leaves nothing to lose`,
		"lcr -n 3 --network duplicating --duplicates 0": `--network duplicating: --duplicates 0 leaves nothing to copy`,
		"lcr -n 3 --losses -1":                          `--losses: -1 is not between 0 and 1024`,
		"lcr -n 3 --duplicates unlimited":               `--duplicates: "unlimited" is not a whole number`,
		"lcr -n 3 --crashes -2":                         `--crashes: -2 is not between 0 and 1024`,
		"lcr -n 3 --recoveries 1":                       `--recoveries: no process is ever down, so that none comes back; --crashes or --crashed gives some`,
		"lcr -n 3 --crashes 0 --restarts 1":             `--restarts: no process is ever down, so that none comes back; --crashes or --crashed gives some`,
		"lcr -n 3 --out /":                              `--out /: it is a folder, not a file`,
		"lcr -n 3 --svg /":                              `--svg /: it is a folder, not a file`,
		"lcr -n 3 --out x --log x":                      `--out: x is written by --log already`,
		"--replay /":                                    `--replay /: it is a folder, not a file`,
		"lcr -n 3 -q":                                   `unknown shorthand flag: 'q' in -q`,
		"lcr --order":                                   `flag needs an argument: --order`,
		"lcr -n 3 --memory 1QB":                         `--memory: "1QB" is not a size such as 4GB or 500MB`,
		"lcr -n 3 --recoveries x":                       `--recoveries: "x" is not a whole number`,
		"lcr -n 3 --restarts 1025":                      `--restarts: 1025 is not between 0 and 1024`,
		"lcr -n 3 --param delay=1":                      `params: "delay" is not a parameter; there is only order`,
		"lcr -n 3 --workers 0":                          `--workers: 0 is not between 1 and 1024`,
		"lcr -n 3 --max-states 0":                       `--max-states: 0 is not between 1 and 9007199254740992`,
		"lcr -n 3 --memory 4QB":                         `--memory: "4QB" is not a size such as 4GB or 500MB`,
		"lcr -n 3 --memory 10":                          `--memory: 10 is less than 1MiB; give a size such as 4GB or 500MB`,
		"lcr -n 3 --memory 1e9TB":                       `--memory: 1e9TB is too large; give a size such as 4GB or 500MB`,
		"lcr -n 3 --out=":                               `--out: no file is given`,
		"lcr -n 3 --out /no/folder":                     `--out /no/folder: there is no such folder`,
		"lcr -n 3 --out - --json":                       `--json: standard output is taken by a file named -`,
		"lcr -n 3 --out - --mermaid -":                  `--out: standard output is taken already`,
		"lcr -n 20 --mermaid x.mmd":                     `--mermaid: 20 processes, at most 12 are legible`,
		"lcr -n 3 --seed x":                             `invalid argument "x" for "--seed" flag: strconv.ParseUint: parsing "x": invalid syntax`,
		"lcr -n 3 --order x":                            `--order: "x" is not one of sorted, random, best, worst`,
		"lcr -n 3 --schedule unit":                      `unknown flag: --schedule`,
		"lcr -n 3 more":                                 `unexpected argument "more"`,
		"lcr --scenario x":                              `--scenario includes the algorithm: unexpected argument "lcr"`,
		"--scenario x -n 3":                             `if any flags in the group [scenario n] are set none of the others can be; [n scenario] were all set`,
		"--scenario /no/file":                           `--scenario /no/file: no such file or directory`,
		"--replay /no/file":                             `--replay /no/file: no such file or directory`,
		"--replay=":                                     `--replay: no file is given`,
		"--replay x --crashes 1":                        `if any flags in the group [replay crashes] are set none of the others can be; [crashes replay] were all set`,
		"--replay x --network fifo":                     `if any flags in the group [replay network] are set none of the others can be; [network replay] were all set`,
		"--replay x -n 3":                               `if any flags in the group [replay n] are set none of the others can be; [n replay] were all set`,
		"--replay x --scenario y":                       `if any flags in the group [replay scenario] are set none of the others can be; [replay scenario] were all set`,
		"--replay x --out y":                            `if any flags in the group [replay out] are set none of the others can be; [out replay] were all set`,
		"--replay x lcr":                                `--replay includes the algorithm: unexpected argument "lcr"`,
	} {
		cases["check "+line] = want
	}
	cases["sim lcr -n 3 --nudge"] = `unknown flag: --nudge`
	cases.test(t)
}

// TestBadTimes: a time is refused by the name of the flag that gave it.
func TestBadTimes(t *testing.T) {
	cases := refused{}
	for line, want := range map[string]string{
		"bully -n 3 --tick 0.3":           `--tick: 0.3 is no whole part of the longest delay, 1`,
		"bully -n 3 --tick 0.001":         `--tick: 0.001 makes 1,000 ticks of the longest delay, 1, at most 250 can be checked`,
		"bully -n 3 --window 0.5":         `--window: 0.5 is not a whole number of ticks of 1`,
		"bully -n 3 --window 251":         `--window: 251 is longer than 250 ticks of 1`,
		"bully -n 3 --until 251":          `--until: 251 is longer than 250 ticks of 1`,
		"lcr -n 3 --until 3":              `--until: lcr/participant counts on no bound of delays, so that time is modelled with --delay only`,
		"bully -n 3 --untimed --delay 1":  `if any flags in the group [untimed delay] are set none of the others can be; [delay untimed] were all set`,
		"bully -n 3 --untimed --window 1": `if any flags in the group [untimed window] are set none of the others can be; [untimed window] were all set`,
		"bully -n 3 --delay 0":            `--delay: 0 is not above 0`,
		"bully -n 3 --tick -1":            `--tick: -1 is less than 0`,
		"bully -n 3 --delay 0.5,2":        `--delay: "0.5,2" is not a time`,
	} {
		cases["check "+line] = want
	}
	cases.test(t)
}

func TestCheckCompletion(t *testing.T) {
	completed := func(args ...string) string {
		return elect(t, "", append([]string{"__complete", "check"}, args...)...).stdout
	}
	require.Contains(t, completed("--network", ""), "fifo\nunordered\nlossy\nduplicating\n")
	require.Contains(t, completed("--losses", ""), "unlimited\n")
	require.Contains(t, completed("dk"), "dkr\n")
	require.Contains(t, completed("lcr", "--variant", ""), "participant\n")
	require.True(t, strings.HasPrefix(completed("--crashes", ""), ":4\n"), "no files")
}

// TestGraphOfACheck: --dot writes all states of a check in addition to its verdict, or none.
func TestGraphOfACheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lcr.dot")
	check := func(line string) ran { return elect(t, "", strings.Fields("check lcr "+line)...) }
	r := check("-n 2 --started --dot " + file)
	require.Zero(t, r.code, r.stderr)
	require.Regexp(t, "only the right process leads +holds", r.stdout)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(b), `label="lcr/participant, 2 processes"`)
	r = check("-n 2 --started --dot -")
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, string(b), r.stdout)
	check("-n 6 --dot "+file).exits(t, exit.StatusUsage, "--dot: states: more than the 5000 that can be drawn")
	same, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, b, same)
	for line, want := range map[string]string{
		"--dot=":                  "--dot: no file is given",
		"--dot - --json":          "--json: standard output is taken by a file named -",
		"--dot - --out -":         "--dot: standard output is taken already",
		"--dot x.dot --out x.dot": "--dot: x.dot is written by --out already",
		"--dot x.svg --svg x.svg": "--dot: x.svg is written by --svg already",
		"--dot /":                 "--dot /: it is a folder, not a file",
	} {
		check("-n 2 "+line).exits(t, exit.StatusUsage, want)
	}
}
