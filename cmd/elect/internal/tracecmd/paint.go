package tracecmd

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/internal/terminal"
	"github.com/go-election/election/lab/trace"
)

// colours are those of the kinds of message, by their place in the header of a trace. Red is that of errors.
var colours = []string{"36", "33", "35", "34", terminal.Green}

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
	// A log has no kind elsewhere: these two words stand before each.
	kinds := regexp.MustCompile(`(?:  sends|  receives) (?:` + strings.Join(names, "|") + `)\b`)
	_, err := w.Write(kinds.ReplaceAllFunc(log.Bytes(), func(found []byte) []byte {
		words, kind, _ := strings.Cut(strings.TrimSpace(string(found)), " ")
		i := slices.Index(of.Header.Kinds, kind)
		return []byte("  " + words + " " + terminal.Painted(i >= 0, colours[max(i, 0)%len(colours)], kind))
	}))
	return err
}
