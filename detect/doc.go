// Package detect has failure detectors, which let an algorithm elect again when its leader has crashed.
//
//	a, err := detect.Under(lcr.Max(), detect.Deadline{})
//
// The result is an algorithm like any other: processes send beats to each other, besides the messages of the
// election, and one that falls silent is suspected, again and again until it is heard. So it takes no failure
// detector of the caller's.
//
// # Which detector
//
//	Deadline  a fixed time of silence. Simple to reason about, and as good as the others where delays are
//	          known and alike. The model checker follows it.
//	Phi       by the mean and deviation of the intervals between beats: adapts to a network that changes.
//	Chen      by the time at which the next beat is due: the steadiest time of detection, and the only one
//	          whose parameters follow from what a service asks (FromQoS).
//
// docs/detectors.md measures all three on several networks.
//
// # The rules
//
//  1. Beat. A process sends a beat to all others every Interval, also to those that it suspects.
//  2. Silence. A process is suspected when its deadline has passed. The deadline is set anew with that, so
//     that the machines above hear of it again and again.
//  3. Hear. A beat sets the deadline of its sender anew, and one that was suspected is trusted.
//  4. Deadline. The deadline is Timeout after the last beat.
//  5. Phi. The deadline is when φ reaches Threshold, by the intervals between the last beats.
//  6. Chen. The deadline is Margin after the time at which the next beat is expected: by the mean lateness of
//     the last ones. A beat that a newer one has overtaken says nothing.
//  7. Pause. A process whose own beat is late by more than two Intervals was paused. It adds that time to
//     each deadline, and for one Interval more it neither suspects nor learns.
//  8. Reports. What another detector says of a process counts as if this one had found it.
//
// # Model
//
// Every process has a link to every other. Each sends a beat every Interval: n(n-1) messages an
// Interval, which never end. The clock is [election.Event].At: it has to go on at the same rate
// everywhere, but need not show the same time. Where messages take at most Delay, a process that is up
// is never suspected, and one that is down is suspected when its last message has arrived. No field of a
// Config needs to be set: with a Delay, the times follow from that.
//
// # What a wrong suspicion does
//
// Where a message takes longer, or beats are lost, a process that is up may be suspected. Then the
// others elect without it, in a later Term, and two processes may lead until its next beat: with that,
// all elect again, in a later Term still. Whatever a leader does has to carry its Outcome, and its
// receiver to refuse one that is Before the last ([election.Outcome]). A detector chooses when to elect.
// It proves nothing, and no safety may rest on it.
//
// # Pauses of its own
//
// A process that was stopped (by SIGSTOP, or a long collection of garbage) finds the others silent, and
// the silence its own. If the timer of its own beat comes more than two Intervals late, it adds that time to
// what it allows each other process, and for one Interval more it neither judges nor learns.
//
// # Which algorithms
//
// Those for rings, trees, graphs and complete graphs run, on an overlay ([election.Algorithm.OverComplete]).
// Refused are
//
//   - hypercube and mesh: a crash leaves a hole in their topology;
//   - floodmax/basic and floodmax/change: they count rounds from one instant, and processes hear of a crash
//     at different ones. floodmax/alpha, over a synchronizer, runs;
//   - lease: it renews, which is a heartbeat, and waits until a lease has ended whatever a detector says;
//   - bully and modbully, and mutex/arbiter above them: these have heartbeats of their own. With a detector
//     alone, two leaders that suspected each other wrongly would never hear of each other. An arbiter that
//     any other algorithm elects runs;
//   - mutex/ricartagrawala and mutex/tokenring: no detector brings back an answer or a token that is
//     lost. The ring runs with Bridge and Regenerate.
//
// # Limitations
//
// Links must lose no message of the algorithm above, though beats may be lost: over a transport that loses
// packets an election may stop without an end, since each process still hears the others' beats. Then
// Process.Reelect begins another.
//
// The model checker follows a Deadline only, with a Config.Delay, and up to a Config.Until: the times of the
// others fall between its ticks, and without time no silence is long.
//
// A State holds the window of each other process, 8 bytes a beat, and package process copies it with each
// packet: a small Window suits large groups.
//
// # Sources
//
// W. Chen, S. Toueg, M. Aguilera: On the quality of service of failure detectors, IEEE Transactions on
// Computers 51(5), 2002. N. Hayashibara, X. Défago, R. Yared, T. Katayama: The φ accrual failure
// detector, SRDS 2004. Apache Cassandra and Akka, for the exponential φ and for the accepted pause.
//
// # Corrected here
//
//   - The time of a process that never speaks counts from the beginning on. In Akka's φ it is zero for ever.
//   - The tail of the normal distribution is exact. Akka's approximation suspects 7 % earlier at a φ of
//     8, and is infinite where its exponential underflows.
//   - The sums of a window are integers: those of floats drift, until the variance is negative.
//   - An interval in which the process was suspected counts as at most twice the silence that was
//     allowed. Akka leaves it out, and never learns that beats are lost; whole, a cut would blind the
//     detector for long.
//   - Nothing counts that came while this process was paused; one late beat does not empty the window; and a
//     fresh window decides nothing alone.
package detect
