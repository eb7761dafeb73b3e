package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/itairodeh"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/params"
)

// threeDraws is an election of which a file says what is drawn.
const threeDraws = `{"algorithm": "itairodeh", "ids": [7, 5, 6], "draws": [[3, 1], [3, 2], []]}`

// TestDraws: they are read and written, and go with the Input both ways.
func TestDraws(t *testing.T) {
	s := one(t, threeDraws)
	require.Equal(t, [][]int{{3, 1}, {3, 2}, {}}, s.Draws)
	in, err := s.Input(catalog.Find)
	require.NoError(t, err)
	require.Equal(t, s.Draws, in.Draws)
	back, err := scenario.Of(&in)
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, scenario.Write(&b, back))
	require.Equal(t, strings.Replace(threeDraws, `"ids"`, `"variant": "rounds", "ids"`, 1)+"\n", b.String())
	roundTrip(t, []*scenario.Scenario{s, one(t, `{"draws": []}`), one(t, `{"draws": [[1]], "seed": 3}`)})
}

func TestDrawsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"draws": 1}`:              `scenario.draws: 1 is not a list`,
		`{"draws": [1]}`:            `scenario.draws[0]: 1 is not a list`,
		`{"draws": [[], ["a"]]}`:    `scenario.draws[1][0]: "a" is not a draw`,
		`{"draws": [[-1]]}`:         `scenario.draws[0][0]: -1 is not a draw`,
		`{"draws": [[2147483648]]}`: `scenario.draws[0][0]: 2147483648 is more than 2147483647`,
	} {
		_, err := scenario.Read(strings.NewReader(text))
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, prefix+want)
	}
	for text, want := range map[string]string{
		`"draws": [[1], [2]]`:                   `draws: 2 lists for 3 ids`,
		`"draws": []`:                           `draws: 0 lists for 3 ids`,
		`"draws": [[1], [2, 0], [1]]`:           `draws[1][1]: 0 is less than 1`,
		`"draws": [[1], [2], [1]], "steps": []`: `draws: not allowed with steps, which contain all events`,
		`"draws": [[1], [2], [1]], "params": {"k": 1}`: `params.k: processes that draw from one number stay ` +
			`alike for ever`,
	} {
		_, err := one(t, `{"algorithm": "itairodeh", "ids": [1, 2, 3], `+text+`}`).Input(catalog.Find)
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, prefix+want, text)
	}
}

// TestDrawAlone: a process without others may draw 1 too.
func TestDrawAlone(t *testing.T) {
	s := one(t, `{"algorithm": "itairodeh", "ids": [7], "draws": [[1]]}`)
	in, err := s.Input(catalog.Find)
	require.NoError(t, err)
	draw, err := in.Draw(0, 0, 1)
	require.NoError(t, err)
	require.Equal(t, 1, draw)
}

// TestDraw: draws come one after another, as far as the list goes.
func TestDraw(t *testing.T) {
	in := scenario.Input{IDs: []election.ID{7, 5}, Draws: [][]int{{}, {3, 1}}}
	draw, err := in.Draw(1, 0, 3)
	require.NoError(t, err)
	require.Equal(t, 3, draw)
	for want, of := range map[string][3]int{
		"draws[1][0]: 5 draws from 1 to 2, not 3":               {1, 0, 2},
		"draws[1]: 5 draws more than the 2 numbers of its list": {1, 2, 3},
		"draws[0]: 7 draws more than the 0 numbers of its list": {0, 0, 3},
	} {
		_, err := in.Draw(of[0], of[1], of[2])
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, prefix+want)
	}
}

// TestParamsOfDraws: unless a file says from how many numbers processes draw, they are as many as it needs.
func TestParamsOfDraws(t *testing.T) {
	a := itairodeh.Rounds()
	k := func(text string) float64 { return one(t, text).ParamsOf(a)["k"].Number }
	require.EqualValues(t, 5, k(`{"ids": [1, 2], "draws": [[1, 5], [2]]}`))
	require.EqualValues(t, 3, k(`{"ids": [1, 2, 3], "draws": [[1], [2], [1]]}`))
	require.EqualValues(t, 4, k(`{"ids": [1, 2], "draws": [[1, 5], [2]], "params": {"k": 4}}`))
	require.EqualValues(t, 5, k(`{"ids": [1, 2], "draws": [[1, 5], [2]], "params": {"size": 2}}`))
	require.Nil(t, one(t, `{"ids": [1, 2]}`).ParamsOf(a))
	other := one(t, `{"ids": [1, 2], "draws": [[1], [2]], "params": {"a": 4}}`)
	require.Equal(t, map[string]params.Value{"a": {Number: 4}}, other.ParamsOf(&election.Algorithm{}))
	require.Len(t, other.Params, 1)
}
