package elector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

// settled starts a group, each member with a Dir, and waits until one leads.
func settled(t *testing.T, names ...string) *site { return founded(t, true, names) }

func founded(t *testing.T, durable bool, names []string) *site {
	s := newSite(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.text.String())
		}
	})
	for _, name := range names {
		if durable {
			s.pod(name).dir = t.TempDir()
		}
		s.start(name, names)
	}
	time.Sleep(5 * time.Second)
	require.Empty(t, s.agreed(names, names))
	return s
}

// others returns the members except the leader.
func (s *site) others(names ...string) []string { return without(names, []string{s.leader()}) }

// TestWrongList: a list that is wrong on one machine changes nothing, whichever it is; the log and the status of the
// leader name the machine.
func TestWrongList(t *testing.T) {
	for _, wrong := range []string{"c", "ac", "abx", "xyz", "abcxyz"} {
		synctest.Test(t, func(t *testing.T) {
			s := settled(t, three...)
			defer s.end()
			leader, odd := s.leader(), s.others(three...)[0]
			before := s.pod(leader).Members()
			s.start(odd, letters(wrong))
			time.Sleep(15 * time.Minute)
			require.Equal(t, leader, s.leader())
			for _, name := range three {
				m := s.pod(name).Members()
				require.Equal(t, before.Label(), m.Label(), name)
				require.Equal(t, three, m.Agreed, name)
				code, text := ill(s.pod(name).Elector)
				require.Equal(t, 200, code, text)
			}
			list := strings.Join(letters(wrong), " ")
			w := httptest.NewRecorder()
			s.pod(leader).Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			var status struct {
				Lists map[string][]string
				Waits string
			}
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &status))
			require.Equal(t, []string{odd}, status.Lists[list])
			require.Contains(t, status.Waits, " wish "+list+"; waits: ")
			require.Contains(t, status.Waits, " have the list a b c")
			require.Contains(t, s.text.String(), `level=WARN msg="members: `+status.Waits)
		})
	}
}

// TestNoMember: a process that is in no list, not even its own, follows the leader and never leads.
func TestNoMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settled(t, three...)
		defer s.end()
		s.start("x", three)
		time.Sleep(5 * time.Second)
		x := s.pod("x")
		require.Equal(t, s.leader(), x.Leader().Leader)
		require.Equal(t, elector.Learner, x.Members().Role)
		code, text := ill(x.Elector)
		require.Equal(t, 200, code)
		require.Equal(t, "this process is not a member, and its own list does not contain it: if it is to become a "+
			"member, correct Self or Members", text)
		for _, name := range s.others(three...) {
			s.halt(name)
		}
		time.Sleep(10 * time.Second)
		require.Empty(t, s.leader(), "the vote of x does not count")
		s.halt("x")
		require.Equal(t, elector.Ended, x.Leader().Why)
	})
}

// TestCompetingMembers: two lists, each wished by enough processes, settle on one, and the members then stay.
func TestCompetingMembers(t *testing.T) {
	for _, lists := range []map[string]string{
		{"a": "abd", "d": "abd", "b": "bce", "e": "bce"},
		{"a": "abcd", "b": "abcd", "d": "abcd", "c": "abcef", "e": "abcef", "f": "abcef"},
		{"a": "ade", "d": "ade", "e": "ade", "b": "bfg", "f": "bfg", "g": "bfg"},
		{"a": "ab", "b": "bc", "c": "ac"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := settled(t, three...)
			defer s.end()
			for _, name := range sorted(lists) {
				if p := s.pod(name); p.dir == "" {
					p.dir = t.TempDir()
				}
				s.start(name, letters(lists[name]))
				time.Sleep(time.Second)
			}
			time.Sleep(30 * time.Second)
			leader := s.leader()
			require.NotEmpty(t, leader)
			before := s.pod(leader).Members()
			require.Empty(t, before.Next)
			time.Sleep(5 * time.Minute)
			require.Equal(t, leader, s.leader())
			require.Equal(t, before.Label(), s.pod(leader).Members().Label())
			require.Empty(t, s.agreed(before.Agreed, before.Agreed))
			require.LessOrEqual(t, before.Step, 4, "one change for each list")
		})
	}
}

func sorted(lists map[string]string) []string {
	var names []string
	for name := range lists {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// set calls SetMembers at the leader, and waits for at most a while.
func (s *site) set(t *testing.T, list string, most time.Duration) error {
	leader := s.leader()
	if leader == "" {
		return elector.ErrNotLeader
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	return s.pod(leader).SetMembers(ctx, unnamed(letters(list)))
}

// unnamed returns members without addresses.
func unnamed(names []string) map[string]string {
	members := make(map[string]string)
	for _, name := range names {
		members[name] = ""
	}
	return members
}

// TestSetMembers: a call changes the members although no list contains them. They remain while followers restart with
// their old lists, until a majority has a list that was not in effect before.
func TestSetMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settled(t, three...)
		defer s.end()
		leader, term := s.leader(), s.pod(s.leader()).Leader().Term
		require.ErrorIs(t, s.pod(s.others(three...)[0]).SetMembers(t.Context(), unnamed(three)), elector.ErrNotLeader)
		for _, list := range []map[string]string{nil, {"": ""}, {"a": "no port"}} {
			require.ErrorIs(t, s.pod(leader).SetMembers(t.Context(), list), election.ErrInput)
		}

		err := s.set(t, "axyz", 3*time.Second)
		require.ErrorIs(t, err, elector.ErrNotReady)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "x, y, z")
		require.NoError(t, s.set(t, "abc", time.Second), "the members are what they were")
		time.Sleep(time.Second)

		busy := make(chan error, 1)
		go func() { busy <- s.set(t, "axyz", 3*time.Second) }()
		time.Sleep(time.Second)
		require.ErrorIs(t, s.set(t, "abcd", time.Second), elector.ErrBusy)
		require.ErrorIs(t, <-busy, elector.ErrNotReady)

		for _, name := range []string{"d", "e"} {
			s.pod(name).dir = t.TempDir()
			s.start(name, letters("de"))
		}
		time.Sleep(3 * time.Second)
		began := time.Now()
		require.NoError(t, s.set(t, "abcde", time.Second))
		require.Less(t, time.Since(began), 20*time.Millisecond, "two round trips")
		time.Sleep(time.Second)
		all := letters("abcde")
		require.Empty(t, s.agreed(all, all))
		m := s.pod(leader).Members()
		require.True(t, m.Called)
		require.Equal(t, term, s.pod(leader).Leader().Term, "the leader stays")
		for range 2 {
			for _, name := range s.others(three...) {
				s.start(name, three)
				time.Sleep(3 * time.Second)
				require.Empty(t, s.agreed(all, all))
			}
			s.start(s.leader(), three) // the next leader does not undo it either
			time.Sleep(3 * time.Second)
			require.Empty(t, s.agreed(all, all))
		}
		next := letters("abcd")
		for _, name := range next {
			s.start(name, next)
			time.Sleep(3 * time.Second)
		}
		require.Empty(t, s.agreed(next, next))
		require.False(t, s.pod("a").Members().Called)
		require.NotContains(t, s.text.String(), "level=ERROR")
	})
}

// TestRemoveLeader: a leader that is removed stops its work before another one leads, while the new members renew its
// lease.
func TestRemoveLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settled(t, three...)
		defer s.end()
		s.drain = 2 * time.Second
		leader, rest := s.leader(), s.others(three...)
		require.NoError(t, s.set(t, strings.Join(rest, ""), time.Second))
		time.Sleep(s.drain - 10*time.Millisecond)
		require.Equal(t, leader, s.leader())
		time.Sleep(time.Second)
		require.Empty(t, s.agreed(rest, rest))
		require.Equal(t, elector.Learner, s.pod(leader).Members().Role, "its own list contains it")
		require.Less(t, s.longest, 20*time.Millisecond)
		require.NotContains(t, s.text.String(), "level=ERROR")
	})
}

// TestManySteps: members that are changed more often than a Term has labels cost a handover, and nothing else.
func TestManySteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := founded(t, false, letters("abcd"))
		defer s.end()
		terms := make(map[uint64]bool)
		for i := range 400 {
			list := []string{"abc", "abcd"}[i%2]
			for tries := 0; ; tries++ {
				require.Less(t, tries, 100, "change %d", i)
				err := s.set(t, list, time.Second)
				if err == nil {
					break
				}
				if !errors.Is(err, elector.ErrNotLeader) && !errors.Is(err, elector.ErrBusy) {
					require.NoError(t, err)
				}
				time.Sleep(10 * time.Millisecond)
			}
			m := s.pod("a").Members() // there may be no leader, if this Term has no more labels
			terms[m.Term] = true
			require.LessOrEqual(t, m.Step, 1023)
		}
		require.Greater(t, len(terms), 1)
		require.Less(t, len(terms), 5)
		require.Less(t, s.longest, 100*time.Millisecond)
		require.NotContains(t, s.text.String(), "level=ERROR")
		time.Sleep(time.Second)
		all := letters("abcd")
		require.Empty(t, s.agreed(all, all))
	})
}

// TestManyMembers: a group of 255 members is founded by a few, and loses no leader.
func TestManyMembers(t *testing.T) {
	most := 24
	if *long {
		most = 255
	}
	synctest.Test(t, func(t *testing.T) {
		s := founded(t, false, three)
		defer s.end()
		term := s.pod("a").Leader().Term
		names := slices.Clone(three)
		for i := range most - len(three) {
			name := fmt.Sprintf("n%03d", i)
			names = append(names, name)
			s.start(name, []string{name, "a"})
		}
		time.Sleep(5 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		require.NoError(t, s.pod(s.leader()).SetMembers(ctx, unnamed(names)))
		time.Sleep(2 * time.Second)
		require.Empty(t, s.agreed(names, names))
		require.Equal(t, term, s.pod("a").Leader().Term)
		names = append(names, "one more")
		if most == 255 {
			require.ErrorIs(t, s.pod(s.leader()).SetMembers(ctx, unnamed(names)), election.ErrInput)
		}
	})
}

// TestMostDirsLost: if a majority of the Dirs is deleted, an error in the log tells that tokens may repeat, and what to
// do. If one of three is deleted, nothing is wrong.
func TestMostDirsLost(t *testing.T) {
	for lost, wrong := range map[string]bool{"a": false, "ab": true} {
		synctest.Test(t, func(t *testing.T) {
			s := settled(t, three...)
			defer s.end()
			for _, name := range letters(lost) {
				s.halt(name)
				s.pod(name).dir = t.TempDir()
			}
			for _, name := range letters(lost) {
				s.start(name, three)
			}
			time.Sleep(10 * time.Second)
			require.Empty(t, s.agreed(three, three))
			text := s.text.String()
			require.Equal(t, wrong, strings.Contains(text, "level=ERROR"))
			if wrong {
				require.Contains(t, text, `level=ERROR msg="a majority of the members has lost its memory, as if each `+
					"Dir had been deleted: two members may have led at the same time, and tokens may repeat: call Advance "+
					`at each member with the largest token in use" group=g member=`)
				require.Contains(t, text, ` lost="a b" members="a b c" label=`)
			}
		})
	}
}

// TestLabelCollision: a peer that has other members with the same label is in the log.
func TestLabelCollision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := settled(t, three...)
		defer s.end()
		m := s.pod("a").Members()
		to := s.others(three...)[0]
		for range 2 {
			require.NoError(t, s.pod(s.leader()).end.Send(t.Context(), election.Packet{From: elector.ID(s.leader()),
				To: elector.ID(to), Msg: election.Message{Kind: kinds["member"], Value: m.Term<<10 | uint64(m.Step),
					Round: 3, Rank: election.Rank{Priority: 1}}}))
			time.Sleep(time.Second)
		}
		require.Equal(t, 1, strings.Count(s.text.String(), fmt.Sprintf(`level=ERROR msg="this member and a peer have `+
			"different members with one label, so two groups have this name, or a Dir was deleted or replaced by an old "+
			"copy: give one group another name, or stop the peer, delete its Dir and start it again\" group=g member=%s "+
			"peer=%s label=%s", to, s.leader(), m.Label())))
		require.Empty(t, s.agreed(three, three))
	})
}

// TestTwoGroups: members of two groups with one name refuse each other, and the log tells what to do.
func TestTwoGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, text := newPods(t), &logs{}
		defer p.end()
		log := slog.New(slog.NewTextHandler(text, nil))
		for _, name := range []string{"a", "b"} {
			p.start(elector.Config{Self: name, Members: listed("a", "b"), Log: log})
		}
		dir := t.TempDir() // or d might forget to which group it belongs
		p.start(elector.Config{Self: "c", Members: listed("c", "d"), Log: log})
		p.start(elector.Config{Self: "d", Members: listed("c", "d"), Dir: dir, Log: log})
		time.Sleep(5 * time.Second)
		p.stop["d"]()
		d := p.start(elector.Config{Self: "d", Members: listed("a", "b", "c", "d"), Dir: dir, Log: log})
		time.Sleep(5 * time.Second)
		require.Equal(t, "c d", d.Leader().Members)
		require.Contains(t, text.String(), `two groups have the name \"g\": `)
		require.Contains(t, text.String(), "give one of them another name, or delete its Dirs")
		require.Contains(t, text.String(), "level=ERROR")
	})
}
