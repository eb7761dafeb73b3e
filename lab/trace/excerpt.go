package trace

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// perLine is how many occurrences WriteExcerpt records for each line that it may write. At least one of
// them has its own line, unless the log omits all of them.
const perLine = 5

// WriteExcerpt records a run of an Input and writes the first lines of its log, then how much is left out: a
// run without end has an endless log. run makes the run with the observer; write is [WriteLog] or the like.
func WriteExcerpt(w io.Writer, in *scenario.Input, about About, lines int, run func(observe.Observer),
	write func(io.Writer, *Trace) error) error {
	recorder, err := NewRecorder(in, about)
	if err != nil {
		return err
	}
	steps := 0
	run(func(o *observe.Occurrence) {
		// Keep only what may become a line: a run of millions of steps would not fit into memory.
		if steps++; steps <= perLine*lines {
			recorder.Observe(o)
		}
	})
	if err := recorder.Close(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := write(&b, recorder.Trace()); err != nil {
		return err
	}
	all := slices.Collect(strings.Lines(b.String()))
	if more := len(all) - lines; more > 0 {
		rest := fmt.Sprintf("and %s lines more\n", prose.Grouped(uint64(more)))
		if steps > perLine*lines {
			rest = fmt.Sprintf("and so on, %s steps in all\n", prose.Grouped(uint64(steps)))
		}
		// The capacity is cut, too, or the append would overwrite a line of all.
		all = append(all[:lines:lines], rest)
	}
	_, err = io.WriteString(w, strings.Join(all, ""))
	return err
}
