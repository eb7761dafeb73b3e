package rules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/source"
)

// top is the way to the folder of the module.
const top = "../.."

// imported is the path of the package that shows which blocks have run.
const imported = "github.com/go-election/election/internal/counters"

// bookkeeping is what a step may do without carrying out a rule.
var bookkeeping = []struct {
	events []string // if nil, all
	funcs  []string // the functions that it runs; if nil, any
	why    string
}{
	{nil, []string{"State", "state", "visit"},
		"the TermKeeper alone handles the event: it drops a message of " +
			"an earlier Term, or resets the machine for a later one"},
	{[]string{"init"}, nil,
		"a process that begins, or comes back, forgets what was under way: papers begin " +
			"after that"},
	{[]string{"rejoin", "suspect", "trust", "reelect", "command", "catch up"},
		[]string{"Step", "State", "state", "visit", "machine.peer", "knows"},
		"the machine takes no notice of the event"},
}

// folders returns the folders of the algorithms.
func folders(t *testing.T) (dirs []string) {
	for _, name := range append(catalog.Names(), "detect", "synchronizer") {
		dir, err := filepath.Abs(filepath.Join(top, catalog.Folder(name)))
		require.NoError(t, err)
		dirs = append(dirs, dir)
	}
	return dirs
}

// wrong returns what is wrong with the rules and tags of a package.
func wrong(p *source.Package) (all []string) {
	tagged := make(map[int]bool)
	for i, r := range p.Rules {
		if r.Number != i+1 {
			all = append(all, fmt.Sprintf("%s: rule %d comes as number %d", p.Name, r.Number, i+1))
		}
	}
	for _, t := range p.Tags {
		for _, n := range t.Rules {
			if tagged[n] = true; n < 1 || n > len(p.Rules) {
				all = append(all, fmt.Sprintf("%s/%s:%d: there is no rule %d", p.Name, t.File, t.Line, n))
			}
		}
	}
	for _, r := range p.Rules {
		if !tagged[r.Number] {
			all = append(all, fmt.Sprintf("%s: no tag is for rule %d", p.Name, r.Number))
		}
	}
	if len(p.Rules) == 0 {
		all = append(all, p.Name+": the documentation has no rules")
	}
	return all
}

// unmatched returns the steps that carry out no rule, and the tags that no step comes to.
func unmatched(packages []*source.Package, steps []*footprint) (all []string) {
	blocks, reached := make(map[int]*source.Block), make(map[int]bool)
	for _, p := range packages {
		for i := range p.Blocks {
			blocks[p.Blocks[i].ID] = &p.Blocks[i]
		}
	}
	for _, f := range steps {
		ran := make(map[string]bool)
		rules := 0
		for _, id := range f.Blocks {
			if b := blocks[id]; b != nil {
				reached[id], ran[b.Func] = true, true
				rules += len(b.Rules)
			}
		}
		if rules == 0 && !isBookkeeping(f.Event, ran) {
			all = append(all, fmt.Sprintf("%s: %s carries out no rule; it runs %s", f.First, f.Event,
				strings.Join(slices.Sorted(maps.Keys(ran)), ", ")))
		}
	}
	for _, p := range packages {
		for _, t := range p.Tags {
			if !slices.ContainsFunc(t.Blocks, func(id int) bool { return reached[id] }) {
				all = append(all, fmt.Sprintf("%s/%s:%d: no step comes to this tag", p.Name, t.File, t.Line))
			}
		}
	}
	return all
}

// indiscriminate returns the tags that most steps of a machine reach, and which therefore do not distinguish
// steps.
func indiscriminate(packages []*source.Package, steps []*footprint) (all []string) {
	for _, p := range packages {
		heads := make(map[string]int) // of each machine the first block of its Step
		for _, b := range p.Blocks {
			if _, known := heads[b.Func]; !known && strings.HasSuffix(b.Func, ".Step") {
				heads[b.Func] = b.ID
			}
		}
		for _, head := range heads {
			its, in := 0, make(map[int]int)
			for _, f := range steps {
				if slices.Contains(f.Blocks, head) {
					its++
					for _, id := range f.Blocks {
						in[id]++
					}
				}
			}
			for _, b := range p.Blocks {
				if len(b.Rules) > 0 && in[b.ID]*4 > its*3 {
					all = append(all, fmt.Sprintf("%s/%s:%d: nearly every step comes to this tag", p.Name,
						b.File, b.From))
				}
			}
		}
	}
	return all
}

func isBookkeeping(event string, ran map[string]bool) bool {
	for _, entry := range bookkeeping {
		allowed := func(name string) bool {
			method := name[strings.LastIndex(name, ".")+1:]
			return slices.Contains(entry.funcs, name) || slices.ContainsFunc(entry.funcs,
				func(f string) bool {
					return f == method || f == "visit" && strings.HasPrefix(method, f)
				})
		}
		known := entry.funcs == nil
		if !known {
			known = true
			for name := range ran {
				known = known && allowed(name)
			}
		}
		if known && (entry.events == nil || slices.Contains(entry.events, event)) {
			return true
		}
	}
	return false
}

// footprints runs TestWalk in an instrumented build.
func footprints(t *testing.T, files map[string][]byte) (all []*footprint) {
	dir, replace := t.TempDir(), make(map[string]string)
	for path, text := range files {
		replace[path] = filepath.Join(dir, strconv.Itoa(len(replace))+".go")
		require.NoError(t, os.WriteFile(replace[path], text, 0o600))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay="+file, "-run=^TestWalk$",
		"-v",
		".")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, text, ok := strings.Cut(string(out), heading)
	require.True(t, ok, "%s", out)
	require.NoError(t, json.NewDecoder(strings.NewReader(text)).Decode(&all))
	return all
}

// TestSteps: the documentation of each algorithm numbers its rules; each rule has a tag in the code, and each
// tag is for a rule; each step carries out a rule, and each tag is come to.
func TestSteps(t *testing.T) {
	dirs := folders(t)
	packages, files, err := source.Instrument(imported, dirs...)
	require.NoError(t, err)
	for _, p := range packages {
		require.Empty(t, wrong(p))
	}
	steps := footprints(t, files)
	require.Greater(t, len(steps), 1000)
	require.Empty(t, unmatched(packages, steps))
	require.Empty(t, indiscriminate(packages, steps))
	planted(t, dirs[0], packages, steps)
}

// planted makes mistakes in a copy of the first package, and looks whether each is found. They change no
// block, so the steps are the same.
func planted(t *testing.T, dir string, packages []*source.Package, steps []*footprint) {
	for _, c := range []struct{ file, old, with, found string }{
		{"participant.go", " // rule 2\n", "\n", "carries out no rule"},
		{"participant.go", "// rule 2\n", "// rule 99\n", "there is no rule 99"},
		{"lcr.go", "float64(b) / 2 }", "float64(b) / 2 } // rule 1", "no step comes to this tag"},
		{"lcr.go", "//  2. Larger", "//  3. Larger", "lcr: rule 3 comes as number 2"},
		{"participant.go", "ev *election.Event) {", "ev *election.Event) { // rule 1", "nearly every step"},
		{"wave.go", " // rule 11\n", "\n", "lcr: no tag is for rule 11"},
	} {
		broken := t.TempDir()
		require.NoError(t, os.CopyFS(broken, os.DirFS(dir)))
		name := filepath.Join(broken, c.file)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), c.old), c.old)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), c.old, c.with, 1)), 0o600))
		first, _, err := source.Instrument(imported, broken)
		require.NoError(t, err)
		all := slices.Concat(first, packages[1:])
		faults := slices.Concat(wrong(first[0]), unmatched(all, steps), indiscriminate(first, steps))
		require.Contains(t, strings.Join(faults, "\n"), c.found)
	}
}
