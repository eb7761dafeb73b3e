package tcp_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/transport/tcp"
)

// said returns a hello.
func said(from, to, incarnation uint64) []byte {
	body := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, from), to), incarnation)
	body = append(body, 1, 0, 0) // the first connection, which renews none
	name := strconv.FormatUint(from, 10)
	body = append(append(body, byte(len(name))), name...)
	return framed(append(body, 0, 0)) // no refusal
}

// framed returns a hello with this body.
func framed(body []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte("election/3"), uint16(len(body))), body...)
}

// stranger is a client that process 1 refuses.
type stranger struct {
	config func(t *testing.T, ca authority) *tls.Config // if nil, that of process 2
	plain  bool                                         // no TLS at all
	says   []byte                                       // once it is connected
	want   string                                       // what process 1 logs
}

// of returns the configuration of a client that shows a certificate.
func of(ca func(t *testing.T, ca authority) authority, cluster, name string, life time.Duration,
	change func(*tls.Config)) func(*testing.T, authority) *tls.Config {
	return func(t *testing.T, own authority) *tls.Config {
		c := &tls.Config{Certificates: []tls.Certificate{ca(t, own).pair(t, cluster, name, life)},
			InsecureSkipVerify: true, NextProtos: []string{"election/3"}}
		if change != nil {
			change(c)
		}
		return c
	}
}

func same(_ *testing.T, ca authority) authority    { return ca }
func another(t *testing.T, ca authority) authority { return newAuthority(t) }

func strangers() map[string]stranger {
	none := func(change func(*tls.Config)) func(*testing.T, authority) *tls.Config {
		return of(same, cluster, "2", time.Hour, change)
	}
	long := framed(make([]byte, 2000))
	ping := []byte{6}
	after := func(frames ...byte) []byte { return append(said(2, 1, 9), frames...) }
	return map[string]stranger{
		"wrong CA": {config: of(another, cluster, "2", time.Hour, nil),
			want: "certificate signed by unknown authority"},
		"expired": {config: of(same, cluster, "2", -time.Second, nil),
			want: "certificate has expired"},
		"of another member": {config: of(same, cluster, "3", time.Hour, nil), says: said(2, 1, 9),
			want: "process 3 claims to be process 2"},
		"of another cluster": {config: of(same, "example.org/bills", "2", time.Hour, nil),
			want: "spiffe://example.org/bills/2 is not of cluster example.org/orders"},
		"of a longer path": {config: of(same, cluster, "eu/2", time.Hour, nil), want: "is not of cluster"},
		"no member's name": {config: of(same, cluster, "two", time.Hour, nil), says: said(2, 1, 9),
			want: "process two claims to be process 2"},
		"no member": {config: of(same, cluster, "4", time.Hour, nil), says: said(4, 1, 9),
			want: "process 4 is no member"},
		"own identity": {config: of(same, cluster, "1", time.Hour, nil), says: said(1, 1, 9),
			want: "another process claims to be process 1, as this one is"},
		"reflected":   {says: said(1, 2, 9), want: "process 2 claims to be process 1"},
		"for another": {says: said(2, 3, 9), want: "this is process 1, not 3"},
		"TLS 1.2": {config: none(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }),
			want: "unsupported versions"},
		"no certificate": {config: none(func(c *tls.Config) { c.Certificates = nil }),
			want: "client didn't provide a certificate"},
		"no ALPN": {config: none(func(c *tls.Config) { c.NextProtos = nil }),
			want: `the peer speaks \"\" instead of \"election/3\"`},
		"another ALPN": {config: none(func(c *tls.Config) { c.NextProtos = []string{"h2"} }),
			want: "unsupported application protocols"},
		"no TLS": {plain: true, says: said(2, 1, 9),
			want: "first record does not look like a TLS handshake"},
		"slow handshake": {plain: true, says: []byte{22}, want: "i/o timeout"},
		"no handshake":   {plain: true, want: "i/o timeout"},
		"no hello":       {want: "i/o timeout"},
		"slow hello":     {says: said(2, 1, 9)[:15], want: "i/o timeout"},
		"another version": {says: []byte("election/2\x00\x00"),
			want: `the peer speaks election/2, and this process election/3, so the peer is of another version`},
		"another protocol": {says: []byte("GET / HTTP/1.1"),
			want: `it begins with \"GET / HTTP\" instead of \"election/3\"`},
		"oversize hello":    {says: long, want: "2000 bytes, at most 1359"},
		"too short a hello": {says: framed([]byte{2, 1}), want: "2 bytes are too few"},
		"zeros in front": {says: framed([]byte{0x82, 0, 1, 9, 0}),
			want: "a number of more than 64 bits, or with zeros in front"},
		"oversize frame": {says: after(1<<3|1, 0x80, 0x80, 1),
			want: "a text of 16384 bytes, at most 255"},
		"no such frame":    {says: after(1 << 3), want: "which was not announced"},
		"frames for hello": {says: append(ping, make([]byte, 11)...), want: "it begins with"},
	}
}

// known says for the strangers that have said which process they are how the log names them.
var known = map[string]string{
	"of another member": `address=\S+ peer=3`,
	"no member":         `address=\S+ peer=4`,
	"no member's name":  `address=\S+ peer=two`,
	"own identity":      `address=\S+ peer=1`,
	"reflected":         `address=\S+ peer=2`,
	"for another":       `address=\S+ peer=2`,
	"no hello":          `address=\S+ peer=2`,
	"slow hello":        `address=\S+ peer=2`,
	"another version":   `address=\S+ peer=2`,
	"another protocol":  `address=\S+ peer=2`,
	"oversize hello":    `address=\S+ peer=2`,
	"too short a hello": `address=\S+ peer=2`,
	"zeros in front":    `address=\S+ peer=2`,
	"frames for hello":  `address=\S+ peer=2`,
	"oversize frame":    `peer=2`,
	"no such frame":     `peer=2`,
}

// TestRefused: each is refused and counted, and logged once, by its address and by what it is called.
func TestRefused(t *testing.T) {
	for name, s := range strangers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				ca := newAuthority(t)
				log := &diary{level: slog.LevelError}
				c := h.member(1)
				c.TLS, c.Log = ca.of(t, 1), log.logger()
				n := open(t, c)
				for try := range uint64(3) {
					s.refuse(t, &h, ca)
					synctest.Wait()
					require.Equal(t, try+1, n.Stats().Refused)
				}
				lines := log.take()
				require.Len(t, lines, 1)
				require.Regexp(t, `msg="a connection is refused" member=1 `+
					cmp.Or(known[name], `address=\S+`)+` err=`, lines[0])
				require.Contains(t, lines[0], s.want)
			})
		})
	}
}

// refuse connects until that is refused.
func (s *stranger) refuse(t *testing.T, h *hub, ca authority) {
	raw, err := h.Dial(t.Context(), at(1))
	require.NoError(t, err)
	defer raw.Close()
	nc := raw
	if !s.plain {
		config := of(same, cluster, "2", time.Hour, nil)
		if s.config != nil {
			config = s.config
		}
		nc = tls.Client(raw, config(t, ca))
	}
	if len(s.says) > 0 {
		_, _ = nc.Write(s.says)
	} else if t, ok := nc.(*tls.Conn); ok {
		_ = t.Handshake()
	}
	// It may get an answer that says why, but then the connection ends.
	_, err = io.Copy(io.Discard, nc)
	if err == nil {
		_, err = nc.Write([]byte{6})
	}
	require.Error(t, err)
}

// TestAccepted: what the strangers vary is accepted where nothing is wrong, also byte by byte.
func TestAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		ca := newAuthority(t)
		c := h.member(1)
		c.TLS = ca.of(t, 1)
		n := open(t, c)
		raw, err := h.Dial(t.Context(), at(1))
		require.NoError(t, err)
		nc := tls.Client(raw, of(same, cluster, "2", time.Hour, nil)(t, ca))
		defer raw.Close()
		bytewise := func(text []byte) {
			for i := range text {
				_, err := nc.Write(text[i : i+1])
				require.NoError(t, err)
			}
		}
		bytewise(said(2, 1, 9))
		answer := make([]byte, 64)
		_, err = io.ReadAtLeast(nc, answer, 12)
		require.NoError(t, err)
		require.Equal(t, "election/3", string(answer[:10]))
		_, err = n.Group("g", tcp.GroupConfig{Hello: []byte("agreed")})
		require.NoError(t, err)
		announcement := "\x09\x01g\x06agreed"
		size, err := nc.Read(answer)
		require.NoError(t, err)
		require.Equal(t, announcement+"\x04", string(answer[:size]), "with a ping")
		bytewise([]byte("\x05" + announcement))
		size, err = nc.Read(answer)
		require.NoError(t, err)
		require.Equal(t, "\x0b\x00\x00", string(answer[:size]), "accepted")
		require.Zero(t, n.Stats().Refused)
		// A frame that has begun must end in time.
		_, err = nc.Write([]byte{1 << 3})
		require.NoError(t, err)
		began := time.Now()
		for err == nil { // there may be a ping
			_, err = nc.Read(answer)
		}
		require.Equal(t, time.Second, time.Since(began))
		synctest.Wait()
		require.Equal(t, uint64(1), n.Stats().Refused)
	})
}

// TestRefusedByOne: a member that refuses a peer neither receives from it nor sends to it, and counts both,
// also if the peer accepts this member.
func TestRefusedByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		refused := func(id election.ID, no error) func() uint64 {
			n := open(t, h.member(id))
			_, err := n.Group("g", tcp.GroupConfig{Accept: func(election.ID, []byte) error { return no }})
			require.NoError(t, err)
			return func() uint64 { return n.Stats().Refused }
		}
		first, second := refused(1, nil), refused(2, errors.New("not this one"))
		time.Sleep(10 * time.Second)
		require.Equal(t, []uint64{1, 1}, []uint64{first(), second()})
	})
}

// joined connects to process 1 as process 2, without TLS, and announces group g.
func joined(t *testing.T, h *hub) net.Conn {
	nc, err := h.Dial(t.Context(), at(1))
	require.NoError(t, err)
	t.Cleanup(func() { nc.Close() })
	_, err = nc.Write(said(2, 1, 9))
	require.NoError(t, err)
	_, err = io.ReadAtLeast(nc, make([]byte, 64), 12)
	require.NoError(t, err)
	answered := make([]byte, 64)
	size, err := nc.Read(answered)
	require.NoError(t, err)
	require.Equal(t, "\x09\x01g\x00\x04", string(answered[:size]), "its group, and a ping")
	go func() { _, _ = io.Copy(io.Discard, nc) }()
	_, err = nc.Write([]byte{5, 1<<3 + 1, 1, 'g', 0})
	require.NoError(t, err)
	return nc
}

// TestUnfinished: a connection on which a frame has begun and does not end in time is refused, counted
// and logged once, also if its bytes come one by one.
func TestUnfinished(t *testing.T) {
	for name, pause := range map[string]time.Duration{"stops": time.Hour,
		"trickles": 300 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				log := &diary{level: slog.LevelError}
				c := h.member(1)
				c.Log = log.logger()
				n := open(t, c)
				group(t, n, tcp.GroupConfig{})
				for try := range uint64(3) {
					nc := joined(t, &h)
					began := time.Now()
					// of a name of 9 bytes
					for _, part := range []byte{1<<3 + 1, 9, 'g', 'r', 'o', 'u', 'p'} {
						if _, err := nc.Write([]byte{part}); err != nil {
							break
						}
						time.Sleep(min(pause, 2*time.Second))
					}
					require.Less(t, time.Since(began), 2100*time.Millisecond)
					require.Equal(t, try+1, n.Stats().Refused)
				}
				lines := log.take()
				require.Len(t, lines, 1)
				require.Regexp(t, `msg="a connection is refused" member=1 (address=\S+|peer=2) err=`,
					lines[0])
				require.Contains(t, lines[0], "not a frame: it has begun and did not end within 1s")
			})
		})
	}
}

// TestStraddling: frames that arrive in time are accepted although each read ends within one.
func TestStraddling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		c := h.member(1)
		n := open(t, c)
		g := group(t, n, tcp.GroupConfig{})
		nc := joined(t, &h)
		next := []byte{1 << 3} // the first byte of a packet without changes, of two
		for range 50 {
			_, err := nc.Write(next)
			require.NoError(t, err)
			next = []byte{0, 5, 1 << 3} // the end of that packet, a pong, and the first byte of the next packet
			time.Sleep(100 * time.Millisecond)
		}
		for range 49 {
			receives(t, g, 2, 0)
		}
		require.Zero(t, n.Stats().Refused)
	})
}

// TestDialRefuses: a process at the address of another is not sent anything.
func TestDialRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		config func(*testing.T, authority) *tls.Config
		want   string
	}{
		"another member": {of(same, cluster, "3", time.Hour, nil),
			"the certificate is for process 3, not 2"},
		"wrong CA": {of(another, cluster, "2", time.Hour, nil), "certificate signed by unknown authority"},
		"expired":  {of(same, cluster, "2", -time.Second, nil), "certificate has expired"},
		"no ALPN": {of(same, cluster, "2", time.Hour, func(c *tls.Config) { c.NextProtos = nil }),
			`the peer speaks \"\" instead of`},
		"another version": {of(same, cluster, "2", time.Hour,
			func(c *tls.Config) { c.NextProtos = []string{"election/2"} }), "the peer is of another version than election/3"},
		"TLS 1.2": {of(same, cluster, "2", time.Hour,
			func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), "protocol version not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h hub
				ca := newAuthority(t)
				log := &diary{level: slog.LevelWarn}
				l := h.Listen(at(2))
				config := tt.config(t, ca)
				config.ClientAuth = tls.RequestClientCert
				got := make(chan error, 1)
				go func() {
					raw, err := l.Accept()
					if err != nil {
						return
					}
					defer raw.Close()
					nc := tls.Server(raw, config)
					err = nc.Handshake()
					if err == nil {
						_, err = nc.Read(make([]byte, 1))
					}
					got <- err
					for err == nil {
						var next net.Conn
						if next, err = l.Accept(); err == nil {
							next.Close()
						}
					}
				}()
				c := h.member(1)
				c.TLS, c.Log = ca.of(t, 1), log.logger()
				n, err := tcp.New(c)
				require.NoError(t, err)
				require.Error(t, <-got, "not one byte of a hello")
				synctest.Wait()
				require.NoError(t, n.Close())
				require.NoError(t, l.Close())
				require.Contains(t, strings.Join(log.take(), "\n"), tt.want)
			})
		})
	}
}

// TestPlaintext: without TLS only loopback addresses will do, unless the caller insists.
func TestPlaintext(t *testing.T) {
	for _, tt := range []struct {
		own, peer string
		want      string
	}{
		{"127.0.0.1:1", "[::1]:1", ""},
		{"localhost:1", "127.3.2.1:1", ""},
		{"127.0.0.1:1", "10.0.0.1:1", "members[2]: 10.0.0.1:1 is no loopback address"},
		{":1", "127.0.0.1:1", "members[1]: :1 is no loopback address"},
		{"127.0.0.1:1", "localhost.example.org:1",
			"members[2]: localhost.example.org:1 is no loopback address"},
	} {
		var h hub
		c := tcp.Config{Self: 1, Members: map[election.ID]string{1: tt.own, 2: tt.peer},
			Listener: h.Listen(tt.own),
			Dial:     h.Dial}
		n, err := tcp.New(c)
		if tt.want == "" {
			require.NoError(t, err)
			require.NoError(t, n.Close())
			continue
		}
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, tt.want)
		c.InsecurePlaintext = true
		n, err = tcp.New(c)
		require.NoError(t, err)
		require.NoError(t, n.Close())
	}
	var h hub
	_, err := tcp.New(tcp.Config{Self: 1, Members: map[election.ID]string{1: "127.0.0.1:1"},
		Listener: h.Listen("0.0.0.0:1")})
	require.ErrorContains(t, err, "listener: 0.0.0.0:1 is no loopback address")
}

// TestLimits: more connections than may wait or come in a second are refused, and others are accepted
// again later.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hub
		log := &diary{level: slog.LevelError}
		c := h.member(1)
		c.MaxHandshakes, c.Timeout, c.Log = 3, 10*time.Second, log.logger()
		n := open(t, c)
		dial := func(host int) net.Conn {
			nc, err := h.DialFrom(t.Context(), fmt.Sprintf("10.0.0.%d:7", host), at(1))
			require.NoError(t, err)
			t.Cleanup(func() { nc.Close() })
			return nc
		}
		for host := range 4 {
			dial(host)
		}
		synctest.Wait()
		require.Equal(t, uint64(1), n.Stats().Refused)
		require.Contains(t, log.take()[0], "too many connections a second")
		time.Sleep(5 * time.Second)
		dial(4)
		synctest.Wait()
		require.Equal(t, uint64(2), n.Stats().Refused, "three still may say hello")
		time.Sleep(6 * time.Second)
		require.Equal(t, uint64(5), n.Stats().Refused, "they have not")
		nc := dial(0)
		_, err := nc.Write(said(2, 1, 9))
		require.NoError(t, err)
		_, err = nc.Read(make([]byte, 100))
		require.NoError(t, err)
		require.Equal(t, uint64(5), n.Stats().Refused)
	})
}

// TestOneHost: a host that opens connections as fast as it can, or as many as it can, is refused soon,
// and logged once. The members still reach each other.
func TestOneHost(t *testing.T) {
	for name, from := range map[string]func(i int) string{
		"IPv4":         func(i int) string { return fmt.Sprintf("10.0.0.9:%d", 1000+i) },
		"IPv4 in IPv6": func(i int) string { return fmt.Sprintf("[::ffff:10.0.0.9]:%d", 1000+i) },
		"IPv6":         func(i int) string { return fmt.Sprintf("[2001:db8::%x%%eth0]:1", 1+i) },
		"none":         func(int) string { return "pipe" },
	} {
		for says, text := range map[string][]byte{"nothing": nil, "nonsense": []byte("GET / HTTP/1.1")} {
			t.Run(name+", "+says, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var h hub
					log := &diary{level: slog.LevelError}
					c1, c2 := h.member(1), h.member(2)
					c1.Log = log.logger()
					c2.MaxConnAge = 50 * time.Millisecond // so that it connects again and again
					c2.Dial = func(ctx context.Context, addr string) (net.Conn, error) {
						return h.DialFrom(ctx, "10.0.0.2:1", addr)
					}
					n1 := open(t, c1)
					g1, g2 := group(t, n1, tcp.GroupConfig{}), group(t, open(t, c2), tcp.GroupConfig{})
					awaitUp(t, g2, 1)
					defer g2.WatchPeers(func(_ election.ID, up bool) {
						if !up {
							t.Error("a member is kept out")
						}
					})()
					for i := range 3000 {
						nc, err := h.DialFrom(t.Context(), from(i), at(1))
						require.NoError(t, err)
						defer nc.Close()
						if text != nil {
							go func() { _, _ = nc.Write(text) }()
						}
						time.Sleep(time.Millisecond)
					}
					sends(t, g2, 1, 5)
					receives(t, g1, 2, 5)
					// In the first second 25 and those of a full bucket come in, and 25 in each other one.
					require.Greater(t, n1.Stats().Refused, uint64(2800))
					lines := log.take()
					require.Len(t, lines, 1)
					require.Regexp(t, `msg="a connection is refused" member=1 (address=\S+|peer=2) err=`,
						lines[0])
				})
			})
		}
	}
}
