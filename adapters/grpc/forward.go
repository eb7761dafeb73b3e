package grpc

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/forward"
)

// The metadata between two members.
const (
	forwarded = "election-forwarded" // of a call that a member forwards
	refused   = "election-refused"   // in the trailer of a member that does not lead
)

// DefaultWait is how long a call waits for a leader by default.
const DefaultWait = 10 * time.Second

// Forwarder has the interceptors of a server. Set its fields before the first call.
type Forwarder struct {
	Elector *elector.Elector
	// Credentials returns the credentials for connections to a leader, by its name.
	Credentials func(leader string) credentials.TransportCredentials
	Wait        time.Duration // how long a call may wait for a leader; if zero, DefaultWait

	mu     sync.Mutex
	of     elector.View // Leader and Address of conn
	conn   *grpc.ClientConn
	inUse  map[*grpc.ClientConn]int
	closed bool
}

// Unary is a grpc.UnaryServerInterceptor.
func (f *Forwarder) Unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	began, last := time.Now(), status.Error(codes.Unavailable, "there is no leader")
	for {
		if own, _, ok := f.Elector.Term(ctx); ok {
			return handler(own, request)
		}
		if isForwarded(ctx) {
			_ = grpc.SetTrailer(ctx, metadata.Pairs(refused, "1"))
			return nil, status.Error(codes.Unavailable, "this member does not lead")
		}
		v, conn, err := f.leader(ctx, began, last)
		if err != nil {
			return nil, err
		}
		if conn != nil {
			reply, again, err := f.invoke(ctx, v, conn, request, info.FullMethod)
			f.release(conn)
			if err == nil || !again {
				return reply, err
			}
			last = err
		}
		forward.Await(ctx, f.Elector, 50*time.Millisecond, func(now elector.View) bool { return now != v })
	}
}

// invoke sends a unary call to a leader. If that fails, it reports whether the call may be sent again.
func (f *Forwarder) invoke(ctx context.Context, v elector.View, conn *grpc.ClientConn, request any, method string) (
	_ any, again bool, err error) {
	m, _, output, err := find(method)
	if err != nil {
		return nil, false, err
	}
	var header, trailer metadata.MD
	var to peer.Peer
	reply := output.New().Interface()
	following, end := f.following(outgoing(ctx), v)
	defer end()
	err = replaced(following, conn.Invoke(following, method, request, reply, grpc.Header(&header), grpc.Trailer(&trailer),
		grpc.Peer(&to)))
	if err != nil && len(trailer.Get(refused)) > 0 {
		return nil, true, err
	}
	repeatable := to.Addr == nil // it was not sent
	if o, ok := m.Options().(*descriptorpb.MethodOptions); ok {
		repeatable = repeatable || o.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
	}
	answered := len(header)+len(trailer) > 0 // each status that a server sends comes with one of them
	if status.Code(err) == codes.Unavailable && repeatable && !answered {
		return nil, true, err
	}
	_ = grpc.SetHeader(ctx, header)
	_ = grpc.SetTrailer(ctx, trailer)
	return reply, false, err
}

// Stream is a grpc.StreamServerInterceptor.
func (f *Forwarder) Stream(server any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	ctx, began, last := s.Context(), time.Now(), status.Error(codes.Unavailable, "there is no leader")
	for {
		if own, _, ok := f.Elector.Term(ctx); ok {
			return handler(server, &bound{s, own})
		}
		if isForwarded(ctx) {
			return status.Error(codes.Unavailable, "this member does not lead")
		}
		v, conn, err := f.leader(ctx, began, last)
		if err != nil {
			return err
		}
		if conn != nil {
			again, err := f.pipe(s, v, conn, info)
			f.release(conn)
			if !again {
				return err
			}
			last = err
		}
		forward.Await(ctx, f.Elector, 50*time.Millisecond, func(now elector.View) bool { return now != v })
	}
}

// pipe copies the messages of a stream in both directions. If that fails, it reports whether it may be called again.
func (f *Forwarder) pipe(s grpc.ServerStream, v elector.View, conn *grpc.ClientConn, info *grpc.StreamServerInfo) (again bool, err error) {
	_, input, output, err := find(info.FullMethod)
	if err != nil {
		return false, err
	}
	ctx, cancel := f.following(outgoing(s.Context()), v)
	defer cancel()
	c, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, info.FullMethod)
	if err != nil {
		err = replaced(ctx, err)
		return status.Code(err) == codes.Unavailable, err
	}
	go func() {
		for {
			m := input.New().Interface()
			if err := s.RecvMsg(m); err != nil {
				if errors.Is(err, io.EOF) {
					_ = c.CloseSend() // RecvMsg below returns the error
				} else {
					cancel()
				}
				return
			}
			if c.SendMsg(m) != nil {
				return // RecvMsg below returns the error
			}
		}
	}()
	header, err := c.Header()
	if err == nil && header != nil { // now, since the client may wait for it before it sends more
		err = s.SendHeader(header)
	}
	for err == nil {
		m := output.New().Interface()
		if err = c.RecvMsg(m); err != nil {
			s.SetTrailer(c.Trailer())
		} else {
			err = s.SendMsg(m)
		}
	}
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return false, replaced(ctx, err)
}

// following returns a copy of ctx that is canceled a while after another leader was elected, or the same one again: the
// machine of the old one may hang.
func (f *Forwarder) following(ctx context.Context, of elector.View) (_ context.Context, end context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if forward.Replaced(ctx, f.Elector, of) {
			cancel(forward.ErrReplaced)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// replaced returns the error of a call, as which a client sees that the leader was replaced.
func replaced(ctx context.Context, err error) error {
	if status.Code(err) == codes.Canceled && errors.Is(context.Cause(ctx), forward.ErrReplaced) {
		return status.Error(codes.Unavailable, "the leader was replaced, and may have carried out the call")
	}
	return err
}

// bound is a stream whose context ends with the lease.
type bound struct {
	grpc.ServerStream
	ctx context.Context
}

func (b *bound) Context() context.Context { return b.ctx }

// leader waits for a leader, and returns a connection to it; nil if this member leads.
func (f *Forwarder) leader(ctx context.Context, began time.Time, last error) (elector.View, *grpc.ClientConn, error) {
	wait := f.Wait
	if wait == 0 {
		wait = DefaultWait
	}
	left := wait - time.Since(began)
	v, ready := forward.Leader(ctx, f.Elector, left)
	switch {
	case ctx.Err() != nil:
		return v, nil, status.FromContextError(ctx.Err()).Err()
	case !ready || left <= 0 || v.Why == elector.Ended:
		return v, nil, last
	case v.Self:
		return v, nil, nil
	}
	conn, err := f.connect(v)
	return v, conn, err
}

// connect returns the connection to a leader. Call release when the call has ended.
func (f *Forwarder) connect(v elector.View) (*grpc.ClientConn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, status.Error(codes.Unavailable, "this member stops")
	}
	if f.conn == nil || f.of.Leader != v.Leader || f.of.Address != v.Address {
		conn, err := grpc.NewClient("passthrough:///"+v.Address, grpc.WithTransportCredentials(f.Credentials(v.Leader)),
			// The leader may have been away for a while.
			grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: 5 * time.Second,
				Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32))) // the client decides
		if err != nil {
			return nil, status.Errorf(codes.Unavailable, "the leader advertises %.60q: %v", v.Address, err)
		}
		f.drop()
		f.conn, f.of = conn, v
		if f.inUse == nil {
			f.inUse = make(map[*grpc.ClientConn]int)
		}
	}
	f.inUse[f.conn]++
	return f.conn, nil
}

// drop forgets the connection, and closes it unless it is in use. The caller holds mu.
func (f *Forwarder) drop() {
	if f.conn != nil && f.inUse[f.conn] == 0 {
		_ = f.conn.Close()
		delete(f.inUse, f.conn)
	}
	f.conn = nil
}

func (f *Forwarder) release(conn *grpc.ClientConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inUse[conn]--; f.inUse[conn] == 0 && conn != f.conn {
		_ = conn.Close()
		delete(f.inUse, conn)
	}
}

// Close closes the connection to the leader when the calls that use it have ended. Call it when the server has stopped.
func (f *Forwarder) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.drop()
}

func isForwarded(ctx context.Context) bool {
	md, _ := metadata.FromIncomingContext(ctx)
	return len(md.Get(forwarded)) > 0
}

// outgoing returns the context of a call to the leader, with the metadata of the client.
func outgoing(ctx context.Context) context.Context {
	md, _ := metadata.FromIncomingContext(ctx)
	md = md.Copy()
	for name := range md {
		if strings.HasPrefix(name, ":") || name == "content-type" || name == "user-agent" || strings.HasPrefix(name, "grpc-") {
			delete(md, name) // of the connection
		}
	}
	md.Set(forwarded, "1")
	return metadata.NewOutgoingContext(ctx, md)
}

// find returns a method, by its full name, and the types of its messages.
func find(full string) (m protoreflect.MethodDescriptor, input, output protoreflect.MessageType, err error) {
	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(full, "/"), "/", "."))
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	m, ok := d.(protoreflect.MethodDescriptor)
	if err != nil || !ok {
		return nil, nil, nil, status.Errorf(codes.Unavailable, "this member does not lead, and cannot forward %s: no generated code "+
			"has registered it", full)
	}
	for to, of := range map[*protoreflect.MessageType]protoreflect.MessageDescriptor{&input: m.Input(), &output: m.Output()} {
		if *to, err = protoregistry.GlobalTypes.FindMessageByName(of.FullName()); err != nil {
			return nil, nil, nil, status.Errorf(codes.Unavailable, "this member does not lead, and cannot forward %s: %v", full, err)
		}
	}
	return m, input, output, nil
}
