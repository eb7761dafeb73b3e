// Command etcd is a member over concurrency.Election of etcd. Its sessions last two seconds, the
// shortest time that a server with default settings grants.
package main

import (
	"context"
	"path"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc"

	"github.com/go-election/election/bench/internal/member"
)

func main() { member.Main(run) }

// unary counts requests.
func unary(ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	options ...grpc.CallOption) error {
	if path.Base(method) == "Range" {
		member.Read()
	} else {
		defer member.Write()()
	}
	return invoke(ctx, method, request, answer, conn, options...)
}

// stream counts what is sent in streams, such as keep-alives.
func stream(ctx context.Context, description *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer,
	options ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, description, conn, method, options...)
	return counted{s}, err
}

type counted struct{ grpc.ClientStream }

func (c counted) SendMsg(m any) error {
	member.Read()
	return c.ClientStream.SendMsg(m)
}

func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{c.Server}, DialTimeout: 5 * time.Second,
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(unary), grpc.WithChainStreamInterceptor(stream)}})
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
