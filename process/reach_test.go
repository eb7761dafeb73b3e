package process

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTermsOfWrongClocks: Terms begin in the lower half of all, whatever the clock shows, so that members with
// other clocks believe them.
func TestTermsOfWrongClocks(t *testing.T) {
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	require.Equal(t, uint64(1_767_225_600_000<<8), dayTerm(day(2026)))
	require.Zero(t, dayTerm(day(1969)))
	require.Zero(t, dayTerm(time.Time{}))
	require.EqualValues(t, 256, dayTerm(time.UnixMilli(1)))
	require.Less(t, dayTerm(day(2527)), uint64(halfTerms))
	require.Equal(t, uint64(halfTerms), dayTerm(day(2528)))
	require.Equal(t, uint64(halfTerms), dayTerm(day(200_000_000)))
}
