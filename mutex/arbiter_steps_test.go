package mutex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
)

// arbiterVoter replaces the election below an arbiter: it decides on a Timeout, and records the requests that
// it receives.
type arbiterVoter struct{ asked *[]string }

func (v *arbiterVoter) Step(e *election.Env, ev *election.Event) {
	switch ev.Op {
	case election.Start, election.Reelect:
		*v.asked = append(*v.asked, fmt.Sprint("election: ", map[election.Op]string{election.Start: "start",
			election.Reelect: "reelect"}[ev.Op]))
	case election.Timeout:
		e.DecideIn(ev.Msg.Term, ev.Msg.Rank)
	}
}

func (v *arbiterVoter) State(*election.State) {}

// The elections of these tests: one that keeps its Terms, one that does not, and one on an overlay.
var (
	surviving      = election.Faults{Crash: election.MayRecover}
	arbiterLasting = election.Algorithm{Name: "lasting", Topology: election.Complete,
		Winner: election.LargestOfLive, Faults: surviving, Elects: election.Successors}
	arbiterOnce = election.Algorithm{Name: "once", Topology: election.Complete,
		Winner: election.LargestOfLive, Faults: surviving}
	arbiterOverlay = election.Algorithm{Name: "overlay", Topology: election.Ring,
		Winner: election.LargestOfAll, Elects: election.Successors}
)

// arbiterSteps is a process 3 among 1..5 over such an election.
type arbiterSteps struct {
	*single
	t     *testing.T
	asked *[]string
}

// arbiterOver makes the process, and takes its first event.
func arbiterOver(t *testing.T, elect election.Algorithm, c mutex.Config) *arbiterSteps {
	t.Helper()
	p := &arbiterSteps{t: t, asked: new([]string)}
	elect.New = func(election.Setup) election.Node { return &arbiterVoter{p.asked} }
	c.Election = &elect
	p.single = alone(t)(mutex.Arbiter(c))
	return p
}

// restored returns the same process, restored from its state after a change of the state.
func (p *arbiterSteps) restored(change func(state []byte) []byte) *arbiterSteps {
	p.t.Helper()
	twin := *p.single
	twin.node = p.alg.New(election.Setup{Self: view[0], Ports: 4})
	require.NoError(p.t, new(election.State).Restore(twin.node,
		change(new(election.State).Append(nil, p.node))))
	return &arbiterSteps{single: &twin, t: p.t, asked: p.asked}
}

// does takes events, and returns what the last of them causes, in words.
func (p *arbiterSteps) does(events ...election.Event) string {
	var words []string
	for _, ev := range events {
		*p.asked = (*p.asked)[:0]
		if ev.Op == election.Recv {
			ev.Msg.Kind, ev.Msg.Layer = ev.Msg.Kind+uint8(len(p.alg.Kinds)-5), 1
		}
		words = p.words(p.step(ev))
	}
	return strings.Join(append(words, *p.asked...), ", ")
}

// words writes effects down: "4 request 2.1" is the first REQUEST of Term 2 to 4; a token is a Term and a
// count.
func (p *arbiterSteps) words(fx *election.Effects) (words []string) {
	claims := 0
	for _, out := range fx.Sends {
		m := &out.Msg
		switch name := p.alg.KindName(m.Kind); {
		case m.Layer == 0:
		case name == "claim":
			if claims++; claims == 4 { // to all others
				words = append(words, fmt.Sprintf("claim %d", m.Value))
			}
		case name == "later":
			words = append(words, fmt.Sprintf("%d later %d of %d", view[out.Port+1].ID, m.Value, m.Rank.ID))
		default:
			word := fmt.Sprintf("%d %s %d.%d", view[out.Port+1].ID, p.alg.KindName(m.Kind), m.Term, m.Round)
			if m.Value != 0 {
				word += " token " + arbiterToken(m.Value)
			}
			words = append(words, word)
		}
	}
	names := map[uint8]string{0: "stay", 64: "lease", 192: "grace"}
	for _, change := range fx.Timers {
		switch {
		case change.Layer == 0:
		case change.Stop:
			words = append(words, "-"+names[change.Timer])
		default:
			require.Equal(p.t, change.Min, change.Max)
			words = append(words, fmt.Sprintf("+%s %v", names[change.Timer], change.Max))
		}
	}
	for _, r := range fx.Signals {
		word := map[election.Op]string{election.Entered: "entered", election.Exited: "left"}[r.Event.Op]
		words = append(words, fmt.Sprintf("%s %d token %s", word, r.Event.Msg.Round,
			arbiterToken(r.Event.Msg.Value)))
	}
	if o := fx.Outcome; fx.Decided() {
		words = append(words, fmt.Sprintf("%v %d/%d", o.Role, o.Leader.ID, o.Term))
	}
	if fx.Refused() {
		words = append(words, "refused: "+fx.Err.Error())
	}
	return words
}

// arbiterToken reads a token of 3, the third of five, whose place takes three bits.
func arbiterToken(token uint64) string {
	return fmt.Sprintf("%d.%d", token>>32, token&(1<<29-1))
}

// arbiterEvent is one that has no message.
func arbiterEvent(op election.Op, id election.ID) election.Event {
	return election.Event{Op: op, Port: arbiterPort(id)}
}

func arbiterPort(id election.ID) election.Port {
	for i, r := range view {
		if r.ID == id {
			return election.Port(i - 1)
		}
	}
	return 4 // there is no such port
}

// arbiterElected is the end of an election; of ID 0: no process is elected.
func arbiterElected(term uint64, id election.ID) election.Event {
	return election.Event{Op: election.Timeout, Msg: election.Message{Term: term,
		Rank: election.Rank{ID: id}}}
}

// The messages of the arbiter.
const (
	arbiterRequest uint8 = iota + 1
	arbiterGrant
	arbiterRelease
	arbiterClaim
	arbiterLater
)

// arbiterHears is a message of this stamp.
func arbiterHears(from election.ID, kind uint8, term uint64, round uint32) election.Event {
	return election.Event{Op: election.Recv, Port: arbiterPort(from),
		Msg: election.Message{Kind: kind, Term: term, Round: round}}
}

var (
	arbiterGraceOver = election.Event{Op: election.Timeout, Layer: 1, Timer: 192}
	arbiterStayOver  = election.Event{Op: election.Timeout, Layer: 1, Timer: 0}
)

// TestArbiterAfterRejoin: one that has been the arbiter from the beginning and comes back knows of none, and
// when elected grants nothing before its grace is over.
func TestArbiterAfterRejoin(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3})
	require.Empty(t, p.does(arbiterEvent(election.Rejoin, 0)))
	require.Equal(t, "claim 0, +grace 2s, leader 3/1", p.does(arbiterElected(1, 3)))
	require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 1, 1)))
	require.Equal(t, "claim 1, +grace 2s", p.does(arbiterGraceOver))
	require.Equal(t, "1 grant 1.1 token 1.1, +lease 12s", p.does(arbiterGraceOver))
}

// TestArbiterMissed: on an overlay a process that knows no arbiter starts an election if an arbiter is needed,
// and only then.
func TestArbiterMissed(t *testing.T) {
	begin := func(elect election.Algorithm) *arbiterSteps { return arbiterOver(t, elect, mutex.Config{}) }
	none := arbiterElected(1, 0)
	for _, c := range []struct {
		name   string
		events []election.Event
		want   string
		missed bool
	}{
		{"it has come back", []election.Event{arbiterEvent(election.Rejoin, 0)}, "", true},
		{"a client asks it", []election.Event{arbiterHears(1, arbiterRequest, 0, 1)}, "", true},
		{"none is elected, and it waits", []election.Event{mutex.Request(0, 1), none}, "undecided 0/1",
			true},
		{"none is elected", []election.Event{none}, "undecided 0/1", false},
		{"another is elected, and it waits", []election.Event{mutex.Request(0, 1), arbiterElected(1, 4)},
			"4 request 1.1, follower 4/1", false},
	} {
		require.Equal(t, c.want, begin(arbiterLasting).does(c.events...), c.name)
		if c.missed {
			c.want = strings.TrimPrefix(c.want+", election: start", ", ")
		}
		require.Equal(t, c.want, begin(arbiterOverlay).does(c.events...), c.name)
	}
}

// TestArbiterNoneAtFirst: without an arbiter that is named nothing is decided at first.
func TestArbiterNoneAtFirst(t *testing.T) {
	for id, want := range map[election.ID]string{0: "", 3: "leader 3/0", 4: "follower 4/0"} {
		require.Equal(t, want, arbiterOver(t, arbiterLasting,
			mutex.Config{Arbiter: id}).does(arbiterEvent(election.Init, 0)))
	}
}

// TestArbiterNamedNoLonger: a process that recovers after an election does not accept the configured arbiter.
func TestArbiterNamedNoLonger(t *testing.T) {
	for _, id := range []election.ID{3, 4} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: id})
		p.does(arbiterElected(1, 5))
		p = p.restored(func(state []byte) []byte { return state })
		require.Empty(t, p.does(arbiterEvent(election.Init, 0)))
		require.Equal(t, "election: start", p.does(mutex.Request(0, 1)))
	}
}

// TestArbiterSuspects: nothing is granted to a process that is suspected, until it is trusted or heard.
func TestArbiterSuspects(t *testing.T) {
	released := arbiterHears(2, arbiterRelease, 0, 1)
	begin := func() *arbiterSteps {
		p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3})
		require.Equal(t, "2 grant 0.1 token 0.1, +lease 12s", p.does(arbiterHears(2, arbiterRequest, 0, 1)))
		require.Empty(t, p.does(arbiterHears(1, arbiterRequest, 0, 7), arbiterEvent(election.Suspect, 1)))
		return p
	}
	p := begin()
	require.Equal(t, "-lease", p.does(released))
	require.Equal(t, "1 grant 0.7 token 0.2, +lease 12s", p.does(arbiterEvent(election.Trust, 1)))
	p = begin()
	require.Empty(t, p.does(arbiterHears(1, arbiterRelease, 0, 6)), "an old release")
	require.Equal(t, "1 grant 0.7 token 0.2, -lease, +lease 12s", p.does(released))
}

// TestArbiterReclaims: a section held by a client that is suspected is granted to the next client
// immediately. An absent client is granted nothing until it is back.
func TestArbiterReclaims(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3})
	p.does(arbiterHears(2, arbiterRequest, 0, 1), arbiterHears(5, arbiterRequest, 0, 9),
		arbiterHears(1, arbiterRequest, 0, 7))
	require.Empty(t, p.does(arbiterEvent(election.Suspect, 5)))
	require.Equal(t, "1 grant 0.7 token 0.2, -lease, +lease 12s", p.does(arbiterEvent(election.Suspect, 2)))
	require.Empty(t, p.does(arbiterEvent(election.Trust, 5)))
	require.Equal(t, "5 grant 0.9 token 0.3, -lease, +lease 12s",
		p.does(arbiterHears(1, arbiterRelease, 0, 7)))
}

// TestArbiterSuspected: the election is informed of a crash of the arbiter if it does not detect it itself, and
// of no other crash.
func TestArbiterSuspected(t *testing.T) {
	suspect := func(id election.ID) election.Event { return arbiterEvent(election.Suspect, id) }
	named := mutex.Config{Arbiter: 4}
	require.Equal(t, "election: start", arbiterOver(t, arbiterLasting, named).does(suspect(4)),
		"none has been elected yet")
	require.Empty(t, arbiterOver(t, arbiterLasting, named).does(suspect(1)), "another than the arbiter")
	require.Empty(t, arbiterOver(t, arbiterLasting, mutex.Config{}).does(suspect(1)), "there is no arbiter")
	require.Empty(t, arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 3}).does(suspect(1)),
		"it is the arbiter itself")
	require.Empty(t, arbiterOver(t, arbiterLasting, named).does(suspect(9)), "there is no such process")
	require.Empty(t, arbiterOver(t, arbiterLasting, named).does(arbiterElected(1, 4), suspect(4)),
		"the election hears of it")

	p := arbiterOver(t, arbiterOnce, mutex.Config{})
	require.Equal(t, "election: start", p.does(mutex.Request(0, 1)))
	require.Equal(t, "4 request 1.1, follower 4/1", p.does(arbiterElected(1, 4)))
	require.Equal(t, "election: start", p.does(suspect(4)), "the election of the next Term")
	require.Equal(t, "4 request 2.1, follower 4/2", p.does(arbiterElected(2, 4)))
}

// TestArbiterReleasedByItsUser: a release leaves the section if it is of the request that was granted, and no
// other command does.
func TestArbiterReleasedByItsUser(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 4})
	require.Equal(t, "4 request 0.1", p.does(mutex.Request(0, 1)))
	require.Equal(t, "+stay 10s, entered 1 token 0.0", p.does(arbiterHears(4, arbiterGrant, 0, 1)))
	require.Empty(t, p.does(mutex.Release(0, 2)), "another number")
	unknown := mutex.Release(0, 1)
	unknown.Msg.Kind = 9
	require.Empty(t, p.does(unknown), "another command")
	require.Equal(t, "4 release 0.1, -stay, left 1 token 0.0", p.does(mutex.Release(0, 1)))
}

// TestArbiterGrantOfAnotherRequest: an old grant goes back, and one of a later number is of a request that a
// crash has wiped out: it is taken, and counted from.
func TestArbiterGrantOfAnotherRequest(t *testing.T) {
	p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 4})
	require.Equal(t, "4 release 0.1", p.does(arbiterHears(4, arbiterGrant, 0, 1)), "nothing is asked for")
	require.Equal(t, "4 request 0.1", p.does(mutex.Request(0, 1)))
	require.Equal(t, "4 release 0.0", p.does(arbiterHears(4, arbiterGrant, 0, 0)), "an older one")
	require.Equal(t, "+stay 10s, entered 1 token 0.0", p.does(arbiterHears(4, arbiterGrant, 0, 5)),
		"a later one")
	require.Empty(t, p.does(arbiterHears(4, arbiterGrant, 0, 5)), "the same again")
	require.Equal(t, "4 release 0.6", p.does(arbiterHears(4, arbiterGrant, 0, 6)), "another, while inside")
	require.Equal(t, "4 release 0.5, -stay, left 1 token 0.0", p.does(arbiterStayOver))
	require.Equal(t, "4 request 0.6", p.does(mutex.Request(0, 2)))
}

// TestArbiterStay: a process stays inside for the time given, however short, and otherwise for the lease.
func TestArbiterStay(t *testing.T) {
	for _, c := range []struct {
		section time.Duration
		want    string
	}{{0, "+stay 10s"}, {1, "+stay 1ns"}, {3 * time.Second, "+stay 3s"}} {
		p := arbiterOver(t, arbiterLasting, mutex.Config{Arbiter: 4, CriticalSection: c.section})
		require.Equal(t, c.want+", entered 1 token 0.0", p.does(mutex.Request(0, 1),
			arbiterHears(4, arbiterGrant, 0, 1)))
	}
}
