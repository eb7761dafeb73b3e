package process_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/process"
)

// poisoned is a group of three members with leases, of which the third is hostile: it sends the messages of a
// test and then disappears permanently.
type poisoned struct {
	t        *testing.T
	a        *election.Algorithm
	ends     map[election.ID]election.Transport
	honest   map[election.ID]*process.Process
	ended    map[election.ID]<-chan error
	mu       sync.Mutex
	saved    map[election.ID][]byte // by member
	overhear map[election.ID]election.Message
}

var threeRanks = []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}

const hostileMember election.ID = 3

// startPoisoned starts the two honest members.
func startPoisoned(t *testing.T, durable bool) *poisoned {
	a, err := lease.New(lease.Config{Durable: durable})
	require.NoError(t, err)
	p := &poisoned{t: t, a: a, ends: endsOf(t, 1, 2, 3), honest: map[election.ID]*process.Process{},
		ended: map[election.ID]<-chan error{}, saved: map[election.ID][]byte{},
		overhear: map[election.ID]election.Message{}}
	for _, id := range []election.ID{1, 2} {
		p.start(id)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			packet, err := p.ends[hostileMember].Recv(ctx)
			if err != nil {
				return
			}
			p.mu.Lock()
			p.overhear[packet.From] = packet.Msg
			p.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		for id, honest := range p.honest {
			honest.Close()
			<-p.ended[id]
		}
		cancel()
		wait.Wait()
	})
	return p
}

func (p *poisoned) start(id election.ID) {
	p.mu.Lock()
	saved := p.saved[id]
	p.mu.Unlock()
	c := process.Config{Algorithm: p.a, Self: election.Rank{ID: id}, Peers: threeRanks, Transport: p.ends[id],
		Start: true, Saved: saved}
	c.Save = func(state []byte) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.saved[id] = append([]byte(nil), state...)
		return nil
	}
	p.honest[id], p.ended[id] = running(p.t, c)
}

func (p *poisoned) stop(id election.ID) {
	p.honest[id].Close()
	require.NoError(p.t, <-p.ended[id])
}

// send sends a message of the hostile member.
func (p *poisoned) send(to election.ID, m election.Message) {
	require.NoError(p.t, p.ends[hostileMember].Send(p.t.Context(),
		election.Packet{From: hostileMember, To: to, Msg: m}))
}

// attack sends one kind of message for five seconds, with a hostile number in some of its fields, to one honest
// member or to both. What else it holds answers the last message from its receiver. An honest member restarts
// meanwhile, several times.
func (p *poisoned) attack(kind uint8, set func(m *election.Message, number uint64)) {
	for i := range 500 {
		today := uint64(time.Now().UnixMilli()) << 8
		numbers := []uint64{1<<53 - 1, 1<<53 - 1<<31, 1<<53 - 2, 1<<53 - 1<<32, 1<<53 - 1<<32 - 1, 1 << 52,
			1<<52 + today, 1<<52 + today + 255, 1<<52 + today + 1<<32, 1<<52 + 1<<51, today, math.MaxInt64,
			math.MaxUint64}
		for _, to := range []election.ID{1, 2} {
			if i/50%3 == int(to) {
				continue
			}
			p.mu.Lock()
			m := p.overhear[to]
			p.mu.Unlock()
			if m.Kind != 0 && p.a.Kinds[m.Kind-1].Name == "read" {
				m.Rank.Priority = m.Value // an answer names the incarnation that asks
			}
			m.Kind, m.Flags, m.Rank.ID = kind, uint8(i%4), election.ID(i%3+1)
			set(&m, numbers[i%len(numbers)])
			p.send(to, m)
		}
		if i%100 == 99 {
			p.stop(2)
			p.start(2)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// elects requires that the honest members elect one of them, and returns its Term.
func (p *poisoned) elects(after uint64) (term uint64) {
	time.Sleep(10 * time.Second)
	synctest.Wait()
	one, two := p.honest[1].Outcome(), p.honest[2].Outcome()
	require.NotEqual(p.t, hostileMember, one.Leader.ID)
	require.NotZero(p.t, one.Leader.ID, "nobody leads")
	require.Equal(p.t, one.Leader.ID, two.Leader.ID)
	require.Equal(p.t, one.Term, two.Term)
	require.Greater(p.t, one.Term, after)
	require.Less(p.t, one.Term, uint64(1<<53-1<<51), "half of all Terms are left")
	return one.Term
}

// TestPoisonedTerms: whatever numbers a hostile member sends, by whichever kind of message and in whichever
// field, the others elect once it is gone, also after they have restarted with what they have saved.
func TestPoisonedTerms(t *testing.T) {
	fields := []struct {
		name string
		set  func(m *election.Message, number uint64)
	}{
		{"Term", func(m *election.Message, x uint64) { m.Term = x }},
		{"Priority", func(m *election.Message, x uint64) { m.Rank.Priority = x }},
		{"Value", func(m *election.Message, x uint64) { m.Value = x }},
		{"Term and Priority", func(m *election.Message, x uint64) { m.Term, m.Rank.Priority = x, x }},
		{"all", func(m *election.Message, x uint64) { m.Term, m.Rank.Priority, m.Value = x, x, x }},
	}
	a, err := lease.New(lease.Config{})
	require.NoError(t, err)
	for kind := range uint8(len(a.Kinds) + 1) {
		for _, f := range fields {
			for _, durable := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/durable=%v", a.KindName(kind), f.name, durable),
					func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							time.Sleep(26 * 365 * 24 * time.Hour) // a bubble begins in 2000
							p := startPoisoned(t, durable)
							p.attack(kind, f.set)
							term := p.elects(0)
							for _, id := range []election.ID{1, 2} {
								p.stop(id)
								p.start(id)
							}
							if !durable { // they have forgotten all
								term = 0
							}
							p.elects(term)
						})
					})
			}
		}
	}
}

// TestFloodOfTerms: a hundred thousand packets with the largest Terms that are believed take no more than the
// clock allows.
func TestFloodOfTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPoisoned(t, true)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 10_000 {
			most := uint64(1<<52 + time.Now().UnixMilli()<<8)
			for range 5 {
				for _, to := range []election.ID{1, 2} {
					m := election.Message{Kind: uint8(1 + rng.IntN(len(p.a.Kinds))), Round: rng.Uint32N(4),
						Flags: uint8(rng.IntN(4)), Term: most + rng.Uint64N(3) - 1,
						Value: rng.Uint64(), Rank: election.Rank{ID: 3, Priority: most}}
					p.send(to, m)
				}
			}
			time.Sleep(time.Millisecond)
		}
		require.NotZero(t, p.honest[1].Stats().Rejected)
		term := p.elects(1 << 52)
		require.Less(t, term, uint64(1<<52+time.Now().UnixMilli()<<8))
	})
}

// TestOnePoisonedFollower: a single packet to a follower, with the largest Term that is believed, does not
// keep it from following the leader.
func TestOnePoisonedFollower(t *testing.T) {
	for kind := range uint8(12) {
		for flags := range uint8(4) {
			t.Run(fmt.Sprint(kind, flags), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := startPoisoned(t, true)
					p.elects(0)
					for _, id := range []election.ID{1, 2} {
						if p.honest[id].Outcome().Role == election.Follower {
							m := p.overhear[id]
							m.Kind, m.Flags, m.Term = kind, flags, 1<<52
							p.send(id, m)
						}
					}
					time.Sleep(time.Minute)
					p.elects(0)
				})
			})
		}
	}
}
