// Package forward serves HTTP requests on the leader of a group, whichever member they reach.
//
//	h := &forward.Handler{
//		Elector: e, // Config.Advertise is the address of the server below
//		TLS:     c.TLS,
//		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
//			term := elector.TermOf(r.Context())
//			// here the leader handles the request; term.Token() protects what it writes
//		}),
//	}
//	server := &http.Server{Handler: h, TLSConfig: c.TLS.Server()}
//
// On the leader a [Handler] calls the service's own handler, with a context that ends with the lease. On any other
// member it sends the request to the address that the leader advertises, and copies the response back. Responses are
// streamed, connections can be upgraded to WebSocket, and a request is canceled when its client gives up.
//
// # Failures
//
// While there is no leader, or none that can be reached, requests wait. After [Handler.Wait] a request gets the status
// 503 with Retry-After.
//
// If the leader fails or hands over, a request is sent again, to the next leader, in these cases:
//
//   - The leader cannot have seen it, or has refused it because it no longer leads.
//   - It may be repeated: its method is GET, HEAD, OPTIONS, TRACE, PUT or DELETE, or it has the header
//     Idempotency-Key. A handler must handle a request with the same key only once.
//
// A leader that breaks its connections gets a request three times at most in a Term, since the request may be why. A
// request cannot be sent again once more of its body was sent than [Handler.MaxBody], or its response has begun. Other
// requests that fail get the status 502: the leader may have carried them out. A request counts as failed a second after
// another leader was elected, for instance because the machine of the old one hangs. A handler whose Term ends before it
// has answered should panic with [http.ErrAbortHandler], so that the request fails and can be sent again.
//
// A planned handover fails no request, if the program does three things in this order when it is asked to stop: it calls
// [elector.Elector.Resign], shuts the server down, and ends Run. The old leader completes its requests before the next
// leader begins, and forwards later requests to it.
//
// # Security
//
// A request is forwarded once. It then has the header Election-Forwarded, and a member that does not lead refuses it with
// the status 503. The leader removes the header. A client that sets this header only loses the benefit of forwarding.
//
// With [Handler.TLS], members authenticate each other by the certificates of the election, and the leader's certificate
// must contain the leader's name. Leaders see the certificate of the member that forwards a request, not the
// certificate of the client: check what a client may do before the Handler, on the member that the client has reached. The
// header X-Forwarded-For contains the address of the client, as it does behind any proxy, and other headers arrive as
// they were sent.
package forward
