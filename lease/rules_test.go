package lease_test

import "testing"

// remembers are the events of a voter that has come back without memory, and has read that of three others.
var remembers = given("rejoin", "@1000 due", "1:memory/5.9(1)^7", "2:memory/5.9(1)^7", "4:memory/4.8(2)^7")

// TestRuleClaim: rule 1: a candidate waits for its turn, asks, and claims a Term larger than all that it
// has heard of.
func TestRuleClaim(t *testing.T) {
	requireRules(t, []rule{
		{"first start: no quarantine", nil, "start", "+turn40..50"},
		{"it waits for each larger one, plus a random part", nil, "start", "+turn40..50"},
		{"larger ones that are down are not waited for", nil, "suspect 5; left 4; start", "+turn0..10"},
		{"nor when they are back", nil, "suspect 5; trust 5; left 4; joined 4; start", "+turn40..50"},
		{"a message shows that one is up", nil, "suspect 5; 5:probe/0.9#1; start", "+turn40..50"},
		{"it asks all others", nil, "start; @40 turn", "all:probe/0.7#1 +due40"},
		{"started again", nil, "start; start", ""},
		{"a turn that is over", nil, "turn", ""},
		{"lent meanwhile", nil, "start; 1:claim/1.9#1; @40 turn", ""},
		{"lent meanwhile, and ended", leads[:1], "1:claim/1.9#1; @40 turn; @1000 due", "+turn40..50"},
		{"held by another for a nanosecond", leads[:1], "@0 turn; 1:held/0.1#1(1); 2:held/0#1; 4:held/0#1",
			""},
		{"refusals of the question do not count against the claim", leads[:2],
			"1:held/0#1; 4:free/0#1; 5:free/0#1; 2:refused/1#2; 4:refused/1#2", ""},
		{"free again after held", leads[:2], "1:held/0#1; 2:held/0#1; 1:free/0#1; 4:held/0#1", ""},
		{"two of five are free, with its own", nil, "start; @40 turn; 1:free/0#1", ""},
		{"three", nil, "start; @40 turn; 1:free/0#1; 2:free/0#1", "all:claim/1.7#2 -turn +due250"},
		{"the same twice", nil, "start; @40 turn; 1:free/0#1; 1:free/0#1", ""},
		{"of an earlier round", nil, "start; @40 turn; 1:free/0#0; 2:free/0#0", ""},
		{"its own is lent: three others", nil, "start; @40 turn; 1:claim/1.9#1; 4:free/0#1; 5:free/0#1",
			""},
		{"its own is lent: three others", nil,
			"start; @40 turn; 1:claim/1.9#1; 4:free/0#1; 5:free/0#1; 2:free/0#1",
			"all:claim/2.7#2 -turn +due250"},
		{"a Term larger than all that it has heard of", nil, "start; @40 turn; 1:free/8#1; 2:free/5#1",
			"all:claim/9.7#2 -turn +due250"},
		{"heard in a refusal", nil, "start; @40 turn; 1:held/8.5#1(2); 2:free/5#1; 4:free/0#1",
			"all:claim/9.7#2 -turn"},
		{"heard in a claim", nil, "1:claim/6.9#1; 1:release/6.9; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"all:claim/7.7#2 -turn +due250"},
		{"heard from a leader", nil, "1:leads/6.9; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"all:claim/7.7#2 -turn +due250"},
		{"a number at the first event", nil, "init 6; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"all:claim/7.7#2 -turn +due250"},
		{"raised", nil, "raise 6; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"all:claim/7.7#2 -turn +due250"},
		{"raised less", nil, "raise 6; raise 3; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"all:claim/7.7#2 -turn +due250"},
		{"no Term is left", nil, "raise 18446744073709551615; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"-due refused"},
		{"no Term is left, started again", nil,
			"raise 18446744073709551615; start; @40 turn; 1:free/0#1; 2:free/5#1; start",
			"+turn40..50"},
		{"the last Term", nil, "raise 18446744073709551614; start; @40 turn; 1:free/0#1; 2:free/5#1",
			"all:claim/18446744073709551615.7#2 -turn +due250"},
		{"free when idle", nil, "1:free/0#0; 2:free/0#0; 4:free/0#0", ""},
		{"free again after held", nil,
			"start; @40 turn; 1:held/0.5#1(2); 2:held/0.5#1(2); 1:free/0#1; 4:held/0.5#1(2)",
			""},
	})
}

// TestRuleGrant: rule 2: a voter lends its vote to one owner at a time, and each Term to one.
func TestRuleGrant(t *testing.T) {
	requireRules(t, []rule{
		{"a claim is granted", nil, "1:claim/1.9#1", "1:granted/1.9#1 +due1000"},
		{"by a candidate", nil, "start; 1:claim/1.9#1", "1:granted/1.9#1! +due1000"},
		{"of a renewal", nil, "1:claim/1.9#1!", "1:granted/1.9#1 +due1000 follower(1)/1 done"},
		{"again, for longer", nil, "1:claim/1.9#1; @100 1:claim/1.9#2", "1:granted/1.9#2 +due1000"},
		{"the same Term of another owner", nil, "1:claim/1.9#1; @1000 2:claim/1.8#1", "2:refused/1#1 -due"},
		{"the same Term of another incarnation", nil, "1:claim/1.9#1; @1000 1:claim/1.8#1",
			"1:refused/1#1 -due"},
		{"a smaller Term", nil, "1:claim/5.9#1; @1000 2:claim/4.8#1", "2:refused/5#1 -due"},
		{"a smaller Term of the same owner", nil, "1:claim/5.9#1; 1:claim/4.9#1",
			"1:refused/5.1000000000#1(1)"},
		{"a larger Term of the same owner", nil, "1:claim/5.9#1; @100 1:claim/6.9#1",
			"1:granted/6.9#1 +due1000"},
		{"another owner, live", nil, "1:claim/1.9#1; @400 2:claim/2.8#1", "2:refused/2.600000000#1(1)"},
		{"another owner, at the last moment", nil, "1:claim/1.9#1; @999.999999 2:claim/2.8#1",
			"2:refused/2.1#1(1)"},
		{"another owner, ended", nil, "1:claim/1.9#1; @1000 2:claim/2.8#1", "2:granted/2.8#1 +due1000"},
		{"another incarnation, live", nil, "1:claim/1.9#1; @400 1:claim/2.8#1",
			"1:refused/2.600000000#1(1)"},
		{"probe: free", nil, "2:probe/0.8#4", "2:free/0#4"},
		{"probe: held", nil, "1:claim/1.9#1; @400 2:probe/0.8#4", "2:held/1.600000000#4(1)"},
		{"probe of the owner", nil, "1:claim/1.9#1; @400 1:probe/0.9#4", "1:free/1#4"},
		{"probe of another incarnation", nil, "1:claim/1.9#1; @400 1:probe/0.8#4",
			"1:held/1.600000000#4(1)"},
		{"probe: ended", nil, "1:claim/1.9#1; @1000 2:probe/0.8#4", "2:free/1#4 -due"},
		{"probe changes nothing", nil, "2:probe/0.8#4; 1:claim/1.9#1", "1:granted/1.9#1 +due1000"},
		{"a claim while it leads", leads, "2:claim/5.8#1", "2:refused/5.995000000#1(3)"},
		{"heard of while it leads: the next Term is larger", leads,
			"2:claim/5.8#1; @1046 due; @1100 turn; 1:free/0#3; 2:free/0#3",
			"all:claim/6.7#4 -turn +due250"},
	})
}

// TestRuleLead: rule 3: a candidate leads by the grants of a majority, for Lease after it has claimed.
func TestRuleLead(t *testing.T) {
	requireRules(t, []rule{
		{"two of five grant", leads[:5], "", ""},
		{"three", leads, "", "all:leads/1.7 leader(3)/1 until 1046 done"},
		{"the same twice", leads[:4], "@50 1:granted/1.7#2", ""},
		{"another round", leads[:5], "@51 2:granted/1.7#1", ""},
		{"another Term", leads[:5], "@51 2:granted/2.7#2", ""},
		{"another incarnation", leads[:5], "@51 2:granted/1.8#2", ""},
		{"too late", leads[:4], "@1046 2:granted/1.7#2", "all:release/1.7! +turn50..60 -due"},
		{"in the last moment", leads[:5], "@1045.999999 2:granted/1.7#2",
			"all:leads/1.7 leader(3)/1 until 1046 done"},
		{"one more is no news", leads, "@52 4:granted/1.7#2", ""},
		{"its own grant counts", nil, "start; @40 turn; @45 1:free/0#1; 2:free/0#1; @46 1:granted/1.7#2",
			""},
		{"it has followed another before", nil,
			"1:leads/6.9; start; @40 turn; 1:free/0#1; 2:free/0#1; 1:granted/7.7#2; 2:granted/7.7#2",
			"all:leads/7.7 leader(3)/7 until 1040 done"},
		{"the one that it has followed ends", nil, "1:leads/6.9; start; @40 turn; 1:free/0#1; 2:free/0#1; " +
			"1:granted/7.7#2; 2:granted/7.7#2; @1000 due", "all:claim/7.7#3! +due40"},
		{"the lease ends", leads, "@1046 due", "all:release/1.7 +turn50..60 undecided(0)/1"},
		{"it ends though no timer has run out", leads, "@1046 2:probe/0.8#4",
			"all:release/1.7 2:free/1#4 +turn50..60 -due undecided(0)/1"},
		{"it ends not before", leads, "@1045.999999 2:probe/0.8#4", "2:held/1.2#4(3)"},
		{"granted without an attempt", nil, "1:granted/0#0; 2:granted/0#0; 4:granted/0#0", ""},
	})
}

// TestRuleRenew: rule 4: a leader claims anew, and leads for longer if a majority grants it.
func TestRuleRenew(t *testing.T) {
	requireRules(t, []rule{
		{"it renews", leads, "@296 due", "all:claim/1.7#3! +due250"},
		{"asked to", leads, "@100 renew", "all:claim/1.7#3! +due250"},
		{"not without the lead", nil, "start; renew", ""},
		{"renewed", leads, "@296 due; @300 1:granted/1.7#3; @301 2:granted/1.7#3",
			"leader(3)/1 until 1296"},
		{"answers to the round before", leads, "@296 due; @300 1:granted/1.7#2; @301 2:granted/1.7#2", ""},
		{"refused: it goes on", leads,
			"@296 due; @300 1:refused/1#3; 2:refused/1#3; 4:refused/1#3; 5:refused/1#3",
			""},
		{"claims again without answers", leads[:4], "@296 due", "all:claim/1.7#3 +due250"},
		{"and again", leads[:4], "@296 due; @546 due", "all:claim/1.7#4 +due250"},
		{"an attempt ends after a lease", leads[:4], "@296 due; @546 due; @796 due; @1046 due",
			"all:release/1.7! +turn50..60"},
		{"the next attempt has a larger Term", leads[:4],
			"@296 due; @546 due; @796 due; @1046 due; @1120 turn; 1:free/0#6; 2:free/0#6",
			"all:claim/2.7#7 -turn +due250"},
		{"a renewal that is granted too late", leads, "@296 due; @1046 1:granted/1.7#3",
			"all:release/1.7 +turn50..60 -due undecided(0)/1"},
		{"a renewal that two grant", leads, "@296 due; @300 1:granted/1.7#3", ""},
		{"a renewal, the same twice", leads, "@296 due; @300 1:granted/1.7#3; 1:granted/1.7#3", ""},
		{"renewed, the end is later", leads,
			"@296 due; @300 1:granted/1.7#3; @301 2:granted/1.7#3; @1046 2:probe/0.8#4",
			"2:held/1.250000000#4(3)"},
		{"renewed, granted twice", leads,
			"@296 due; @300 1:granted/1.7#3; @301 2:granted/1.7#3; 4:granted/1.7#3",
			""},
	})
}
