package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestFaults(t *testing.T) {
	for line, want := range map[string][]string{
		"--ids 1,2,3 --crashed 3":          {`"messages":2,`, `"time":1,`},
		"--ids 1,2,3 --crash-at 3@0,1@7.5": {`"messages":2,`, `"time":1,`},
		"--ids 3,1,4,8,5,2 --loss 1": {`"messages":6,`, `"lost":6,"duplicated":0,`,
			`"time":0,`},
		"--ids 1 --duplicate 1": {`"leader":1,`, `"lost":0,"duplicated":2,`,
			`"time":3,`},
		"--ids 1,2,3 --partition 1,2|3": {`"messages":3,`, `"lost":2,"duplicated":0,`,
			`"time":1,`},
		"--ids 1,2,3 --partition 3>1,2@0-1 --partition 2>3@0": {`"lost":2,"duplicated":0,`},
		"--ids 1,2,3 --partition 2>1@1e-3-2.5e-3": {`"leader":3,`, `"messages":8,`,
			`"lost":0,"duplicated":0,`},
		"--ids 1,2,3 --reorder 1": {`"leader":3,`, `"messages":8,`,
			`"lost":0,"duplicated":0,"reordered":8,`, `"time":12,`},
		"--ids 1,2,3 --pause-at 2@0.5-8":                   {`"leader":3,`, `"messages":8,`, `"time":12,`},
		"--ids 1,2,3 --crash-at 3@0 --recover-at 3@0.5":    {`"leader":3,`, `"messages":8,`, `"time":7,`},
		"--ids 1,2,3 --crash-at 3@0.5 --restart-at 3@0.75": {`"messages":5,`, `"time":3,`},
	} {
		r := elect(t, "", append(strings.Fields("sim lcr --json "+line), "--seed", "3")...)
		require.NotEqual(t, exit.StatusUsage, r.code, "%s: %s", line, r.stderr)
		for _, part := range want {
			require.Contains(t, r.stdout, part, line)
		}
	}
}

func TestFieldsWithoutFaults(t *testing.T) {
	for _, line := range []string{"", " --crashed 1", " --pause-at 1@2-3", " --loss 0"} {
		r := elect(t, "", strings.Fields("sim lcr -n 3 --json"+line)...)
		require.Contains(t, r.stdout, `"messages"`, line)
		require.NotContains(t, r.stdout, "lost", line)
		require.NotContains(t, r.stdout, "duplicated", line)
	}
	r := elect(t, "", strings.Fields("sim lcr -n 1 --duplicate 1")...)
	require.Contains(t, r.stdout, "\n  links     0 lost, 2 duplicated\n")
	reordered := elect(t, "", strings.Fields("sim lcr -n 3 --reorder 1 --seed 3")...)
	require.Contains(t, reordered.stdout, "\n  links     0 lost, 0 duplicated, 8 reordered\n")
	require.NotContains(t, r.stdout, "worst", "bounds hold where nothing goes wrong")
	require.NotContains(t, elect(t, "", strings.Fields("sim lcr -n 1")...).stdout, "lost")
}

func TestCrashedGoroutines(t *testing.T) {
	r := elect(t, "", strings.Fields("run lcr --ids 1,2,3 --crashed 3 --json")...)
	r.requireLine(t, exit.StatusFailed, "no leader that all agree on: no process believes it leads")
	require.Contains(t, r.stdout, `"messages":2,`)
}

func TestBadFaults(t *testing.T) {
	cases := refused{}
	for line, want := range map[string]string{
		"--crashed 4":                   `crashed[0]: 4 is not a process`,
		"--crashed=":                    `--crashed: the list is empty`,
		"--crashed 1,x":                 `--crashed[1]: "x" is not a whole number`,
		"--crash-at 3":                  `--crash-at[0]: "3" is not a process and a time, as in 4@3.5`,
		"--crash-at 1@2,3@x":            `--crash-at[1]: "x" is not a time`,
		"--crash-at x@2":                `--crash-at[0]: "x" is not a whole number`,
		"--crash-at 4@2":                `crash_at[0]: 4 is not a process`,
		"--recover-at 1@-2":             `--recover-at[0]: -2 is less than 0`,
		"--restart-at 1@":               `--restart-at[0]: "" is not a time`,
		"--restart-at 9@1":              `restart_at[0]: 9 is not a process`,
		"--pause-at 3@2":                `--pause-at[0]: "3@2" is not a process and two times, as in 3@2-6`,
		"--pause-at 3":                  `--pause-at[0]: "3" is not a process and two times, as in 3@2-6`,
		"--pause-at 3@6-2":              `--pause-at[0]: 2 is not after 6`,
		"--pause-at 3@2-x":              `--pause-at[0]: "x" is not a time`,
		"--pause-at 4@1-2":              `pause_at[0]: 4 is not a process`,
		"--restart-at 1@2":              `restart_at[0]: 1 is not down at 2`,
		"--crash-at 1@2,1@3":            `crash_at[1]: 1 is already down at 3`,
		"--suspect-after -1":            `--suspect-after: -1 is less than 0`,
		"--suspect-after 0":             `--suspect-after: 0 is not above 0`,
		"--suspect-after soon":          `--suspect-after: "soon" is not a time`,
		"--loss 1.5":                    `--loss: "1.5" is not a probability, from 0 to 1`,
		"--loss=":                       `--loss: "" is not a probability, from 0 to 1`,
		"--duplicate -0.1":              `--duplicate: "-0.1" is not a probability, from 0 to 1`,
		"--duplicate 1e999":             `--duplicate: "1e999" is not a probability, from 0 to 1`,
		"--reorder NaN":                 `--reorder: "NaN" is not a probability, from 0 to 1`,
		"--partition=":                  `--partition: the list is empty`,
		"--partition 1|":                `--partition: the list is empty`,
		"--partition 1|x@3":             `--partition[0]: "x" is not a whole number`,
		"--partition 1|2>3":             `--partition: "1|2>3" cuts links one way and both`,
		"--partition 1|2@3-3":           `--partition: 3 is not after 3`,
		"--partition 1|2@":              `--partition: "" is not a time`,
		"--partition 1|2@1-":            `--partition: "" is not a time`,
		"--partition 1|2@-1":            `--partition: -1 is less than 0`,
		"--partition 1|2,1":             `partitions[0].groups[1][1]: 1 is already in groups[0]`,
		"--partition 1 --partition 1|7": `partitions[1].groups[1][0]: 7 is not a process`,
	} {
		cases["sim lcr -n 3 "+line] = want
	}
	cases["sim dkr -n 3 --reorder 0.1"] = `the algorithm needs links that keep messages in order: dkr (--force ` +
		`runs it anyway)`
	cases["sim bully -n 3 --reorder 0.1"] = `messages may take too long for the algorithm: bully/rules ` +
		`assumes at most 1 units, here up to 2 (a larger parameter delay allows for that, --force runs it ` +
		`anyway)`
	cases["run lcr -n 3 --loss 0.1"] = `unknown flag: --loss`
	cases["run lcr -n 3 --crash-at 4@1"] = `crash_at[0]: 4 is not a process`
	cases["run lcr -n 3 --partition 1"] = `unknown flag: --partition`
	cases["run lcr -n 3 --crashed 4"] = `crashed[0]: 4 is not a process`
	cases.test(t)
}

const lossy = `{"algorithm": "lcr", "ids": [3, 1, 2], "loss": 0.5, "seed": 1, "expect": {"messages": 99}}`

// TestScenarioWithFaults: flags and files give the same run, and what is expected of one draw is
// not expected of another.
func TestScenarioWithFaults(t *testing.T) {
	file := `{"algorithm": "lcr", "ids": [1, 2, 3], "crash_at": [[3, 4]], "restart_at": [[3, 5]], "pause_at": [[2, 1, 6]],
		"duplicate": 0.25, "partitions": [{"from": 1, "until": 9, "groups": [[1, 2], [3]],
		"one_way": true}], "seed": 2}`
	line := "sim lcr --ids 1,2,3 --crash-at 3@4 --restart-at 3@5 --pause-at 2@1-6 --duplicate 0.25 " +
		"--partition 1,2>3@1-9 --seed 2 --json"
	fromFile := elect(t, file, "sim", "--scenario", "-", "--json")
	fromFlags := elect(t, "", strings.Fields(line)...)
	require.Equal(t, measured.ReplaceAllString(fromFlags.stdout, ""),
		measured.ReplaceAllString(fromFile.stdout, ""))
	require.Contains(t, fromFile.stdout, `"lost":`)

	elect(t, lossy, "sim", "--scenario", "-").requireLine(t, exit.StatusFailed,
		"--scenario -: not what was expected: messages: 3, not 99")
	other := elect(t, lossy, strings.Fields("sim --scenario - --seed 7")...)
	require.NotContains(t, other.stderr, "messages", "another draw")
	elect(t, lossy, "run", "--scenario", "-").requireLine(t, exit.StatusUsage,
		"--scenario -: loss: 0.5 needs the simulator's links; here they lose and change nothing")
	elect(t, lossy, strings.Fields("sim --scenario - --loss 0")...).requireLine(t, exit.StatusUsage,
		`if any flags in the group [scenario loss] are set none of the others can be; [loss scenario] were all set`)
}
