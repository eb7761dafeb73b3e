package house_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vague are words that hide the actor or the noun, each group with the number of lines that may hold one. The
// words are put together here so that this file holds none.
var vague = []struct {
	words string
	most  int
}{
	{"wh" + "oever wh" + "om wh" + "o", 40},
	{"no" + "body some" + "body every" + "body", 30},
	{"to" + "ld te" + "ll te" + "lls te" + "lling", 30},
	{"so man" + "y", 0},
}

// headed are the nouns before which the first group is in order.
var headed = words("those one ones process processes caller callers author authors user users reader readers " +
	"engineer engineers people")

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// TestWords: comments, texts, names and documents name the actor and use the noun of the field.
func TestWords(t *testing.T) {
	lines := make([]map[string]int, len(vague)) // by folder
	group := make(map[string]int)
	for i, v := range vague {
		lines[i] = make(map[string]int)
		for word := range words(v.words) {
			group[word] = i
		}
	}
	eachTextFile(t, func(file, text string) {
		for line := range strings.Lines(text) {
			found := make([]bool, len(vague))
			before := ""
			for word := range strings.FieldsFuncSeq(strings.ToLower(line), notInWord) {
				i, ok := group[word]
				switch {
				case !ok || i == 0 && headed[before]:
				case len(vague)-1 == i && !(before == "so" && word == "many"):
				default:
					found[i] = true
				}
				before = word
			}
			for i := range found {
				if found[i] {
					lines[i][filepath.Dir(file)]++
				}
			}
		}
	})
	for i, v := range vague {
		sum := 0
		for _, n := range lines[i] {
			sum += n
		}
		assert.LessOrEqual(t, sum, v.most, "lines with one of %s, by folder: %s", v.words, inOrder(lines[i]))
	}
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

// inOrder lists folders, those with the most lines first.
func inOrder(lines map[string]int) string {
	folders := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		if lines[a] != lines[b] {
			return lines[b] - lines[a]
		}
		return strings.Compare(a, b)
	})
	var list strings.Builder
	for _, folder := range folders {
		fmt.Fprintf(&list, "%s %d, ", folder, lines[folder])
	}
	return strings.TrimSuffix(list.String(), ", ")
}

// eachTextFile calls do with every file of Go code and every document.
func eachTextFile(t *testing.T, do func(file, text string)) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".md", ".txt"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(top, path)
		files++
		do(filepath.ToSlash(file), string(text))
		return err
	}))
	require.Greater(t, files, 500)
}
