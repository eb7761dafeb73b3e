package elector_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/turns"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// member is one member of a group, and what it has done.
type member struct {
	*elector.Elector
	name    string
	network *gate
	stop    context.CancelFunc
	ended   chan error
	again   func() *member                            // starts it again once it has ended
	lead    func(context.Context, elector.Term) error // if nil, the work waits for the end of its context

	mu     sync.Mutex
	terms  []elector.Term
	causes []error
}

// tenures returns the Terms in which the member has led, and why those ended that have.
func (m *member) tenures() ([]elector.Term, []error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.terms), slices.Clone(m.causes)
}

// work is what the members do when they lead.
func (m *member) work(ctx context.Context, term elector.Term) error {
	m.mu.Lock()
	m.terms = append(m.terms, term)
	lead := m.lead
	m.mu.Unlock()
	if lead != nil {
		return lead(ctx, term)
	}
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.causes = append(m.causes, context.Cause(ctx))
	return nil
}

// gate is a transport that can be cut off.
type gate struct {
	transport.Pusher
	mu     sync.Mutex
	closed bool
	peer   election.ID // that nothing reaches
	delay  time.Duration
}

// cutFrom cuts one of the ways to this member's peers off.
func (g *gate) cutFrom(peer election.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.peer = peer
}

func (g *gate) reaches(peer election.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.closed && g.peer != peer
}

func (g *gate) cut(closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = closed
}

func (g *gate) isCut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

func (g *gate) Send(ctx context.Context, p election.Packet) error {
	if !g.reaches(p.To) {
		return nil
	}
	if g.delay > 0 {
		time.AfterFunc(g.delay, func() { _ = g.Pusher.Send(context.Background(), p) })
		return nil
	}
	return g.Pusher.Send(ctx, p)
}

func (g *gate) Greet(hello []byte, accept func(election.ID, []byte) error) error {
	return g.Pusher.(transport.Greeter).Greet(hello, accept)
}

func (g *gate) Push(ctx context.Context, deliver func(election.Packet, error) bool) (func([]election.Packet),
	error) {
	return g.Pusher.Push(ctx, func(p election.Packet, err error) bool {
		return err == nil && g.isCut() || deliver(p, err)
	})
}

// group is the members of an election in one program.
type group map[string]*member

func start(t *testing.T, names []string, change func(*elector.Config)) group {
	return startMembers(t, names, change, nil)
}

// startWith starts three members, each with work of its own.
func startWith(t *testing.T, lead func(name string) func(context.Context, elector.Term) error) group {
	return startMembers(t, three, nil, lead)
}

func startMembers(t *testing.T, names []string, change func(*elector.Config),
	lead func(name string) func(context.Context, elector.Term) error) group {
	network, members, all := memory.New(), map[string]string{}, group{}
	for _, name := range names {
		members[name] = ""
	}
	for _, name := range names {
		var work func(context.Context, elector.Term) error
		if lead != nil {
			work = lead(name)
		}
		all.launch(t, network, name, members, change, work)
	}
	t.Cleanup(func() {
		for _, m := range all {
			m.stop()
			require.NoError(t, <-m.ended)
		}
	})
	return all
}

// launch starts a member, in the place of one of its name that has ended.
func (g group) launch(t *testing.T, network *memory.Network, name string, members map[string]string,
	change func(*elector.Config), lead func(context.Context, elector.Term) error) *member {
	endpoint, err := network.Endpoint(elector.ID(name))
	require.NoError(t, err)
	m := &member{name: name, network: &gate{Pusher: endpoint.(transport.Pusher)},
		ended: make(chan error, 1), lead: lead}
	m.again = func() *member { return g.launch(t, network, name, members, change, lead) }
	c := elector.Config{Group: "g", Self: name, Members: members, Transport: m.network}
	if change != nil {
		change(&c)
	}
	m.Elector, err = elector.New(c)
	require.NoError(t, err)
	g[name] = m
	var ctx context.Context
	ctx, m.stop = context.WithCancel(t.Context())
	go func() {
		defer func() {
			if what := recover(); what != nil {
				m.ended <- fmt.Errorf("panic: %v", what)
			}
		}()
		m.ended <- m.Run(ctx, m.work)
	}()
	return m
}

// end stops a member, as SIGTERM would.
func (m *member) end(t *testing.T) {
	m.stop()
	require.NoError(t, <-m.ended)
	m.ended <- nil // for the cleanup
	require.NoError(t, m.network.Close())
}

// leader returns the only member that leads.
func (g group) leader(t *testing.T) *member {
	synctest.Wait()
	var found *member
	for _, m := range g {
		if m.Leader().Self {
			require.Nil(t, found, "two lead")
			found = m
		}
	}
	require.NotNil(t, found, "none leads")
	return found
}

var three = []string{"a", "b", "c"}

// inBubble runs a test of three members in virtual time, once one of them leads.
func inBubble(t *testing.T, change func(*elector.Config), test func(t *testing.T, g group, m *member)) {
	synctest.Test(t, func(t *testing.T) {
		g := start(t, three, change)
		time.Sleep(5 * time.Second)
		test(t, g, g.leader(t))
	})
}

// TestLead: one member leads, the others know which, and it stays the leader.
func TestLead(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		time.Sleep(time.Hour)
		require.Same(t, m, g.leader(t))
		for _, other := range g {
			v := other.Leader()
			require.Equal(t, m.name, v.Leader)
			require.Equal(t, other == m, v.Self)
			require.Equal(t, elector.Elected, v.Why)
		}
		terms, causes := m.tenures()
		require.Len(t, terms, 1)
		require.Empty(t, causes)
		term := terms[0]
		require.Less(t, term.Token(), uint64(1)<<53, "JSON must hold it")
		require.True(t, term.Valid(500*time.Millisecond))
		require.False(t, term.Valid(750*time.Millisecond))
		require.NoError(t, term.Confirm(t.Context()))
	})
}

// TestHandOver: a lead that is given up on purpose leaves no gap, and the next Term is larger.
func TestHandOver(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, m, to *member)
		cause error
		named bool
	}{
		"resign": {cause: elector.ErrResigned,
			do: func(t *testing.T, m, _ *member) { require.NoError(t, m.Resign(t.Context())) }},
		"transfer": {cause: elector.ErrTransferred, named: true,
			do: func(t *testing.T, m, to *member) { require.NoError(t, m.Transfer(t.Context(), to.name)) }},
		"stop": {cause: context.Canceled, do: func(t *testing.T, m, _ *member) { m.end(t) }},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, g group, m *member) {
				var to *member
				for _, other := range g {
					if other != m && (to == nil ||
						turns.Priority("g", uint64(elector.ID(other.name))) < turns.Priority("g", uint64(elector.ID(to.name)))) {
						to = other // the smaller one, which nothing else would prefer
					}
				}
				began := time.Now()
				c.do(t, m, to)
				next := g.leader(t)
				require.Zero(t, time.Since(began))
				require.NotSame(t, m, next)
				if c.named {
					require.Same(t, to, next)
				}
				before, causes := m.tenures()
				after, _ := next.tenures()
				require.Equal(t, []error{c.cause}, causes)
				require.Greater(t, after[0].Token(), before[0].Token())
				require.ErrorIs(t, before[0].Confirm(t.Context()), elector.ErrDeposed)
				require.False(t, before[0].Valid(0))
				require.ErrorIs(t, m.Resign(t.Context()), elector.ErrNotLeader)
			})
		})
	}
}

// TestTransferred: the named member leads after a transfer, even if others come first in the order of the group, and
// messages take as long as Times allow.
func TestTransferred(t *testing.T) {
	inBubble(t, func(c *elector.Config) { c.Transport.(*gate).delay = c.Times.Complete().Delay },
		func(t *testing.T, g group, m *member) {
			for n := range 30 {
				to := g[three[n%len(three)]]
				if to == m {
					continue
				}
				require.NoError(t, m.Transfer(t.Context(), to.name), "transfer %d from %s to %s", n, m.name,
					to.name)
				m = to
				time.Sleep(2 * time.Second)
				require.Same(t, m, g.leader(t))
			}
		})
}

// TestDrain: the lease is renewed while the work ends, for at most Drain.
func TestDrain(t *testing.T) {
	for name, drain := range map[string]time.Duration{"in time": 3 * time.Second, "too long": time.Minute} {
		t.Run(name, func(t *testing.T) {
			overrun := make(chan elector.Term, 1)
			inBubble(t, func(c *elector.Config) { c.Overrun = func(term elector.Term) { overrun <- term } },
				func(t *testing.T, g group, m *member) {
					terms, _ := m.tenures()
					for _, other := range g {
						other.mu.Lock()
						other.lead = func(ctx context.Context, _ elector.Term) error {
							<-ctx.Done()
							time.Sleep(drain)
							return nil
						}
						other.mu.Unlock()
					}
					require.NoError(t, m.Resign(t.Context()))
					second := g.leader(t)
					go func() { _ = second.Resign(t.Context()) }()
					time.Sleep(3*time.Second - time.Millisecond)
					require.Same(t, second, g.leader(t))
					if drain <= 5*time.Second {
						time.Sleep(2 * time.Millisecond)
						require.NotSame(t, second, g.leader(t))
						require.Empty(t, overrun)
						return
					}
					time.Sleep(4 * time.Second)
					third := g.leader(t)
					require.NotSame(t, second, third)
					late := <-overrun
					require.Greater(t, late.Token(), terms[0].Token())
					time.Sleep(time.Minute)
				})
		})
	}
}

// TestCutOff: a leader that no longer reaches a majority stops its work before the next one begins, and its methods
// do not wait for that. The log contains the cause.
func TestCutOff(t *testing.T) {
	text := &logs{}
	log := slog.New(slog.NewTextHandler(text, nil))
	inBubble(t, func(c *elector.Config) { c.Log = log }, func(t *testing.T, g group, m *member) {
		m.network.cut(true)
		for range 1000 {
			time.Sleep(time.Millisecond)
			synctest.Wait()
			leads := 0
			for _, other := range g {
				if other.Leader().Self {
					leads++
				}
			}
			require.LessOrEqual(t, leads, 1)
		}
		next := g.leader(t)
		require.NotSame(t, m, next)
		_, causes := m.tenures()
		require.Equal(t, []error{elector.ErrUnreachable}, causes)
		terms, _ := m.tenures()
		const line = `level=WARN msg="the work is asked to stop" group=g member=%s term=%d ` +
			`cause="elector: the lease was not renewed in time"`
		require.Equal(t, 1, strings.Count(text.String(), fmt.Sprintf(line, m.name, terms[0].Number)))
		require.Equal(t, elector.Lost, m.Leader().Why)
		m.network.cut(false)
		time.Sleep(10 * time.Second)
		require.Same(t, next, g.leader(t), "a member that comes back follows")
		require.Equal(t, next.name, m.Leader().Leader)
	})
}

// TestWorkReturns: a lead that returns nil makes way for a while; one that fails ends Run.
func TestWorkReturns(t *testing.T) {
	broken := errors.New("broken")
	for _, result := range []error{nil, broken} {
		synctest.Test(t, func(t *testing.T) {
			network, members := memory.New(), map[string]string{"a": ""}
			endpoint, err := network.Endpoint(elector.ID("a"))
			require.NoError(t, err)
			e, err := elector.New(elector.Config{Group: "g", Self: "a", Members: members,
				Transport: endpoint})
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			began, calls := time.Now(), 0
			err = e.Run(ctx, func(context.Context, elector.Term) error {
				calls++
				return result
			})
			require.Equal(t, elector.Ended, e.Leader().Why)
			if result == nil {
				require.NoError(t, err)
				require.Equal(t, 13, calls, "at 0.75 s, and once in each 0.75 s from then on")
				return
			}
			require.ErrorIs(t, err, broken)
			require.Less(t, time.Since(began), time.Second)
			require.ErrorIs(t, e.Run(ctx, nil), election.ErrInput)
		})
	}
}

// TestWatch: each change comes, vacancies too, and the last one always.
func TestWatch(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		var other *member
		for _, other = range g {
			if other != m {
				break
			}
		}
		var seen []elector.Reason
		var watching sync.WaitGroup
		watching.Go(func() {
			for v := range other.Watch(t.Context()) {
				seen = append(seen, v.Why)
			}
		})
		synctest.Wait()
		m.network.cut(true)
		time.Sleep(2 * time.Second)
		other.end(t)
		watching.Wait()
		require.Equal(t, []elector.Reason{elector.Elected, elector.Vacant, elector.Elected}, seen[:3])
		require.Equal(t, elector.Ended, seen[len(seen)-1])
	})
}

// TestServe: a member that only serves votes, and never leads.
func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network, members := memory.New(), map[string]string{"a": "", "b": "", "c": ""}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		led := 0
		for _, name := range three {
			endpoint, err := network.Endpoint(elector.ID(name))
			require.NoError(t, err)
			e, err := elector.New(elector.Config{Group: "g", Self: name, Members: members,
				Transport: endpoint})
			require.NoError(t, err)
			all.Go(func() {
				if name != "b" {
					_ = e.Serve(ctx)
					return
				}
				_ = e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
					led++
					<-ctx.Done()
					return nil
				})
			})
		}
		time.Sleep(time.Minute)
		cancel()
		all.Wait()
		require.Equal(t, 1, led)
	})
}

// TestAdvance: once a token was refused, all later ones are larger.
func TestAdvance(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, g group, m *member) {
		terms, _ := m.tenures()
		refused := terms[0].Token() + 1000
		for _, other := range g {
			require.NoError(t, other.Advance(refused))
		}
		next, _ := g.leader(t).tenures()
		require.Greater(t, next[len(next)-1].Token(), refused)
	})
}

// TestRefused: what no Elector can be made of.
func TestRefused(t *testing.T) {
	members := map[string]string{"a": "", "b": ""}
	for want, c := range map[string]elector.Config{
		"Group: it is empty":                      {Self: "a", Members: members},
		"Members: the list is empty":              {Group: "g"},
		`Self: "c" is not among the Members a, b`: {Group: "g", Self: "c", Members: members},
		`Members: "" is not a name`: {Group: "g", Self: "a",
			Members: map[string]string{"a": "", "": ""}},
		"Times.Stop: 1s is not between 0 and half": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Stop: time.Second}},
		"Times.Lease: 999.999µs is less than 1ms": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Lease: time.Millisecond - 1}},
		"Times.Lease: -5s is less than 1ms": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Lease: -5 * time.Second}},
		"Lease: 100000h0m0s is not between": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Lease: 100000 * time.Hour}},
		"the work would be stopped before a renewal arrives": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Lease: 2 * time.Second, Renew: time.Second, Stop: time.Second}},
		"Times.Renew: 1s is more than half": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Renew: time.Second}},
		"Times.Drain: -1s is negative": {Group: "g", Self: "a", Members: members,
			Times: elector.Times{Drain: -time.Second}},
	} {
		_, err := elector.New(c)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}
