package check_test

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// turnout is the election of a group whose voters change, with leases of two ticks.
type turnout struct {
	voters                        string
	processes                     int           // three if zero
	candidates                    []election.ID // all if nil
	ticks                         int
	crashes, recoveries, restarts int
	long                          bool
}

const allSets = "to=1,2,3,12,13,23"

var turnouts = []turnout{
	{voters: "agreed=123 " + allSets + " changes=1 by=1 terms=2"},
	{voters: "agreed=123 to=1,23 changes=2 by=1 terms=2"},
	{voters: "agreed=12 returns=12,2 to=1 changes=1 by=1 terms=2", processes: 2, ticks: 2, crashes: 1, restarts: 1},
	{voters: "agreed=123 terms=2 late", candidates: ids(1, 2)},
	{voters: "wishes=123 terms=1"},
	{voters: "wishes=123,23 terms=1"},

	{voters: "agreed=123 " + allSets + " changes=1 by=1 terms=3", candidates: ids(1, 2), long: true},
	{voters: "agreed=123 to=1 changes=1 by=1 terms=3 stay", candidates: ids(1, 2), ticks: 2, long: true},
	{voters: "wishes=123 returns=123,23 terms=1 stay", candidates: ids(1, 2), ticks: 2, crashes: 1, restarts: 1,
		long: true},
	{voters: "agreed=123 to=1,23 changes=1 by=1 terms=2 stay", candidates: ids(1, 2), ticks: 2, crashes: 1,
		restarts: 1, long: true},
	{voters: "agreed=123 to=12,23 changes=1 by=1 terms=2 stay", candidates: ids(1, 2), ticks: 2, crashes: 1,
		recoveries: 1, long: true},
	{voters: "agreed=12 wishes=12,12,1234 to=34,1234 changes=1 by=1 terms=2", processes: 4, candidates: ids(1, 3),
		long: true},
	{voters: "agreed=123 " + allSets + " changes=1 by=1 terms=3", long: true},
	{voters: "agreed=123 to=1,23 changes=2 by=1 terms=3", candidates: ids(1, 2), long: true},
	{voters: "agreed=123 to=1,23 changes=1 by=1 terms=4", candidates: ids(1, 2), long: true},
	{voters: "wishes=123 returns=123,23 to=23 changes=1 by=1 terms=2 stay", candidates: ids(1, 2), ticks: 2, crashes: 2,
		restarts: 2, long: true},
}

func (o turnout) config(t *testing.T) check.Config {
	settings := twoTicks
	settings.Durable = true
	c := leaseCheck(leases(t, settings), o.ticks, second)
	c.Until++ // not zero, which would be no end
	c.IDs, c.Initiators = rising(cmp.Or(o.processes, 3)), o.candidates
	c.Crashes, c.Recoveries, c.Restarts = o.crashes, o.recoveries, o.restarts
	v, err := check.ReadVoters(o.voters)
	require.NoError(t, err)
	c, err = v.In(c)
	require.NoError(t, err)
	if c.MaxStates = mostStates; o.long {
		c.MaxStates = mostLeasesLong
	}
	return c
}

// TestVotersChange: whatever happens while voters change, no two processes hold a lease simultaneously, Terms increase, and
// each configuration of voters follows the previous one.
func TestVotersChange(t *testing.T) {
	const header = "processes | voters | candidates | ticks | crashes | come back without state | with state | states | " +
		"farthest | verdict"
	documented(t, "voters", header, turnoutRows(t, false))
	if *long {
		printed(t, header, turnoutRows(t, true))
	}
}

func turnoutRows(t *testing.T, further bool) (rows []row) {
	for _, o := range turnouts {
		if o.long != further {
			continue
		}
		candidates := "all"
		if o.candidates != nil {
			candidates = strings.Trim(strings.ReplaceAll(fmt.Sprint(o.candidates), " ", " and "), "[]")
		}
		what := fmt.Sprintf("%d | `%s` | %s | %d | %d | %d | %d", cmp.Or(o.processes, 3), o.voters, candidates, o.ticks,
			o.crashes, o.recoveries, o.restarts)
		rows = append(rows, row{what, func() string {
			r := run(t, o.config(t))
			require.Nil(t, r.Counterexample, "%+v", o)
			return fmt.Sprintf("%d | %d | %s", r.States, r.Depth, howFar(r))
		}})
	}
	return rows
}

// TestTidy: what processes may hold does not depend on messages that nobody acts on.
func TestTidy(t *testing.T) {
	for _, o := range []turnout{
		{voters: "agreed=12 to=1,2 changes=1 terms=2 late", processes: 2, candidates: ids(1)},
		{voters: "agreed=1 wishes=1,12 to=2 changes=1 terms=2 late", processes: 2},
		{voters: "wishes=12 terms=1 late", processes: 2},
	} {
		c := o.config(t)
		all, r := collected(t, c)
		c.Untidy()
		untidy, full := collected(t, c)
		require.Less(t, r.States, full.States, o.voters)
		require.True(t, maps.Equal(untidy, all), o.voters)
	}
}

// TestVotersLoseMemory: the limit of rule 20: all voters without which there is no quorum lose their memory at the same
// time.
func TestVotersLoseMemory(t *testing.T) {
	c := turnout{voters: "agreed=1 wishes=1,12 terms=3", candidates: ids(1), ticks: 2, crashes: 1, recoveries: 1}.config(t)
	trail := fails(t, c, verdict.LaterTerms)
	require.Equal(t, "process 1 begins to lead in Term 2, after a lease in Term 2", trail.Reason.Error())
	replays(t, c.Input, trail)
}

// TestVotersFoundAnotherGroup: the other limit: processes that know nothing of the group, and whose list contains no member
// of it, found a second one.
func TestVotersFoundAnotherGroup(t *testing.T) {
	c := turnout{voters: "agreed=12 wishes=12,12,34 terms=2 leases", processes: 4, candidates: ids(1, 3)}.config(t)
	trail := fails(t, c, verdict.LaterTerms)
	require.Equal(t, "process 1 begins to lead in Term 2, after a lease in Term 2", trail.Reason.Error())
	require.Len(t, trail.Steps, 18)
	replays(t, c.Input, trail)
}

func TestReadVoters(t *testing.T) {
	for text, want := range map[string]string{
		"agreed=190":          `voters: "agreed=190": want agreed, wishes, returns, to, by (sets such as 123), changes, terms (numbers), late, stay or leases`,
		"agreed=1 when=2":     `voters: "when=2": want agreed, wishes, returns, to, by (sets such as 123), changes, terms (numbers), late, stay or leases`,
		"changes=1":           `voters: "changes=1": there is no wish, or no set to change to`,
		"agreed=12 changes=1": `voters: "agreed=12 changes=1": there is no wish, or no set to change to`,
	} {
		_, err := check.ReadVoters(text)
		require.EqualError(t, err, election.ErrInput.Error()+": "+want)
	}
	v, err := check.ReadVoters("agreed=12 wishes=12,123 returns=3 to=3,23 changes=2 by=2 terms=4 late stay leases")
	require.NoError(t, err)
	require.Equal(t, &check.Voters{Agreed: 3, Wishes: []uint8{3, 7}, Returns: []uint8{4}, To: []uint8{4, 6}, Changes: 2,
		By: 2, Terms: 4, Late: true, Stay: true, Leases: true}, v)
	c := leaseCheck(leases(t, twoTicks), 1, second)
	c.IDs = ids(2, 3, 4)
	_, err = v.In(c)
	require.ErrorContains(t, err, "the processes need the IDs from 1 on, and at most 8")
	_, err = v.In(toys(election.Complete, 2, nil))
	require.ErrorContains(t, err, "never change")
	c = turnout{voters: "agreed=12"}.config(t)
	require.Equal(t, "links keep no order, any message may be lost, and some may arrive any number of times, "+
		"configurations arrive whole", c.LinksInWords())
	c.Wishes = []scenario.Wish{{At: scenario.At{ID: 1}, Voters: ids(1)}}
	require.ErrorContains(t, c.Check(), "wishes")
}
