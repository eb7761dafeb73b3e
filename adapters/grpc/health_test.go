package grpc_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"

	electgrpc "github.com/go-election/election/adapters/grpc"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store/memstore"
)

// server is a member with a gRPC server.
type server struct {
	*elector.Elector
	address string
	stop    func()
}

// serve starts a member that serves until stop is called.
func serve(t *testing.T, name string, s *memstore.Store) *server {
	// A long lease, so that a busy machine changes no leader.
	e, err := elector.New(elector.Config{Group: "orders", Self: name, Store: s, Times: elector.Cloud()})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g, h := grpc.NewServer(), health.NewServer()
	healthpb.RegisterHealthServer(g, h)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { electgrpc.Health(ctx, h, "orders.leader", e) })
	running.Go(func() { _ = g.Serve(l) })
	ended := make(chan error, 1)
	running.Go(func() {
		ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			return nil
		})
	})
	m := &server{e, l.Addr().String(), sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
		g.Stop()
		running.Wait()
	})}
	t.Cleanup(m.stop)
	return m
}

// dial connects a client that knows these members and sends requests to the leader only.
func dial(t *testing.T, members ...*server) *grpc.ClientConn {
	r := manual.NewBuilderWithScheme("members")
	var state resolver.State
	for _, m := range members {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: m.address})
	}
	r.InitialState(state)
	conn, err := grpc.NewClient("members:///orders", grpc.WithResolvers(r), grpc.WithDefaultServiceConfig(
		`{"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": "orders.leader"}}`),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// answers returns the address of the member that answers a request.
func answers(t *testing.T, conn *grpc.ClientConn) string {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var from peer.Peer
	_, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true), grpc.Peer(&from))
	require.NoError(t, err)
	return from.Addr.String()
}

// TestHealth: requests of a client reach the leader, and the next one after it has resigned and after it has ended.
func TestHealth(t *testing.T) {
	s := memstore.New()
	a, b := serve(t, "a", s), serve(t, "b", s)
	conn := dial(t, a, b)
	leads := func(m *server) {
		require.Eventually(t, func() bool { return m.Leader().Self }, time.Minute, time.Millisecond)
		// For a moment, the client may take both for healthy.
		require.Eventually(t, func() bool {
			for range 10 {
				if answers(t, conn) != m.address {
					return false
				}
			}
			return true
		}, time.Minute, 10*time.Millisecond)
	}
	v, err := a.Wait(t.Context())
	require.NoError(t, err)
	if v.Leader == "b" {
		a, b = b, a
	}
	leads(a)
	require.NoError(t, a.Resign(t.Context()))
	leads(b)
	b.stop()
	leads(a)
}

// A member reports by the health protocol whether it leads.
func Example() {
	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: memstore.New()})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	h := health.NewServer() // registered with the gRPC server of the program
	status := func() {
		r, err := h.Check(ctx, &healthpb.HealthCheckRequest{Service: "orders.leader"})
		if err != nil {
			panic(err)
		}
		fmt.Println(r.GetStatus())
	}
	var reporting sync.WaitGroup
	reporting.Go(func() { electgrpc.Health(ctx, h, "orders.leader", e) })
	err = e.Run(ctx, func(context.Context, elector.Term) error {
		stop()
		return nil
	})
	if err != nil {
		panic(err)
	}
	reporting.Wait()
	status()
	// Output: NOT_SERVING
}
