package lease_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
)

// In the steps of a group whose voters change, 1_2 is the label of step 2 in Term 1, w123 the label of the wish for
// the voters 1, 2 and 3, h123 the hash of these voters, and h123_345 the hash of a change from 1, 2, 3 to 3, 4, 5.
var (
	spelled  = regexp.MustCompile(`\b(?:(\d+)_(\d+)|w(\d+)|h(\d+)(?:_(\d+))?)\b`)
	numbered = regexp.MustCompile(`\d{4,}`)
)

// hashOf returns the hash of a configuration.
func hashOf(old, now string) (h uint64) {
	for id := range election.ID(10) {
		flags := uint8(0)
		if strings.Contains(old, fmt.Sprint(id)) {
			flags |= lease.OldVoter
		}
		if strings.Contains(now, fmt.Sprint(id)) {
			flags |= lease.NewVoter
		}
		if flags != 0 {
			h += lease.HashOf(id, flags)
		}
	}
	return h
}

// numbers replaces labels and hashes by their numbers.
func numbers(s string) string {
	return spelled.ReplaceAllStringFunc(s, func(word string) string {
		p := spelled.FindStringSubmatch(word)
		switch {
		case p[1] != "":
			term, _ := strconv.Atoi(p[1])
			step, _ := strconv.Atoi(p[2])
			return fmt.Sprint(term<<10 | step)
		case p[3] != "":
			return fmt.Sprint(lease.WishBit | hashOf("", p[3])>>1)
		case p[5] != "":
			return fmt.Sprint(hashOf(p[4], p[5]))
		}
		return fmt.Sprint(hashOf("", p[4]))
	})
}

// spell replaces numbers by the words that a test uses for them.
func spell(s string, words ...string) string {
	return numbered.ReplaceAllStringFunc(s, func(number string) string {
		for _, word := range words {
			if numbers(word) == number {
				return word
			}
		}
		return number
	})
}

// A configuration that goes to all, or to one.
var (
	toAll = regexp.MustCompile(`(?:[1245]:member/0\.(\w+)#\d\(\d\)\^(\w+)!+ ?)+`)
	toOne = regexp.MustCompile(`(?:2:member/0\.(\w+)#\d\(\d\)\^(\w+)!+ ?)+`)
)

// requireGroup tries a script with process 3 among 1 to 5. Each line is an event and what it causes: members/1_1^h12
// is a configuration, which goes to all or, as 2:members, to process 2.
func requireGroup(t *testing.T, name, script string) {
	t.Helper()
	c := config
	c.Durable, c.Stays = true, strings.HasPrefix(name, "stays")
	p := amid(t, c, 1, 2, 4, 5)
	words := spelled.FindAllString(script, -1)
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		event, want, _ := strings.Cut(line, " ->")
		got := spell(p.do(t, numbers(event)), words...)
		if strings.Contains(got, "1:member") {
			got = toAll.ReplaceAllString(got, "members/$1^$2 ")
		} else {
			got = toOne.ReplaceAllString(got, "2:members/$1^$2 ")
		}
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(got), "%s: %s", name, event)
	}
}

// founded is how a group of three begins: all of them grant, and the leader puts their configuration under its Term.
const founded = `
	wish 1 2 3 ->
	start -> +turn0..10
	@20 turn -> all:probe/0.7#1(w123) +due40
	1:free/0#1(w123) ->
	4:free/0#1(w123) ->
	2:free/0#1(w123) -> save all:claim/1.7#2(w123) -turn +due250
	@22 1:granted/1.7#2(w123) ->
	4:granted/1.7#2(w123) ->
	@23 2:granted/1.7#2(w123) -> save all:leads/1.7 all:claim/1.7#3(1_0)^h123! +due250 leader(3)/1 until 1020 done
	@24 1:granted/1.7#3(1_0) -> leader(3)/1 until 1023
	@25 2:granted/1.7#3(1_0) ->
`

// TestRuleStep: rules 14 to 18 and 21: a group is founded by all, and changed in two steps.
func TestRuleStep(t *testing.T) {
	begun := founded + `
		4:granted/1.7#3(1_0) ->
		5:granted/1.7#3(1_0) ->
		@280 change 3 4 5 -> save members/1_1^h123_345 all:claim/1.7#4(1_1)^h123_345! +due250
	`
	for name, script := range map[string]string{
		"a process that is no voter yields to no candidate": `
			wish 1 2 4 ->
			prefer 5 ->
			start ->
			1:probe/0.9#1(w124)^3 -> 1:free/0#1(w124)
		`,
		"of voters that do not grant": founded + "@280 change 4 5 ->",
		"to the same voters":          founded + "@280 change 1 2 3 ->",
		"the joint configuration needs a majority of each": begun + `
			@281 4:granted/1.7#4(1_1) ->
			@281 5:granted/1.7#4(1_1) ->
			@281 change 1 2 ->
			@282 1:granted/1.7#4(1_1) -> save members/1_2^h345 all:claim/1.7#5(1_2)^h345! +due250 leader(3)/1 until 1280
			@283 1:granted/1.7#5(1_2) ->
			@283 2:granted/1.7#5(1_2) ->
			@284 5:granted/1.7#5(1_2) -> leader(3)/1 until 1282
		`,
		"grants of the round before count no more": begun + `
			@281 4:granted/1.7#3(1_0) ->
			@281 5:granted/1.7#3(1_0) ->
			@281 2:granted/1.7#3(1_0) ->
		`,
		"taken back": begun + `
			@281 take back -> save members/1_2^h123 all:claim/1.7#5(1_2)^h123! +due250
			@282 1:granted/1.7#5(1_2) -> leader(3)/1 until 1281
		`,
		"a voter lacks the configuration": begun + `
			@281 2:refused/1#4^1_0! -> 2:members/1_1^h123_345 2:claim/1.7#4(1_1)^h123_345!
			@281 2:refused/1#4^1_0! ->
			@281 2:refused/1#4^1_0 ->
		`,
		"leaves": founded + `
			@280 change 1 2 -> save members/1_1^h123_12 all:claim/1.7#4(1_1)^h123_12! +due250
			@281 1:granted/1.7#4(1_1)! ->
			@281 2:granted/1.7#4(1_1)! -> save members/1_2^h12 all:claim/1.7#5(1_2)^h12! +due250 leader(3)/1 until 1280
			@282 1:granted/1.7#5(1_2)! ->
			@282 2:granted/1.7#5(1_2)! -> all:release/1.7(2) 2:handoff/1.7 +due1000 undecided(0)/1
		`,
		"stays until it is told to resign": founded + `
			@280 change 1 2 -> save members/1_1^h123_12 all:claim/1.7#4(1_1)^h123_12! +due250
			@281 1:granted/1.7#4(1_1)! ->
			@281 2:granted/1.7#4(1_1)! -> save members/1_2^h12 all:claim/1.7#5(1_2)^h12! +due250 leader(3)/1 until 1280
			@282 1:granted/1.7#5(1_2)! ->
			@282 2:granted/1.7#5(1_2)! -> leader(3)/1 until 1281
			@283 resign 1 0 -> all:release/1.7(2) 2:handoff/1.7 +due1000 undecided(0)/1
		`,
	} {
		requireGroup(t, name, script)
	}
}

// TestRuleCompare: rules 15, 16, 17 and 19: what a voter grants, keeps and learns.
func TestRuleCompare(t *testing.T) {
	learned := `
		wish 1 2 3 ->
		2:member/0.4_1#4(3)^h123_34!!! ->
		2:member/0.4_1#4(1)^h123_34! ->
		2:member/0.4_1#4(4)^h123_34!! ->
		2:member/0.4_1#4(2)^h123_34! -> save
	`
	for name, script := range map[string]string{
		"a founding claim binds": `
			wish 1 2 3 ->
			1:claim/1.9#1(w123) -> save 1:granted/1.9#1(w123) +due1000
			init ->
			wish 1 2 3 4 ->
			1:claim/2.8#1(w1234) -> 1:refused/2#1^w123
			1:claim/2.8#1(w123) -> save 1:granted/2.8#1(w123) +due1000
		`,
		"a wish that is not bound may change": `
			wish 1 2 3 ->
			init ->
			wish 1 2 3 4 ->
			1:claim/1.9#1(w123) -> 1:refused/1#1^w1234
		`,
		"a smaller label is refused, and taught": learned + `
			2:claim/5.9#1(4_0) -> 2:refused/5#1^4_1 2:member/0.4_1#4^h123_34
			2:probe/5.9#1(4_0) -> 2:held/5#1^4_1 2:member/0.4_1#4^h123_34
			2:claim/5.9#1(w123) -> 2:refused/5#1^4_1 2:member/0.4_1#4^h123_34
		`,
		"a first claim with a larger label is granted, and leaves the configuration": learned + `
			2:claim/5.9#1(4_2) -> save 2:granted/5.9#1(4_1) +due1000
		`,
		"a renewal relabels the same voters": learned + `
			2:claim/5.9#1(5_0)^h123_34! -> save 2:granted/5.9#1(5_0) +due1000 follower(2)/5 done
		`,
		"a renewal of other voters has to wait": learned + `
			2:claim/5.9#1(5_0)^h34! -> 2:refused/5#1^4_1! +due1000 follower(2)/5 done
			2:member/0.5_0#2(3)^h34!! ->
			2:member/0.5_0#2(4)^h34!! -> save
			2:claim/5.9#1(5_0)^h34! -> save 2:granted/5.9#1(5_0)
		`,
		"the same label with other voters": learned + `
			2:claim/5.9#1(4_1)^h123! -> 2:refused/5#1^4_1 +due1000 follower(2)/5 done
		`,
		"not a voter any more": learned + `
			2:member/0.5_0#2(1)^h12!! ->
			2:member/0.5_0#2(2)^h12!! -> save
			start ->
			1:handoff/5.9 ->
		`,
		"the label of the same voters": learned + `
			2:member/0.5_0#4^h123_34 -> save
			2:probe/5.9#1(5_0) -> 2:free/0#1(5_0)
		`,
		"the label of other voters": learned + `
			2:member/0.5_0#2^h34 -> 2:read/0.7(4_1)
			2:probe/5.9#1(4_1) -> 2:free/0#1(4_1)
		`,
		"a configuration with a wrong voter, and then the right one": learned + `
			2:member/0.5_0#2(3)^h34!! ->
			2:member/0.5_0#2(1)^h34!! ->
			2:member/0.5_0#2(3)^h34!! ->
			2:member/0.5_0#2(4)^h34!! -> save
		`,
		"a claim has a larger Term than the label": learned + `
			2:member/0.9_0#4^h123_34 -> save
			start -> +turn20..30
			@40 turn -> all:probe/0.7#1(9_0) +due40
			1:free/0#1(9_0) ->
			4:free/0#1(9_0) -> save all:claim/10.7#2(9_0) -turn +due250
		`,
		"a process that is no voter does not delay a candidate": learned + `
			start -> +turn20..30
			@40 turn -> all:probe/0.7#1(4_1) +due40
			5:held/1.700000000#1(5)^4_1 ->
			1:held/1.300000000#1(5)^4_1 ->
			2:held/1.300000000#1(5)^4_1 -> +due300
		`,
		"an incomplete configuration": learned + `
			2:member/0.5_0#3(3)^h123!! ->
			2:member/0.5_0#3(3)^h123!! ->
			2:member/0.5_0#3(1)^h123!! ->
			2:probe/5.9#1(4_1) -> 2:free/0#1(4_1)
		`,
		"a part of a configuration that no other process knows": learned + `
			1:member/0.5_1#4(3)^h123_34!!! ->
			2:member/0.5_0#2^h34 -> 2:read/0.7(4_1)
			2:member/0.5_0#2(3)^h34!! ->
			2:member/0.5_0#2(4)^h34!! -> save
		`,
		"an older configuration": learned + `
			2:member/0.4_0#2(3)^h34!! ->
			2:member/0.4_0#2(4)^h34!! ->
		`,
	} {
		requireGroup(t, name, script)
	}
}

// TestRuleReturnOfGroup: rule 20: a voter without memory reads the label, too.
func TestRuleReturnOfGroup(t *testing.T) {
	asks := `
		wish 1 2 3 ->
		rejoin -> +due1000
		@1000 due -> all:read/0.7(w123) +due250
	`
	for name, script := range map[string]string{
		"nobody knows a configuration: all have to answer": asks + `
			1:memory/0^7! ->
			2:memory/0^7! -> save -due
		`,
		"an answer needs both parts": asks + `
			1:memory/5.9(1)^7 ->
			2:memory/5.9(1)^7 ->
			1:holds/0.w123^7 ->
			2:holds/0.w123^7 -> save -due
		`,
		"a part of a configuration that no other process knows": asks + `
			1:member/0.5_1#4(3)^h123_34!!! ->
			@1250 due -> all:read/0.7(w123) +due250
			2:member/0.5_0#2(3)^h34!! ->
			2:member/0.5_0#2(4)^h34!! ->
			2:memory/5.9(1)^7 ->
			2:holds/0.5_0^7 ->
			4:memory/5.9(1)^7 ->
			4:holds/0.5_0^7 -> save -due
		`,
		"a grant of a vote that was read binds": asks + `
			1:memory/5.9(1)^7 ->
			1:holds/0.w123^7 ->
			2:memory/5.9(1)^7 ->
			2:holds/0.w123^7 -> save -due
			1:claim/5.9#1(w123) -> save 1:granted/5.9#1(w123) +due1000
			1:claim/5.9#2(w123) -> 1:granted/5.9#2(w123)
			init ->
			wish 1 2 3 4 ->
			1:claim/6.8#1(w1234) -> 1:refused/6#1^w123
		`,
		"an answer to another incarnation": asks + `
			1:memory/5.9(1)^7 ->
			2:memory/5.9(1)^7 ->
			1:holds/0.w123^7 ->
			2:holds/0.w123^8 ->
		`,
		"another wish does not count": asks + `
			1:memory/5.9(1)^7 ->
			1:holds/0.w123^7 ->
			2:memory/5.9(1)^7 ->
			2:holds/0.w12^7 ->
		`,
		"what is newer has to arrive first": asks + `
			1:memory/5.9(1)^7 ->
			1:holds/0.4_0^7 ->
			2:memory/5.9(1)^7 ->
			2:holds/0.4_0^7 ->
			2:member/0.4_0#3(1)^h123!! ->
			2:member/0.4_0#3(2)^h123!! ->
			2:member/0.4_0#3(3)^h123!! ->
			1:holds/0.4_0^7 ->
			2:holds/0.4_0^7 -> save -due
		`,
	} {
		requireGroup(t, name, script)
	}
}

// TestCalled: the mark of a configuration follows its set of voters, and a change of the mark alone is a change.
func TestCalled(t *testing.T) {
	c := config
	c.Durable = true
	p := amid(t, c, 1, 2, 4, 5)
	do := func(lines string) {
		t.Helper()
		for line := range strings.Lines(lines) {
			event, _, _ := strings.Cut(strings.TrimSpace(line), " ->")
			if event != "" {
				p.do(t, numbers(event))
			}
		}
	}
	grant := func(step int) {
		t.Helper()
		for _, from := range []int{1, 2, 4} {
			do(fmt.Sprintf("%d:granted/1.7#%d(1_%d)", from, step+3, step))
		}
	}
	require.Equal(t, lease.Configuration{Recovered: true}, lease.Inspect(p.node))
	do(founded + "4:granted/1.7#3(1_0)")
	at := func(step int) lease.Configuration {
		return lease.Configuration{Label: 1<<10 | uint64(step), Agreed: true, Recovered: true, Leads: true}
	}
	want := at(0)
	want.Confirmed = true
	require.Equal(t, want, lease.Inspect(p.node))
	require.Equal(t, lease.Voter{New: true, Granted: true}, lease.VoterAt(p.node, election.NoPort))
	require.Equal(t, lease.Voter{New: true, Granted: true}, lease.VoterAt(p.node, 0))
	require.Equal(t, lease.Voter{Granted: true}, lease.VoterAt(p.node, 2))

	do("@280 call 1 2 3")
	want = at(1)
	want.Joint, want.Called, want.Begun = true, true, true
	require.Equal(t, want, lease.Inspect(p.node))
	require.Equal(t, lease.Voter{Old: true, New: true, Granted: true}, lease.VoterAt(p.node, 0))
	do("@280 take back")
	require.Equal(t, at(2), lease.Inspect(p.node))
	grant(2)

	do("@281 call 1 2 3")
	grant(3) // joint
	grant(4)
	want = at(4)
	want.Called, want.Confirmed = true, true
	require.Equal(t, want, lease.Inspect(p.node))
	require.Equal(t, uint64(1), want.Term())
	require.Equal(t, 4, want.Step())

	do("@282 call 1 2 3")
	require.Equal(t, want, lease.Inspect(p.node))
	do("@282 change 1 2 3")
	want = at(5)
	want.Joint, want.Begun = true, true
	require.Equal(t, want, lease.Inspect(p.node))
	do("@282 take back")
	want = at(6)
	want.Called = true
	require.Equal(t, want, lease.Inspect(p.node))
}
