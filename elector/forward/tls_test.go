package forward_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/forward"
	"github.com/go-election/election/store/memstore"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// certified returns how a process of the cluster g is known by a certificate.
func certified(t *testing.T, ca *certs.CA, name string) *tcp.TLS {
	cert, key, err := ca.Issue("g", name, time.Now(), time.Hour)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(ca.Cert))
	return &tcp.TLS{Cluster: "g", Load: func() (tls.Certificate, *x509.CertPool, error) { return pair, roots, nil }}
}

// TestTLS: members forward over TLS with the certificates of the election. A server without the leader's certificate
// gets no request, and a leader that advertises an address without TLS none either.
func TestTLS(t *testing.T) {
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	for server, want := range map[string]int{"a": http.StatusOK, "b": http.StatusServiceUnavailable, "plain": http.StatusServiceUnavailable} {
		ctx, stop := context.WithCancel(t.Context())
		s := memstore.New()
		leads := httptest.NewUnstartedServer(nil)
		leads.Config.ErrorLog = log.New(io.Discard, "", 0)
		address := "http://" + leads.Listener.Addr().String()
		if server != "plain" {
			address = leads.Listener.Addr().String()
			leads.Listener = tls.NewListener(leads.Listener, certified(t, ca, server).Server())
		}
		leads.Start()
		run := func(name, address string) (*elector.Elector, chan error) {
			e, err := elector.New(elector.Config{Group: "g", Self: name, Store: s, Advertise: address})
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() {
				ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
					<-ctx.Done()
					return nil
				})
			}()
			_, err = e.Wait(t.Context())
			require.NoError(t, err)
			return e, ended
		}
		a, endedA := run("a", address)
		leads.Config.Handler = &forward.Handler{Elector: a, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			name, err := certified(t, ca, "a").Name(r.TLS)
			require.NoError(t, err)
			_, _ = io.WriteString(w, name+" sends "+string(text))
		})}
		c, endedC := run("c", "http://unused")
		var logged bytes.Buffer
		h := &forward.Handler{Elector: c, TLS: certified(t, ca, "c"), Wait: time.Second, Log: slog.New(slog.NewTextHandler(&logged, nil))}
		if want == http.StatusOK {
			h.Wait = time.Minute // the machine may be slow
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("text")))
		require.Equal(t, want, w.Code, w.Body)
		if want == http.StatusOK {
			require.Equal(t, "c sends text", w.Body.String())
		} else if server == "b" {
			require.Equal(t, "the leader cannot be reached\n", w.Body.String())
			require.Contains(t, logged.String(), "the certificate is for process b, not a")
		} else {
			require.Contains(t, w.Body.String(), "which does not begin with https://")
		}
		h.CloseIdleConnections()
		leads.Close()
		stop()
		require.NoError(t, <-endedA)
		require.NoError(t, <-endedC)
	}
}
