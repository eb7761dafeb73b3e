package clustercmd

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/lab/cluster"
)

// actors is a group of which a leads, then b, and so on. It does steps in a second each.
type actors struct {
	mu     sync.Mutex
	leader string
	done   []string
}

func (g *actors) State() cluster.State {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := cluster.State{Leader: g.leader}
	for _, name := range []string{"a", "b", "c"} {
		s.Members = append(s.Members, cluster.MemberState{Name: name, Condition: cluster.Up})
	}
	return s
}

func (g *actors) Do(ctx context.Context, s cluster.Step) error {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done = append(g.done, s.String())
	if s.To == "b" {
		return errors.New("b is down")
	}
	return nil
}

// last keeps what is written last: a screen.
type last struct {
	mu   sync.Mutex
	text string
}

func (l *last) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = string(b)
	return len(b), nil
}

// shows checks that the last screen has this line.
func (l *last) shows(t *testing.T, line string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Contains(t, l.text, "\n"+line+"\x1b[K\r\n")
}

// shown starts a show of this group in a bubble.
func shown(t *testing.T, g group, tour string) (screen *last, pressed chan byte) {
	t.Helper()
	script, err := cluster.Parse(strings.NewReader(tour))
	require.NoError(t, err)
	screen = &last{}
	s := &show{group: g, Console: console.New(nil, strings.NewReader(""), screen, nil), journal: &journal{},
		period: time.Second, tour: script}
	pressed = make(chan byte)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- s.converse(ctx, pressed) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return screen, pressed
}

// TestTour: without a key the steps of the tour are done, over and over, each when the last is done.
func TestTour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &actors{leader: "a"}
		screen, _ := shown(t, g, "wait leader\nsleep 3s\nstop leader\nsleep 2s\ncont all")
		for _, c := range []struct {
			after time.Duration
			next  string
		}{
			{500 * time.Millisecond, "Now: wait for a leader"},
			{time.Second, "Next in 3 s: SIGSTOP to the leader"},
			{2 * time.Second, "Next in 1 s: SIGSTOP to the leader"},
			{time.Second, "Now: SIGSTOP to the leader"},
			{700 * time.Millisecond, "Next in 2 s: SIGCONT to it"},
			{3300 * time.Millisecond, "Now: wait for a leader"},
		} {
			time.Sleep(c.after)
			synctest.Wait()
			screen.shows(t, c.next)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		require.Equal(t, []string{"wait leader", "stop leader", "cont all"}, g.done)
	})
}

// TestKeys: a key ends the tour and the step in progress, and acts on the leader, or with shift on a follower.
func TestKeys(t *testing.T) {
	for keys, want := range map[string][]string{
		"k": {"kill leader"}, "s": {"stop leader"}, "x": {"cut leader"}, "t": {"term leader"},
		"K": {"kill c"}, "S": {"stop c"}, "X": {"cut c"}, "T": {"term c"},
		"h":  {"restart all", "cont all", "heal all"},
		"kx": {"cut leader"}, // the second key ends the step of the first
		"?z": {"wait leader", "wait leader", "wait leader", "wait leader"},
		"ka": {"restart all", "cont all", "heal all", "wait leader"},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := &actors{leader: "b"}
			_, pressed := shown(t, g, "wait leader")
			time.Sleep(redraw / 2)
			for _, key := range []byte(keys) {
				pressed <- key
				synctest.Wait()
			}
			time.Sleep(4*time.Second + 5*redraw)
			g.mu.Lock()
			defer g.mu.Unlock()
			require.Equal(t, want, g.done, keys)
		})
	}
}

// TestRefused: why a step was not done stands below the members; q ends the show.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &actors{leader: "c"}
		screen, pressed := shown(t, g, "wait leader")
		pressed <- 'K'
		time.Sleep(2 * time.Second)
		synctest.Wait()
		screen.shows(t, "kill b: b is down")
	})
	s := &show{group: &lone{}}
	require.False(t, s.press('K'))
	require.Equal(t, "no follower is up", s.next())
	require.True(t, s.press('q'))
}

// lone is a group of one member.
type lone struct{ actors }

func (*lone) State() cluster.State {
	return cluster.State{Leader: "a", Members: []cluster.MemberState{{Name: "a", Condition: cluster.Up}}}
}

// TestHelp: the help names every word of a script, and every key stands for one.
func TestHelp(t *testing.T) {
	_, err := cluster.Parse(strings.NewReader("nothing"))
	require.Error(t, err)
	_, words, ok := strings.Cut(err.Error(), "is not one of ")
	require.True(t, ok)
	for word := range strings.SplitSeq(words, ", ") {
		require.Contains(t, long, word)
	}
	for key, word := range onLeader {
		require.Contains(t, words, word)
		require.Contains(t, keyHelp, string(key)+" ")
		require.Contains(t, keyHelp, strings.ToUpper(string(key))+" ")
	}
	tour, err := cluster.Parse(strings.NewReader(cluster.Tour(time.Second)))
	require.NoError(t, err)
	for _, step := range tour {
		if step.For == 0 && step.Do != "expect" {
			require.NotEqual(t, step.String(), wording(step))
		}
	}
}
