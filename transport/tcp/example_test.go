package tcp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/hs"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/reliable"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// Three processes elect a leader. Here they run in one program; each needs only the addresses of all.
func Example() {
	ranks := []election.Rank{{ID: 2}, {ID: 3}, {ID: 1}} // clockwise
	ring, err := topology.Ring(len(ranks), false)
	check(err)
	members := make(map[election.ID]string)
	listeners := make(map[election.ID]net.Listener)
	for _, r := range ranks {
		listeners[r.ID], err = net.Listen("tcp", "127.0.0.1:0")
		check(err)
		members[r.ID] = listeners[r.ID].Addr().String()
	}
	var running sync.WaitGroup
	outcomes := make([]election.Outcome, len(ranks))
	for i, r := range ranks {
		running.Go(func() {
			n, err := tcp.New(tcp.Config{Self: r.ID, Members: members, Listener: listeners[r.ID]})
			check(err)
			group, err := n.Group("example", tcp.GroupConfig{})
			check(err)
			links, err := reliable.New(group, reliable.Config{}) // an election on a ring tolerates no loss
			check(err)
			c := process.Config{Algorithm: hs.Probe(), Transport: links, Founding: true, Start: true}
			check(c.Place(ring, ranks, i))
			outcomes[i], err = process.Run(context.Background(), c)
			check(err)
			check(links.Close())
			check(n.Close())
		})
	}
	running.Wait()
	for i, o := range outcomes {
		fmt.Printf("%d knows: %d leads\n", ranks[i].ID, o.Leader.ID)
	}
	// Output:
	// 2 knows: 3 leads
	// 3 knows: 3 leads
	// 1 knows: 3 leads
}

// Two members know each other by certificates.
func Example_tls() {
	ca, err := certs.NewCA("orders", time.Now(), time.Hour)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.Cert)
	members := make(map[election.ID]string)
	listeners := make(map[election.ID]net.Listener)
	for _, id := range []election.ID{1, 2} {
		listeners[id], err = net.Listen("tcp", "127.0.0.1:0")
		check(err)
		members[id] = listeners[id].Addr().String()
	}
	groups := make(map[election.ID]*tcp.Group)
	for _, id := range []election.ID{1, 2} {
		cert, key, err := ca.Issue("example.org/orders", fmt.Sprint(uint64(id)), time.Now(), time.Hour)
		check(err)
		pair, err := tls.X509KeyPair(cert, key)
		check(err)
		n, err := tcp.New(tcp.Config{Self: id, Members: members, Listener: listeners[id], TLS: &tcp.TLS{
			Cluster: "example.org/orders",
			// A service reads files: Load: tcp.Files("cert.pem", "key.pem", "ca.pem").
			Load: func() (tls.Certificate, *x509.CertPool, error) { return pair, roots, nil },
		}})
		check(err)
		defer n.Close()
		groups[id], err = n.Group("example", tcp.GroupConfig{})
		check(err)
	}
	ctx := context.Background()
	check(groups[1].Send(ctx, election.Packet{From: 7, To: 2, Msg: election.Message{Kind: 1, Value: 42}}))
	p, err := groups[2].Recv(ctx)
	check(err)
	fmt.Println(p.From, "sends", p.Msg.Value)
	// Output: 1 sends 42
}

// Members also use their certificates for requests over HTTP between each other.
func ExampleTLS_Server() {
	ca, err := certs.NewCA("orders", time.Now(), time.Hour)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.Cert)
	member := func(name string) *tcp.TLS {
		cert, key, err := ca.Issue("orders", name, time.Now(), time.Hour)
		check(err)
		pair, err := tls.X509KeyPair(cert, key)
		check(err)
		return &tcp.TLS{Cluster: "orders", Load: func() (tls.Certificate, *x509.CertPool, error) {
			return pair, roots, nil
		}}
	}
	a, b := member("a"), member("b")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	server := &http.Server{TLSConfig: a.Server(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, err := a.Name(r.TLS)
		check(err)
		fmt.Fprintf(w, "hello, %s", name)
	})}
	go func() { _ = server.ServeTLS(l, "", "") }()
	defer server.Close()

	client := http.Client{Transport: &http.Transport{TLSClientConfig: b.Client("a"), ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	response, err := client.Get("https://" + l.Addr().String())
	check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err)
	fmt.Println(string(text))
	// Output: hello, b
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
