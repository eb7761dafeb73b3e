package mutex_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
)

// ringStory is what happens to the process 3 on a ring, and what the last of it causes.
type ringStory struct {
	name   string
	c      mutex.Config
	events []election.Event
	want   string
}

// ringPlays plays each story to a process of its own, which is saved and restored before every event.
func ringPlays(t *testing.T, all []ringStory) {
	t.Helper()
	for _, s := range all {
		p, got := alone(t)(mutex.TokenRing(s.c)), ""
		for _, ev := range s.events {
			twin := p.alg.New(election.Setup{Self: view[0], Ports: 4})
			require.NoError(t, new(election.State).Restore(twin, new(election.State).Append(nil, p.node)))
			p.node = twin
			got = ringWords(p.step(ev))
		}
		require.Equal(t, s.want, got, s.name)
	}
}

// ringWords writes effects in words, in the order of drivers: tokens with their Term, entries and budget,
// times in units.
func ringWords(fx *election.Effects) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if fx.Err != nil {
		add("refuse")
	}
	if fx.Saved() {
		add("save")
	}
	for _, s := range fx.Sends {
		if m := s.Msg; m.Kind == 1 {
			add("%d:token/%d.%d.%d", s.Port, m.Term, m.Value, m.Round)
		} else {
			add("%d:candidate/%d(%d)", s.Port, m.Term, m.Rank.ID)
		}
	}
	for _, c := range fx.Timers {
		name := map[uint8]string{ringStay: "stay", ringRest: "rest", ringLost: "lost",
			ringFirst: "first"}[c.Timer]
		if c.Stop {
			add("-%s", name)
		} else {
			add("+%s%g-%g", name, float64(c.Min)/float64(unit), float64(c.Max)/float64(unit))
		}
	}
	for _, r := range fx.Signals {
		op := map[election.Op]string{election.Entered: "entered", election.Exited: "left"}[r.Event.Op]
		add("%s%d.%d(%d)", op, r.Event.Msg.Value>>32, r.Event.Msg.Value&math.MaxUint32, r.Event.Msg.Round)
	}
	return strings.Join(words, " ")
}

// The timers of section 0.
const ringStay, ringRest, ringLost, ringFirst uint8 = 0, 64, 128, 193

// The events, short.
var (
	ringInit   = election.Event{Op: election.Init}
	ringRejoin = election.Event{Op: election.Rejoin}
	ringLinks  = election.Event{Op: election.Trust, Port: 1}
	ringAsk    = mutex.Request(0, 7)
	ringOut    = mutex.Release(0, 7)
)

func ringTimeout(timer uint8) election.Event {
	return election.Event{Op: election.Timeout, Timer: timer}
}

func ringToken(term, count uint64, left uint32) election.Event {
	return election.Event{Op: election.Recv, Port: 1, Msg: election.Message{Kind: 1, Term: term, Value: count,
		Round: left}}
}

func ringCandidate(term uint64, id election.ID) election.Event {
	return election.Event{Op: election.Recv, Port: 1, Msg: election.Message{Kind: 2, Term: term,
		Rank: election.Rank{ID: id}}}
}

// ringEvents is a list of events.
func ringEvents(all ...election.Event) []election.Event { return all }

// The rings: one whose token is never regenerated, and one whose token is regenerated after 4 units.
var (
	ringPlain = mutex.Config{First: 1}
	ringAnew  = mutex.Config{First: 1, Regenerate: 4 * unit}
)

// TestRingFirstToken: First creates the token immediately, but only once, and not if it has recovered.
func TestRingFirstToken(t *testing.T) {
	first, rests := mutex.Config{First: 3}, mutex.Config{First: 3, Hops: 2}
	ringPlays(t, []ringStory{
		{name: "here", c: first, events: ringEvents(ringInit), want: "+first0-0"},
		{name: "elsewhere", c: ringPlain, events: ringEvents(ringInit), want: ""},
		{name: "come back", c: first, events: ringEvents(ringRejoin), want: "-first"},
		{name: "put on the ring", c: rests, events: ringEvents(ringTimeout(ringFirst)),
			want: "save 0:token/0.0.2 -lost"},
		{name: "elections make further ones", c: mutex.Config{First: 3, Regenerate: unit},
			events: ringEvents(ringTimeout(ringFirst)), want: "-lost +rest0.01-0.01"},
		{name: "one rests here", c: first, events: ringEvents(ringToken(0, 5, 1), ringTimeout(ringFirst)),
			want: ""},
		{name: "all were down", c: rests, events: ringEvents(ringTimeout(ringFirst), ringInit,
			ringTimeout(ringFirst)), want: "save 0:token/2.0.2 -lost"},
		{name: "all were down twice", c: rests, events: ringEvents(ringTimeout(ringFirst), ringInit,
			ringTimeout(ringFirst), ringToken(2, 9, 0), ringInit, ringTimeout(ringFirst)),
			want: "save 0:token/4.0.2 -lost"},
		{name: "all were down, but elections make tokens", c: mutex.Config{First: 3, Regenerate: unit},
			events: ringEvents(ringToken(1, 9, 0), ringInit, ringTimeout(ringFirst)), want: ""},
		{name: "another is of a later Term", c: first, events: ringEvents(ringCandidate(2, 5),
			ringTimeout(ringFirst)), want: ""},
	})
}

// TestRingAfterCrash: what a process waited for, and the token that it had, are gone.
func TestRingAfterCrash(t *testing.T) {
	ringPlays(t, []ringStory{
		{name: "waited", c: ringPlain, events: ringEvents(ringAsk, ringInit, ringToken(0, 5, 0)),
			want: "0:token/0.5.0 -lost"},
		{name: "token rested here", c: ringPlain, events: ringEvents(ringToken(0, 5, 1), ringInit, ringAsk),
			want: ""},
		{name: "was inside", c: ringPlain, events: ringEvents(ringAsk, ringToken(0, 5, 0), ringInit,
			ringToken(0, 8, 0)), want: "0:token/0.8.0 -lost"},
	})
}

// TestRingRelease: a Release leaves, or withdraws the request; a Release of another request has no effect.
func TestRingRelease(t *testing.T) {
	inside, back, other := ringEvents(ringAsk, ringToken(0, 5, 9)), ringEvents(ringAsk, ringOut),
		mutex.Release(0, 8)
	unknown := ringOut
	unknown.Msg.Kind = 3
	stays := ringAnew
	stays.CriticalSection = 2 * unit
	ringPlays(t, []ringStory{
		{name: "enter", c: ringAnew, events: inside, want: "-lost entered0.6(7)"},
		{name: "enter for a time", c: stays, events: inside, want: "-lost +stay2-2 entered0.6(7)"},
		{name: "leave", c: ringAnew, events: append(inside[:2:2], ringOut),
			want: "0:token/0.6.8 -stay left0.6(7)"},
		{name: "leave in time", c: stays, events: append(inside[:2:2], ringTimeout(ringStay)),
			want: "0:token/0.6.8 -stay left0.6(7)"},
		{name: "left already", c: ringAnew, events: append(inside[:2:2], ringOut, ringOut), want: ""},
		{name: "another is left", c: ringAnew, events: append(inside[:2:2], other), want: ""},
		{name: "no such command", c: ringAnew, events: append(inside[:2:2], unknown), want: ""},
		{name: "taken back", c: ringAnew, events: back, want: "-lost"},
		{name: "taken back already", c: ringAnew, events: append(back[:2:2], ringOut), want: ""},
		{name: "the token goes on", c: ringAnew, events: append(back[:2:2], ringToken(0, 5, 9)),
			want: "0:token/0.5.8 -lost"},
		{name: "another is taken back", c: ringAnew, events: ringEvents(ringAsk, other), want: ""},
	})
}

// TestRingDoubt: a process that waits doubts after the time of the parameters, however short; after each
// election it waits twice as long, until the token has come.
func TestRingDoubt(t *testing.T) {
	lost := ringTimeout(ringLost)
	shortest := mutex.Config{First: 1, Regenerate: 1}
	twice := ringEvents(ringAsk, lost, lost)
	ringPlays(t, []ringStory{
		{name: "no doubt", c: ringPlain, events: ringEvents(ringAsk), want: ""},
		{name: "first", c: ringAnew, events: ringEvents(ringAsk), want: "+lost4-6"},
		{name: "shortest", c: shortest, events: ringEvents(ringAsk), want: "+lost1e-09-1e-09"},
		{name: "one election", c: ringAnew, events: twice[:2], want: "save 0:candidate/1(3) +lost8-12"},
		{name: "two elections", c: ringAnew, events: twice, want: "save 0:candidate/2(3) +lost16-24"},
		{name: "a larger candidate", c: ringAnew, events: append(twice[:3:3], ringCandidate(2, 5)),
			want: "0:candidate/2(5) +lost16-24"},
		{name: "the token comes", c: ringAnew, events: append(twice[:3:3], ringToken(2, 0, 0)),
			want: "-lost entered2.1(7)"},
		{name: "lost again", c: ringAnew, events: append(twice[:3:3], ringToken(2, 0, 0), ringOut, ringAsk),
			want: "+lost4-6"},
		{name: "came round", c: ringAnew, events: append(twice[:3:3], ringCandidate(2, 3)),
			want: "-lost entered2.1(7)"},
		{name: "none waits", c: ringAnew, events: ringEvents(ringAsk, ringOut, lost), want: ""},
	})
}

// TestRingTokenStopsCandidates: a token ends the hopes of all candidates of its Term, not of a later one.
func TestRingTokenStopsCandidates(t *testing.T) {
	passed := ringEvents(ringCandidate(2, 1), ringToken(2, 1, 0))
	ringPlays(t, []ringStory{
		{name: "candidate", c: ringAnew, events: passed[:1], want: "save 0:candidate/2(1)"},
		{name: "larger one", c: ringAnew, events: append(passed[:1:1], ringCandidate(2, 5)),
			want: "0:candidate/2(5)"},
		{name: "token", c: ringAnew, events: passed, want: "0:token/2.1.0 -lost"},
		{name: "of its Term", c: ringAnew, events: append(passed[:2:2], ringCandidate(2, 5)), want: ""},
		{name: "of the next", c: ringAnew, events: append(passed[:2:2], ringCandidate(3, 1)),
			want: "save 0:candidate/3(1)"},
	})
}

// TestRingExhausted: if the counts of a Term are used up, the token continues in the next Term. The largest
// Term and its largest count are still valid; after them requests are refused and forgotten.
func TestRingExhausted(t *testing.T) {
	const terms, counts = math.MaxInt32, math.MaxUint32
	late := ringEvents(ringAsk, ringToken(terms, counts, 0))
	ringPlays(t, []ringStory{
		{name: "last count", c: ringAnew, events: ringEvents(ringAsk, ringToken(0, counts-1, 0)),
			want: "-lost entered0.4294967295(7)"},
		{name: "next Term", c: ringAnew, events: ringEvents(ringAsk, ringToken(5, counts, 0)),
			want: "save -lost entered6.1(7)"},
		{name: "no candidate of that", c: ringAnew, events: ringEvents(ringAsk, ringToken(5, counts, 0),
			ringOut,
			ringCandidate(6, 5)), want: ""},
		{name: "last entry", c: ringAnew, events: ringEvents(ringAsk, ringToken(terms, counts-1, 0)),
			want: "save -lost entered2147483647.4294967295(7)"},
		{name: "no more entries", c: ringAnew, events: late, want: "refuse save -lost"},
		{name: "forgotten", c: ringAnew, events: append(late[:2:2], ringOut), want: ""},
		{name: "none waits", c: ringAnew, events: append(late[:2:2], ringLinks, ringCandidate(terms, 5)),
			want: ""},
		{name: "last Term", c: ringAnew, events: ringEvents(ringCandidate(terms-1, 5), ringAsk,
			ringTimeout(ringLost)), want: "save 0:candidate/2147483647(3) +lost8-12"},
		{name: "no more Terms", c: ringAnew, events: ringEvents(ringCandidate(terms, 5), ringAsk,
			ringTimeout(ringLost)), want: "refuse"},
	})
}

// TestRingRest: a token that no process has used since its last visit rests, unless it is wanted here or has a
// budget of hops.
func TestRingRest(t *testing.T) {
	came := ringEvents(ringToken(0, 5, 0), ringToken(0, 5, 0))
	rested := append(came[:2:2], ringTimeout(ringRest))
	short := mutex.Config{First: 1, Rest: 1}
	bounded := mutex.Config{First: 1, Hops: 9}
	ringPlays(t, []ringStory{
		{name: "used elsewhere", c: ringPlain, events: came[:1], want: "0:token/0.5.0 -lost"},
		{name: "idle", c: ringPlain, events: came, want: "-lost +rest0.01-0.01"},
		{name: "as set", c: short, events: came, want: "-lost +rest1e-09-1e-09"},
		{name: "it goes on", c: ringPlain, events: rested, want: "0:token/0.5.0"},
		{name: "once", c: ringPlain, events: append(rested[:3:3], ringTimeout(ringRest)), want: ""},
		{name: "wanted while it rests", c: ringPlain, events: append(came[:2:2], ringAsk),
			want: "entered0.6(7)"},
		{name: "used when the rest is over", c: ringPlain, events: append(came[:2:2], ringAsk,
			ringTimeout(ringRest)), want: ""},
		{name: "wanted before", c: ringPlain, events: append(came[:1:1], ringAsk, came[1]),
			want: "-lost entered0.6(7)"},
		{name: "with a budget", c: bounded, events: ringEvents(ringToken(0, 5, 9), ringToken(0, 5, 7)),
			want: "0:token/0.5.6 -lost"},
	})
}
