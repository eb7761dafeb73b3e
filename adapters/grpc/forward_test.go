package grpc_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	electgrpc "github.com/go-election/election/adapters/grpc"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store/memstore"
)

// service answers with the name of its member and the token of the Term, in the header.
type service struct {
	grpc_health_v1.UnimplementedHealthServer
	name string
}

func (s service) Check(ctx context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	_ = grpc.SetHeader(ctx, metadata.Pairs("by", fmt.Sprint(s.name, elector.TermOf(ctx).Valid(0), r.Service, md.Get("own"))))
	if r.Service == "unknown" {
		return nil, status.Error(codes.NotFound, "unknown")
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, nil
}

func (s service) Watch(r *grpc_health_v1.HealthCheckRequest, to grpc.ServerStreamingServer[grpc_health_v1.HealthCheckResponse]) error {
	for i := range 3 {
		if !elector.TermOf(to.Context()).Valid(0) {
			return status.Error(codes.Internal, "not the leader")
		}
		if err := to.Send(&grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_ServingStatus(i)}); err != nil {
			return err
		}
	}
	return nil
}

// member is one member, and a client of its server.
type member struct {
	*elector.Elector
	link   *grouptest.Link
	conn   *grpc.ClientConn
	client grpc_health_v1.HealthClient
	stop   context.CancelFunc
	ended  chan error
	server *grpc.Server
}

func start(t *testing.T, s *memstore.Store, name string) *member {
	return startWith(t, s, name, func(*grpc.Server) {})
}

// startWith starts a member whose server has another service.
func startWith(t *testing.T, s *memstore.Store, name string, register func(*grpc.Server)) *member {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	to := &grouptest.Link{Watcher: s}
	// A long lease, so that a busy machine changes no leader.
	e, err := elector.New(elector.Config{Group: "g", Self: name, Store: to, Times: elector.Cloud(), Advertise: l.Addr().String()})
	require.NoError(t, err)
	f := &electgrpc.Forwarder{Elector: e, Wait: time.Minute,
		Credentials: func(string) credentials.TransportCredentials { return insecure.NewCredentials() }}
	m := &member{Elector: e, link: to, ended: make(chan error, 1),
		server: grpc.NewServer(grpc.ChainUnaryInterceptor(f.Unary), grpc.ChainStreamInterceptor(f.Stream))}
	grpc_health_v1.RegisterHealthServer(m.server, service{name: name})
	register(m.server)
	go func() { _ = m.server.Serve(l) }()
	var ctx context.Context
	ctx, m.stop = context.WithCancel(t.Context())
	go func() {
		m.ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			<-ctx.Done()
			return nil
		})
	}()
	conn, err := grpc.NewClient("passthrough:///"+l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	m.conn, m.client = conn, grpc_health_v1.NewHealthClient(conn)
	t.Cleanup(func() {
		m.stop()
		require.NoError(t, <-m.ended)
		_ = conn.Close()
		m.server.Stop()
		f.Close()
	})
	return m
}

// TestForward: whichever member a call reaches, the leader handles it: with its metadata, header and error, also while the
// leader changes.
func TestForward(t *testing.T) {
	t.Parallel() // it waits for leases
	s := memstore.New()
	members := map[string]*member{}
	for _, name := range []string{"a", "b"} {
		members[name] = start(t, s, name)
	}
	for range 2 {
		v, err := members["a"].Wait(t.Context())
		require.NoError(t, err)
		for _, m := range members {
			ctx := metadata.AppendToOutgoingContext(t.Context(), "own", "1")
			var header metadata.MD
			answer, err := m.client.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "x"}, grpc.Header(&header))
			require.NoError(t, err)
			require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, answer.Status)
			require.Contains(t, []string{"atruex[1]", "btruex[1]"}, header.Get("by")[0])
			_, err = m.client.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: "unknown"})
			require.Equal(t, codes.NotFound, status.Code(err))
			stream, err := m.client.Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
			require.NoError(t, err)
			for i := range 3 {
				answer, err := stream.Recv()
				require.NoError(t, err)
				require.EqualValues(t, i, answer.Status)
			}
			_, err = stream.Recv()
			require.ErrorIs(t, err, io.EOF)
		}
		_ = members[v.Leader].Resign(t.Context()) // an error: the lead has changed
	}
}

// TestOneHop: a member that does not lead refuses a call that was forwarded.
func TestOneHop(t *testing.T) {
	t.Parallel() // it waits for leases
	s := memstore.New()
	a := start(t, s, "a")
	_, err := a.Wait(t.Context())
	require.NoError(t, err)
	b := start(t, s, "b")
	ctx := metadata.AppendToOutgoingContext(t.Context(), "election-forwarded", "1")
	var trailer metadata.MD
	_, err = b.client.Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.Trailer(&trailer))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.Equal(t, []string{"1"}, trailer.Get("election-refused"))
	stream, err := b.client.Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	require.NoError(t, err)
	_, err = stream.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
}
