package elector

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease/storelease"
)

// TestRecord: the record can be read by a person, and nothing is lost between a message and the text.
func TestRecord(t *testing.T) {
	names := map[election.ID]string{ID("a"): "a", ID("b \"ü\""): "b \"ü\""}
	for text, m := range map[string]storelease.Record{
		`{"v":1,"term":7,"owner":"a","incarnation":"00000000000000ff","lease":"750ms","next":"","beat":17}`: {Term: 7,
			Owner: ID("a"), Incarnation: 255, Lease: 750 * time.Millisecond},
		`{"v":1,"term":9007199254740991,"owner":"","incarnation":"ffffffffffffffff","lease":"1h0m0s","next":"b \"ü\"","beat":17}`: {
			Term: 1<<53 - 1, Next: ID("b \"ü\""), Incarnation: 1<<64 - 1, Lease: time.Hour},
		`{"v":1,"term":1,"owner":"","incarnation":"0000000000000000","lease":"0s","next":"","beat":17}`: {Term: 1},
	} {
		r := recordOf(m, func(id election.ID) string { return names[id] })
		r.Beat = 17
		require.Equal(t, text, string(r.bytes()))
		got, err := parseRecord([]byte(text))
		require.NoError(t, err)
		require.Equal(t, r, got)
		require.Equal(t, m, got.message())
	}
}

// TestRefusedRecords: a value that no member has written is refused with a reason.
func TestRefusedRecords(t *testing.T) {
	good := `{"v":1,"term":7,"owner":"a","incarnation":"ff","lease":"750ms","next":"","beat":17}`
	_, err := parseRecord([]byte(good))
	require.NoError(t, err)
	for _, tt := range []struct{ old, new, want string }{
		{good, "", "something else uses the key"},
		{good, "hello", `something else uses the key: the value "hello"`},
		{good, `{"color": "red"}`, "something else uses the key"},
		{good, `[1]`, "something else uses the key"},
		{good, `null`, "something else uses the key"},
		{`"v":1`, `"v":0`, "something else uses the key"},
		{`"v":1`, `"v":"1"`, "something else uses the key"},
		{`"v":1`, `"v":2`, "version 2, and this one reads version 1"},
		{`"term":7`, `"term":0`, "term 0"},
		{`"term":7`, `"term":9007199254740992`, "term 9007199254740992"},
		{`"term":7`, `"term":-7`, "damaged"},
		{`"beat":17`, `"beat":9223372036854775809`, "the beat"},
		{`"beat":17`, `"beat":18446744073709551615`, "the beat"},
		{`"a"`, `"a\u0000"`, "the owner"},
		{`"next":""`, `"next":"a\n"`, "next"},
		{`"owner"`, `"address":"a b","owner"`, `"a b" is not an address`},
		{`"ff"`, `"ffffffffffffffff0"`, "the incarnation"},
		{`"ff"`, `""`, "the incarnation"},
		{`"750ms"`, `"-750ms"`, "the lease"},
		{`"750ms"`, `"1000h"`, "the lease"},
		{`"750ms"`, `750`, "damaged"},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		_, err := parseRecord([]byte(text))
		require.IsType(t, &refusedRecord{}, err, text)
		require.ErrorContains(t, err, tt.want, text)
	}
}

// FuzzRecord: what is accepted can be written again, and means the same.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"v":1,"term":7,"owner":"a","incarnation":"ff","lease":"750ms","next":"","beat":17}`))
	f.Add([]byte(`{"v":1,"term":7,"owner":"","incarnation":"0","lease":"1h","next":"b","beat":9223372036854775808}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := parseRecord(value)
		if err != nil {
			return
		}
		again := recordOf(r.message(), func(id election.ID) string {
			return map[election.ID]string{ID(r.Owner): r.Owner, ID(r.Next): r.Next}[id]
		})
		again.Beat = r.Beat
		got, err := parseRecord(again.bytes())
		require.NoError(t, err)
		require.Equal(t, again, got)
		require.Equal(t, r.message(), got.message())
	})
}
