package museum

// hints describe a schedule that shows a mistake, by the ID of its Entry. Each exercise has one; see
// [Entry.NoExercise].
var hints = map[string]string{
	"lcr-participant-never-reset": "One election ends well. Let the process that started ask for a " +
		"second one.",
	"lcr-only-winner-reset": "Let the smaller process start, so that another one wins. Then let the " +
		"smaller one ask for a second election.",
	"lcr-start-not-guarded": "A message wakes the larger process. Let that process start afterwards, while its " +
		"ID is in flight.",
	"lcr-leader-taken-from-wrong-process": "Let the announcement reach process 1. Look at which leader it records.",
	"lcr-announcement-taken-candidacy":    "Let process 2 win, and let its announcement return to it.",
	"lcr-maximum-passed-before-own-id-looked": "Let the larger ID return to its owner. The run is endless once a " +
		"state repeats.",
	"lcr-round-announcements-every-token": "Let both processes start, and let both messages return.",
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
	"hs-probe-comes-home-from-both-sides": "Let process 2 win phase 0. In phase 1 each of its two probes travels " +
		"around the whole ring.",
	"hs-winner-not-announced": "Let one process win both phases, and let all messages arrive. Look at what the " +
		"other process knows then.",
	"franklin-queue-forgotten": "Let one process be a round ahead: its neighbours receive its messages " +
		"of two rounds before they receive the other message of the first.",
	"franklin-process-relayed-may-still-start": "Process 2 passes on both messages of process 1. Let it " +
		"start after that.",
	"dkr-process-found-leader-leads": "Look at which process the largest alias comes back to: it is not " +
		"the process with the largest ID.",
	"itairodeh-generators-same-seed": "Both processes have drawn the same number. Follow both tokens until the " +
		"state repeats.",
	"bully-process-asked-elects-even-if-does": "Process 3 is asked twice: by 1, and by 2, which 1 has " +
		"asked as well.",
	"bully-process-comes-back-keeps-silent": "After the election let the follower crash and return. No process " +
		"has a reason to start another election.",
	"bully-restored-process-takes-itself": "Let process 1 crash while it waits for answers, and return with its " +
		"state.",
	"bully-process-reported-be-down-asked": "Let the leader crash, and look at what its follower does " +
		"with the report.",
	"modbully-start-reports-crash":            "Let process 2 lead, and let its follower start after that.",
	"modbully-larger-process-comes-back-only": "Let process 2 crash, and process 1 lead. Then let process 2 return.",
	"inquiry-capacities-equal":                "The capacities are equal. Let only process 1 start.",
	"inquiry-process-acknowledged-may-still": "Process 2 has not started. Let it acknowledge process 3, " +
		"and then receive the question of process 1.",
	"inquiry-message-comes-twice": "Duplicate an acknowledgement: two copies from one process count as the " +
		"answers of two processes.",
	"afekgafni-async-candidate-does-not-own": "Let both processes start, and let each capture the other " +
		"before an answer arrives.",
	"lmw-answer-goes-one-passed-challenge": "Processes 1 and 2 are beaten, and process 2 has passed a challenge " +
		"on. Look at where the answer to the challenge goes.",
	"invitation-invitation-not-forwarded": "Let process 3 find process 1, and wait until it has merged.",
	"invitation-own-one-comes-back-ignored": "Each process finds the other. Process 2 joins process 1 while its " +
		"own invitation to process 1 is still in flight.",
	"invitation-count-groups-not-saved": "Let a process crash and return.",
	"mutex-equal-timestamps":            "Let both processes ask before either receives a request.",
	"mutex-clocks-do-not-advance-receipt": "Process 1 lets process 2 go first, and asks only then. Compare the " +
		"numbers of both requests.",
	"mutex-answers-counted": "Duplicate the OK that a process receives while a third process is inside.",
	"mutex-clock-wraps-zero": "Both processes ask with the last number. Look at the token of the process that " +
		"enters second.",
	"mutex-arbiter-term-no-token-room-grants": "Let process 2 become the arbiter, and let process 1 ask it " +
		"afterwards.",
	"treeelect-children-not-counted-anew": "Let the answer reach the root. Look at what process 1 learns.",
	"treeelect-root-with-one-neighbour-never": "Let process 1 ask. Process 2 is the root, and has no " +
		"other neighbour.",
	"treeelect-root-does-not-know-itself": "Let all messages arrive. Look at what the root knows about the leader.",
	"treeelect-both-saturated-processes": "Let all processes start. Two neighbours send their saturation to each " +
		"other, and both learn the leader.",
	"echo-crossing-demand-and-nok-both-count": "Let process 3 ask process 2 before process 1 does. Then " +
		"two demands cross between 1 and 2.",
	"echo-parent-waited": "Let the wave reach the end of the path. Nothing returns.",
	"echo-own-capacity-reported": "The largest process is at the end of the path. Look at what the " +
		"process in the middle reports.",
	"echo-smaller-waves-answered": "Let processes 1 and 3 start. The wave of process 1 reaches process 3 and " +
		"returns.",
	"ghs-connect-not-deferred": "The lightest links of processes 2 and 3 both lead to process 1. Let it receive " +
		"the CONNECT of process 3 before the CONNECT of process 2.",
	"ghs-test-higher-level-not-deferred": "Let processes 1 and 2 become a fragment of level 1. Let process 1 " +
		"test its link to process 3 before it receives the CONNECT of process 3.",
	"ghs-report-not-deferred": "Process 1 has no other link and reports immediately. Let process 2 receive this " +
		"REPORT while its own TEST is in progress.",
	"synchronizer-safe-does-not-say-which": "Let process 2 be a pulse ahead of process 1, while the " +
		"messages of process 3 wait.",
	"yoyo-value-comes-early-dropped": "Process 2 receives a NO from process 3, and waits for process 4. " +
		"Meanwhile let process 3 begin the next round.",
	"hypercube-delayed-duels-dropped": "A duel of stage 2 reaches a process that still waits for its duel of " +
		"stage 1. Then let this process lose the duel of stage 1.",
	"hypercube-duel-names-links-way":   "The wrong duel is there already. Let process 1 start.",
	"overlay-largest-all-must-win":     "Let the largest process crash before the election.",
	"overlay-process-alone-comes-back": "The only process leads. Let it crash and return.",
	"lease-live-grant-replaced": "Let both candidates ask process 2, the candidate with the smaller Term " +
		"first.",
	"lease-live-grant-goes-over-larger": "Let both candidates ask process 2 in the same Term, process 1 first.",
	"lease-grants-counted-not-voters": "Each candidate reaches only one other voter. Duplicate the grant of this " +
		"voter.",
	"lease-broken-connection-ends-grant": "Process 1 has granted a lease to process 3. Let the connection break, " +
		"which is timer 9, before process 1 claims a lease itself.",
	"lease-owner-process-whatever-incarnation": "Let the leader crash and return without its state. Then let it " +
		"hear again from a voter that has granted before.",
	"lease-voter-with-memory-does-not-wait": "Let process 2 grant, crash and return with its state. Then let the " +
		"other candidate ask it.",
	"storelease-process-returns-continues": "Let process 2 lead, crash and return, and then read the record.",
	"storelease-store-without-record-free": "Process 2 leads. Let the store crash and return without its data " +
		"before process 3 reads.",
	"storelease-release-another-process-all": "Process 2 leads. Its timer 9 hands over to process 3. Let process 2 read " +
		"the record after that.",
}
