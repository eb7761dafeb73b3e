// Command etcd is a member over concurrency.Election of etcd. Its sessions last two seconds, the
// shortest time that a server with default settings grants.
package main

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/go-election/election/bench/internal/member"
)

func main() { member.Main(run) }

func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{c.Server}, DialTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := concurrency.NewSession(client, concurrency.WithTTL(2))
	if err != nil {
		return err
	}
	defer session.Close()
	e := concurrency.NewElection(session, "/bench")
	for ctx.Err() == nil {
		if err := e.Campaign(ctx, member.Name(c.Self)); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		member.Leads(true)
		select {
		case <-ctx.Done():
		case <-session.Done():
		case <-requests:
		}
		member.Leads(false)
		if err := e.Resign(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return nil
}
