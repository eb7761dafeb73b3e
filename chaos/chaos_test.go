package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/lab/cluster"
)

// TestMain runs this test binary as a member of a group.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asMember:
			main()
			return
		case asClusterMember:
			runClusterMember()
			return
		case asReader:
			runReader()
			return
		case asSleeper:
			runSleeper()
			return
		case asLossy:
			runLossy()
			return
		case asScale:
			runScale()
			return
		}
	}
	code := m.Run()
	_ = os.RemoveAll(folder) // does nothing if folder is empty
	os.Exit(code)
}

// TestGroup: a group of three keeps what it promises when its leader is killed, and the trial shows it.
func TestGroup(t *testing.T) {
	results, err := try(t.Context(), find(t, "^kill -9 the leader, n=3, none"),
		&options{trials: 2, parallel: 1, lease: 200 * time.Millisecond}, []string{os.Args[0], asMember},
		&record{})
	require.NoError(t, err)
	require.Len(t, results, 2, "one without TLS, and one with it")
	for _, r := range results {
		require.Len(t, r.outcomes, 2)
		for _, o := range r.outcomes {
			require.GreaterOrEqual(t, o.Changes, 1)
			require.Positive(t, o.Vacant)
		}
		require.Positive(t, r.accepted)
	}
}

// TestTwoLeaders: if a clock is slower than members assume, the judge finds two valid leases, as it would after a
// mistake. A cell that expects them fails if there are none.
func TestTwoLeaders(t *testing.T) {
	cells := find(t, "a clock of 0.3.*n=3, none")
	o := &options{trials: 1, parallel: 1, lease: 400 * time.Millisecond}
	program := []string{os.Args[0], asMember}
	_, err := try(t.Context(), cells, o, program, &record{})
	require.NoError(t, err)

	honest := *cells[0].fault
	honest.clash = false
	_, err = try(t.Context(), []*cell{{fault: &honest, n: 3}}, o, program, &record{})
	require.ErrorIs(t, err, cluster.ErrTwoLeases)

	calm := *cells[0].fault
	calm.rates, calm.do = nil, func(*trial) error { return nil }
	_, err = try(t.Context(), []*cell{{fault: &calm, n: 3}}, o, program, &record{})
	require.ErrorIs(t, err, errNoClash)
}

// find returns the cells that an expression selects, of which there are some.
func find(t *testing.T, expression string) []*cell {
	o, err := parse([]string{"-cell", expression})
	require.NoError(t, err)
	cells, missing := selection(o, nil)
	require.NotEmpty(t, cells)
	require.Empty(t, missing)
	return cells
}

// TestInterrupted: a trial in a group that does not become calm ends with its context, and leaves nothing.
func TestInterrupted(t *testing.T) {
	c := find(t, "^kill -9 the leader, n=3, Dir")[0]
	g, err := openGroup(c, []string{"cat"}, &stallMeter{}, elector.Times{Lease: time.Second})
	require.NoError(t, err)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(fmt.Errorf("enough"))
	_, err = g.attempt(ctx)
	require.ErrorContains(t, err, "enough")
	require.NoError(t, g.close())
	require.NoDirExists(t, g.dir)
}

// TestSelection: what a machine lacks is left out in one line for each kind of fault.
func TestSelection(t *testing.T) {
	o, err := parse([]string{"-cell", "."})
	require.NoError(t, err)
	all, _ := selection(o, nil)
	names := make(map[string]bool)
	for _, c := range all {
		require.False(t, names[c.String()], "%s is there twice", c)
		names[c.String()] = true
	}
	some, missing := selection(o, map[need]string{spaces: "no networks", mounts: "no disks"})
	require.Equal(t, []string{"cells: 106, no networks", "cells: 11, no disks"}, missing)
	require.Len(t, some, len(all)-117)
	o.short = true
	short, _ := selection(o, nil)
	require.Less(t, len(short), 20)
	for _, wrong := range [][]string{{"-trials", "0"}, {"-cell", "("}, {"-lease", "1ms"}, {"-wrong"}} {
		_, err := parse(wrong)
		require.Error(t, err)
	}
}

// TestUpdate: the table replaces what stands between the marks, and the rows are in a file of their own. Rows of cells
// that were not run stay.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chaos.md")
	all, err := parse(nil)
	require.NoError(t, err)
	own := setup{Trials: 2, Parallel: 1, Lease: time.Second, Commit: "abc"}
	require.ErrorContains(t, update(path, all, own, nil), "no such file")
	require.NoError(t, os.WriteFile(path, []byte("a\n"), 0o600))
	require.ErrorContains(t, update(path, all, own, nil), "does not contain the marks")
	require.NoError(t, os.WriteFile(path, []byte("a\n"+beginMark+"old\n"+endMark+"b\n"), 0o600))
	cells := find(t, "^kill -9 the leader, n=3, Dir")
	r := &result{cell: cells[0], accepted: 4, outcomes: []outcome{
		{Vacant: 3 * time.Millisecond, Changes: 1}, {Vacant: time.Millisecond, Late: true},
		{Changes: 2, Busy: true}}}
	failed := &result{cell: cells[1], err: errHung}
	require.NoError(t, update(path, all, own, []*result{r, failed}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	first := fmt.Sprintf("A lease of 1s, 2 trials a cell, 1 groups at a time, %d processors, commit abc.\n\n", runtime.NumCPU())
	require.True(t, strings.HasPrefix(string(text), "a\n"+beginMark+first+"|"))
	require.Contains(t, string(text), "| kill -9 the leader | 2 | 3 | 1 | 3 | 2 | - | 1 | 1 | 0 | **failed in 1 cells** |\n")
	const durable = "kill -9 the leader,3,true,false,3,0,1,3,0,1,2,,,,1,1,4,0,\n"
	secure := "kill -9 the leader,3,true,true,0,,,,,,,,,,0,0,0,0," + errHung.Error() + "\n"
	rows, err := os.ReadFile(detailsPath(path))
	require.NoError(t, err)
	require.Equal(t, strings.Join(columns, ",")+"\n"+durable+secure, string(rows))
	require.True(t, strings.HasSuffix(string(text), endMark+"b\n"))
	require.NotContains(t, string(text), "old")

	some, err := parse([]string{"-cell", "Dir, TLS"})
	require.NoError(t, err)
	own.Commit = "def"
	for accepted := range 2 { // the second time, its line replaces the first one
		passed := &result{cell: cells[1], accepted: accepted, outcomes: []outcome{{Changes: 1}}}
		require.NoError(t, update(path, some, own, []*result{passed}))
	}
	rows, err = os.ReadFile(detailsPath(path))
	require.NoError(t, err)
	require.Equal(t, strings.Join(columns, ",")+"\n"+durable+"kill -9 the leader,3,true,true,1,0,0,0,1,1,1,,,,0,0,1,0,\n",
		string(rows))
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	second := strings.Replace(first, "A lease", "Cells that match `Dir, TLS`: a lease", 1)
	require.True(t, strings.HasPrefix(string(text), "a\n"+beginMark+first+strings.Replace(second, "abc", "def", 1)+"|"))
	require.Contains(t, string(text), "| kill -9 the leader | 2 | 4 | 0 to 1 | 3 | 2 | - | 1 | 1 | 0 | none |\n")

	require.NoError(t, os.WriteFile(detailsPath(path), []byte("fault\nfire\n"), 0o600))
	require.ErrorContains(t, update(path, some, own, nil), "the columns are not")
	require.NoError(t, os.WriteFile(detailsPath(path), []byte(strings.Join(columns, ",")+"\n"+
		strings.Replace(durable, ",3,", ",three,", 1)), 0o600))
	require.ErrorContains(t, update(path, some, own, nil), "row 1: ")
}
