package parse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{"4GB": 4e9, "1.5GiB": 3 << 29, "500mb": 500e6, " 2 g ": 2e9,
		"3000000": 3e6, "2000000B": 2e6} {
		got, err := Memory("--memory", text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}
