package k8s

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// link connects a candidate with the API server, without sockets, so that the time of a bubble passes.
type link struct {
	server http.Handler
	cut    atomic.Bool // requests fail
	deaf   atomic.Bool // requests are carried out, and their answers are lost
}

var errCut = errors.New("no connection")

func (l *link) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.cut.Load() {
		return nil, errCut
	}
	body, out := io.Pipe()
	ctx, stop := context.WithCancel(r.Context())
	w := &answer{Writer: out, header: make(http.Header), begun: make(chan int, 1)}
	go func() {
		defer stop()
		l.server.ServeHTTP(w, r.WithContext(ctx))
		w.WriteHeader(http.StatusOK)
		out.Close()
	}()
	context.AfterFunc(r.Context(), func() { body.CloseWithError(r.Context().Err()) })
	select {
	case code := <-w.begun:
		if l.deaf.Load() {
			stop()
			body.Close()
			return nil, errCut
		}
		return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: w.header, Body: body,
			Request: r, ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// answer is an [http.ResponseWriter].
type answer struct {
	io.Writer
	header http.Header
	begun  chan int
	sent   bool
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(code int) {
	if !a.sent {
		a.sent = true
		a.begun <- code
	}
}

func (a *answer) Flush() {}
