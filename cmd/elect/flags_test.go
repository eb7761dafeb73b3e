package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

// flagLines are arguments with each of the flags of a command, in the order of their rows in flags.txt,
// by the sections there.
var flagLines = map[string]string{
	"sim": `bully -n 4
bully --ids 3,1
bully -n 2 --priorities 5,0
lcr -n 3 --variant max
bully -n 3 --param delay=3
hs -n 4 --order worst
lcr -n 3 --seed 7
bully -n 3 --initiators 2
bully -n 2 --start-times 0,2
bully -n 3 --until 50
--scenario -
echo -n 4 --topology grid
lcr -n 3 --schedule random
lcr -n 3 --schedule random --delay 0.5,2
lcr -n 3 --schedule random --fifo=false
dkr -n 3 --force
bully -n 3 --crashed 3
bully -n 3 --crash-at 3@3.5
bully -n 3 --crash-at 3@3.5 --recover-at 3@9
bully -n 3 --crash-at 3@3.5 --restart-at 3@9
bully -n 3 --crash-at 3@3.5 --suspect-after 2
bully -n 3 --pause-at 3@2-6
lcr -n 3 --loss 0.1
lcr -n 3 --duplicate 0.1
lcr -n 3 --schedule random --reorder 0.1
bully -n 4 --partition 1,2|3,4@3-9
lcr -n 3 --json
`,
	"run": `bully -n 4 --unit 1ms
bully --ids 3,1 --unit 1ms
bully -n 2 --priorities 5,0 --unit 1ms
lcr -n 3 --variant max --unit 1ms
bully -n 3 --param delay=3 --unit 1ms
hs -n 4 --order worst --unit 1ms
lcr -n 3 --seed 7 --unit 1ms
bully -n 3 --initiators 2 --unit 1ms
bully -n 2 --start-times 0,2 --unit 1ms
bully -n 3 --until 50 --unit 1ms
--scenario - --unit 1ms
echo -n 4 --topology grid --unit 1ms
lcr -n 3 --unit 20ms
bully -n 3 --crashed 3 --unit 1ms
bully -n 3 --crash-at 3@3.5 --unit 1ms
bully -n 3 --crash-at 3@3.5 --recover-at 3@9 --unit 1ms
bully -n 3 --crash-at 3@3.5 --suspect-after 2 --unit 1ms
lcr -n 3 --json --unit 1ms
`,
	"check": `lcr -n 3
lcr --ids 3,1
lcr -n 2 --priorities 5,0
lcr -n 2 --variant max
bully -n 2 --param delay=3
lcr -n 3 --initiators 2
lcr -n 3 --order worst
lcr -n 3 --order random --seed 4
lcr -n 3 --started
lcr -n 3 --no-announcement
bully -n 2 --nudge
bully -n 2 --window 2
bully -n 2 --until 9
--scenario -
echo -n 4 --topology path
lcr -n 3 --network unordered
bully -n 2 --delay 2
bully -n 2 --tick 0.5
bully -n 2 --untimed
bully -n 3 --crashed 3
lcr -n 3 --losses 1
lcr -n 3 --duplicates 1
bully -n 2 --crashes 1
bully -n 2 --crashes 1 --recoveries 1
bully -n 2 --crashes 1 --restarts 1
bully -n 2 --pauses 1
bully -n 2 --cuts 1
lcr -n 3 --reduce
lcr -n 3 --exact
lcr -n 3 --workers 1
lcr -n 3 --max-states 1e3
lcr -n 3 --memory 100MB
--replay -
lcr -n 3 --out -
lcr -n 2 --dot -
lcr -n 3 --json
`,
	"soak": `--all --runs 1
lcr --variant max --runs 1
bully --param delay=3 --runs 1
lcr --duration 1h --runs 1
lcr --runs 1
lcr --seed 4 --runs 1
lcr --processes 3 --runs 1
bully --profile chaos --runs 1
lcr --workers 1 --runs 1
lcr --out - --runs 1
lcr --json --runs 1
`,
	"compare": `lcr -n 4
lcr -n 4 --seeds 2
lcr -n 4 --seed 2 --seeds 1
lcr -n 4 --order worst
echo -n 4 --topology grid
lcr -n 4 --initiators 1
bully -n 4 --crashed n
bully -n 4 --param delay=3 --seeds 1
lcr -n 4 --delays random
lcr hs -n 4 --least --metric time
lcr -n 4 --per n --svg -
lcr hs -n 4 --least
lcr -n 4 --svg -
lcr -n 4 --csv
lcr -n 4 --json
lcr -n 4 --markdown
`,
	"experiment-redundancy": `-n 9 --iterations 1
-n 9 --iterations 1
-n 9 --iterations 1 --model a
-n 9 --iterations 1 --seed 4
-n 9 --iterations 1 --svg -
-n 9 --iterations 1 --svg - --bars
-n 9 --iterations 1 --json
`,
	"experiment-complexity": `-n 3
-n 3 --json
`,
	"lead": `--once --self a --member a=127.0.0.1:0 --lease 20ms -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms -- true
--once --self a --member a=a.invalid:7946 --insecure-plaintext --listen 127.0.0.1:0 --lease 20ms -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms --group g -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms TLS -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms TLS -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms TLS -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms --insecure-plaintext -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms --dir DIR -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms --drain 1s -- true
--once --self a --member a=127.0.0.1:0 --lease 20ms -- true
`,
	"cert-ca": `--dir DIR/a
--life 1h --dir DIR/b
`,
	"cert-member": `--dir DIR a
--group g --dir DIR a
--life 1h --dir DIR a
`,
	"trace": `FILE --process 1,3
FILE --kind election
FILE --from 2.5
FILE --until 3
`,
	"page": `--scenario -
--trace FILE
--open
--addr 127.0.0.1:0
--out DIR/page
--single DIR/page.html
`,
	"cluster": `-n 1 --for 1ms
-n 1 --for 1ms --lease 100ms
-n 1 --dir /dev/null/none --for 1ms
--script -
-n 1 --for 1ms
-n 1 --for 1ms --json
`,
}

// TestFlags gives every command each flag of its section in flags.txt. The command must accept the flag and
// read its value.
func TestFlags(t *testing.T) {
	table, err := os.ReadFile("internal/flags/flags.txt")
	require.NoError(t, err)
	dir := t.TempDir() // DIR: with certificates, and empty folders for more
	for _, line := range []string{"cert ca --dir ", "cert member a --dir "} {
		require.Zero(t, elect(t, "", strings.Fields(line+dir)...).code)
	}
	require.NoError(t, errors.Join(os.Mkdir(dir+"/a", 0o700), os.Mkdir(dir+"/b", 0o700)))
	recorded := elect(t, "", "sim", "lcr", "-n", "3", "--trace", dir+"/trace")
	require.Zero(t, recorded.code, recorded.stderr)
	files := strings.NewReplacer("DIR", dir, "FILE", dir+"/trace", "TLS",
		strings.ReplaceAll("--tls-cert DIR/a.pem --tls-key DIR/a.key.pem --tls-ca DIR/ca.pem", "DIR", dir))
	var section string
	var args []string
	for row := range strings.Lines(string(table)) {
		name, _, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		switch {
		case name == "" || name[0] == '#' || name[0] == '=' || section == "shared" && name[0] != '[':
		case name[0] == '[':
			require.Empty(t, args, "arguments without a row")
			section = strings.Trim(name, "[]")
			args = strings.Split(strings.TrimSuffix(flagLines[section], "\n"), "\n")
			if section == "shared" {
				args = nil
			}
		default:
			require.NotEmpty(t, args, "no arguments for %s of %s", name, section)
			line := strings.ReplaceAll(section, "-", " ") + " " + args[0]
			requireRead(t, strings.Fields(files.Replace(line)), name)
			args = args[1:]
		}
	}
	require.Empty(t, args)
}

// requireRead carries out a command line, which must read the value of a flag.
func requireRead(t *testing.T, args []string, name string) {
	t.Helper()
	var out bytes.Buffer
	file := strings.NewReader(`{"algorithm": "lcr", "ids": [3, 1]}`)
	switch name {
	case "script":
		file = strings.NewReader("sleep 1ms")
	case "replay":
		file = strings.NewReader(`{"algorithm": "lcr", "ids": [3, 1], "steps": [{"do": "start", "process": 3}]}`)
	}
	root := rootCommand(console.New(catalog.All(), file, &out, &out))
	root.SetArgs(args)
	read := false
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		f := cmd.Flags().Lookup(name)
		require.NotNil(t, f, "%s has no flag %s", args, name)
		require.True(t, f.Changed, "%s does not give %s", args, name)
		f.Value = noting{f.Value, &read}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	var err error
	switch args[0] {
	case "page": // it serves until its context ends
		smallPage(t)
		err = root.ExecuteContext(ended)
	case "lead", "cluster": // no member leads before a lease has passed
		err = root.ExecuteContext(ended)
	case "run":
		synctest.Test(t, func(t *testing.T) { err = root.ExecuteContext(t.Context()) })
	default:
		err = root.ExecuteContext(t.Context())
	}
	require.NotEqual(t, exit.StatusUsage, exit.Status(err), "%s: %v", args, err)
	require.True(t, read, "%s does not read %s", args, name)
}

// noting notes that the value of a flag is read.
type noting struct {
	pflag.Value
	read *bool
}

func (n noting) String() string {
	*n.read = true
	return n.Value.String()
}

func (n noting) All() []string {
	*n.read = true
	return n.Value.(interface{ All() []string }).All()
}
