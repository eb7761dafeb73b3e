package museum

// hints describe a schedule that shows a mistake, by the ID of its Entry. Each exercise has one; see
// [Entry.NoExercise].
var hints = map[string]string{
	"lcr-participant-never-reset": "One election ends well. Let the process that started ask for a " +
		"second one.",
	"lcr-only-winner-reset": "Let the smaller process start, so that another one wins. Then let the " +
		"smaller one ask for a second election.",
	"lcr-start-not-guarded": "A message wakes the larger process. Let it start after that, while its ID " +
		"is on its way.",
	"lcr-leader-taken-from-wrong-process": "Let the announcement reach process 1. Look at which leader " +
		"it notes.",
	"lcr-announcement-taken-candidacy": "Let process 2 win, and let its announcement come home.",
	"lcr-maximum-passed-before-own-id-looked": "Let the larger ID come home. A run without end shows " +
		"when it comes back to a state.",
	"lcr-round-announcements-every-token": "Let both processes start, and let both messages come home.",
	"lcr-equal-capacities-first-kept": "The capacities are equal. Let only the process with the smaller " +
		"ID start.",
	"lcr-initiators-only-links-do-not-keep": "Let the message of process 1 wait on its link. The other " +
		"messages overtake it, until the election of process 2 is over.",
	"lcr-process-relayed-may-still-start": "A process that has not started passes on a smaller ID. Let " +
		"it start after that.",
	"hs-next-phase-goes-one-way-only": "Phase 0 goes well. Let process 3 win it, and look at where its " +
		"probes of phase 1 go.",
	"hs-sleepers-swallow": "Let only process 1 start, and deliver both of its probes to the larger " +
		"process.",
	"hs-probe-comes-home-from-both-sides": "Let process 2 win phase 0. In phase 1 each of its two probes " +
		"goes round the whole ring.",
	"hs-winner-not-announced": "Let one process win both phases, and all messages arrive. Look at what " +
		"the other one knows then.",
	"franklin-queue-forgotten": "Let one process be a round ahead: its neighbours receive its messages " +
		"of two rounds before they receive the other message of the first.",
	"franklin-process-relayed-may-still-start": "Process 2 passes on both messages of process 1. Let it " +
		"start after that.",
	"dkr-process-found-leader-leads": "Look at which process the largest alias comes back to: it is not " +
		"the process with the largest ID.",
	"itairodeh-generators-same-seed": "Both processes have drawn the same number. Follow both tokens " +
		"until all is as it was before.",
	"bully-process-asked-elects-even-if-does": "Process 3 is asked twice: by 1, and by 2, which 1 has " +
		"asked as well.",
	"bully-process-comes-back-keeps-silent": "After the election the follower crashes and comes back. No " +
		"process has a reason to begin another one.",
	"bully-restored-process-takes-itself": "Let process 1 crash while it waits for answers, and come " +
		"back with its state.",
	"bully-process-reported-be-down-asked": "Let the leader crash, and look at what its follower does " +
		"with the report.",
	"modbully-start-reports-crash": "Let process 2 lead, and let its follower start after that.",
	"modbully-larger-process-comes-back-only": "Process 2 crashes, and process 1 leads. Then let process " +
		"2 come back.",
	"inquiry-capacities-equal": "The capacities are equal. Let only process 1 start.",
	"inquiry-process-acknowledged-may-still": "Process 2 has not started. Let it acknowledge process 3, " +
		"and then receive the question of process 1.",
	"inquiry-message-comes-twice": "Double an acknowledgement: two of the same process count as those of " +
		"two.",
	"afekgafni-async-candidate-does-not-own": "Let both processes start, and let each capture the other " +
		"before an answer arrives.",
	"lmw-answer-goes-one-passed-challenge": "Processes 1 and 2 are beaten, and process 2 has passed a " +
		"challenge on. Look at where the answer to it goes.",
	"invitation-invitation-not-forwarded": "Let process 3 find process 1, and wait until it has merged.",
	"invitation-own-one-comes-back-ignored": "Each process finds the other. Process 2 joins process 1 " +
		"while its own invitation is still on its way there.",
	"invitation-count-groups-not-saved": "Let a process crash and come back.",
	"mutex-equal-timestamps":            "Let both processes ask before either receives a request.",
	"mutex-clocks-do-not-advance-receipt": "Process 1 lets process 2 go first, and asks only then. " +
		"Compare the times of both requests.",
	"mutex-answers-counted": "Double the OK that a process receives, while a third process is inside.",
	"mutex-clock-wraps-zero": "Both ask with the last number. Look at the token of the process that " +
		"comes second.",
	"mutex-arbiter-term-no-token-room-grants": "Let process 2 become the arbiter, and let process 1 ask " +
		"it after that.",
	"treeelect-children-not-counted-anew": "Let the answer come up to the root. Look at what process 1 " +
		"learns.",
	"treeelect-root-with-one-neighbour-never": "Let process 1 ask. Process 2 is the root, and has no " +
		"other neighbour.",
	"treeelect-root-does-not-know-itself": "Let all messages arrive. Look at what the root knows of " +
		"itself.",
	"treeelect-both-saturated-processes": "Let all start. Two neighbours send their saturation to each " +
		"other, and both learn the leader at once.",
	"echo-crossing-demand-and-nok-both-count": "Let process 3 ask process 2 before process 1 does. Then " +
		"two demands cross between 1 and 2.",
	"echo-parent-waited": "Let the wave go down to the end of the path. Nothing comes back.",
	"echo-own-capacity-reported": "The largest process is at the end of the path. Look at what the " +
		"process in the middle reports.",
	"echo-smaller-waves-answered": "Let 1 and 3 start. The wave of process 1 reaches process 3 and comes " +
		"back.",
	"ghs-connect-not-deferred": "The lightest links of 2 and 3 both lead to process 1. Let it take the " +
		"CONNECT of process 3 before that of process 2.",
	"ghs-test-higher-level-not-deferred": "Let processes 1 and 2 become a fragment of level 1. Let " +
		"process 1 test its link to process 3 before it takes the CONNECT of process 3.",
	"ghs-report-not-deferred": "Process 1 has no other link and reports at once. Let process 2 take that " +
		"while its own test is under way.",
	"synchronizer-safe-does-not-say-which": "Let process 2 be a pulse ahead of process 1, while the " +
		"messages of process 3 wait.",
	"yoyo-value-comes-early-dropped": "Process 2 hears a no of process 3, and waits for process 4. Let " +
		"process 3 begin the next round meanwhile.",
	"hypercube-delayed-duels-dropped": "A duel of stage 2 reaches a process that still waits for its " +
		"duel of stage 1. Then that process loses the first one.",
	"hypercube-duel-names-links-way":   "The wrong duel is there already. Let process 1 start.",
	"overlay-largest-all-must-win":     "Let the largest process crash before the election.",
	"overlay-process-alone-comes-back": "The only process leads. Let it crash and come back.",
	"lease-live-grant-replaced":        "Both candidates ask process 2, the one with the smaller Term first.",
	"lease-live-grant-goes-over-larger": "Both candidates ask process 2 in the same Term, process 1 " +
		"first.",
	"lease-grants-counted-not-voters": "Each candidate reaches one voter besides itself. Double the " +
		"grant of that.",
	"lease-broken-connection-ends-grant": "Process 1 has granted a lease to process 3. Let the " +
		"connection break, which is timer 9, before process 1 asks for its own.",
	"lease-owner-process-whatever-incarnation": "The leader crashes and comes back without its state. " +
		"Let it hear once more of a voter that has granted before.",
	"lease-voter-with-memory-does-not-wait": "Process 2 grants, crashes and comes back with its state. " +
		"Let the other candidate ask it then.",
	"storelease-process-returns-continues": "Let process 2 lead, crash and come back, and let it read the record then.",
	"storelease-store-without-record-free": "Process 2 leads. Let the store crash and come back without its data before " +
		"process 3 reads.",
	"storelease-release-another-process-all": "Process 2 leads. Its timer 9 hands over to process 3. Let process 2 read " +
		"the record after that.",
}
