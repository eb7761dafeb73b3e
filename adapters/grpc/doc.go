// Package grpc connects members to gRPC services.
//
// # Health
//
// [Health] reports by the health protocol of gRPC whether a member leads. A client that checks the health of a service
// sends its requests to the leader only:
//
//	s := grpc.NewServer()
//	h := health.NewServer()
//	healthpb.RegisterHealthServer(s, h)
//	go electgrpc.Health(ctx, h, "orders.leader", e)
//
// The client knows the addresses of all members, balances by round_robin, and imports google.golang.org/grpc/health:
//
//	grpc.NewClient(target, grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}],
//		"healthCheckConfig": {"serviceName": "orders.leader"}}`))
//
// # Forwarding
//
// A [Forwarder] handles calls on the leader of a group, whichever member they reach.
//
//	f := &electgrpc.Forwarder{Elector: e, Credentials: func(leader string) credentials.TransportCredentials {
//		return credentials.NewTLS(c.TLS.Client(leader))
//	}}
//	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(c.TLS.Server())),
//		grpc.ChainUnaryInterceptor(f.Unary), grpc.ChainStreamInterceptor(f.Stream))
//
// On the leader, the interceptors call the service's own handler, with a context that is canceled before the lease expires
// and in which elector.TermOf finds the Term. On any other member they send the call to the host:port that the leader
// advertises. They look the type of the response up in protoregistry, where generated code registers it, so clients and
// servers need no other codec.
//
// A call waits while there is no leader, and then fails with the code Unavailable. A unary call is sent again, to the next
// leader, if the leader cannot have seen it or has refused it, or if its method has the option idempotency_level and the
// leader has not answered, not even with a status. A stream is sent to one leader. A call counts as failed a second after
// another leader was elected, for instance because the machine of the old one hangs.
//
// A call is forwarded once. It then has the metadata election-forwarded, and a member that does not lead refuses it. Leaders
// see the certificate of the member that forwards a call, not the certificate of the client.
package grpc
