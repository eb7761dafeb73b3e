package house_test

import (
	"go/ast"
	"go/token"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors lists the packages from the ground up. A package imports only packages of lower floors. Algorithms
// import only packages of the ground floors.
var floors = [][]string{
	{"input", "internal/prose", "lab/svg", "internal/wholefile", "internal/source", "internal/counters",
		"internal/order", "internal/splitmix", "internal/turns", "internal/filelock", "store"},
	{"cost", "params", "elector/fence", "store/memstore", "store/storetest"},
	{"store/sqlstore", "store/filestore"},
	{""}, // the contract
	{"internal/portset", "internal/rolling", "synchronizer"},
	{"algorithms"},
	{"lease/storelease"}, // obeys the commands of lease
	{"internal/mailbox", "internal/alarm", "internal/suspend", "internal/supervise"},
	{"observe", "transport", "lab/topology", "lab/fault"},
	{"transport/memory", "transport/faults", "transport/reliable", "transport/tcp", "transport/tcp/certs",
		"lab/verdict"},
	{"process"},
	{"mutex/lock", "elector", "lab/scenario", "catalog"},
	{"lab/sim", "lab/trace", "local", "transport/transporttest"},
	{"lab/check", "elector/forward"},
	{"lab/soak", "lab/experiment", "lab/cluster", "lab/museum"},
	{"lab/figure", "lab/report"},
	{"electiontest", "electortest", "nodetest"},
}

// forTests are packages that only tests import, or no package at all.
var forTests = []string{"internal/catalogtest", "internal/channels", "internal/newcomer", "internal/house", "internal/rules", "internal/pipenet", "internal/exampletest",
	"internal/terminaltest", "internal/grouptest"}

// contract is all of this module that an algorithm may import.
var contract = []string{"", "cost", "params", "input", "internal/portset", "internal/splitmix", "synchronizer"}

// commandFloors are the packages of the command from the ground up, below cmd/elect/internal; cmd/elect
// itself stands on top. All may import any package of the root module.
var commandFloors = [][]string{
	{"terminal"},
	{"console", "exit", "parse", "stores"},
	{"files", "member"},
	{"job"},
	{"run"},
	{"certcmd", "checkcmd", "clustercmd", "comparecmd", "experimentcmd", "leadcmd", "listcmd", "memberscmd",
		"pagecmd", "simcmd", "soakcmd", "statuscmd", "storecmd", "tracecmd"},
}

// pure is all of the standard library that an algorithm may use.
var pure = []string{"cmp", "errors", "fmt", "math", "math/bits", "slices", "time"}

func floorOf(name string) int {
	if slices.Contains(algorithms, name) && name != "lease/storelease" {
		name = "algorithms"
	}
	return floorIn(floors, name)
}

func floorIn(floors [][]string, name string) int {
	return slices.IndexFunc(floors, func(floor []string) bool { return slices.Contains(floor, name) })
}

// TestLayers: imports point down only, algorithms import the contract and a short list of the
// standard library, and nothing but tests imports third parties.
func TestLayers(t *testing.T) {
	for _, p := range packages(t, top) {
		floor := floorOf(p.name())
		require.True(t, floor >= 0 || serves(p.name()),
			"%s stands on no floor: add it to floors in internal/house/layers_test.go", p.name())
		algorithm := slices.Contains(algorithms, p.name())
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				require.NotContains(t, strings.Split(imported, "/")[0], ".", "%s imports a third party",
					p.name())
				require.True(t, !algorithm || slices.Contains(pure, imported), "%s imports %s", p.name(),
					imported)
				continue
			}
			below := floorOf(inside(imported))
			require.True(t, serves(p.name()) || below >= 0 && below < floor, "%s imports %s", p.name(),
				imported)
			of := p.name() == "lease/storelease" && inside(imported) == "lease"
			require.True(t, !algorithm || of || slices.Contains(contract, inside(imported)), "%s imports %s",
				p.name(), imported)
		}
	}
}

// TestLayersOfCommand: the packages of the command import only packages of lower floors.
func TestLayersOfCommand(t *testing.T) {
	const within = "cmd/elect/internal/"
	list := packages(t, filepath.Join(top, "cmd", "elect"))
	require.Greater(t, len(list), 10)
	for _, p := range list {
		floor := floorIn(commandFloors, strings.TrimPrefix(p.name(), within))
		require.True(t, floor >= 0 || p.name() == "cmd/elect",
			"%s stands on no floor: add it to commandFloors in internal/house/layers_test.go", p.name())
		for _, imported := range p.Imports {
			name, ok := strings.CutPrefix(inside(imported), within)
			require.True(t, !ok || p.name() == "cmd/elect" || floorIn(commandFloors, name) < floor,
				"%s imports %s", p.name(), imported)
		}
	}
}

// TestServicesNeedNoLab: what a service runs on needs no package that serves study and testing.
func TestServicesNeedNoLab(t *testing.T) {
	for _, name := range []string{"elector", "elector/fence", "elector/forward", "process", "transport", "transport/memory",
		"transport/reliable", "transport/tcp", "mutex/lock"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+name)
		cmd.Dir = top
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Contains(t, string(out), module)
		require.NotContains(t, string(out), "/lab/", name)
	}
}

// TestRootFiles: the files of the root package can be ordered so that each needs only those before it.
func TestRootFiles(t *testing.T) {
	declared := make(map[string]string) // name of a type, function, variable or constant: its file
	files := make(map[string]*ast.File)
	eachGoFile(t, func(file string, f *ast.File, _ *token.FileSet) {
		if path.Dir(file) != "." || strings.HasSuffix(file, "_test.go") {
			return
		}
		files[file] = f
		for name := range f.Scope.Objects { //nolint:staticcheck // only the names are needed
			declared[name] = file
		}
	})
	require.Greater(t, len(files), 8)
	needs := make(map[string]map[string]bool)
	for file, f := range files {
		needs[file] = make(map[string]bool)
		for _, free := range f.Unresolved {
			if other, ok := declared[free.Name]; ok {
				needs[file][other] = true
			}
		}
	}
	for len(needs) > 0 {
		free := ""
		for file, others := range needs {
			if len(others) == 0 {
				free = file
			}
		}
		require.NotEmpty(t, free, "these files need each other: %v", slices.Sorted(maps.Keys(needs)))
		delete(needs, free)
		for _, others := range needs {
			delete(others, free)
		}
	}
}
