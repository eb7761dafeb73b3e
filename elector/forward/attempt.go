package forward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-election/election/elector"
)

const (
	// Without a change of the leader, attempts are this far apart.
	shortestPause = 5 * time.Millisecond
	longestPause  = 100 * time.Millisecond
	// mostFailures is how often a leader that breaks connections gets a request in one Term. More than one, since idle
	// connections may have ended; not more, since its handler may panic because of the request.
	mostFailures = 3
)

var (
	errLeads       = errors.New("forward: this member leads now")
	errNoLeader    = errors.New("there is no leader")
	errUnreachable = errors.New("the leader cannot be reached")
)

// forwarding is a request that this member forwards. It is the transport of the proxy.
type forwarding struct {
	*Handler
	request *http.Request // as it has arrived
	body    *body
	cancel  context.CancelCauseFunc // of the request and its response
	leads   context.Context         // of a request that this member handles itself in the end
	unsure  bool                    // a leader may have carried out the request
	failed  int                     // attempts of which that is true, at the leader of to
	to      elector.View            // of the last attempt
}

// forward sends a request to the leader, as often as necessary.
func (h *Handler) forward(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	f := &forwarding{Handler: h, request: r, body: &body{max: h.maxBody()}, cancel: cancel}
	if r.Body != nil && r.Body != http.NoBody {
		f.body.source = r.Body
	}
	// The leader may answer before it has read the whole request. Errors mean that w can do that anyway, or never.
	_ = http.NewResponseController(w).EnableFullDuplex()
	proxy := httputil.ReverseProxy{
		Rewrite: f.rewrite, Transport: f, FlushInterval: -1, ErrorHandler: f.fail,
		ErrorLog: slog.NewLogLogger(h.log().Handler(), slog.LevelDebug),
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// rewrite makes the leader see the request as this member does: ReverseProxy has removed what clients could have set.
func (f *forwarding) rewrite(p *httputil.ProxyRequest) {
	p.Out.URL.RawQuery = p.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := p.In.Header[name]; ok {
			p.Out.Header[name] = values
		}
	}
	if client, _, err := net.SplitHostPort(p.In.RemoteAddr); err == nil {
		before := p.In.Header["X-Forwarded-For"]
		p.Out.Header.Set("X-Forwarded-For", strings.Join(append(slices.Clone(before), client), ", "))
	}
	p.Out.Header.Set(forwarded, "1")
}

// RoundTrip sends the request until a leader answers it.
func (f *forwarding) RoundTrip(out *http.Request) (*http.Response, error) {
	ctx := out.Context()
	began, pause := time.Now(), shortestPause
	last := errNoLeader
	for {
		left := f.wait() - time.Since(began)
		v, ready := Leader(ctx, f.Elector, left)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !ready && v.Reachable:
			return nil, fmt.Errorf("%w: %s advertises no address", errNoLeader, v.Leader)
		case !ready:
			return nil, last
		case v.Why == elector.Ended:
			return nil, fmt.Errorf("%w: this member has left the group", last)
		case left <= 0:
			return nil, last
		case v.Self:
			var ok bool
			if f.leads, _, ok = f.Elector.Term(f.request.Context()); ok {
				return nil, errLeads
			}
		default:
			response, again, err := f.attempt(out, v)
			if err == nil {
				return response, nil
			}
			if !again || f.body.spilled.Load() || f.body.broken.Load() {
				return nil, err
			}
			last = err
			f.log().Debug("the request is sent again", "leader", v.Leader, "err", err)
			if f.failed >= mostFailures {
				Await(ctx, f.Elector, left, func(now elector.View) bool { return now.Leader != v.Leader || now.Term != v.Term })
				continue
			}
		}
		// Wait for the next View, or for the same leader: it may be about to begin or to end its Term.
		Await(ctx, f.Elector, min(pause, left), func(now elector.View) bool { return now != v })
		pause = min(2*pause, longestPause)
	}
}

// attempt sends the request to one leader. If that fails, it reports whether the request may be sent again.
func (f *forwarding) attempt(out *http.Request, v elector.View) (_ *http.Response, again bool, err error) {
	if v.Leader != f.to.Leader || v.Term != f.to.Term {
		f.failed = 0
	}
	f.to = v
	to, err := f.url(v.Address)
	if err != nil {
		return nil, false, err
	}
	ctx, end := context.WithCancelCause(out.Context())
	var sent, accepted atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	own := out.WithContext(ctx)
	whole := *out.URL
	whole.Scheme, whole.Host = to.Scheme, to.Host
	own.URL, own.Body = &whole, nil
	var last atomic.Pointer[reader]
	defer func() {
		switch b := last.Load(); {
		case b == nil:
		case err == nil:
			b.keep()
		default: // the transport may do so later, and read until then
			_ = b.Close()
		}
	}()
	if b := f.body.open(); b != nil {
		last.Store(b)
		own.Body = b
		// For the transport, if the leader reports that it has not seen the request: over HTTP/2, when its server stops.
		own.GetBody = func() (io.ReadCloser, error) {
			if f.body.spilled.Load() {
				return nil, errStale
			}
			b := f.body.open()
			last.Store(b)
			return b, nil
		}
	}
	go func() {
		if !Replaced(ctx, f.Elector, v) {
			return
		}
		end(ErrReplaced)
		if accepted.Load() { // connections that were upgraded ignore ctx
			f.cancel(ErrReplaced)
		}
	}()
	response, err := f.transport(v.Leader).RoundTrip(own)
	switch {
	case err != nil:
		if errors.Is(context.Cause(ctx), ErrReplaced) {
			err = ErrReplaced
		} else {
			err = fmt.Errorf("%w: %w", errUnreachable, err)
		}
		end(err)
		if !sent.Load() {
			return nil, true, err
		}
		f.unsure = true
		f.failed++
		return nil, mayRepeat(f.request), err
	case response.StatusCode == http.StatusServiceUnavailable && response.Header.Get(refused) != "":
		_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<10)) // so that the connection can be used again
		_ = response.Body.Close()
		err = fmt.Errorf("%w: %s refuses to be it", errNoLeader, v.Leader)
		end(err)
		return nil, true, err
	}
	accepted.Store(true)
	if context.Cause(ctx) != nil { // between the two
		f.cancel(context.Cause(ctx))
	}
	return response, false, nil
}

// mayRepeat reports whether a request may be carried out more than once.
func mayRepeat(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return r.Header.Get("Idempotency-Key") != ""
}

// fail answers a request that was not forwarded.
func (f *forwarding) fail(w http.ResponseWriter, out *http.Request, err error) {
	switch {
	case errors.Is(err, errLeads):
		r := f.request.WithContext(f.leads)
		if b := f.body.open(); b != nil {
			r.Body = b
		}
		f.Handler.Handler.ServeHTTP(w, r)
	case out.Context().Err() != nil: // the client is gone
		w.WriteHeader(http.StatusBadGateway)
	case f.body.broken.Load(): // the leader is not to blame
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the body of the request cannot be read", status)
	case f.unsure:
		f.log().Warn("the leader may have carried out a request that has failed", "method", out.Method, "err", err)
		http.Error(w, "the leader has failed, and may have carried out the request", http.StatusBadGateway)
	default:
		f.log().Warn("a request was not forwarded", "method", out.Method, "err", err)
		text := err.Error()
		if errors.Is(err, errUnreachable) { // the rest contains the address
			text = errUnreachable.Error()
		}
		unavailable(w, text)
	}
}

// url returns the URL of a leader.
func (h *Handler) url(address string) (*url.URL, error) {
	scheme := "http"
	if h.TLS != nil {
		scheme = "https"
	}
	if !strings.Contains(address, "://") {
		return &url.URL{Scheme: scheme, Host: address}, nil
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return nil, fmt.Errorf("the leader advertises %.60q, which is not an URL", address)
	case u.Scheme != "https" && (u.Scheme != "http" || h.TLS != nil):
		return nil, fmt.Errorf("the leader advertises %.60q, which does not begin with %s://", address, scheme)
	}
	return u, nil
}

// transport returns the connections to a leader. Those to the last leader are closed when they are no longer in use.
func (h *Handler) transport(leader string) http.RoundTripper {
	if h.Transport != nil {
		return h.Transport
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conns == nil || h.leader != leader {
		if h.conns != nil {
			h.conns.CloseIdleConnections()
		}
		h.leader, h.conns = leader, &http.Transport{
			DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 5 * time.Second, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 100,
			// With TLS, the requests that have waited for a leader share one connection, so that their handshakes do not
			// keep it from renewing its lease.
			ForceAttemptHTTP2:  true,
			DisableCompression: true, // the client and the handler of the leader decide
		}
		if h.TLS != nil {
			h.conns.TLSClientConfig = h.TLS.Client(leader)
		}
	}
	return h.conns
}

// CloseIdleConnections closes the connections to the leader that are not in use, unless Transport is set.
func (h *Handler) CloseIdleConnections() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conns != nil {
		h.conns.CloseIdleConnections()
	}
}
