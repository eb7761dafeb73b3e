package build

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// lexeme is a part of a script in JavaScript.
type lexeme struct {
	kind kind
	text string
	line bool // a line of the source begins before it
}

type kind uint8

const (
	word     kind = iota // a name, a keyword or a number
	sign                 // an operator or a bracket
	literal              // a string or a regular expression
	template             // a stretch of a template: up to its end, or to a value in it
)

// What a script consists of. A blank is left out.
var (
	blank      = regexp.MustCompile(`^(?:\s+|//.*|/\*(?s:.*?)\*/)+`)
	words      = regexp.MustCompile(`^(?:\.?[0-9][0-9a-fA-F_xn.]*(?:[eE][+-][0-9]+)?|[#$\w]+)`)
	unknown    = regexp.MustCompile(`^\.?[0-9].*\..*\.|^[0-9].*\.$|^\..*\.`) // numbers with a method, or 0.
	joined     = regexp.MustCompile(`^[\w$\\\x80-\x{10ffff}]`)
	stringText = regexp.MustCompile(`^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`)
	expression = regexp.MustCompile(`^/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*`)
	chunk      = regexp.MustCompile("^[`}](?:[^`\\\\$]|\\\\(?s:.)|\\$[^{`\\\\]|\\$\\\\(?s:.))*" +
		"(?:\\$\\{|\\$?`)")
	signs = regexp.MustCompile(`^(?:\.\.\.|=>|\?\.|\+\+|--|>>>=?|[*&|?]{2}=?|[=!]==?|<<=?|>>=?|` +
		`[-+*/%&|^<>]=|[^\w\s])`)
)

// beforeExpression are the words behind which a slash begins a regular expression.
var beforeExpression = []string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new",
	"else", "do", "await", "yield", "instanceof"}

// scan returns the tokens of a script. A slash that may divide or begin a regular expression, by what is long
// before it, is an error.
func scan(text string) (all []lexeme, err error) {
	var open []bool // for each brace that is open, whether it is of a template
	line := false
	for rest := text; rest != ""; {
		if b := blank.FindString(rest); b != "" {
			rest, line = rest[len(b):], line || strings.Contains(b, "\n")
			continue
		}
		t := lexeme{kind: sign}
		switch c := rest[0]; {
		case c == '/' && slashUnclear(all): // t stays empty
		case c == '`', c == '}' && len(open) > 0 && open[len(open)-1]:
			t.kind, t.text = template, chunk.FindString(rest)
			if c == '}' {
				open = open[:len(open)-1]
			}
			if strings.HasSuffix(t.text, "${") {
				open = append(open, true)
			}
		case c == '"', c == '\'':
			t.kind, t.text = literal, stringText.FindString(rest)
		case c == '/' && expressionAfter(all):
			t.kind, t.text = literal, expression.FindString(rest)
		case words.MatchString(rest):
			t.kind, t.text = word, words.FindString(rest)
			if unknown.MatchString(t.text) || joined.MatchString(rest[len(t.text):]) {
				t.text = ""
			}
		case c == '\\', c >= utf8.RuneSelf: // a name with such a letter would come apart; t stays empty
		default:
			t.text = signs.FindString(rest)
			if t.text == "?." && len(rest) > 2 && '0' <= rest[2] && rest[2] <= '9' {
				t.text = "?" // of a?.5:b, where the point belongs to the number
			}
			switch {
			case c == '{':
				open = append(open, false)
			case c == '}' && len(open) > 0:
				open = open[:len(open)-1]
			}
		}
		if t.text == "" {
			return nil, fmt.Errorf("line %d: %.20q is no script",
				1+strings.Count(text[:len(text)-len(rest)], "\n"), rest)
		}
		t.line, line = line, false
		all, rest = append(all, t), rest[len(t.text):]
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("line %d: %d braces stay open", 1+strings.Count(text, "\n"), len(open))
	}
	return all, nil
}

// expressionAfter reports whether a slash behind these tokens begins a regular expression.
func expressionAfter(all []lexeme) bool {
	if len(all) == 0 {
		return true
	}
	switch last := all[len(all)-1]; last.kind {
	case sign:
		return !slices.Contains([]string{")", "]", "}"}, last.text)
	case word:
		return slices.Contains(beforeExpression, last.text) && !is(all, len(all)-2, ".", "?.")
	default:
		return strings.HasSuffix(last.text, "${")
	}
}

// slashUnclear reports whether a slash behind these tokens may divide or begin a regular expression: behind a
// brace, which ends a block or an object, a bracket, which may end the condition of a statement, and a sign
// that stands before a variable or behind it.
func slashUnclear(all []lexeme) bool {
	last := len(all) - 1
	if is(all, last, "}", "++", "--") {
		return true
	}
	return is(all, last, ")") && is(all, beginOf(all, last)-1, "if", "for", "while", "with", "await")
}

// beginOf returns the place at which a bracket begins that ends at a place.
func beginOf(all []lexeme, i int) int {
	depth := 0
	for ; i > 0; i-- {
		if all[i].closes() {
			depth++
		}
		if all[i].opens() {
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// Where a line may end a statement although there is no semicolon: between what may end one and what may
// begin one.
var (
	endsStatement   = []string{")", "]", "}", "++", "--"}
	beginsStatement = []string{"{", "[", "(", "++", "--", "!", "~", "+", "-", "/"}
)

// shorter returns a script without the signs that it does not need: a semicolon before a bracket that
// ends the statement, too, a comma before one that ends a list, brackets of a single parameter, the word let
// before each of several variables, and the sign between two strings. True, false and fractions take fewer
// signs. Constants become variables: what a program that runs never does needs no check.
func shorter(all []lexeme) (list []lexeme) {
	declares := []bool{false} // whether the statement is a declaration, for each bracket that is open
	var vain []int            // where brackets end that are left out
	for i := 0; i < len(all); i++ {
		t := all[i]
		if t.closes() && len(declares) > 1 && !slices.Contains(vain, i) {
			declares = declares[:len(declares)-1]
		}
		now := &declares[len(declares)-1]
		switch {
		case is(all, i, ";") && is(all, i+1, "}") && !isEmpty(all, i):
			continue
		case is(all, i, ",") && is(all, i+1, "}", "]", ")") && !is(all, i-1, "[", ","): // [,] has a hole
			continue
		case is(all, i, ";") && *now && isLet(all, i+1):
			t.text = ","
			i++
		case is(all, i, ";"):
			*now = false
		case isLet(all, i):
			t.text, *now = "let", true
		case i > 0 && slices.Contains([]string{"\n", ";"}, between(all[i-1], t)):
			*now = false
		case is(all, i, "(") && is(all, i+2, ")") && is(all, i+3, "=>") && all[i+1].kind == word:
			t = lexeme{word, all[i+1].text, t.line}
			i += 2
		case is(all, i, "true", "false") && !is(all, i-1, ".", "?.") &&
			!is(all, i+1, ":", "(", "=", ".", "?.", "[", "**"): // !0.a is !(0.a)
			t.text = map[string]string{"true": "!0", "false": "!1"}[t.text]
		case is(all, i-1, beforeValue...) && joins(all, i): // +"1" would be a number
			for ; joins(all, i); i += 2 {
				all[i+2].text = all[i].text[:len(all[i].text)-1] + all[i+2].text[1:]
			}
			t.text = all[i].text
		case t.kind == word && strings.HasPrefix(t.text, "0."):
			t.text = t.text[1:]
		case inVain(all, i):
			vain = append(vain, endOf(all, i))
			continue
		case len(vain) > 0 && i == vain[len(vain)-1]:
			vain = vain[:len(vain)-1]
			continue
		}
		if t.opens() {
			declares = append(declares, false)
		}
		list = append(list, t)
	}
	return list
}

// beforeValue are the signs behind which a value stands.
var beforeValue = []string{"[", "(", ",", "=", ":", "?", "=>", "&&", "||", "??", "===", "!==", "<", ">",
	"<=", ">="}

// inVain reports whether a bracket begins at a place that changes nothing, as one that only serves a comment
// with a type: a name in it, with what follows a point or stands in brackets, or an object.
func inVain(all []lexeme, i int) bool {
	if !is(all, i, "(") || !is(all, i-1, beforeValue...) || i+2 >= len(all) {
		return false
	}
	end := endOf(all, i)
	if is(all, end+1, "=>") {
		return false // parameters
	}
	if is(all, i+1, "{") {
		return endOf(all, i+1) == end-1 && !is(all, i-1, "=>")
	}
	first := all[i+1]
	if first.kind != word || first.text[0] <= '9' ||
		first.text != "this" && slices.Contains(keywords, first.text) {
		return false // the brackets of (await a()).b say what the point belongs to
	}
	for j := i + 2; j < end; j++ {
		switch {
		case is(all, j, ".") && all[j+1].kind == word:
			j++
		case is(all, j, "(", "["):
			j = endOf(all, j)
		default:
			return false
		}
	}
	return true
}

// joins reports whether a string stands at a place that is one with the next one, to which it is added.
func joins(all []lexeme, i int) bool {
	quoted := func(i int) bool { return i < len(all) && all[i].kind == literal && all[i].text[0] == '"' }
	return quoted(i) && is(all, i+1, "+") && quoted(i+2) && is(all, i+3, ",", ";", ")", "]", "}", ":", "+") &&
		!strings.Contains(all[i].text, `\`) // \0 and a digit are another letter
}

// endOf returns the place at which a bracket ends that begins at a place.
func endOf(all []lexeme, i int) int {
	depth := 0
	for ; i < len(all)-1; i++ {
		if all[i].opens() {
			depth++
		}
		if all[i].closes() {
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return i
}

// isLet reports whether a declaration of variables or constants begins at a place.
func isLet(all []lexeme, i int) bool {
	return is(all, i, "let", "const") && !is(all, i-1, ".", "?.") && !is(all, i+1, ":", "(", ",", "}")
}

// goOn are the words that may continue a statement behind a brace.
var goOn = []string{"else", "catch", "finally", "while", "in", "of", "instanceof", "as", "from"}

// text returns a script of these tokens, with as few blanks as it needs.
func text(all []lexeme) string {
	all = shorter(all)
	var b strings.Builder
	for i, t := range all {
		if i > 0 {
			b.WriteString(between(all[i-1], t))
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// isEmpty reports whether a semicolon is a statement of its own, as in a loop that does nothing.
func isEmpty(all []lexeme, i int) bool {
	if !is(all, i-1, ")") {
		return is(all, i-1, "else", "do")
	}
	return is(all, beginOf(all, i-1)-1, "if", "for", "while", "await")
}

func between(last, next lexeme) string {
	ends := last.kind != sign || slices.Contains(endsStatement, last.text)
	begins := next.kind != sign || slices.Contains(beginsStatement, next.text)
	switch {
	case last.kind == template && strings.HasSuffix(last.text, "${"), // in a template
		next.kind == template && next.text[0] == '}':
		return ""
	case next.line && last.text == "}" && next.kind == word && !slices.Contains(goOn, next.text):
		return ";" // as in other places, for what repeats is short
	case next.line && ends && begins:
		return "\n"
	case last.kind == word && next.kind == word,
		last.kind == sign && next.kind == sign && strings.ContainsAny(last.text, "+-") &&
			last.text[len(last.text)-1] == next.text[0]:
		return " "
	}
	return ""
}
