package trace

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// shivizParser is how ShiViz is to read the file, which begins with it; the line behind it, which separates
// runs, is empty.
const shivizParser = `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`

// mostClocks bounds the entries of all vector clocks together.
const mostClocks = 20_000_000

// WriteShiViz writes a trace as a log with vector clocks, which ShiViz (bestchai.bitbucket.io/shiviz) draws
// and searches. A trace in which these would be too many gives [ErrTooLarge].
func WriteShiViz(w io.Writer, t *Trace) error {
	n := len(t.Header.Scenario.IDs)
	if n*len(t.Events) > mostClocks {
		return fmt.Errorf("%w: %d events of %d processes, each with a clock of all", ErrTooLarge,
			len(t.Events), n)
	}
	s := newStory(t)
	t = s.trace
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n\n", shivizParser)
	clocks := make([]map[election.ID]int, n)
	for p := range clocks {
		clocks[p] = make(map[election.ID]int)
	}
	sent := make(map[Ref]map[election.ID]int) // the clock at each sending
	run := make(running)
	for i := range t.Events {
		e := &t.Events[i]
		if !run.changes(e) || e.Do == observe.Save || e.Do == observe.Lose || e.Do == observe.Duplicate {
			continue // the links lose and double messages, and have no clock
		}
		clock := clocks[s.where[e.Process]]
		if e.Do == observe.Deliver {
			for id, k := range sent[e.From] {
				clock[id] = max(clock[id], k)
			}
		}
		clock[e.Process]++
		if e.Do == observe.Send {
			sent[e.Ref()] = maps.Clone(clock)
		}
		entries := make([]string, 0, len(clock))
		for _, id := range slices.Sorted(maps.Keys(clock)) {
			entries = append(entries, fmt.Sprintf(`"%d":%d`, id, clock[id]))
		}
		fmt.Fprintf(b, "%d {%s}\n%s\n", e.Process, strings.Join(entries, ", "), s.said(e))
	}
	return b.Flush()
}
