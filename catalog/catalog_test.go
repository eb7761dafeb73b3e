package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/params"
)

func TestFind(t *testing.T) {
	for _, a := range catalog.All() {
		found, err := catalog.Find(a.Name, a.Variant)
		require.NoError(t, err)
		require.Equal(t, a.Title(), found.Title())
	}
	for name, title := range map[string]string{"lcr": "lcr/participant", "hs": "hs/probe",
		"franklin": "franklin", "dkr": "dkr"} {
		found, err := catalog.Find(name, "")
		require.NoError(t, err)
		require.Equal(t, title, found.Title())
	}
}

func TestNotFound(t *testing.T) {
	for _, test := range []struct{ name, variant, want string }{
		{"lrc", "", `unknown algorithm "lrc": did you mean lcr?`},
		{"lcr/max", "", `unknown algorithm "lcr/max": the algorithm is "lcr", its variant "max"`},
		{"lcr/maxx", "", `unknown algorithm "lcr/maxx": `},
		{"dkr/", "", `unknown algorithm "dkr/": did you mean dkr?`},
		{"lcrr", "max", `unknown algorithm "lcrr": did you mean lcr?`},
		{"franklyn", "", `unknown algorithm "franklyn": did you mean franklin?`},
		{"dk", "", `unknown algorithm "dk": did you mean dkr?`},
		{"h", "", `unknown algorithm "h": did you mean hs?`},
		{"zzz", "", `unknown algorithm "zzz": there are `},
		{"", "", `unknown algorithm "": there are `},
		{"lcr", "wav", `unknown variant "wav": lcr has participant, initiators, max, wave`},
		{"hs", "reply", `unknown variant "reply": hs has probe, respond`},
		{"dkr", "b", `unknown variant "b": dkr has only one, without a name`},
	} {
		found, err := catalog.Find(test.name, test.variant)
		require.Nil(t, found)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, test.want)
	}
}

func TestNames(t *testing.T) {
	require.Subset(t, catalog.Names(), []string{"lcr", "hs", "franklin", "dkr"})
	require.Equal(t, []string{"participant", "initiators", "max", "wave"}, catalog.All().Variants("lcr"))
	require.Equal(t, []string{"probe", "respond"}, catalog.All().Variants("hs"))
	require.Empty(t, catalog.All().Variants("dkr"))
	require.Empty(t, catalog.All().Variants("none"))
}

func TestOnGraph(t *testing.T) {
	for name, want := range map[string]string{"treeelect": "treeelect/graph", "echo": "echo/implicit",
		"lcr": ""} {
		a, err := catalog.Find(name, "")
		require.NoError(t, err)
		if other := catalog.All().OnGraph(a); want == "" {
			require.Nil(t, other)
		} else {
			require.Equal(t, want, other.Title())
		}
	}
}

// TestDescriptions requires what every driver relies on: names that are found again, a Node, and
// kinds and bounds that are whole.
func TestDescriptions(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range catalog.All() {
		title := a.Title()
		require.False(t, seen[title], title)
		seen[title] = true
		require.NotEmpty(t, a.Summary, title)
		require.NotEmpty(t, a.Source, title)
		require.NotEmpty(t, a.Topology, title)
		require.NotEmpty(t, a.Wins(), title)
		require.NotEmpty(t, a.LateStart, title)
		require.NotNil(t, a.New(election.Setup{Self: election.Rank{ID: 1}, Ports: 2}), title)
		require.NotEmpty(t, a.Kinds, title)
		for _, kind := range a.Kinds {
			require.NotEmpty(t, kind.Name, title)
			require.NotNil(t, kind.Bits, "%s: its kind %s needs Bits, which elect compare counts", title,
				kind.Name)
		}
		for _, b := range []cost.Bound{a.Best, a.Mean, a.Worst} {
			require.False(t, b.Formula == "" && b.Count != nil, title)
		}
		if a.Best.Count == nil || a.Worst.Count == nil {
			continue
		}
		for n := 1; n <= 70; n++ {
			require.LessOrEqual(t, a.Best.Count(n), a.Worst.Count(n), "%s of %d", title, n)
			if a.Mean.Count != nil {
				require.LessOrEqual(t, a.Best.Count(n), a.Mean.Count(n)+1e-9, "%s of %d", title, n)
				require.LessOrEqual(t, a.Mean.Count(n), a.Worst.Count(n)+1e-9, "%s of %d", title, n)
			}
		}
	}
}

// TestDescriptionsAreTheCallers: a caller that modifies a description does not affect another caller's.
func TestDescriptionsAreTheCallers(t *testing.T) {
	catalog.All()[0].Kinds[0].Name = "spoiled"
	require.NotEqual(t, "spoiled", catalog.All()[0].Kinds[0].Name)
}

// TestParametersAreDescribed: what an algorithm asks for is what its description lists, and
// without any it is what the catalog holds.
func TestParametersAreDescribed(t *testing.T) {
	for _, a := range catalog.All() {
		require.Equal(t, a.Params == nil, a.Configure == nil, a.Title())
		if a.Configure == nil {
			continue
		}
		p := params.New[election.ID](nil, time.Second, nil)
		b, err := a.Configure(p)
		require.NoError(t, err, a.Title())
		for _, d := range a.Params {
			require.NotEmpty(t, d.About, "%s %s", a.Title(), d.Name)
			require.NotEmpty(t, d.Default, "%s %s", a.Title(), d.Name)
		}
		require.ElementsMatch(t, p.Names(), a.Params.Names(), a.Title())
		require.Equal(t, a.Title(), b.Title())
		require.Equal(t, a.Delay, b.Delay)
	}
}

// TestOrderOfWinner: a Winner determines which of two processes leads, all else being equal.
func TestOrderOfWinner(t *testing.T) {
	small := election.Candidate{Rank: election.Rank{ID: 1}, Ports: 2, Up: true, Initiator: true}
	large := small
	large.Rank.ID = 2
	for _, a := range catalog.All() {
		if a.Winner == nil {
			continue
		}
		turned, err := a.Smallest()
		if a.Sections == 0 {
			require.NoError(t, err, a.Title())
			require.Equal(t, !a.Winner.Smallest, turned.Winner.Smallest, a.Title())
		}
		won := a.Winner.Of([]election.Candidate{small, large}) == small.Rank.ID
		require.Equal(t, a.Winner.Smallest, won, a.Title())
	}
}
