package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/newcomer"
	"github.com/go-election/election/lab/scenario"
)

// TestNewcomer: an algorithm that the project does not know needs no more than a place in the list.
func TestNewcomer(t *testing.T) {
	algorithms := append(catalog.All(), newcomer.Algorithm(newcomer.Config{Resend: 3 * scenario.Unit}))
	for line, want := range map[string]string{
		"list newcomer":                            "resend",
		"sim newcomer --ids 4,2,3 --loss 0.3":      "leader    2",
		"sim newcomer -n 3 --param resend=5":       "leader    1",
		"run newcomer --ids 4,2,3 --unit 1ms":      "leader    2",
		"check newcomer -n 2 --losses 1":           "holds",
		"soak newcomer --runs 100 --profile chaos": "none",
		"compare newcomer bully -n 4 --seeds 2":    "newcomer",
	} {
		r := electWith(t, algorithms, "", strings.Fields(line)...)
		require.Zero(t, r.code, "%s: %s", line, r.stderr)
		require.Contains(t, r.stdout, want, line)
	}
}
