package detect

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// bench holds one machine among others, which its test plays.
type bench struct {
	t       *testing.T
	machine *machine
	env     *election.Env
	ports   int
	sent    []election.Outgoing
	timers  map[uint8]time.Duration // when each timer that runs runs out
	set     int                     // how many times a timer was set

	suspected map[election.Port]bool // by the last report
	repeated  int                    // Suspects of what was suspected, and Trusts of what was not
}

func (b *bench) Self(int) election.Rank { return election.Rank{ID: 1} }
func (b *bench) Ports(int) int          { return b.ports }
func (b *bench) Peer(_ int, p election.Port) election.Rank {
	return election.Rank{ID: election.ID(p) + 2}
}

const kindBeat = 7

func newBench(t *testing.T, d Detector, ports int) *bench {
	t.Helper()
	plan, err := d.plan(0)
	require.NoError(t, err)
	b := &bench{t: t, machine: &machine{plan: plan, kind: kindBeat}, ports: ports,
		timers: make(map[uint8]time.Duration), suspected: make(map[election.Port]bool)}
	b.env = election.NewEnv(b, nil)
	return b
}

// step steps the machine with an event, and returns what it raises, without repeated Suspects.
func (b *bench) step(ev election.Event) (raised []election.Event) {
	b.report(&ev)
	fx := b.env.Begin(0)
	b.machine.Step(b.env, &ev)
	b.sent = append(b.sent[:0], fx.Sends...)
	for _, c := range fx.Timers {
		if c.Min != c.Max || c.Min < 0 { // not by require, which would be nearly all that a long run does
			b.t.Fatalf("a timer from %v to %v", c.Min, c.Max)
		}
		b.timers[c.Timer] = ev.At + c.Min
	}
	b.set += len(fx.Timers)
	for i := range fx.Signals {
		if ev := &fx.Signals[i].Event; b.report(ev) {
			raised = append(raised, *ev)
		} else {
			b.repeated++
		}
	}
	return raised
}

// report notes a report of any detector, and returns whether it is another one than before.
func (b *bench) report(ev *election.Event) bool {
	before := b.suspected[ev.Port]
	switch ev.Op {
	case election.Suspect:
		b.suspected[ev.Port] = true
	case election.Trust:
		b.suspected[ev.Port] = false
	}
	return b.suspected[ev.Port] != before
}

func (b *bench) init(at time.Duration) { b.step(election.Event{Op: election.Init, At: at}) }

// beat delivers a beat.
func (b *bench) beat(at time.Duration, port election.Port, number uint64) []election.Event {
	m := election.Message{Kind: kindBeat, Value: number}
	if number == 1 {
		m.Flags = flagFirst
	}
	return b.step(election.Event{Op: election.Recv, At: at, Port: port, Msg: m})
}

// until fires the timers that are due until the given time, and returns what is raised.
func (b *bench) until(end time.Duration) (raised []election.Event) {
	for {
		next, at := timerBeat, end+1
		for timer, due := range b.timers {
			if due < at || due == at && timer < next {
				next, at = timer, due
			}
		}
		if at > end {
			return raised
		}
		delete(b.timers, next)
		raised = append(raised, b.step(election.Event{Op: election.Timeout, At: at, Timer: next})...)
	}
}

func suspect(at time.Duration, port election.Port) []election.Event {
	return []election.Event{{Op: election.Suspect, At: at, Port: port}}
}

func trust(at time.Duration, port election.Port) []election.Event {
	return []election.Event{{Op: election.Trust, At: at, Port: port}}
}

// all are the detectors with their parameters by default: an Interval of 100 ms.
func all() map[string]Detector {
	return map[string]Detector{"deadline": Deadline{}, "phi": Phi{}, "exponential": Phi{Exponential: true},
		"chen": Chen{}}
}

// TestSilence: a process that never speaks is suspected, once, and so is one that falls silent; it is trusted
// again with its next beat.
func TestSilence(t *testing.T) {
	for name, d := range all() {
		b := newBench(t, d, 2)
		const start = 5 * time.Second
		b.init(start)
		for i := range 200 {
			at := start + time.Duration(i)*100*ms + 20*ms
			raised := b.until(at)
			first := start + b.machine.plan.first
			if want := first <= at && first > at-100*ms; want {
				require.Equal(t, suspect(first, 1), raised, name)
			} else {
				require.Empty(t, raised, "%s, %v", name, at)
			}
			require.Empty(t, b.beat(at, 0, uint64(i+1)), name)
		}
		until := b.machine.peers[0].until
		require.Equal(t, suspect(until, 0), b.until(60*time.Second), name)
		require.Equal(t, trust(60*time.Second, 0), b.beat(60*time.Second, 0, 551), name)
		repeated := b.repeated
		require.Empty(t, b.beat(60*time.Second+1, 0, 552), name)
		require.Equal(t, repeated, b.repeated, "one Trust is enough")
		require.Equal(t, trust(60*time.Second, 1), b.beat(60*time.Second, 1, 1), name)
		require.Len(t, b.until(90*time.Second), 2, name)
	}
}

// TestAgain: a process that stays silent is suspected repeatedly, even if another detector suspected it first:
// a machine above may have taken a late message for a sign of life.
func TestAgain(t *testing.T) {
	for name, d := range all() {
		for _, first := range []election.Op{0, election.Suspect} {
			b := newBench(t, d, 1)
			b.init(0)
			b.step(election.Event{Op: first, At: 1})
			b.until(10*b.machine.plan.first + 1)
			require.GreaterOrEqual(t, b.repeated, 9, name)
			require.LessOrEqual(t, b.repeated, 10, name)
			before := b.repeated
			require.Len(t, b.beat(11*b.machine.plan.first, 0, 1), 1, name)
			require.Equal(t, before, b.repeated)
		}
	}
}

// TestBeats: beats go to all processes, including suspected ones, at whole intervals even if a timer is late.
func TestBeats(t *testing.T) {
	b := newBench(t, Chen{}, 3)
	b.init(time.Second)
	want := func(number uint64, flags uint8) {
		t.Helper()
		require.Len(t, b.sent, 3)
		for port, out := range b.sent {
			require.Equal(t, election.Outgoing{Port: election.Port(port),
				Msg: election.Message{Kind: kindBeat, Value: number, Flags: flags}}, out)
		}
	}
	want(1, flagFirst)
	require.Equal(t, 1100*ms, b.timers[timerBeat])
	b.step(election.Event{Op: election.Timeout, At: 1130 * ms, Timer: timerBeat})
	want(2, 0)
	require.Equal(t, 1200*ms, b.timers[timerBeat], "lateness does not add up")
	b.step(election.Event{Op: election.Timeout, At: 1950 * ms, Timer: timerBeat})
	want(10, 0)
	require.Equal(t, 2000*ms, b.timers[timerBeat], "what a pause has prevented is skipped")
	b.init(9 * time.Second)
	want(1, flagFirst)
}

// TestOtherDetector: what a caller reports is kept in mind: a beat takes a suspicion back, and a process that
// is trusted gets time to speak.
func TestOtherDetector(t *testing.T) {
	for name, d := range all() {
		b := newBench(t, d, 1)
		b.init(0)
		require.Empty(t, b.step(election.Event{Op: election.Suspect, At: 10 * ms}))
		require.Empty(t, b.until(time.Minute), "%s: it is suspected already", name)
		require.Equal(t, trust(time.Minute, 0), b.beat(time.Minute, 0, 600), name)
		require.Empty(t, b.step(election.Event{Op: election.Suspect, At: time.Minute}))
		back := time.Minute + time.Second
		b.until(back)
		require.Empty(t, b.step(election.Event{Op: election.Trust, At: back}))
		require.Equal(t, suspect(back+b.machine.plan.first, 0), b.until(2*time.Minute), name)
		require.Empty(t, b.step(election.Event{Op: election.Suspect, Port: 77}), "a port that there is not")
	}
}

// TestReturn: a process that comes back counts from one again, and so does one whose first beat is lost.
func TestReturn(t *testing.T) {
	for name, d := range all() {
		for first := range uint64(3) {
			b := newBench(t, d, 1)
			b.init(0)
			at := time.Duration(0)
			for i := range 500 {
				at = time.Duration(i) * 100 * ms
				require.Empty(t, b.until(at))
				require.Empty(t, b.beat(at, 0, uint64(i+1)))
			}
			require.Len(t, b.until(at+10*time.Second), 1)
			at += 10 * time.Second
			for number := first + 1; number < 100; number++ {
				raised := append(b.until(at), b.beat(at, 0, number)...)
				if number == first+1 {
					require.Equal(t, trust(at, 0), raised, name)
					if number == 1 {
						require.LessOrEqual(t, len(b.machine.peers[0].history.samples), 2, "it learns anew")
					}
				} else {
					require.Empty(t, raised, "%s, %d", name, number)
				}
				at += 100 * ms
			}
		}
	}
}

// TestBound: while no message takes longer than the Delay of a plan, a process that is up is never suspected,
// however its beats bunch together.
func TestBound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for name, d := range all() {
		b := newBench(t, d, 1)
		b.init(0)
		delay := b.machine.plan.delay
		type arrival struct {
			at     time.Duration
			number uint64
		}
		beats := make([]arrival, 5000)
		for i := range beats {
			beats[i].number = uint64(i + 1)
			beats[i].at = time.Duration(i) * 100 * ms
			if random.IntN(3) == 0 || i/40%2 == 1 { // a few, and whole bunches
				beats[i].at += delay
			}
		}
		slices.SortStableFunc(beats, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
		for _, beat := range beats {
			require.Empty(t, b.until(beat.at), "%s, %v", name, beat)
			require.Empty(t, b.beat(beat.at, 0, beat.number), name)
		}
	}
}

// TestStrange: messages that are no beats, and beats of no process, change nothing.
func TestStrange(t *testing.T) {
	b := newBench(t, Deadline{}, 1)
	b.init(0)
	before := new(election.State).Append(nil, b.machine)
	for _, ev := range []election.Event{
		{Op: election.Recv, At: time.Hour, Msg: election.Message{Kind: kindBeat + 1}},
		{Op: election.Recv, At: time.Hour, Port: 1, Msg: election.Message{Kind: kindBeat}},
		{Op: election.Timeout, At: time.Hour, Timer: 200},
		{Op: election.Decided, At: time.Hour},
		{Op: election.Trust, At: time.Hour, Port: 1},
		{Op: election.Trust, At: time.Hour},
	} {
		require.Empty(t, b.step(ev))
		require.Equal(t, before, new(election.State).Append(nil, b.machine), "%v", ev)
	}
}

// TestAlone: without a link there is no process to watch.
func TestAlone(t *testing.T) {
	b := newBench(t, Deadline{}, 0)
	b.init(0)
	require.Equal(t, map[uint8]time.Duration{timerBeat: 100 * ms}, b.timers)
}

// TestSoonerDeadline: a process that another detector trusts again, or that has recovered, gets no more time
// than a new one, even if it had more before.
func TestSoonerDeadline(t *testing.T) {
	for _, returns := range []bool{false, true} {
		b := newBench(t, Phi{}, 1)
		b.init(0)
		at := time.Duration(0)
		for i := range 200 {
			at = time.Duration(i) * time.Second
			b.until(at)
			b.beat(at, 0, uint64(i+1))
		}
		at += 800 * ms
		require.Empty(t, b.until(at))
		first := b.machine.plan.first
		require.Greater(t, b.timers[timerWatch], at+first)
		if returns {
			b.beat(at, 0, 1)
		} else {
			b.step(election.Event{Op: election.Suspect, At: at})
			b.step(election.Event{Op: election.Trust, At: at})
		}
		require.Equal(t, suspect(at+first, 0), b.until(at+first))
	}
}

// TestJump: a number that is out of reach starts a new schedule, and so does the next number of the old
// schedule: neither makes the detector wait for long, or suspect immediately.
func TestJump(t *testing.T) {
	for _, number := range []uint64{1 << 20, 1<<63 - 1, 1 << 63, math.MaxUint64, 0,
		1<<56 + 602} { // 2^56 Intervals are 2^64 ns, by 5^8 times
		b := newBench(t, Chen{}, 1)
		b.init(0)
		at := time.Duration(0)
		for ; at < 60*time.Second; at += 100 * ms {
			require.Empty(t, b.until(at))
			require.Empty(t, b.beat(at, 0, uint64(at/(100*ms))+2))
		}
		b.until(at)
		for _, next := range []uint64{number, uint64(at/(100*ms)) + 3} {
			require.Empty(t, b.beat(at, 0, next))
			require.Equal(t, at+950*ms, b.machine.peers[0].until, "%d", next)
			at += 100 * ms
			b.until(at)
		}
	}
}

// TestQuickReturn: a process recovers before it is suspected. Its small numbers belong to a new schedule.
func TestQuickReturn(t *testing.T) {
	for name, d := range all() {
		b := newBench(t, d, 1)
		b.init(0)
		for number := range uint64(6) {
			b.until(time.Duration(number) * 100 * ms)
			require.Empty(t, b.beat(time.Duration(number)*100*ms, 0, number+1))
		}
		for number := range uint64(50) {
			at := 550*ms + time.Duration(number)*100*ms
			require.Empty(t, b.until(at), name)
			require.Empty(t, b.beat(at, 0, number+1), name)
			require.Greater(t, b.machine.peers[0].until, at+100*ms, name)
			if name == "chen" {
				require.Equal(t, at+950*ms, b.machine.peers[0].until)
			}
		}
	}
}

// TestState: a machine that is saved and restored before each step does what one does that is not.
func TestState(t *testing.T) {
	for name, d := range all() {
		random := rand.New(rand.NewPCG(9, 1))
		b, restored := newBench(t, d, 3), newBench(t, d, 3)
		b.init(-1050 * ms)
		restored.init(-1050 * ms)
		step := func(ev election.Event) {
			fresh := &machine{plan: b.machine.plan, kind: kindBeat}
			require.NoError(t, new(election.State).Restore(fresh, new(election.State).Append(nil,
				restored.machine)))
			restored.machine = fresh
			require.Equal(t, b.step(ev), restored.step(ev), name)
			require.Equal(t, b.sent, restored.sent, name)
			require.Equal(t, b.timers, restored.timers, name)
		}
		for at := time.Duration(0); at < 3*time.Minute; at += 10 * ms {
			for timer := range b.timers {
				if b.timers[timer] <= at {
					delete(b.timers, timer)
					delete(restored.timers, timer)
					step(election.Event{Op: election.Timeout, At: at, Timer: timer})
				}
			}
			port := election.Port(random.IntN(3))
			switch random.IntN(100) {
			case 0:
				at += 400 * ms
			case 1:
				step(election.Event{Op: election.Suspect, At: at, Port: port})
			case 2:
				step(election.Event{Op: election.Trust, At: at, Port: port})
			case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12:
				if at/(10*time.Second)%3 != time.Duration(port) { // each is silent for a while
					step(election.Event{Op: election.Recv, At: at, Port: port,
						Msg: election.Message{Kind: kindBeat, Value: uint64(at/(100*ms)) + 1}})
				}
			}
		}
	}
}

// TestAllocations: a machine that has been used allocates nothing.
func TestAllocations(t *testing.T) {
	for name, d := range all() {
		b := newBench(t, d, 3)
		b.init(0)
		at := time.Duration(0)
		beat := election.Event{Op: election.Recv, Msg: election.Message{Kind: kindBeat}}
		timeout := election.Event{Op: election.Timeout, Timer: timerBeat}
		round := func() {
			at += 100 * ms
			beat.At, timeout.At, beat.Msg.Value = at, at, uint64(at/(100*ms))+1
			for beat.Port = 0; beat.Port < 3; beat.Port++ {
				b.env.Begin(0)
				b.machine.Step(b.env, &beat)
			}
			for timeout.Timer = timerBeat; timeout.Timer <= timerWatch; timeout.Timer++ {
				b.env.Begin(0)
				b.machine.Step(b.env, &timeout)
			}
		}
		for range 300 {
			round()
		}
		require.Zero(t, testing.AllocsPerRun(100, round), name)
	}
}

// TestLateBeat: after a beat that arrives when the next one is overdue, a Chen continues to suspect: a Trust
// would be withdrawn immediately.
func TestLateBeat(t *testing.T) {
	b := newBench(t, Chen{Margin: 50 * ms}, 1)
	b.init(0)
	for i := range 100 {
		b.until(time.Duration(i) * 100 * ms)
		require.Empty(t, b.beat(time.Duration(i)*100*ms, 0, uint64(i+1)))
	}
	require.Equal(t, suspect(10_050*ms, 0), b.until(10_200*ms))
	require.Empty(t, b.beat(10_200*ms, 0, 101))
	require.Equal(t, trust(10_220*ms, 0), b.beat(10_220*ms, 0, 102))

	// The same where the next beat is due in that moment: the mean of two is 150 ms late.
	b = newBench(t, Chen{Margin: 50 * ms, Window: 2}, 1)
	b.init(0)
	for i := range 100 {
		b.until(time.Duration(i) * 100 * ms)
		b.beat(time.Duration(i)*100*ms, 0, uint64(i+1))
	}
	require.Equal(t, suspect(10_050*ms, 0), b.until(10_250*ms))
	repeated := b.repeated
	require.Empty(t, b.beat(10_300*ms, 0, 101))
	require.Equal(t, 10_300*ms, b.machine.peers[0].until)
	require.Equal(t, repeated, b.repeated)
}
