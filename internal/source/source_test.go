package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/source"
)

// sample has a tag of every form. The last comment of a line, "want N", names the rules of the block that
// begins there, or that has the statement there.
const sample = `// Package sample is small.
//
// # Model
//
//  1. This is no rule.
//
// # The rules
//
//  1. A process says
//     [Hello].
//  2. It waits.
//
// # The rules of the other variant
//
//  3. It shouts.
//  4. It leaves.
package sample

import "example.com/elsewhere"

// state is the state of the machine.
type state uint8

const (
	idle state = iota
	busy
)

const other elsewhere.Kind = 3

// node is a process.
type node struct {
	// how it is
	is    state
	count int // how often
	elsewhere.Thing
}

func (n *node) step(op int) { // want none
	switch op {
	case 1: // rule 1
		n.count++
		if n.count > 1 {
			n.is = busy // rule 2: no other branch
			return
		}
	case 2:
		// rules 3, 4: nothing is to be done
	case 3:
		n.count = 7
		n.is = idle // rule 3
		if op > 7 {
			n.count = 9
		}
	// rule 2; a clause
	case 4:
		n.count = 8
	case 5:
		// rule 4
		if n.is == busy {
			n.count = 1
		} else {
			n.count = 2
		}
		if n.is == idle {
			n.count = 3
		} else { // rule 3
			n.count = 4
		}
	}
}

// stop is the last (rules 1 and 2).
func (n *node) stop() {
	n.is = idle
}
`

func write(t *testing.T, text string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sample.go"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sample_test.go"), []byte("package sample"), 0o600))
	return dir
}

func TestRead(t *testing.T) {
	p, err := source.Read(write(t, sample))
	require.NoError(t, err)
	require.Equal(t, "sample", p.Name)
	require.Contains(t, p.Doc, "Package sample is small.")
	require.Equal(t, []source.Rule{
		{1, "A process says Hello.", "The rules"},
		{2, "It waits.", "The rules"},
		{3, "It shouts.", "The rules of the other variant"},
		{4, "It leaves.", "The rules of the other variant"},
	}, p.Rules)
	require.Equal(t, map[string]string{"sample.go": sample}, p.Files)
	require.Equal(t, map[string]source.Type{"node": {Doc: "node is a process.",
		Fields: map[string]source.Field{
			"is": {Doc: "how it is", Type: "state"}, "count": {Doc: "how often", Type: "int"},
			"Thing": {Type: "elsewhere.Thing"},
		}}}, p.Types)
	require.Equal(t, map[string][][2]string{"state": {{"0", "idle"}, {"1", "busy"}}}, p.Consts)
}

// TestInstrument compares the rules of the block of each line that sets something.
func TestInstrument(t *testing.T) {
	dir := write(t, sample)
	packages, files, err := source.Instrument("example.com/counters", dir, write(t, sample))
	require.NoError(t, err)
	require.Len(t, packages, 2)
	p := packages[0]
	require.Equal(t, len(p.Blocks), packages[1].Blocks[0].ID, "numbers go on in the next package")
	lines := strings.Split(sample, "\n")
	rules := func(text string) []int {
		var found *source.Block
		for i := range p.Blocks {
			b := &p.Blocks[i]
			for at := b.From; at <= b.To; at++ {
				if strings.Contains(lines[at-1], text) &&
					(found == nil || b.To-b.From < found.To-found.From) {
					found = b
				}
			}
		}
		require.NotNil(t, found, text)
		return found.Rules
	}
	require.Equal(t, []int{1}, rules("n.count++"))
	require.Equal(t, []int{2}, rules("n.is = busy"))
	require.Equal(t, []int{3}, rules("n.count = 7"))
	require.Empty(t, rules("n.count = 9"), "a tag at a statement is for its block alone")
	require.Equal(t, []int{2}, rules("n.count = 8"))
	require.Equal(t, []int{4}, rules("n.count = 1"))
	require.Equal(t, []int{4}, rules("n.count = 2"))
	require.Empty(t, rules("n.count = 3"))
	require.Equal(t, []int{3}, rules("n.count = 4"))
	require.Equal(t, []int{1, 2}, rules("func (n *node) stop"))
	require.Equal(t, []int{3, 4}, rules("case 2:"))
	require.Empty(t, rules("want none"))
	require.Equal(t, "node.step", p.Blocks[0].Func)
	require.Equal(t, 0, p.Blocks[0].ID)

	require.Len(t, files, 4)
	require.Contains(t, string(files[filepath.Join(dir, "sample.go")]), "n.count++")
	require.Contains(t, string(files[filepath.Join(dir, "instrumented.go")]),
		`counters.Register("sample", 0, counters0.Count[:])`)
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no code":  {"package p\n\n// rule 1\n", "sample.go:3: // rule 1 belongs to no code"},
		"no Go":    {"package", "sample.go:1:8"},
		"a string": {"package p\n\nvar x = 1 // rule 1\n", "sample.go:3"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := source.Read(write(t, c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := source.Read(t.TempDir())
	require.ErrorContains(t, err, "no Go files")
}
