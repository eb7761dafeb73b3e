package soak_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/invitation"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/soak"
	"github.com/go-election/election/lab/verdict"
)

// unhearing is a Node that does not get some messages.
type unhearing struct {
	election.Node
	misses func(e *election.Env, ev *election.Event) bool
}

// Step takes one event.
func (d *unhearing) Step(e *election.Env, ev *election.Event) {
	if ev.Op != election.Recv || !d.misses(e, ev) {
		d.Node.Step(e, ev)
	}
}

// unheard returns an algorithm whose processes miss some messages.
func unheard(t *testing.T, c invitation.Config, misses func(*election.Env, *election.Event) bool,
) *election.Algorithm {
	a, err := invitation.New(c)
	require.NoError(t, err)
	right := a.New
	a.New = func(s election.Setup) election.Node { return &unhearing{right(s), misses} }
	a.Params, a.Configure = nil, nil // a drawn delay would build the algorithm again
	return a
}

// TestGroups: groups that come to rest must agree on their leaders, and those that look for each other become
// one.
func TestGroups(t *testing.T) {
	const leaderReply, readyReply, invitations = 2, 7, 3 // kinds
	still, looking := invitation.Config{}, invitation.Config{Interval: 6 * sim.Unit}
	for name, c := range map[string]struct {
		config invitation.Config
		missed uint8
		want   verdict.Property
	}{
		"at rest, no reply to READY":      {still, readyReply, ""},
		"at rest, groups stay apart":      {still, leaderReply, ""},
		"looking, groups stay apart":      {looking, leaderReply, verdict.Agreement},
		"looking, invitations are lost":   {looking, invitations, verdict.Agreement},
		"looking, no reply to READY":      {looking, readyReply, ""},
		"at rest, no invitations arrives": {still, invitations, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := unheard(t, c.config, func(_ *election.Env, ev *election.Event) bool {
				return ev.Msg.Kind == c.missed
			})
			r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: 50})
			require.NoError(t, err)
			if c.want == "" {
				require.Nil(t, r.Failure)
				return
			}
			require.NotNil(t, r.Failure)
			require.Equal(t, c.want, r.Failure.Violation.Property)
		})
	}
}

// TestFollowersLeftBehind: a leader whose members miss what it forwards leaves them behind.
func TestFollowersLeftBehind(t *testing.T) {
	const invites = 3 // a kind
	a := unheard(t, invitation.Config{}, func(e *election.Env, ev *election.Event) bool {
		return ev.Msg.Kind == invites && e.Peer(ev.Port) != ev.Msg.Rank // a forwarded one
	})
	r, err := soak.Run(t.Context(), soak.Config{Algorithm: a, Runs: 2000})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	require.Equal(t, verdict.InGroups, r.Failure.Violation.Property)
	require.Contains(t, r.Failure.Violation.Reason, "follows")
}
