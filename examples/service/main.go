// Command service is one member of a service that runs several replicas. Its arguments are its name and all members:
//
//	service a a=127.0.0.1:7946 b=127.0.0.1:7947 c=127.0.0.1:7948
//
// It has no TLS, so all members must be on one machine. docs/services.md explains certificates, and
// examples/kubernetes uses them.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-election/election/elector"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 3 {
		log.Fatal("usage: service SELF NAME=HOST:PORT ...")
	}
	self := os.Args[1]
	members, err := elector.ParseMembers(os.Args[2:]...)
	if err != nil {
		log.Fatal(err)
	}
	e, err := elector.New(elector.Config{Group: "orders", Self: self, Members: members, Log: slog.Default(),
		Dir: os.Getenv("STATE_DIRECTORY")}) // systemd names it; with none, a restart forgets its vote
	if err != nil {
		log.Fatal(err)
	}
	err = e.Run(ctx, func(ctx context.Context, term elector.Term) error {
		fmt.Println(self, "leads; its writes carry token", term.Token())
		err := work(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		slog.Error("the work has failed", "err", err)
		return elector.Pause(time.Minute) // another member leads; any other error would end Run
	})
	if err != nil {
		log.Fatal(err)
	}
}

// work does what only the leader may do, until ctx ends.
func work(ctx context.Context) error {
	<-ctx.Done()
	return nil
}
