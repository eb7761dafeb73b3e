package elector_test

import (
	"context"
	"log/slog"
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

// TestUnlisted: a member that its peers do not list yet is ready and reports why it has no leader; it follows when
// the leader lists it.
func TestUnlisted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPods(t)
		defer p.end()
		for _, name := range three {
			p.start(elector.Config{Self: name, Members: listed(three...)})
		}
		time.Sleep(5 * time.Second)
		all := listed(append([]string{"d"}, three...)...)
		d := p.start(elector.Config{Self: "d", Members: all})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		code, text := ill(d)
		require.Equal(t, 200, code, text)
		require.Equal(t, "no leader: a, b, c do not list this member yet", text)
		require.Empty(t, d.Leader().Leader)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		require.Contains(t, w.Body.String(), `"why":"unlisted"`)
		for _, name := range three {
			p.stop[name]()
			p.start(elector.Config{Self: name, Members: all})
			time.Sleep(5 * time.Second)
			synctest.Wait()
			code, text = ill(d)
			require.Equal(t, 200, code, text)
		}
		require.NotEmpty(t, d.Leader().Leader)
		require.Empty(t, text)
		for _, name := range three {
			p.stop[name]()
			delete(p.stop, name)
		}
		time.Sleep(5 * time.Second)
		code, text = ill(d)
		require.Equal(t, 503, code, "peers that are gone do not excuse it")
		require.Contains(t, text, "there has been no leader for")
	})
}

// TestLeaving: a member that is no longer in its own list is ready, whether or not peers still list it. It
// follows a leader that does, has no vote, and never leads.
func TestLeaving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPods(t)
		defer p.end()
		four := append([]string{"d"}, three...)
		var all []*elector.Elector
		for _, name := range three {
			all = append(all, p.start(elector.Config{Self: name, Members: listed(four...)}))
		}
		log := &logs{}
		d := p.start(elector.Config{Self: "d", Members: listed(three...), Dir: "/nowhere/at/all",
			Priority: func() uint64 { return 9 }, Preempt: time.Second,
			Log: slog.New(slog.NewTextHandler(log, nil))})
		healthy := func() {
			synctest.Wait()
			code, text := ill(d)
			require.Equal(t, 200, code, text)
			require.Equal(t, "this member is not in its own list of members: it has no vote and never leads; "+
				"if it is not being removed, correct Self", text)
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			require.Contains(t, w.Body.String(), `"why":"leaving"`)
		}
		time.Sleep(5 * time.Second)
		healthy()
		leader := d.Leader().Leader
		require.NotEmpty(t, leader)
		for _, e := range all {
			require.Equal(t, leader, e.Leader().Leader)
		}
		p.stop["a"]()
		time.Sleep(5 * time.Second)
		healthy()
		for _, e := range all[1:] {
			require.Empty(t, e.Leader().Leader, "two of four are no majority, and d has no vote")
		}
		for _, name := range three {
			p.stop[name]()
			p.start(elector.Config{Self: name, Members: listed(three...)})
			time.Sleep(5 * time.Second)
			healthy()
		}
		require.Empty(t, d.Leader().Leader)
		require.Equal(t, 1, strings.Count(log.String(), "this member is not in its own list of members"))
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
