package local

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/mailbox"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// TestSizes: an item is a cache line, a process two.
func TestSizes(t *testing.T) {
	require.EqualValues(t, 64, unsafe.Sizeof(mailbox.Item[entry]{}))
	require.LessOrEqual(t, unsafe.Sizeof(proc{}), uintptr(128))
}

// TestNumbersEnd: a run is observed up to the last number that a message can have.
func TestNumbersEnd(t *testing.T) {
	w := &worker{run: &run{config: Config{Input: scenario.Input{IDs: []election.ID{1}}},
		watch: &watch{observe: func(*observe.Occurrence) {}, sent: math.MaxUint32 - 1}}}
	fx := &election.Effects{Sends: make([]election.Outgoing, 1)}
	w.stepped(0, new(election.Event), fx)
	require.EqualValues(t, uint32(math.MaxUint32), w.number())
	require.PanicsWithValue(t, "local: too many messages to be observed",
		func() { w.stepped(0, new(election.Event), fx) })
}
