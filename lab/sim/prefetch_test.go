package sim

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lcr"
)

// TestPrefetch: of 40 receivers, the Nodes of the first sixteen and the processes of the next sixteen are
// fetched, for messages and for timers. Under the unit schedule the messages after those are fetched, too.
// Without receivers nothing is fetched.
func TestPrefetch(t *testing.T) {
	const n = 40
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1) // so that the first messages end at their receivers
	}
	for _, schedule := range []Schedule{UnitDelay, RandomDelay} {
		c := Config{Input: scenario.Input{Algorithm: lcr.Participant(), IDs: ids}, Schedule: schedule}
		if schedule == RandomDelay {
			c.Delay = Delay{Min: Unit, Max: Unit}
		}
		s, err := New(c)
		require.NoError(t, err)
		require.Empty(t, s.ahead())
		for range n { // the starts
			require.True(t, s.Step())
		}
		s.front() // opens the day
		next := s.ahead()
		require.Len(t, next, 32)
		for i, p := range next {
			require.EqualValues(t, i+1, p, "message m goes from process m to the next")
		}
		later := s.beyond()
		for i := range later {
			if i < n-32 && schedule == UnitDelay {
				require.EqualValues(t, (33+i)%n, (*entry)(later[i]).to)
			} else {
				require.Nil(t, later[i])
			}
		}
		procs, nodes := s.soon(next[:20])
		for i := range nodes {
			node := s.Node(i + 1)
			require.Equal(t, reflect.ValueOf(node).UnsafePointer(), nodes[i])
			if i < 4 {
				require.Equal(t, unsafe.Pointer(&s.procs[i+17]), procs[i])
			} else {
				require.Nil(t, procs[i])
			}
		}
		s.timers.line = []timer{{p: 7}, {p: 3}, {p: 5}}
		s.timers.first = 1
		require.Equal(t, []uint32{3, 5}, s.timersAhead())
		require.Zero(t, s.timersOf(next), "no timer was ever set")
		s.timers.running = make([]few, n)
		timers := s.timersOf(next[:18])
		require.Equal(t, unsafe.Pointer(&s.timers.running[17]), timers[0])
		require.Equal(t, unsafe.Pointer(&s.timers.running[18]), timers[1])
		require.Nil(t, timers[2])
	}
}

// alarmed is a Node that sets a timer when it starts.
type alarmed struct{}

func (alarmed) State(*election.State) {}

func (alarmed) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		e.SetTimer(0, Unit, Unit)
	}
}

// TestPrefetchInBatches: messages and timers that run out are prefetched for sixteen at a time.
func TestPrefetchInBatches(t *testing.T) {
	const n = 2*prefetched + 1
	ids := make([]election.ID, n)
	for p := range ids {
		ids[p] = election.ID(p + 1)
	}
	timed := *lcr.Participant()
	timed.New = func(election.Setup) election.Node { return alarmed{} }
	for _, a := range []*election.Algorithm{lcr.Participant(), &timed} {
		s, err := New(Config{Input: scenario.Input{Algorithm: a, IDs: ids}})
		require.NoError(t, err)
		for range n { // the starts
			require.True(t, s.Step())
		}
		require.Zero(t, s.batches)
		for i := range n {
			require.True(t, s.Step())
			require.EqualValues(t, 1+i/prefetched, s.batches)
		}
	}
}

// TestTouch: touch reads no nil, and beyond that changes nothing.
func TestTouch(t *testing.T) {
	marks := [2]uint8{100, 20}
	sum := touch(&places{0: unsafe.Pointer(&marks[0]), prefetched - 1: unsafe.Pointer(&marks[1])})
	require.Contains(t, []uint32{0, 120}, sum)
	require.Equal(t, [2]uint8{100, 20}, marks)
}

// once is a Node without memory of its own: an interface that holds a nil one points nowhere.
type once func()

func (once) Step(e *election.Env, ev *election.Event) {
	if ev.Op == election.Start {
		e.Send(election.Clockwise, election.Message{Kind: 1})
	}
}

func (once) State(*election.State) {}

// TestPrefetchNothing: a Node that points nowhere is not read.
func TestPrefetchNothing(t *testing.T) {
	a := *lcr.Participant()
	a.New = func(election.Setup) election.Node { return once(nil) }
	s, err := New(Config{Input: scenario.Input{Algorithm: &a, IDs: []election.ID{1, 2}}})
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context()))
	require.EqualValues(t, 2, s.Result().Messages)
}
