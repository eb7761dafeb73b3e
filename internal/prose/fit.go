package prose

import (
	"strings"
	"unicode/utf8"
)

// Hanging breaks text into lines of at most width letters. Behind head the first begins, and all at the same
// column, hang; a head that is too long for that has a line of its own. No word is broken.
func Hanging(head, text string, hang, width int) string {
	indent := strings.Repeat(" ", hang)
	if text == "" {
		return head + "\n"
	}
	body := Wrapped(text, indent, max(width, hang+20))
	if gap := hang - utf8.RuneCountInString(head); gap > 0 || head == "" {
		return head + body[hang-max(gap, 0):]
	}
	return head + "\n" + body
}

// Fitted lays text out anew for lines of at most width letters. Lines that begin at the margin are
// paragraphs. An indented line is a row: what stands in it behind two spaces or more begins a column, in
// which the row and the lines below that begin there, or further right, are continued.
func Fitted(text string, width int) string {
	var b strings.Builder
	var words []string // of the paragraph or row so far
	head, hang := "", 0
	flush := func() {
		if head != "" || len(words) > 0 {
			b.WriteString(Hanging(head, strings.Join(words, " "), hang, width))
		}
		head, hang, words = "", 0, nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		content := strings.TrimLeft(line, " ")
		indent := len(line) - len(content)
		switch {
		case content == "":
			flush()
			b.WriteByte('\n')
		case indent == 0 && hang > 0, indent > 0 && (hang == 0 || indent < hang):
			flush()
			fallthrough
		case hang == 0 && len(words) == 0:
			if head, hang = "", indent; indent > 0 {
				name, rest, column := strings.Cut(content, "  ")
				if column {
					content = strings.TrimLeft(rest, " ")
					head, hang = line[:indent]+name, len(line)-len(content)
				}
			}
			fallthrough
		default:
			words = append(words, content)
		}
	}
	flush()
	return b.String()
}
