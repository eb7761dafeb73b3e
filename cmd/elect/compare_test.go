package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/topology"
)

// dotFile writes a DOT file of four processes.
func dotFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "g.dot")
	require.NoError(t, os.WriteFile(file, []byte("graph { 10 -- 20; 20 -- 7; 7 -- 10; 7 -- 30 }\n"), 0o666))
	return file
}

// TestCompareFile: the processes of a file keep their places, as in elect sim.
func TestCompareFile(t *testing.T) {
	links := " echo/extinction --topology dot:" + dotFile(t)
	r := elect(t, "", strings.Fields("compare treeelect/graph"+links)...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "20 elections of each, each process where the file has it, all start, or the one\nthat may, links ")
	require.Regexp(t, `(?m)^echo/extinction +4 +24 +24 +24 `, r.stdout)
	require.Contains(t, elect(t, "", strings.Fields("sim"+links)...).stdout, "messages  24 =")
	r = elect(t, "", strings.Fields("compare --json --initiators n-1,7"+links)...)
	require.True(t, strings.HasPrefix(r.stdout, `{"order":"file",`), r.stdout)
	require.Contains(t, r.stdout, `"messages":{"mean":15,"min":15,"max":15}`)
	require.Contains(t, elect(t, "", strings.Fields("sim --initiators 20,7"+links)...).stdout,
		"messages  15 =")
}

// TestFigureToStandardOutput: a file named - is standard output, which then holds nothing else.
func TestFigureToStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"compare lcr hs -n 4,8", "experiment redundancy -n 5"} {
		r := elect(t, "", strings.Fields(line+" --svg -")...)
		require.Zero(t, r.code, r.stderr)
		require.NoError(t, xml.Unmarshal([]byte(r.stdout), new(struct{ XMLName xml.Name })))
		require.NoFileExists(t, "-")
		require.Zero(t, elect(t, "", strings.Fields(line+" --svg figure.svg")...).code)
		there, err := os.ReadFile("figure.svg")
		require.NoError(t, err)
		require.Equal(t, string(there), r.stdout)
	}
}

func TestBadCompare(t *testing.T) {
	refused{
		"compare": `which algorithms? There are ` +
			strings.Join(catalog.Names(), ", "),
		"compare lrc -n 8":                             `unknown algorithm "lrc": did you mean lcr?`,
		"compare LCR -n 8":                             `unknown algorithm "LCR": did you mean lcr?`,
		"compare lcr hs/x -n 8":                        `unknown variant "x": hs has probe, respond`,
		"compare lcr/ -n 8":                            `"lcr/": a variant is missing after the slash`,
		"compare lcr hs lcr/participant -n 8":          `lcr/participant is there twice`,
		"compare lcr -n 8, 16":                         `-n[1]: "" is not a whole number`,
		"compare lcr":                                  `the number of processes is missing: set -n`,
		"compare lcr --n=":                             `-n: the list is empty`,
		"compare lcr -n 8,,9":                          `-n[1]: "" is not a whole number`,
		"compare lcr -n 0":                             `-n[0]: 0 is not between 1 and 33554432`,
		"compare lcr -n 8,-3":                          `-n[1]: -3 is not between 1 and 33554432`,
		"compare lcr -n 8,x":                           `-n[1]: "x" is not a whole number`,
		"compare lcr -n 10-5":                          `-n[0]: "10-5" is not a whole number; a range is 5..10`,
		"compare lcr -n 5-10":                          `-n[0]: "5-10" is not a whole number; a range is 5..10`,
		"compare lcr -n 1e9":                           `-n[0]: 1e9 is not between 1 and 33554432`,
		"compare lcr -n 8,9,8":                         `-n[2]: 8 is there twice`,
		"compare lcr -n 8..16,12":                      `-n[1]: 12 is there twice`,
		"compare lcr -n 9..8":                          `-n[0]: 9..8 is an empty range`,
		"compare lcr -n 1..x":                          `-n[0]: "x" is not a whole number`,
		"compare lcr -n 1..20000":                      `-n[0]: 1..20000 are more than 10000 sizes`,
		"compare lcr -n 8 --seeds 0":                   `--seeds: 0 is not between 1 and 1000000`,
		"compare lcr -n 8 --seeds many":                `--seeds: "many" is not a whole number`,
		"compare lcr -n 1..5000 --seeds 1e6":           `1 algorithms, 5000 sizes and 1000000 seeds make 5000000000 elections, at most 10000000 can be`,
		"compare lcr -n 8 --seed -1":                   `invalid argument "-1" for "--seed" flag: strconv.ParseUint: parsing "-1": invalid syntax`,
		"compare lcr -n 8 --order wors":                `--order: "wors" is not one of sorted, random, best, worst: did you mean worst?`,
		"compare lcr -n 8 --delays x":                  `--delays: "x" is not one of unit, random`,
		"compare lcr -n 8 --metric tme":                `--metric: "tme" is not one of messages, time, bits, best, mean, worst: did you mean time?`,
		"compare hs -n 8,11 --order worst":             `hs/probe, 11 processes: order: none is known that is the worst case`,
		"compare lcr -n 8 --order best --initiators 1": `lcr/participant, 8 processes: order: it is the best case only if all processes start simultaneously`,
		"compare lcr hypercube -n 8,9":                 `hypercube, 9 processes: topology: hypercube needs a hypercube, whose processes are a power of two up to 2^25, not 9`,
		"compare lcr -n 8 --seed 18446744073709551615": `--seed: 18446744073709551615 leaves no room for 20 seeds, at most 18446744073709551596 does`,
		"compare mesh -n 8":                            `mesh, 8 processes: topology: mesh needs a mesh, and 8 processes do not form a mesh of at least 3 x 3`,
		"compare lcr echo -n 8 --topology tree":        `lcr/participant, 8 processes: topology: lcr/participant needs a ring, not a tree`,
		"compare echo -n 8 --topology grid:3x3":        `echo/implicit, 8 processes: --topology "grid:3x3": 9 processes, not 8`,
		"compare echo -n 8 --topology gird": `--topology: "gird" is not one of ` +
			strings.Join(topology.Kinds(), ", ") + `: did you mean grid?`,
	}.test(t)
}

// TestBadPlaces: places, parameters and outputs that cannot be.
func TestBadPlaces(t *testing.T) {
	dir, dot := t.TempDir(), dotFile(t)
	none := dir + "/none/x.svg"
	refused{
		"compare lcr -n 8 --initiators 9":                    `lcr/participant, 8 processes: --initiators[0]: 9 is not a process`,
		"compare lcr -n 8,4 --initiators 1,n-5":              `lcr/participant, 4 processes: --initiators[1]: -1 is not a process`,
		"compare lcr -n 8 --initiators m-1":                  `--initiators[0]: "m-1" is not a whole number`,
		"compare lcr -n 8 --initiators n+1":                  `--initiators[0]: "n+1" is neither an id nor n-1`,
		"compare lcr -n 8 --initiators 99999999999":          `--initiators[0]: 99999999999 is above every n`,
		"compare lcr -n 8 --initiators n,8":                  `lcr/participant, 8 processes: initiators[1]: 8 is listed twice`,
		"compare echo lcr -n 8 --initiators 1,2":             `echo/implicit, 8 processes: initiators: echo/implicit allows one, not 2; by default the root of a tree starts, starts, or else the first process`,
		"compare lcr -n 8 --crashed=":                        `--crashed: the list is empty`,
		"compare lcr -n 8 --param delay=2":                   `--param: none of the algorithms has a parameter "delay"`,
		"compare bully -n 8 --param delay":                   `--param: "delay" is not a name and a value, as in alive_timeout=3`,
		"compare bully -n 8 --param delay=1 --param delay=2": `--param: "delay" is given twice`,
		"compare bully lcr -n 8 --param heartbeat=2":         `bully/rules, 8 processes: with heartbeats it never comes to rest, so that there is no whole election to count`,
		"compare mutex -n 8":                                 `mutex/arbiter guards critical sections: what it takes is counted by the entry, not by the election`,
		"compare lcr mutex/tokenring -n 8":                   `mutex/tokenring guards critical sections: what it takes is counted by the entry, not by the election`,
		"compare lcr -n 8 --csv --json":                      `if any flags in the group [csv json markdown] are set none of the others can be; [csv json] were all set`,
		"compare lcr -n 8 --csv " +
			"--least": `if any flags in the group [least csv] are set none of the others can be; [csv least] were all set`,
		"compare lcr -n 8 --svg - --csv":                         `--csv: standard output is taken by a file named -`,
		"compare lcr -n 8 --svg - --least":                       `--least: standard output is taken by a file named -`,
		"compare echo --topology dot:" + dot + " -n 4":           `--topology "dot:` + dot + `": the file gives the processes and their places; -n and --order cannot`,
		"compare echo --topology dot:" + dot + " --order sorted": `--topology "dot:` + dot + `": the file gives the processes and their places; -n and --order cannot`,
		"compare lcr -n 8 --svg=": `--svg: ` +
			`no file is given`,
		"compare lcr -n 8 --metric mean --svg x.svg": `--svg: the closed forms are in the figure of messages`,
		"compare lcr -n 8 --svg " + none: "--svg " +
			none + ": there is no such folder",
		"compare lcr lcr/max lcr/wave lcr/initiators hs hs/respond franklin dkr -n 8 --svg x.svg": `--svg: 8 algorithms, at most 7 are legible`,
	}.test(t)
	elect(t, "", "compare", "lcr", "-n", "8", "--svg", dir).
		requireLine(t, exit.StatusUsage, "--svg "+dir+": it is a folder, not a file")
	elect(t, "", strings.Fields("compare bully/halting -n 5 --crashed n --initiators 1")...).
		requireLine(t, exit.StatusFailed, "bully/halting, 5 processes, seed 0: no leader that all agree on: no process believes it leads")
}

func TestCompareText(t *testing.T) {
	line := strings.Fields("compare lcr hs/respond franklin -n 16,8 --seeds 5 --seed 3")
	r := elect(t, "", line...)
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, r.stdout, elect(t, "", line...).stdout)
	for row := range strings.Lines(r.stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(row), 81, row)
	}
	for _, want := range []string{
		"^Elections among 8 to 16 processes\n5 elections of each, in random order, all start, seeds 3 to 7\n\n" +
			"ALGORITHM +N  MESSAGES  FEWEST  MOST  BEST +MEAN  WORST +TIME +BITS\n",
		`(?m)^lcr/participant +8 +[\d.]+ +\d+ +\d+ +23 +29.7 +44 +16 +[\d.]+$`,
		`(?m)^hs/respond +8 +[\d.]+ +\d+ +\d+ +80 +[\d.]+ +≤ \d+ `,
		`(?m)^franklin +16 .* 80 +- +176 `,
		"Which takes the fewest messages on average\n  8 to 16  lcr/participant\n$",
	} {
		require.Regexp(t, want, r.stdout)
	}
	for line := range strings.Lines(r.stdout) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 121, line)
	}
	r = elect(t, "", strings.Fields("compare bully modbully/number -n 5 --seeds 1 --crashed n --initiators 1,n-1 --param coordinator=n")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "Elections among 5 processes\none election of each, in random order, n down, 1, n-1 start, coordinator = n,\nseed 0\n")
	require.NotContains(t, r.stdout, "CASE")
	r = elect(t, "", strings.Fields("compare echo treeelect/graph --topology grid:3x4 --delays random")...)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "Elections among 12 processes\n20 elections of each, in random order, all start, or the one that may, links\ngrid:3x4, random delays, seeds 0 to 19\n")
}

// compared is what JSON holds of a comparison.
type compared struct {
	Cells []struct{ Messages, Time, Bits experiment.Spread }
}

// TestCompareTrial: every trial is what elect sim shows for its seed.
func TestCompareTrial(t *testing.T) {
	for _, name := range []string{"lcr/max", "hs", "franklin", "dkr", "bully", "bully/halting", "modbully",
		"inquiry", "treeelect/saturation", "echo", "echo/extinction", "hypercube", "mesh"} {
		for _, delays := range []string{"unit", "random"} {
			line := " -n 16 --order random --json --seed 5"
			var o compared
			require.NoError(t, json.Unmarshal([]byte(elect(t, "", strings.Fields("compare "+name+line+" "+
				"--seeds 1 --delays "+delays)...).stdout), &o))
			var one struct {
				Messages, Bits uint64
				Time           float64
			}
			require.NoError(t, json.Unmarshal([]byte(elect(t, "", strings.Fields("sim "+name+line+" "+
				"--schedule "+delays)...).stdout), &one))
			require.NotZero(t, one.Messages)
			want := []experiment.Spread{thrice(float64(one.Messages)), thrice(one.Time),
				thrice(float64(one.Bits))}
			require.Equal(t, want, []experiment.Spread{o.Cells[0].Messages, o.Cells[0].Time, o.Cells[0].Bits},
				name+line)
		}
	}
}

func thrice(x float64) experiment.Spread { return experiment.Spread{Mean: x, Min: x, Max: x} }

func TestCompareJSON(t *testing.T) {
	line := strings.Fields("compare lcr franklin -n 8,16 --seeds 4 --seed 18446744073709551610 --json")
	r := elect(t, "", line...)
	require.Zero(t, r.code, r.stderr)
	require.Equal(t, 1, strings.Count(r.stdout, "\n"))
	require.Equal(t, r.stdout, elect(t, "", line...).stdout)
	require.True(t, strings.HasPrefix(r.stdout, `{"order":"random","schedule":"unit","seeds":4,"seed":"18446744073709551610","cells":[`+
		`{"algorithm":"lcr","variant":"participant","links":"one-way ring","n":8,"messages":{"mean":`), r.stdout[:300])
	require.Contains(t, r.stdout, `"best":40,"mean":null,"worst":72}`)
	require.Contains(t, r.stdout, `{"metric":"bits","first":8,"last":16,"algorithms":["lcr/participant"]}]}`)
	var o compared
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &o))
	require.Len(t, o.Cells, 4)
	for _, c := range o.Cells {
		for _, s := range []experiment.Spread{c.Messages, c.Time, c.Bits} {
			require.True(t, 0 < s.Min && s.Min <= s.Mean && s.Mean <= s.Max)
		}
	}
}

func TestCompareCSV(t *testing.T) {
	r := elect(t, "", strings.Fields("compare lcr echo franklin -n 8,16 --seeds 3 --csv")...)
	require.Zero(t, r.code, r.stderr)
	lines, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 7)
	require.Equal(t, strings.Fields("algorithm variant links n seeds messages_mean messages_min messages_max time_mean time_min time_max bits_mean bits_min bits_max best mean worst"), lines[0])
	require.Equal(t, []string{"echo", "implicit", "circulant graph of steps [1 2]", "8", "3"}, lines[2][:5])
	require.Equal(t, []string{"40", "", "72"}, lines[3][14:])
	for _, line := range lines[1:] {
		for _, x := range line[5:14] {
			_, err := strconv.ParseFloat(x, 64)
			require.NoError(t, err)
		}
	}
}

func TestCompareMarkdown(t *testing.T) {
	table := func(line string) string {
		r := elect(t, "", strings.Fields("compare "+line+" --markdown")...)
		require.Zero(t, r.code, r.stderr)
		return r.stdout
	}
	hs, err := catalog.Find("hs", "")
	require.NoError(t, err)
	require.Equal(t, "| n | `lcr/participant` | `hs/probe` | `dkr` |\n|--:|--:|--:|--:|\n| 8 | 44 | ≤ 112 | 64 |\n| 1,000 | 501,500 | ≤ "+prose.Approximate(hs.Worst.Count(1000))+" | 20,000 |\n",
		table("lcr hs dkr -n 8,1000 --metric worst"))
	require.Equal(t, "| n | `lcr/participant` | `dkr` |\n|--:|--:|--:|\n| 8 | 29.7 | - |\n", table("lcr dkr -n 8 --metric mean"))
	require.Equal(t, "| n | fewest messages in the mean |\n|---|---|\n| 8 to 9 | - |\n", table("franklin dkr -n 8,9 --metric mean --least"))
	require.Regexp(t, `^\| n \| .hs/probe. \|\n\|--:\|--:\|\n\| 8 \| [\d.]+ \(\d+ to \d+\) \|\n$`, table("hs -n 8"))
	require.Equal(t, "| n | shortest time |\n|---|---|\n| 8 | echo/extinction |\n", table("lcr echo/extinction -n 8 --topology ring --metric time --least"))
}

func TestCompareInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	svg := filepath.Join(t.TempDir(), "figure.svg")
	var stdout, stderr strings.Builder
	require.Equal(t, exit.StatusInterrupted, run(ctx, strings.Fields("compare lcr -n 1e6 --svg "+svg),
		strings.NewReader(""), &stdout, &stderr))
	require.Equal(t, "elect: interrupted\n", stderr.String())
	require.Empty(t, stdout.String())
	require.NoFileExists(t, svg)
}

func TestCompareCompletion(t *testing.T) {
	require.Contains(t, elect(t, "", "__complete", "compare", "lcr", "fra").stdout, "franklin\n")
	require.Contains(t, elect(t, "", "__complete", "compare", "lcr", "--metric", "").stdout, "messages\ntime\nbits\nbest\nmean\nworst\n:4\n")
}
