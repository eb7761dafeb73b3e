package synchronizer_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/floodmax"
	"github.com/go-election/election/input"
	"github.com/go-election/election/nodetest"
	"github.com/go-election/election/synchronizer"
)

var (
	widths = cost.NewWidths(100, 1000, 0) // of which LogN is 3
	self   = election.Rank{ID: 5}
	start  = nodetest.Start()
)

// Kinds of the toy, and of what alpha adds.
const (
	kindCall uint8 = iota + 1
	kindStop
	kindSafe
)

const odd, last uint8 = 1 << 6, 1

// toy calls over port 0 when it starts, answers each call by two calls over the same port, and ends when it
// gets stop. It notes what happens.
type toy struct {
	log *[]string
	do  func(e *election.Env, ev *election.Event)
}

func (n *toy) Step(e *election.Env, ev *election.Event) {
	note := ev.Op.String()
	switch ev.Op {
	case election.Recv:
		note += " " + string('a'+rune(ev.Msg.Value)) + " by " + string('0'+rune(ev.Port))
	case election.Timeout:
		note += " " + string('0'+rune(ev.Timer))
	}
	*n.log = append(*n.log, note)
	if n.do != nil {
		n.do(e, ev)
	}
	switch {
	case ev.Op == election.Start:
		e.Send(0, election.Message{Kind: kindCall})
	case ev.Op != election.Recv:
	case ev.Msg.Kind == kindStop:
		e.Decide(self)
		e.Done()
	case ev.Msg.Flags == 0:
		e.Send(ev.Port, election.Message{Kind: kindCall, Value: 1})
		e.Send(ev.Port, election.Message{Kind: kindCall, Value: 2})
	}
}

func (n *toy) State(*election.State) {}

// made returns alpha over the toy, and its log.
func made(t *testing.T, do func(e *election.Env, ev *election.Event)) (*election.Algorithm, *[]string) {
	log := new([]string)
	nothing := func(cost.Widths) uint64 { return 0 }
	a, err := synchronizer.Alpha(&election.Algorithm{Name: "toy", Topology: election.Graph, Delay: 10,
		LateStart: election.LateJoins, Kinds: []election.Kind{{Name: "call", Bits: nothing},
			{Name: "stop", Bits: nothing}},
		New: func(election.Setup) election.Node { return &toy{log, do} }})
	require.NoError(t, err)
	return a, log
}

func given(events ...election.Event) []election.Event { return events }

func call(port election.Port, flags uint8, value uint64) election.Event {
	return nodetest.From(port, election.Message{Kind: kindCall, Flags: flags, Value: value})
}

func stop(port election.Port, flags uint8) election.Event {
	return nodetest.From(port, election.Message{Kind: kindStop, Flags: flags})
}

func safe(port election.Port, flags uint8, count uint32) election.Event {
	return nodetest.From(port, safeOf(flags, count))
}

func safeOf(flags uint8, count uint32) election.Message {
	return election.Message{Kind: kindSafe, Flags: flags, Round: count}
}

// sends returns messages over two ports in turn: what is nil is not sent.
func sends(out ...election.Outgoing) []election.Outgoing { return out }

func toCall(port election.Port, flags uint8, value uint64) election.Outgoing {
	return nodetest.To(port, election.Message{Kind: kindCall, Flags: flags, Value: value})
}

func toSafe(port election.Port, flags uint8, count uint32) election.Outgoing {
	return nodetest.To(port, safeOf(flags, count))
}

func TestRules(t *testing.T) {
	a, _ := made(t, nil)
	first := sends(toCall(0, 0, 0), toSafe(0, 0, 1), toSafe(1, 0, 0))
	empty := func(flags uint8) []election.Outgoing { return sends(toSafe(0, flags, 0), toSafe(1, flags, 0)) }
	nodetest.Rules(t, a, self, []nodetest.Rule{
		{Name: "wake: by a start", When: start, Sends: first},
		{Name: "wake: by a message, and start all the same", When: call(1, 0, 0), Sends: first},
		{Name: "wake: by safe", When: safe(1, 0, 0), Sends: first},
		{Name: "wake: once", Given: given(start), When: start},
		{Name: "wake: not by a suspicion", When: election.Event{Op: election.Suspect}},
		{Name: "keep: no answer before the pulse is whole", Given: given(start), When: call(1, 0, 0)},
		{Name: "next: all are safe and nothing is missing", Given: given(start, safe(0, 0, 0)),
			When: safe(1, 0, 0), Sends: empty(odd)},
		{Name: "next: not while one is not safe", Given: given(start), When: safe(0, 0, 0)},
		{Name: "next: not while a message is missing", Given: given(start, safe(0, 0, 0)),
			When: safe(1, 0, 1)},
		{Name: "next: with the missing message", Given: given(start, safe(0, 0, 0), safe(1, 0, 1)),
			When: call(1, 0, 0), Sends: sends(toCall(1, odd, 1), toCall(1, odd, 2), toSafe(0, odd, 0),
				toSafe(1, odd, 2))},
		{Name: "next: the message before safe", Given: given(start, safe(0, 0, 0), call(1, 0, 0)),
			When: safe(1, 0, 1), Sends: sends(toCall(1, odd, 1), toCall(1, odd, 2), toSafe(0, odd, 0),
				toSafe(1, odd, 2))},
		{Name: "next: the pulse after is counted apart", Given: given(start, safe(0, 0, 0), safe(0, odd, 0)),
			When: safe(1, 0, 0), Sends: empty(odd)},
		{Name: "next: two pulses at once, of messages that have come early",
			Given: given(start, safe(0, 0, 0), safe(0, odd, 0), safe(1, odd, 0)), When: safe(1, 0, 0),
			Sends: append(empty(odd), empty(0)...)},
		{Name: "next: a message of the next pulse is not missing in this one",
			Given: given(start, safe(0, 0, 0), call(1, odd, 0)), When: safe(1, 0, 0), Sends: empty(odd)},
		{Name: "pulse: by ports, whichever comes first",
			Given: given(start, call(1, 0, 0), safe(1, 0, 1), safe(0, 0, 1)), When: call(0, 0, 0),
			Sends: sends(toCall(0, odd, 1), toCall(0, odd, 2), toCall(1, odd, 1), toCall(1, odd, 2),
				toSafe(0, odd, 2), toSafe(1, odd, 2))},
		{Name: "end: the last safe", Given: given(start, safe(0, 0, 0), stop(1, 0)), When: safe(1, 0, 1),
			Sends: empty(odd | last), Outcome: nodetest.Lead(self), Did: nodetest.Decided | nodetest.Ended},
		{Name: "end: what comes in the same pulse is too late",
			Given: given(start, safe(0, 0, 1), stop(0, 0), call(1, 0, 0)), When: safe(1, 0, 1),
			Sends: empty(odd | last), Outcome: nodetest.Lead(self), Did: nodetest.Decided | nodetest.Ended},
		{Name: "end: no pulse any more",
			Given: given(start, safe(0, 0, 0), stop(1, 0), safe(1, 0, 1), safe(0, odd, 0)),
			When:  safe(1, odd, 0)},
		{Name: "end: a neighbour that has ended counts in the pulse of its last safe",
			Given: given(start, safe(0, last, 0)), When: safe(1, 0, 0), Sends: empty(odd)},
		{Name: "end: and in all later ones", Given: given(start, safe(0, last, 0), safe(1, 0, 0)),
			When: safe(1, odd, 0), Sends: empty(0)},
		{Name: "end: no pulse without a neighbour that goes on", Given: given(start, safe(0, last, 0)),
			When: safe(1, last, 0), Sends: empty(odd)},
		{Name: "unknown kind: ignored", Given: given(start, safe(0, 0, 0), safe(1, 0, 1)),
			When: nodetest.From(1, election.Message{Kind: kindSafe + 1})},
	})
}

// play gives events to a process with two neighbours, and returns what its algorithm has noted.
func play(t *testing.T, do func(e *election.Env, ev *election.Event), events ...election.Event) []string {
	a, log := made(t, do)
	env := election.NewEnv(pair{}, func(n int) int { return n - 1 })
	node := a.New(election.Setup{Self: self, Ports: 2})
	for _, ev := range events {
		env.Begin(0)
		node.Step(env, &ev)
	}
	return *log
}

// pair is the View of a process with two neighbours.
type pair struct{}

func (pair) Self(int) election.Rank { return self }
func (pair) Ports(int) int          { return 2 }
func (pair) Peer(_ int, port election.Port) election.Rank {
	return election.Rank{ID: 10 + election.ID(port)}
}
func (pair) Weight(_ int, port election.Port) uint64 { return 20 + uint64(port) }

// pulses are the events of that many pulses without messages.
func pulses(n int) (events []election.Event) {
	for i := range n {
		mark := odd * uint8(i%2)
		events = append(events, safe(0, mark, 0), safe(1, mark, 0))
	}
	return events
}

// TestOrder: messages are delivered by port, for one port in the order of arrival, and then timers.
func TestOrder(t *testing.T) {
	const a, b, c, d = 0, 1, 2, 3
	got := play(t, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.SetTimer(1, 10, 10)
		}
	}, start, call(1, 0, a), safe(0, 0, 2), call(0, 0, b), call(1, 0, c), safe(1, 0, 2), call(0, 0, d))
	require.Equal(t, []string{"init", "start", "recv b by 0", "recv d by 0", "recv a by 1", "recv c by 1",
		"timeout 1"}, got)
}

// TestTimers: a timer runs out after as many pulses as a Delay fits into its time, rounded up; in the order
// in which they were set; and not if it is stopped.
func TestTimers(t *testing.T) {
	got := play(t, func(e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			e.SetTimer(4, 11, 11)
			e.SetTimer(3, 10, 10)
			e.SetTimer(2, 0, 0)
			e.SetTimer(1, 1, 1)
			e.SetTimer(3, 20, 30) // three more pulses, 1 behind
			e.SetTimer(5, 10, 10)
			e.StopTimer(5)
		case ev.Op == election.Timeout && ev.Timer == 2:
			e.SetTimer(6, 0, 0)
		case ev.Op == election.Timeout && ev.Timer == 4:
			e.SetTimer(7, 10, 10)
		}
	}, append(given(start), pulses(4)...)...)
	require.Equal(t, []string{"init", "start", "timeout 2", "timeout 6", // pulse 0
		"timeout 1", "timeout 4", "timeout 3", "timeout 7"}, got)
}

// TestLongTimers: a timer of more pulses than 32 bits can count does not fire after the remainder, and a timer
// does not fire immediately if the sum of its duration and Delay overflows.
func TestLongTimers(t *testing.T) {
	for _, tt := range []struct{ delay, timer time.Duration }{
		{1, 1<<32 + 2}, {1, 5 * time.Second}, {10, 10<<32 + 1}, {1, math.MaxInt64},
		{math.MaxInt64 - 1, math.MaxInt64}, {math.MaxInt64 / 2, math.MaxInt64},
	} {
		log := new([]string)
		a, err := synchronizer.Alpha(&election.Algorithm{Name: "toy", Topology: election.Graph,
			Delay: tt.delay,
			New: func(election.Setup) election.Node {
				return &toy{log, func(e *election.Env, ev *election.Event) {
					if ev.Op == election.Start {
						e.SetTimer(1, tt.timer, tt.timer)
					}
				}}
			}})
		require.NoError(t, err)
		env := election.NewEnv(pair{}, nil)
		node := a.New(election.Setup{Self: self, Ports: 2})
		for i, ev := range append(given(start), pulses(5)...) {
			ev.Msg.Kind = min(ev.Msg.Kind, 1) // the toy has no kinds, so SAFE is the first
			env.Begin(0)
			node.Step(env, &ev)
			// Time and Delay, rounded up, are two, three, or far more pulses.
			if pulse := time.Duration(i / 2); pulse < (tt.timer-1)/tt.delay+1 {
				require.Equal(t, []string{"init", "start"}, *log, "%v", tt)
			} else {
				require.Equal(t, []string{"init", "start", "timeout 1"}, *log, "%v", tt)
			}
		}
	}
}

// TestTimersAtTheEnd: timers that are left when the algorithm ends do not fire; they continue without a
// neighbour that continues.
func TestTimersAtTheEnd(t *testing.T) {
	timers := func(e *election.Env, ev *election.Event) {
		switch {
		case ev.Op == election.Start:
			e.SetTimer(1, 20, 20)
			e.SetTimer(2, 20, 20)
		case ev.Op == election.Timeout && ev.Timer == 1:
			e.Done()
		}
	}
	got := play(t, timers, start, safe(0, last, 0), safe(1, last, 0))
	require.Equal(t, []string{"init", "start", "timeout 1"}, got)
	one := func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.SetTimer(3, 20, 20)
		}
	}
	got = play(t, one, start, safe(0, last, 0), safe(1, last, 0))
	require.Equal(t, []string{"init", "start", "timeout 3"}, got)
}

// TestWithoutDelay: of an algorithm without a Delay each timer that has a length runs out in the next pulse.
func TestWithoutDelay(t *testing.T) {
	log := new([]string)
	a, err := synchronizer.Alpha(&election.Algorithm{Name: "toy", Topology: election.Graph,
		New: func(election.Setup) election.Node {
			return &toy{log, func(e *election.Env, ev *election.Event) {
				if ev.Op == election.Start {
					e.SetTimer(2, 5, 500)
					e.SetTimer(1, 0, 0)
				}
			}}
		}})
	require.NoError(t, err)
	env := election.NewEnv(pair{}, nil)
	node := a.New(election.Setup{Self: self, Ports: 2})
	for _, ev := range []election.Event{start, nodetest.From(0, election.Message{Kind: 1}),
		nodetest.From(1, election.Message{Kind: 1})} {
		env.Begin(0)
		node.Step(env, &ev)
	}
	require.Equal(t, []string{"init", "start", "timeout 1", "timeout 2"}, *log)
}

// TestView: the algorithm sees what the process does, and draws by it.
func TestView(t *testing.T) {
	seen := 0
	play(t, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			seen++
			require.Equal(t, self, e.Self())
			require.Equal(t, 2, e.Ports())
			require.EqualValues(t, 11, e.Peer(1).ID)
			require.EqualValues(t, 21, e.Weight(1))
			require.Equal(t, 6, e.Choose(7))
			e.Save()
		}
	}, start)
	require.Equal(t, 1, seen)
}

// TestSave: what the algorithm wants saved is saved.
func TestSave(t *testing.T) {
	a, _ := made(t, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Save()
		}
	})
	env := election.NewEnv(pair{}, nil)
	fx := env.Begin(0)
	a.New(election.Setup{Self: self, Ports: 2}).Step(env, &start)
	require.True(t, fx.Saved())
}

// TestFlag: bit 6 of the flags is the synchronizer's own, and the algorithm does not see it.
func TestFlag(t *testing.T) {
	send := func(flags uint8) func(e *election.Env, ev *election.Event) {
		return func(e *election.Env, ev *election.Event) {
			if ev.Op == election.Recv && ev.Msg.Flags != 0 {
				panic(input.Errorf("flags %d", ev.Msg.Flags))
			}
			if ev.Op == election.Start {
				e.Send(1, election.Message{Kind: kindCall, Flags: flags})
			}
		}
	}
	require.Panics(t, func() { play(t, send(odd), start) })
	require.NotPanics(t, func() {
		play(t, send(1<<7), append(given(start), append(pulses(1), safe(0, odd, 1), call(0, odd, 0),
			safe(1, odd, 0))...)...)
	})
}

// TestNoPort: a message over a port that does not exist is left to the driver.
func TestNoPort(t *testing.T) {
	a, _ := made(t, func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Send(2, election.Message{Kind: kindCall})
		}
	})
	env := election.NewEnv(pair{}, nil)
	fx := env.Begin(0)
	a.New(election.Setup{Self: self, Ports: 2}).Step(env, &start)
	require.Equal(t, sends(toCall(2, 0, 0), toCall(0, 0, 0), toSafe(0, 0, 1), toSafe(1, 0, 0)), fx.Sends)
}

// TestState: a restored Node continues like the saved one, and keeps nothing of a Step.
func TestState(t *testing.T) {
	events := append(given(start, call(1, 0, 0), safe(0, 0, 0), safe(0, odd|last, 0), safe(1, odd, 1),
		call(1, odd, 3), safe(1, 0, 1)), pulses(2)...)
	timers := func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.SetTimer(1, 20, 20)
			e.SetTimer(2, 40, 40)
		}
	}
	a, log := made(t, timers)
	env := election.NewEnv(pair{}, nil)
	step := func(node election.Node, ev election.Event) []election.Outgoing {
		fx := env.Begin(0)
		node.Step(env, &ev)
		return slices.Clone(fx.Sends)
	}
	one := a.New(election.Setup{Self: self, Ports: 2})
	for _, ev := range events {
		saved := new(election.State).Append(nil, one)
		other := a.New(election.Setup{Self: self, Ports: 2})
		require.NoError(t, new(election.State).Restore(other, saved))
		from := len(*log)
		want := step(one, ev)
		first := slices.Clone((*log)[from:])
		from = len(*log)
		require.Equal(t, want, step(other, ev))
		require.Equal(t, first, append([]string{}, (*log)[from:]...))
		require.Equal(t, new(election.State).Append(nil, one), new(election.State).Append(nil, other))
	}
	require.Contains(t, *log, "timeout 1")
	saved := new(election.State).Append(nil, one)
	saved[2] = 2 // the number of the pulse, modulo two
	require.ErrorIs(t, new(election.State).Restore(one, saved), election.ErrState)
	require.Panics(t, func() { one.(election.View).Self(0) }, "it keeps the Env")
}

// TestStateOfAlgorithm: a Node is restored together with its algorithm's Node, and continues to the end, which
// it keeps.
func TestStateOfAlgorithm(t *testing.T) {
	flood, err := floodmax.Basic(floodmax.Config{Rounds: 2})
	require.NoError(t, err)
	a := alpha(t, flood)
	env := election.NewEnv(pair{}, nil)
	node := a.New(election.Setup{Self: self, Ports: 2})
	best := func(port election.Port, id election.ID, round uint32) election.Event {
		return nodetest.From(port, election.Message{Kind: 1, Rank: election.Rank{ID: id}, Round: round,
			Flags: odd * uint8((round+1)%2)})
	}
	const safeOfFlood = 2
	done := func(port election.Port, mark uint8) election.Event {
		return nodetest.From(port, election.Message{Kind: safeOfFlood, Flags: mark, Round: 1})
	}
	var fx *election.Effects
	step := func(ev election.Event) {
		saved := new(election.State).Append(nil, node)
		node = a.New(election.Setup{Self: self, Ports: 2})
		require.NoError(t, new(election.State).Restore(node, saved))
		fx = env.Begin(0)
		node.Step(env, &ev)
	}
	for _, ev := range []election.Event{start, best(0, 9, 1), done(0, 0), best(1, 3, 1), done(1, 0),
		best(0, 7, 2), done(0, odd), best(1, 8, 2)} {
		step(ev)
		require.False(t, fx.Ended())
	}
	step(done(1, odd))
	require.True(t, fx.Ended())
	require.EqualValues(t, 9, fx.Outcome.Leader.ID, "of the first round")
	for _, ev := range []election.Event{done(0, 0), done(1, 0)} {
		step(ev)
		require.Empty(t, fx.Sends)
		require.False(t, fx.Rare())
	}
}

// TestInside: programs that show what a process holds find the Node of the algorithm.
func TestInside(t *testing.T) {
	a, _ := made(t, nil)
	host := a.NewNode(election.Setup{Self: self, Ports: 2}, false)
	var names []election.Node
	for _, n := range host.Machines() {
		names = append(names, n)
	}
	require.Len(t, names, 3)
	require.IsType(t, &toy{}, names[2])
}
