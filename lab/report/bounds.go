package report

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/topology"
)

// Bounds compares the number of messages with what is known of the algorithm, a line each.
func Bounds(a *election.Algorithm, links topology.Topology, messages uint64) []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, bound := range []struct {
		name string
		cost.Bound
	}{{"best", a.Best}, {"mean", a.Mean}, {"worst", a.Worst}} {
		count := bound.At(links.Len(), links.Links())
		if math.IsNaN(count) {
			continue
		}
		ratio := "reached"
		// An election of one may take no message, and has no ratio then.
		if count != float64(messages) && count > 0 {
			ratio = fmt.Sprintf("%.1f %% of it", 100*float64(messages)/count)
		}
		if bound.Loose {
			bound.name += " ≤"
		}
		fmt.Fprintf(w, "%-9s %s\t%s\t%s\n", bound.name, prose.Approximate(count), ratio,
			bound.Formula+bound.Where())
	}
	w.Flush()
	return strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\n' })
}
