package clustercmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/terminal"
	"github.com/go-election/election/lab/cluster"
)

// keys are the words of scripts by key. Most want a member as a second key.
var keys = map[byte]string{
	'k': "kill", 't': "term", 's': "stop", 'c': "cont", 'x': "cut", 'h': "heal", 'r': "restart",
	'o': "transfer",
	'g': "resign",
}

const keyHelp = `k kill  t SIGTERM  s stop  c continue  x cut  h heal  r restart  o hand over to
then a member, or . for the leader, or * for all;  g resign  q quit`

// keyboard makes steps out of keys.
type keyboard struct {
	word string // of which the member is missing
	line string // what was typed, and what came of it
}

// press takes a key. It returns the step that is complete, and whether the end was asked for.
func (k *keyboard) press(key byte) (step *cluster.Step, quit bool) {
	target := string(key)
	switch {
	case k.word == "" && key == 'q':
		return nil, true
	case k.word == "" && keys[key] == "":
		k.line = ""
		return nil, false
	case k.word == "":
		if k.word = keys[key]; k.word != "resign" {
			k.line = k.word + " ?"
			return nil, false
		}
		target = ""
	case key == '.':
		target = "leader"
	case key == '*':
		target = "all"
	}
	k.line = strings.TrimSpace(k.word + " " + target)
	k.word = ""
	script, err := cluster.Parse(strings.NewReader(k.line))
	if err != nil || len(script) != 1 {
		k.line = ""
		return nil, false
	}
	return &script[0], false
}

// redraw is how often the table is drawn.
const redraw = 200 * time.Millisecond

// interact draws the cluster and obeys keys, until q is pressed or a time is over.
func interact(ctx context.Context, a *console.Console, c group, span time.Duration) error {
	restore, err := terminal.Raw(a.Stdin)
	if err != nil {
		return fmt.Errorf("%w; use --script", err)
	}
	defer restore()
	pressed := terminal.Keys(ctx, a.Stdin)
	if span > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, span)
		defer cancel()
	}
	return converse(ctx, a, c, pressed)
}

// group is what the table shows: a [cluster.Cluster].
type group interface {
	State() cluster.State
	Do(context.Context, cluster.Step) error
}

// converse draws, and does one step after another.
func converse(ctx context.Context, a *console.Console, c group, pressed <-chan byte) error {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	var k keyboard
	// With room for one: the goroutine of a step ends also if converse has returned.
	results := make(chan string, 1)
	busy := false
	for {
		s := c.State()
		screen := "\x1b[H\x1b[2J" + s.Text() + "\n" + keyHelp + "\n> " + k.line
		if _, err := io.WriteString(a.Stdout, strings.ReplaceAll(screen, "\n", "\r\n")); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			fmt.Fprintln(a.Stdout)
			return nil
		case k.line = <-results:
			busy = false
		case key := <-pressed:
			// A key is about the members that the table shows, which the current step is changing.
			if busy {
				continue
			}
			step, quit := k.press(key)
			if quit {
				fmt.Fprintln(a.Stdout)
				return nil
			}
			if step != nil {
				busy = true
				line := k.line
				k.line += " ..."
				go func() {
					if err := c.Do(ctx, *step); err != nil {
						results <- line + ": " + err.Error()
					} else {
						results <- line + ": done"
					}
				}()
			}
		}
	}
}
