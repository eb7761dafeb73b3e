package faults_test

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/params"
	"github.com/go-election/election/transport/faults"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type ids = []election.ID

func TestFaultsRefused(t *testing.T) {
	for want, f := range map[string]faults.Config{
		"min: -1ns is negative":                                                           {Min: -1},
		"max: 1ns is less than min, 2ns":                                                  {Min: 2, Max: 1},
		"max: -1ns is less than min, 0s":                                                  {Max: -1},
		"max: 2562047h47m16.854775807s is too long":                                       {Max: math.MaxInt64},
		"loss: 2 is not a probability, from 0 to 1":                                       {Plan: fault.Plan{Loss: 2}},
		"reorder: 0.5, but packets without delay cannot overtake each other":              {Plan: fault.Plan{Reorder: 0.5}},
		"partitions[0].groups: at least one group is needed":                              {Plan: fault.Plan{Partitions: []fault.Partition{{}}}},
		"partitions[0].groups[1][0]: 1 is already in groups[0]":                           {Plan: fault.Plan{Partitions: []fault.Partition{{Groups: []ids{{1}, {1}}}}}},
		"partitions[0].until: 1ns is not after the beginning of the partition, 2ns":       {Plan: fault.Plan{Partitions: []fault.Partition{{From: 2, Until: 1, Groups: []ids{{1}}}}}},
		"partitions[0].until: 1h0m0s is not after the beginning of the partition, 2h0m0s": {Plan: fault.Plan{Partitions: []fault.Partition{{From: 2 * time.Hour, Until: time.Hour, Groups: []ids{{1}}}}}},
	} {
		_, err := faults.NewLinks(f)
		assert.ErrorIs(t, err, election.ErrInput)
		assert.EqualError(t, err, election.ErrInput.Error()+": "+want)
	}
	newLinks(t, faults.Config{Max: params.MaxTimeout})
	l := newLinks(t, faults.Config{})
	require.ErrorIs(t, l.Cut(), election.ErrInput)
	require.ErrorIs(t, l.CutOneWay(ids{1}, ids{}), election.ErrInput)
	require.ErrorIs(t, l.Cut(ids{1}, ids{2, 1}), election.ErrInput)
}

// TestNoFaults: Send returns the error of the inner transport.
func TestNoFaults(t *testing.T) {
	p := newPair(t, faults.Config{})
	p.send(1, 2, 3)
	require.Equal(t, arrivals{{1, 0}, {2, 0}, {3, 0}}, p.arrived())
	require.Equal(t, faults.Stats{Sent: 3}, p.links.Stats())
	p.wire.fail = errCable
	require.ErrorIs(t, p.a.Send(t.Context(), packet(4)), errCable)
}

func TestLoss(t *testing.T) {
	const n, loss = 10_000, 0.3
	lost := func(seed uint64) arrivals {
		p := newPair(t, faults.Config{Plan: fault.Plan{Loss: loss}, Seed: seed})
		p.send(numbers(n)...)
		left := p.arrived()
		require.InDelta(t, n*(1-loss), len(left), n/50)
		require.Equal(t, faults.Stats{Sent: n, Lost: uint64(n - len(left))}, p.links.Stats())
		return left
	}
	first := lost(1)
	require.Equal(t, first, lost(1))
	require.NotEqual(t, first, lost(2))

	p := newPair(t, faults.Config{Plan: fault.Plan{Loss: 1}})
	p.send(numbers(n)...)
	require.Empty(t, p.arrived())
}

func TestDuplicate(t *testing.T) {
	p := newPair(t, faults.Config{Plan: fault.Plan{Duplicate: 1}})
	p.send(1, 2)
	require.Equal(t, arrivals{{1, 0}, {1, 0}, {2, 0}, {2, 0}}, p.arrived())
	require.Equal(t, faults.Stats{Sent: 2, Duplicated: 2}, p.links.Stats())

	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Plan: fault.Plan{Duplicate: 1}, Min: time.Second})
		defer p.close()
		p.send(1, 2)
		require.Equal(t, arrivals{
			{1, time.Second}, {2, time.Second}, {1, 2 * time.Second}, {2, 2 * time.Second}},
			arrivedLater(p, time.Hour))
		require.Equal(t, faults.Stats{Sent: 2, Duplicated: 2, Delayed: 4}, p.links.Stats())
	})
}

// TestReorder: packets that are reordered come a delay late, and the others keep their order.
func TestReorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		p := newPair(t, faults.Config{Plan: fault.Plan{Reorder: 0.2}, Min: time.Second})
		defer p.close()
		p.send(numbers(n)...)
		var early, late []uint64
		for _, a := range arrivedLater(p, time.Hour) {
			if a.at == time.Second {
				early = append(early, a.value)
			} else {
				require.Equal(t, 2*time.Second, a.at)
				late = append(late, a.value)
			}
		}
		require.IsIncreasing(t, early)
		require.IsIncreasing(t, late)
		require.Len(t, early, n-len(late))
		require.InDelta(t, 0.2*n, len(late), 0.05*n)
		require.Less(t, late[0], early[len(early)-1], "a packet was overtaken")
		require.Equal(t, faults.Stats{Sent: n, Delayed: n, Reordered: uint64(len(late))}, p.links.Stats())
	})
}

// TestDelay: packets come when they should, in order.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		p := newPair(t, faults.Config{Min: time.Second, Max: 3 * time.Second, Seed: 4})
		defer p.close()
		begin := time.Now()
		sent := make(map[uint64]time.Duration)
		for _, v := range numbers(n) {
			sent[v] = time.Since(begin)
			p.send(v)
			time.Sleep(10 * time.Millisecond)
		}
		all := arrivedLater(p, time.Hour)
		require.Len(t, all, n)
		kept, last := 0, time.Duration(0)
		for i, a := range all {
			require.Equal(t, uint64(i+1), a.value)
			require.GreaterOrEqual(t, a.at, last)
			require.GreaterOrEqual(t, a.at, sent[a.value]+time.Second)
			require.LessOrEqual(t, a.at, sent[a.value]+3*time.Second)
			if a.at == last {
				kept++
			}
			last = a.at
		}
		require.Positive(t, kept, "some wait for the one before them")
		require.Equal(t, faults.Stats{Sent: n, Delayed: n}, p.links.Stats())
	})
}

// TestSeed: the links of a network do not disturb each other, and the same sends fare the same.
func TestSeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := faults.Config{
			Plan: fault.Plan{Loss: 0.2, Duplicate: 0.2, Reorder: 0.2}, Min: time.Second, Max: 9 * time.Second,
			Seed: 7,
		}
		fare := func(port election.Port, among ...election.ID) arrivals {
			p := newPair(t, f)
			defer p.close()
			for _, v := range numbers(200) {
				for _, to := range among {
					require.NoError(t, p.a.Send(t.Context(), election.Packet{From: 1, To: to}))
				}
				one := packet(v)
				one.Port = port
				require.NoError(t, p.a.Send(t.Context(), one))
			}
			return arrivedLater(p, time.Hour)
		}
		alone := fare(0)
		require.Greater(t, len(alone), 150)
		require.True(t, slices.Equal(alone, fare(0, 1, 3, 4)))
		require.False(t, slices.Equal(alone, fare(1)), "another port is another link")
		f.Seed++
		require.False(t, slices.Equal(alone, fare(0)))
	})
}

func TestPartitionByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := faults.Config{Min: time.Second, Plan: fault.Plan{Partitions: []fault.Partition{
			{From: 3 * time.Second, Until: 6 * time.Second, Groups: []ids{{1}, {2}}}}}}
		p := newPair(t, f)
		later := f
		later.Begin = time.Now().Add(2 * time.Second)
		q := newPair(t, later)
		time.Sleep(500 * time.Millisecond)
		for _, v := range numbers(9) {
			p.send(v)
			q.send(v)
			time.Sleep(time.Second)
		}
		require.Equal(t, []uint64{1, 2, 3, 7, 8, 9}, arrivedLater(p, time.Hour).values(),
			"what was on its way arrives")
		require.Equal(t, []uint64{1, 2, 3, 4, 5, 9}, arrivedLater(q, time.Hour).values())
		require.Equal(t, faults.Stats{Sent: 9, Cut: 3, Delayed: 6}, p.links.Stats())
		p.close()
		q.close()
	})
}

func TestPartitionByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, faults.Config{Begin: time.Now().Add(time.Hour)}) // also before the beginning
		both := func(v uint64) {
			p.send(v)
			require.NoError(t, p.b.Send(t.Context(),
				election.Packet{From: 2, To: 1, Msg: election.Message{Value: 10 + v}}))
		}
		both(1)
		require.NoError(t, p.links.Cut(ids{2}))
		both(2)
		p.links.Heal()
		both(3)
		require.NoError(t, p.links.CutOneWay(ids{1}))
		both(4)
		time.Sleep(2 * time.Hour)
		p.links.Heal()
		both(5)
		require.Equal(t, []uint64{1, 11, 3, 13, 14, 5, 15}, p.arrived().values())
		require.Equal(t, faults.Stats{Sent: 10, Cut: 3}, p.links.Stats())
	})
}

// TestCutLink: a link is cut by itself, in one direction, until it is healed by itself or with everything else.
func TestCutLink(t *testing.T) {
	links, w := newLinks(t, faults.Config{}), &wire{}
	end := links.Over(w)
	// arrived sends a packet over each link between three processes, and returns the links over which it arrives.
	arrived := func() (all []uint64) {
		w.given = nil
		for from := election.ID(1); from <= 3; from++ {
			for to := election.ID(1); to <= 3; to++ {
				for port := range election.Port(2) {
					if from == to {
						continue
					}
					require.NoError(t, end.Send(t.Context(), election.Packet{From: from, To: to, Port: port,
						Msg: election.Message{Value: uint64(10*from + to)}}))
				}
			}
		}
		for _, v := range w.given.values() {
			if len(all) == 0 || all[len(all)-1] != v {
				all = append(all, v)
			}
		}
		return all
	}
	links.CutLink(1, 2)
	require.Equal(t, []uint64{13, 21, 23, 31, 32}, arrived())
	require.Equal(t, faults.Stats{Sent: 12, Cut: 2}, links.Stats())
	links.CutLink(1, 2) // again: a link is cut or not
	links.CutLink(3, 2)
	require.Equal(t, []uint64{13, 21, 23, 31}, arrived())
	links.HealLink(2, 1) // which is not cut
	links.HealLink(1, 2)
	require.Equal(t, []uint64{12, 13, 21, 23, 31}, arrived())

	require.NoError(t, links.Cut(ids{1}))
	links.HealLink(1, 2)
	require.Equal(t, []uint64{23}, arrived(), "a partition cuts the link as well")
	links.Heal()
	require.Equal(t, []uint64{12, 13, 21, 23, 31, 32}, arrived())
	require.NoError(t, end.Close())
}
