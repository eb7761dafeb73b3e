// Command scheduler is a service of three replicas that accepts jobs by HTTPS and runs each of them once. The leader runs
// the jobs, and handles all requests; the other replicas forward requests to it. Replicas and clients authenticate with
// certificates of one authority. The environment configures a replica, as elector.FromEnv documents:
//
//	elect cert ca && elect cert member --group jobs a b c client
//	export ELECTION_GROUP=jobs ELECTION_MEMBERS=a=127.0.0.1:7001,b=127.0.0.1:7002,c=127.0.0.1:7003 ELECTION_TLS_CA=ca.pem DB=jobs.db
//	ELECTION_SELF=a ELECTION_TLS_CERT=a.pem ELECTION_TLS_KEY=a.key.pem ELECTION_ADVERTISE=127.0.0.1:8001 scheduler
//
// and the others in the same way. Then any replica accepts a job, and shows its own state at / and /healthz:
//
//	curl -X PUT -k --cert client.pem --key client.key.pem https://127.0.0.1:8002/jobs/invoice-7
//
// It is a separate module because of its database driver: build it in this folder with GOWORK=off go build.
package main

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/forward"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := elector.FromEnv(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	s, err := open(ctx, os.Getenv("DB"), c.Group)
	if err != nil {
		log.Fatal(err)
	}
	defer s.db.Close()
	if err := run(ctx, c, s); err != nil {
		log.Fatal(err)
	}
}

// run takes part until ctx ends.
func run(ctx context.Context, c elector.Config, s *scheduler) error {
	c.Log = slog.Default()
	e, err := elector.New(c)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/jobs/", &forward.Handler{Elector: e, TLS: c.TLS, Log: c.Log, Handler: s})
	mux.Handle("/", e.Handler()) // state, health and metrics of this replica
	server := &http.Server{Addr: c.Advertise, Handler: mux, TLSConfig: c.TLS.Server()}
	running, end := context.WithCancelCause(context.Background())
	go func() {
		if err := server.ListenAndServeTLS("", ""); !errors.Is(err, http.ErrServerClosed) {
			end(err)
		}
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
		case <-running.Done(): // the server has failed
			return
		}
		soon, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = e.Resign(soon) // complete the requests in progress; an error: this replica does not lead
		_ = server.Shutdown(soon)
		end(nil)
	}()
	err = e.Run(running, s.lead)
	<-ended
	if err == nil && ctx.Err() == nil {
		err = context.Cause(running)
	}
	return err
}
