package bridge

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	guard "github.com/go-election/election/elector/fence"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/museum"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/lab/verdict"
)

// storyFor returns the story of a scenario, as a page gets it.
func storyFor(t *testing.T, text string) *story {
	t.Helper()
	var b Bridge
	reply, err := b.Call(t.Context(), "service", []byte(`{"scenario": `+text+`}`), nil)
	require.NoError(t, err)
	var s story
	require.NoError(t, json.Unmarshal(reply.JSON, &s))
	return &s
}

// The leader is killed, the next one pauses for longer than its lease, and the third is cut off.
const (
	brokenVotes = `{"algorithm": "lease", "ids": [1, 2, 3, 4, 5], "until": 2000, "crash_at": [[5, 300]],
		"pause_at": [[4, 700, 1000]]}`
	brokenStore = `{"algorithm": "storelease", "ids": [1, 2, 3, 4], "until": 2000, "crash_at": [[4, 400]],
		"pause_at": [[3, 700, 1000]]}`
	brokenBully = `{"algorithm": "bully", "ids": [1, 2, 3, 4, 5], "until": 1000,
		"params": {"heartbeat": 25, "patience": 2},
		"acts": [{"after": 100, "do": "cut", "groups": [[5]]}, {"after": 200, "do": "heal"}]}`
)

// TestStory: with leases no two lead, and who comes late is refused. A paused leader wakes up and writes with its old
// token. Without leases a leader that is cut off leads on.
func TestStory(t *testing.T) {
	for name, text := range map[string]string{"votes": brokenVotes, "store": brokenStore} {
		t.Run(name, func(t *testing.T) {
			s := storyFor(t, text)
			require.True(t, s.Leases)
			require.GreaterOrEqual(t, len(s.Leads), 2)
			require.Empty(t, s.Rivals)
			require.Empty(t, s.Stale)
			require.NotEmpty(t, s.Votes)
			late := 0
			for _, w := range s.Writes {
				if w.Late == "pause" && w.Refused {
					late++
					require.Less(t, w.Token, w.Seen)
					require.Equal(t, 1000.0, w.Sent)
				}
				require.Equal(t, w.Late == "", !w.Refused, "%+v", w)
			}
			require.Equal(t, 1, late)
			for _, d := range s.Troubles {
				if d.Next >= 0 {
					require.Greater(t, d.From, d.At)
				}
			}
		})
	}

	s := storyFor(t, brokenBully)
	require.False(t, s.Leases)
	require.NotEmpty(t, s.Rivals)
	r := s.Rivals[0]
	require.Equal(t, [2]int{4, 3}, [2]int{r.Old, r.New})
	require.Len(t, s.Cuts, 1)
	cut := s.Cuts[0]
	require.Equal(t, 4, cut.Process)
	require.Less(t, cut.From, r.From)
	require.GreaterOrEqual(t, r.Until, cut.Until)
}

// TestStoryOfALateWrite: a leader that is cut off stops before another leads. What it has sent meanwhile arrives when
// the cut is healed, and is refused.
func TestStoryOfALateWrite(t *testing.T) {
	s := storyFor(t, `{"algorithm": "lease", "ids": [1, 2, 3], "until": 800,
		"acts": [{"after": 100, "do": "cut", "groups": [[3]]}, {"after": 160, "do": "heal"}]}`)
	require.Len(t, s.Troubles, 1)
	require.Equal(t, "cut", s.Troubles[0].Do)
	require.Equal(t, 1, s.Troubles[0].Next)
	require.Less(t, s.Leads[0].Until, s.Leads[1].From)
	refused := 0
	for _, w := range s.Writes {
		if w.Refused {
			refused++
			require.Equal(t, "cut", w.Late)
			require.Equal(t, s.Cuts[0].Until+writeTakes, w.Arrives)
		}
	}
	require.GreaterOrEqual(t, refused, 3)

	// If the cut is not healed, they do not arrive.
	s = storyFor(t, `{"algorithm": "lease", "ids": [1, 2, 3], "until": 800,
		"acts": [{"after": 100, "do": "cut", "groups": [[3]]}]}`)
	held := 0
	for _, w := range s.Writes {
		require.False(t, w.Refused)
		if w.Arrives == never {
			held++
		}
	}
	require.GreaterOrEqual(t, held, 3)
}

// TestStoryOfAPlannedCut: a partition of the plan is a cut as one by hand is, and a hand may end it.
func TestStoryOfAPlannedCut(t *testing.T) {
	s := storyFor(t, `{"algorithm": "lease", "ids": [1, 2, 3], "until": 800,
		"partitions": [{"from": 100, "until": 400, "groups": [[3]]}]}`)
	require.Equal(t, []span{{2, 100, 400}}, s.Cuts)
	require.Len(t, s.Troubles, 1)
	require.Equal(t, "cut", s.Troubles[0].Do)
	require.Equal(t, 1, s.Troubles[0].Next)
	refused := 0
	for _, w := range s.Writes {
		if w.Refused {
			refused++
			require.Equal(t, 400.0+writeTakes, w.Arrives)
		}
	}
	require.GreaterOrEqual(t, refused, 3)

	s = storyFor(t, `{"algorithm": "lease", "ids": [1, 2, 3], "until": 800,
		"partitions": [{"from": 100, "groups": [[1, 2], [3]]}], "acts": [{"after": 120, "do": "heal"}]}`)
	require.Len(t, s.Cuts, 1)
	require.Equal(t, 100.0, s.Cuts[0].From)
	require.Less(t, s.Cuts[0].Until, 800.0)
	require.Greater(t, s.Cuts[0].Until, 100.0)

	// The links of many members are not listed in a film.
	ids := make([]int, 80)
	for p := range ids {
		ids[p] = p + 1
	}
	text, err := json.Marshal(map[string]any{"algorithm": "lease", "ids": ids, "until": 200,
		"acts": []any{map[string]any{"after": 1000, "do": "cut", "groups": [][]int{{7}}}}})
	require.NoError(t, err)
	s = storyFor(t, string(text))
	require.Len(t, s.Cuts, 1)
	require.Equal(t, 6, s.Cuts[0].Process)
}

// TestStoryVotes: no vote is lent to two at once, and each lead that begins has a majority.
func TestStoryVotes(t *testing.T) {
	s := storyFor(t, brokenVotes)
	for i, v := range s.Votes {
		require.LessOrEqual(t, v.From, v.End)
		require.LessOrEqual(t, v.End, v.Until)
		for _, w := range s.Votes[:i] {
			require.False(t, v.Of == w.Of && v.From < w.End, "%+v and %+v", v, w)
		}
	}
	for _, l := range s.Leads {
		lent := 0
		for _, v := range s.Votes {
			if v.To == l.Process && v.Term == l.Term && v.From <= l.From && l.From < v.End {
				lent++
			}
		}
		require.GreaterOrEqual(t, lent, 3, "%+v", l)
	}
}

// TestFenceIsTheLibrarys: the register decides as the Guard of package fence does.
func TestFenceIsTheLibrarys(t *testing.T) {
	refused := 0
	for _, text := range []string{brokenVotes, brokenStore, brokenBully} {
		var g guard.Guard
		for _, w := range storyFor(t, text).Writes {
			if w.Arrives == never {
				continue
			}
			err := g.Check(w.Token)
			require.Equal(t, errors.Is(err, guard.ErrStale), w.Refused, "%+v", w)
			if w.Refused {
				refused++
			}
		}
	}
	require.GreaterOrEqual(t, refused, 3)
}

// asFencing makes a fence of a function.
type asFencing func(token uint64) bool

func (f asFencing) accepts(token uint64) bool { return f(token) }

// TestBrokenFence: writes that a wrong fence accepts are reported.
func TestBrokenFence(t *testing.T) {
	for name, broken := range map[string]asFencing{
		"accepts all":           func(uint64) bool { return true },
		"accepts one too small": func(token uint64) bool { return token+1 >= 2 },
	} {
		writes := []write{{Process: 1, Token: 1, Arrives: 1}, {Process: 2, Token: 2, Arrives: 2},
			{Process: 1, Token: 1, Arrives: 3}, {Process: 2, Token: 2, Arrives: 4}}
		register(writes, broken)
		require.Equal(t, []int{2}, stale(writes), name)
	}
	// Without unique tokens the right fence is of no use.
	writes := []write{{Process: 1, Token: 2, Arrives: 1}, {Process: 2, Token: 2, Arrives: 2}}
	register(writes, &fence{})
	require.Equal(t, []int{1}, stale(writes))
}

// TestRivals: the judge finds two leads that overlap, and none if one begins as the other ends.
func TestRivals(t *testing.T) {
	leads := []trace.Lead{{Process: 0, Term: 1, From: 0, Until: 10}, {Process: 1, Term: 2, From: 10, Until: 20},
		{Process: 2, Term: 3, From: 19.5, Until: 30}, {Process: 2, Term: 4, From: 29, Until: 40}}
	require.Equal(t, []rivalry{{1, 2, [2]uint64{2, 3}, 19.5, 20}}, rivals(leads))
}

// TestRivalsOfMistakes: the story of each mistake of the museum that breaks the rule of one lease has two leaders, in
// the steps that the checker has found.
func TestRivalsOfMistakes(t *testing.T) {
	entries, seen := 0, 0
	for _, x := range museum.All() {
		if x.Property != verdict.OneLease {
			continue
		}
		if seen++; seen%3 != 0 {
			continue // the checker takes a second for each
		}
		found, err := check.Run(t.Context(), x.Config)
		require.NoError(t, err)
		in := x.Config.Input
		in.Algorithm = x.Algorithm()
		require.NoError(t, in.Check())
		of, err := scenario.Of(&in)
		require.NoError(t, err)
		of.Steps = found.Counterexample.Steps
		text, err := of.MarshalJSON()
		require.NoError(t, err)
		require.NotEmpty(t, storyFor(t, string(text)).Rivals, x.ID())
		entries++
	}
	require.GreaterOrEqual(t, entries, 5)
}

// TestServiceTimes: the view runs the algorithm with the default times of package elector.
func TestServiceTimes(t *testing.T) {
	times := elector.LAN().Complete()
	second := storyFor(t, brokenVotes).Second
	inSeconds := func(units float64) time.Duration {
		return time.Duration(math.Round(units / second * float64(time.Second)))
	}
	require.Equal(t, times.Lease, inSeconds(100), "the default of lease in units")
	require.Equal(t, times.Renew, inSeconds(25))
	require.Equal(t, times.Delay, inSeconds(1))
	s := storyFor(t, `{"algorithm": "lease", "ids": [1, 2, 3], "until": 300}`)
	require.InDelta(t, 100, s.Votes[0].Until-s.Votes[0].From, 1)
	require.InDelta(t, 25, s.Votes[0].End-s.Votes[0].From, 1e-9)
	require.Equal(t, time.Second, scenario.Unit)
}

// TestServiceOfATrace: the record of real processes has no story.
func TestServiceOfATrace(t *testing.T) {
	var b Bridge
	_, err := b.Call(t.Context(), "service", nil, nil)
	require.ErrorContains(t, err, "scenario: missing")
}
