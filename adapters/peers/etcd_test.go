package peers

import (
	"errors"
	"net/url"
	"path/filepath"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd returns a client of a server in this process.
func startEtcd(t *testing.T) *clientv3.Client {
	t.Helper()
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = filepath.Join(t.TempDir(), "etcd"), "fatal", []string{"/dev/null"}
	client, peer := url.URL{Scheme: "http", Host: "127.0.0.1:0"}, url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	server, err := embed.StartEtcd(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	<-server.Server.ReadyNotify()
	etcd, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Clients[0].Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = etcd.Close() })
	return etcd
}

// TestEtcdCampaign: Campaign of concurrency.Election returns nil, which means that the caller leads, although the
// session of the caller has ended and the store holds no leader.
func TestEtcdCampaign(t *testing.T) {
	etcd := startEtcd(t)
	join := func() (*concurrency.Session, *concurrency.Election) {
		s, err := concurrency.NewSession(etcd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s, concurrency.NewElection(s, "/orders")
	}
	_, leader := join()
	if err := leader.Campaign(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	session, candidate := join()
	elected := make(chan error, 1)
	go func() { elected <- candidate.Campaign(t.Context(), "b") }()
	for { // until b waits
		keys, err := etcd.Get(t.Context(), "/orders", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			t.Fatal(err)
		}
		if keys.Count == 2 {
			break
		}
	}
	if _, err := etcd.Revoke(t.Context(), session.Lease()); err != nil { // as if b were cut off for its TTL
		t.Fatal(err)
	}
	<-session.Done()
	if err := leader.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-elected; err != nil {
		t.Fatalf("Campaign returns %v", err)
	}
	if _, err := candidate.Leader(t.Context()); !errors.Is(err, concurrency.ErrElectionNoLeader) {
		t.Fatalf("the store holds a leader, or: %v", err)
	}
}
