// Command etcd is a server of etcd with default settings and a data directory of its own. It prints its
// address.
package main

import (
	"net"
	"net/url"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/go-election/election/bench/internal/server"
)

func main() { server.Main(start) }

func start(dir string) (address string, stop func(), err error) {
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = filepath.Join(dir, "data"), "fatal", []string{"/dev/null"}
	client, err := free()
	if err != nil {
		return "", nil, err
	}
	peer, err := free()
	if err != nil {
		return "", nil, err
	}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	e, err := embed.StartEtcd(c)
	if err != nil {
		return "", nil, err
	}
	<-e.Server.ReadyNotify()
	return client.String(), e.Close, nil
}

// free returns an address of this machine that is free.
func free() (url.URL, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	return url.URL{Scheme: "http", Host: l.Addr().String()}, l.Close()
}
