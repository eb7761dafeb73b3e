// Package help holds the long help of the commands: a file for each, with its examples below a line of
// dashes.
package help

import (
	"embed"
	"strings"
)

//go:embed *.txt
var files embed.FS

// separator stands between the text and the examples.
const separator = "\n---\n"

// Long returns the long help of a command.
func Long(command string) string {
	text, _ := read(command)
	for _, part := range []string{"topology", "output"} { // which several commands share
		if strings.Contains(text, "{"+part+"}") {
			shared, _ := read(part)
			text = strings.ReplaceAll(text, "{"+part+"}", shared)
		}
	}
	return text
}

// Example returns the examples of a command.
func Example(command string) string {
	_, examples := read(command)
	return examples
}

func read(name string) (text, examples string) {
	b, err := files.ReadFile(name + ".txt")
	if err != nil {
		panic(err) // no such file
	}
	text, examples, _ = strings.Cut(strings.TrimSuffix(string(b), "\n"), separator)
	return text, examples
}
