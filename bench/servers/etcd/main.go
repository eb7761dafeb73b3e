// Command etcd is a server of etcd with default settings and a data directory of its own. It prints its
// address.
package main

import (
	"fmt"
	"log"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	if err := run(ended); err != nil {
		log.Fatal(err)
	}
}

func run(ended <-chan os.Signal) error {
	dir, err := os.MkdirTemp("", "bench-etcd")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = filepath.Join(dir, "data"), "fatal", []string{"/dev/null"}
	client, err := free()
	if err != nil {
		return err
	}
	peer, err := free()
	if err != nil {
		return err
	}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	e, err := embed.StartEtcd(c)
	if err != nil {
		return err
	}
	defer e.Close()
	<-e.Server.ReadyNotify()
	fmt.Println(client.String())
	<-ended
	return nil
}

// free returns an address of this machine that is free.
func free() (url.URL, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	return url.URL{Scheme: "http", Host: l.Addr().String()}, l.Close()
}
