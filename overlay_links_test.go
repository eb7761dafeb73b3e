package election_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

var (
	onRing   = election.Algorithm{Topology: election.Ring}
	onTree   = election.Algorithm{Topology: election.Tree}
	onRooted = election.Algorithm{Topology: election.Tree, Knows: election.RootPort, SingleInitiator: true}
	onGraph  = election.Algorithm{Topology: election.Graph}
)

// longLived returns the same algorithm, of a Node that keeps Terms itself.
func longLived(a election.Algorithm) election.Algorithm {
	a.Elects = election.Successors
	return a
}

// TestOverlayLinks: which processes the ports of the Node inside lead to, whatever the order of the IDs by
// the ports of the complete graph. A port that it does not have leads nowhere.
func TestOverlayLinks(t *testing.T) {
	others := []election.ID{7, 1, 5, 2, 6, 4} // by port
	for _, tt := range []struct {
		of      election.Algorithm
		self    election.ID
		suspect []election.Port
		want    []election.ID
	}{
		{of: onRing, self: 3, want: []election.ID{4, 2}},
		{of: onRing, self: 9, want: []election.ID{1, 7}},
		{of: onRing, self: 3, suspect: []election.Port{5, 3}, want: []election.ID{5, 1}},
		{of: onRing, self: 3, suspect: []election.Port{1, 2, 3, 4, 5}, want: []election.ID{7, 7}},
		{of: onRing, self: 3, suspect: []election.Port{0, 1, 2, 3, 4, 5}, want: []election.ID{3, 3}},
		{of: onTree, self: 3, want: []election.ID{1, 6, 7}},
		{of: onTree, self: 3, suspect: []election.Port{4}, want: []election.ID{1, 7}},
		{of: onTree, self: 3, suspect: []election.Port{1}, want: []election.ID{2, 5, 6}},
		{of: onTree, self: 3, suspect: []election.Port{1, 3}, want: []election.ID{4, 5}},
		{of: onRooted, self: 8, want: []election.ID{4}},
		{of: onGraph, self: 3, want: others},
		{of: onGraph, self: 3, suspect: []election.Port{4, 0}, want: []election.ID{1, 5, 2, 4}},
	} {
		l := lay(t, tt.of, crowd{tt.self, others})
		for _, port := range tt.suspect {
			l.step(suspect(port))
		}
		var peers []election.ID
		l.on = func(e *election.Env, _ *election.Event) {
			require.Equal(t, election.Rank{ID: tt.self}, e.Self())
			require.Equal(t, len(tt.want), e.Ports())
			for port := range election.Port(e.Ports()) {
				peers = append(peers, e.Peer(port).ID)
			}
			require.Zero(t, e.Peer(election.Port(e.Ports())))
			l.on = nil
		}
		l.step(election.Event{Op: election.Command})
		require.Equal(t, tt.want, peers, "%+v", tt)
	}
}

// TestOverlaySends: a message leaves by the link of its port, or arrives here if the link leads back. The
// driver refuses a port that does not exist.
func TestOverlaySends(t *testing.T) {
	l := lay(t, onTree, crowd{3, []election.ID{7, 1, 5, 2, 6, 4}})
	l.on = func(e *election.Env, ev *election.Event) {
		for port := range election.Port(4) {
			e.Send(port, election.Message{Kind: 1, Round: uint32(port)})
		}
	}
	want := []election.Outgoing{{Port: 1}, {Port: 4}, {Port: 0}, {Port: election.NoPort}}
	for i := range want {
		want[i].Msg = election.Message{Kind: 1, Round: uint32(i)}
	}
	require.Equal(t, want, l.effects(election.Event{Op: election.Command}).Sends)

	l = lay(t, onRing, crowd{3, nil})
	require.Equal(t, []string{"start 0", "recv 1"}, l.step(start()))
	l.on = func(e *election.Env, ev *election.Event) {
		if ev.Op == election.Start {
			e.Send(election.Counterclockwise, election.Message{Kind: 1})
		}
	}
	require.Equal(t, []string{"start 0", "recv 0"}, l.step(start()))
}

// TestOverlayOtherLinks: a message over a link outside the overlay is dropped, and only its Term is recorded. A
// CatchUp is accepted over any link.
func TestOverlayOtherLinks(t *testing.T) {
	ring := crowd{3, []election.ID{1, 2, 4, 5}}
	back := from(1, 1, 1) // the one before sends counterclockwise
	back.Msg.Flags = 1 << 7
	for _, tt := range []struct {
		of  election.Algorithm
		on  crowd
		ev  election.Event
		ok  string
		bad election.Event
	}{
		{onRing, ring, from(1, 1, 1), "recv 1", from(2, 1, 1)},
		{onRing, ring, from(1, 1, 1), "recv 1", back},
		{onTree, crowd{2, []election.ID{4, 3, 1}}, from(2, 1, 1), "recv 0", from(1, 1, 1)},
		{onTree, crowd{2, []election.ID{4, 3, 1}}, from(0, 1, 1), "recv 1", from(1, 1, 1)},
		{longLived(onRing), ring, from(1, 1, 1), "recv 1", from(0, 0, 7)},
		{longLived(onRing), ring, from(1, 1, 1), "recv 1", from(2, 0, 7)},
	} {
		l := lay(t, tt.of, tt.on)
		require.Empty(t, l.step(tt.bad), "%+v", tt)
		require.Equal(t, []string{tt.ok}, l.step(tt.ev), "%+v", tt)
	}
	l := lay(t, onRing, ring)
	require.Empty(t, l.step(from(0, 1, 4)))
	require.Equal(t, []string{"init 0", "start 0", "to 3: kind 1 of Term 5"}, l.step(suspect(2)),
		"the first Term that it begins is larger")
	require.Empty(t, l.step(from(0, 1, 9)))
	require.Equal(t, []string{"init 0"}, l.step(from(0, election.CatchUp, 7)))
	require.Equal(t, []string{"start 0"}, l.step(start())[:1], "the Node judges a start in that Term")
	require.Equal(t, []string{"init 0", "start 0", "to 0: kind 1 of Term 10"}, l.step(suspect(3)))
}

// TestOverlaySetup: the Setup of the Node inside. The Node is made again when its Setup changes, unless it is
// long-lived, and receives an Init even if there has been no election.
func TestOverlaySetup(t *testing.T) {
	self := election.Rank{ID: 3}
	others := []election.ID{7, 1, 5, 2, 6, 4}
	ring := election.Setup{Self: self, Ports: 2}
	for _, a := range []election.Algorithm{onRing, longLived(onRing)} {
		l := lay(t, a, crowd{3, others})
		l.step(start())
		l.step(suspect(5))
		require.Equal(t, []election.Setup{ring}, l.made, "made once, as a ring stays a ring")
	}
	l := lay(t, onTree, crowd{3, others})
	require.Empty(t, l.step(suspect(1)), "it has another parent, and as many links")
	require.Empty(t, l.step(suspect(0)), "7 was no child any more")
	require.Equal(t, []string{"init 0"}, l.step(suspect(4)))
	require.Equal(t, []election.Setup{{Self: self}, {Self: self, Ports: 3}, {Self: self, Ports: 2}}, l.made)
	l = lay(t, onTree, crowd{3, others})
	l.step(from(5, 1, 6))
	require.Equal(t, []string{"init 0", "start 0", "to 1: kind 1 of Term 7"}, l.step(suspect(0)),
		"one Init where an election follows")

	l = lay(t, onRooted, crowd{2, []election.ID{3, 1}})
	self.ID = 2
	require.Equal(t, []string{"init 0"}, l.step(suspect(1)))
	require.Equal(t, []election.Setup{{Self: self}, {Self: self, Ports: 1},
		{Self: self, Ports: 1, Root: true}}, l.made)
}

// TestOverlayTakesBack: a Suspect takes a process out of the overlay and a Trust brings it back, each with
// another election. An event that changes nothing begins none.
func TestOverlayTakesBack(t *testing.T) {
	l := lay(t, onRing, crowd{3, []election.ID{5, 4}})
	l.step(start())
	out, back := election.Event{Op: election.Suspect, Port: 1}, election.Event{Op: election.Trust, Port: 1}
	require.Equal(t, []string{"init 0", "start 0", "to 0: kind 1 of Term 2"}, l.step(out))
	require.Empty(t, l.step(out))
	require.Equal(t, []string{"init 0", "start 0", "to 1: kind 1 of Term 3"}, l.step(back))
	require.Empty(t, l.step(back))
}
