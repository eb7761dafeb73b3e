package params

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-election/election/input"
)

// Wording says in which words the value of a parameter is refused.
type Wording uint8

// The wordings.
const (
	// ForPrograms names fields of a Go Config, and times as Go writes them.
	ForPrograms Wording = iota
	// ForFiles names parameters as files and command lines do, and times as multiples of the delay: a program
	// may take any time for its unit.
	ForFiles
)

// Errorf returns an error that wraps election.ErrInput: the value of a parameter is wrong. In the format,
// {alive_timeout} stands for the parameter of that name, and {unsafe=yes} for setting one that is true or
// false.
func (w Wording) Errorf(name, format string, args ...any) error {
	where := w.name(name)
	if w == ForFiles {
		where = "params." + where
	}
	return input.At(where, fmt.Errorf(w.expand(format), args...))
}

// expand replaces the names in braces.
func (w Wording) expand(format string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(format, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(w.name(name))
		format = after
	}
}

// name returns the parameter of a name, or the field: AliveTimeout for alive_timeout.
func (w Wording) name(name string) string {
	if w == ForFiles {
		return name
	}
	name, yes, _ := strings.Cut(name, "=")
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	if yes != "" {
		b.WriteString(": true")
	}
	return b.String()
}

// Time returns a time in these words.
func (w Wording) Time(t, delay time.Duration) string {
	if w == ForFiles {
		if t == delay {
			return "1 delay"
		}
		return fmt.Sprintf("%v delays", float64(t)/float64(delay))
	}
	return t.String()
}
