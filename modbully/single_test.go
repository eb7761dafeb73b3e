package modbully_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/modbully"
)

// single is one process, step by step, among others that are not there.
type single struct {
	t     *testing.T
	in    scenario.Input
	index int
	self  election.Rank
	node  election.Node
	env   *election.Env
}

// newSingle makes the process of this ID among 1..n, and gives it its first event.
func newSingle(t *testing.T, v modbully.Variant, c modbully.Config, id election.ID, n int) *single {
	t.Helper()
	c = atOnce(c)
	p := &single{t: t, in: scenario.Input{Algorithm: build(t, v, c), IDs: upTo(1, n)}}
	require.NoError(t, p.in.Check())
	p.index = slices.Index(p.in.IDs, id)
	p.self = p.in.Self(p.index)
	p.node = p.in.Algorithm.New(election.Setup{Self: p.self, Ports: n - 1})
	p.env = election.NewEnv(&p.in, nil)
	p.step(election.Event{Op: election.Init})
	return p
}

// atOnce lets a suspicion begin an election at once, unless the configuration says how long it waits.
func atOnce(c modbully.Config) modbully.Config {
	if c.Wait == "" && c.Waits == nil {
		c.Wait = modbully.WaitNone
	}
	return c
}

// step takes an event and returns its effects, the caller's own.
func (p *single) step(ev election.Event) election.Effects {
	fx := p.env.Begin(p.index)
	p.node.Step(p.env, &ev)
	own := *fx
	own.Sends, own.Timers = slices.Clone(fx.Sends), slices.Clone(fx.Timers)
	return own
}

// portTo returns the port that leads to another process.
func (p *single) portTo(id election.ID) election.Port {
	if id > p.self.ID {
		return election.Port(id - 2)
	}
	return election.Port(id - 1)
}

// receive delivers a message of another process, about that process unless it says otherwise.
func (p *single) receive(from election.ID, m election.Message) election.Effects {
	if m.Rank.ID == 0 {
		m.Rank.ID = from
	}
	return p.step(election.Event{Op: election.Recv, Port: p.portTo(from), Msg: m})
}

func kindOf(t *testing.T, v modbully.Variant, name string) uint8 {
	t.Helper()
	a := build(t, v, modbully.Config{})
	return uint8(1 + slices.IndexFunc(a.Kinds, func(k election.Kind) bool { return k.Name == name }))
}

func coordinatorOf(t *testing.T, v modbully.Variant) uint8 {
	t.Helper()
	if v == modbully.Convenience {
		return kindOf(t, v, "coordinator_pcrq")
	}
	return kindOf(t, v, "coordinator")
}
