package clustercmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/cluster"
)

// onLeader are the steps by key that are done to the leader. The same key with shift does them to a follower.
var onLeader = map[byte]string{'k': "kill", 's': "stop", 'x': "cut", 't': "term"}

// repair undoes everything that can be done with keys.
const repair = "restart all\ncont all\nheal all"

const keyHelp = `▇ leads  ░ lost, until the lease expires
k kill  s freeze  x cut off  t end   the leader
K S X T  a follower        h  restart, heal all
a  act by itself           q  quit`

// inWords are the steps of [cluster.Tour] for people.
var inWords = map[string]string{
	"kill leader": "SIGKILL to the leader", "stop leader": "SIGSTOP to the leader", "term leader": "SIGTERM to the leader",
	"cut leader": "cut the leader off", "restart all": "start it again", "cont all": "SIGCONT to it",
	"heal all": "heal the network", "wait leader": "wait for a leader", "wait agreement": "wait until all follow the leader",
}

// group is what the screen shows: a [cluster.Cluster].
type group interface {
	State() cluster.State
	Do(context.Context, cluster.Step) error
}

// journal keeps the events of a cluster.
type journal struct {
	mu     sync.Mutex
	events []cluster.Event
}

func (j *journal) add(e cluster.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

// all returns the events so far, which later ones do not change.
func (j *journal) all() []cluster.Event {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.events[:len(j.events):len(j.events)]
}

// show is a cluster on a terminal, which acts by itself or obeys keys.
type show struct {
	group
	*console.Console
	journal *journal
	period  time.Duration  // how long a lease lasts
	tour    cluster.Script // what it does by itself

	left  cluster.Script // what is left to do of the tour, or of the last key
	tours bool           // it acts by itself
	until time.Time      // when the sleep ends that is in progress
	now   string         // the step in progress, or the result of the last one
	stop  func()         // ends the step in progress; nil if there is none
}

// redraw is how often the screen is drawn.
const redraw = 100 * time.Millisecond

// interact shows the cluster until q is pressed or a time is over, and leaves the last picture on the terminal.
func (s *show) interact(ctx context.Context, span time.Duration) error {
	restore, err := terminal.Raw(s.Stdin)
	if err != nil {
		return fmt.Errorf("%w; use --script", err)
	}
	defer restore()
	pressed := terminal.Keys(ctx, s.Stdin)
	if span > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, span)
		defer cancel()
	}
	const enter, leave = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l" // another screen, without a cursor
	fmt.Fprint(s.Stdout, enter)
	err = s.converse(ctx, pressed)
	fmt.Fprint(s.Stdout, leave+strings.ReplaceAll(s.text(true), "\n", "\r\n"))
	return err
}

// converse draws, and does one step after another.
func (s *show) converse(ctx context.Context, pressed <-chan byte) error {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	s.tours = true
	// With room for one: the goroutine of a step ends also if converse has returned.
	results := make(chan error, 1)
	defer func() {
		if s.stop != nil {
			s.stop()
		}
	}()
	for {
		s.begin(ctx, results)
		if err := s.draw(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		case err := <-results:
			s.stop()
			s.stop = nil
			// A key ends the step before it: that is no error, and must not end the steps of the key.
			if err != nil && !s.tours && !errors.Is(err, context.Canceled) {
				s.now, s.left = s.now+": "+err.Error(), nil
			}
		case key := <-pressed:
			if s.press(key) {
				return nil
			}
		}
	}
}

// press obeys a key, and reports whether the end was asked for.
func (s *show) press(key byte) (quit bool) {
	text := onLeader[key]
	switch {
	case key == 'q':
		return true
	case text != "":
		text += " leader"
	case onLeader[key|' '] != "":
		follower := s.follower()
		if follower == "" {
			s.now = "no follower is up"
			return false
		}
		text = onLeader[key|' '] + " " + follower
	case key == 'h' || key == 'a':
		text = repair
	default:
		return false
	}
	s.tours, s.until = key == 'a', time.Time{}
	if s.stop != nil {
		s.stop()
	}
	s.left, _ = cluster.Parse(strings.NewReader(text))
	return false
}

// follower returns the last member that is up and does not lead.
func (s *show) follower() (name string) {
	state := s.State()
	for _, m := range state.Members {
		if m.Condition == cluster.Up && m.Name != state.Leader {
			name = m.Name
		}
	}
	return name
}

// begin begins the next step, unless one is in progress.
func (s *show) begin(ctx context.Context, results chan<- error) {
	if s.tours && len(s.left) == 0 {
		s.left = s.tour
	}
	if s.stop != nil || len(s.left) == 0 || time.Now().Before(s.until) {
		return
	}
	step := s.left[0]
	s.left = s.left[1:]
	if step.For > 0 {
		s.until = time.Now().Add(step.For)
		return
	}
	s.now = wording(step)
	ctx, s.stop = context.WithCancel(ctx)
	go func() { results <- s.Do(ctx, step) }()
}

func wording(step cluster.Step) string {
	if words := inWords[step.String()]; words != "" {
		return words
	}
	return step.String()
}

// next returns what happens next, or what has happened.
func (s *show) next() string {
	if !s.tours {
		return s.now
	}
	for _, step := range s.left {
		if step.Do == "wait" || step.Do == "expect" || step.For > 0 {
			continue
		}
		if wait := time.Until(s.until); wait > 0 {
			return fmt.Sprintf("Next in %.0f s: %s", math.Ceil(wait.Seconds()), wording(step))
		}
		break
	}
	return "Now: " + s.now
}

// text returns the present screen.
func (s *show) text(ended bool) string {
	columns, _ := terminal.Size(s.Stdout.Unchecked())
	now := screen{State: s.State(), events: s.journal.all(), period: s.period, next: s.next(), ended: ended, paint: s.Paint}
	return now.text(columns)
}

// draw draws each line over the former one, which flickers less than to clear the screen before.
func (s *show) draw() error {
	_, err := io.WriteString(s.Stdout, "\x1b[H"+strings.ReplaceAll(s.text(false), "\n", "\x1b[K\r\n")+"\x1b[J")
	return err
}
