// Command nats is a server of NATS with JetStream, default settings and a directory of its own. It prints its address.
package main

import (
	"errors"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"

	"github.com/go-election/election/bench/internal/server"
)

func main() { server.Main(start) }

func start(dir string) (address string, stop func(), err error) {
	s, err := nats.NewServer(&nats.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoLog: true,
		NoSigs: true})
	if err != nil {
		return "", nil, err
	}
	s.Start()
	stop = func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	if !s.ReadyForConnections(time.Minute) {
		stop()
		return "", nil, errors.New("the server is not ready")
	}
	return s.ClientURL(), stop, nil
}
