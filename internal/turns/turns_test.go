package turns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/turns"
)

// TestFixed: members of different versions must agree on the order, so that the hash does not change.
func TestFixed(t *testing.T) {
	require.Equal(t, [...]uint64{0x4ee1838100fb5a16, 0xb356af78e10cc1c8, 0x9536d9cf4bb9b428,
		0xaf5570f5a1810b7a}, [...]uint64{turns.Priority("orders", 1),
		turns.Priority("orders", 2), turns.Priority("order", 1), turns.Priority("", 0)})
}
