package lease_test

import "testing"

// TestRuleTakeBack: rule 12: a vote for a claim that never led is taken back, and the one before counts
// again.
func TestRuleTakeBack(t *testing.T) {
	lost := given("1:claim/5.9#1", "1:release/5.9!")
	over := given("2:claim/4.8#1", "@1000 1:claim/5.9#1", "1:release/5.9!")
	requireRules(t, []rule{
		{"the same Term to another", lost, "2:claim/5.8#1", "2:granted/5.8#1 +due1000"},
		{"a smaller Term", lost, "2:claim/4.8#1", "2:granted/4.8#1 +due1000"},
		{"to the leader that it voted for before", over, "2:claim/4.8#2!",
			"2:granted/4.8#2 +due1000 follower(2)/4 done"},
		{"not to others in that Term", over, "5:claim/4.8#1", "5:refused/5#1"},
		{"nor in smaller ones", over, "2:claim/3.8#1", "2:refused/5#1"},
		{"a claim that led", nil, "1:claim/5.9#1; 1:release/5.9; 2:claim/5.8#1", "2:refused/5#1"},
		{"of another Term", nil, "1:claim/5.9#1; 1:release/4.9!; @1000 2:claim/5.8#1", "2:refused/5#1 -due"},
		{"of another incarnation", nil, "1:claim/5.9#1; 1:release/5.8!; @1000 2:claim/5.8#1",
			"2:refused/5#1 -due"},
		{"of another process", nil, "1:claim/5.9#1; 4:release/5.9!; @1000 2:claim/5.8#1",
			"2:refused/5#1 -due"},
		{"twice", over, "1:release/5.9!; 5:claim/4.8#1", "5:refused/5#1"},
		{"twice, after another vote", over, "5:claim/6.8#1; 1:release/5.9!; @2000 2:claim/6.8#1",
			"2:refused/6#1 -due"},
		{"two at once: the first stays", nil,
			"1:claim/5.9#1; @1000 2:claim/6.8#1; 2:release/6.8!; 4:claim/5.8#1",
			"4:refused/6#1"},
		{"and is taken back, too", nil,
			"1:claim/5.9#1; @1000 2:claim/6.8#1; 2:release/6.8!; 1:release/5.9!; " +
				"4:claim/5.8#1", "4:granted/5.8#1 +due1000"},
		{"what was before both is not known", nil,
			"4:claim/3.8#1; @1000 1:claim/5.9#1; @2000 2:claim/6.8#1; " +
				"2:release/6.8!; 1:release/5.9!; 4:claim/3.8#2", "4:refused/6#2"},
		{"so the Term before is refused to all", nil,
			"4:claim/4.8#1; @1000 1:claim/5.9#1; @2000 2:claim/6.8#1; " +
				"2:release/6.8!; 1:release/5.9!; 4:claim/4.8#2", "4:refused/6#2"},
		{"its own next Term is larger all the same", lost, "start; @40 turn; 1:free/0#1; 2:free/0#1",
			"all:claim/6.7#2 -turn +due250"},
		{"others hear of it", lost, "2:probe/0.8#1", "2:free/5#1"},
		{"late: the claim is granted once more", given("1:release/5.9!"), "1:claim/5.9#1",
			"1:granted/5.9#1 +due1000"},
		{"of what it has read", remembers, "1:release/5.9!; 2:claim/5.8#1", "2:granted/5.8#1 +due1000"},
		{"of what it has read: no smaller Term", remembers, "1:release/5.9!; 2:claim/4.8#1", "2:refused/5#1"},
		{"not before it has read all", remembers[:4], "1:release/5.9!; 4:memory/4.8(2)^7; 2:claim/5.8#1",
			"2:refused/5#1"},
	})
}

// TestTakenBackAlone: a candidate whose claim is over takes its own vote back.
func TestTakenBackAlone(t *testing.T) {
	lost := given("start", "@40 turn", "@45 1:free/0#1", "@50 1:refused/5.700000000#2(1)", "@85 due")
	requireSteps(t, []steps{
		{"the leader of the same Term", then(lost, "@90 1:claim/1.9#2!"),
			"1:granted/1.9#2! follower(1)/1 done"},
		{"of a smaller Term", then(given("init 6"), then(lost, "@90 1:claim/1.9#2!")...),
			"1:granted/1.9#2! follower(1)/1 done"},
		{"its next Term is larger all the same", then(lost, "1:release/5.9", "@120 turn", "2:free/0#3"),
			"all:claim/6.7#4 -turn +due250"},
	}, config, 1, 2)
}

// TestTakenBackDurable: what is taken back is saved, and a claim that was saved is not given up after a
// return.
func TestTakenBackDurable(t *testing.T) {
	c := config
	c.Durable = true
	over := given("2:claim/4.8#1", "@1000 1:claim/5.9#1")
	requireSteps(t, []steps{
		{"it is saved", then(over, "1:release/5.9!"), "save -due"},
		{"once", then(over, "1:release/5.9!", "1:release/5.9!"), ""},
		{"a lease that ends changes no vote", then(over, "1:release/5.9"), "-due"},
		{"so does its own", then(leads[:4], "sitdown"), "save all:release/1.7! -turn -due"},
		{"a restart between the two", then(over, "init", "rejoin", "@2000 due", "1:release/5.9!",
			"2:claim/4.8#2"),
			"2:granted/4.8#2 +due1000"},
		{"a restart after both", then(over, "1:release/5.9!", "init", "rejoin", "@2000 due", "2:claim/4.8#2"),
			"2:granted/4.8#2 +due1000"},
		{"in quarantine it comes too early", then(over, "init", "rejoin", "1:release/5.9!", "@2000 due",
			"2:claim/4.8#2!"), "2:refused/5#2 1:granted/5.9 +due1000 follower(2)/4 done"},
		{"a saved claim is not given up", then(leads[:4], "@1046 init"), ""},
	}, c, 1, 2, 4, 5)
}

// TestReminder: rule 13: a voter that refuses a leader for another claim asks the owner of that, which says
// whether it is over, and whether it has led.
func TestReminder(t *testing.T) {
	requireRules(t, []rule{
		{"a leader is refused for a claim", nil, "2:claim/5.8#1; @100 1:claim/4.9#2!",
			"1:refused/5.900000000#2(2) 2:granted/5.8 follower(1)/4 done"},
		{"for one whose grant has ended", nil, "2:claim/5.8#1; @1000 1:claim/4.9#2!",
			"1:refused/5#2 2:granted/5.8 +due1000 follower(1)/4 done"},
		{"a candidate is refused", nil, "2:claim/5.8#1; @100 1:claim/4.9#2", "1:refused/5.900000000#2(2)"},
		{"its own claim: it gives that up", leads[:4], "1:claim/1.9#2!",
			"all:release/1.7! 1:granted/1.9#2! +due1000 follower(1)/1 done"},
		{"the claim is under way", leads[:4], "1:granted/1.7", ""},
		{"it leads", leads, "1:granted/1.7", ""},
		{"it has given up", leads[:4], "sitdown; 1:granted/1.7", "1:release/1.7!"},
		{"it has led", leads, "sitdown; 1:granted/1.7", "1:release/1.7"},
		{"an earlier claim", leads, "sitdown; start; @90 turn; 1:free/0#3; 2:free/0#3; 1:granted/1.7",
			"1:release/1.7"},
		{"an earlier claim that never led", leads[:4],
			"sitdown; start; @90 turn; 1:free/0#3; 2:free/0#3; 1:granted/1.7", "1:release/1.7!"},
		{"that of another incarnation", leads[:4], "sitdown; 1:granted/1.6", ""},
		{"a Term that it has not claimed", leads[:4], "sitdown; 1:granted/2.7", ""},
	})
}
