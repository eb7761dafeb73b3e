package params

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-election/election/input"
)

// Wording determines the words in which errors about parameters are written.
type Wording uint8

// The wordings.
const (
	// ForPrograms uses the names of fields of a Go Config, and durations in Go's format.
	ForPrograms Wording = iota
	// ForFiles uses parameter names as in files and on command lines, and durations as multiples of the delay,
	// because a program may choose any unit of time.
	ForFiles
)

// Errorf returns an error about the value of a parameter, which wraps election.ErrInput. In the format,
// {alive_timeout} is replaced by the name of that parameter, and {unsafe=yes} by the way to set a parameter
// that is true or false.
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

// name returns the name of a parameter, or of its field: AliveTimeout for alive_timeout.
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

// Time returns a duration in these words.
func (w Wording) Time(t, delay time.Duration) string {
	if w == ForFiles {
		if t == delay {
			return "1 delay"
		}
		return fmt.Sprintf("%v delays", float64(t)/float64(delay))
	}
	return t.String()
}
