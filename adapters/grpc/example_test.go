package grpc_test

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	electgrpc "github.com/go-election/election/adapters/grpc"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// A server whose calls the leader handles. Members authenticate with the certificates of the election.
func ExampleForwarder() {
	c := elector.Config{
		Group: "orders", Self: "a", Advertise: "10.0.0.1:8080",
		Members: map[string]string{"a": "10.0.0.1:7946", "b": "10.0.0.2:7946", "c": "10.0.0.3:7946"},
		TLS:     &tcp.TLS{Cluster: "orders", Load: tcp.Files("a.pem", "a.key.pem", "ca.pem")},
	}
	e, err := elector.New(c)
	if err != nil {
		panic(err)
	}
	f := &electgrpc.Forwarder{Elector: e, Credentials: func(leader string) credentials.TransportCredentials {
		return credentials.NewTLS(c.TLS.Client(leader))
	}}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(c.TLS.Server())),
		grpc.ChainUnaryInterceptor(f.Unary), grpc.ChainStreamInterceptor(f.Stream))
	_ = server // register the service, call Serve, and Run of e
}
