package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/report"
)

// TestWriteComplexity: the last line reports whether every count equals its formula.
func TestWriteComplexity(t *testing.T) {
	e := experiment.Equations()[3]
	rows := []experiment.Row{
		{Equation: &e, N: 5, I: 2, Formula: 5, Measured: 5},
		{Equation: &e, N: 5, I: 3, Formula: 7, Measured: 8},
	}
	c := &experiment.Complexity{N: 5}
	for want, some := range map[string][]experiment.Row{
		"\n1 counts, measured in 2 elections: all are correct\n":     rows[:1],
		"\n2 counts, measured in 2 elections: not all are correct\n": rows,
	} {
		var b strings.Builder
		require.NoError(t, report.WriteComplexity(&b, c, 2, some, report.Marks{}))
		require.True(t, strings.HasSuffix(b.String(), want), b.String())
	}
}
