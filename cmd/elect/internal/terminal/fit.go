package terminal

import (
	"bytes"
	"io"
	"strings"

	"github.com/go-election/election/internal/prose"
)

// Fit returns a writer to w that breaks lines in their last column, as [prose.Row] does. What follows the
// last line end is not written.
func Fit(w io.Writer, width int) io.Writer { return &fitting{w: w, width: width} }

type fitting struct {
	w     io.Writer
	width int
	begun []byte // of the present line
}

// Write writes all lines that are complete.
func (f *fitting) Write(b []byte) (int, error) {
	f.begun = append(f.begun, b...)
	end := bytes.LastIndexByte(f.begun, '\n') + 1
	var rows strings.Builder
	for line := range bytes.Lines(f.begun[:end]) {
		rows.WriteString(prose.Row(string(line), f.width))
	}
	f.begun = append(f.begun[:0], f.begun[end:]...)
	if _, err := io.WriteString(f.w, rows.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}
