package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/internal/pipenet"
)

// nameServer answers DNS questions over a pipe for each, as over TCP.
type nameServer struct {
	hosts    map[string]string   // addresses by name, with a final dot
	services map[string][]target // by name
	fails    bool                // it is not there
}

type target struct {
	host string
	port uint16
}

// resolver returns a resolver that asks the server only.
func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		if s.fails {
			return nil, errors.New("no name server")
		}
		ours, theirs := net.Pipe()
		go s.serve(theirs)
		return ours, nil
	}}
}

// serve answers questions until the pipe is closed.
func (s *nameServer) serve(nc net.Conn) {
	defer nc.Close()
	for {
		var size [2]byte
		if _, err := readFull(nc, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := readFull(nc, question); err != nil {
			return
		}
		answer := s.answer(question)
		if _, err := nc.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func readFull(nc net.Conn, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = nc.Read(b[n:])
		n += k
	}
	return n, err
}

// answer answers a question as RFC 1035 describes.
func (s *nameServer) answer(question []byte) []byte {
	var labels []string
	at := 12
	for question[at] != 0 {
		n := int(question[at])
		labels = append(labels, string(question[at+1:at+1+n]))
		at += 1 + n
	}
	name, kind := strings.Join(labels, ".")+".", binary.BigEndian.Uint16(question[at+1:])
	end := at + 5
	var records [][]byte
	host, known := s.hosts[name]
	switch kind {
	case 1: // A
		if ip := net.ParseIP(host).To4(); ip != nil {
			records = append(records, ip)
		}
	case 28: // AAAA
		if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
			records = append(records, ip.To16())
		}
	case 33: // SRV
		for _, t := range s.services[name] {
			data := binary.BigEndian.AppendUint16([]byte{0, 0, 0, 0}, t.port) // priority, weight, port
			for label := range strings.SplitSeq(strings.TrimSuffix(t.host, "."), ".") {
				data = append(append(data, byte(len(label))), label...)
			}
			records = append(records, append(data, 0))
			known = true
		}
	}
	b := append([]byte(nil), question[:2]...)
	b = append(b, 0x84, 0x80) // an answer, of an authority
	if !known {
		b[3] |= 3 // no such name
	}
	b = binary.BigEndian.AppendUint16(b, 1)
	b = binary.BigEndian.AppendUint16(b, uint16(len(records)))
	b = append(append(b, 0, 0, 0, 0), question[12:end]...)
	for _, data := range records {
		b = append(b, 0xc0, 12) // the name of the question
		b = binary.BigEndian.AppendUint16(b, kind)
		b = append(b, 0, 1, 0, 0, 0, 60)
		b = binary.BigEndian.AppendUint16(b, uint16(len(data)))
		b = append(b, data...)
	}
	return b
}

// TestLookUp: names are looked up as hosts of a domain, or as the targets of a service.
func TestLookUp(t *testing.T) {
	s := &nameServer{hosts: map[string]string{"a.orders.test.": "127.0.0.2", "b.orders.test.": "2001:db8::1"},
		services: map[string][]target{"_election._tcp.orders.test.": {
			{"x.orders.test.", 7001}, {"A.orders.test.", 7002}, {"c.", 7003}}}}
	type resolve = func(context.Context, string) (string, error)
	host, service := hosts(s.resolver(), "orders.test.", 7000), services(s.resolver(), "_election._tcp.orders.test.")
	for _, c := range []struct {
		of         resolve
		name, want string
	}{
		{host, "a", "127.0.0.2:7000"}, {host, "b", "[2001:db8::1]:7000"},
		{service, "a", "A.orders.test:7002"}, {service, "x.orders.test", "x.orders.test:7001"}, {service, "c", "c:7003"},
	} {
		address, err := c.of(t.Context(), c.name)
		require.NoError(t, err)
		require.Equal(t, c.want, address)
	}
	for _, c := range []struct {
		of         resolve
		name, want string
	}{
		{host, "c", "no such host"}, {service, "b", "has target b"}, {service, "orders", "has target orders"},
		{services(s.resolver(), "_none._tcp.orders.test."), "a", "no such host"},
	} {
		_, err := c.of(t.Context(), c.name)
		require.ErrorContains(t, err, c.want)
	}
	s.fails = true
	_, err := host(t.Context(), "a")
	require.ErrorContains(t, err, "no name server")
}

// TestResolve: a peer is dialled at the address that its name has at that time. If it has none, the other address is
// used, and that is logged once.
func TestResolve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hub pipenet.Hub
		var log strings.Builder
		var found atomic.Value // the address of b
		found.Store("127.0.0.2:7000")
		config := func(id election.ID, listen string) Config {
			return Config{Self: id, Members: map[election.ID]string{1: "127.0.0.1:7000", 2: "127.0.0.9:7000"},
				Names: map[election.ID]string{1: "a", 2: "b"}, Listener: hub.Listen(listen), Dial: hub.Dial}
		}
		c := config(1, "127.0.0.1:7000")
		c.Members[2] = "" // the name is enough
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		c.Resolve = func(_ context.Context, name string) (string, error) {
			if address := found.Load().(string); name == "b" && address != "" {
				return address, nil
			}
			return "", errors.New("no such host")
		}
		n, err := New(c)
		require.NoError(t, err)
		g, err := n.Group("g", GroupConfig{})
		require.NoError(t, err)
		start := func(listen string) (end func()) {
			c := config(2, listen)
			c.Dial = func(context.Context, string) (net.Conn, error) { return nil, errors.New("no way out") }
			peer, err := New(c)
			require.NoError(t, err)
			_, err = peer.Group("g", GroupConfig{})
			require.NoError(t, err)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			require.True(t, g.to(2).up.Load(), listen)
			return func() { require.NoError(t, peer.Close()) }
		}
		start("127.0.0.2:7000")()
		found.Store("127.0.0.3:7000")
		start("127.0.0.3:7000")()
		for address, want := range map[string]string{"": "no such host", "127.0.0.2": "missing port",
			"10.0.0.1:7000": "10.0.0.1:7000 is no loopback address"} {
			found.Store(address)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Contains(t, log.String(), "resolve: ")
			require.Contains(t, log.String(), want)
			log.Reset()
		}
		require.NoError(t, g.SetAddress(2, "b", "127.0.0.9:7000"))
		start("127.0.0.9:7000")()
		synctest.Wait()
		require.Equal(t, 1, strings.Count(log.String(), "the address is not resolved"), log.String())
		require.NoError(t, n.Close())
		c.Members[1] = ""
		_, err = New(c)
		require.ErrorContains(t, err, "members[a]: missing port in address", "it listens there")
	})
}
