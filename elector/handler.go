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

// status is what the Handler says.
type status struct {
	Group   string   `json:"group"`
	Self    string   `json:"self"`
	Members []string `json:"members"`
	Leader  string   `json:"leader"` // empty if there is none
	Term    uint64   `json:"term"`
	Leads   bool     `json:"leads"` // this member does
	Why     string   `json:"why"`
	Reaches bool     `json:"reachable"`          // the transport has a connection to the leader
	Left    float64  `json:"lease_left_seconds"` // of the own lease; zero if there is none
	// What RoundTrip returns, and the Lease that would suit it; zero if none was measured.
	RoundTrip float64 `json:"round_trip_seconds"`
	Suggested float64 `json:"suggested_lease_seconds"`
	Healthy   bool    `json:"healthy"`
	Reason    string  `json:"reason,omitempty"` // why it is not
}

// Handler returns a handler of GET requests. / answers as JSON what this member knows. /healthz answers 200 if this
// member takes part. It answers 503 with the reason if it does not, if it has known no leader for two leases,
// not even by [Hearsay], if it leads and its lease was not renewed for twice Times.Renew, and if Dir takes no state
// or its disk hangs, which requests try once in five seconds. While the members change, a member without a leader
// is healthy too, and the text is the reason: it is leaving, or peers answer that they do not list it yet.
// /leader answers 200 at the leader and 503 at the other members, for a load balancer.
func (e *Elector) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(e.status()) // the client has gone
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
	if len(e.unlisted()) > 0 {
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

// leaving is what is logged, and answered to a probe, of a member that is to be removed.
const leaving = "this member is not in the list of members: it has no vote, and never leads"

// excused returns why this member may know no leader and be healthy, or nothing. An orchestrator that changes
// the list of members waits until each member is ready before it restarts the next one.
func (e *Elector) excused() string {
	if e.config.leaves() {
		return leaving
	}
	if by := e.unlisted(); len(by) > 0 {
		return "no leader: " + strings.Join(by, ", ") + " do not list this member yet"
	}
	return ""
}

// unlisted returns the peers that answer that they do not list this member, while it knows no leader.
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

// ill returns why this member is not healthy, or nothing.
func (e *Elector) ill() string {
	e.mu.Lock()
	v, vacant := e.view, e.vacant
	e.mu.Unlock()
	times := e.config.Times
	switch now := e.clock(); {
	case v.Why == Ended:
		return "this member takes no part any more"
	// The View is the same as that of a member that has just begun.
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
