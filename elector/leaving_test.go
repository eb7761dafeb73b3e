package elector_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/memory"
)

// listed returns the members of a list, each at its name:1.
func listed(names ...string) map[string]string {
	all := make(map[string]string)
	for _, name := range names {
		all[name] = name + ":1"
	}
	return all
}

// ill returns what the readiness probe of a member answers.
func ill(e *elector.Elector) (code int, text string) {
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

// pods starts members over TCP and TLS, and ends them.
type pods struct {
	hub     pipenet.Hub
	start   func(c elector.Config) *elector.Elector
	stop    map[string]func()
	running sync.WaitGroup
}

func newPods(t *testing.T) *pods {
	ca, p := authority(t), &pods{stop: map[string]func(){}}
	p.start = func(c elector.Config) *elector.Elector {
		c.Group, c.TLS = "g", certified(t, ca, c.Self)
		if _, member := c.Members[c.Self]; !member {
			c.Listen = c.Self + ":1"
		}
		c.Network = piped(t, &p.hub, c)
		e, err := elector.New(c)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		p.running.Go(func() {
			defer close(ended)
			err := e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		network := c.Network
		p.stop[c.Self] = func() {
			stop()
			<-ended
			require.NoError(t, network.Close())
		}
		return e
	}
	return p
}

func (p *pods) end() {
	for _, stop := range p.stop {
		stop()
	}
	p.running.Wait()
}

// TestLearner: a process that its peers do not list yet is ready, and follows the leader. It becomes a member when a
// majority lists it, without another leader.
func TestLearner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPods(t)
		defer p.end()
		all := make(map[string]*elector.Elector)
		for _, name := range three {
			all[name] = p.start(elector.Config{Self: name, Members: listed(three...)})
		}
		time.Sleep(5 * time.Second)
		four := listed(append([]string{"d"}, three...)...)
		d := p.start(elector.Config{Self: "d", Members: four})
		time.Sleep(5 * time.Second)
		synctest.Wait()
		code, text := ill(d)
		require.Equal(t, 200, code, text)
		require.Equal(t, "this process is not a member yet: the lists of a, b, c do not contain it", text)
		require.Equal(t, elector.Learner, d.Members().Role)
		require.Equal(t, all["a"].Leader().Leader, d.Leader().Leader)
		var follower string
		for _, name := range three {
			if !all[name].Leader().Self {
				follower = name
			}
		}
		before := d.Leader()
		p.stop[follower]()
		all[follower] = p.start(elector.Config{Self: follower, Members: four})
		time.Sleep(5 * time.Second)
		require.Equal(t, "a b c", d.Leader().Members, "two of four wish it")
		for _, name := range three {
			if name != follower && !all[name].Leader().Self {
				follower = name
				break
			}
		}
		p.stop[follower]()
		all[follower] = p.start(elector.Config{Self: follower, Members: four})
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, elector.View{Leader: before.Leader, Term: before.Term, Why: elector.Elected, Reachable: true,
			Members: "a b c d"}, d.Leader())
		require.Equal(t, elector.Member, d.Members().Role)
		code, text = ill(d)
		require.Equal(t, 200, code, text)
		require.Empty(t, text)
		for _, name := range three {
			p.stop[name]()
			delete(p.stop, name)
		}
		time.Sleep(5 * time.Second)
		code, text = ill(d)
		require.Equal(t, 503, code)
		require.Contains(t, text, "there has been no leader for")
	})
}

// TestLeaving: a member that is no longer in its own list is ready and keeps its vote until a majority wishes it
// removed; then it may be stopped.
func TestLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPods(t)
		defer p.end()
		four := append([]string{"d"}, three...)
		var all []*elector.Elector
		for _, name := range three {
			all = append(all, p.start(elector.Config{Self: name, Members: listed(four...)}))
		}
		d := p.start(elector.Config{Self: "d", Members: listed(four...), Dir: t.TempDir()})
		time.Sleep(5 * time.Second)
		p.stop["d"]()
		d = p.start(elector.Config{Self: "d", Members: listed(three...), Dir: t.TempDir()})
		time.Sleep(5 * time.Second)
		is := func(role elector.Role, body string) {
			t.Helper()
			synctest.Wait()
			code, text := ill(d)
			require.Equal(t, 200, code, text)
			require.Contains(t, text, body)
			require.Equal(t, role, d.Members().Role)
			for _, e := range all {
				require.Equal(t, d.Leader().Leader, e.Leader().Leader)
			}
			require.NotEmpty(t, d.Leader().Leader)
		}
		is(elector.Leaving, "this member is leaving: do not stop it before it is removed")
		for i, name := range three {
			p.stop[name]()
			all[i] = p.start(elector.Config{Self: name, Members: listed(three...)})
			time.Sleep(5 * time.Second)
			if i == 0 {
				is(elector.Leaving, "leaving")
			}
		}
		is(elector.Removed, "this process is not a member any more, since ")
		require.Equal(t, "a b c", d.Leader().Members)
		require.Equal(t, all[0].Members().Agreed, d.Members().Agreed)
	})
}

// TestLeavingRefused: a Self that is not in the list is a mistake unless it can be reached.
func TestLeavingRefused(t *testing.T) {
	c := elector.Config{Group: "g", Self: "x", Members: map[string]string{"a": "127.0.0.1:1"}}
	_, err := elector.New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, `Self: "x" is not among the Members a; correct the name, or set Listen if `+
		"this member is being removed")
	endpoint, err := memory.New().Endpoint(elector.ID("x"))
	require.NoError(t, err)
	for _, listen := range []string{"127.0.0.1:0", ""} {
		c.Listen = listen
		if listen == "" {
			c.Transport = endpoint
		}
		e, err := elector.New(c)
		require.NoError(t, err)
		require.NoError(t, e.Close())
	}
	c.Algorithm = bullies(t)
	_, err = elector.New(c)
	require.ErrorContains(t, err, `Self: "x" is not among the Members a`)
}
