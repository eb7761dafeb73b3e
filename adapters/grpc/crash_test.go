package grpc_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/go-election/election/store/memstore"
)

// text is the only type of messages of the service jobs.
type text = grpc_health_v1.HealthCheckRequest

// The service jobs, as generated code would register it: put may be repeated, add may not, and watch answers with a stream.
func init() {
	method := func(name string, level descriptorpb.MethodOptions_IdempotencyLevel) *descriptorpb.MethodDescriptorProto {
		const of = ".grpc.health.v1.HealthCheckRequest"
		return &descriptorpb.MethodDescriptorProto{Name: &name, InputType: proto.String(of), OutputType: proto.String(of),
			ServerStreaming: proto.Bool(name == "watch"), Options: &descriptorpb.MethodOptions{IdempotencyLevel: &level}}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("jobs.proto"), Syntax: proto.String("proto3"), Dependency: []string{"grpc/health/v1/health.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("jobs"), Method: []*descriptorpb.MethodDescriptorProto{
			method("put", descriptorpb.MethodOptions_IDEMPOTENT), method("add", descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN),
			method("watch", descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN)}}},
	}, protoregistry.GlobalFiles)
	if err == nil {
		err = protoregistry.GlobalFiles.RegisterFile(file)
	}
	if err != nil {
		panic(err)
	}
}

// jobs is the service at one member.
type jobs struct {
	handle func(method string, r *text) *text // nil: Unavailable
	watch  func(grpc.ServerStream) error
}

func (j *jobs) register(s *grpc.Server) {
	method := func(name string) grpc.MethodDesc {
		return grpc.MethodDesc{MethodName: name, Handler: func(server any, ctx context.Context, decode func(any) error,
			interceptor grpc.UnaryServerInterceptor) (any, error) {
			r := new(text)
			if err := decode(r); err != nil {
				return nil, err
			}
			return interceptor(ctx, r, &grpc.UnaryServerInfo{Server: server, FullMethod: "/jobs/" + name},
				func(context.Context, any) (any, error) {
					if answer := j.handle(name, r); answer != nil {
						return answer, nil
					}
					return nil, status.Error(codes.Unavailable, "the service is away")
				})
		}}
	}
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "jobs", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{method("put"), method("add")},
		Streams: []grpc.StreamDesc{{StreamName: "watch", ServerStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
			return j.watch(s)
		}}}}, j)
}

// call calls a method through a member, and returns who has handled it.
func (m *member) call(ctx context.Context, method, service string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	answer := new(text)
	err := m.conn.Invoke(ctx, "/jobs/"+method, &text{Service: service}, answer, grpc.MaxCallRecvMsgSize(1<<30))
	return answer.Service, err
}

// TestLeaderEnds: if the leader ends while it handles calls, the next leader handles the idempotent calls, and all other
// calls fail. The connections of the leader break, or it stops answering, as after a power failure.
func TestLeaderEnds(t *testing.T) {
	t.Parallel() // it waits for leases
	for _, silent := range []bool{false, true} {
		s, arrived, release := memstore.New(), make(chan string), make(chan struct{})
		var added atomic.Int32
		leads := startWith(t, s, "a", (&jobs{handle: func(method string, _ *text) *text {
			arrived <- method
			<-release
			return &text{Service: "a"}
		}}).register)
		_, err := leads.Wait(t.Context())
		require.NoError(t, err)
		m := startWith(t, s, "b", (&jobs{handle: func(method string, _ *text) *text {
			if method == "add" {
				added.Add(1)
			}
			return &text{Service: "b"}
		}}).register)
		type result struct {
			by  string
			err error
		}
		put, add := make(chan result, 1), make(chan result, 1)
		for method, to := range map[string]chan result{"put": put, "add": add} {
			go func() {
				by, err := m.call(t.Context(), method, "")
				to <- result{by, err}
			}()
		}
		<-arrived
		<-arrived
		leads.link.Cut.Store(true)
		if !silent {
			leads.server.Stop()
		}
		require.Equal(t, result{by: "b"}, <-put)
		require.Equal(t, codes.Unavailable, status.Code((<-add).err))
		require.Zero(t, added.Load())
		by, err := m.call(t.Context(), "add", "")
		require.NoError(t, err)
		require.Equal(t, "b", by)
		leads.link.Cut.Store(false)
		close(release)
	}
}

// TestNotSent: a call that cannot have reached the leader waits for the next one, whatever its method.
func TestNotSent(t *testing.T) {
	t.Parallel() // it waits for leases
	s := memstore.New()
	leads := start(t, s, "a")
	_, err := leads.Wait(t.Context())
	require.NoError(t, err)
	m := startWith(t, s, "b", (&jobs{
		handle: func(string, *text) *text { return &text{Service: "b"} },
		watch:  func(s grpc.ServerStream) error { return s.SendMsg(&text{Service: "b"}) },
	}).register)
	leads.server.Stop()
	ended := make(chan error, 2)
	go func() {
		_, err := m.call(t.Context(), "add", "")
		ended <- err
	}()
	go func() {
		stream, err := m.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, "/jobs/watch")
		if err == nil {
			err = stream.SendMsg(&text{})
		}
		if err == nil {
			err = stream.RecvMsg(new(text))
		}
		ended <- err
	}()
	time.Sleep(100 * time.Millisecond) // so that both usually fail before there is a new leader; the result is the same
	require.NoError(t, leads.Resign(t.Context()))
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
}

// TestHeader: the header of a stream arrives before its first message.
func TestHeader(t *testing.T) {
	t.Parallel() // it waits for leases
	s, release := memstore.New(), make(chan struct{})
	leads := startWith(t, s, "a", (&jobs{watch: func(s grpc.ServerStream) error {
		if err := s.SendHeader(metadata.Pairs("by", "a")); err != nil {
			return err
		}
		<-release
		return nil
	}}).register)
	_, err := leads.Wait(t.Context())
	require.NoError(t, err)
	m := startWith(t, s, "b", new(jobs).register)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	stream, err := m.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/jobs/watch")
	require.NoError(t, err)
	require.NoError(t, stream.SendMsg(&text{}))
	require.NoError(t, stream.CloseSend())
	header, err := stream.Header()
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, header.Get("by"))
	close(release)
}

// TestLarge: a response may be as large as the client accepts.
func TestLarge(t *testing.T) {
	t.Parallel() // it waits for leases
	s, large := memstore.New(), strings.Repeat("x", 5<<20)
	leads := startWith(t, s, "a", (&jobs{handle: func(string, *text) *text { return &text{Service: large} }}).register)
	_, err := leads.Wait(t.Context())
	require.NoError(t, err)
	answer, err := startWith(t, s, "b", new(jobs).register).call(t.Context(), "add", "")
	require.NoError(t, err)
	require.Equal(t, large, answer)
}

// TestUnavailable: a leader that answers that it is unavailable is not asked again.
func TestUnavailable(t *testing.T) {
	t.Parallel() // it waits for leases
	s := memstore.New()
	var asked atomic.Int32
	leads := startWith(t, s, "a", (&jobs{handle: func(string, *text) *text {
		asked.Add(1)
		return nil
	}}).register)
	_, err := leads.Wait(t.Context())
	require.NoError(t, err)
	_, err = startWith(t, s, "b", new(jobs).register).call(t.Context(), "put", "")
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.ErrorContains(t, err, "the service is away")
	require.EqualValues(t, 1, asked.Load())
}
