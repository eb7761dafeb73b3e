package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// commands returns the names of what stands below a command.
func commands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// takesFiles reports whether a command that others stand below takes the name of a file itself.
func takesFiles(cmd *cobra.Command) bool { return strings.Contains(cmd.Use, "FILE") }

// meant returns which of the commands below one was meant by what would be a file, if there were one.
func meant(word string, cmd *cobra.Command) string {
	if _, err := os.Stat(word); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return nearest(word, commands(cmd))
}

// suggestion asks whether the nearest of the names was meant, if one is near.
func suggestion(word string, names []string, prefix string) string {
	if near := nearest(word, names); near != "" {
		return ": did you mean " + prefix + near + "?"
	}
	return ""
}

// nearest returns the first name that a word is the beginning of, else the one that is fewest slips away
// from it: one in three letters, and at most two; empty if there is none.
func nearest(word string, names []string) (near string) {
	small := strings.ToLower(word)
	least := min(max(len(small)/3, 1), 2) + 1
	for _, name := range names {
		if len(small) > 1 && strings.HasPrefix(strings.ToLower(name), small) {
			return name
		}
		if d := slips(small, strings.ToLower(name)); len(small) > 1 && d < least {
			near, least = name, d
		}
	}
	return near
}

// slips returns how many letters were left out, added, taken for others, or swapped with the next.
func slips(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			other := last[j]
			if a[i] != b[j] {
				other++
			}
			row[j+1] = min(other, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
