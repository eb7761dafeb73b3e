package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestBadParams(t *testing.T) {
	cases := refused{}
	for line, want := range map[string]string{
		"--param delay": `--param: "delay" is not a name and a value, as ` +
			`in alive_timeout=3`,
		"--param =3": `--param: "=3" is not a name and a value, as in ` +
			`alive_timeout=3`,
		"--param delay=":                  `--param delay: a value is missing`,
		"--param delay=1 --param delay=2": `--param: "delay" is given twice`,
		"--param delay=soon": `params.delay: "soon" is not a time: a plain ` +
			`number of units`,
		"--param delay=0":     `params.delay: zero leaves no time for a message`,
		"--param delay=-1":    `params.delay: -1 is not a time`,
		"--param delay=1e999": `params.delay: +Inf units is too long`,
		"--param alive_timeout=1.5": `params.alive_timeout: 1.5 delays is less ` +
			`than 2 delays, which an answer may take (2*delay + processing); unsafe=yes accepts it anyway`,
		"--param announce=some": `params.announce: "some" is not one of all, lower`,
		"--param alive=3": `params: "alive" is not a parameter; there are ` +
			`delay, processing, alive_timeout, coordinator_timeout, announce, heartbeat, patience, unsafe, order`,
		"--schedule random --delay 1,4 --param delay=2": `messages may take too long for the algorithm: ` +
			`bully/rules assumes at most 2 units, here up to 4 (a larger parameter delay allows for that, ` +
			`--force runs it anyway)`,
	} {
		cases["sim bully -n 3 "+line] = want
	}
	cases["sim modbully -n 3 --param wait=1:2,1:3"] = `--param wait[1]: 1 is given twice`
	cases["sim invitation -n 3 --param groups=1:2/3,1:2"] = `--param groups[1]: 1 is given twice`
	cases["sim invitation -n 3 --param groups=1:2/a"] = `--param groups[0][1]: "a" is not a whole number`
	cases["sim invitation -n 3 --param groups=a:2/3"] = `--param groups[0]: "a" is not a whole number`
	cases["sim invitation -n 3 --param groups=1:2/4"] = `params.groups: 4 is not a process`
	cases["sim invitation -n 3 --param groups=1:2,2:3"] = `params.groups: 2 is twice in them`
	cases["sim modbully -n 3 --param wait=1:x"] = `--param wait[0]: "x" is not a number`
	cases["sim modbully -n 3 --param wait=x:1"] = `--param wait[0]: "x" is not a whole number`
	cases["sim modbully -n 3 --param wait=4:1"] = `params.wait: 4 is not a process`
	cases["sim modbully -n 3 --param pending=3"] = `params.pending: 3 is not a table of times by process, as ` +
		`1:3,2:3, or {"1": 3, "2": 3} in a file`
	cases["sim invitation -n 3 --param groups=1"] = `params.groups: 1 is not a table of lists of processes by ` +
		`process, as 5:1/3,4:2, or {"5": [1, 3], "4": [2]} in a file`
	cases["sim modbully -n 3 --param coordinator=4"] = `params.coordinator: 4 is not a process`
	cases["sim lcr -n 3 --param delay=2"] = `params: "delay" is not a parameter; there is only order`
	cases["run lcr -n 3 --param delay=2"] = `params: "delay" is not a parameter; there is only order`
	cases.test(t)
}

// TestParams: a parameter on the command line does what it does in a file, and time-outs fit the
// delays by themselves.
func TestParams(t *testing.T) {
	file := `{"algorithm": "bully", "ids": [1, 2, 3], "initiators": [1], "crashed": [3], "params": ` +
		`{"announce": "lower", "alive_timeout": 2}}`
	one := elect(t, file, "sim", "--scenario", "-", "--json")
	two := elect(t, "", "sim", "bully", "-n", "3", "--initiators", "1", "--crashed", "3", "--param",
		"announce=lower", "--param", "alive_timeout=2", "--json")
	require.Zero(t, one.code, one.stderr)
	require.Equal(t, measured.ReplaceAllString(one.stdout, ""), measured.ReplaceAllString(two.stdout, ""))
	slow := elect(t, "", "sim", "bully", "-n", "5", "--schedule", "random", "--delay", "3,9", "--json")
	require.Zero(t, slow.code, slow.stderr)
	allDown := elect(t, "", "sim", "bully", "-n", "3", "--crashed", "1,2,3")
	require.Equal(t, 1, allDown.code)
	require.Equal(t, "elect: no leader that all agree on: no process is up\n", allDown.stderr)
}

// TestTables: the forms of tables that errors and help show are accepted, on a command line and in a file.
func TestTables(t *testing.T) {
	for algorithm, forms := range map[string][2]string{
		"modbully":   {"pending=1:3,2:3", `{"pending": {"1": 3, "2": 3}}`},
		"invitation": {"groups=5:1/3,4:2", `{"groups": {"5": [1, 3], "4": [2]}}`},
	} {
		typed := elect(t, "", "sim", algorithm, "-n", "5", "--json", "--param", forms[0])
		require.Zero(t, typed.code, typed.stderr)
		file := `{"algorithm": "` + algorithm + `", "ids": [1, 2, 3, 4, 5], "params": ` + forms[1] + `}`
		read := elect(t, file, "sim", "--scenario", "-", "--json")
		require.Zero(t, read.code, read.stderr)
		require.Equal(t, measured.ReplaceAllString(read.stdout, ""),
			measured.ReplaceAllString(typed.stdout, ""))
		require.Contains(t, elect(t, "", "list", "--help").stdout, "--param "+forms[0])
	}
}

// TestUntil: heartbeats never end, so the user must set an end.
func TestUntil(t *testing.T) {
	refused{
		"sim bully -n 3 --param heartbeat=2": `until: bully/rules never comes to rest with ` +
			`these parameters; set --until, or until in a scenario`,
		"run modbully -n 3 --param heartbeat=2": `until: modbully/base never comes to rest ` +
			`with these parameters; set --until, or until in a scenario`,
		"sim bully -n 3 --param heartbeat=2 --until 0":      `--until: 0 is not above 0`,
		"sim bully -n 3 --param heartbeat=2 --until -1":     `--until: -1 is less than 0`,
		"sim bully -n 3 --param heartbeat=2 --until always": `--until: "always" is not a time`,
	}.test(t)
	r := elect(t, "", "sim", "bully", "-n", "5", "--crash-at", "5@3", "--param", "heartbeat=2", "--until",
		"50", "--json")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"leader":4,"leaders":1,"agreed":true`)
	r = elect(t, "", "run", "bully", "-n", "3", "--param", "heartbeat=2", "--until", "10", "--unit", "5ms")
	require.Zero(t, r.code, r.stderr)
	file := `{"algorithm": "bully", "ids": [1, 2], "params": {"heartbeat": 2}, "until": 9}`
	r = elect(t, file, "sim", "--scenario", "-", "--json")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"heartbeat":`)
}

// TestElectionOfTheArbiter: the user chooses the algorithm that elects the arbiter, even one for rings.
func TestElectionOfTheArbiter(t *testing.T) {
	r := elect(t, "", "sim", "mutex", "--variant", "arbiter", "-n", "6", "--initiators", "2,5", "--param",
		"election=lcr", "--json")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout,
		`"by_kind":{"election":10,"elected":6,"request":2,"grant":2,"release":2,"claim":5}`)
	r = elect(t, "", "sim", "mutex/tokenring", "-n", "4", "--param", "bridge=yes", "--param", "regenerate=9",
		"--until", "60", "--json")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"entry_order":[1,2,3,4]`)
	refused{
		"sim mutex -n 3 --param election=mesh": `params.election: "mesh" is not one of ` +
			strings.Join(electable(), ", "),
		"sim mutex -n 3 --param election=lcr --param alive_timeout=3": `params: "alive_timeout" is not a ` +
			`parameter; there are ` +
			`critical_section, election, arbiter, lease, grace, delay, order`,
	}.test(t)
}

// electable returns the algorithms that can elect an arbiter. It excludes algorithms of a fixed size, and
// algorithms with leases, groups or rounds.
func electable() (names []string) {
	for _, a := range catalog.All() {
		if a.Elects > election.Successors || a.Synchronous || a.Sections > 0 ||
			a.Topology == election.Hypercube || a.Topology == election.Mesh {
			continue
		}
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
		if a.Variant != "" {
			names = append(names, a.Title())
		}
	}
	return names
}

// TestOrderOfRanks: the smallest Rank wins if the parameter order says so, from flags and from files, also in
// the election of an arbiter. Unknown orders are errors.
func TestOrderOfRanks(t *testing.T) {
	for line, want := range map[string]string{
		"sim lcr --ids 3,1,2 --param order=smallest":                       `"leader":1,`,
		"sim lcr --ids 3,1,2 --param order=largest":                        `"leader":3,`,
		"sim bully --ids 3,1,2 --crashed 1 --param order=smallest":         `"leader":2,`,
		"sim mutex --ids 3,1,2 --param order=smallest":                     `"leader":1,`,
		"sim mutex --ids 3,1,2 --param election=hs --param order=smallest": `"leader":1,`,
		"run hs --ids 3,1,2 --param order=smallest":                        `"leader":1,`,
	} {
		r := elect(t, "", append(strings.Fields(line), "--json")...)
		require.Zero(t, r.code, "%s: %s", line, r.stderr)
		require.Contains(t, r.stdout, want, line)
	}
	file := `{"algorithm": "dkr", "ids": [4, 2, 5], "params": {"order": "smallest"}, "expect": {"leader": 2}}`
	require.Zero(t, elect(t, file, "sim", "--scenario", "-").code)
	checked := elect(t, "", strings.Fields("check franklin -n 3 --param order=smallest")...)
	require.Zero(t, checked.code, checked.stderr)
	refused := elect(t, "", strings.Fields("sim lcr -n 3 --param order=least")...)
	require.Equal(t, exit.StatusUsage, refused.code)
	require.Contains(t, refused.stderr, `params.order: "least" is not one of largest, smallest`)
}

// TestGroups: two groups are not a failure, and both forms of output mention them. A process that follows a
// leader that is down is a failure.
func TestGroups(t *testing.T) {
	args := []string{"sim", "invitation", "-n", "5", "--initiators", "none", "--param", "groups=5:1/3,4:2"}
	text := elect(t, "", args...)
	require.Zero(t, text.code, text.stderr)
	require.Contains(t, text.stdout, "leader    2 leaders, each of a group in which all agree")
	json := elect(t, "", append(args, "--json")...)
	require.Zero(t, json.code)
	require.Contains(t, json.stdout, `"leader":null,"leaders":2,"agreed":false,"grouped":true,`)

	left := elect(t, "", append(args, "--crash-at", "5@1")...)
	require.Equal(t, 1, left.code)
	require.Contains(t, left.stderr, "not every process leads a group or follows its leader")
}
