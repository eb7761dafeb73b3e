package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestOrderIsProposed: who draws a ring learns that in the order of ids only the largest competes, unless the order
// is chosen.
func TestOrderIsProposed(t *testing.T) {
	const proposal = "With ids in order, only the largest competes for long. To see more: --order random --seed 3\n"
	for line, want := range map[string]string{
		"sim hs -n 8 --svg -":                         proposal,
		"sim lcr/max -n 3 --svg -":                    proposal,
		"sim hs -n 8 --links -":                       "",
		"sim hs -n 8":                                 "",
		"sim hs -n 8 --order sorted --svg -":          "",
		"sim hs --ids 3,1,2 --svg -":                  "",
		"sim hs -n 2 --svg -":                         "",
		"sim hs -n 8 --initiators 2,5 --svg -":        "",
		"sim bully -n 5 --svg -":                      "",
		"sim itairodeh -n 5 --svg -":                  "",
		"sim hs -n 8 --order random --seed 3 --svg -": "",
	} {
		r := elect(t, "", strings.Fields(line)...)
		require.Zero(t, r.code, r.stderr)
		require.Equal(t, want, r.stderr, line)
	}
}

// TestTraceFiles: an election is recorded, shown, replayed and compared; what is read from a file and
// from standard input is the same.
func TestTraceFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) string {
		b, err := os.ReadFile(file(name))
		require.NoError(t, err)
		return string(b)
	}
	line := "sim hs -n 8 --seed 3 --schedule random --trace " + file("a") + " --svg " + file("a.svg") +
		" --mermaid " + file("a.mmd") + " --log " + file("a.log") + " --links " + file("a.links")
	r := elect(t, "", strings.Fields(line)...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "leader    8, all agree")
	require.NoError(t, xml.Unmarshal([]byte(read("a.svg")), new(struct{ XMLName xml.Name })))
	require.True(t, strings.HasPrefix(read("a.mmd"), "sequenceDiagram\n"))

	only := elect(t, "", strings.Fields("sim hs -n 8 --seed 3 --schedule random --trace -")...)
	require.Zero(t, only.code)
	require.Equal(t, read("a"), only.stdout, "as it comes, or in the end")
	require.Equal(t, read("a.log"), elect(t, "", "trace", file("a")).stdout)
	require.Equal(t, read("a.log"), elect(t, read("a"), "trace", "-", "--log", "-").stdout)
	require.Equal(t, read("a.svg"), elect(t, read("a"), "trace", "-", "--svg", "-").stdout)
	require.Equal(t, read("a.mmd"), elect(t, "", "trace", file("a"), "--mermaid", "-").stdout)
	require.Equal(t, read("a.links"), elect(t, "", "trace", file("a"), "--links", "-").stdout)
	require.Contains(t, read("a.links"), "a circle, 8 links. ")
	r = elect(t, "", "trace", file("a"), "--chrome", "-", "--shiviz", file("a.shiviz"))
	require.True(t, json.Valid([]byte(r.stdout)) && strings.Contains(r.stdout, `"thread_name"`), r.stdout)
	require.True(t, strings.HasPrefix(read("a.shiviz"), "(?<host>"))

	same := elect(t, "", "trace", "replay", file("a"))
	require.Zero(t, same.code, same.stderr)
	require.Regexp(t, `^the replay does the same: \d+ events of 8 processes\n$`, same.stdout)
	require.Regexp(t, `^both are the same in causal order; times are not compared: \d+ events of 8 `+
		`processes\n$`, elect(t, read("a"), "trace", "diff", file("a"), "-").stdout)

	r = elect(t, "", strings.Fields("run bully -n 5 --unit 5ms --param delay=2 --trace "+file("b"))...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "leader    5")
	require.Zero(t, elect(t, "", "trace", "replay", file("b")).code)

	lines := strings.SplitAfter(read("a"), "\n")
	for i := range lines {
		if strings.Contains(lines[i], `"do":"decide"`) {
			lines[i] = strings.Replace(lines[i], `"leader":8`, `"leader":7`, 1)
			break
		}
	}
	require.NoError(t, os.WriteFile(file("c"), []byte(strings.Join(lines, "")), 0o666))
	r = elect(t, "", "trace", "replay", file("c"))
	require.Equal(t, exit.StatusFailed, r.code)
	require.Regexp(t, `^elect: .*: line \d+, event \d+ of process 8: \{.*"leader":7.*\}, where there `+
		`should be \{.*"leader":8.*\}\n$`, r.stderr)
	r = elect(t, "", "trace", "diff", file("a"), file("c"))
	require.Equal(t, exit.StatusFailed, r.code)
	require.Regexp(t, `^elect: event \d+ of process 8: .*/a, line \d+: \{.*"leader":8.*\}; .*/c, line \d+: `+
		`\{.*"leader":7.*\}\n$`, r.stderr,
		"the texts do not show the difference")
}

// TestTraceDiff: differences are shown as text, in the order of the files.
func TestTraceDiff(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	whole := elect(t, "", strings.Fields("sim lcr -n 3 --trace -")...).stdout
	require.NoError(t, os.WriteFile(a, []byte(whole), 0o666))
	for from, want := range map[string]string{
		`"seq":4,"at":0,"do":"send","peer":2,"port":0,"message":{"kind":"election","term":1,"id":1}`: "event 4 of process 1: " +
			a + ", line 7: sends election 1 to 2; " + b + ", line 7: sends election 3 to 2",
		`"do":"decide","role":"follower","term":1,"leader":3`: "event 9 of process 1: " +
			a + ", line 25: decides: 3 leads; " + b + ", line 25: decides: 2 leads",
	} {
		require.Contains(t, whole, from)
		to := strings.NewReplacer(`"id":1`, `"id":3`, `"leader":3`, `"leader":2`).Replace(from)
		require.NoError(t, os.WriteFile(b, []byte(strings.Replace(whole, from, to, 1)), 0o666))
		elect(t, "", "trace", "diff", a, b).requireLine(t, exit.StatusFailed, want)
	}
	all := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	short := strings.Join(all[:len(all)-1], "")
	r := elect(t, short, "trace", "diff", a, "-")
	r.requireLine(t, exit.StatusFailed, "event 10 of process 3: "+a+", line "+strconv.Itoa(len(all))+": "+
		"knows the end; -: nothing")
	r = elect(t, short, "trace", "diff", "-", a)
	r.requireLine(t, exit.StatusFailed, "event 10 of process 3: -: nothing; "+a+", "+
		"line "+strconv.Itoa(len(all))+": knows the end")
}

// TestTraceScenarios: scenarios with faults are recorded too, parameters and all, and replay.
func TestTraceScenarios(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t")
	for _, line := range []string{
		"sim bully -n 5 --crashed 5 --recover-at 5@15 --initiators 2",
		"sim bully -n 5 --schedule random --delay 0.5,3 --param alive_timeout=9 --param victory_timeout=12",
		"sim modbully -n 6 --crashed 6 --initiators 1,3 --param coordinator=6",
		"sim lcr -n 9 --loss 0.1 --duplicate 0.2 --seed 4 --until 9",
		"sim treeelect --topology tree:7 --restart-at 3@9 --crash-at 3@1",
		"sim echo -n 9 --topology random:12",
	} {
		elect(t, "", append(strings.Fields(line), "--trace", file)...)
		if _, err := os.Stat(file); err != nil {
			continue // this election cannot be run
		}
		r := elect(t, "", "trace", "replay", file)
		require.Zero(t, r.code, "%s: %s", line, r.stderr)
		require.NoError(t, os.Remove(file))
	}
}

// TestTraceMerge: the traces of single processes are one together.
func TestTraceMerge(t *testing.T) {
	whole := elect(t, "", strings.Fields("sim lcr -n 3 --trace -")...)
	require.Zero(t, whole.code, whole.stderr)
	dir := t.TempDir()
	files := make([]string, 3)
	for p := range files {
		files[p] = filepath.Join(dir, strconv.Itoa(p+1))
		var text strings.Builder
		for line := range strings.Lines(whole.stdout) {
			if strings.HasPrefix(line, `{"trace"`) || strings.HasPrefix(line,
				fmt.Sprintf(`{"process":%d,`, p+1)) {
				text.WriteString(regexp.MustCompile(`"from":\[\d+,\d+\],`).ReplaceAllString(line, ""))
			}
		}
		require.NoError(t, os.WriteFile(files[p], []byte(text.String()), 0o666))
	}
	merged := elect(t, "", append([]string{"trace", "merge"}, files...)...)
	require.Zero(t, merged.code, merged.stderr)
	require.Empty(t, merged.stderr)
	require.Zero(t, elect(t, merged.stdout, "trace", "replay", "-").code)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "whole"), []byte(whole.stdout), 0o666))
	require.Contains(t, elect(t, merged.stdout, "trace", "diff", "-", filepath.Join(dir, "whole")).stdout,
		"both are the same")
	svg := elect(t, "", append([]string{"trace", "merge", "--svg", "-"}, files...)...)
	require.Contains(t, svg.stdout, "<svg ")
	refused{
		"trace merge": "the files of the traces are missing: each " +
			"process has written one",
		"trace merge - -":              "-: line 1: the input is empty",
		"trace merge " + dir + "/none": dir + "/none: no such file or directory",
		"trace merge " + files[0] + " " + files[1]: files[0] +
			": line 6: process 1 receives election 3 from process 3, of which there is no trace",
		"trace merge " + files[0] + " " + files[0]: files[0] + " holds process 1, and so does " +
			files[0] + ": only what comes back has a further part",
		"trace merge --svg= " + files[0]:            "--svg: no file is given",
		"trace merge --trace - --log - " + files[0]: "--log: standard output is taken already",
		"trace merge --trace " + dir + "/none/x " + files[0]: "--trace " + dir +
			"/none/x: there is no such folder",
	}.test(t)
}

// TestFilesApart: no file is written that is read, nor written twice, however its name is spelt.
func TestFilesApart(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("sub", 0o777))
	require.NoError(t, os.WriteFile("s.json", []byte(`{"algorithm":"lcr","ids":[1,2]}`), 0o666))
	require.NoError(t, os.WriteFile("g.dot", []byte("graph { 1 -- 2 }"), 0o666))
	require.Zero(t, elect(t, "", "sim", "lcr", "-n", "3", "--trace", "t").code)
	require.NoError(t, os.Link("t", "hard"))
	require.NoError(t, os.Symlink(".", "soft"))
	before, err := os.ReadFile("t")
	require.NoError(t, err)
	refused{
		"trace t --svg t":                             "--svg: t is read already",
		"trace t --log sub/../t":                      "--log: sub/../t is read already",
		"trace t --log hard":                          "--log: hard is read already",
		"trace merge t --trace ./t":                   "--trace: ./t is read already",
		"sim lcr -n 3 --trace x --svg x":              "--svg: x is written by --trace already",
		"sim lcr -n 3 --trace x --log soft/x":         "--log: soft/x is written by --trace already",
		"sim lcr -n 3 --svg x --mermaid sub/../x":     "--mermaid: sub/../x is written by --svg already",
		"sim --scenario s.json --trace ./s.json":      "--trace: ./s.json is read already",
		"sim echo --topology dot:g.dot --log ./g.dot": "--log: ./g.dot is read already",
		"trace t --svg x --mermaid x":                 "--mermaid: x is written by --svg already",
	}.test(t)
	after, err := os.ReadFile("t")
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoFileExists(t, "x")
	require.Zero(t, elect(t, "", "trace", "t", "--svg", "x", "--log", "sub/x").code)
}

// TestBadTrace: whatever is asked for in vain gives one line and exit status 2.
func TestBadTrace(t *testing.T) {
	dir := t.TempDir()
	bad, good, other := filepath.Join(dir, "bad"), filepath.Join(dir, "good"), filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(bad, []byte("{}\n"), 0o666))
	scenario := filepath.Join(dir, "scenario")
	require.NoError(t, os.WriteFile(scenario, []byte(`{"algorithm": "lcr", "ids": [1, 2]}`), 0o666))
	const taken = ": it is a scenario, not a trace: elect sim --scenario, elect page --scenario and elect " +
		"check --replay take it"
	require.Zero(t, elect(t, "", "sim", "lcr", "-n", "13", "--trace", good).code)
	require.Zero(t, elect(t, "", "sim", "lcr", "-n", "3", "--trace", other).code)
	refused{
		"trace": "the file of a trace is missing: elect sim --trace " +
			"makes one",
		"trace diff " +
			good: "the file of the other trace is missing: elect sim --trace makes one",
		"trace replay": "the file of a trace is missing: elect sim --trace " +
			"makes one",
		"trace " + good + " x":                    `unexpected argument "x"`,
		"trace " + dir + "/none":                  dir + "/none: no such file or directory",
		"trace " + bad:                            bad + ": line 1: it is not the beginning of a trace",
		"trace replay " + bad:                     bad + ": line 1: it is not the beginning of a trace",
		"trace " + scenario:                       scenario + taken,
		"trace replay " + scenario:                scenario + taken,
		"page --trace " + scenario:                "--trace " + scenario + taken,
		"trace x --foo":                           `unknown flag: --foo`,
		"trace repaly x":                          `unknown command "repaly": did you mean replay?`,
		"trace repaly x --foo":                    `unknown command "repaly": did you mean replay?`,
		"trace /":                                 "/: it is a folder, not a file",
		"trace diff - -":                          "-: standard input can be read once only",
		"trace " + good + " --mermaid -":          "--mermaid: 13 processes, at most 12 are legible",
		"sim lcr -n 1025 --svg -":                 "--svg: 1025 processes, at most 1024 are legible",
		"sim lcr -n 1025 --links -":               "--links: 1025 processes, at most 1024 are legible",
		"trace " + good + " --svg=":               "--svg: no file is given",
		"sim lcr -n 13 --mermaid -":               "--mermaid: 13 processes, at most 12 are legible",
		"sim lcr -n 3 --svg - --log -":            "--log: standard output is taken already",
		"sim lcr -n 3 --log - --json":             "--json: standard output is taken by a file named -",
		"sim lcr -n 3 --trace " + dir + "/none/x": "--trace " + dir + "/none/x: there is no such folder",
	}.test(t)
	r := elect(t, "", "sim", "lcr", "-n", "3", "--trace", dir)
	r.requireLine(t, exit.StatusUsage, "--trace "+dir+": it is a folder, not a file")
	r = elect(t, "", "trace", "diff", good, other)
	require.Equal(t, exit.StatusFailed, r.code)
	r.requireLine(t, exit.StatusFailed, good+" and "+other+" are of different elections: ids [1 2 3 4 5 6 "+
		"7 8 9 10 11 12 13] against ids [1 2 3]")
	many := `[{"algorithm":"lcr","ids":[1]},{"algorithm":"lcr","ids":[1]}]`
	r = elect(t, many, "sim", "--scenario", "-", "--log", "-")
	r.requireLine(t, exit.StatusUsage, "--scenario -: it holds 2 scenarios, one can be recorded")
	r = elect(t, "", strings.Fields("sim hs -n 12 --initiators all --start-times "+
		"0,9,18,27,36,45,54,63,72,81,90,99 --mermaid "+dir+"/p.mmd")...)
	require.Equal(t, exit.StatusUsage, r.code)
	require.Contains(t, r.stderr, "too large for a picture")
	require.Equal(t, 1, strings.Count(r.stderr, "\n"))
}

// TestTraceSelection: flags select lines of the log, and refuse what the trace does not have.
func TestTraceSelection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	require.Zero(t, elect(t, "", "sim", "hs", "-n", "8", "--trace", file).code)
	whole := elect(t, "", "trace", file).stdout
	r := elect(t, "", "trace", file, "--process", "3,5", "--kind", "probe", "--from", "1", "--until", "2")
	require.Zero(t, r.code, r.stderr)
	lines := strings.SplitAfter(r.stdout, "\n")
	require.Greater(t, len(lines), 5)
	for _, line := range lines {
		require.Contains(t, whole, line)
	}
	require.Regexp(t, `^hs/probe.*\n( +[12]  [35]\.\d+ .* probe .*\n)+$`,
		regexp.MustCompile(`  +`).ReplaceAllStringFunc(r.stdout,
			func(gap string) string { return gap[:min(len(gap), 2)] }))
	require.Equal(t, r.stdout, elect(t, "", "trace", file, "--process", "3,5", "--kind", "probe", "--from",
		"1",
		"--until", "2", "--log", "-").stdout)
	for flags, want := range map[string]string{
		"--process 9":          "--process: 9 is not a process of this run",
		"--process x":          `--process[0]: "x" is not a whole number`,
		"--kind won":           `--kind: the run has no messages "won", only probe, reply, elected`,
		"--from -1":            "--from: -1 is less than 0",
		"--from 3 --until 2":   "--until: 2 is before 3",
		"--kind probe --svg -": `if any flags in the group [kind svg] are set none of the others can be; [kind svg] were all set`,
	} {
		elect(t, "", append([]string{"trace", file}, strings.Fields(flags)...)...).requireLine(t,
			exit.StatusUsage, want)
	}
}

// TestTraceColours: with colors each kind of message has its own; the words stay the same.
func TestTraceColours(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bully.ndjson")
	require.Zero(t, elect(t, "", "sim", "bully", "-n", "4", "--crashed", "4", "--trace", file).code)
	plain := elect(t, "", "trace", file).stdout
	require.NotContains(t, plain, "\x1b")
	painted := elect(t, "", "--color", "always", "trace", file).stdout
	require.Equal(t, plain, regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(painted, ""))
	for kind, colour := range map[string]string{"election": "36", "alive": "33", "coordinator": "35"} {
		require.Contains(t, painted, "  sends \x1b["+colour+"m"+kind+"\x1b[0m ")
		require.Contains(t, painted, "  receives \x1b["+colour+"m"+kind+"\x1b[0m ")
		require.NotContains(t, painted, "sends "+kind)
	}

	require.Zero(t, elect(t, "", "sim", "ghs", "-n", "8", "--seed", "2", "--trace", file).code)
	colours := make(map[string]string) // of the kinds, of which ghs has eight
	painted = elect(t, "", "--color", "always", "trace", file).stdout
	kinds := regexp.MustCompile(`  receives \x1b\[([0-9]+)m([a-z]+)\x1b`)
	for _, found := range kinds.FindAllStringSubmatch(painted, -1) {
		colours[found[2]] = found[1]
	}
	require.GreaterOrEqual(t, len(colours), 6)
	require.Len(t, slices.Compact(slices.Sorted(maps.Values(colours))), len(colours))
}
