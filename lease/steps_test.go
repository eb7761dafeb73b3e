package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// leads are the events of a candidate that leads in Term 1 until 1046, among five.
var leads = given("start", "@40 turn", "@45 1:free/0#1", "@46 2:free/0#1", "@50 1:granted/1.7#2",
	"@51 2:granted/1.7#2!")

func then(first []string, more ...string) []string {
	return append(first[:len(first):len(first)], more...)
}

// TestSitDown: a process that stops being a candidate begins no attempt, and ends the current one.
func TestSitDown(t *testing.T) {
	for _, how := range given("lapse", "sitdown") {
		requireSteps(t, []steps{
			{"while it waits", then(leads[:1], how), "-turn"},
			{"while it asks", then(leads[:2], how), "-turn -due"},
			{"asked before", then(leads[:2], how, "1:free/0#1", "2:free/0#1"), ""},
			{"while it claims", then(leads[:4], how), "all:release/1.7! -turn -due"},
			{"claimed before", then(leads[:4], how, "1:granted/1.7#2", "2:granted/1.7#2"), ""},
			{"it was none", given(how), ""},
			{"it is one again", then(leads[:4], how, "start"), "+turn50..60"},
		}, config, 1, 2, 4, 5)
	}
	requireSteps(t, []steps{
		{"the lease runs out", then(leads, "lapse", "@296 due"), "+due250"},
		{"it has", then(leads, "lapse", "@296 due", "@1046 due"),
			"all:release/1.7 undecided(0)/1"},
		{"asked to renew", then(leads, "lapse", "renew"), ""},
		{"it is one again in time", then(leads, "lapse", "@296 due", "@300 start", "@546 due"),
			"all:claim/1.7#3! +due250"},
		{"the lease is given up", then(leads, "sitdown"),
			"all:release/1.7(2) 2:handoff/1.7 -due undecided(0)/1"},
		{"to a larger one", then(leads, "4:granted/1.7#2!", "sitdown"),
			"all:release/1.7(4) 4:handoff/1.7 -due undecided(0)/1"},
		{"that has not granted the last renewal", then(leads, "4:granted/1.7#2!", "@296 due", "@297 2:granted/1.7#3!",
			"sitdown"), "all:release/1.7(2) 2:handoff/1.7 -due undecided(0)/1"},
		{"nor has any other", then(leads, "4:granted/1.7#2!", "@296 due", "sitdown"),
			"all:release/1.7(4) 4:handoff/1.7 -due undecided(0)/1"},
	}, config, 1, 2, 4, 5)
}

// TestAbandon: a candidate that asks waits for its turn again. Nothing else is given up.
func TestAbandon(t *testing.T) {
	requireSteps(t, []steps{
		{"it waits", then(leads[:1], "abandon"), ""},
		{"it asks", then(leads[:2], "abandon"), "+turn50..60 -due"},
		{"it has asked before", then(leads[:2], "abandon", "1:free/0#1", "2:free/0#1"), ""},
		{"it claims", then(leads[:4], "abandon"), ""},
		{"it leads", then(leads, "abandon"), ""},
		{"it is no candidate", given("abandon"), ""},
	}, config, 1, 2, 4, 5)
}

// TestLostAttempt: a candidate gives up as soon as a majority can no longer grant its claim.
func TestLostAttempt(t *testing.T) {
	requireSteps(t, []steps{
		{"two of five refuse", then(leads[:4], "1:refused/5#2", "2:refused/5#2"), ""},
		{"three of five refuse", then(leads[:4], "1:refused/5#2", "2:refused/5#2", "4:refused/5#2"),
			"all:release/1.7^5! +turn50..60 -due"},
		{"its own vote is lent to another, too", then(leads[:2], "1:claim/1.9#1", "4:held/1.700000000#1(1)",
			"5:held/1.800000000#1(1)"), "+due800"},
	}, config, 1, 2, 4, 5)
}

// TestSplitVote: a candidate that was refused does not hold its own vote back from others for a whole
// lease when the voters that say nothing are down.
func TestSplitVote(t *testing.T) {
	claims := given("start", "@40 turn", "@45 1:free/0#1")
	requireSteps(t, []steps{
		{"it claims", claims, "all:claim/1.7#2 -turn +due250"},
		{"one of two refuses", then(claims, "@50 1:refused/5.700000000#2(1)"), "+due35"},
		{"the other may yet grant", then(claims, "@50 1:refused/5.700000000#2(1)", "@84 2:granted/1.7#2!"),
			"all:leads/1.7 leader(3)/1 until 1045 done"},
		{"it says nothing", then(claims, "@50 1:refused/5.700000000#2(1)", "@85 due"),
			"all:release/1.7^5! +due665"},
		{"both have given up", then(claims, "@50 1:refused/5.700000000#2(1)", "@85 due", "1:release/1.9"),
			"+turn10..20 -due"},
		{"none has answered", then(claims, "@295 due"), "all:claim/1.7#3 +due250"},
	}, config, 1, 2)
}

// TestSlow: answers take longer than Delay.
func TestSlow(t *testing.T) {
	requireSteps(t, []steps{
		{"it asks again", then(leads[:2], "@80 due"), "all:probe/0.7#1 +due80"},
		{"and again, later and later", then(leads[:2], "@80 due", "@160 due"), "all:probe/0.7#1 +due160"},
		{"answers to any count", then(leads[:2], "@80 due", "@160 due", "1:free/0#1", "2:free/0#1"),
			"all:claim/1.7#2 -turn +due250"},
		{"another was faster", then(leads[:2], "1:claim/1.9#1", "@80 due"), "+due960"},
	}, config, 1, 2, 4, 5)
}

// TestResigned: a leader that resigns leaves the next lease to others.
func TestResigned(t *testing.T) {
	requireSteps(t, []steps{
		{"it resigns", then(leads, "@60 resign"), "all:release/1.7(2) 2:handoff/1.7 +due1000 undecided(0)/1"},
		{"it is asked to in its Term", then(leads, "@60 resign 1"),
			"all:release/1.7(2) 2:handoff/1.7 +due1000 undecided(0)/1"},
		{"it led in another Term", then(leads, "@60 resign 2"), ""},
		{"another gives up", then(leads, "@60 resign", "1:release/2.9"), ""},
		{"a lease later", then(leads, "@60 resign", "@1060 due"), "+turn50..60"},
		{"it is named successor", then(leads, "@60 resign", "1:handoff/2.9"),
			"all:claim/3.7#3^9!! -turn +due250"},
	}, config, 1, 2, 4, 5)
}

// TestOvertaken: a successor claims again if its claim was refused because of the previous leader's grant, with
// pauses that double.
func TestOvertaken(t *testing.T) {
	handed := given("1:claim/1.9#1", "start", "@40 1:handoff/1.9")
	again := then(handed, "@42 2:refused/1.700000000#1(1)")
	requireSteps(t, []steps{
		{"it claims", handed, "all:claim/2.7#1^9!! -turn +due250"},
		{"refused for another", then(handed, "@42 2:refused/1.700000000#1(5)"), "+due38"},
		{"refused for the leader before", again, "+due10"},
		{"it claims again", then(again, "@52 due"), "all:claim/2.7#2^9!! +due250"},
		{"refused again", then(again, "@52 due", "@54 2:refused/1.700000000#2(1)"), "+due14"},
		{"by all", then(again, "4:refused/1.7#1(1)", "5:refused/1.7#1(1)", "1:refused/1.7#1(1)"), ""},
		{"granted", then(again, "@52 due", "@54 2:granted/2.7#2", "4:granted/2.7#2"),
			"all:leads/2.7 leader(3)/2 until 1052 done"},
		{"a lease later", then(again, "@52 due", "@1040 due"), "all:release/2.7! +turn50..60"},
		{"asking, after that", then(again, "@52 due", "@1040 due", "@1090 turn"), "all:probe/0.7#3 +due80"},
	}, config, 1, 2, 4, 5)
}

// TestReturnOfEvenMany: as many others are read that each majority has one of them, besides this voter: also
// each majority of a list that has one voter more, or one less.
func TestReturnOfEvenMany(t *testing.T) {
	back := given("rejoin", "@1000 due")
	c := config
	c.Cold = -1
	requireSteps(t, []steps{
		{"of two, one", then(back, "1:memory/5.9(1)^7"), "-due"},
	}, c, 1)
	requireSteps(t, []steps{
		{"of four, one", then(back, "1:memory/5.9(1)^7"), ""},
		{"of four, two", then(back, "1:memory/5.9(1)^7", "2:memory/4.9(1)^7"), ""},
		{"of four, three", then(back, "1:memory/5.9(1)^7", "2:memory/4.9(1)^7", "4:memory/4.9(1)^7"), "-due"},
	}, c, 1, 2, 4)
	back = then(back, "1:memory/5.9(1)^7", "2:memory/4.9(1)^7", "4:memory/4.9(1)^7")
	requireSteps(t, []steps{
		{"of six, three", back, ""},
		{"of six, four", then(back, "5:memory/4.9(1)^7"), "-due"},
	}, c, 1, 2, 4, 5, 6)
}

// TestPorts: ports that are not there, and kinds of message that are not its own, change nothing.
func TestPorts(t *testing.T) {
	requireSteps(t, []steps{
		{"suspect", given("suspect 0", "start"), "+turn40..50"},
		{"trust", given("trust 0", "start"), "+turn40..50"},
	}, config, 1, 2, 4, 5)
	p := amid(t, config, 1, 2, 4, 5)
	p.do(t, "1:leads/1.9") // until 1000
	claim := p.event(t, "1:claim/1.9#1")
	for _, claim.Port = range []election.Port{4, 5, election.NoPort} {
		fx := p.env.Begin(0)
		p.node.Step(p.env, &claim)
		require.Empty(t, fx.Sends)
	}
	for _, claim.Msg.Kind = range []uint8{0, uint8(len(p.alg.Kinds) + 1)} {
		claim.Port, claim.At = 0, time.Second
		fx := p.env.Begin(0)
		p.node.Step(p.env, &claim)
		require.False(t, fx.Rare())
	}
}
