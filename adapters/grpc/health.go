package grpc

import (
	"context"

	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/go-election/election/elector"
)

// Health keeps the status of a service up to date until ctx ends or the member does: it is SERVING while this member
// leads, and otherwise NOT_SERVING. Clients may learn of a change too late, so the status is a hint: a handler that must run
// at the leader only checks [elector.Term.Valid], and writes with the token. The status of other services does not change.
func Health(ctx context.Context, s *health.Server, service string, e *elector.Elector) {
	s.SetServingStatus(service, healthpb.HealthCheckResponse_NOT_SERVING)
	defer s.SetServingStatus(service, healthpb.HealthCheckResponse_NOT_SERVING)
	for v := range e.Watch(ctx) {
		status := healthpb.HealthCheckResponse_NOT_SERVING
		if v.Self {
			status = healthpb.HealthCheckResponse_SERVING
		}
		s.SetServingStatus(service, status)
	}
}
