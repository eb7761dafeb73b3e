package lease_test

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
	"github.com/go-election/election/lease"
)

// table is the view of the first of its processes.
type table []election.Rank

func (t table) Self(int) election.Rank                    { return t[0] }
func (t table) Ports(int) int                             { return len(t) - 1 }
func (t table) Peer(_ int, p election.Port) election.Rank { return t[p+1] }

// single is one process, step by step, among others that are not there. Its incarnation is 7.
type single struct {
	alg  *election.Algorithm
	view table
	node election.Node
	env  *election.Env
	now  time.Duration
}

// config has a lease of 1000 ms, and clocks that are right.
var config = lease.Config{Lease: time.Second, Delay: 10 * time.Millisecond, Drift: -1}

// amid makes the process 3 among some, and gives it its first event.
func amid(t *testing.T, c lease.Config, ids ...election.ID) *single {
	t.Helper()
	alg, err := lease.New(c)
	require.NoError(t, err)
	return amidOf(t, alg, ids...)
}

func amidOf(t *testing.T, alg *election.Algorithm, ids ...election.ID) *single {
	t.Helper()
	p := &single{alg: alg, view: table{{ID: 3}}}
	for _, id := range ids {
		p.view = append(p.view, election.Rank{ID: id})
	}
	p.env = election.NewEnv(p.view, nil)
	p.node = alg.New(election.Setup{Self: p.view[0], Ports: len(ids)})
	p.do(t, "init")
	return p
}

var timers = []string{"due", "turn"}

// do takes an event, and returns in words what it causes. A message is 4:claim/5.7#2(1)!, to or from the
// process 4 in Term 5 with the Value 7, of round 2, about the process 1, with a Flag; ^ precedes a Priority.
// What goes to each process goes to all. Times are milliseconds; + and - are timers, with their bounds.
func (p *single) do(t *testing.T, s string) string {
	t.Helper()
	if at, rest, ok := strings.Cut(s, " "); ok && at[0] == '@' {
		now, err := strconv.ParseFloat(at[1:], 64)
		require.NoError(t, err)
		p.now, s = time.Duration(now*1e6), rest
	}
	what, list, _ := strings.Cut(s, " ")
	if command, ok := lists[what]; ok {
		ids := strings.Fields(list)
		for i, id := range ids[:len(ids)-1] {
			p.step(election.Event{Op: election.Command, At: p.now, Msg: command(number(t, id), i, len(ids))})
		}
		last := len(ids) - 1
		return p.effects(t, election.Event{Op: election.Command, Msg: command(number(t, ids[last]), last, len(ids))})
	}
	return p.effects(t, p.event(t, s))
}

// step takes an event.
func (p *single) step(ev election.Event) *election.Effects {
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	return fx
}

// effects takes an event, and returns in words what it causes.
func (p *single) effects(t *testing.T, ev election.Event) string {
	t.Helper()
	ev.At = p.now
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	p.moveOn(t)
	var words []string
	if fx.Saved() {
		words = append(words, "save")
	}
	for len(fx.Sends) > 0 {
		to, n := fmt.Sprint(p.view[fx.Sends[0].Port+1].ID), 1
		same := func(o election.Outgoing) bool { return o.Msg == fx.Sends[0].Msg }
		if others := len(p.view) - 1; others > 1 && len(fx.Sends) >= others &&
			!slices.ContainsFunc(fx.Sends[:others], func(o election.Outgoing) bool { return !same(o) }) {
			to, n = "all", others
		}
		words = append(words, to+":"+p.words(&fx.Sends[0].Msg))
		fx.Sends = fx.Sends[n:]
	}
	for _, c := range fx.Timers {
		switch {
		case c.Stop:
			words = append(words, "-"+timers[c.Timer])
		case c.Min == c.Max:
			words = append(words, fmt.Sprintf("+%s%v", timers[c.Timer], ms(c.Max)))
		default:
			words = append(words, fmt.Sprintf("+%s%v..%v", timers[c.Timer], ms(c.Min), ms(c.Max)))
		}
	}
	if o := fx.Outcome; fx.Decided() {
		words = append(words, fmt.Sprintf("%v(%d)/%d", o.Role, o.Leader.ID, o.Term))
		if o.Until != 0 {
			words = append(words, fmt.Sprintf("until %v", ms(o.Until)))
		}
	}
	if fx.Ended() {
		words = append(words, "done")
	}
	if fx.Err != nil {
		words = append(words, "refused")
	}
	return strings.Join(words, " ")
}

// moveOn makes another Node continue from the state of this one.
func (p *single) moveOn(t *testing.T) {
	t.Helper()
	state := new(election.State).Append(nil, p.node)
	p.node = p.alg.New(election.Setup{Self: p.view[0], Ports: len(p.view) - 1})
	require.NoError(t, new(election.State).Restore(p.node, state))
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func (p *single) words(m *election.Message) string {
	s := fmt.Sprintf("%s/%d", p.alg.Kinds[m.Kind-1].Name, m.Term)
	if m.Value != 0 {
		s += fmt.Sprintf(".%d", m.Value)
	}
	if m.Round != 0 {
		s += fmt.Sprintf("#%d", m.Round)
	}
	if m.Rank.ID != 0 {
		s += fmt.Sprintf("(%d)", m.Rank.ID)
	}
	if m.Rank.Priority != 0 {
		s += fmt.Sprintf("^%d", m.Rank.Priority)
	}
	return s + strings.Repeat("!", int(m.Flags))
}

var written = regexp.MustCompile(`^(\d+):(\w+)/(\d+)(?:\.(\d+))?(?:#(\d+))?(?:\((\d+)\))?(?:\^(\d+))?(!*)$`)

var (
	ops = map[string]election.Op{"init": election.Init, "rejoin": election.Rejoin, "start": election.Start,
		"suspect": election.Suspect, "trust": election.Trust}
	commands = map[string]func(uint64) election.Message{
		"resign":   func(term uint64) election.Message { return lease.Resign(term, 0) },
		"transfer": func(to uint64) election.Message { return lease.Resign(0, election.ID(to)) },
		"raise":    lease.Raise,
		"prefer":   lease.Prefer,
		// 30002: the longest Lease is 3 s, as process 2 has told
		"lend": func(n uint64) election.Message {
			return lease.LendFor(time.Duration(n/10)*time.Millisecond, election.ID(n%10))
		},
		"renew":    func(uint64) election.Message { return lease.Renew() },
		"lapse":    func(uint64) election.Message { return lease.Lapse() },
		"abandon":  func(uint64) election.Message { return lease.Abandon() },
		"take":     func(uint64) election.Message { return lease.TakeBack() },
		"complete": func(uint64) election.Message { return lease.Complete() },
		"sitdown":  func(uint64) election.Message { return lease.SitDown() },
	}
)

// lists are the commands that name one process after another.
var lists = map[string]func(election.ID, int, int) election.Message{"wish": lease.Wish,
	"change": func(id election.ID, i, n int) election.Message { return lease.Change(id, i, n, false) },
	"call":   func(id election.ID, i, n int) election.Message { return lease.Change(id, i, n, true) }}

func number(t *testing.T, s string) election.ID {
	n, err := strconv.ParseUint(s, 10, 64)
	require.NoError(t, err)
	return election.ID(n)
}

// event reads an event: an Op, with the process that it is about, a command, with its number, a timer, or a
// message.
func (p *single) event(t *testing.T, s string) election.Event {
	t.Helper()
	if i := slices.Index(timers, s); i >= 0 {
		return election.Event{Op: election.Timeout, Timer: uint8(i)}
	}
	what, of, _ := strings.Cut(s, " ")
	number, _ := strconv.ParseUint("0"+of, 10, 64) // zero if there is none
	if op, ok := ops[what]; ok {
		ev := election.Event{Op: op, Port: election.Port(p.place(election.ID(number)) - 1)}
		if op == election.Init { // the number is one that Terms should exceed
			ev.Msg = election.Message{Value: 7, Term: number}
		}
		return ev
	}
	if command, ok := commands[what]; ok {
		return election.Event{Op: election.Command, Msg: command(number)}
	}
	parts := written.FindStringSubmatch(s)
	require.NotNil(t, parts, s)
	field := func(i int) uint64 {
		v, err := strconv.ParseUint("0"+parts[i], 10, 64)
		require.NoError(t, err, s)
		return v
	}
	kind := slices.IndexFunc(p.alg.Kinds, func(k election.Kind) bool { return k.Name == parts[2] })
	require.GreaterOrEqual(t, kind, 0, s)
	return election.Event{Op: election.Recv, Port: election.Port(p.place(election.ID(field(1))) - 1),
		Msg: election.Message{Kind: uint8(kind + 1), Term: field(3), Value: field(4), Round: uint32(field(5)),
			Rank: election.Rank{ID: election.ID(field(6)), Priority: field(7)}, Flags: uint8(len(parts[8]))}}
}

// place returns the position of a process in the table; zero leads to NoPort.
func (p *single) place(id election.ID) int {
	return max(slices.IndexFunc(p.view, func(r election.Rank) bool { return r.ID == id }), 0)
}

// steps are events, and what the last of them causes.
type steps struct {
	name   string
	events []string
	want   string
}

// requireSteps tries each on a process of its own.
func requireSteps(t *testing.T, all []steps, c lease.Config, ids ...election.ID) {
	t.Helper()
	for _, s := range all {
		p, got := amid(t, c, ids...), ""
		for _, ev := range s.events {
			got = p.do(t, ev)
		}
		require.Equal(t, s.want, got, s.name)
	}
}

func given(events ...string) []string { return events }

// rule returns the effects of the last of some events: the events of a list, and then others, separated by
// semicolons.
type rule struct {
	name         string
	first        []string
	events, want string
}

// requireRules tries each on a process of its own, 3 of 1..5.
func requireRules(t *testing.T, all []rule) {
	t.Helper()
	for _, r := range all {
		events := r.first
		if r.events != "" {
			events = then(r.first, strings.Split(r.events, "; ")...)
		}
		requireSteps(t, []steps{{r.name + ": " + r.events, events, r.want}}, config, 1, 2, 4, 5)
	}
}
