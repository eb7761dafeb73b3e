// Command postgres is a server of PostgreSQL with a directory of its own. It prints its address.
package main

import (
	"context"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"github.com/go-election/election/adapters/sqltest/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := servers.PostgreSQL(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("postgres://postgres@" + s.Address + "/postgres?sslmode=disable")
	<-ctx.Done()
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}
}
