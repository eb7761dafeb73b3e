package verdict

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/observe"
)

// TestEntries: what a process raises on entering is an entry. What it hands to the machine below, what it
// raises on leaving, and what a driver does to it are none.
func TestEntries(t *testing.T) {
	e := election.NewEnv(alone{}, nil)
	fx := e.Begin(0)
	entered := election.Event{Op: election.Entered, Msg: election.Message{Flags: 3, Value: 7}}
	e.Raise(election.Event{Op: election.Exited, Msg: election.Message{Flags: 2, Value: 6}})
	e.Raise(entered)
	e.Lower(entered)
	var all Entries
	all.Observe(&observe.Occurrence{What: observe.Crash, Process: 5, At: time.Second, Effects: fx})
	require.Empty(t, all)
	all.Observe(&observe.Occurrence{What: observe.Step, Process: 5, At: time.Second, Effects: fx})
	require.Equal(t, Entries{{At: time.Second, ID: 5, Section: 3, Token: 7}}, all)
	all.Observe(&observe.Occurrence{What: observe.Step, Process: 5, At: time.Second, Effects: fx})
	require.Len(t, all, 2)
}
