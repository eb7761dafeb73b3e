package bridge_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/page/bridge"
	"github.com/go-election/election/params"
)

// TestTypedParameters: a parameter is read as on a command line, and its error names it.
func TestTypedParameters(t *testing.T) {
	var b bridge.Bridge
	var s struct{ Params json.RawMessage }
	for text, want := range map[string]string{"5:1/3, 4:2": `{"groups":{"4":[2],"5":[1,3]}}`,
		"5:1,4:2": `{"groups":{"4":2,"5":1}}`} {
		ask(t, &b, "scenario", object{"algorithm": "invitation", "n": 5, "params": object{"groups": text}},
			&s)
		require.JSONEq(t, want, string(s.Params), text)
	}
	for text, want := range map[string]string{
		"5:1/x":   `params.groups: "5:1/x" is not a table by process, as 1:3,2:3 or 5:1/3,4:2`,
		"5:1,5:2": "scenario.params.groups.5: given twice", "3": "params.groups: 3 is not a table of lists of " +
			"processes by process, as 5:1/3,4:2, or {\"5\": [1, 3], \"4\": [2]} in a file"} {
		args, err := json.Marshal(object{"algorithm": "invitation", "n": 5, "params": object{"groups": text}})
		require.NoError(t, err)
		_, err = b.Call(t.Context(), "scenario", args, nil)
		require.EqualError(t, err, "election: bad input: "+want)
	}
}

// TestTypedAsByTheCommand: what is typed in a page is the value that the command reads.
func TestTypedAsByTheCommand(t *testing.T) {
	var b bridge.Bridge
	for _, c := range []struct{ algorithm, name, text string }{
		{"invitation", "groups", "5:1/3,4:2"}, {"invitation", "groups", " 5 : 1 / 3 , 4 : 2"},
		{"invitation", "groups", "5:1,4:2"}, {"modbully", "pending", "1:3.5,2:0.25"},
		{"modbully", "coordinator", "3"}, {"bully", "announce", "lower"}, {"bully", "heartbeat", "1e1"},
		{"modbully", "coordinator", "4"},
	} {
		want, err := params.Typed(c.name, c.text)
		require.NoError(t, err)
		var s scenario.Scenario
		ask(t, &b, "scenario", object{"algorithm": c.algorithm, "n": 5, "until": 9,
			"params": object{c.name: c.text}}, &s)
		require.Equal(t, map[string]params.Value{c.name: want}, s.Params, c.text)
	}
}
