package topology

import (
	"bytes"
	"strconv"
	"strings"
)

// dotToken is a word of a file in the DOT language.
type dotToken struct {
	kind dotKind
	text string
	line int
}

type dotKind uint8

const (
	dotEnd    dotKind = iota // of the file
	dotSign                  // one of {}[];,=: and -- and ->
	dotWord                  // a name or keyword
	dotQuoted                // a name in quotes
)

// is reports whether this is a keyword, in small or capital letters.
func (t dotToken) is(word string) bool {
	return t.kind == dotWord && strings.EqualFold(t.text, word)
}

func (t dotToken) at(sign string) bool { return t.kind == dotSign && t.text == sign }

func (t dotToken) isName() bool { return t.kind == dotWord || t.kind == dotQuoted }

// dotScanner takes a file apart.
type dotScanner struct {
	text []byte
	at   int
	line int
}

// newDOTScanner begins behind the byte order mark, if there is one.
func newDOTScanner(text []byte) dotScanner {
	return dotScanner{text: bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), line: 1}
}

// token returns the next token.
func (s *dotScanner) token() (dotToken, error) {
	if err := s.space(); err != nil {
		return dotToken{}, err
	}
	rest := s.text[s.at:]
	switch {
	case len(rest) == 0:
		return dotToken{kind: dotEnd, line: s.line}, nil
	case rest[0] == '"':
		return s.quoted()
	// Before words, which may begin with a minus.
	case bytes.HasPrefix(rest, []byte("--")) || bytes.HasPrefix(rest, []byte("->")):
		return s.cut(dotSign, 2), nil
	case strings.IndexByte("{}[];,=:", rest[0]) >= 0:
		return s.cut(dotSign, 1), nil
	}
	n := 0
	for n < len(rest) && (inDOTWord(rest[n]) || n == 0 && rest[n] == '-') {
		n++
	}
	if n == 0 {
		return dotToken{}, dotError(s.line, "%s does not belong here", strconv.QuoteRune(rune(rest[0])))
	}
	return s.cut(dotWord, n), nil
}

func inDOTWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' ||
		c >= 0x80
}

// cut returns the next n bytes.
func (s *dotScanner) cut(kind dotKind, n int) dotToken {
	t := dotToken{kind, string(s.text[s.at : s.at+n]), s.line}
	s.at += n
	return t
}

// skip passes over n bytes and counts the lines.
func (s *dotScanner) skip(n int) {
	s.line += bytes.Count(s.text[s.at:s.at+n], []byte{'\n'})
	s.at += n
}

// opensLine reports whether nothing but blanks stands before this on its line.
func (s *dotScanner) opensLine() bool {
	before := bytes.TrimRight(s.text[:s.at], " \t\r")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

// space passes over blanks, comments, and lines that begin with #, which may stand behind blanks.
func (s *dotScanner) space() error {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			s.skip(1)
		case bytes.HasPrefix(rest, []byte("//")), c == '#' && s.opensLine():
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			s.skip(end)
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return dotError(s.line, "a comment begins here and does not end")
			}
			// The end was searched behind the first two bytes, and has two bytes itself.
			s.skip(end + 4)
		default:
			return nil
		}
	}
	return nil
}

// quoted returns a name in quotes, inside of which a backslash goes with the next character.
func (s *dotScanner) quoted() (dotToken, error) {
	rest := s.text[s.at:]
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			t := dotToken{dotQuoted, string(rest[1:i]), s.line}
			s.skip(i + 1)
			return t, nil
		}
	}
	return dotToken{}, dotError(s.line, "a name in quotes begins here and does not end")
}
