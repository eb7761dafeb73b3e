package experimentcmd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/lab/experiment"
)

func TestComplexityDiffers(t *testing.T) {
	e := experiment.Equations()[3]
	rows := []experiment.Row{{Equation: &e, N: 5, I: 2, Formula: 5, Measured: 5}, {Equation: &e, N: 5, I: 3, Formula: 7, Measured: 8}}
	require.Contains(t, complexityText(console.New(nil, nil, nil), 5, 2, rows), "not all are correct")
}
