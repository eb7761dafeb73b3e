package prose

import (
	"strings"
	"unicode"
)

// The longest word and the longest line that are shown as they are, and what is shown of a longer word. The
// path of a file is a word.
const (
	longestWord = 300
	longestLine = 1000
	beginning   = 60
)

// Short cuts the words of a line that are too long to be read, and the line: what a user types may have any
// length.
func Short(line string) string {
	words := strings.Split(line, " ")
	for i, word := range words {
		if len(word) > longestWord {
			words[i] = begun(word, beginning)
		}
	}
	if line = strings.Join(words, " "); len(line) > longestLine {
		line = begun(line, longestLine)
	}
	return line
}

// begun returns the first bytes of a text, without the part of a letter at their end.
func begun(text string, n int) string { return strings.ToValidUTF8(text[:n], "") + "..." }

// OneLine returns a text in a line of its own, whatever names it quotes.
func OneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	return strings.Map(func(r rune) rune {
		// A name in a file may hold control characters, which could change the terminal.
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, text)
}
