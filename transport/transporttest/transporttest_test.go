package transporttest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestExample runs what the example shows.
func TestExample(t *testing.T) {
	tests = nil
	Example()
	require.NotEmpty(t, tests)
	for _, test := range tests {
		t.Run(test.Name, test.F)
	}
}
