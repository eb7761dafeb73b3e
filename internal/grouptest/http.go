package grouptest

import (
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

// Handle serves HTTP until the test ends. Stop closes all connections, and the handler keeps what is stored.
func Handle(tb testing.TB, handler http.Handler) Server {
	var server *http.Server
	listen := func(address string) string {
		tb.Helper()
		l, err := net.Listen("tcp", address)
		if err != nil {
			tb.Fatal(err)
		}
		s := &http.Server{Handler: handler}
		go func() { _ = s.Serve(l) }() // until Close
		server = s
		return l.Addr().String()
	}
	address := listen("127.0.0.1:0")
	stop := func() { _ = server.Close() }
	tb.Cleanup(stop)
	return Server{Address: address, Stop: stop, Start: func() { listen(address) }}
}

// wire carries requests until it is cut.
type wire struct {
	http.Transport
	cut atomic.Bool
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.cut.Load() {
		return nil, errCut
	}
	return w.Transport.RoundTrip(r)
}

// Client returns an HTTP client for a member, and a function that disconnects it.
func Client() (*http.Client, func()) {
	w := new(wire)
	return &http.Client{Transport: w}, func() {
		w.cut.Store(true)
		w.CloseIdleConnections()
	}
}
