package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFamilies: each function describes the algorithm of its row's name; Find relies on that.
func TestFamilies(t *testing.T) {
	for _, f := range families {
		require.Equal(t, []string{f.name}, List(f.make()).Names())
	}
}

// TestFindMakesOneFamily: a search makes the descriptions of one algorithm, not of all.
func TestFindMakesOneFamily(t *testing.T) {
	one := testing.AllocsPerRun(10, func() { _, _ = Find("lcr", "max") })
	all := testing.AllocsPerRun(10, func() { All() })
	require.Less(t, 10*one, all)
}
