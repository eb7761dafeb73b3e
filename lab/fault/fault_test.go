package fault_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/fault"
)

type ids = []election.ID

func TestCheckRefuses(t *testing.T) {
	cut := func(p fault.Partition) fault.Plan {
		return fault.Plan{Partitions: []fault.Partition{{Groups: []ids{{1}}}, p}}
	}
	for want, plan := range map[string]fault.Plan{
		"loss: -0.1 is not a probability, from 0 to 1":     {Loss: -0.1},
		"loss: NaN is not a probability, from 0 to 1":      {Loss: math.NaN()},
		"duplicate: 1.5 is not a probability, from 0 to 1": {Loss: 1, Duplicate: 1.5},
		"reorder: +Inf is not a probability, from 0 to 1":  {Reorder: math.Inf(1)},
		"partitions[1].from: -1ns is less than 0": cut(fault.Partition{From: -1,
			Groups: []ids{{1}}}),
		"partitions[1].groups: at least one group is needed": cut(fault.Partition{}),
		"partitions[1].groups[1]: it is empty":               cut(fault.Partition{Groups: []ids{{1}, {}}}),
		"partitions[1].groups[0][1]: 9 is not a process":     cut(fault.Partition{Groups: []ids{{1, 9}}}),
		"partitions[1].groups[1][0]: 1 is already in groups[0]": cut(fault.Partition{Groups: []ids{{1},
			{1}}}),
		"partitions[1].groups[0][2]: 2 is already in groups[0]": cut(fault.Partition{Groups: []ids{{2, 1,
			2}}}),
		"partitions[1].until: 2s is not after the beginning of the partition, 2s": cut(fault.Partition{
			From: 2 * time.Second, Until: 2 * time.Second, Groups: []ids{{1}}}),
		"partitions[1].until: -1ns is not after the beginning of the partition, 0s": cut(fault.Partition{Until: -1, Groups: []ids{{1}}}),
	} {
		err := plan.Check(ids{1, 2, 3}, time.Duration.String)
		assert.ErrorIs(t, err, election.ErrInput)
		assert.EqualError(t, err, election.ErrInput.Error()+": "+want)
	}
}

func TestCheck(t *testing.T) {
	none := fault.Plan{}
	require.NoError(t, none.Check(nil, time.Duration.String))
	require.False(t, none.Any())
	all := fault.Plan{Loss: 1, Duplicate: 0.5, Partitions: []fault.Partition{{Groups: []ids{{3}, {1, 2}}}}}
	require.NoError(t, all.Check(ids{1, 2, 3}, time.Duration.String))
	require.True(t, all.Any())
	require.True(t, all.Chance())
	cut := fault.Plan{Partitions: all.Partitions}
	require.True(t, cut.Any())
	require.False(t, cut.Chance())
}

// links returns which of the links between four processes are cut, from and to.
func links(c fault.Cuts, at time.Duration) (cut [][2]election.ID) {
	for from := election.ID(1); from <= 4; from++ {
		for to := election.ID(1); to <= 4; to++ {
			if c.Loses(from, to, at) {
				cut = append(cut, [2]election.ID{from, to})
			}
		}
	}
	return cut
}

func TestCuts(t *testing.T) {
	none := fault.Plan{}
	require.Empty(t, links(none.Cuts(), 0))

	plan := fault.Plan{Partitions: []fault.Partition{{From: 3, Until: 9, Groups: []ids{{1, 2}, {3}}}}}
	all := [][2]election.ID{{1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 1}, {3, 2}, {3, 4}, {4, 1}, {4, 2}, {4, 3}}
	require.Empty(t, links(plan.Cuts(), 2))
	require.Equal(t, all, links(plan.Cuts(), 3), "it is cut from the first moment on")
	require.Equal(t, all, links(plan.Cuts(), 8))
	require.Empty(t, links(plan.Cuts(), 9), "at the last it is over")

	plan.Partitions[0].Until = 0
	require.Equal(t, all, links(plan.Cuts(), math.MaxInt64))

	plan.Partitions[0].OneWay = true
	oneWay := [][2]election.ID{{1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
	require.Equal(t, oneWay, links(plan.Cuts(), 3), "a process in no group is in the last")

	plan.Partitions = []fault.Partition{{Groups: []ids{{4}}, OneWay: true},
		{From: 1, Groups: []ids{{1}}, OneWay: true}}
	require.Equal(t, [][2]election.ID{{4, 1}, {4, 2}, {4, 3}}, links(plan.Cuts(), 0))
	require.Equal(t, [][2]election.ID{{1, 2}, {1, 3}, {1, 4}, {4, 1}, {4, 2}, {4, 3}}, links(plan.Cuts(), 1))
}

// TestHeal: adding and healing cuts does not change the original Cuts.
func TestHeal(t *testing.T) {
	plan := fault.Plan{Partitions: []fault.Partition{{From: 5, Groups: []ids{{1}}}}}
	later := plan.Cuts()
	both := later.With(fault.Partition{From: 2, Groups: []ids{{2}}})
	require.Empty(t, links(later, 2))
	require.Len(t, links(both, 2), 6)
	require.Len(t, links(both, 5), 10)
	healed := both.Without(2)
	require.Empty(t, links(healed, 2))
	require.Len(t, links(healed, 5), 6, "what begins later still comes")
	require.Len(t, links(both, 5), 10)
}
