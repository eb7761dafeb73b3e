package scenario_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
)

// FuzzRead wants any text either to be refused in one printable line, or to be JSON that comes
// back the same after it was written. What was read makes an Input or is refused likewise.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../../testdata/scenarios/*.json")
	require.NoError(f, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
		all, err := scenario.Read(bytes.NewReader(text))
		require.NoError(f, err)
		for _, s := range all {
			one, err := s.MarshalJSON()
			require.NoError(f, err)
			f.Add(one)
		}
	}
	for _, text := range append(seeds, everyCommand) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := scenario.Read(bytes.NewReader(text))
		if err != nil {
			refused(t, err)
			return
		}
		require.NotEmpty(t, all)
		require.True(t, json.Valid(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
		roundTrip(t, all)
		for _, s := range all {
			if in, err := s.Input(find); err != nil {
				refused(t, err)
			} else {
				require.Equal(t, len(in.IDs), in.Topology.Len())
			}
		}
	})
}

// seeds hold what the files do not.
var seeds = []string{
	`{"algorithm": "tree", "topology": {"kind": "tree", "edges": [[1, 2], [2, 3]], "parent": {"2": 1}}, "ids": ["1", 2, 3]}`,
	`{"algorithm": "graph", "topology": {"kind": "graph", "edges": [[1, 2], [2, 3]]}, "ids": [1, 2, 3], "crashed": [2]}`,
	`{"topology": {"kind": "mesh", "rows": 2, "cols": 3, "dimension": 0}, "crash_at": [[1, 2.5]], "recover_at": [[1, 1e6]]}`,
	`{"schedule": "random", "seed": "18446744073709551615", "delay": {"distribution": "uniform", "min": 0.1, "max": 2}, "fifo": false, "until": 9.5}`,
	`{"delay": {"distribution": "exponential", "mean": 1e-9}, "params": {"a": "b", "c": 1.5, "d": {"7": 1e-9}, "e": {"7": [1]}}}`,
	`{"algorithm": "lcr", "ids": [1, 2, 3], "restart_at": [[1, 2.5]], "pause_at": [[2, 1, 4.5]], "loss": 0.1, "duplicate": 1, "reorder": 1e-9,
	  "partitions": [{"from": 1, "until": 9, "groups": [[1, 2], [3]], "one_way": true},
	  {"groups": [[2]]}, {"groups": []}, {}]}`,
	everyStep, everyAct, threeDraws,
	`{"algorithm": "lcr", "ids": [1, 2], "acts": [{"do": "delay", "process": 2, "port": 1, "by": -0}, {"do": "cut", "groups": [[2]]}, {}]}`,
	`{"algorithm": "lcr", "ids": [1, 2, 3], "steps": [{"do": "start", "process": 1}, {"do": "deliver", "process": 2, "port": 1, "at": 0.5}]}`,
	`{"algorithm": "lcr", "ids": [1], "steps": [{}, {"do": "crash", "choices": [], "port": 4294967295, "at": 1e6}], "initiators": []}`,
	`{"expect": {"leader": null, "entry_order": [], "entries": [[1, 2]]}, "note": "\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`,
}

// refused wants an error about the input that is one printable line, not too long.
func refused(t *testing.T, err error) {
	t.Helper()
	require.True(t, errors.Is(err, election.ErrInput), "%v", err)
	line := err.Error()
	require.True(t, utf8.ValidString(line), "%q", line)
	require.Less(t, len(line), 1000, "%q", line)
	for _, r := range line {
		require.True(t, unicode.IsPrint(r), "%q", line)
	}
}
