package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// quoted is a string of a script, or a stretch of a template between its values.
type quoted struct{ before, text string } // before is the script up to it

// part is what a script consists of: a comment, a string, a regular expression, or a word or sign.
var part = regexp.MustCompile(`^(?:(//.*|(?s:/\*.*?\*/))|("(?:[^"\\\n]|\\.)*")|` +
	`(/(?:[^/*\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*/[a-z]*)|` +
	`(?:\w+|\s+|(?s:.)))`)

// stretch is a part of a template, from its beginning or a value to the next value or its end.
var stretch = regexp.MustCompile("^(?:[^`\\\\$]|\\\\(?s:.)|\\$[^{`])*(?:\\$\\{|\\$?`)")

// behindValue ends what a slash divides.
var behindValue = regexp.MustCompile(`[\w)\]}"` + "`" + `]\s*$`)

// quotedIn returns the strings and templates of a script, without comments.
func quotedIn(t *testing.T, script string) (all []quoted) {
	t.Helper()
	var before strings.Builder
	var open []bool // for each brace, whether it is of a template
	template := func(rest string) string {
		s := stretch.FindString(rest)
		require.NotEmpty(t, s, rest)
		text := strings.TrimSuffix(strings.TrimSuffix(s, "${"), "`")
		all = append(all, quoted{before.String(), text})
		if strings.HasSuffix(s, "${") {
			open = append(open, true)
		}
		return s
	}
	for rest := script; rest != ""; {
		found := part.FindStringSubmatch(rest)
		text := found[0]
		if found[3] != "" && behindValue.MatchString(before.String()) {
			text = "/"
		}
		switch {
		case found[1] != "":
		case found[2] != "":
			all = append(all, quoted{before.String(), text[1 : len(text)-1]})
		case text == "`":
			text += template(rest[1:])
		case text == "{":
			open = append(open, false)
		case text == "}" && len(open) > 0:
			of := open[len(open)-1]
			if open = open[:len(open)-1]; of {
				text += template(rest[1:])
			}
		}
		if found[1] == "" {
			before.WriteString(text)
		}
		rest = rest[len(text):]
	}
	return all
}

var (
	letters = regexp.MustCompile(`\pL\pL`)
	phrase  = regexp.MustCompile(`\pL\pL+[,.:;]? \pL\pL+`)
	capital = regexp.MustCompile(`^\p{Lu}\p{Ll}+[ .:…]*$`)
	// Where even one word is for the reader: in what an element says, and in its children.
	says = regexp.MustCompile(`(?:\.(?:textContent|title|placeholder) = |(?:title|"aria-label"|placeholder|alt|error): |` +
		`new Error\(|#fail\(|fillText\(|(?:append|before|after|replaceChildren|replaceWith)\()[^,;{}()]*$|` +
		`\bt(?:\.\w+)+\([^()]*$|\b[hs]\("\w+", \{[^{}]*\}, (?:[^(){};]*, )?$`)
)

// noText is what looks like a text and is none.
var noText = []struct {
	reason       string
	before, text *regexp.Regexp
}{
	{"classes of an element", regexp.MustCompile(`\bclass:\s[^{},]*$`), nil},
	{"a font of a canvas", nil, regexp.MustCompile(`px system-ui, sans-serif$`)},
	{"the fields of a scenario", regexp.MustCompile(`\bonly\([\w.{}]+,\s+$`), nil},
	{"a tag for the page of another", nil, regexp.MustCompile(`^<iframe src="$`)},
	{"the name of a key, from the browser", regexp.MustCompile(`keys: \[$|event\.key [!=]== $`), nil},
	{"elements, in the language of styles", regexp.MustCompile(`\.closest\($`), nil},
	{"a property of the screen", nil, regexp.MustCompile(`^\([a-z-]+: \w+\)$`)},
}

// textsIn returns the texts for readers in a script, and notes which reasons were needed.
func textsIn(t *testing.T, script string, needed map[string]bool) (found []string) {
	t.Helper()
next:
	for _, q := range quotedIn(t, script) {
		line := q.before[max(0, len(q.before)-200):]
		if !phrase.MatchString(q.text) && !capital.MatchString(q.text) &&
			(!letters.MatchString(q.text) || !says.MatchString(line)) {
			continue
		}
		for _, no := range noText {
			if (no.before == nil || no.before.MatchString(line)) &&
				(no.text == nil || no.text.MatchString(q.text)) {
				needed[no.reason] = true
				continue next
			}
		}
		found = append(found, q.text)
	}
	return found
}

// All that the page says stands in texts.js, for those who translate it.
func TestTextsAreInOneFile(t *testing.T) {
	t.Parallel()
	list, err := filepath.Glob("*.js")
	require.NoError(t, err)
	needed := make(map[string]bool)
	for _, name := range list {
		script, err := os.ReadFile(name)
		require.NoError(t, err)
		found := textsIn(t, string(script), needed)
		if name == "texts.js" {
			require.Greater(t, len(found), 150)
			continue
		}
		require.Empty(t, found, name)
	}
	for _, no := range noText {
		require.True(t, needed[no.reason], "%s: no module has that", no.reason)
	}
	// The document has its name, which stands there before the script runs, and no other text.
	document, err := os.ReadFile("index.html")
	require.NoError(t, err)
	rest := regexp.MustCompile(`(?s)<title>election</title>|</svg>election</h1>|<[^>]*>`).
		ReplaceAllStringFunc(string(document), func(tag string) string {
			if regexp.MustCompile(`\s(?:aria-label|title|alt|placeholder)=`).MatchString(tag) {
				return tag
			}
			return ""
		})
	require.Empty(t, strings.TrimSpace(rest))
}

// A text that stands elsewhere is found, and what is none is not.
func TestTextsAreFound(t *testing.T) {
	t.Parallel()
	for script, want := range map[string][]string{
		`x = f("the worker is gone");`:                            {"the worker is gone"},
		"x = f(`step ${n} of the ${`run of all ${m}`} there`);":   {" of the ", "run of all "},
		`e.textContent = "stopped";`:                              {"stopped"},
		`e.title = a ? b : "stopped";`:                            {"stopped"},
		`h("p", { "aria-label": "Network" })`:                     {"Network"},
		`h("p", {}, a, "stopped")`:                                {"stopped"},
		`x = t.count(n, "process", "processes");`:                 {"process", "processes"},
		`throw new Error(reply || "none");`:                       {"none"},
		`this.#fail(event.message || "none");`:                    {"none"},
		`x = ["a", "Allowed:"];`:                                  {"Allowed:"},
		`/* "a text here" */ f("row"); // "a text there"`:         nil,
		"f(/[\"'] and so on/, a / b, `${a}px`);":                  nil,
		`h("p", { class: a ? "row wrap" : "row", type: "text" })`: nil,
		`h("kbd", {}, "u"); h("span", {}, t.name);`:               nil,
	} {
		require.Equal(t, want, textsIn(t, script, make(map[string]bool)), script)
	}
}
