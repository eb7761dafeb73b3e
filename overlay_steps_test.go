package election_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

// crowd is a process on a complete graph, which knows its peers by port.
type crowd struct {
	self  election.ID
	peers []election.ID
}

func (c crowd) Self(int) election.Rank { return election.Rank{ID: c.self} }
func (c crowd) Ports(int) int          { return len(c.peers) }
func (c crowd) Peer(_ int, p election.Port) election.Rank {
	return election.Rank{ID: c.peers[p]}
}

// laid is an overlay under test. The Node inside records its Setup and its events. When it starts it performs
// on, or sends by its first port.
type laid struct {
	host   election.TermKeeper
	env    *election.Env
	made   []election.Setup
	events []string
	on     func(e *election.Env, ev *election.Event)
}

func (l *laid) Step(e *election.Env, ev *election.Event) {
	l.events = append(l.events, fmt.Sprint(ev.Op, " ", ev.Port))
	switch {
	case l.on != nil:
		l.on(e, ev)
	case ev.Op == election.Start:
		e.Send(0, election.Message{Kind: 1})
	}
}

func (*laid) State(*election.State) {}

func lay(t *testing.T, inner election.Algorithm, on crowd) *laid {
	t.Helper()
	l := &laid{env: election.NewEnv(on, nil)}
	inner.Name, inner.Kinds = "inner", []election.Kind{{Name: "word"}}
	inner.New = func(s election.Setup) election.Node {
		l.made = append(l.made, s)
		return l
	}
	over, err := inner.OverComplete()
	require.NoError(t, err)
	l.host = over.NewNode(election.Setup{Self: on.Self(0), Ports: len(on.peers)}, false)
	l.step(election.Event{Op: election.Init})
	require.Equal(t, []string{"init 0"}, l.events)
	return l
}

// effects steps and returns what that wants done.
func (l *laid) effects(ev election.Event) *election.Effects {
	l.events = nil
	fx := l.env.Begin(0)
	l.host.Step(l.env, &ev)
	return fx
}

// step returns what the Node inside hears in a step, and "to P: kind K of Term T" for each message sent.
func (l *laid) step(ev election.Event) []string {
	for _, s := range l.effects(ev).Sends {
		l.events = append(l.events, fmt.Sprintf("to %d: kind %d of Term %d", s.Port, s.Msg.Kind, s.Msg.Term))
	}
	return l.events
}

func suspect(port election.Port) election.Event {
	return election.Event{Op: election.Suspect, Port: port}
}

func from(port election.Port, kind uint8, term uint64) election.Event {
	return election.Event{Op: election.Recv, Port: port, Msg: message(kind, term)}
}

// TestOverlayOfLongLived: a long-lived Node on a ring hears of each event that is not the overlay's own,
// and by a Trust of each link that leads elsewhere, of no other.
func TestOverlayOfLongLived(t *testing.T) {
	l := lay(t, election.Algorithm{Topology: election.Ring, Elects: election.Successors},
		crowd{3, []election.ID{1, 2, 4, 5}})
	require.Equal(t, []string{"command 0"}, l.step(election.Event{Op: election.Command}))
	require.Equal(t, []string{"trust 0"}, l.step(suspect(2)), "5 is the next now")
	require.Empty(t, l.step(suspect(0)), "1 is no neighbour")
	require.Empty(t, l.step(suspect(0)))
	require.Empty(t, l.step(suspect(4)), "there is no such port")
	back := from(2, 1, 0)
	back.Msg.Flags = 1 << 7 // it comes counterclockwise
	require.Equal(t, []string{"trust 0", "recv 0"}, l.step(back), "4 speaks, so it is up")
}

// TestOverlayLaidAnew: an election follows each change of the links, in a Term after all known Terms, and none
// before the first.
func TestOverlayLaidAnew(t *testing.T) {
	l := lay(t, election.Algorithm{Topology: election.Ring}, crowd{3, []election.ID{1, 2, 4, 5}})
	require.Empty(t, l.step(suspect(0)), "without an election there is none to repeat")
	require.Equal(t, []string{"rejoin 0", "to 0: kind 2 of Term 0", "to 1: kind 2 of Term 0",
		"to 2: kind 2 of Term 0", "to 3: kind 2 of Term 0"}, l.step(election.Event{Op: election.Rejoin}))
	require.Equal(t, []string{"start 0", "to 2: kind 1 of Term 1"}, l.step(start()))
	require.Empty(t, l.step(suspect(4)), "there is no such port")
	require.Empty(t, l.step(suspect(0)), "it is suspected already")
	require.Equal(t, []string{"init 0", "start 0", "to 3: kind 1 of Term 2"}, l.step(suspect(2)))
	require.Empty(t, l.step(from(1, 3, 9)), "there is no such kind")
	require.Equal(t, []string{"init 0", "start 0", "to 3: kind 1 of Term 8"}, l.step(from(1, 2, 7)),
		"2 is present")
	require.Equal(t, []string{"init 0", "start 0", "to 2: kind 1 of Term 21"}, l.step(from(2, 1, 20)),
		"4 speaks, so it is up, and what it said is void")
}

// TestOverlayRoot: only the root begins when another process asks it to, and only in a Term that no process has
// begun. Another process records the Term for the next election.
func TestOverlayRoot(t *testing.T) {
	rooted := election.Algorithm{Topology: election.Tree, Knows: election.RootPort, SingleInitiator: true}
	const begin = 3
	l := lay(t, rooted, crowd{1, []election.ID{2, 3, 4}})
	require.Equal(t, []string{"init 0", "start 0", "to 0: kind 1 of Term 2"}, l.step(from(2, begin, 1)))
	require.Empty(t, l.step(from(2, begin, 1)), "of an earlier Term")
	require.Empty(t, l.step(from(2, begin, 2)), "it has begun that")
	require.Equal(t, []string{"init 0", "start 0", "to 0: kind 1 of Term 6"}, l.step(from(2, begin, 5)))
	other := from(0, 1, 9)
	other.Msg.Value = 2
	require.Equal(t, []string{"init 0", "recv 0"}, l.step(other), "2 was the root when it began that")
	require.Empty(t, l.step(from(2, begin, 8)))
	require.Equal(t, []string{"init 0", "start 0", "to 0: kind 1 of Term 10"}, l.step(from(2, begin, 9)))

	l = lay(t, rooted, crowd{2, []election.ID{1, 3, 4}})
	require.Empty(t, l.step(from(2, begin, 4)))
	require.Empty(t, l.step(from(2, begin, 3)))
	require.Equal(t, []string{"init 0", "start 0", "to 0: kind 1 of Term 5"}, l.step(suspect(1)))
}
