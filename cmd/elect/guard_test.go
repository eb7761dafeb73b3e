package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

// TestSectionsOfSteps: a counterexample of mutual exclusion fails in a simulation, too.
func TestSectionsOfSteps(t *testing.T) {
	for name, test := range map[string]struct {
		check []string
		want  string
	}{
		"tokens": {[]string{"mutex/arbiter", "-n", "2", "--crashes", "2", "--recoveries", "1"},
			"entered section 0 with token"},
		"served": {[]string{"mutex/tokenring", "-n", "2"}, "process 2 asked and was never served"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "counterexample.json")
			require.Equal(t, exit.StatusFailed,
				elect(t, "", append(append([]string{"check"}, test.check...), "--out", file)...).code)
			r := elect(t, "", "sim", "--scenario", file)
			require.Equal(t, exit.StatusFailed, r.code)
			require.Contains(t, r.stderr, test.want)
		})
	}
}
