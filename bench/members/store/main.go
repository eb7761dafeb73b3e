// Command store is a member over package elector with a store.
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"iter"
	"log"
	"time"

	_ "github.com/lib/pq"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/go-election/election/adapters/etcdstore"
	"github.com/go-election/election/adapters/k8sstore"
	"github.com/go-election/election/adapters/natsstore"
	"github.com/go-election/election/bench/internal/member"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/sqlstore"
)

var kind = flag.String("store", "", "etcd, kubernetes, nats or postgres")

func main() { member.Main(run) }

// open connects to the server.
func open(address string) (store.Store, error) {
	switch *kind {
	case "etcd":
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, DialTimeout: 5 * time.Second})
		return etcdstore.New(client), err
	case "kubernetes":
		return k8sstore.New(nil, address, "default"), nil
	case "nats":
		conn, err := nats.Connect(address, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond),
			nats.ReconnectBufSize(-1), nats.PingInterval(5*time.Second))
		if err != nil {
			return nil, err
		}
		js, err := jetstream.New(conn)
		if err != nil {
			return nil, err
		}
		bucket, err := js.CreateOrUpdateKeyValue(context.Background(), jetstream.KeyValueConfig{Bucket: "elections"})
		return natsstore.New(bucket), err
	case "postgres":
		db, err := sql.Open("postgres", address)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(2) // or a busy server must start a process for each request that has reached its time limit
		return sqlstore.New(db, sqlstore.PostgreSQL), nil
	}
	return nil, fmt.Errorf("there is no store %q", *kind)
}

// counted counts the requests to a store.
type counted struct{ store.Store }

func (c counted) Get(ctx context.Context, key string) ([]byte, string, error) {
	member.Read()
	return c.Store.Get(ctx, key)
}

func (c counted) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	defer member.Write()()
	return c.Store.Put(ctx, key, value, revision)
}

// watched is the same for a store that reports changes.
type watched struct {
	counted
	w store.Watcher
}

func (w watched) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return w.w.Watch(ctx, key)
}

// count returns a store that counts the requests to another one.
func count(s store.Store) store.Store {
	if w, ok := s.(store.Watcher); ok {
		return watched{counted{s}, w}
	}
	return counted{s}
}

func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	s, err := open(c.Server)
	if err != nil {
		return err
	}
	e, err := elector.New(elector.Config{Group: "bench", Self: member.Name(c.Self), Store: count(s),
		Times: elector.Times{Lease: c.Lease}})
	if err != nil {
		return err
	}
	go func() {
		for r := range requests {
			err := error(nil)
			if r.To == member.Any {
				err = e.Resign(ctx)
			} else {
				err = e.Transfer(ctx, member.Name(r.To))
			}
			if err != nil {
				log.Print(err)
			}
		}
	}()
	return e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
		member.Leads(true)
		<-ctx.Done()
		member.Leads(false)
		return nil
	})
}
