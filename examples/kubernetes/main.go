// Command kubernetes is a member of a service that runs as a StatefulSet, see orders.yaml. Its environment configures
// it.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	c, err := config(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	e, err := elector.New(c)
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.ListenAndServe(os.Getenv("HTTP"), e.Handler())) }()
	err = e.Run(ctx, func(ctx context.Context, term elector.Term) error {
		slog.Info("works", "token", term.Token())
		<-ctx.Done() // here it works, until the lead ends
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}

func config(env func(string) string) (elector.Config, error) {
	self, tls := env("SELF"), env("TLS")
	members, err := elector.ParseMembers(env("MEMBERS"))
	return elector.Config{Group: "orders", Self: self, Members: members, Log: slog.Default(),
		Dir:    env("STATE"),
		Listen: env("LISTEN"), // the own name may not be known yet, or no longer be among MEMBERS
		TLS: &tcp.TLS{Cluster: "orders", Load: tcp.Files(filepath.Join(tls, self+".pem"),
			filepath.Join(tls, self+".key.pem"), filepath.Join(tls, "ca.pem"))}}, err
}
