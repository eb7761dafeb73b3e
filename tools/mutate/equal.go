package main

import (
	_ "embed"
	"fmt"
	"path"
	"strings"
)

// equalText lists mutants that change nothing a test can see, under their reasons. They are tried as all
// others are, for a reason may be wrong, or become so; but those that survive do not count in the kill rate.
//
//go:embed equal.txt
var equalText string

// equal has the reason of each mutant in equal.txt, by its key.
var equal = parseEqual(equalText)

// parseEqual reads a text of reasons, each with indented lines below it that are keys of mutants.
func parseEqual(text string) map[string]string {
	of, reason := make(map[string]string), ""
	for line := range strings.Lines(text) {
		key, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		switch {
		case indented:
			of[key] = reason
		case key != "" && key[0] != '#':
			reason = key
		}
	}
	return of
}

// key names a mutant as long as its line stays as it is, wherever that moves to. Its number would not.
func (m *mutant) key() string {
	nth := ""
	if m.nth > 1 {
		nth = fmt.Sprintf(" (%d)", m.nth)
	}
	return fmt.Sprintf("%s: %s%s: %s", m.file, m.what, nth, m.source)
}

// numberKeys makes the keys of mutants differ.
func numberKeys(list []mutant) {
	seen := make(map[string]int)
	for i := range list {
		key := list[i].key()
		seen[key]++
		list[i].nth = seen[key]
	}
}

// checkEqual returns an error if equal.txt names a mutant of the package that is none: its line has changed,
// and so may have what was said of it.
func checkEqual(name string, list []mutant) error {
	known := make(map[string]bool)
	for i := range list {
		known[list[i].key()] = true
	}
	for key := range equal {
		file, _, _ := strings.Cut(key, ": ")
		if path.Dir(file) == name && !known[key] {
			return fmt.Errorf("equal.txt: there is no such mutant any more: %s", key)
		}
	}
	return nil
}
