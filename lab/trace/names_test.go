package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/inquiry"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/peterson"
)

// TestFieldNames: a log names the fields of messages as their algorithm does, and a file holds the names; one
// without them is read as well.
func TestFieldNames(t *testing.T) {
	for _, c := range []struct {
		algorithm *election.Algorithm
		header    string
		log       string // with the names
		plain     string // without
	}{
		{hs.Probe(), `"names":[{"round":"phase","value":"hops"},{"round":"phase"},{}]`,
			"probe 3 phase 1 hops 2", "probe 3 round 1 value 2"},
		{inquiry.Naive(), `"names":[{"marks":["first"]},{"marks":["first"]},{}]`, "election 1 first",
			"election 1 flags 1"},
		{peterson.Algorithm(), `"kinds":["candidate","elected"]}` + "\n", "candidate 1", "candidate 1"},
	} {
		tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: c.algorithm, IDs: numbered(3)}})
		require.Contains(t, string(written(t, tr)), c.header)
		back, err := trace.Read(bytes.NewReader(written(t, tr)))
		require.NoError(t, err)
		require.Equal(t, tr.Header.Names, back.Header.Names)
		require.Contains(t, logOf(t, back), c.log)
		tr.Header.Names = nil
		require.NotContains(t, string(written(t, tr)), `"names"`)
		back, err = trace.Read(bytes.NewReader(written(t, tr)))
		require.NoError(t, err)
		require.Contains(t, logOf(t, back), c.plain)
	}
}

func logOf(t *testing.T, tr *trace.Trace) string {
	t.Helper()
	var log bytes.Buffer
	require.NoError(t, trace.WriteLog(&log, tr))
	return log.String()
}

// TestMessageText: marks are single bits of Flags, and what is left of them is a number.
func TestMessageText(t *testing.T) {
	request := election.Kind{Name: "request", Round: "stamp", Flags: "section", Marks: []string{7: "inside"}}
	for want, m := range map[string]election.Message{
		"request stamp 2 section 3 inside": {Round: 2, Flags: 0x83},
		"request inside":                   {Flags: 0x80},
		"request 4 term 2 value 5":         {Rank: election.Rank{ID: 4}, Term: 2, Value: 5},
	} {
		require.Equal(t, want, trace.MessageText(request, &m))
	}
	unknown := election.Message{Kind: 9, Flags: 1}
	require.Equal(t, "kind 9 flags 1", trace.MessageText(election.Kind{}, &unknown))

	held := election.Message{Kind: 3, Value: uint64(3 * scenario.Unit / 2)}
	time := election.Kind{Name: "held", Value: "nanoseconds"}
	require.Equal(t, "held for 1.5", trace.MessageText(time, &held))

	duel := election.Kind{Name: "duel", Value: "way/route"}
	for want, value := range map[string]uint64{"duel": 0, "duel way 1": 1 << 32, "duel route 2+32": 1<<31 | 2,
		"duel way 1+3 route 2": 5<<32 | 2} {
		require.Equal(t, want, trace.MessageText(duel, &election.Message{Value: value}))
	}

	record := election.Kind{Name: "put", Value: "revision,milliseconds"}
	for want, value := range map[string]uint64{"put": 0, "put revision 3": 3 << 32, "put revision 1 for 2.5": 1<<32 | 2500} {
		require.Equal(t, want, trace.MessageText(record, &election.Message{Value: value}))
	}

	demand := echo.Implicit().KindOf(1)
	require.Equal(t, "demand initiator 6", trace.MessageText(demand, &election.Message{Kind: 1, Value: 6}))
}

// TestCommandsHaveNoNames: a command is no message of the kind that has its number.
func TestCommandsHaveNoNames(t *testing.T) {
	tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: hs.Probe(), IDs: numbered(2)}})
	tr.Events = []trace.Event{{Process: 1, Seq: 1, Do: observe.Init},
		{Process: 1, Seq: 2, Do: observe.Command, Message: election.Message{Kind: 1, Round: 3}}}
	require.Contains(t, logOf(t, tr), "takes command 1 round 3")
}

// TestNamesOfAFileStayOnTheirLine: a name from a file cannot begin a line of its own.
func TestNamesOfAFileStayOnTheirLine(t *testing.T) {
	tr := simulated(t, sim.Config{Input: scenario.Input{Algorithm: hs.Probe(), IDs: numbered(2)}})
	lines := strings.Count(logOf(t, tr), "\n")
	tr.Header.Names[0] = trace.Names{Round: "a\nb", Value: "c\nd"}
	tr.Header.Kinds[0] = "\x1b[31mprobe\nprobe"
	back, err := trace.Read(bytes.NewReader(written(t, tr)))
	require.NoError(t, err)
	require.Contains(t, logOf(t, back), "c d 1")
	require.Contains(t, logOf(t, back), "sends  [31mprobe probe 1")
	require.Equal(t, lines, strings.Count(logOf(t, back), "\n"))
}
