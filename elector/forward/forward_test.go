package forward_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/forward"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// link is a transport that can be cut off.
type link struct {
	transport.Pusher
	cut atomic.Bool
}

func (l *link) Send(ctx context.Context, p election.Packet) error {
	if l.cut.Load() {
		return nil
	}
	return l.Pusher.Send(ctx, p)
}

func (l *link) Push(ctx context.Context, deliver func(election.Packet, error) bool) (func([]election.Packet), error) {
	return l.Pusher.Push(ctx, func(p election.Packet, err error) bool { return err == nil && l.cut.Load() || deliver(p, err) })
}

func (l *link) Greet(hello []byte, accept func(election.ID, []byte) error) error {
	return l.Pusher.(transport.Greeter).Greet(hello, accept)
}

// member is one member of a group, and its server.
type member struct {
	*elector.Elector
	name   string
	link   *link
	server *http.Server
	stop   context.CancelFunc
	served atomic.Int64 // requests that it has handled as the leader
	wild   atomic.Value // http.Header of the last one
}

// crash makes the member disappear.
func (m *member) crash(t *testing.T) {
	m.link.cut.Store(true)
	require.NoError(t, m.server.Close())
}

// group is three members.
type group struct {
	hub     *pipenet.Hub
	members map[string]*member
}

// options are what tests change.
type options struct {
	handler func(m *member, w http.ResponseWriter, r *http.Request) // nil: answers who has handled the request
	change  func(*forward.Handler)
	address func(name string) string // that it advertises
	alone   bool                     // only one of the three runs
	http2   bool
}

// protocols are HTTP/2 only, without TLS, or nil.
func (o *options) protocols() *http.Protocols {
	if !o.http2 {
		return nil
	}
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// inBubble runs a test of three members in virtual time, once one of them leads.
func inBubble(t *testing.T, o options, test func(t *testing.T, g *group)) {
	synctest.Test(t, func(t *testing.T) {
		g := &group{hub: &pipenet.Hub{}, members: make(map[string]*member)}
		network, list := memory.New(), map[string]string{"a": "", "b": "", "c": ""}
		var ended sync.WaitGroup
		for name := range list {
			if o.alone && name != "a" {
				continue
			}
			endpoint, err := network.Endpoint(elector.ID(name))
			require.NoError(t, err)
			m := &member{name: name, link: &link{Pusher: endpoint.(transport.Pusher)}}
			c := elector.Config{Group: "g", Self: name, Members: list, Transport: m.link, Advertise: name + ":80"}
			if o.address != nil {
				c.Advertise = o.address(name)
			}
			m.Elector, err = elector.New(c)
			require.NoError(t, err)
			var ctx context.Context
			ctx, m.stop = context.WithCancel(t.Context())
			ended.Go(func() {
				require.NoError(t, m.Run(ctx, func(ctx context.Context, _ elector.Term) error {
					<-ctx.Done()
					return nil
				}))
			})
			connections := &http.Transport{DisableCompression: true, Protocols: o.protocols(),
				DialContext: func(ctx context.Context, _, address string) (net.Conn, error) { return g.hub.Dial(ctx, address) }}
			t.Cleanup(connections.CloseIdleConnections)
			h := &forward.Handler{Elector: m.Elector, Transport: connections, Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) {
					m.served.Add(1)
					m.wild.Store(r.Header)
					if o.handler != nil {
						o.handler(m, w, r)
						return
					}
					text, _ := io.ReadAll(r.Body)
					fmt.Fprintf(w, "%s %d %s %s %s", m.name, elector.TermOf(r.Context()).Token(), r.Method, r.RequestURI, text)
				})}
			if o.change != nil {
				o.change(h)
			}
			m.server = &http.Server{Handler: h, Protocols: o.protocols()}
			listener := g.hub.Listen(name + ":80")
			ended.Go(func() { _ = m.server.Serve(listener) })
			g.members[name] = m
		}
		time.Sleep(5 * time.Second)
		all := slices.Collect(maps.Values(g.members))
		defer func() {
			for _, m := range all {
				m.stop()
				_ = m.server.Close()
			}
			ended.Wait()
		}()
		test(t, g)
	})
}

// leader returns the member that leads, and the others.
func (g *group) leader(t *testing.T) (leads *member, others []*member) {
	t.Helper()
	for _, m := range g.members {
		if m.Leader().Self {
			require.Nil(t, leads)
			leads = m
		} else {
			others = append(others, m)
		}
	}
	require.NotNil(t, leads)
	return leads, others
}

// client returns a client of one member.
func (g *group) client(t *testing.T, m *member) *http.Client {
	connections := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return g.hub.DialFrom(ctx, "10.1.1.1:9", m.name+":80")
	}}
	t.Cleanup(connections.CloseIdleConnections)
	return &http.Client{Transport: connections}
}

// ask sends a request to a member, and returns the status and the body of the answer.
func (g *group) ask(t *testing.T, m *member, method, path, text string, header ...string) (*http.Response, string) {
	var from io.Reader
	if text != "" {
		from = strings.NewReader(text)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://service.example"+path, from)
	require.NoError(t, err)
	r.Close = true
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := g.client(t, m).Do(r)
	require.NoError(t, err)
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(answer)
}

// TestForward: whichever member a request reaches, the leader handles it, as it was sent.
func TestForward(t *testing.T) {
	inBubble(t, options{}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		token := leads.Leader().Term
		for _, m := range append(others, leads) {
			_, answer := g.ask(t, m, http.MethodPost, "/x%2Fy?a=1;b&c=%zz", "text", "X-Own", "1")
			require.Equal(t, fmt.Sprintf("%s %d POST /x%%2Fy?a=1;b&c=%%zz text", leads.name, token), answer)
			require.Equal(t, "1", leads.wild.Load().(http.Header).Get("X-Own"))
		}
		for _, m := range others {
			require.Zero(t, m.served.Load())
			g.ask(t, m, http.MethodGet, "/", "", "X-Forwarded-For", "9.9.9.9", "X-Forwarded-Proto", "https")
			require.Equal(t, "9.9.9.9, 10.1.1.1", leads.wild.Load().(http.Header).Get("X-Forwarded-For"))
			require.Equal(t, "https", leads.wild.Load().(http.Header).Get("X-Forwarded-Proto"))
			require.Empty(t, leads.wild.Load().(http.Header).Get("Accept-Encoding")+leads.wild.Load().(http.Header).Get("X-Forwarded-Host"))
		}
	})
}

// TestOneHop: a request that a member has forwarded is not forwarded again, even if a client has set the header. The leader
// handles it like any other request.
func TestOneHop(t *testing.T) {
	inBubble(t, options{}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		for _, m := range others {
			response, answer := g.ask(t, m, http.MethodGet, "/", "", "Election-Forwarded", "1")
			require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
			require.Equal(t, "1", response.Header.Get("Retry-After"))
			require.Equal(t, "this member does not lead\n", answer)
		}
		require.Zero(t, leads.served.Load())
		response, _ := g.ask(t, leads, http.MethodGet, "/", "", "Election-Forwarded", "1")
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Empty(t, leads.wild.Load().(http.Header).Get("Election-Forwarded"), "the handler may be a proxy")
	})
}

// TestNoLoop: if the leader advertises the address of another member, requests end.
func TestNoLoop(t *testing.T) {
	next := map[string]string{"a": "b:80", "b": "c:80", "c": "a:80"}
	inBubble(t, options{address: func(name string) string { return next[name] }}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		for _, m := range others {
			began := time.Now()
			response, answer := g.ask(t, m, http.MethodPost, "/", "text")
			require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
			require.Empty(t, response.Header.Get("Election-Refused"), "it is for members")
			require.Equal(t, "there is no leader: "+leads.name+" refuses to be it\n", answer)
			require.InDelta(t, forward.DefaultWait, time.Since(began), float64(200*time.Millisecond))
		}
		require.Zero(t, leads.served.Load())
	})
}

// TestNoLeader: without a leader a request waits for one, and then gets an answer that tells when to ask again.
func TestNoLeader(t *testing.T) {
	for want, o := range map[string]options{
		"there is no leader\n":                                                   {alone: true},
		"there is no leader: %s advertises no address\n":                         {address: func(string) string { return "" }},
		"the leader advertises \"ftp://x\", which does not begin with http://\n": {address: func(string) string { return "ftp://x" }},
		"the leader advertises \"://\", which is not an URL\n":                   {address: func(string) string { return "://" }},
	} {
		o.change = func(h *forward.Handler) { h.Wait = 3 * time.Second }
		inBubble(t, o, func(t *testing.T, g *group) {
			m := g.members["a"]
			if v := m.Leader(); v.Self {
				m = g.members["b"]
				want = strings.Replace(want, "%s", v.Leader, 1)
			} else {
				want = strings.Replace(want, "%s", v.Leader, 1)
			}
			began := time.Now()
			response, answer := g.ask(t, m, http.MethodPost, "/", "text")
			require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
			require.Equal(t, "1", response.Header.Get("Retry-After"))
			require.Equal(t, want, answer)
			require.LessOrEqual(t, time.Since(began), 3*time.Second)
			m.stop()
			synctest.Wait()
			_, answer = g.ask(t, m, http.MethodGet, "/", "")
			require.Contains(t, answer, "this member has left the group")
		})
	}
}

// TestHandover: a handover fails no request and repeats none, not even of a client whose requests must not be repeated.
func TestHandover(t *testing.T) {
	slow := func(m *member, w http.ResponseWriter, r *http.Request) {
		time.Sleep(70 * time.Millisecond)
		require.NoError(t, r.Context().Err())
		require.True(t, elector.TermOf(r.Context()).Valid(0))
		_, _ = io.WriteString(w, m.name)
	}
	inBubble(t, options{handler: slow}, func(t *testing.T, g *group) {
		const requests = 60
		var clients sync.WaitGroup
		for _, m := range g.members {
			clients.Go(func() {
				for range requests {
					response, _ := g.ask(t, m, http.MethodPost, "/", "text")
					require.Equal(t, http.StatusOK, response.StatusCode)
				}
			})
		}
		for range 3 {
			time.Sleep(time.Second)
			leads, _ := g.leader(t)
			require.NoError(t, leads.Resign(t.Context()))
		}
		clients.Wait()
		served, by := int64(0), 0
		for _, m := range g.members {
			served += m.served.Load()
			by += min(int(m.served.Load()), 1)
		}
		require.EqualValues(t, 3*requests, served)
		require.Greater(t, by, 1)
	})
}

// TestCrash: if the leader crashes while it handles a request, the request is sent to the next one if it may be repeated,
// and otherwise fails. A request that arrives later waits for the next leader.
func TestCrash(t *testing.T) {
	for _, test := range []struct {
		method, text, key string
		maxBody           int
		repeated          bool
	}{
		{method: http.MethodGet, repeated: true},
		{method: http.MethodPut, text: "text", repeated: true},
		{method: http.MethodPut, text: "text", maxBody: 3},
		{method: http.MethodPut, text: "text", maxBody: -1},
		{method: http.MethodPut, text: "text", maxBody: 4, repeated: true},
		{method: http.MethodPost, text: "text"},
		{method: http.MethodPost, text: "text", key: "k", repeated: true},
	} {
		var first atomic.Pointer[member]
		arrived := make(chan struct{})
		handler := func(m *member, w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			if first.CompareAndSwap(nil, m) {
				close(arrived)
				<-r.Context().Done()
				return
			}
			fmt.Fprintf(w, "%s %s", m.name, text)
		}
		inBubble(t, options{handler: handler, change: func(h *forward.Handler) { h.MaxBody = test.maxBody }},
			func(t *testing.T, g *group) {
				leads, others := g.leader(t)
				delete(g.members, leads.name)
				defer leads.stop()
				var asking sync.WaitGroup
				asking.Go(func() {
					response, answer := g.ask(t, others[0], test.method, "/", test.text, "Idempotency-Key", test.key)
					if test.repeated {
						next, _ := g.leader(t)
						require.Equal(t, next.name+" "+test.text, answer, test)
						return
					}
					require.Equal(t, http.StatusBadGateway, response.StatusCode, test)
					require.Equal(t, "the leader has failed, and may have carried out the request\n", answer)
				})
				<-arrived
				leads.crash(t)
				time.Sleep(10 * time.Millisecond)
				// Without a body, which may not be kept: the next leader may refuse the first attempt.
				_, answer := g.ask(t, others[1], http.MethodPost, "/", "")
				next, _ := g.leader(t)
				require.Equal(t, next.name+" ", answer)
				asking.Wait()
			})
	}
}

// TestHanging: a leader that hangs is replaced, and so are its connections.
func TestHanging(t *testing.T) {
	var first atomic.Pointer[member]
	release, arrived := make(chan struct{}), make(chan struct{}, 2)
	handler := func(m *member, w http.ResponseWriter, r *http.Request) {
		if first.CompareAndSwap(nil, m); first.Load() == m {
			arrived <- struct{}{}
			<-release
		}
		_, _ = io.WriteString(w, m.name)
	}
	inBubble(t, options{handler: handler}, func(t *testing.T, g *group) {
		release, arrived = make(chan struct{}), make(chan struct{}, 2)
		leads, others := g.leader(t)
		var asking sync.WaitGroup
		began := time.Now()
		asking.Go(func() {
			_, answer := g.ask(t, others[0], http.MethodGet, "/", "")
			require.NotEqual(t, leads.name, answer)
			require.Less(t, time.Since(began), 3*time.Second)
		})
		asking.Go(func() {
			response, _ := g.ask(t, others[1], http.MethodPost, "/", "text")
			require.Equal(t, http.StatusBadGateway, response.StatusCode)
			require.Less(t, time.Since(began), 3*time.Second)
		})
		<-arrived
		<-arrived
		leads.link.cut.Store(true)
		asking.Wait()
		close(release)
		leads.link.cut.Store(false)
		time.Sleep(5 * time.Second)
	})
}

// TestStream: each part of a request and of a response passes through when it is written, and a client that gives up ends
// the request at the leader.
func TestStream(t *testing.T) {
	ended := make(chan error, 1)
	handler := func(_ *member, w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		lines := bufio.NewScanner(r.Body)
		lines.Scan()
		fmt.Fprintln(w, "got", lines.Text())
		w.(http.Flusher).Flush()
		_, _ = io.Copy(io.Discard, r.Body) // before its end, net/http does not notice that the client is gone
		<-r.Context().Done()
		ended <- context.Cause(r.Context())
	}
	inBubble(t, options{handler: handler}, func(t *testing.T, g *group) {
		ended = make(chan error, 1)
		_, others := g.leader(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		from, to := io.Pipe()
		defer to.Close()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service.example/", from)
		require.NoError(t, err)
		go func() { _, _ = io.WriteString(to, "hello\n") }() // and no end
		response, err := g.client(t, others[0]).Do(r)
		require.NoError(t, err)
		line, err := bufio.NewReader(response.Body).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "got hello\n", line)
		require.NoError(t, to.Close())
		time.Sleep(time.Minute)
		require.Empty(t, ended)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		_ = response.Body.Close()
	})
}

// TestUpgrade: bytes pass in both directions of an upgraded connection, which ends soon after its leader was replaced.
func TestUpgrade(t *testing.T) {
	handler := func(_ *member, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Upgrade", "echo")
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, received, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		defer conn.Close()
		_, _ = io.Copy(conn, received) // it ignores the end of the Term
	}
	inBubble(t, options{handler: handler}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://service.example/", http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Upgrade", "echo")
		r.Header.Set("Connection", "Upgrade")
		response, err := g.client(t, others[0]).Do(r)
		require.NoError(t, err)
		require.Equal(t, http.StatusSwitchingProtocols, response.StatusCode)
		conn := response.Body.(io.ReadWriteCloser)
		defer conn.Close()
		lines := bufio.NewReader(conn)
		for i := range 3 {
			_, err = fmt.Fprintln(conn, i)
			require.NoError(t, err)
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintln(i), line)
			time.Sleep(time.Minute)
		}
		leads.link.cut.Store(true)
		began := time.Now()
		_, err = lines.ReadString('\n')
		require.Error(t, err)
		require.Less(t, time.Since(began), 3*time.Second)
		leads.link.cut.Store(false)
		time.Sleep(5 * time.Second)
	})
}

// TestBecomesLeader: a member that becomes the leader while requests wait handles them itself, with their bodies.
func TestBecomesLeader(t *testing.T) {
	inBubble(t, options{}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		delete(g.members, leads.name)
		defer leads.stop()
		leads.crash(t)
		var asking sync.WaitGroup
		for _, m := range others {
			asking.Go(func() {
				response, answer := g.ask(t, m, http.MethodPost, "/", "text "+m.name)
				require.Equal(t, http.StatusOK, response.StatusCode, answer)
				require.Equal(t, "text "+m.name, answer[strings.LastIndex(answer, "text"):])
			})
		}
		asking.Wait()
		require.EqualValues(t, 2, cmp.Or(others[0].served.Load(), others[1].served.Load()))
	})
}

// TestBrokenBody: a request whose body cannot be read fails immediately, and the leader is not asked again.
func TestBrokenBody(t *testing.T) {
	const limit = 10
	inBubble(t, options{handler: func(_ *member, _ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		require.Error(t, err)
	}}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		others[0].server.Handler = http.MaxBytesHandler(others[0].server.Handler, limit)
		for _, method := range []string{http.MethodPut, http.MethodPost} {
			began, before := time.Now(), leads.served.Load()
			response, answer := g.ask(t, others[0], method, "/", strings.Repeat("x", limit+1))
			require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
			require.Equal(t, "the body of the request cannot be read\n", answer)
			require.Less(t, time.Since(began), time.Second)
			require.LessOrEqual(t, leads.served.Load(), before+1)
		}
		time.Sleep(time.Second) // in virtual time, until the servers have closed their connections
	})
}

// TestUnreachable: the answer contains no address.
func TestUnreachable(t *testing.T) {
	inBubble(t, options{}, func(t *testing.T, g *group) {
		leads, others := g.leader(t)
		require.NoError(t, leads.server.Close())
		response, answer := g.ask(t, others[0], http.MethodPost, "/", "text")
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		require.Equal(t, "the leader cannot be reached\n", answer)
	})
}

// TestPanics: a leader gets a request again only a few times, as long as it leads: its handler may panic because of it.
func TestPanics(t *testing.T) {
	inBubble(t, options{handler: func(*member, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		func(t *testing.T, g *group) {
			leads, others := g.leader(t)
			response, _ := g.ask(t, others[0], http.MethodGet, "/", "")
			require.Equal(t, http.StatusBadGateway, response.StatusCode)
			require.EqualValues(t, 3, leads.served.Load())
		})
}

// TestEarlyResponse: a response ends when the leader has answered, even if the client sends the rest of its body only then.
func TestEarlyResponse(t *testing.T) {
	o := options{http2: true, handler: func(_ *member, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "done") }}
	inBubble(t, o, func(t *testing.T, g *group) {
		_, others := g.leader(t)
		client := g.client(t, others[0])
		client.Transport.(*http.Transport).Protocols = o.protocols()
		from, to := io.Pipe()
		defer to.Close()
		go func() { _, _ = io.WriteString(to, "hello\n") }() // and no end
		response, err := client.Post("http://service.example/", "text/plain", from)
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() {
			_, err := io.ReadAll(response.Body)
			ended <- err
		}()
		select {
		case err := <-ended:
			require.NoError(t, err)
		case <-time.After(time.Minute):
			t.Error("the response has not ended")
		}
		require.NoError(t, response.Body.Close())
		client.CloseIdleConnections()
	})
}

// rewinding is a transport that finds a connection unusable when it has sent a part of a request.
type rewinding struct{ http.RoundTripper }

func (t rewinding) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.ReadFull(r.Body, make([]byte, 3)); err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	if r.GetBody == nil {
		return nil, io.ErrUnexpectedEOF
	}
	var err error
	if r.Body, err = r.GetBody(); err != nil {
		return nil, err
	}
	return t.RoundTripper.RoundTrip(r)
}

// TestRewind: the transport can read a body again that is kept.
func TestRewind(t *testing.T) {
	for maxBody, want := range map[int]string{0: "text", 3: "text", 2: "the leader cannot be reached"} {
		inBubble(t, options{change: func(h *forward.Handler) {
			h.Transport, h.MaxBody = rewinding{h.Transport}, maxBody
		}}, func(t *testing.T, g *group) {
			_, others := g.leader(t)
			_, answer := g.ask(t, others[0], http.MethodPost, "/", "text")
			require.Contains(t, answer, want)
		})
	}
}
