package elector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
)

// status is what the Handler returns at /.
type status struct {
	Group   string   `json:"group"`
	Self    string   `json:"self"`
	Members []string `json:"members"`
	Leader  string   `json:"leader"` // empty if there is none
	Term    uint64   `json:"term"`
	Leads   bool     `json:"leads"` // this member is the leader
	Why     string   `json:"why"`
	Reaches bool     `json:"reachable"`          // the transport has a connection to the leader
	Left    float64  `json:"lease_left_seconds"` // of the lease of this member; zero without one
	// RoundTrip, and the Lease that Suggest returns for it; zero if none was measured.
	RoundTrip float64 `json:"round_trip_seconds"`
	Suggested float64 `json:"suggested_lease_seconds"`
	Healthy   bool    `json:"healthy"`
	Reason    string  `json:"reason,omitempty"` // why this member is not healthy
}

// Handler returns an HTTP handler for status and probes.
//
//   - GET / returns the state of this member as JSON.
//   - GET /healthz returns 200 if this member takes part in the group, and otherwise 503 with the reason: it does not
//     run; it has known no leader for two leases, not even by [Hearsay]; it leads, and its lease was not renewed for
//     twice Times.Renew; or Dir cannot be written or hangs, which requests test at most once in five seconds. While
//     the list of members changes, a member without a leader is healthy if it is leaving or its peers do not list it
//     yet; the body contains that reason.
//   - GET /leader returns 200 at the leader and 503 at the other members, for a load balancer.
func (e *Elector) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(e.status()) // an error: the client is gone
	})
	answer := func(w http.ResponseWriter, ok bool, text string) {
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintln(w, text)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		reason := e.ill()
		answer(w, reason == "", cmp.Or(reason, e.excused()))
	})
	mux.HandleFunc("GET /leader", func(w http.ResponseWriter, _ *http.Request) {
		v := e.Leader()
		answer(w, v.Self, v.Leader)
	})
	return mux
}

func (e *Elector) status() status {
	v, reason := e.Leader(), e.ill()
	s := status{Group: e.config.Group, Self: e.config.Self,
		Members: slices.Sorted(maps.Keys(e.config.Members)),
		Leader:  v.Leader, Term: v.Term, Leads: v.Self, Why: v.Why.String(), Reaches: v.Reachable, Healthy: reason == "",
		Reason: reason}
	switch {
	case e.config.leaves():
		s.Why = "leaving"
	case len(e.unlisted()) > 0:
		s.Why = "unlisted"
	}
	if v.Self && e.leases {
		s.Left = Term{v.Term, e}.Left().Seconds()
	}
	if d := e.RoundTrip(); d > 0 {
		s.RoundTrip, s.Suggested = d.Seconds(), Suggest(d).Lease.Seconds()
	}
	return s
}

// leaving is logged and returned to probes by a member that is not in its own list. That may be a mistake.
const leaving = "this member is not in its own list of members: it has no vote and never leads; if it is not " +
	"being removed, correct Self"

// excused returns why this member may be healthy without a leader, or "". An orchestrator that changes the list of
// members waits until a member is ready before it restarts the next one.
func (e *Elector) excused() string {
	if e.config.leaves() {
		return leaving
	}
	if by := e.unlisted(); len(by) > 0 {
		return "no leader: " + strings.Join(by, ", ") + " do not list this member yet"
	}
	return ""
}

// unlisted returns the peers that refuse this member because it is not in their lists, while it knows no leader.
func (e *Elector) unlisted() (by []string) {
	t, ok := e.config.Transport.(interface{ Unlisted() []election.ID })
	if !ok || e.Leader().Leader != "" {
		return nil
	}
	for _, id := range t.Unlisted() {
		by = append(by, e.name(id))
	}
	slices.Sort(by)
	return by
}

// ill returns why this member is not healthy, or "".
func (e *Elector) ill() string {
	e.mu.Lock()
	v, vacant := e.view, e.vacant
	e.mu.Unlock()
	times := e.config.Times
	switch now := e.clock(); {
	case v.Why == Ended:
		return "this member has left the election"
	// Not visible in the View, which is the same before and after the start of Run.
	case !e.ran.Load():
		return "this member does not run yet"
	case v.Self:
		if left := (Term{v.Term, e}).Left(); left < times.Lease-2*times.Renew || left <= 0 {
			return fmt.Sprintf("renewals are late: the lease lasts for another %v of %v", max(left, 0),
				times.Lease)
		}
	case v.Leader == "" && now-vacant > 2*times.Lease && e.excused() == "":
		return fmt.Sprintf("there has been no leader for %v", (now - vacant).Round(time.Millisecond))
	}
	return e.disk.ill()
}
