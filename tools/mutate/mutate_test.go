package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/tools/mutate/change"
	switched "github.com/go-election/election/tools/mutate/testdata/switched"
)

var update = flag.Bool("update", false, "regenerate the copy of testdata/plain")

// mutants returns the mutants of a package in testdata, the copy of its one file, and the warnings.
func mutants(t *testing.T, name string) (list []mutant, text, warnings string) {
	t.Helper()
	s, err := load("tools/mutate/testdata/" + name)
	require.NoError(t, err)
	var warn bytes.Buffer
	list, copies, err := s.mutate(&warn)
	require.NoError(t, err)
	require.Len(t, copies, 1)
	for _, copied := range copies {
		b, err := format.Source([]byte(copied))
		require.NoError(t, err)
		text = string(b)
	}
	return list, text, warn.String()
}

// TestCopy: the copy with switches is the one that TestSwitches tries.
func TestCopy(t *testing.T) {
	t.Chdir("../..")
	_, got, warnings := mutants(t, "plain")
	require.Empty(t, warnings)
	const file = "tools/mutate/testdata/switched/plain.go"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run: go test ./tools/mutate -update")
}

// truth returns what a connective answers for false and false, false and true, true and false, true and true;
// a question mark where it evaluates its second operand.
func truth(f func(bool, func() bool) bool) string {
	var answers []string
	for i := range 4 {
		asked := ""
		answer := f(i > 1, func() bool { asked = "?"; return i%2 == 1 })
		answers = append(answers, fmt.Sprint(answer)[:1]+asked)
	}
	return strings.Join(answers, " ")
}

// panics returns what a function panics with, or nil.
func panics(f func()) (with any) {
	defer func() { with = recover() }()
	f()
	return nil
}

// times is a condition that holds a number of times.
func times(n int) func() bool {
	return func() bool { n--; return n >= 0 }
}

// switchedCalls are the mutants of testdata/plain in their order, with a call that returns one thing without
// and another with the change.
var switchedCalls = []struct {
	mutant, was, becomes string
	call                 func() any
}{
	{"< becomes <=: return x < y", "false", "true", func() any { return switched.Less(3, 3) }},
	{"<= becomes <: return x <= y", "true", "false", func() any { return switched.AtMost(3, 3) }},
	{"> becomes >=: return x > y", "false", "true", func() any { return switched.Greater("a", "a") }},
	{">= becomes >: return x >= 2", "true", "false", func() any { return switched.AtLeast(2) }},
	{"2 becomes 3: return x >= 2", "true", "false", func() any { return switched.AtLeast(2.5) }},
	{"== becomes !=: return x == y", "true", "false", func() any { return switched.Equal("a", "a") }},
	{"!= becomes ==: return x != y", "false", "true", func() any { return switched.Differ(1, 1) }},
	{"&& becomes ||: return x && y()", "f f f? t?", "f? t? t t", func() any { return truth(switched.Both) }},
	{"|| becomes &&: return x || y()", "f? t? t t", "f f f? t?",
		func() any { return truth(switched.Either) }},
	{"min becomes max: return min(x, y, z)", "1", "3", func() any { return switched.Least(2, 1, 3) }},
	{"max becomes min: return max(x, y)", "2ns", "1ns", func() any { return switched.Largest(1, 2) }},
	{"true becomes false: return true", "true", "false", func() any { return switched.Yes() }},
	{"false becomes true: return false", "false", "true", func() any { return switched.No() }},
	{"condition negated: if x {", "yes", "no", func() any { return switched.Condition(true) }},
	{"condition negated: for more() {", "2", "0", func() any { return len(switched.Loop(times(2))) }},
	{`assignment dropped: list = append(list, "again")`, "2", "0",
		func() any { return len(switched.Loop(times(2))) }},
	{"condition negated: case x, y:", "yes", "no", func() any { return switched.Cases(true, false) }},
	{"condition negated: case x, y:", "yes", "no", func() any { return switched.Cases(false, true) }},
	{"call dropped: f()", "7", "<nil>",
		func() any { return panics(func() { switched.Call(func() { panic(7) }) }) }},
	{`assignment dropped: x = "assigned"`, "assigned", "mine", func() any { return switched.Assign("mine") }},
	{"assignment dropped: x++", "2", "1", func() any { return switched.Count(1) }},
	{`== becomes !=: if x == "" {`, "<nil>", "empty",
		func() any { return panics(func() { switched.Panic("x") }) }},
	{`call dropped: panic("empty")`, "empty", "<nil>",
		func() any { return panics(func() { switched.Panic("") }) }},
	{"2 becomes 3: return 2*unit + 0x10", "36", "46", func() any { return switched.Constant() }},
	{"0x10 becomes 17: return 2*unit + 0x10", "36", "37", func() any { return switched.Constant() }},
	{"3 becomes 4: return x << 3", "8", "16", func() any { return switched.Shift(1) }},
	{"condition negated: for i := 0; i < n; i++ {", "[0 1]", "[]", func() any { return switched.Times(2) }},
	{"0 becomes 1: for i := 0; i < n; i++ {", "[0 1]", "[1]", func() any { return switched.Times(2) }},
	{"< becomes <=: for i := 0; i < n; i++ {", "[0 1]", "[0 1 2]", func() any { return switched.Times(2) }},
	{"assignment dropped: list = append(list, i)", "[0 1]", "[]", func() any { return switched.Times(2) }},
	{"< becomes <=: return time < Size", "false", "true", func() any { return switched.Hidden(3, 3) }},
	{`call dropped: panic("inner")`, "inner", "<nil>", func() any { return panics(switched.Inner()) }},
}

// TestSwitches: each mutant changes what its place computes, and without one nothing is changed.
func TestSwitches(t *testing.T) {
	defer func() { change.Active = 0 }()
	t.Chdir("../..")
	list, _, _ := mutants(t, "plain")
	for i, m := range list {
		require.Less(t, i, len(switchedCalls), "%v", &m)
		want := switchedCalls[i]
		require.Equal(t, i+1, m.id)
		require.Equal(t, want.mutant, m.what+": "+m.source)
		change.Active = 0
		require.Equal(t, want.was, fmt.Sprint(want.call()), "%v", &m)
		change.Active = m.id
		require.Equal(t, want.becomes, fmt.Sprint(want.call()), "%v", &m)
	}
	require.Len(t, list, len(switchedCalls))
}

// TestLeftOut: a mutant that does not compile is named and left out; the others stay.
func TestLeftOut(t *testing.T) {
	t.Chdir("../..")
	list, _, warnings := mutants(t, "named")
	require.Len(t, list, 1)
	require.Equal(t, "< becomes <=", list[0].what)
	require.Regexp(t, `^left out, since it does not compile .*: `+
		`1 tools/mutate/testdata/named/named.go:7:11: && becomes \|\|: return x && y\n$`, warnings)
}

const tested = "tools/mutate/testdata/tested"

// TestRun: of the four changes of testdata/tested, its tests notice one; one makes them wait for an hour.
func TestRun(t *testing.T) {
	t.Chdir("../..")
	*patient = 2 * time.Second
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, []string{tested}))
	require.Contains(t, out.String(), "survived: 1 "+tested+
		"/tested.go:7:2: call dropped: time.Sleep(0 * time.Hour)\n")
	require.Contains(t, out.String(), "survived: 4 "+tested+"/tested.go:8:7: < becomes <=: if x < y {\n")
	require.Contains(t, out.String(), "time: 2 "+tested+
		"/tested.go:7:13: 0 becomes 1: time.Sleep(0 * time.Hour)\n")
	require.Contains(t, out.String(), "| "+tested+" | 4 | 4 | 1 | 0 | 0 | 1 | 0 | 2 | 50.0 % |\n")
}

// TestCut: a run that its budget cuts short says where to go on.
func TestCut(t *testing.T) {
	t.Chdir("../..")
	*budget, *from = time.Hour, 2
	defer func() { *budget, *from = 0, 1 }()
	var out bytes.Buffer
	r, err := runPackage(t.Context(), &out, tested, time.Now())
	require.NoError(t, err)
	require.Equal(t, 4, r.all)
	require.Zero(t, r.tried())
	require.Equal(t, tested+": cut by -budget 1h0m0s; go on with -from 2\n", out.String())
}

// TestFailsAnyway: tests that fail without any change, or do not compile, end the run: they would
// kill every mutant.
func TestFailsAnyway(t *testing.T) {
	t.Chdir("../..")
	none := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(none, []byte("{}"), 0o600))
	s := &stage{dir: tested, kills: byTests, args: []string{"-test.unknown"}}
	_, err := try(t.Context(), []*stage{s}, 1, none, t.TempDir())
	require.ErrorContains(t, err, "the tests of "+tested+" fail without any change")
	s = &stage{dir: tested + "/none", kills: byTests}
	_, err = try(t.Context(), []*stage{s}, 1, none, t.TempDir())
	require.ErrorContains(t, err, "compile the tests of "+tested+"/none")
}

// TestStages: mutants of an algorithm meet the checker, those of other packages the tests of their users.
func TestStages(t *testing.T) {
	dirs := func(name string) (list []string) {
		for _, s := range stagesOf(name) {
			list = append(list, s.dir)
		}
		return list
	}
	require.Equal(t, []string{"lcr", "lab/check", ".", "catalog", "electiontest"}, dirs("lcr"))
	require.Equal(t, []string{"process", "mutex/lock", "transport/transporttest"}, dirs("process"))
	require.Equal(t, []string{"transport/faults"}, dirs("transport/faults"))
	*longer = true
	defer func() { *longer = false }()
	require.Equal(t, []string{"transport/faults", "transport/faults"}, dirs("transport/faults"))
}

// TestChosen: the order depends on the seed; slices hold each mutant once.
func TestChosen(t *testing.T) {
	all := func() (list []mutant) {
		for id := range 10 {
			list = append(list, mutant{id: id + 1})
		}
		return list
	}
	reset := func() { *sample, *from, *only, *seed = 0, 1, "", 1 }
	defer reset()
	pick := func() (ids []int) {
		list, err := chosen(all())
		require.NoError(t, err)
		for _, m := range list {
			ids = append(ids, m.id)
		}
		return ids
	}
	whole := pick()
	require.Len(t, whole, 10)
	require.Equal(t, whole, pick())
	*sample, *from = 4, 3
	require.Equal(t, whole[2:6], pick())
	*sample, *from = 4, 8
	require.Equal(t, whole[7:], pick())
	*from = 11
	require.Empty(t, pick())
	reset()
	*seed = 2
	require.NotEqual(t, whole, pick())
	require.ElementsMatch(t, whole, pick())
	*only = "7,2"
	require.Equal(t, []int{2, 7}, pick())
	*only = "x"
	_, err := chosen(all())
	require.ErrorContains(t, err, "-only")
}
