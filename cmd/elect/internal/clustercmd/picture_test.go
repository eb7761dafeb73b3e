package clustercmd

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/cluster"
)

var update = flag.Bool("update", false, "write the picture of the README")

// recorded returns the run that was recorded with
//
//	elect cluster --json --svg docs/cluster.svg >cmd/elect/internal/clustercmd/testdata/run.json
func recorded(t *testing.T) *record {
	t.Helper()
	text, err := os.ReadFile("testdata/run.json")
	require.NoError(t, err)
	r := &record{}
	for line := range bytes.Lines(text) {
		var e cluster.Event
		require.NoError(t, json.Unmarshal(line, &e))
		if e.What != "" {
			r.events = append(r.events, e)
		} else {
			require.NoError(t, json.Unmarshal(line, &r.Summary))
		}
	}
	return r
}

// TestPicture: the picture of the README is what the command draws of the recorded run, in which the leader was
// killed, frozen and cut off, and another led within a second.
func TestPicture(t *testing.T) {
	const name = "../../../../docs/cluster.svg"
	r := recorded(t)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(r.svg()), 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.True(t, r.svg() == string(want), "run with -update")
	require.NoError(t, r.Err())
	require.Less(t, len(want), 500_000)
	var after []string
	for _, l := range r.Leases {
		after = append(after, l.After)
		require.Less(t, l.Gap, time.Second)
	}
	require.Equal(t, []string{"", "kill", "stop", "cut", "term"}, after)
}

// moving are the animations of a picture: when each text of a class appears and disappears, in percent.
var moving = regexp.MustCompile(`@keyframes (c\d+) \{ (0% \{ opacity: 0 \} )?([\d.]+)% \{ opacity: 1 \}(?: ([\d.]+)% \{ opacity: 0 \})? \}`)

// TestMotion: at each moment one text at most stands at a place. Without motion the last text of each place is
// visible, and only that.
func TestMotion(t *testing.T) {
	picture := recorded(t).svg()
	type span struct{ from, until float64 }
	spans := make(map[string]span)
	for _, m := range moving.FindAllStringSubmatch(picture, -1) {
		from, err := strconv.ParseFloat(m[3], 64)
		require.NoError(t, err)
		until := 100.0
		if m[4] != "" {
			until, err = strconv.ParseFloat(m[4], 64)
			require.NoError(t, err)
		}
		require.Less(t, from, until, m[0])
		require.Equal(t, from == 0, m[2] == "", "before it appears it is hidden")
		spans[m[1]] = span{from, until}
	}
	texts := regexp.MustCompile(`<text x="([\d.]+)" y="([\d.]+)" [^>]*class="(c\d+)" opacity="(\d)"`).FindAllStringSubmatch(picture, -1)
	require.Len(t, texts, len(spans))
	require.Greater(t, len(texts), 30)
	last := make(map[string]string)
	for _, m := range texts {
		place := m[1] + " " + m[2]
		if before := last[place]; before != "" {
			require.Equal(t, spans[before].until, spans[m[3]].from, place)
		}
		last[place] = m[3]
	}
	for _, m := range texts {
		require.Equal(t, last[m[1]+" "+m[2]] == m[3], m[4] == "1", m[0])
	}
	require.Equal(t, 2, strings.Count(picture, "@media (prefers-"))
	require.NotContains(t, picture, "<script")
	require.Equal(t, 1, strings.Count(picture, "http"), "it needs no other file")
}

// TestPictures: any run can be drawn, also without a leader, or with two, or for an hour.
func TestPictures(t *testing.T) {
	s := afternoon()
	for want, r := range map[string]*record{
		"no member led":     {Summary: cluster.Summary{Members: 3, Took: second}},
		"Never two leaders": {cluster.Summary{Members: 3, Took: 11 * second, Leases: s.Leases, Lease: second}, s.events},
		"two leases were valid at once": {Summary: cluster.Summary{Members: 2, Took: time.Hour, Leases: []cluster.Lease{
			{Member: "a", Term: 1, Until: time.Hour}, {Member: "b", Term: 2, From: second, Until: time.Hour}}}},
	} {
		picture := r.svg()
		for parts := xml.NewDecoder(strings.NewReader(picture)); ; {
			_, err := parts.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.Contains(t, picture, want)
		width, _, _ := strings.Cut(strings.SplitN(picture, ` width="`, 2)[1], `"`)
		wide, err := strconv.ParseFloat(width, 64)
		require.NoError(t, err)
		require.LessOrEqual(t, wide, laneLeft+widest+statusRoom)
	}
}

// TestDraw: --svg draws any script. The file is checked before the run.
func TestDraw(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.svg")
	code, _, stderr := played(t, "--svg "+file, "wait leader\nkill a", leads, status)
	require.Zero(t, code, stderr)
	picture, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(picture), "<desc>a leads. a is killed. Never two leaders.</desc>")

	code, stdout, stderr := played(t, "--svg -", "wait leader", leads, status)
	require.NotZero(t, code)
	require.Empty(t, stdout)
	require.Equal(t, "elect: --svg -: the events are on standard output\n", stderr)
}
