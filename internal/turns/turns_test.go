package turns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/turns"
)

// TestFixed: members of different versions must agree on the order, so that the hash does not change.
func TestFixed(t *testing.T) {
	require.Equal(t, [...]uint64{0x1ea55d141607d0d7, 0x70dd6f1997ee8c26, 0x9bc24008f1d35bfe,
		0xaf5570f5a1810b7a}, [...]uint64{turns.Priority("orders", "a"),
		turns.Priority("orders", "b"), turns.Priority("order", "sa"), turns.Priority("", "")})
}
