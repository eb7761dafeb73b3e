package report_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/report"
	"github.com/go-election/election/lab/sim"
)

// TestValues: what not every reader of JSON keeps exact is text, and times are exact.
func TestValues(t *testing.T) {
	for value, want := range map[json.Marshaler]string{
		report.Number(0): "0", report.Number(1 << 53): "9007199254740992", report.Number(1<<53 +
			1): `"9007199254740993"`,
		report.Units(12 * sim.Unit): "12", report.Units(sim.Unit / 2): "0.5", report.Units(1): "0.000000001",
		report.Units(0):  "0",
		report.Units(-1): "-0.000000001", report.Units(-sim.Unit / 2): "-0.5",
		report.Units(-3 * sim.Unit): "-3",
		report.Units(math.MinInt64): "-9223372036.854775808",
		report.Units(math.MaxInt64): "9223372036.854775807",
		report.Hash(0):              `"0000000000000000"`, report.Hash(0xabc): `"0000000000000abc"`,
	} {
		got, err := json.Marshal(value)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}
