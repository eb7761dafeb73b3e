// Package synchronizer lets an algorithm that counts on the synchronous model run where messages take any
// time: the synchronizer alpha of Awerbuch.
//
// In the synchronous model each message takes one unit. So whatever a process gets at an instant was
// sent a unit before, and nothing is still to come. The synchronizer makes such instants, which are
// called pulses. In each pulse the algorithm takes a step with all messages that its neighbours have
// sent in the pulse before. Behind its own messages the process sends SAFE to each neighbour, with the
// number of messages that it has sent there in this pulse. A process that has SAFE from all neighbours,
// and as many messages as these say, has all of the pulse, and enters the next. Neighbours are never
// more than one pulse apart.
//
//	flood, err := floodmax.Basic(floodmax.Config{Rounds: 4})
//	...
//	flood, err = synchronizer.Alpha(flood) // for any delays
//
// # The rules
//
//  1. Wake. A process that starts, or gets a first message, enters pulse 0, in which its algorithm starts. A
//     later Start is ignored.
//  2. Pulse. In each pulse but the first the algorithm takes the messages of the pulse before: by ports, and
//     those of one port in the order of their arrival. Then its timers of this pulse run out, in the order in
//     which they were set.
//  3. Send. What the algorithm sends in a pulse goes out, marked with the pulse. Then SAFE goes to each
//     neighbour, with the number of messages that have gone there.
//  4. Keep. A process keeps a message until it enters the pulse after the one in the mark, and counts it.
//  5. Safe. The process counts SAFE, and the number in it.
//  6. Next. A process that has SAFE from all neighbours, and as many messages as they say, enters the next
//     pulse.
//  7. End. A process whose algorithm knows of the end enters no pulse any more. Its last SAFE says so, and
//     counts for all later pulses.
//
// # Model
//
// Asynchronous, connected, with links both ways, no failures. Any process may start, also late, and all are
// woken. Links need to keep the order only if the algorithm needs that, or if it sends several messages over
// one link in a pulse and their order matters. The mark is one bit of [election.Message].Flags, bit 6: of
// the two pulses in which a neighbour may be, one is even and one odd.
//
// A timer is counted in pulses of a Delay of the algorithm each, rounded up; without a Delay each timer that
// has a length runs out in the next pulse.
//
// # Messages
//
// For each port one SAFE in each pulse, the first and the last among them, besides those of the algorithm:
// as many as it takes in the synchronous model if all processes start at once, and the messages of an instant
// come by ports. These, and the leader, are the same on every schedule that keeps the order of links: nothing
// that the algorithm sees depends on how long messages take. If none takes longer than a unit, no pulse does.
//
// # Limitations
//
// One crash or one lost message blocks all processes, and a message that comes twice may end a pulse too
// early. Pulses go on until the algorithm knows of its end: an election that does not end never rests.
//
// Source: B. Awerbuch, Complexity of network synchronization, Journal of the ACM 32(4), 1985. Left out
// here: acknowledgements. There a process is safe when its messages are acknowledged, and then sends SAFE.
// Here SAFE goes at once, with the number of messages, and its receiver waits for these: half of the
// messages, and one unit for a pulse in place of three.
package synchronizer

import (
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Alpha returns the algorithm with a synchronizer below it: it elects as in the synchronous model where all
// processes start at once, whatever the delays are and whichever processes start. Its kinds of message keep
// their numbers. The error wraps [election.ErrInput]: the algorithm is long-lived, elects no leader,
// allows for a single initiator, relays after the end, or has a synchronizer already.
func Alpha(a *election.Algorithm) (*election.Algorithm, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	switch {
	case slices.ContainsFunc(a.Kinds, marked):
		return nil, input.Errorf("synchronizer: %s runs over a synchronizer already", a.Title())
	case a.LongLived || a.NeverQuiesces:
		return nil, input.Errorf("synchronizer: %s never ends, and pulses would go on for ever", a.Title())
	case a.Leaderless:
		return nil, input.Errorf("synchronizer: %s holds no election", a.Title())
	case a.SingleInitiator:
		return nil, input.Errorf("synchronizer: of %s a single process starts, and pulses start all",
			a.Title())
	case a.RelaysAfterEnd:
		return nil,
			input.Errorf("synchronizer: processes of %s are needed after the end, and pulses would go "+
				"on for ever", a.Title())
	case len(a.Kinds) == math.MaxUint8:
		return nil, input.Errorf("synchronizer: %s has %d Kinds, which leaves none for safe", a.Title(),
			len(a.Kinds))
	}
	b := *a
	if last := &b.Name; b.Variant == "" {
		*last += " with alpha"
	} else {
		b.Variant += " with alpha"
	}
	b.Summary += "; a synchronizer bears any delays"
	b.TwoWay, b.Synchronous, b.LateStart = true, false, election.LateIgnored
	b.Delay, b.Timers, b.Faults = 0, nil, election.Faults{}
	b.Winner = ofAll(a.Winner)
	b.Best, b.Mean, b.Worst = cost.Bound{}, cost.Bound{}, cost.Bound{} // each pulse adds to them
	b.Kinds = nil
	for _, k := range a.Kinds {
		bits := k.Bits
		k.Bits = func(w cost.Widths) uint64 { return bits(w) + 1 } // the mark
		k.Marks = slices.Concat(k.Marks, make([]string, markBit+1))[:max(len(k.Marks), markBit+1)]
		k.Marks[markBit] = oddPulse
		b.Kinds = append(b.Kinds, k)
	}
	b.Kinds = append(b.Kinds, election.Kind{Name: "safe", Round: "messages",
		Marks: []string{0: "last", markBit: oddPulse},
		// the mark, whether it is the last, a number of messages
		Bits: func(w cost.Widths) uint64 { return 2 + w.LogN }})
	b.New = func(s election.Setup) election.Node { return newProcess(a, s) }
	if a.Configure != nil {
		own := a.Params.Described()
		own = slices.DeleteFunc(own, func(p params.Param) bool { return p.Role == params.DelayBound })
		b.Params = own
		b.Configure = func(g *params.Given) (*election.Algorithm, error) {
			// Read the names, so that one of no parameter is refused; the algorithm reads the values.
			if err := own.Read(g); err != nil {
				return nil, err
			}
			c, err := a.Configure(g.For(own))
			if err != nil {
				return nil, err
			}
			return Alpha(c)
		}
	}
	return &b, nil
}

// marked reports whether a kind of message carries the mark of a synchronizer. A second one would overwrite it.
func marked(k election.Kind) bool { return len(k.Marks) > markBit && k.Marks[markBit] == oddPulse }

// ofAll returns the rule for the winner where all processes start.
func ofAll(w *election.Winner) *election.Winner {
	switch {
	case w == election.LargestOfInitiators:
		return election.LargestOfAll
	case w == nil || !w.ByStart:
		return w
	}
	return &election.Winner{Name: w.Name, Of: func(all []election.Candidate) election.ID {
		all = slices.Clone(all)
		for i := range all {
			all[i].Initiator = true
		}
		return w.Of(all)
	}}
}
