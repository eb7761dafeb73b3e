package lease_test

import "testing"

// TestRuleRelease: rule 5: what is given up is released, exactly that, and a successor is named.
func TestRuleRelease(t *testing.T) {
	requireRules(t, []rule{
		{"exactly the grant", nil, "1:claim/1.9#1; 1:release/1.9", "-due"},
		{"another Term", nil, "1:claim/2.9#1; 1:release/1.9", ""},
		{"another incarnation", nil, "1:claim/1.9#1; 1:release/1.8", ""},
		{"another process", nil, "1:claim/1.9#1; 2:release/1.9", ""},
		{"the next claim is granted", nil, "1:claim/1.9#1; 1:release/1.9; 2:claim/2.8#1",
			"2:granted/2.8#1 +due1000"},
		{"of the leader", nil, "1:leads/1.9; 1:release/1.9", "-due undecided(0)/1"},
		{"of the leader, an earlier Term", nil, "1:leads/2.9; 1:release/1.9", ""},
		{"of another", nil, "1:leads/1.9; 2:release/1.9", ""},
		{"it resigns: the largest that stands", leads, "4:granted/1.7#2!; @60 resign",
			"all:release/1.7 4:handoff/1.7 +due1000 undecided(0)/1"},
		{"it resigns: not one that is down", leads, "4:granted/1.7#2!; suspect 4; @60 resign",
			"all:release/1.7 2:handoff/1.7 +due1000 undecided(0)/1"},
		{"it stands no longer", leads, "@55 renew; 2:granted/1.7#3; @60 resign",
			"all:release/1.7 +due1000 undecided(0)/1"},
		{"it resigns: not one that stood in an earlier lease", leads,
			"4:granted/1.7#2!; sitdown; start; turn; " +
				"1:free/0#3; 2:free/0#3; 1:granted/2.7#4; 2:granted/2.7#4; resign",
			"all:release/2.7 +due1000 undecided(0)/2"},
		{"it resigns: to the first", leads, "@60 transfer 1",
			"all:release/1.7 1:handoff/1.7 +due1000 undecided(0)/1"},
		{"it resigns: to one", leads, "@60 transfer 5",
			"all:release/1.7 5:handoff/1.7 +due1000 undecided(0)/1"},
		{"it resigns: to none that is there", leads, "@60 transfer 8",
			"all:release/1.7 +due1000 undecided(0)/1"},
		{"it resigns: to itself", leads, "@60 transfer 3", "all:release/1.7 +due1000 undecided(0)/1"},
		{"it resigns without the lead", nil, "start; resign", ""},
		{"it resigns: others are to claim a larger Term", leads, "raise 9; @60 resign",
			"all:release/1.7^9 2:handoff/1.7^9 +due1000 undecided(0)/1"},
		{"handoff names a larger Term", nil, "start; 1:handoff/1.9^9", "all:claim/10.7#1 -turn +due250"},
		{"release names a larger Term", nil, "1:release/1.9^9; start; @40 turn; 1:free/0#1; 2:free/0#1",
			"all:claim/10.7#2 -turn +due250"},
		{"the largest that a command may name", nil, "start; 1:handoff/1.9^9007194959773695",
			"all:claim/9007194959773696.7#1 -turn +due250"},
		{"the last token", nil, "start; raise 9007199254740990; 1:handoff/1.9",
			"all:claim/9007199254740991.7#1 -turn +due250"},
		{"no token is left", nil, "start; raise 9007199254740991; 1:handoff/1.9", "refused"},
		{"release names a Term that is too large", nil, "start; 1:handoff/1.9^9007194959773696",
			"all:claim/2.7#1(1)^9!! -turn +due250"},
		{"resigned: it waits for a lease", leads, "@60 resign; @1059.999999 due", "+due2e-06"},
		{"resigned: it does not stand", leads, "@60 resign; 2:claim/2.8#1", "2:granted/2.8#1"},
		{"resigned, and named", leads, "@60 resign; @70 1:handoff/2.9",
			"all:claim/3.7#3(1)^9!! -turn +due250"},
		{"resigned a lease ago", leads, "@60 resign; @1060 due; 2:claim/2.8#1", "2:granted/2.8#1! +due1000"},
		{"handoff to a candidate", nil, "1:claim/1.9#1; start; 1:handoff/1.9",
			"all:claim/2.7#1(1)^9!! -turn +due250"},
		{"handoff while it waits, of a Term that it has not heard of", nil, "start; 1:handoff/1.9",
			"all:claim/2.7#1(1)^9!! -turn +due250"},
		{"handoff while it asks", leads[:2], "1:handoff/1.9", "all:claim/2.7#2(1)^9!! -turn +due250"},
		{"handoff, a larger Term was heard of", nil, "raise 6; start; 1:handoff/1.9",
			"all:claim/7.7#1 -turn +due250"},
		{"once it leads it says no more of that", nil,
			"start; 1:handoff/1.9; 1:granted/2.7#1; 2:granted/2.7#1; @300 due", "all:claim/2.7#2! +due250"},
		{"nor in the next attempt", nil,
			"start; 1:handoff/1.9; sitdown; start; @60 turn; 1:free/0#2; 2:free/0#2",
			"all:claim/3.7#3 -turn +due250"},
		{"handoff while it claims", leads[:4], "1:handoff/1.9", ""},
		{"handoff to none", nil, "1:claim/1.9#1; 1:handoff/1.9", "-due"},
		{"handoff, lent to another", nil, "2:claim/1.8#1; start; 1:handoff/1.9", ""},
		{"handoff in quarantine", nil, "rejoin; start; 1:handoff/1.9", ""},
		{"lapsed, not renewed", leads, "lapse; @296 due; @546 due; @796 due; @1046 due",
			"all:release/1.7 undecided(0)/1"},
		{"sat down", leads, "sitdown; @1060 start", "+turn50..60"},
	})
}

// TestRuleReturn: rule 6: a voter that comes back is silent, and then reads what it has forgotten.
func TestRuleReturn(t *testing.T) {
	requireRules(t, []rule{
		{"back", nil, "rejoin", "+due1000"},
		{"silent: claim", nil, "rejoin; 1:claim/1.9#1", ""},
		{"silent: probe", nil, "rejoin; 1:probe/1.9#1", ""},
		{"silent: read", nil, "rejoin; 1:read/0.9", ""},
		{"silent, not deaf", nil, "rejoin; 1:claim/3.9#1!", "follower(1)/3 done"},
		{"no candidate", nil, "rejoin; start", ""},
		{"it reads", nil, "rejoin; @1000 due", "all:read/0.7 +due250"},
		{"it asks again", nil, "rejoin; @1000 due; @1250 due", "all:read/0.7 +due250"},
		{"reading: claim", nil, "rejoin; @1000 due; 1:claim/1.9#1", ""},
		{"reading: read", nil, "rejoin; @1000 due; 1:read/0.9", "1:memory/0^9! 1:read/0.7!"},
		{"reading: read in return", nil, "rejoin; @1000 due; 1:read/0.9!", "1:memory/0^9!"},
		{"reading: read by one that has answered", nil, "rejoin; @1000 due; 1:memory/5.9(1)^7; 1:read/0.9",
			"1:memory/5.9(1)^9!"},
		{"reading: read by one that has answered without memory", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 1:read/0.9", "1:memory/5.9(1)^9!"},
		{"a read is no answer", nil, "rejoin; @1000 due; 1:read/0.9; 2:read/0.9; 4:read/0.9; 5:read/0.9",
			"5:memory/0^9! 5:read/0.7!"},
		{"one remembers", nil, "rejoin; @1000 due; 1:memory/5.9(1)^7", ""},
		{"two", nil, "rejoin; @1000 due; 1:memory/5.9(1)^7; 2:memory/5.9(1)^7", ""},
		{"three", nil, "rejoin; @1000 due; 1:memory/5.9(1)^7; 2:memory/5.9(1)^7; 4:memory/4.8(2)^7",
			"-due"},
		{"the same", nil, "rejoin; @1000 due; 1:memory/5.9(1)^7; 1:memory/5.9(1)^7; 1:memory/5.9(1)^7", ""},
	})
}

// TestRuleMemory: rule 6: a voter that has read what it has forgotten grants by that.
func TestRuleMemory(t *testing.T) {
	requireRules(t, []rule{
		{"it grants no smaller Term", remembers, "1:claim/4.9#1", "1:refused/5#1"},
		{"the same to the same", remembers, "1:claim/5.9#1", "1:granted/5.9#1 +due1000"},
		{"the same to another", remembers, "2:claim/5.8#1", "2:refused/5#1"},
		{"a larger one", remembers, "2:claim/6.8#1", "2:granted/6.8#1 +due1000"},
		{"two owners of a Term", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7; 2:memory/5.8(2)^7; 4:memory/4.8(2)^7; " +
				"1:claim/5.9#1",
			"1:refused/5#1"},
		{"two owners of a Term", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7; 2:memory/5.8(2)^7; 4:memory/4.8(2)^7; " +
				"2:claim/5.8#1",
			"2:refused/5#1"},
		{"memory of others, sent to another incarnation", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^8; 2:memory/5.9(1)^8; 4:memory/4.8(2)^8",
			""},
		{"without memory", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 2:memory/5.9(1)^7!; 4:memory/4.8(2)^7!",
			""},
		{"all have answered", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 2:memory/5.9(1)^7!; 4:memory/4.8(2)^7!; " +
				"5:memory/4.8(2)^7",
			"-due"},
		{"cold, one minority", nil, "rejoin; @1000 due; 1:memory/5.9(1)^7!; @4000 due",
			"all:read/0.7 +due250"},
		{"cold, a majority", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 2:memory/5.9(1)^7; @4000 1:memory/5.9(1)^7!",
			"-due"},
		{"not yet cold", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 2:memory/5.9(1)^7; " +
				"@3999.999999 1:memory/5.9(1)^7!",
			""},
		{"cold, at the next question", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 2:memory/5.9(1)^7; @4000 due",
			"all:read/0.7"},
		{"one that has lost its memory since", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7; 1:memory/5.9(1)^7!; 2:memory/5.9(1)^7!; " +
				"4:memory/5.9(1)^7!",
			""},
		{"one that has found it since", nil,
			"rejoin; @1000 due; 1:memory/5.9(1)^7!; 1:memory/5.9(1)^7; 2:memory/5.9(1)^7; " +
				"4:memory/5.9(1)^7",
			"-due"},
		{"a candidate claims after it", nil,
			"rejoin; start; @1000 due; 1:memory/5.9(1)^7; 2:memory/5.9(1)^7; 4:memory/4.8(2)^7",
			"+turn40..50 -due"},
		{"read when intact", nil, "1:claim/5.9#1; 2:read/0.8", "2:memory/5.9(1)^8"},
		{"memory unasked", nil, "1:memory/5.9(1)^7", ""},
		{"a return of a follower", nil, "1:leads/3.9; init; 1:leads/2.9", "+due1000 follower(1)/2 done"},
		{"a return of a leader", leads, "init; rejoin; 2:claim/9.8#1", ""},
		{"a return of a candidate: its Terms are not its own", leads,
			"init; start; @90 turn; 1:free/0#1; 2:free/0#1",
			"all:claim/2.7#2 -turn +due250"},
		{"reading, it is no candidate", nil, "rejoin; start; @1000 due; 1:memory/5.9(1)^7", ""},
		{"read once more than it needs", remembers, "5:memory/9.8(2)^7; 1:claim/6.9#1",
			"1:granted/6.9#1 +due1000"},
		{"its Term is larger than all that it has read", nil,
			"rejoin; start; @1000 due; 1:memory/5.9(1)^7; 2:memory/5.9(1)^7; 4:memory/4.8(2)^7; " +
				"@1050 turn; 1:free/0#1; 2:free/0#1",
			"all:claim/6.7#2 -turn +due250"},
	})
}

// TestFollow: a follower takes the leader of the largest Term for as long as a grant.
func TestFollow(t *testing.T) {
	requireRules(t, []rule{
		{"a leader", nil, "1:leads/3.9", "+due1000 follower(1)/3 done"},
		{"the same again", nil, "1:leads/3.9; @100 1:leads/3.9", "+due1000"},
		{"a smaller Term", nil, "1:leads/3.9; 2:leads/2.8", ""},
		{"another in the same Term", nil, "1:leads/3.9; 2:leads/3.8", "follower(2)/3 done"},
		{"a larger Term", nil, "1:leads/3.9; 2:leads/4.8", "follower(2)/4 done"},
		{"it ends", nil, "1:leads/3.9; @1000 due", "undecided(0)/3"},
		{"renewed", nil, "1:leads/3.9; @100 1:claim/3.9#1!; @1000 due", "+due100"},
		{"renewed, it ends", nil, "1:leads/3.9; @100 1:claim/3.9#1!; @1100 due", "undecided(0)/3"},
		{"while leading: a smaller Term", leads, "1:leads/0.9", ""},
		{"while leading: the same Term", leads, "1:leads/1.9", ""},
		{"while leading: a larger Term", leads, "1:leads/2.9",
			"all:release/1.7^2 +turn40..50 +due1000 follower(1)/2 done"},
		{"after it has led: a smaller Term", leads, "sitdown; 1:leads/0.9", ""},
		{"after it has led: the same Term", leads, "sitdown; 1:leads/1.9", ""},
		{"after it has led: a larger Term", leads, "sitdown; 1:leads/2.9", "+due1000 follower(1)/2 done"},
		{"after a lease that has run out: a smaller Term", leads, "@1046 due; 1:leads/0.9", ""},
		{"after a restart", leads, "init; 1:leads/1.9", "+due1000 follower(1)/1 done"},
		{"while claiming: the same Term", leads[:4], "1:leads/1.9",
			"all:release/1.7! +turn40..50 +due1000 follower(1)/1 done"},
		{"while claiming: a smaller Term", then(given("raise 5"), leads[:4]...), "1:leads/3.9",
			"follower(1)/3 done"},
		{"while asking", leads[:2], "1:leads/3.9", "follower(1)/3 done"},
	})
}

// TestRefused: a candidate that is refused waits, longer each time.
func TestRefused(t *testing.T) {
	requireRules(t, []rule{
		{"held by one", leads[:2], "1:held/1.700000000#1(1)", ""},
		{"held by three", leads[:2],
			"1:held/1.700000000#1(1); 2:held/1.600000000#1(1); 4:held/1.500000000#1(1)",
			"+due700"},
		{"held for longer than can be", leads[:2],
			"1:held/1.18446744073709551615#1(1); 2:held/1.600000000#1(1); 4:held/1.500000000#1(1)",
			"+due1000"},
		{"held by none", leads[:2], "1:held/1#1; 2:held/1#1; 4:held/1#1", "+turn50..60 -due"},
		{"held, another round", leads[:2],
			"1:held/1.700000000#0(1); 2:held/1.600000000#0(1); 4:held/1.500000000#0(1)",
			""},
		{"a timer that has not run out in time is set anew", leads[:4], "1:refused/1.10000000#2(1); " +
			"@100 2:probe/0.8#4", "2:held/1.946000000#4(3) +due0"},
		{"released", leads[:2],
			"1:held/1.700000000#1(1); 2:held/1.600000000#1(1); 4:held/1.500000000#1(1); 1:release/1.9",
			"+turn50..60 -due"},
		{"it has rested", leads[:2],
			"1:held/1.700000000#1(1); 2:held/1.600000000#1(1); 4:held/1.500000000#1(1); @740 due",
			"+turn50..60"},
		{"not yet", leads[:2],
			"1:held/1.700000000#1(1); 2:held/1.600000000#1(1); 4:held/1.500000000#1(1); " +
				"@739.999999 due",
			"+due1e-06"},
		{"refused after granted", leads[:5], "1:refused/1#2; 4:granted/1.7#2", ""},
		{"waits grow: 1", leads[:2], "1:held/1#1; 2:held/1#1; 4:held/1#1", "+turn50..60 -due"},
		{"waits grow: 2", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; turn; 1:held/1#2; 2:held/1#2; 4:held/1#2",
			"+turn50..80 -due"},
		{"waits grow: 3", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; turn; 1:held/1#2; 2:held/1#2; 4:held/1#2; turn; " +
				"1:held/1#3; 2:held/1#3; 4:held/1#3",
			"+turn50..120 -due"},
		{"waits grow: 4", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; turn; 1:held/1#2; 2:held/1#2; 4:held/1#2; turn; " +
				"1:held/1#3; 2:held/1#3; 4:held/1#3; turn; 1:held/1#4; 2:held/1#4; 4:held/1#4",
			"+turn50..200 -due"},
		{"waits grow: 5", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; turn; 1:held/1#2; 2:held/1#2; 4:held/1#2; turn; " +
				"1:held/1#3; 2:held/1#3; 4:held/1#3; turn; 1:held/1#4; 2:held/1#4; 4:held/1#4; turn; " +
				"1:held/1#5; 2:held/1#5; 4:held/1#5",
			"+turn50..360 -due"},
		{"waits grow: 6", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; turn; 1:held/1#2; 2:held/1#2; 4:held/1#2; turn; " +
				"1:held/1#3; 2:held/1#3; 4:held/1#3; turn; 1:held/1#4; 2:held/1#4; 4:held/1#4; turn; " +
				"1:held/1#5; 2:held/1#5; 4:held/1#5; turn; 1:held/1#6; 2:held/1#6; 4:held/1#6",
			"+turn50..360 -due"},
		{"waits grow: 7", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; turn; 1:held/1#2; 2:held/1#2; 4:held/1#2; turn; " +
				"1:held/1#3; 2:held/1#3; 4:held/1#3; turn; 1:held/1#4; 2:held/1#4; 4:held/1#4; turn; " +
				"1:held/1#5; 2:held/1#5; 4:held/1#5; turn; 1:held/1#6; 2:held/1#6; 4:held/1#6; turn; " +
				"1:held/1#7; 2:held/1#7; 4:held/1#7",
			"+turn50..360 -due"},
		{"the time between questions grows", leads[:2], "1:held/1#1; 2:held/1#1; 4:held/1#1; turn",
			"all:probe/0.7#2 +due80"},
		{"until another leads", leads[:2],
			"1:held/1#1; 2:held/1#1; 4:held/1#1; 1:leads/3.9; 1:release/3.9; turn",
			"all:probe/0.7#2 +due40"},
		{"asked again for long", leads[:2], "@80 due; @160 due; @320 due; @640 due",
			"all:probe/0.7#1 +due320"},
		{"asked again for long, then refused", leads[:2],
			"@80 due; @160 due; @320 due; @640 due; @960 due; 1:held/1#1; 2:held/1#1; 4:held/1#1",
			"+turn50..360 -due"},
		{"not yet", leads[:2], "@79 due", "+due1"},
		{"a message of an unknown kind", leads[:2], "suspect 0", ""},
	})
}
