package modbully_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/modbully"
	"github.com/go-election/election/params"
)

// story is what happens to one process among 1..5, in words, and what the last of it causes.
type story struct {
	name   string
	v      modbully.Variant
	c      modbully.Config
	params map[string]params.Value // set afterwards
	first  uint64                  // the priority of process 1
	of     election.ID
	events []string
	want   string
}

func given(events ...string) []string { return events }

// requireStories plays each story with a process of its own.
func requireStories(t *testing.T, all []story) {
	t.Helper()
	for _, s := range all {
		p, got := s.begin(t)
		for _, ev := range s.events {
			if ev == "restored" {
				p = p.restored()
				continue
			}
			fx := p.step(p.event(ev))
			got = p.words(&fx)
		}
		require.Equal(t, s.want, got, "%s: %s", s.v, s.name)
	}
}

// begin makes the process, and returns what its first event causes.
func (s *story) begin(t *testing.T) (p *single, words string) {
	t.Helper()
	a := build(t, s.v, atOnce(s.c))
	if s.params != nil {
		var err error
		a, err = a.Configure(params.New(s.params, unit, upTo(1, 5)))
		require.NoError(t, err, s.name)
	}
	p = &single{t: t, in: scenario.Input{Algorithm: a, IDs: upTo(1, 5)}, index: int(s.of - 1)}
	if s.first > 0 {
		p.in.Priorities = []uint64{s.first, 0, 0, 0, 0}
	}
	require.NoError(t, p.in.Check(), s.name)
	p.self, p.env = p.in.Self(p.index), election.NewEnv(&p.in, nil)
	p.node = a.New(election.Setup{Self: p.self, Ports: 4})
	fx := p.step(election.Event{Op: election.Init})
	return p, p.words(&fx)
}

// restored returns the same process, restored from its state.
func (p *single) restored() *single {
	twin := *p
	twin.node = p.in.Algorithm.New(election.Setup{Self: p.self, Ports: 4})
	require.NoError(p.t, new(election.State).Restore(twin.node, new(election.State).Append(nil, p.node)))
	return &twin
}

var timerNames = []string{"phase", "answers", "refresh"}

// words writes effects down: 4:election/7 is ELECTION to 4 in Term 7; after a point comes the time that it
// carries, in units, and in brackets the process that it names, if not the sender; + and - are timers.
func (p *single) words(fx *election.Effects) string {
	var words []string
	if fx.Saved() {
		words = append(words, "save")
	}
	for _, out := range fx.Sends {
		m, name := &out.Msg, "catchup"
		if m.Kind != election.CatchUp {
			name = p.in.Algorithm.Kinds[m.Kind-1].Name
		}
		word := fmt.Sprintf("%d:%s/%d", p.in.Peer(p.index, out.Port).ID, name, m.Term)
		if m.Value != 0 {
			word += fmt.Sprintf(".%d", m.Value/uint64(unit))
		}
		if m.Rank != p.self {
			word += fmt.Sprintf("(%d)", m.Rank.ID)
		}
		words = append(words, word)
	}
	for _, change := range fx.Timers {
		if change.Stop {
			words = append(words, "-"+timerNames[change.Timer])
		} else {
			words = append(words, fmt.Sprintf("+%s%d", timerNames[change.Timer], change.Max/unit))
		}
	}
	if o := fx.Outcome; fx.Decided() {
		words = append(words, fmt.Sprintf("%v(%d)/%d", o.Role, o.Leader.ID, o.Term))
	}
	if fx.Ended() {
		words = append(words, "done")
	}
	return strings.Join(words, " ")
}

// messageText is a message as words writes it, but from a process, and perhaps at a time.
var messageText = regexp.MustCompile(`^(\d):(\w+)/(\d+)(?:\.(\d+))?(?:\((\d)\))?(?: at (\d+))?$`)

var ops = map[string]election.Op{"start": election.Start, "rejoin": election.Rejoin,
	"suspect": election.Suspect, "trust": election.Trust, "init": election.Init}

// event reads an event: start, rejoin, init, suspect 5 (or trust), a timer, or a message.
func (p *single) event(s string) election.Event {
	p.t.Helper()
	if i := slices.Index(timerNames, s); i >= 0 {
		return election.Event{Op: election.Timeout, Timer: uint8(i)}
	}
	word, id, _ := strings.Cut(s, " ")
	if op, ok := ops[word]; ok {
		return election.Event{Op: op, Port: p.portTo(election.ID(p.number(id)))}
	}
	parts := messageText.FindStringSubmatch(s)
	require.NotNil(p.t, parts, s)
	from := p.number(parts[1])
	m := election.Message{Term: p.number(parts[3]), Value: p.number(parts[4]) * uint64(unit),
		Rank: p.in.Self(int(from) - 1)}
	if about := p.number(parts[5]); parts[5] == "0" {
		m.Rank = election.Rank{}
	} else if about > 0 {
		m.Rank = p.in.Self(int(about) - 1)
	}
	if parts[2] != "catchup" {
		i := slices.IndexFunc(p.in.Algorithm.Kinds, func(k election.Kind) bool { return k.Name == parts[2] })
		require.GreaterOrEqual(p.t, i, 0, s)
		m.Kind = uint8(i + 1)
	}
	return election.Event{Op: election.Recv, Port: p.portTo(election.ID(from)), Msg: m,
		At: unit * time.Duration(p.number(parts[6]))}
}

// number reads a number; none is 0.
func (p *single) number(s string) uint64 {
	n, err := strconv.ParseUint("0"+s, 10, 64)
	require.NoError(p.t, err)
	return n
}
