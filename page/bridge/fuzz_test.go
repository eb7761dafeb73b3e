package bridge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/bridge"
)

// calls are one good call of each name.
func calls(t testing.TB) map[string]string {
	t.Helper()
	const run = `{"algorithm": "lcr", "variant": "participant", "ids": [2, 3, 1]}`
	all := map[string]string{
		"broken":     `{"scenario": ` + run + `}`,
		"catalog":    `{}`,
		"challenges": `{}`,
		"judge": `{"challenge": "worst-lcr", "scenario": {"algorithm": "lcr", "variant": "participant",
			"ids": [1, 5, 4, 3, 2]}}`,
		"check":    `{"scenario": ` + run + `, "budget": {"states": 500}}`,
		"diff":     `{"a": ` + run + `, "b": ` + run + `}`,
		"do":       `{"step": 4, "act": {"do": "crash", "process": 1}, "scenario": ` + run + `}`,
		"export":   `{"kind": "log", "scenario": ` + run + `}`,
		"fields":   `{"step": 3, "scenario": ` + run + `}`,
		"film":     `{"most": 500, "scenario": ` + run + `}`,
		"graph":    `{"scenario": ` + run + `, "most": 300}`,
		"lines":    `{"from": 1, "to": 3, "scenario": ` + run + `}`,
		"path":     `{"scenario": ` + run + `, "most": 300, "state": 7}`,
		"pending":  `{"step": 3, "scenario": ` + run + `}`,
		"read":     `{"text": "` + strings.ReplaceAll(run, `"`, `\"`) + `"}`,
		"scenario": `{"algorithm": "lcr", "n": 3, "delay": "1-2", "order": "worst"}`,
		"service":  `{"scenario": ` + run + `}`,
		"shrink": `{"scenario": {"algorithm": "lcr", "variant": "participant", "ids": [2, 3, 1],
			"acts": [{"after": 6, "do": "lose", "process": 1, "port": 1}]}}`,
		"theory": `{"algorithm": "lcr", "ns": [3]}`,
		"words":  `{"from": 1, "to": 3, "scenario": ` + run + `}`,
	}
	require.Len(t, all, len(bridge.Names()), "each call has an example")
	return all
}

// TestRefused: a call that cannot be answered returns an error of one line with the reason.
func TestRefused(t *testing.T) {
	for name, args := range calls(t) {
		var b bridge.Bridge
		_, err := b.Call(t.Context(), name, []byte(args), nil)
		if name == "lines" {
			require.EqualError(t, err, "not an instrumented build: page/build makes one")
			continue
		}
		require.NoError(t, err, name)
		if name == "catalog" || name == "challenges" {
			continue
		}
		for _, bad := range []string{`[`, `7`, `{"nothing like it": 1}`, `{}`, args + `7`} {
			_, err := b.Call(t.Context(), name, []byte(bad), nil)
			require.Error(t, err, "%s %s", name, bad)
			require.NotContains(t, err.Error(), "\n")
		}
	}
	const run = `{"algorithm": "lcr", "ids": [2, 3, 1]}`
	for _, c := range []struct{ name, args, want string }{
		{"film it", "{}", `call: "film it" is not one of broken, catalog, challenges, check, diff, `},
		{"film", `{}`, "scenario: missing"},
		{"film", `{"scenario": ` + run + `, "most": -1}`, "most: -1 events, it must be up to 4000000"},
		{"film", `{"scenario": {"algorithm": "lcr", "ids": [1, 1]}}`, "ids[1]: 1"},
		{"film", `{"scenario": {"algorithm": "lcrr", "ids": [1]}}`, `"lcrr"`},
		{"film", `{"scenario": {"algorithm": "lcr", "ids": [1], "sed": 1}}`, "sed: unknown field"},
		{"film", `{"scene": 1}`, `unknown field "scene"`},
		{"words", `{"scenario": ` + run + `, "from": 0, "to": 3}`, "from, to: steps 0 to 3"},
		{"fields", `{"scenario": ` + run + `, "step": 99}`, "step: 99, and the run has 14"},
		{"fields", `{"scenario": ` + run + `, "step": 1, "process": 4}`, "process: 4 is not one of this run"},
		{"pending", `{"scenario": ` + run + `, "step": -1}`, "step: -1, and the run has 14"},
		{"theory", `{"algorithm": "lcr", "ns": [9223372036854775808]}`,
			"arguments.ns: number 9223372036854775808 is not what is wanted here"},
		{"graph", `{"scenario": ` + run + `, "budget": {"states": "all"}}`,
			"budget.states: string is not what is wanted here"},
		{"check", `{"scenario": {"algorithm": "lease", "ids": [1, 2]}, "budget": {"until": 1e300}}`,
			"budget.until: 1e+300, it must be above 0 and at most 1000000 units"},
		{"check", `{"scenario": {"algorithm": "lease", "ids": [1, 2]}, "budget": {"until": -7}}`,
			"budget.until: -7, it must be above 0"},
		{"theory", `{"algorithm": "lcr", "ns": [0]}`, "ns: 0 processes, at least one is needed"},
		{"export", `{"scenario": ` + run + `, "kind": "png"}`, `kind: "png" is not one of scenario, chrome`},
		{"read", `{"text": "what"}`, "line 1, column 1: "},
		{"read", `{"text": "{\"trace\": 1}"}`, "line 1: "},
		{"read", `{"text": "{\"algorithm\": \"lcr\", \"ids\": [1]}", "more": ["what"]}`, "file 2: "},
		{"read", `{"text": "{\"trace\": 1, \"driver\": \"si"}`, "line 1: it is not the beginning of a trace"},
		{"read", `{"text": "{\"trace\": 1e3}"}`, "line 1: "},
	} {
		var b bridge.Bridge
		_, err := b.Call(t.Context(), c.name, []byte(c.args), nil)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "\n")
	}
}

// TestScenarioRefused: what a page cannot be given in short is an error of one line.
func TestScenarioRefused(t *testing.T) {
	for _, c := range [][2]string{
		{`{"algorithm": "lcr", "n": 5000}`, "n: 5000 processes, it must be from 1 to 4096"},
		{`{"algorithm": "hypercube", "n": 9007199254740992, "links": "hypercube:99"}`,
			"n: 9007199254740992 processes, it must be from 1 to 4096"},
		{`{"algorithm": "lcr", "n": 5, "ids": [2, 3, 1]}`, "n and ids exclude each other"},
		{`{"algorithm": "lcr", "n": 0, "ids": [2, 3, 1]}`, "n and ids exclude each other"},
		{`{"algorithm": "lcr", "order": "up"}`, `order: "up" is not one of `},
		{`{"algorithm": "bully", "order": "best", "n": 3, "links": "mess"}`, `links: "mess" is not`},
		{`{"algorithm": "echo", "n": 9, "links": "grid:9"}`, `links: "grid:9" is not`},
		{`{"algorithm": "echo", "n": 9, "links": "grid:0x0"}`, `links: "grid:0x0" is not`},
		{`{"algorithm": "echo", "n": 9, "links": "grid:0x4"}`, `links: "grid:0x4" is not`},
		{`{"algorithm": "echo", "n": 9, "links": "dot"}`,
			`links: "dot" is not one of ring, complete, tree, path, star, randomtree, grid, torus, ` +
				`hypercube, random, circulant, with a size as in grid:3x4 or random:20`},
		{`{"algorithm": "echo", "n": 9, "links": "grid:4096x4096"}`,
			"links: 4096 x 4096 do not make 9 processes"},
		{`{"algorithm": "echo", "n": 4096, "links": "complete"}`, "links: 8386560, at most 1048576"},
		{`{"algorithm": "lcr", "delay": "soon"}`, `delay: "soon" is not one of unit, random`},
		{`{"algorithm": "lcr", "initiators": "some"}`, `initiators: "some" is neither`},
		{`{"algorithm": "lcr", "delay": "1-NaN"}`, `delay: "1-NaN" is not one of unit, random`},
		{`{"algorithm": "lcr", "delay": "1-+Inf"}`, `delay: "1-+Inf" is not one of unit, random`},
		{`[]`, "arguments: array is not what is wanted here"},
	} {
		args, want := c[0], c[1]
		var b bridge.Bridge
		_, err := b.Call(t.Context(), "scenario", []byte(args), nil)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}

// TestErrorsAreShort: an error quotes the beginning of a long input only.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, args := range calls(t) {
		for _, bad := range []string{
			`{"` + long + `": 1}`, strings.ReplaceAll(args, "lcr", long),
			strings.ReplaceAll(args, "participant", long),
			strings.ReplaceAll(args, `: 3`, `: `+strings.Repeat("3", 5000)),
			strings.ReplaceAll(args, `"ids"`, `"`+long+`": 1, "ids"`),
		} {
			_, err := new(bridge.Bridge).Call(t.Context(), name, []byte(bad), nil)
			if err != nil {
				require.Less(t, len(err.Error()), 500, "%s: %.600s", name, err)
			}
		}
	}
	_, err := new(bridge.Bridge).Call(t.Context(), "scenario", []byte(`{"algorithm": "`+long+`"}`), nil)
	require.ErrorContains(t, err, `unknown algorithm "`+long[:60]+`"`)
}

// TestReadBounds: files of more than 64 MB are refused before they are parsed.
func TestReadBounds(t *testing.T) {
	var b bridge.Bridge
	_, err := b.Call(t.Context(), "read", make([]byte, 64<<20+1), nil)
	require.EqualError(t, err, "election: bad input: text: 67108865 bytes, at most 67108864 can be read")
}

// TestCallStops: a call ends with its context.
func TestCallStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, args := range calls(t) {
		if name == "film" || name == "words" || name == "pending" || name == "service" {
			_, err := new(bridge.Bridge).Call(ctx, name, []byte(args), nil)
			require.ErrorIs(t, err, context.Canceled, name)
		}
	}
}

// FuzzCall: whatever the contents of a page, an address or a file, a call returns JSON, or an error of one
// line.
func FuzzCall(f *testing.F) {
	for name, args := range calls(f) {
		f.Add(name, args)
	}
	f.Add("film",
		`{"most": 99, "scenario": {"algorithm": "mutex", "ids": [1, 2, 3], "loss": 0.5, "seed": 3}}`)
	f.Add("film",
		`{"scenario": {"algorithm": "bully", "ids": [1, 2], "steps": [{"do": "start", "process": 1}]}}`)
	f.Add("scenario", `{"algorithm": "echo", "n": 9, "links": "grid:3x3", "priorities": [1]}`)
	f.Fuzz(func(t *testing.T, name, args string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var b bridge.Bridge
		r, err := b.Call(ctx, name, []byte(args), nil)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.True(t, json.Valid(r.JSON), "%s", r.JSON)
	})
}
