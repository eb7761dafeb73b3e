package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/faults"
	"github.com/go-election/election/transport/memory"
)

// reports keeps what a member writes.
type reports struct{ all []report }

func (r *reports) Write(line []byte) (int, error) {
	var one report
	if err := json.Unmarshal(line, &one); err != nil {
		return 0, err
	}
	r.all = append(r.all, one)
	return len(line), nil
}

// TestMeasure: a member notes the lease when it begins and whenever it is renewed, looking forty times a
// lease, and its end: by the clock, or when the work stops.
func TestMeasure(t *testing.T) {
	for name, c := range map[string]struct {
		lease, stopped time.Duration
		renewed        time.Duration // when the lease becomes a second longer
		want           []report      // except for the Term
	}{
		"by the clock": {lease: 4 * second, want: []report{{Kind: kindLease, From: second, Until: 5 * second},
			{Kind: kindEnd, From: second, Until: 5 * second}}},
		"renewed": {lease: 4 * second,
			renewed: 1050 * time.Millisecond,
			want: []report{{Kind: kindLease, From: second, Until: 5 * second},
				{Kind: kindLease, From: second, Until: 6 * second},
				{Kind: kindEnd, From: second, Until: 6 * second}}},
		"given up": {lease: 4 * second, stopped: 2 * second,
			want: []report{{Kind: kindLease, From: second, Until: 5 * second},
				{Kind: kindEnd, From: second, Until: 3 * second}}},
		"for a moment": {lease: 1, want: []report{{Kind: kindLease, From: second, Until: second + 1},
			{Kind: kindEnd, From: second, Until: second + 1}}},
		"over before": {want: []report{{Kind: kindEnd, From: second}}},
		"very short": {lease: 3 * time.Millisecond, want: []report{
			{Kind: kindLease, From: second, Until: second + 3*time.Millisecond},
			{Kind: kindEnd, From: second, Until: second + 3*time.Millisecond}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, looks, out := time.Now(), 0, &reports{}
			clock := func() time.Duration { return second + time.Since(began) }
			m := &member{clock: clock, out: json.NewEncoder(out)}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.stopped != 0 {
				time.AfterFunc(c.stopped, cancel)
			}
			m.measure(ctx, 7, func() time.Duration {
				looks++
				if c.renewed != 0 && time.Since(began) >= c.renewed {
					return second + c.lease + second - clock()
				}
				return second + c.lease - clock()
			})
			for i := range c.want {
				c.want[i].Term = 7
			}
			require.Equal(t, c.want, out.all, name)
			if name == "by the clock" {
				require.Equal(t, 1+41, looks, "one for the period, one at the beginning")
			}
		})
	}
}

// TestStatusPeriod: four times a lease, but neither without a pause nor less than ten times a second.
func TestStatusPeriod(t *testing.T) {
	for lease, want := range map[time.Duration]time.Duration{0: time.Millisecond, 1: time.Millisecond,
		4 * time.Millisecond: time.Millisecond, 200 * time.Millisecond: 50 * time.Millisecond,
		400 * time.Millisecond: 100 * time.Millisecond, time.Hour: 100 * time.Millisecond} {
		require.Equal(t, want, statusPeriod(lease), "%v", lease)
	}
}

// TestMemberObeys: a member does what it is ordered to, and reports that it has done it, or why it has
// not. It ends with its input.
func TestMemberObeys(t *testing.T) { synctest.Test(t, obeys) }

func obeys(t *testing.T) {
	c := Config{Members: 1, Plaintext: true, Times: elector.Times{Lease: 400 * time.Millisecond}}
	all, err := c.plan()
	require.NoError(t, err)
	p, orders, reports, err := newMachine().launch()
	require.NoError(t, err)
	say, read := json.NewEncoder(orders), json.NewDecoder(reports)
	until := func(right func(report) bool) (r report) {
		for !right(r) {
			r = report{}
			require.NoError(t, read.Decode(&r))
		}
		return r
	}
	done := func(r report) bool { return r.Kind == kindDone }
	require.NoError(t, say.Encode(all[0]))
	first := until(func(r report) bool { return r.Kind == kindStatus })
	require.Equal(t, report{Kind: kindStatus}, first, "at once, when it follows no leader yet")
	lease := until(func(r report) bool { return r.Kind == kindLease })
	require.Greater(t, lease.Until, lease.From)
	require.Equal(t, lease.Term, until(func(r report) bool { return r.Leader == "a" }).Term)
	require.NoError(t, say.Encode(order{Do: doTransfer, Number: 3, To: "z"}))
	r := until(done)
	require.Equal(t, 3, r.Number)
	require.Contains(t, r.Error, `"z"`)
	require.NoError(t, say.Encode(order{Do: doResign, Number: 4}))
	require.Equal(t, lease.Term, until(func(r report) bool { return r.Kind == kindEnd }).Term)
	require.Equal(t, report{Kind: kindDone, Number: 4}, until(done))
	require.NoError(t, say.Encode(order{Do: doIsolate, Number: 5, Isolated: []string{"a", "a"}}))
	require.Equal(t, report{Kind: kindDone, Number: 5}, until(done))
	require.NoError(t, say.Encode(order{Do: doResign, Number: 6}))
	require.Equal(t, report{Kind: kindDone, Number: 6, Error: elector.ErrNotLeader.Error()}, until(done))
	require.NoError(t, orders.Close())
	_, err = io.Copy(io.Discard, io.MultiReader(read.Buffered(), reports))
	require.NoError(t, err)
	require.Equal(t, "exit status 0", p.wait())
}

// TestIsolate: the members that are named now, and no others, are cut off from each other and from the rest.
func TestIsolate(t *testing.T) {
	links, err := faults.NewLinks(faults.Config{})
	require.NoError(t, err)
	m, network := &member{links: links}, memory.New()
	ends := make(map[string]election.Transport)
	for _, name := range []string{"a", "b", "c", "d"} {
		end, err := network.Endpoint(elector.ID(name))
		require.NoError(t, err)
		defer end.Close()
		ends[name] = links.Over(end)
	}
	cut := func(from, to string) bool {
		before := links.Stats().Cut
		p := election.Packet{From: elector.ID(from), To: elector.ID(to), Msg: election.Message{Kind: 1}}
		require.NoError(t, ends[from].Send(t.Context(), p))
		return links.Stats().Cut > before
	}
	for _, isolated := range []string{"a", "ab", "abc", "b", ""} {
		require.NoError(t, m.isolate(strings.Split(isolated, "")))
		for from := range ends {
			for to := range ends {
				if from != to {
					require.Equal(t, strings.ContainsAny(isolated, from+to), cut(from, to), "%s: %s%s",
						isolated, from, to)
				}
			}
		}
	}
}

// TestMemberRefuses: a member that cannot take part reports why.
func TestMemberRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	c := Config{Members: 1}
	for want, change := range map[string]func(*settings){
		"cluster: no roots":             func(s *settings) { s.Roots = []byte("none") },
		"failed to find any PEM data":   func(s *settings) { s.Key = nil },
		"bind: ":                        func(s *settings) { s.Members["a"] = taken.Addr().String() },
		"members[z]: missing port":      func(s *settings) { s.Self = "z" },
		"Dir: ":                         func(s *settings) { s.Dir = os.DevNull },
		"Lease: 1ns is less than 1ms":   func(s *settings) { s.Times.Lease = 1 },
		"settings of a member: invalid": nil,
	} {
		text := []byte("?")
		if change != nil {
			all, err := c.plan()
			require.NoError(t, err)
			change(all[0])
			text, err = json.Marshal(all[0])
			require.NoError(t, err)
		}
		err := Member(t.Context(), strings.NewReader(string(text)), io.Discard)
		require.ErrorContains(t, err, want)
	}
}

// TestPlan: zero fields get their defaults. Each member gets its name, the addresses of all, and a
// certificate of its own, unless that is not wanted.
func TestPlan(t *testing.T) {
	c := Config{Dir: "there"}
	all, err := c.plan()
	require.NoError(t, err)
	require.Equal(t, elector.LAN(), c.Times)
	require.Len(t, all, 5)
	seen := make(map[string]bool)
	for i, s := range all {
		require.Equal(t, "abcde"[i:i+1], s.Self)
		require.Equal(t, elector.LAN(), s.Times)
		require.Equal(t, "there", s.Dir)
		require.Equal(t, all[0].Members, s.Members)
		require.Len(t, s.Members, 5)
		seen[s.Members[s.Self]] = true
		identity, err := s.tls()
		require.NoError(t, err)
		pair, _, err := identity.Load()
		require.NoError(t, err)
		require.Equal(t, "spiffe://cluster/"+s.Self, pair.Leaf.URIs[0].String())
		require.WithinDuration(t, time.Now().Add(24*time.Hour), pair.Leaf.NotAfter, time.Minute)
	}
	require.Len(t, seen, 5, "addresses differ")

	c = Config{Members: 9, Plaintext: true, Times: elector.Times{Lease: second}}
	all, err = c.plan()
	require.NoError(t, err)
	require.Len(t, all, 9)
	require.Equal(t, "i", all[8].Self)
	require.Equal(t, second/4, all[8].Times.Renew)
	identity, err := all[8].tls()
	require.NoError(t, err)
	require.Nil(t, identity)
	for members, want := range map[int]string{-1: "-1 members, there may be 1 to 9",
		10: "10 members, there"} {
		_, err = (&Config{Members: members}).plan()
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

// TestTail: the last line is kept, and 2000 bytes at most.
func TestTail(t *testing.T) {
	said := &tail{}
	require.Empty(t, said.String())
	_, err := said.Write([]byte("x"))
	require.NoError(t, err)
	require.Equal(t, "x", said.String())
	for range 300 {
		n, err := said.Write([]byte("123456\nlast\n"))
		require.NoError(t, err)
		require.Equal(t, 12, n)
	}
	require.Equal(t, 2000, said.b.Len())
	require.Equal(t, "last", said.String())
}

// TestState: a state shows what members have reported last, and what is left of leases. A member that is down
// follows no leader.
func TestState(t *testing.T) {
	s := newStage("a", "b", "c", "d")
	for _, p := range s.members {
		for i := range uint64(3) {
			s.at = time.Duration(i) * second
			s.hear(p, report{Kind: kindStatus, Leader: "a", Term: 1 + i, Packets: 10 * i, Bytes: 100 * i})
		}
	}
	s.at = 3 * second
	s.reports(kindLease, "a", 2, 2*second, 4*second)
	s.reports(kindEnd, "a", 2, 2*second, 4*second)
	s.reports(kindLease, "a", 3, 3*second, 5*second)
	s.reports(kindLease, "c", 1, second, 2*second)
	s.named("b").state, s.named("c").state, s.named("d").state = Stopped, Cut, Down
	got := s.State()
	require.Equal(t, 3*second, got.At)
	require.Equal(t, "a", got.Leader)
	require.Equal(t, []MemberState{
		{Name: "a", PID: -1, Condition: Up, Leader: "a", Term: 3, Left: 2 * second},
		{Name: "b", PID: -1, Condition: Stopped, Leader: "a", Term: 3},
		{Name: "c", PID: -1, Condition: Cut, Leader: "a", Term: 3},
		{Name: "d", PID: -1, Condition: Down},
	}, got.Members)
	require.Len(t, got.Leases, 3)
	s.named("a").state = Down
	require.Empty(t, s.State().Leader)
}

// TestClose: a summary counts what all members have sent, over all their starts. It stays the same.
func TestClose(t *testing.T) {
	s := newStage("a", "b")
	for _, p := range s.members {
		p.program = nil
		s.hear(p, report{Kind: kindStatus, Packets: 3, Bytes: 500})
		p.packetsBefore, p.bytesBefore = p.traffic()
		s.hear(p, report{Kind: kindStatus, Packets: 1, Bytes: 70})
	}
	s.at = 5 * second
	forgotten := false
	s.forget = func() bool { forgotten = true; return true }
	changed := s.changed
	want := Summary{Members: 2, Lease: 3 * second / 4, Took: 5 * second, Packets: 8, Bytes: 1140}
	require.Equal(t, want, s.Close())
	require.True(t, forgotten)
	<-changed
	s.at = 6 * second
	require.Equal(t, want, s.Close())
}

// TestParseError: what keeps a script from being read is named with its line.
func TestParseError(t *testing.T) {
	long := strings.Repeat("#", 1<<16)
	s, err := Parse(strings.NewReader("wait leader\n" + long))
	require.ErrorIs(t, err, election.ErrInput)
	require.EqualError(t, err, "election: bad input: line 2: bufio.Scanner: token too long")
	require.Nil(t, s)
	broken := errors.New("broken")
	_, err = Parse(io.MultiReader(strings.NewReader("kill a\n"), brokenReader{broken}))
	require.ErrorIs(t, err, broken)
}

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }
