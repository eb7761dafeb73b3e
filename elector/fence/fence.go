// Package fence refuses what a leader of the past sends, at the place that it writes to.
//
// # Usage
//
// Each write carries the token of its leader, elector.Term.Token. A [Guard] accepts it unless it has seen a
// larger one. [Handler] asks a Guard for each HTTP request, [WriteFile] guards a file. In an SQL database the
// table itself is the guard:
//
//	UPDATE jobs SET state = $1, token = $2 WHERE id = $3 AND token <= $2
//
// No row is changed where a larger token has been, and the leader of the past learns that it is one:
// [Exec] returns an error then. Module examples/fencing-sql guards whole transactions.
//
// # Limitations
//
// A Guard remembers in memory. After a restart it accepts any token until the first one; what must not be
// overwritten then keeps the token beside the data, as a file of WriteFile and a row do.
package fence

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

// ErrStale: a larger token has been seen. The sender no longer leads, whatever it believes.
var ErrStale = errors.New("fence: the token is of an earlier leader")

// Guard accepts tokens that do not become smaller. The zero value has seen none.
type Guard struct {
	mu   sync.Mutex
	last uint64
}

// Check returns an error that wraps [ErrStale] if the Guard has seen a larger token.
func (g *Guard) Check(token uint64) error { return g.Do(token, func() error { return nil }) }

// Do calls write if the token is accepted, and no other write at the same time.
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
	return fmt.Errorf("%w: %d, after %d", ErrStale, token, last)
}

// Header is the header in which a request carries its token.
const Header = "Election-Token"

// Set puts a token into a request.
func Set(r *http.Request, token uint64) { r.Header.Set(Header, strconv.FormatUint(token, 10)) }

// Handler passes requests on to next, one at a time, if g accepts their tokens. To others it answers 412
// Precondition Failed, and 400 Bad Request where there is no token.
func Handler(g *Guard, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := strconv.ParseUint(r.Header.Get(Header), 10, 64)
		if err != nil {
			http.Error(w, fmt.Sprintf("the header %s holds no token: %.40q", Header, r.Header.Get(Header)),
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
