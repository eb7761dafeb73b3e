package tracecmd

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/trace"
)

// colours are the colors of the kinds of messages, by their place in the header of a trace; the bright ones come
// second. Red is for errors. Only lease and modbully have more kinds, whose last ones share them.
var colours = []string{"36", "33", "35", "34", terminal.Green, "96", "93", "95", "94", "92"}

// writePainted writes the log of a trace with the kind of each message in its colour.
func writePainted(w io.Writer, t *files.Trace, of *trace.Trace) error {
	var log bytes.Buffer
	if err := t.WriteLog(&log, of); err != nil {
		return err
	}
	var names []string
	for _, kind := range of.Header.Kinds {
		names = append(names, regexp.QuoteMeta(kind))
	}
	// A log has no kind elsewhere: one of these two words stands before each, and a blank behind it.
	kinds := regexp.MustCompile(`  (?:sends|receives) (?:` + strings.Join(names, "|") + `) `)
	_, err := w.Write(kinds.ReplaceAllFunc(log.Bytes(), func(found []byte) []byte {
		word, kind, _ := strings.Cut(strings.TrimSpace(string(found)), " ")
		i := slices.Index(of.Header.Kinds, kind)
		return []byte("  " + word + " " + terminal.Painted(i >= 0, colours[max(i, 0)%len(colours)], kind) +
			" ")
	}))
	return err
}
