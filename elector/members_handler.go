package elector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/transport/tcp"
)

// patienceOfCall is how long a request of MembersHandler waits, in Leases.
const patienceOfCall = 10

// MembersHandler returns an HTTP handler that calls [Elector.SetMembers], for an operator. It does not authenticate:
// everyone who reaches it can change the members. So it is no part of [Elector.Handler]. Serve it on a loopback address, or
// behind authentication.
//
// It answers PUT requests with any path, whose body is a JSON object of all members and their addresses, such as
// {"a": "10.0.0.1:7946"}. A request waits until the change is agreed, at most ten times Times.Lease. If the client
// ends it earlier, and the change has not begun, it does not begin. The response is one of these:
//
//   - 200, if the members are agreed, and the state of this member, as at / of Handler
//   - 400, if the list is not valid
//   - 403, if the request comes from a web page
//   - 409, if members do not answer, which the text names, or another change is in progress
//   - 421, if another member leads, which the text names, or 503, if none does
//   - 501, if there are no leases, or a Store
//   - 504, if the change has begun and is not agreed yet: see the status
func (e *Elector) MembersHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail := func(status int, text string) { http.Error(w, text, status) }
		switch {
		case r.Method != http.MethodPut:
			w.Header().Set("Allow", http.MethodPut)
			fail(http.StatusMethodNotAllowed, "only PUT is possible")
			return
		case r.Header.Get("Origin") != "": // also of a page whose name leads to this address
			fail(http.StatusForbidden, "web pages cannot change the members")
			return
		}
		members, err := readMembers(http.MaxBytesReader(w, r.Body, tcp.MaxHello))
		if err != nil {
			fail(http.StatusBadRequest, "the body is no JSON object of names and addresses: "+err.Error())
			return
		}
		most := patienceOfCall * e.config.Times.Lease
		ctx, stop := context.WithTimeoutCause(r.Context(), most, fmt.Errorf("gave up after %v", most))
		defer stop()
		err = e.SetMembers(ctx, members)
		text := ""
		if err != nil {
			text = strings.TrimPrefix(input.Reason(err), prefix)
		}
		leader := e.Leader().Leader
		switch {
		case err == nil:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(e.status()) // an error: the client is gone
		case errors.Is(err, ErrNoLease), errors.Is(err, errors.ErrUnsupported):
			fail(http.StatusNotImplemented, text)
		case errors.Is(err, ErrNotLeader) && leader != "" && leader != e.config.Self:
			fail(http.StatusMisdirectedRequest, fmt.Sprintf("%s leads: send the request to it", leader))
		case errors.Is(err, ErrNotLeader):
			fail(http.StatusServiceUnavailable, "there is no leader: try again later")
		case errors.Is(err, ErrNotReady), errors.Is(err, ErrBusy):
			fail(http.StatusConflict, text)
		case ctx.Err() != nil:
			fail(http.StatusGatewayTimeout, "the change has begun and is not agreed yet, which may still happen")
		default:
			fail(http.StatusBadRequest, text)
		}
	})
}

// readMembers reads the body of a request.
func readMembers(body io.Reader) (members map[string]string, err error) {
	d := json.NewDecoder(body)
	if err := d.Decode(&members); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more behind it")
	}
	return members, nil
}
