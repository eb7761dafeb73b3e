package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMeter(t *testing.T) { synctest.Test(t, meter) }

// meter runs in virtual time, so rates are exact.
func meter(t *testing.T) {
	var b strings.Builder
	m := &Meter{w: &b, begin: time.Now()}
	m.Show(5)
	m.Clear()
	require.Empty(t, b.String(), "too early")
	m.begin = m.begin.Add(-2 * time.Second)
	m.Show(3_000_000)
	require.Regexp(t, `^\r3,000,000 messages in 2 s, 1,500,000 a second\x1b\[K$`, b.String())
	b.Reset()
	m.Show(3_000_001)
	require.Empty(t, b.String(), "too soon after the last")
	m.Clear()
	require.Equal(t, "\r\x1b[K", b.String())

	var none *Meter
	none.Show(1)
	none.Clear()
}

// TestNarrow: of a line that is too wide the last parts are left out, and never a part of a number.
func TestNarrow(t *testing.T) {
	const line = "12,345,678 states, 181,234 waiting, depth 32, 130 s, 41,234 a second"
	for columns, want := range map[int]string{120: line, 68: line, 67: "12,345,678 states, 181,234 waiting, depth 32, 130 s",
		49: "12,345,678 states, 181,234 waiting, depth 32", 20: "12,345,678 states", 5: "12,34", 0: ""} {
		require.Equal(t, want, fitted(line, columns), columns)
	}
	t.Setenv("COLUMNS", "33")
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		NewMeter(&b, time.Now().Add(-2*time.Second)).Show(3_000_000)
		require.Equal(t, "\r3,000,000 messages in 2 s\x1b[K", b.String())
	})
}

func TestExperimentProgress(t *testing.T) { synctest.Test(t, experimentProgress) }

func experimentProgress(t *testing.T) {
	var b strings.Builder
	m := &Meter{w: &b, begin: time.Now().Add(-3 * time.Second)}
	m.Count(1500, 10_000, "iterations")
	m.Count(1501, 10_000, "iterations") // too soon
	require.Equal(t, "\r1,500 of 10,000 iterations in 3 s\x1b[K", b.String())
	m.Clear()
	(*Meter)(nil).Count(1, 2, "iterations")
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{"a=b": "a=b", "": "''", "it's": `'it'\''s'`,
		"1:2,3:4": "1:2,3:4", "$x": "'$x'", "a b": "'a b'"} {
		require.Equal(t, want, Quoted(word))
	}
}
