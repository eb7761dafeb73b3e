package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/electiontest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/trace"
)

// TestConformance: it keeps all that its description promises, and elects the smallest.
func TestConformance(t *testing.T) {
	electiontest.Test(t, algorithm(), electiontest.Options{})
}

// TestRecord: a trace of it can be read and drawn by what does not know the algorithm.
func TestRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lowest.ndjson")
	record(t.Context(), &scenario.Input{Algorithm: algorithm(), IDs: []election.ID{3, 1, 2}}, file)
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	recorded, err := trace.Read(f)
	require.NoError(t, err)
	require.Equal(t, "lowest", recorded.Header.Scenario.Algorithm)
	require.NoError(t, trace.WriteSVG(t.Output(), recorded))
}
