package bridge_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/page/bridge"
)

// ask makes a call and reads its reply into v, if that is not nil.
func ask(t *testing.T, b *bridge.Bridge, name string, args, v any) bridge.Reply {
	t.Helper()
	text, err := json.Marshal(args)
	require.NoError(t, err)
	r, err := b.Call(t.Context(), name, text, nil)
	require.NoError(t, err, "%s %s", name, text)
	if v != nil {
		require.NoError(t, json.Unmarshal(r.JSON, v))
	}
	return r
}

func TestCatalog(t *testing.T) {
	var all []struct {
		Title    string
		Shape    string
		Params   []struct{ Name, Meaning, Kind string }
		Kinds    []struct{ Name string }
		Timers   [][]string
		Endless  bool
		Worst    string
		Defaults struct {
			N     int
			Until float64
		}
	}
	ask(t, &bridge.Bridge{}, "catalog", nil, &all)
	require.Len(t, all, len(catalog.All()))
	for i, a := range catalog.All() {
		got := all[i]
		require.Equal(t, a.Title(), got.Title)
		require.Equal(t, string(a.Topology), got.Shape)
		require.Contains(t, got.Worst, a.Worst.Formula)
		require.Contains(t, got.Worst, a.Worst.Also, "more messages than the Formula may be")
		require.Len(t, got.Kinds, len(a.Kinds), a.Title())
		require.Len(t, got.Timers, len(a.Timers), a.Title())
		require.Positive(t, got.Defaults.N)
		require.Equal(t, a.NeverQuiesces, got.Defaults.Until > 0, a.Title())
		for _, p := range got.Params {
			require.NotEmpty(t, p.Meaning, "%s %s", a.Title(), p.Name)
			require.NotEmpty(t, p.Kind, "%s %s", a.Title(), p.Name)
		}
	}
}

// TestAtOnce: concurrent calls have the same replies as consecutive ones.
func TestAtOnce(t *testing.T) {
	var b bridge.Bridge
	text := asked(t, &b, object{"algorithm": "hs", "n": 16, "order": "random"})
	const steps = 60
	want := make([]string, steps)
	for step := range want {
		want[step] = string(ask(t, &b, "fields", object{"scenario": text, "step": step}, nil).JSON)
	}
	var fresh bridge.Bridge
	got := make([]string, steps)
	var group sync.WaitGroup
	for step := range got {
		group.Go(func() {
			args, _ := json.Marshal(object{"scenario": text, "step": step})
			if r, err := fresh.Call(t.Context(), "fields", args, nil); err == nil {
				got[step] = string(r.JSON)
			}
		})
	}
	group.Wait()
	require.Equal(t, want, got)
}
