// Package synchronizer runs algorithms for the synchronous model under arbitrary message delays. It implements
// the synchronizer alpha of Awerbuch.
//
// In the synchronous model each message takes one unit of time. The messages that a process receives at an
// instant were therefore sent one unit before, and no others are in flight to it. The synchronizer simulates
// such instants, which are called pulses. In each pulse the algorithm takes a step with all messages that its
// neighbours have sent in the previous pulse. After its own messages, the process sends SAFE to each neighbour,
// with the number of messages that it has sent to that neighbour in this pulse. When a process has received
// SAFE from all neighbours, and as many messages as they announce, the pulse is complete and the process enters
// the next. Neighbours are never more than one pulse apart.
//
//	flood, err := floodmax.Basic(floodmax.Config{Rounds: 4})
//	...
//	flood, err = synchronizer.Alpha(flood) // for any delays
//
// # The rules
//
//  1. Wake. A process that starts, or receives a first message, enters pulse 0, in which its algorithm starts.
//     A later Start is ignored.
//  2. Pulse. In each pulse except the first, the algorithm receives the messages of the previous pulse, by
//     port, and for each port in order of arrival. Then its timers of this pulse fire, in the order in which
//     they were set.
//  3. Send. Messages that the algorithm sends in a pulse are marked with the pulse. After them, SAFE goes to
//     each neighbour, with the number of messages sent to it.
//  4. Keep. A process counts each message and keeps it until it enters the pulse after the one in the mark.
//  5. Safe. The process counts each SAFE, and adds up the numbers in them.
//  6. Next. A process that has SAFE from all neighbours, and as many messages as they announce, enters the
//     next pulse.
//  7. End. A process whose algorithm knows that the election has ended enters no more pulses. Its last SAFE is
//     marked accordingly, and counts for all later pulses.
//
// # Model
//
// Asynchronous, connected, two-way links, no failures. Any process may start, even late, and all are woken.
// Links must deliver in order only if the algorithm requires it, or if it sends several messages over one link
// in a pulse and their order matters. The mark is bit 6 of [election.Message].Flags: of the two pulses in which
// a neighbour may be, one is even and one is odd.
//
// A timer is counted in pulses of the algorithm's Delay each, rounded up. Without a Delay, each timer with a
// nonzero duration fires in the next pulse.
//
// # Messages
//
// For each port, there is one SAFE in each pulse, including the first and the last. In addition, the algorithm
// sends as many messages as in the synchronous model if all processes start simultaneously and simultaneous
// messages arrive in the order of ports. The number of messages and the leader are the same on every schedule
// that keeps the order of links: nothing that the algorithm sees depends on message delays. If no message takes
// longer than a unit, no pulse does.
//
// # Limitations
//
// One crash or one lost message blocks all processes, and a duplicate message may end a pulse too early. Pulses
// continue until the algorithm knows that the election has ended: an election that does not end never rests.
//
// Source: B. Awerbuch, Complexity of network synchronization, Journal of the ACM 32(4), 1985. This
// implementation omits acknowledgements. In the source, a process is safe when its messages have been
// acknowledged, and then sends SAFE. Here the process sends SAFE immediately, with the number of messages, and
// the receiver waits for them: half of the messages, and one unit per pulse instead of three.
package synchronizer

import (
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Alpha returns the algorithm with a synchronizer below it. It elects as in the synchronous model with all
// processes starting simultaneously, whatever the delays and whichever processes start. Its message kinds keep
// their numbers. The error wraps [election.ErrInput] if the algorithm is long-lived, elects no leader, allows a
// single initiator only, relays after the end, or already has a synchronizer.
func Alpha(a *election.Algorithm) (*election.Algorithm, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	switch {
	case slices.ContainsFunc(a.Kinds, marked):
		return nil, input.Errorf("synchronizer: %s already runs over a synchronizer", a.Title())
	case a.LongLived() || a.NeverQuiesces:
		return nil, input.Errorf("synchronizer: %s never ends, so pulses would continue forever", a.Title())
	case a.SingleInitiator:
		return nil, input.Errorf("synchronizer: %s has a single initiator, but pulses start all processes",
			a.Title())
	case a.RelaysAfterEnd:
		return nil,
			input.Errorf("synchronizer: processes of %s are needed after the end, so pulses would "+
				"continue forever", a.Title())
	case len(a.Kinds) == math.MaxUint8:
		return nil, input.Errorf("synchronizer: %s has %d Kinds, so none is left for safe", a.Title(),
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
		// The mark, whether it is the last, and a number of messages.
		Bits: func(w cost.Widths) uint64 { return 2 + w.LogN }})
	b.New = func(s election.Setup) election.Node { return newProcess(a, s) }
	if a.Configure != nil {
		own := a.Params.Described()
		own = slices.DeleteFunc(own, func(p params.Param) bool { return p.Role == params.DelayBound })
		b.Params = own
		b.Configure = func(g *params.Given) (*election.Algorithm, error) {
			// Read the names, so that unknown parameters are rejected; the algorithm reads the values.
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

// marked reports whether messages of a kind carry the mark of a synchronizer. A second synchronizer would
// overwrite it.
func marked(k election.Kind) bool { return len(k.Marks) > markBit && k.Marks[markBit] == oddPulse }

// ofAll returns the rule for the winner if all processes start.
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
