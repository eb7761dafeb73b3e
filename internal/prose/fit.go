package prose

import (
	"strings"
)

// Hanging breaks text into lines of at most width letters. Behind head the first begins, and all at the same
// column, hang; a head that is too long for that has a line of its own. No word is broken.
func Hanging(head, text string, hang, width int) string {
	indent := strings.Repeat(" ", hang)
	if text == "" {
		return head + "\n"
	}
	body := Wrapped(text, indent, max(width, hang+20))
	if gap := hang - letters(head); gap > 0 || head == "" {
		return head + body[hang-max(gap, 0):]
	}
	return head + "\n" + body
}

// Row breaks a line of columns in the last of them, which hangs. Two spaces or more stand before a column.
func Row(line string, width int) string {
	line = strings.TrimRight(line, "\n")
	if letters(line) <= width {
		return line + "\n"
	}
	at := strings.LastIndex(line, "  ")
	if at < 0 {
		return Wrapped(line, "", width)
	}
	head, column := line[:at+2], line[at+2:]
	hang := letters(head)
	if hang > width-20 { // too little room: the column goes below
		hang = 4
	}
	return Hanging(strings.TrimRight(head, " "), column, hang, width)
}

// letters returns how wide a terminal shows a text, which may have colours.
func letters(text string) (n int) {
	colour := false
	for _, r := range text {
		switch {
		case r == '\x1b':
			colour = true
		case colour:
			colour = r != 'm'
		default:
			n++
		}
	}
	return n
}
