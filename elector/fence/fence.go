// Package fence refuses writes of former leaders, in the resource that they write to.
//
// # Usage
//
// Each write carries the fencing token of its leader, elector.Term.Token. A [Guard] accepts a token unless it has
// seen a larger one. [Handler] guards an HTTP handler, [WriteFile] a file. In an SQL database each row guards itself:
//
//	UPDATE jobs SET state = $1, token = $2 WHERE id = $3 AND token <= $2
//
// If the row has a larger token, it is not changed, and [Exec] returns an error that wraps [ErrStale]: this member no
// longer leads. Store.Fenced of package store/sqlstore guards whole transactions.
//
// # Limitations
//
// A Guard keeps its token in memory. After a restart it accepts any first token. If that is not enough, store the
// token with the data, as WriteFile and SQL rows do.
package fence

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

// ErrStale is returned if a larger token has been seen: the sender no longer leads, whatever it believes.
var ErrStale = errors.New("fence: the token is of an earlier leader")

// Guard accepts tokens that do not decrease. The zero value has seen none. It is safe for concurrent use.
type Guard struct {
	mu   sync.Mutex
	last uint64
}

// Check returns an error that wraps [ErrStale] if the Guard has seen a larger token.
func (g *Guard) Check(token uint64) error { return g.Do(token, func() error { return nil }) }

// Do calls write if the token is accepted, one write at a time, and returns its error. Otherwise the error wraps
// [ErrStale].
func (g *Guard) Do(token uint64, write func() error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if token < g.last {
		return stale(token, g.last)
	}
	g.last = token
	return write()
}

func stale(token, last uint64) error {
	return fmt.Errorf("%w: %d is less than %d", ErrStale, token, last)
}

// Header is the HTTP header that carries the token of a request.
const Header = "Election-Token"

// Set sets the token of a request.
func Set(r *http.Request, token uint64) { r.Header.Set(Header, strconv.FormatUint(token, 10)) }

// Handler calls next, one request at a time, if g accepts the token of the request. Otherwise it replies with 412
// Precondition Failed, or 400 Bad Request if there is no token.
func Handler(g *Guard, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := strconv.ParseUint(r.Header.Get(Header), 10, 64)
		if err != nil {
			http.Error(w, fmt.Sprintf("header %s: %.40q is not a token", Header, r.Header.Get(Header)),
				http.StatusBadRequest)
			return
		}
		err = g.Do(token, func() error {
			next.ServeHTTP(w, r)
			return nil
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusPreconditionFailed)
		}
	})
}
