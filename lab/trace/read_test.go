package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
)

const head = `{"trace":1,"driver":"sim","scenario":{"algorithm":"lcr","variant":"participant","ids":[2,1]},"links":{"shape":"ring","one_way":true},"kinds":["election","elected"]}` + "\n"

// TestUnfit: an error about a value of another type says what is wanted.
func TestUnfit(t *testing.T) {
	event := head + `{"process":2,"seq":1,"at":0,"do":`
	for text, want := range map[string]string{
		event + `7}`:                     "line 2: do: number, where a text is wanted",
		event + `"timeout","timer":300}`: "line 2: timer: number 300, where a whole number up to 255 is wanted",
		event + `"receive","from":2}`:    "line 2: from: number, where a list is wanted",
		event + `"send","message":[]}`:   "line 2: message: array, where an object is wanted",
		event + `"send","message":{"round":1.5}}`: "line 2: message.round: number 1.5, where a whole number up to " +
			"4294967295 is wanted",
		strings.Replace(head, `"one_way":true`, `"one_way":1`, 1): "line 1: links.one_way: number, where true " +
			"or false is wanted",
		strings.Replace(head, `"ring"`, `5`, 1): "line 1: links.shape: number, where a text is wanted",
	} {
		_, err := trace.Read(strings.NewReader(text))
		require.ErrorIs(t, err, election.ErrInput, text)
		require.Contains(t, err.Error(), want, text)
	}
}

// TestBadTraces: any mistake gives one line that names the line.
func TestBadTraces(t *testing.T) {
	send := head + `{"process":2,"seq":1,"at":0,"do":"start"}` + "\n" +
		`{"process":2,"seq":2,"at":0,"do":"send","peer":1,"port":0,"message":{"kind":"election","term":1,"id":2}}` + "\n"
	_, err := trace.Read(strings.NewReader(send))
	require.NoError(t, err)
	_, err = trace.Read(strings.NewReader(strings.ReplaceAll(send, ",", " , ")))
	require.NoError(t, err, "spaces do not matter")
	for text, want := range map[string]string{
		"":                               "line 1: the input is empty",
		"x":                              "line 1: it is not the beginning of a trace",
		`{"trace":2}`:                    "line 1: version 2, this program reads 1",
		head[:len(head)-2] + ",\"a\":1}": `line 1: unknown field "a"`,
		strings.Replace(head, `[2,1]`, `[2,2]`, 1): "line 1: ids: every process once, and at least one",
		strings.Replace(head, `"ring"`, `"graph"`,
			1): "line 1: links.ports: 2 processes on a \"graph\" need them",
		head + "\n": "line 2: it ends too early",
		head + "{}": `line 2: do: "" is nothing that happens`,
		head +
			`{"process":2,"seq":1,"at":0,"do":"dance"}`: `line 2: do: "dance" is nothing that happens`,
		head +
			`{"process":3,"seq":1,"at":0,"do":"start"}`: "line 2: process: 3 is not a process of this run",
		head +
			`{"process":2,"seq":2,"at":0,"do":"start"}`: "line 2: seq: 2 of process 2, after 0",
		head +
			`{"process":2,"seq":1,"at":0,"do":"done"}`: "line 2: do: process 2 cannot done when nothing " +
			"has happened to it",
		head +
			`{"process":2,"seq":1,"at":0,"do":"start","port":1}`: `line 2: where it says ",\"port\":1}" there should be "}"`,
		head + `{"process":2,"seq":1,"at":0.1234567891,"do":"start"}`: "line 2: 0.1234567891 is not a time in units",
		head +
			`{"process":2,"seq":1,"at":0,"do":"start"} x`: "line 2: something stands behind the object",
		send +
			`{"process":1,"seq":1,"at":1,"do":"receive","from":[2,1],"peer":2,"port":1,"message":{"kind":"election"}}`: "line 4: from: event 1 of process 2 is no sending, so far",
		send +
			`{"process":2,"seq":3,"at":1,"do":"receive","from":[2,2],"peer":2,"port":1,"message":{"kind":"election"}}`: "line 4: from: event 2 of process 2 was sent to 1",
		send +
			`{"process":1,"seq":1,"at":1,"do":"receive","from":[2,2],"peer":2,"port":1,"message":{"kind":"vote"}}`: `line 4: kind: "vote" is no message of this algorithm`,
		send +
			`{"process":1,"seq":1,"at":1,"do":"duplicated","from":[2,2]}`: "line 4: from: the message is " +
			"not one of process 1",
		head +
			`{"process":2,"seq":1,"at":-5,"do":"start"}`: "line 2: at: -5 is less than 0",
		send +
			`{"process":2,"seq":3,"at":-5,"do":"timeout","timer":1}`: "line 4: at: -5 is less than 0",
		strings.Replace(send, `"at":0,"do":"start"`, `"at":2,"do":"start"`,
			1): "line 3: at: 0 of process 2, after 2",
		strings.Replace(send, `"port":0`, `"port":4294967295`,
			1): "line 3: port: process 2 has no link at port 4294967295",
		strings.Replace(send, `"port":0`, `"port":1`,
			1): "line 3: port: process 2 has no link at port 1",
		strings.Replace(send, `"peer":1`, `"peer":2`,
			1): "line 3: port: 0 of process 2 does not lead to 2",
		send +
			`{"process":1,"seq":1,"at":1,"do":"receive","from":[2,2],"peer":2,"port":7,"message":{"kind":"election"}}`: "line 4: port: process 1 has no link at port 7",
	} {
		_, err := trace.Read(strings.NewReader(text))
		require.ErrorIs(t, err, election.ErrInput, text)
		require.Contains(t, err.Error(), want, text)
		require.NotContains(t, err.Error(), "\n")
	}
	other, err := trace.Read(strings.NewReader(strings.Replace(head, `"lcr"`, `"paxos"`, 1)))
	require.NoError(t, err)
	_, err = trace.Replay(other, catalog.Find)
	require.ErrorIs(t, err, election.ErrInput)
}

// FuzzRead: no input makes the reader, the replay or a picture panic, and what is read is written
// as it was.
func FuzzRead(f *testing.F) {
	f.Add([]byte(head))
	// Small seeds: the pictures take longer than all else, and those of 9 processes left 58 runs a second.
	for name, n := range map[string]int{"lcr": 2, "bully": 2, "treeelect": 3, "hypercube": 2} {
		a, err := catalog.Find(name, "")
		require.NoError(f, err)
		in := scenario.Input{Algorithm: a, IDs: numbered(n)}
		r, err := trace.NewRecorder(&in, trace.About{})
		require.NoError(f, err)
		_, err = sim.Run(f.Context(), sim.Config{Input: in, Observe: r.Observe})
		require.NoError(f, err)
		var b bytes.Buffer
		require.NoError(f, trace.Write(&b, r.Trace()))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := trace.Read(bytes.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, election.ErrInput)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		var b, again bytes.Buffer
		require.NoError(t, trace.Write(&b, tr))
		back, err := trace.Read(bytes.NewReader(b.Bytes()))
		require.NoError(t, err)
		require.NoError(t, trace.Write(&again, back))
		require.Equal(t, b.String(), again.String())
		require.Equal(t, tr.Events, back.Events)
		_, _ = trace.Replay(tr, catalog.Find)
		require.Empty(t, trace.Diff(tr, back))
		if merged, err := trace.Merge(trace.Part{Name: "all", Trace: tr}); err == nil {
			require.Empty(t, trace.Diff(tr, merged))
		}
		_, _ = trace.Merge(trace.Part{Name: "one", Trace: tr}, trace.Part{Name: "two", Trace: back})
		b.Reset()
		require.NoError(t, trace.WriteLog(&b, tr))
		_ = trace.WriteMermaid(&b, tr)
		_ = trace.WriteSVG(&b, tr)
	})
}
