package experiment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/experiment"
)

func TestDiffering(t *testing.T) {
	e := experiment.Equations()[3]
	rows := []experiment.Row{
		{Equation: &e, N: 5, I: 2, Formula: 5, Measured: 5},
		{Equation: &e, N: 5, I: 3, Formula: 7, Measured: 8},
	}
	require.EqualError(t, experiment.Differing(rows), "1 of 2 counts differ from the formula; "+
		"the first: (4), modbully/convenience, n=5, i=3: 8, not 7")
	require.NoError(t, experiment.Differing(rows[:1]))
}
