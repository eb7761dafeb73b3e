package elector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// named returns members of these names.
func named(names ...string) map[string]string {
	all := make(map[string]string)
	for _, name := range names {
		all[name] = "127.0.0.1:1"
	}
	return all
}

// TestNames: names that cannot be written in a list are refused.
func TestNames(t *testing.T) {
	for want, names := range map[string][]string{
		`"\xd5k" is not a name`: {"\xd5\x6b"},
		`"" is not a name`:      {""},
		`"b\nc" is not a name`:  {"b\nc"},
	} {
		c := Config{Group: "g", Self: "a", Members: named(append(names, "a")...)}
		err := c.check()
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
}

// helloOf returns the hello of a member with this list.
func helloOf(self, names string, times Times) hello {
	c := Config{Self: self, Members: named(strings.Split(names, "")...), Times: times.Complete()}
	return newMembership(&c, leases(), &stateFile{}, slog.New(slog.DiscardHandler)).hello()
}

func leases() *election.Algorithm { return &election.Algorithm{Elects: election.LeaseHolders} }

// memberOf returns what a member with this list knows.
func memberOf(names string) *membership {
	c := Config{Group: "g", Self: names[:1], Members: named(strings.Split(names, "")...),
		Observers: map[string]string{"o": ""}, Times: LAN()}
	return newMembership(&c, leases(), &stateFile{}, slog.New(slog.DiscardHandler))
}

// TestAccept: members accept any list, and refuse a peer that differs in what must be equal, or that claims another
// name.
func TestAccept(t *testing.T) {
	m := memberOf("abc")
	observer := helloOf("o", "abc", LAN())
	observer.Observer = true
	stranger := helloOf("p", "abc", LAN())
	stranger.Observer = true
	disordered := helloOf("b", "abc", LAN())
	disordered.Members = []string{"b", "a"}
	many := helloOf("b", "abc", LAN())
	for i := range 256 {
		many.Members = append(many.Members, fmt.Sprintf("m%03d", i))
	}
	for name, c := range map[string]struct {
		from  string
		hello []byte
		wrong string
	}{
		"the same list":                          {"b", of(helloOf("b", "abc", LAN())), ""},
		"another list":                           {"b", of(helloOf("b", "bxyz", LAN())), ""},
		"a list without b":                       {"b", of(helloOf("b", "a", LAN())), ""},
		"a stranger":                             {"z", of(helloOf("z", "abcz", LAN())), ""},
		"an observer":                            {"o", of(observer), ""},
		"other times, no concern of others":      {"b", of(helloOf("b", "abc", Times{Renew: 1, Stop: 1, Drain: 1})), ""},
		"an endless lease":                       {"b", of(helloOf("b", "abc", Times{Lease: 1000 * time.Hour})), "a Lease of 1000h0m0s"},
		"another name":                           {"b", of(helloOf("c", "abc", LAN())), `"b" claims to be "c"`},
		"an observer that is not listed":         {"p", of(stranger), "process p is no member"},
		"an observer that claims to be a member": {"o", of(helloOf("o", "abco", LAN())), "process o is no member"},
		"nothing":                                {"b", nil, "cannot be read"},
		"an earlier version":                     {"b", []byte("b\nLease 1s\na\nb"), "cannot be read"},
		"a list in disorder":                     {"b", of(disordered), "not sorted"},
		"a long list":                            {"b", of(many), "259 members, at most 255"},
		"a wrong address":                        {"b", []byte(`{"self":"b","serves":"a\u0000"}`), "which is not an address"},
		"a wrong name":                           {"b", []byte(`{"self":"b","members":["a\u0000"]}`), "which is not a name"},
	} {
		err := m.accept(ID(c.from), c.hello)
		if c.wrong == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.wrong, name)
		}
	}
	require.Equal(t, []string{"b", "o", "z"}, sortedNames(m.hellos))
}

// TestRules: a member accepts a peer if there are rules that all members know, and if these permit their Times.
func TestRules(t *testing.T) {
	older := func(name string, times Times) hello {
		h := helloOf(name, "abc", times)
		h.Rules, h.Lease = nil, 0 // what members told before there were ranges
		return h
	}
	with := func(least, most int) hello {
		h := helloOf("b", "abc", LAN())
		h.Rules = []int{least, most}
		return h
	}
	const mixed = `"b" has Lease 10s, Drift 0.001, "a" has Lease 750ms, Drift 0.001, and `
	for name, c := range map[string]struct {
		before, hello hello
		wrong         string
	}{
		"the same rules":                       {hello: helloOf("b", "abc", LAN())},
		"a version before ranges":              {hello: older("b", LAN())},
		"a later one, which knows these":       {hello: with(2, 3)},
		"a later one, which does not":          {hello: with(3, 4), wrong: `"b" knows the rules 3 to 4, and "a" the rules 1 to 2`},
		"another lease":                        {hello: helloOf("b", "abc", WAN())},
		"another drift":                        {hello: helloOf("b", "abc", Times{Drift: 0.01})},
		"another lease, of an older version":   {hello: older("b", WAN()), wrong: mixed + `"b" runs an older version`},
		"another lease, and c is older":        {older("c", LAN()), helloOf("b", "abc", WAN()), mixed + `"c" runs an older version`},
		"an older version, and c's is another": {helloOf("c", "abc", WAN()), older("b", LAN()), `"b" runs an older version`},
	} {
		m := memberOf("abc")
		if c.before.Self != "" {
			require.NoError(t, m.accept(ID(c.before.Self), c.before.bytes()), name)
		}
		if err := m.accept(ID("b"), c.hello.bytes()); c.wrong == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.wrong, name)
		}
	}
}

// TestLongestLease: the Lease of a member that was restarted with a shorter one counts for twice as long.
func TestLongestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memberOf("abc")
		for _, times := range []Times{WAN(), LAN()} {
			require.NoError(t, m.accept(ID("b"), of(helloOf("b", "abc", times))))
			require.Equal(t, WAN().Lease, m.lends)
		}
		time.Sleep(2*WAN().Lease - 1)
		m.lendFor()
		require.Equal(t, WAN().Lease, m.lends)
		time.Sleep(time.Nanosecond)
		m.lendFor()
		require.Equal(t, LAN().Lease, m.lends)
		observer := helloOf("o", "abc", WAN())
		observer.Observer = true
		require.NoError(t, m.accept(ID("o"), of(observer)))
		require.Equal(t, LAN().Lease, m.lends, "an observer never leads")
	})
}

// TestLongestLeaseDrift: with a clock that may be very wrong, a Lease counts for as long as grants for it last.
func TestLongestLeaseDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memberOf("abc")
		m.config.Times.Drift = 0.4
		require.NoError(t, m.config.Times.Check())
		for _, lease := range []time.Duration{3 * time.Second, m.config.Times.Lease} {
			require.NoError(t, m.accept(ID("b"), of(helloOf("b", "abc", Times{Lease: lease, Drift: 0.4}))))
		}
		time.Sleep(7*time.Second - time.Nanosecond) // 3s * 1.4 / 0.6
		m.lendFor()
		require.Equal(t, 3*time.Second, m.lends)
		time.Sleep(2 * time.Nanosecond)
		m.lendFor()
		require.Equal(t, LAN().Lease, m.lends)
	})
}

// TestLongestLeaseOfGuest: the Lease of a process in no list counts until twice as long after its connection has ended,
// and immediately again when that opens. The Lease of a member always counts.
func TestLongestLeaseOfGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memberOf("abc")
		m.now.Agreed, m.now.new = true, []string{"a", "b", "c"}
		require.NoError(t, m.accept(ID("d"), of(helloOf("d", "d", WAN()))))
		after := func(d time.Duration) time.Duration {
			time.Sleep(d)
			m.lendFor() // as steer does
			return m.lends
		}
		for range 2 {
			m.reached(ID("d"), true)
			require.Equal(t, WAN().Lease, m.lends)
			require.Equal(t, WAN().Lease, after(time.Hour))
			m.reached(ID("d"), false)
			require.Equal(t, WAN().Lease, after(0))
			require.Equal(t, WAN().Lease, after(2*WAN().Lease-1))
			require.Equal(t, LAN().Lease, after(1))
		}
		require.NoError(t, m.accept(ID("b"), of(helloOf("b", "abc", WAN()))))
		m.reached(ID("b"), false)
		require.Equal(t, WAN().Lease, after(time.Hour))
		m.now.new = []string{"a", "c"}
		require.Equal(t, WAN().Lease, after(0))
		require.Equal(t, LAN().Lease, after(time.Hour))
		require.NoError(t, m.accept(ID("d"), of(helloOf("d", "d", WAN()))))
		require.Equal(t, WAN().Lease, m.lends)
	})
}

// greeter is a transport that calls accept again for a peer, as transports do when accept is set.
type greeter struct {
	election.Transport
	peer  hello
	calls []error
}

func (g *greeter) Greet(_ []byte, accept func(election.ID, []byte) error) error {
	if accept != nil {
		g.calls = append(g.calls, accept(ID(g.peer.Self), g.peer.bytes()))
	}
	return nil
}

// TestRefusedAgain: a peer that was refused because of the older version of another one is judged again when that has
// another version, has left for good, or is no member any more.
func TestRefusedAgain(t *testing.T) {
	older := helloOf("c", "abc", LAN())
	older.Rules, older.Lease = nil, 0
	for name, change := range map[string]func(m *membership){
		"upgraded": func(m *membership) { require.NoError(t, m.accept(ID("c"), of(helloOf("c", "abc", LAN())))) },
		"removed": func(m *membership) {
			m.reached(ID("c"), false)
			m.connect(&greeter{})
			require.Len(t, m.refused, 1, "a member may return")
			m.now.new = []string{"a", "b"}
		},
	} {
		m, g := memberOf("abc"), &greeter{peer: helloOf("b", "abc", WAN())}
		m.now.Agreed, m.now.new = true, []string{"a", "b", "c"}
		require.NoError(t, m.accept(ID("c"), of(older)))
		require.Error(t, m.accept(ID("b"), of(g.peer)), name)
		m.connect(g)
		require.Empty(t, g.calls, name)
		change(m)
		m.connect(g)
		require.Equal(t, []error{nil}, g.calls, name)
		m.connect(g)
		require.Len(t, g.calls, 1, name)
		require.Equal(t, WAN().Lease, m.lends, name)
	}
	observer := older
	observer.Self, observer.Observer = "o", true
	m := memberOf("abc")
	require.NoError(t, m.accept(ID("o"), of(observer)))
	require.NoError(t, m.accept(ID("b"), of(helloOf("b", "abc", WAN()))), "an observer neither votes nor leads")
}

// TestRefusedUntilFaded: a peer with an older version that was refused because of a longer Lease is judged again as soon
// as that does not count any more.
func TestRefusedUntilFaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end, err := memory.New().Endpoint(ID("a"))
		require.NoError(t, err)
		g := &greeter{Transport: end}
		e, err := New(Config{Group: "g", Self: "a", Members: named("a", "b", "c"), Transport: g,
			Log: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		g.peer, g.calls = helloOf("c", "abc", LAN()), nil
		g.peer.Rules, g.peer.Lease = nil, 0
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- e.Serve(ctx) }()
		for _, times := range []Times{WAN(), LAN()} { // b was restarted
			require.NoError(t, e.members.accept(ID("b"), of(helloOf("b", "abc", times))))
		}
		require.Error(t, e.members.accept(ID("c"), g.peer.bytes()))
		time.Sleep(2*WAN().Lease + time.Second)
		synctest.Wait()
		require.Equal(t, []error{nil}, g.calls)
		cancel()
		require.NoError(t, <-done)
	})
}

func of(h hello) []byte { return h.bytes() }

// TestFounders: members of two groups with one name refuse each other, and learn what to do.
func TestFounders(t *testing.T) {
	m := memberOf("abc")
	other := helloOf("d", "ad", LAN())
	other.Founders = "d e"
	require.NoError(t, m.accept(ID("d"), other.bytes()), "this member has no group yet")
	m.founders = "a b c"
	require.EqualError(t, m.accept(ID("d"), other.bytes()), `two groups have the name "g": the group of "a" was `+
		`founded by the members a b c, and the group of "d" by d e: give one of them another name, or delete its Dirs`)
	other.Founders = "a b c"
	require.NoError(t, m.accept(ID("d"), other.bytes()))
}

// TestFoundersLearned: a process that joins learns from a member, not from a guest, by which list the group was founded.
func TestFoundersLearned(t *testing.T) {
	m := memberOf("abc")
	guest, member := helloOf("x", "xy", LAN()), helloOf("b", "abc", LAN())
	guest.Founders, member.Founders = "x y", "a b"
	require.NoError(t, m.accept(ID("x"), guest.bytes()))
	require.NoError(t, m.accept(ID("b"), member.bytes()))
	require.Empty(t, m.founders)
	m.now.Agreed, m.now.new = true, []string{"a", "b", "c"}
	require.NoError(t, m.accept(ID("x"), guest.bytes()))
	require.Equal(t, "a b", m.founders)
	require.ErrorContains(t, m.accept(ID("x"), guest.bytes()), "two groups have the name")
}

// TestHellosBounded: no peer uses up the memory by names.
func TestHellosBounded(t *testing.T) {
	m := memberOf("abc")
	for i := range 100 {
		h := helloOf("b", "abc", LAN())
		h.Peers = make(map[string]string)
		for j := range 2 * mostMembers {
			h.Peers[fmt.Sprintf("%d.%d", i, j)] = "127.0.0.1:1"
		}
		require.NoError(t, m.accept(ID("b"), h.bytes()))
	}
	require.LessOrEqual(t, len(m.names), mostNames)
	require.LessOrEqual(t, len(m.addresses), mostNames)
	for i := len(m.hellos); i < process.MaxPeers; i++ {
		m.hellos[fmt.Sprint(i)] = hello{}
	}
	met, fresh := helloOf("b", "abc", LAN()), helloOf("z", "abcz", LAN())
	require.NoError(t, m.accept(ID("b"), met.bytes()))
	require.EqualError(t, m.accept(ID("z"), fresh.bytes()),
		`1024 processes have connected since process "a" was started: restart it`)
}

// TestCallEnds: SetMembers returns if this member does not lead a group that is founded.
func TestCallEnds(t *testing.T) {
	for _, now := range []lease.Configuration{{}, {Leads: true}, {Agreed: true}} {
		m, c := memberOf("abc"), &call{done: make(chan error, 1)}
		m.now.Configuration, m.call = now, c
		v, _ := m.judge(0, 0)
		require.Equal(t, stay, v.move)
		require.Len(t, c.done, 1)
		require.Equal(t, ErrNotLeader, <-c.done)
	}
}

// unlocked is a log that requires, at each line, that a lock is free.
type unlocked struct {
	slog.Handler
	t  *testing.T
	mu *sync.Mutex
}

func (h unlocked) Enabled(context.Context, slog.Level) bool { return true }

func (h unlocked) Handle(context.Context, slog.Record) error {
	if h.mu.TryLock() {
		h.mu.Unlock()
		return nil
	}
	h.t.Error("a log that hangs would keep the lock")
	return nil
}

// TestLogsWithoutLock: a log that hangs does not block RoundTrip.
func TestLogsWithoutLock(t *testing.T) {
	r := &roundTrips{renew: time.Second, next: make(map[string]time.Duration)}
	r.log = slog.New(unlocked{t: t, mu: &r.mu})
	r.note(time.Minute, 2*time.Second)
	require.Len(t, r.next, 1)
}

// FuzzHello: any hello of a peer is accepted or refused without a panic; an accepted one is the one that the peer would
// send again.
func FuzzHello(f *testing.F) {
	own := helloOf("b", "abc", LAN())
	own.Peers, own.Spent, own.Founders = map[string]string{"c": "c:1"}, []spentList{{5, 1 << 63}}, "a b c"
	own.Serves = "https://b"
	f.Add(own.bytes())
	f.Add([]byte(nil))
	f.Add([]byte("{}"))
	f.Add(bytes.Replace(own.bytes(), []byte(`"c"`), []byte(`"b"`), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := memberOf("abc")
		if m.accept(ID("b"), text) != nil {
			return
		}
		h := m.hellos["b"]
		again, err := parseHello(h.bytes())
		require.NoError(t, err)
		require.Equal(t, h.bytes(), again.bytes())
	})
}

// FuzzParseMembers: a text is refused, or each of its members is there once.
func FuzzParseMembers(f *testing.F) {
	for _, text := range []string{"a=h:1", "a=h:1,b=h:2", " a=h:1 , b==h:2\n", "a=h:1,a=h:2", "", ",", "a",
		"a=",
		"=h:1", "a=h:1,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, err := ParseMembers(text)
		if err != nil {
			require.ErrorIs(t, err, election.ErrInput)
			return
		}
		parts := strings.Split(text, ",")
		if strings.TrimSpace(text) == "" {
			parts = nil
		}
		require.Len(t, members, len(parts))
		for name, address := range members {
			require.True(t, slices.ContainsFunc(parts, func(part string) bool {
				return strings.TrimSpace(part) == name+"="+address
			}))
		}
		again, err := ParseMembers(parts...)
		require.NoError(t, err)
		require.Equal(t, members, again)
	})
}

// TestParseMembers: errors name what is wrong.
func TestParseMembers(t *testing.T) {
	members, err := ParseMembers("a=10.0.0.1:7946, b=[::1]:7946", "c=c.example.org:1")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "10.0.0.1:7946", "b": "[::1]:7946", "c": "c.example.org:1"},
		members)
	for text, want := range map[string]string{"a=h:1,b": `"b" is not name=host:port`, ",": `"" is not name=`,
		"a=h:1,": `"" is not name=`, "=h:1": `"=h:1" is not`, "a=": `"a=" is not`,
		"a=h:1,a=h:2": `"a" is given twice`} {
		_, err := ParseMembers(text)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
	}
	for _, texts := range [][]string{nil, {""}, {" ", "\n"}} {
		none, err := ParseMembers(texts...)
		require.NoError(t, err)
		require.Equal(t, map[string]string{}, none)
		_, err = New(Config{Group: "g", Self: "a", Members: none})
		require.ErrorIs(t, err, election.ErrInput)
	}
	some, err := ParseMembers("", "a=h:1")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "h:1"}, some)
}

// FuzzStateFile: a file that this member has not written whole is refused with what to do, never taken
// for its state.
func FuzzStateFile(f *testing.F) {
	c := Config{Group: "g", Self: "a", Dir: f.TempDir()}
	s, err := openState(&c)
	require.NoError(f, err)
	s.grants, s.unsaved = 3*time.Second, 0
	require.NoError(f, s.save()([]byte("the state")))
	whole, err := os.ReadFile(s.path)
	require.NoError(f, err)
	for n := range whole { // torn
		f.Add(whole[:n])
	}
	f.Add(whole)
	f.Add(append(slices.Clone(whole), 0))
	foreign := Config{Group: "g", Self: "b", Dir: c.Dir}
	other, err := openState(&foreign)
	require.NoError(f, err)
	require.NoError(f, other.save()([]byte("the state")))
	theirs, err := os.ReadFile(other.path)
	require.NoError(f, err)
	f.Add(theirs)
	f.Fuzz(func(t *testing.T, b []byte) {
		read := &stateFile{head: s.head}
		err := read.parse(b)
		grants, state := read.lastGrant, read.saved
		if err != nil {
			require.ErrorIs(t, err, election.ErrInput)
			return
		}
		require.Equal(t, s.file(grants, state), b, "only what save writes is read")
	})
}

// TestStateFileRefused: the error names the file and tells what to do; a crash during a write leaves the old state.
func TestStateFileRefused(t *testing.T) {
	c := Config{Group: "a/b", Self: "..", Dir: t.TempDir()}
	s, err := openState(&c)
	require.NoError(t, err)
	require.Nil(t, s.saved)
	tail := string(make([]byte, lease.Unsaved))
	require.Equal(t, c.Dir, filepath.Dir(s.path), "names with slashes stay inside")
	require.NoError(t, s.save()([]byte("one"+tail)))
	require.NoError(t, os.WriteFile(s.path+".new", []byte("tor"), 0o600))
	require.NoError(t, s.close())
	s, err = openState(&c)
	require.NoError(t, err)
	require.Equal(t, "one"+tail, string(s.saved))
	require.NoError(t, s.save()([]byte("two"+tail)))
	require.NoError(t, s.close())
	s, err = openState(&c)
	require.NoError(t, err)
	require.Equal(t, "two"+tail, string(s.saved))
	require.NoError(t, s.save()(nil))
	require.NoError(t, s.close())
	s, err = openState(&c)
	require.NoError(t, err, "a state may have no bytes")
	require.Empty(t, s.saved)
	require.NoError(t, s.close())
	require.NoError(t, os.Truncate(s.path, 3))
	_, err = openState(&c)
	require.ErrorContains(t, err, s.path)
	require.ErrorContains(t, err, "delete it: the member then reads what it has forgotten")
}

// TestLockByName: the lock of systems that have none of their own names the process that has made it.
func TestLockByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lockByName(path)
	require.NoError(t, err)
	_, err = lockByName(path)
	require.ErrorIs(t, err, errLocked)
	require.ErrorContains(t, err, fmt.Sprintf("%q has ended, delete this file", fmt.Sprint(os.Getpid())))
	require.NoError(t, unlock())
	unlock, err = lockByName(path)
	require.NoError(t, err)
	require.NoError(t, unlock())
	_, err = lockByName(filepath.Join(path, "no", "directory"))
	require.NotErrorIs(t, err, errLocked)
	require.Error(t, err)
}

// TestLongList: a list of too many members is refused, with the limit.
func TestLongList(t *testing.T) {
	list := func(n int) Config {
		members := named("a")
		for i := range n {
			members[fmt.Sprintf("%0100d", i)] = fmt.Sprintf("127.0.0.1:%d", i+2)
		}
		return Config{Group: "g", Self: "a", Members: members}
	}
	c := list(255)
	_, err := New(c)
	require.ErrorIs(t, err, election.ErrInput)
	require.ErrorContains(t, err, "Members: the list has 256 names, at most 255")
	c = list(254)
	c.Members["a"] = "127.0.0.1:0"
	e, err := New(c)
	require.NoError(t, err)
	require.NoError(t, e.Close())
}

// TestSameAddress: two members at one address are refused, by name.
func TestSameAddress(t *testing.T) {
	_, err := New(Config{Group: "g", Self: "a", Members: named("a", "b")})
	require.ErrorIs(t, err, election.ErrInput)
	require.Regexp(t, `members: [ab] and [ab] have the same address 127.0.0.1:1`, err.Error())
}

// TestDelayOnDisk: the Delay of a member with a Dir includes a save, unless it was set.
func TestDelayOnDisk(t *testing.T) {
	const lan = 7500 * time.Microsecond
	for _, c := range []struct {
		times        Times
		memory, disk time.Duration
	}{
		{Times{}, lan, DiskDelay},
		{LAN(), lan, DiskDelay},
		{Suggest(time.Millisecond), 2500 * time.Microsecond, DiskDelay},
		{Cloud(), 30 * time.Millisecond, 30 * time.Millisecond},
		{Times{Delay: time.Millisecond}, time.Millisecond, time.Millisecond},
	} {
		for dir, want := range map[string]time.Duration{"": c.memory, t.TempDir(): c.disk} {
			e, err := New(Config{Group: "g", Self: "a", Members: map[string]string{"a": "127.0.0.1:0"},
				Dir:   dir,
				Times: c.times})
			require.NoError(t, err)
			require.Equal(t, want, e.config.Times.Delay)
			require.NoError(t, e.Close())
		}
	}
}

// TestRoundTrips: a round trip is that to a majority, answers to an earlier round count for that, and what is
// older than two windows is forgotten.
func TestRoundTrips(t *testing.T) {
	a, err := lease.New(lease.Config{})
	require.NoError(t, err)
	c := Config{Members: named("a", "b", "c", "d"), Times: Times{Renew: time.Hour, Lease: time.Hour}}
	r := newRoundTrips(a, &c, slog.New(slog.DiscardHandler))
	kinds := map[string]uint8{}
	for i, kind := range a.Kinds {
		kinds[kind.Name] = uint8(i + 1)
	}
	step := func(at int, op election.Op, kind string, round uint32) {
		m := election.Message{Kind: kinds[kind], Round: round}
		o := observe.Occurrence{What: observe.Step, At: time.Duration(at), Effects: &election.Effects{},
			Event: &election.Event{Op: op, Msg: m}}
		if op != election.Recv {
			o.Effects.Sends = []election.Outgoing{{Msg: m}, {Msg: m}}
		}
		r.observe(&o)
	}
	step(10, election.Timeout, "claim", 1)
	step(11, election.Recv, "granted", 1)
	require.Zero(t, r.typical(), "one of three others is no majority of four")
	for range 4 {
		step(12, election.Recv, "granted", 0)
	}
	require.Zero(t, r.typical(), "a voter that reminds answers no claim")
	step(12, election.Timeout, "probe", 2)
	step(20, election.Timeout, "claim", 3)
	step(27, election.Recv, "refused", 1)
	require.EqualValues(t, 17, r.typical())
	step(90, election.Recv, "granted", 1)
	step(91, election.Recv, "free", 3)
	step(91, election.Recv, "free", 3)
	require.EqualValues(t, 17, r.typical())
}

// TestOutages: what is answered after an outage is no round trip, if a lease has ended meanwhile. Without a lease
// that ends, an answer after more than a Lease counts as one of a Lease.
func TestOutages(t *testing.T) {
	c := Config{Members: named("a", "b", "c"), Times: LAN().Complete()}
	a, err := c.algorithm(0)
	require.NoError(t, err)
	r := newRoundTrips(a, &c, slog.New(slog.DiscardHandler))
	env := election.NewEnv(nil, nil)
	step := func(at time.Duration, op election.Op, m election.Message, effects *election.Effects) {
		r.observe(&observe.Occurrence{What: observe.Step, At: at, Effects: effects,
			Event: &election.Event{Op: op, Msg: m}})
	}
	claim := func(at time.Duration, round uint32) {
		m := election.Message{Kind: r.claims[0], Round: round}
		effects := env.Begin(0)
		effects.Sends = []election.Outgoing{{Msg: m}}
		step(at, election.Timeout, m, effects)
	}
	answer := func(at time.Duration, round uint32, do func()) {
		effects := env.Begin(0)
		do()
		step(at, election.Recv, election.Message{Kind: r.answers[0], Round: round}, effects)
	}
	none := func() {}
	claim(1000, 1)
	answer(1007, 1, none)
	require.EqualValues(t, 7, r.typical())
	claim(time.Second, 2)
	claim(2*time.Second, 3)
	answer(4*time.Second, 2, func() { env.Withdraw(7) })
	answer(4*time.Second, 3, none)
	require.EqualValues(t, 7, r.typical(), "the lease has ended")
	claim(5*time.Second, 3)
	answer(9*time.Second, 3, none)
	require.Equal(t, c.Times.Lease, r.typical(), "a claim that was answered late")
}

// TestSuggestBound: a Lease of more than 10 s is suggested only if that is less than ten round trips.
func TestSuggestBound(t *testing.T) {
	for trip, want := range map[time.Duration]time.Duration{time.Millisecond: 250 * time.Millisecond,
		100 * time.Millisecond: 5 * time.Second, 200 * time.Millisecond: 10 * time.Second,
		time.Second: 10 * time.Second, 2 * time.Second: 20 * time.Second} {
		require.Equal(t, want, Suggest(trip).Lease, trip)
	}
}

// TestTypicalRoundTrip: a slow start is soon of no account, nor are five of a hundred; six are, wherever they
// stand among the last hundred.
func TestTypicalRoundTrip(t *testing.T) {
	const slow, quick = 265 * time.Millisecond, time.Millisecond
	r := &roundTrips{renew: time.Second}
	note := func(times int, took time.Duration) {
		for range times {
			r.note(0, took)
		}
	}
	note(1, slow)
	require.Equal(t, slow, r.typical(), "there is no other")
	note(18, quick)
	require.Equal(t, slow, r.typical())
	note(1, quick)
	require.Equal(t, quick, r.typical())
	require.Equal(t, 250*time.Millisecond, Suggest(r.typical()).Lease, "not 13.25 s")
	note(100, quick)
	note(5, slow)
	require.Equal(t, quick, r.typical())
	note(90, quick)
	require.Equal(t, quick, r.typical())
	note(1, slow)
	require.Equal(t, slow, r.typical(), "six of the last hundred")
	note(4, quick)
	require.Equal(t, slow, r.typical())
	note(1, quick)
	require.Equal(t, quick, r.typical(), "the first of them is longer ago")
	note(60, slow)
	note(40, 2*quick)
	require.Equal(t, slow, r.typical())
	note(55, 2*quick)
	require.Equal(t, 2*quick, r.typical())
}

// TestLateLeads: a member that has led does not name a leader of an earlier Term, whose LEADS comes late.
func TestLateLeads(t *testing.T) {
	end, err := memory.New().Endpoint(ID("a"))
	require.NoError(t, err)
	e, err := New(Config{Group: "g", Self: "a", Members: named("a", "b", "c"), Transport: end})
	require.NoError(t, err)
	e.heard(election.Outcome{Role: election.Leader, Term: 6, Leader: election.Rank{ID: ID("a")}})
	e.heard(election.Outcome{Role: election.Undecided, Term: 6})
	for _, c := range []struct {
		term uint64
		want View
	}{{5, View{Term: 6, Why: Lost}}, {7, View{Leader: "b", Term: 7, Why: Elected, Reachable: true}}} {
		e.heard(election.Outcome{Role: election.Follower, Term: c.term, Leader: election.Rank{ID: ID("b")}})
		require.Equal(t, c.want, e.Leader())
	}
	require.NoError(t, errors.Join(e.Close(), end.Close()))
}

// TestLeaderlessGrows: what a member reports of the time without a leader never shrinks, whatever happens while it is
// read: Prometheus would take that for a restart, and count all of it again.
func TestLeaderlessGrows(t *testing.T) {
	endpoint, err := memory.New().Endpoint(ID("a"))
	require.NoError(t, err)
	var now atomic.Int64
	e, err := New(Config{Group: "g", Self: "a", Members: map[string]string{"a": ""}, Transport: endpoint,
		Clock: func() time.Duration { return time.Duration(now.Add(1)) * time.Millisecond }})
	require.NoError(t, err)
	defer e.Close()
	e.abort = func(error) {} // as while it runs
	var changing sync.WaitGroup
	over := make(chan struct{})
	changing.Go(func() {
		for term := uint64(1); ; term++ {
			select {
			case <-over:
				return
			default:
			}
			e.publish(func(View) View { return View{Leader: "b", Term: term, Why: Elected} })
			e.publish(func(View) View { return View{Term: term, Why: Vacant} })
		}
	})
	var last time.Duration
	for range 10_000 {
		s := e.Stats()
		if s.Leaderless < last {
			t.Errorf("%v without a leader, after %v", s.Leaderless, last)
			break
		}
		last = s.Leaderless
	}
	close(over)
	changing.Wait()
}
