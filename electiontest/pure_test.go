package electiontest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lcr"
)

// TestHistories: runs are drawn until enough fit, or twenty times as many have been drawn.
func TestHistories(t *testing.T) {
	tr := &trial{Options: Options{Seeds: 5, Processes: 3}, Algorithm: lcr.Participant(), ctx: t.Context(),
		t: t}
	for _, c := range []struct{ most, fit, want, drawn int }{
		{4, 1, 4, 4}, {9, 1, 5, 5}, {4, 3, 4, 10}, {4, 100, 1, 80},
	} {
		drawn := 0
		all, err := tr.histories(c.most, func(*soak.Plan) bool {
			drawn++
			return (drawn-1)%c.fit == 0
		})
		require.NoError(t, err)
		require.Len(t, all, c.want, "%+v", c)
		require.Equal(t, c.drawn, drawn, "%+v", c)
	}
}

// TestLongest: a run without end is a history of a fixed length, the beginning of which is measured.
func TestLongest(t *testing.T) {
	tr := &trial{Options: Options{Seeds: 1, Processes: 1}, Algorithm: announcing(), ctx: t.Context(), t: t}
	all, err := tr.histories(1, nil)
	require.NoError(t, err)
	require.Len(t, all[0].moments, longest)

	counts := &tally{property: "Allocation"}
	tr.Algorithm = counts.over(tr.Algorithm)
	tr.Options = Options{Seeds: 1, Processes: 3}
	all, err = tr.histories(1, lasting)
	require.NoError(t, err)
	require.Len(t, all[0].moments, longest)
	steps := counts.steps.Load()
	require.NoError(t, allocation(tr))
	require.EqualValues(t, longest+1+6*400, counts.steps.Load()-steps,
		"it is recorded and cut off, then played six times")
}

// TestApart: the description contains the place and both values.
func TestApart(t *testing.T) {
	require.Equal(t, "byte 1 of 3 is 0a, not 02", apart([]byte{1, 10, 3}, []byte{1, 2, 4}))
	require.Equal(t, "there are 2 bytes, not 3", apart([]byte{1, 2}, []byte{1, 2, 3}))
	require.Equal(t, "there are 1 bytes, not 0", apart([]byte{1}, nil))
}

// TestHappens: a moment is said with its message, if there is one.
func TestHappens(t *testing.T) {
	in, err := (&trial{Algorithm: lcr.Participant()}).input([]election.ID{7, 3})
	require.NoError(t, err)
	h := &history{in: in}
	require.Equal(t, "process 3 among [7 3], at start",
		(&happens{h, 1, &election.Event{Op: election.Start}}).String())
	ev := election.Event{Op: election.Recv, Port: 1, Msg: election.Message{Kind: 2, Value: 9}}
	require.Regexp(t, `^process 7 among \[7 3\], at recv of elected by port 1 \(\{.*Value:9 .*\}\)$`,
		(&happens{h, 0, &ev}).String())
}

// TestDamaged: each byte of a state is changed to its neighbour, in its highest bit, and in all bits; and
// each state that is too short, or too long by one, is refused.
func TestDamaged(t *testing.T) {
	var read []uint8
	a := spoil(lcr.Participant(), spoiling{state: func(n *spoilt, s *election.State) {
		one := uint8(n.extra)
		s.Uint8(&one)
		n.extra = uint64(one)
		read = append(read, one)
	}})
	in, err := (&trial{Algorithm: a}).input(upTo(1))
	require.NoError(t, err)
	h := &history{in: in}
	host := in.Node(0)
	b := new(election.State).Append(nil, &host)
	read = nil
	require.NoError(t, damaged(h, 0, b))
	for _, flipped := range []uint8{1, 0x80, 0xff} {
		require.Contains(t, read, flipped)
	}
	slices.Sort(read)
	require.Equal(t, []uint8{0, 1, 0x80, 0xff}, slices.Compact(read))
}

// TestGoroutineLeft: a Node that starts a goroutine is found while that is there.
func TestGoroutineLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		a := stepping(func(n *spoilt, e *election.Env, ev *election.Event) {
			if n.Node.Step(e, ev); elected(ev) {
				go time.Sleep(time.Hour)
			}
		})
		err := purity(&trial{Options: Options{Seeds: 3, Processes: 4}, Algorithm: a, ctx: t.Context(),
			t: t})
		require.Equal(t, 100*time.Millisecond, time.Since(began))
		require.Regexp(t, `^a Node is a pure state machine, and has left [1-9]\d* goroutines behind$`,
			err.Error())
		time.Sleep(time.Hour) // until the last has ended
	})
}

// TestGoroutineEnds: a goroutine that ends soon is not held against a Node. The runtime's count is left out:
// the clock of a bubble does not wait for what the runtime does of its own, as the work of a finalizer.
func TestGoroutineEnds(t *testing.T) {
	for _, c := range []struct {
		lasts, took time.Duration
		left        int
	}{{98500 * time.Microsecond, 99 * time.Millisecond, 0}, {99 * time.Millisecond, 99 * time.Millisecond, 0},
		{99500 * time.Microsecond, 100 * time.Millisecond, 3}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			count := func() int {
				if time.Since(began) < c.lasts {
					return 5
				}
				return 1
			}
			require.Equal(t, c.left, leftOf(count, 2))
			require.Equal(t, c.took, time.Since(began))
		})
	}
}
