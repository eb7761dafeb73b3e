package forward

import (
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// The headers between two members.
const (
	forwarded = "Election-Forwarded" // in a request that a member forwards
	refused   = "Election-Refused"   // in the response of a member that does not lead
)

// The defaults of a Handler.
const (
	DefaultWait    = 10 * time.Second
	DefaultMaxBody = 64 << 10
)

// Handler handles requests on the leader, and forwards them to the leader on all other members. Set its fields before
// the first request.
type Handler struct {
	Elector *elector.Elector
	// Handler handles requests while this member leads. The context of a request is canceled when the Term ends, and
	// [elector.TermOf] finds the Term in it.
	Handler http.Handler
	// TLS authenticates the leader by its name, and this member to the leader. If nil, requests are forwarded without
	// TLS, unless the leader advertises an URL that begins with https.
	TLS *tcp.TLS
	// Transport replaces the connections to leaders, and TLS. If nil, there is one [http.Transport] for the leader.
	Transport http.RoundTripper
	// Wait is how long a request may wait for a leader, including all attempts that have failed. If zero, DefaultWait.
	Wait time.Duration
	// MaxBody is how many bytes of the body of each request are kept in memory to send it again. If zero, DefaultMaxBody;
	// if negative, none.
	MaxBody int
	Log     *slog.Logger // if nil, nothing is logged

	mu     sync.Mutex
	leader string          // of connections
	conns  *http.Transport // to the leader
}

// ServeHTTP handles or forwards a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hopped := r.Header.Get(forwarded) != ""
	if ctx, _, ok := h.Elector.Term(r.Context()); ok {
		r = r.WithContext(ctx)
		if hopped { // the handler may send the request on, to members of another group
			r.Header = r.Header.Clone()
			r.Header.Del(forwarded)
		}
		h.Handler.ServeHTTP(w, r)
		return
	}
	if hopped {
		w.Header().Set(refused, "not the leader")
		unavailable(w, "this member does not lead")
		return
	}
	h.forward(w, r)
}

// unavailable answers that there is no leader now.
func unavailable(w http.ResponseWriter, text string) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, text, http.StatusServiceUnavailable)
}

func (h *Handler) wait() time.Duration {
	if h.Wait == 0 {
		return DefaultWait
	}
	return h.Wait
}

func (h *Handler) maxBody() int {
	if h.MaxBody == 0 {
		return DefaultMaxBody
	}
	return max(h.MaxBody, 0)
}

func (h *Handler) log() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}
