// Package detect provides failure detectors, with which an algorithm elects a new leader after a crash.
//
//	a, err := detect.Under(lcr.Max(), detect.Deadline{})
//
// The result is an algorithm like any other. In addition to the messages of the election, processes send beats
// to each other. A process that falls silent is suspected, repeatedly, until it is heard again. The caller
// needs no failure detector of its own.
//
// # Choosing a detector
//
//	Deadline  a fixed time of silence. Simple to reason about, and as good as the others if delays
//	          are known and uniform. The model checker supports only this one.
//	Phi       based on the mean and deviation of the intervals between beats: adapts to a changing network.
//	Chen      based on the expected time of the next beat: the most consistent detection time, and the
//	          only one whose parameters can be computed from requirements (FromQoS).
//
// docs/detectors.md compares all three on several networks.
//
// # The rules
//
//  1. Beat. A process sends a beat to all others every Interval, including those that it suspects.
//  2. Silence. A process is suspected when its deadline has passed. The deadline is then set again, so that
//     the machines above receive the suspicion repeatedly.
//  3. Hear. A beat sets the deadline of its sender again. If the sender was suspected, it is trusted.
//  4. Deadline. The deadline is Timeout after the last beat.
//  5. Phi. The deadline is when φ reaches Threshold, given the intervals between the last beats.
//  6. Chen. The deadline is Margin after the expected time of the next beat, given the mean lateness of the
//     last ones. A beat that a newer one has overtaken is ignored.
//  7. Pause. A process whose own beat is late by more than two Intervals was paused. It adds that time to each
//     deadline, and for one more Interval it neither suspects nor learns.
//  8. Reports. A report of another detector about a process counts as if this one had made it.
//
// # Model
//
// Every process has a link to every other. Each sends a beat every Interval: n(n-1) messages per Interval,
// forever. The clock is [election.Event].At: it must advance at the same rate at all processes, but need not
// show the same time. If messages take at most Delay, a live process is never suspected, and a process that is
// down is suspected after its last message has arrived. No field of a Config is required: with a Delay, all
// durations follow from it.
//
// # Effects of a wrong suspicion
//
// If a message takes longer, or beats are lost, a live process may be suspected. The others then elect without
// it, in a later Term, and two processes may lead until its next beat, upon which all elect again, in a later
// Term still. Every request of a leader must carry its Outcome, and the receiver must refuse an Outcome that is
// Before the last one ([election.Outcome]). A detector only decides when to elect. It proves nothing, and no
// safety property may depend on it.
//
// # Pauses of the process itself
//
// A process that was stopped (by SIGSTOP, or a long garbage collection) finds the others silent, although it
// was silent itself. If the timer of its own beat fires more than two Intervals late, it extends the deadline
// of each other process by that time, and for one more Interval it neither suspects nor learns.
//
// # Supported algorithms
//
// Algorithms for rings, trees, graphs and complete graphs are supported, on an overlay
// ([election.Algorithm.OverComplete]). Not supported are
//
//   - hypercube and mesh: a crash leaves a hole in their topology;
//   - floodmax/basic and floodmax/change: they count rounds from a common instant, and processes hear of a
//     crash at different ones. floodmax/alpha, which uses a synchronizer, is supported;
//   - lease: its renewals are heartbeats, and it waits until a lease has expired, whatever a detector reports;
//   - bully and modbully, and mutex/arbiter above them: they have heartbeats of their own. With a detector
//     alone, two leaders that suspected each other wrongly would never hear of each other. An arbiter above any
//     other election is supported;
//   - mutex/ricartagrawala and mutex/tokenring: no detector can restore a lost answer or token. The ring is
//     supported with Bridge and Regenerate.
//
// # Limitations
//
// Links must not lose messages of the algorithm above, although beats may be lost. Over a transport that loses
// packets an election may stop without ending, because each process still hears the others' beats.
// Process.Reelect then starts another one.
//
// The model checker supports only a Deadline with a Config.Delay, and up to a Config.Until: the deadlines of
// the other detectors fall between its ticks, and without time no silence is long.
//
// A State contains the window of each other process, 8 bytes per beat, and package process copies it for each
// packet. Use a small Window in large groups.
//
// # Sources
//
// W. Chen, S. Toueg, M. Aguilera: On the quality of service of failure detectors, IEEE Transactions on
// Computers 51(5), 2002. N. Hayashibara, X. Défago, R. Yared, T. Katayama: The φ accrual failure detector, SRDS
// 2004. Apache Cassandra and Akka, for the exponential φ and for the accepted pause.
//
// # Corrected here
//
//   - The silence of a process that never sends counts from the beginning. In Akka its φ is zero forever.
//   - The tail of the normal distribution is exact. Akka's approximation suspects 7 % earlier at a φ of 8, and
//     is infinite if its exponential underflows.
//   - The sums of a window are integers: sums of floats drift, until the variance is negative.
//   - An interval in which the process was suspected counts as at most twice the silence that was allowed. Akka
//     omits it, and never learns that beats are lost; if a partition counted in full, it would blind the
//     detector for a long time.
//   - Beats that arrived while this process was paused do not count; one late beat does not empty the window;
//     and a new window does not decide alone.
package detect
