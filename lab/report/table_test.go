package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFitting: columns without room go on in further tables, each with the first ones again.
func TestFitting(t *testing.T) {
	rows := [][]string{{"A", "N", "ONE", "TWO", "THREE"}, {"lcr", "8", "1", "≤ 2", "3"}}
	whole := "A    N  ONE  TWO  THREE\nlcr  8    1  ≤ 2      3\n"
	first := "A    N  ONE  TWO\nlcr  8    1  ≤ 2\n"
	last := "A    N  THREE\nlcr  8      3\n"
	require.Equal(t, []string{whole}, fitting(rows, 2, 23))
	require.Equal(t, []string{first, last}, fitting(rows, 2, 22))
	require.Equal(t, []string{first, last}, fitting(rows, 2, 16))
	one, two := "A    N  ONE\nlcr  8    1\n", "A    N  TWO\nlcr  8  ≤ 2\n"
	require.Equal(t, []string{one, two, last}, fitting(rows, 2, 15))
	// A column that is too wide by itself stands alone: no width leaves one out.
	require.Equal(t, []string{one, two, last}, fitting(rows, 2, 1))
}
