package soakcmd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/params"
)

// TestSoakTable: a failure is shown in full below the rows, before the sum.
func TestSoakTable(t *testing.T) {
	var b strings.Builder
	a := console.New(nil, nil, &b, nil)
	lcr, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	modbully, err := catalog.Find("modbully", "number")
	require.NoError(t, err)
	table, err := newSoakTable(a, []*election.Algorithm{lcr, modbully, lcr})
	require.NoError(t, err)
	config := &soak.Config{Runs: 100, Params: map[string]params.Value{"reset": {Text: "literal"}}}
	f := &options{}
	all, err := soakEach(a, t.Context(), f, &soak.Config{Runs: 2}, []*election.Algorithm{lcr}, table)
	require.NoError(t, err)
	require.Empty(t, all)
	all, err = soakEach(a, t.Context(), f, config, []*election.Algorithm{modbully}, table)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NoError(t, table.end())
	_, rest, ok := strings.Cut(b.String(), "\nmodbully/number            3       1 ")
	require.True(t, ok, b.String())
	require.Regexp(t, `\n\nmodbully/number\n  runs       3, seeds 0 to 2\n`, rest)
	require.Contains(t, rest, "\n  violated   all live processes know that the election has ended: process 9 "+
		"does not know\n")
	require.Contains(t, rest, "\nsmallest: modbully/number, 2 processes, ")
	require.True(t, strings.HasSuffix(rest, "\n\n2 of 3 algorithms, 5 runs, 1 failed\n"), rest)
}
