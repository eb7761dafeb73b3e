package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRecord: a run that was cut short continues from its results. It tries no cell again, also none that has
// failed, and takes no results of another run.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	own := setup{Commit: "abc", Lease: time.Second, Trials: 2, Parallel: 3}
	cells := find(t, "^kill -9 (the leader|all), n=3, none$")
	require.Len(t, cells, 2)
	r, err := openRecord(path, own)
	require.NoError(t, err)
	passed := &result{cell: cells[0], outcomes: []outcome{{Vacant: 7, Changes: 1}, {Late: true, Busy: true}},
		accepted: 4, refused: 5}
	require.NoError(t, r.add(passed))
	require.NoError(t, r.close())

	r, err = openRecord(path, own)
	require.NoError(t, err)
	require.Equal(t, passed, r.of(cells[0]))
	require.Nil(t, r.of(cells[1]))
	require.NoError(t, r.add(&result{cell: cells[1], err: errors.New("two leaders")}))
	require.NoError(t, r.close())

	r, err = openRecord(path, own)
	require.NoError(t, err)
	results, err := try(t.Context(), cells, &options{trials: 2, parallel: 1, lease: time.Second},
		[]string{"no such program"}, r)
	require.EqualError(t, err, "two leaders")
	require.Equal(t, passed, results[0])
	require.NoError(t, r.close())

	own.Trials = 3
	_, err = openRecord(path, own)
	require.ErrorContains(t, err, "its results are of {Commit:abc Lease:1s Trials:2 Parallel:3}, this run is")
	require.NoError(t, os.WriteFile(path, []byte("{}\n{"), 0o600))
	_, err = openRecord(path, setup{})
	require.ErrorContains(t, err, "line 2")
	require.NoError(t, os.WriteFile(path, []byte("no\n"), 0o600))
	_, err = openRecord(path, setup{})
	require.ErrorContains(t, err, "line 1")
}
