package scenario_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

func TestCompare(t *testing.T) {
	result := verdict.Result{
		Leader: 8, Claimants: 1, Agreed: true, Terminated: true, Messages: 22,
		ByKind: []observe.KindCount{{Kind: "election", Count: 16}, {Kind: "elected", Count: 6}},
	}
	none := verdict.Result{}
	stranger := verdict.Result{Leader: 8, Agreed: true}
	split := verdict.Result{Claimants: 2}
	entered := verdict.Result{Entries: []verdict.Entry{{At: 2 * scenario.Unit, ID: 2},
		{At: 7 * scenario.Unit, ID: 3}}}
	end := 25 * scenario.Unit / 2
	for _, c := range []struct {
		expect string
		result verdict.Result
		want   string
	}{
		{`{}`, result, ``},
		{`{"leader": 8, "messages": 22, "by_kind": {"elected": 6, "election": 16}, "time": 12.5}`, result,
			``},
		{`{"leader": 7}`, result, `leader: 8, not 7`},
		{`{"leader": null}`, result, `leader: all name 8, not none`},
		{`{"leader": null}`, stranger, `leader: all name 8, not none`},
		{`{"leader": null}`, none, ``},
		{`{"leader": null, "leaders": 2}`, split, ``},
		{`{"leader": null, "leaders": 0}`, split, `leaders: 2, not 0`},
		{`{"leader": null, "leaders": 0}`, none, ``},
		{`{"leader": 8, "leaders": 2}`, result, `leaders: 1, not 2`},
		{`{"leader": 8}`, split, `leader: no agreement, 2 processes believe they lead, not 8 alone`},
		{`{"leader": 8}`, none, `leader: no agreement, no process believes it leads, not 8 alone`},
		{`{"messages": 23}`, result, `messages: 22, not 23`},
		{`{"by_kind": {"elected": 6, "election": 15}}`, result, `by_kind.election: 16, not 15`},
		{`{"by_kind": {"election": 16}}`, result, `by_kind.elected: 6, not 0`},
		{`{"by_kind": {"elected": 6, "election": 16, "a": 0, "b b": 1}}`, result, `by_kind["b b"]: 0, not 1`},
		{`{"by_kind": {}}`, none, ``},
		{`{"time": 12}`, result, `time: 12.5, not 12`},
		{`{"entry_order": []}`, result, ``},
		{`{"entry_order": [2], "entries": [[2, 2]]}`, result, `entry_order: [], not [2]`},
		{`{"entry_order": [2, 3], "entries": [[2, 2], [7, 3]]}`, entered, ``},
		{`{"entry_order": [3, 2]}`, entered, `entry_order: [2 3], not [3 2]`},
		{`{"entries": []}`, entered, `entries: 2, not 0`},
		{`{"entries": [[2, 2], [7, 3], [9, 3]]}`, entered, `entries: 2, not 3`},
		{`{"entries": [[2, 2], [7.5, 3]]}`, entered, `entries[1]: 3 at 7, not 3 at 7.5`},
		{`{"entries": [[2, 3]]}`, entered, `entries[0]: 2 at 2, not 3 at 2`},
	} {
		e := one(t, `{"expect": `+c.expect+`}`).Expect
		err := e.Compare(&c.result, &end)
		if c.want == "" {
			assert.NoError(t, err, c.expect)
			continue
		}
		assert.ErrorIs(t, err, scenario.ErrUnexpected, c.expect)
		assert.EqualError(t, err, "scenario: not what was expected: "+c.want, c.expect)
	}
	var unknown *time.Duration
	require.NoError(t, one(t, `{"expect": {"time": 1}}`).Expect.Compare(&result, unknown),
		"there is no time to compare")
}
