package elector_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/memory"
)

// TestWish: members that get a new list while they run change as members that restart with it, and the leader stays.
func TestWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settled(t, three...)
		defer s.end()
		leader, term := s.leader(), s.pod("a").Leader().Term
		four := letters("abcd")
		s.start("d", four)
		time.Sleep(5 * time.Second)
		require.Equal(t, elector.Learner, s.pod("d").Members().Role)
		list := func(names []string) map[string]string {
			all := make(map[string]string)
			for _, name := range names {
				all[name] = ""
			}
			return all
		}
		require.NoError(t, s.pod("a").Wish(list(four)))
		time.Sleep(5 * time.Second)
		require.Equal(t, []string{"a", "d"}, s.pod(leader).Members().Lists["a b c d"])
		require.Equal(t, three, s.pod(leader).Members().Agreed, "too few wish it")
		require.NoError(t, s.pod("b").Wish(list(four)))
		time.Sleep(5 * time.Second)
		for _, name := range four {
			require.Equal(t, four, s.pod(name).Members().Agreed)
		}
		require.Equal(t, leader, s.leader())
		require.Equal(t, term, s.pod("a").Leader().Term)

		// A list that does not contain the member itself makes it leave.
		for _, name := range four {
			require.NoError(t, s.pod(name).Wish(list(letters("abcx"))))
		}
		s.start("x", letters("abcx"))
		time.Sleep(10 * time.Second)
		require.Equal(t, elector.Removed, s.pod("d").Members().Role)
		require.Equal(t, letters("abcx"), s.pod("a").Members().Agreed)
		for want, members := range map[string]map[string]string{
			"elector: members: the list is empty":                                               {},
			`elector: members: "a\x01" is not a name: it must be printable UTF-8 and not empty`: {"a\x01": ""},
			`elector: members: "b": address 10.0.0.1: missing port in address`:                  {"b": "10.0.0.1"},
		} {
			err := s.pod("a").Wish(members)
			require.ErrorIs(t, err, election.ErrInput)
			require.EqualError(t, err, want)
		}
	})
}

// TestWishRefused: what a member cannot change while it runs.
func TestWishRefused(t *testing.T) {
	member := func(self string) *elector.Elector {
		end, err := memory.New().Endpoint(elector.ID(self))
		require.NoError(t, err)
		e, err := elector.New(elector.Config{Group: "g", Self: self, Members: map[string]string{"a": "10.0.0.1:1", "b": "10.0.0.2:1"},
			Observers: map[string]string{"o": "10.0.0.3:1"}, Transport: end})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, e.Close()) })
		return e
	}
	a, o := member("a"), member("o")
	for want, err := range map[string]error{
		"elector: members: the group is not founded as far as this member knows: restart it with the new list": a.Wish(map[string]string{"a": ""}),
		`elector: members: the address of this member, "a", changes from 10.0.0.1:1 to 10.0.0.9:1: restart it`: a.Wish(map[string]string{"a": "10.0.0.9:1"}),
		`elector: members: "o" is one of the Observers, whose Members do not change: restart it`:               o.Wish(map[string]string{"a": ""}),
		`elector: members: "o" is one of the Observers`:                                                        a.Wish(map[string]string{"o": ""}),
	} {
		require.ErrorIs(t, err, election.ErrInput)
		require.EqualError(t, err, want)
	}
}
