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
	"syscall"

	"github.com/go-election/election/adapters/k8sstore/podlabel"
	"github.com/go-election/election/elector"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	c, err := elector.FromEnv(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	c.Log = slog.Default()
	e, err := elector.New(c)
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.ListenAndServe(os.Getenv("HTTP"), e.Handler())) }()
	work := func(ctx context.Context, term elector.Term) error {
		slog.Info("works", "token", term.Token())
		<-ctx.Done() // here it works, until the lead ends
		return nil
	}
	if os.Getenv("KUBERNETES_SERVICE_HOST") != "" { // in a cluster, the Service orders-leader selects this label
		label, err := podlabel.InCluster(c.Group, c.Self)
		if err != nil {
			log.Fatal(err)
		}
		label.Log = slog.Default()
		if err := label.Clear(ctx); err != nil { // of a process that crashed
			slog.Warn("cannot clear the label of the leader", "err", err)
		}
		work = label.While(work)
	}
	if err := e.Run(ctx, work); err != nil {
		log.Fatal(err)
	}
}
